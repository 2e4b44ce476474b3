/*
 * SPDX-License-Identifier: MIT
 *
 * A daemon that a recorder started is known by a variable in its environment: the recorder's mark.
 * Turns are names of abstract sockets: the kernel gives a name to one process, and takes it back
 * when that ends.
 */
#include "daemon.h"

#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "lttng.h"
#include "mark.h"
#include "process.h"

#define MARK "CARRIERSCOPE_DAEMON"

enum {
	DAEMON_TRIES = 100,
	TURN_TRIES = 300,
	SAY_TRIES = 20,
	TRIES_PER_SECOND = 10,
	END_MS = 10000,
	/* The most that the kernel gives a program: what is not used is not touched. */
	ENVIRONMENT_BYTES = 6 * 1024 * 1024,
	/* As a shell has it. */
	NOT_FOUND = 127,
};

/* Users and containers have daemons of their own. */
static socklen_t name_turn(struct sockaddr_un *ret_name)
{
	struct stat mounts = { 0 };
	int length;

	(void)stat("/proc/self/ns/mnt", &mounts);
	memset(ret_name, 0, sizeof(*ret_name));
	ret_name->sun_family = AF_UNIX;
	length = snprintf(ret_name->sun_path + 1, sizeof(ret_name->sun_path) - 1,
			"carrierscope-daemon-%u-%llu", (unsigned int)geteuid(),
			(unsigned long long)mounts.st_ino);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

/* The process that has the turn, as the kernel knows it; 0: it is not known. */
static pid_t find_holder(const struct sockaddr_un *name, socklen_t length)
{
	struct ucred holder = { 0 };
	socklen_t bytes = sizeof(holder);
	int call = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (call >= 0 &&
			(connect(call, (const struct sockaddr *)name, length) != 0 ||
					getsockopt(call, SOL_SOCKET, SO_PEERCRED, &holder,
							&bytes) != 0)) {
		holder.pid = 0;
	}
	if (call >= 0) {
		(void)close(call);
	}
	return holder.pid;
}

static void say_who_has_it(const struct sockaddr_un *name, socklen_t length)
{
	char who[32] = "another recorder";
	pid_t holder = find_holder(name, length);

	if (holder > 0) {
		(void)snprintf(who, sizeof(who), "the recorder of pid %d", (int)holder);
	}
	command_print("waiting for %s, which starts or ends LTTng's session daemon, for %d s more at most",
			who, (TURN_TRIES - SAY_TRIES) / TRIES_PER_SECOND);
}

int daemon_take_turn(void)
{
	struct sockaddr_un name;
	socklen_t length = name_turn(&name);
	int turn = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	for (int i = 0; turn >= 0 && i < TURN_TRIES; i++) {
		if (bind(turn, (const struct sockaddr *)&name, length) == 0) {
			/* Nobody is answered: others ask the kernel whose it is. */
			(void)listen(turn, 1);
			return turn;
		}
		if (i == SAY_TRIES) {
			say_who_has_it(&name, length);
		}
		process_pause();
	}
	daemon_leave_turn(turn);
	return -1;
}

void daemon_leave_turn(int turn)
{
	if (turn >= 0) {
		(void)close(turn);
	}
}

static bool has_daemon(void)
{
	struct diag ignored = { 0 };

	return LTTNG(LTTNG_MS, &ignored, "list") == CSC_OK;
}

/* Of one that did not answer; `status`: its exit status, 0 where it did not end. */
static enum csc_status fail_to_start(int status, struct diag *diag)
{
	const char *home = getenv("LTTNG_HOME") ? getenv("LTTNG_HOME") : getenv("HOME");

	if (status == NOT_FOUND) {
		return DIAG_REFUSE(diag,
				"LTTng's session daemon cannot be started; is lttng-tools installed?");
	}
	if (geteuid() != 0 && home && access(home, W_OK) != 0) {
		return DIAG_FAIL(diag,
				"LTTng's session daemon cannot be started: this user may not write in '%s', which LTTNG_HOME, or else HOME, names",
				home);
	}
	return DIAG_FAIL(diag,
			"LTTng's session daemon cannot be started; 'lttng-sessiond --no-kernel' prints why");
}

enum csc_status daemon_start(pid_t *daemon, struct diag *diag)
{
	char mark[MARK_BYTES];
	int status = 0;
	pid_t pid;

	if (has_daemon()) {
		return CSC_OK;
	}
	mark_own(mark);
	pid = fork();
	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start LTTng's session daemon: %s", strerror(errno));
	}
	if (pid == 0) {
		(void)setsid();
		/* Nothing of ours is held open as long as it runs. */
		process_close_all();
		if (setenv(MARK, mark, 1) != 0 || !freopen("/dev/null", "r", stdin) ||
				!freopen("/dev/null", "w", stdout) ||
				!freopen("/dev/null", "w", stderr)) {
			_exit(1);
		}
		(void)execlp("lttng-sessiond", "lttng-sessiond", "--no-kernel", (char *)NULL);
		_exit(NOT_FOUND);
	}
	*daemon = pid;
	for (int i = 0; i < DAEMON_TRIES; i++) {
		if (has_daemon()) {
			return CSC_OK;
		}
		if (process_has_ended(pid, &status)) {
			*daemon = 0;
			break;
		}
		process_pause();
	}
	return fail_to_start(status, diag);
}

enum csc_status daemon_prepare(pid_t *daemon, struct diag *diag)
{
	enum csc_status status;
	int turn;

	if (geteuid() == 0) {
		return CSC_OK;
	}
	turn = daemon_take_turn();
	status = daemon_start(daemon, diag);
	daemon_leave_turn(turn);
	return status;
}

/* The value of a variable in an environment as the kernel shows it; NULL: it is not set. */
static const char *find_variable(const char *environment, size_t bytes, const char *name)
{
	size_t length = strlen(name);

	for (size_t at = 0; at < bytes; at += strlen(environment + at) + 1) {
		const char *text = environment + at;

		if (strncmp(text, name, length) == 0 && text[length] == '=') {
			return text + length + 1;
		}
	}
	return NULL;
}

/* Where LTTng looks for its daemon: the same in both. */
static bool has_same(const char *environment, size_t bytes, const char *name)
{
	const char *theirs = find_variable(environment, bytes, name);
	const char *ours = getenv(name);

	return strcmp(theirs ? theirs : "", ours ? ours : "") == 0;
}

static bool is_in_our_mounts(const char *process)
{
	char path[64];
	struct stat theirs;
	struct stat ours;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/ns/mnt", process);
	return stat(path, &theirs) == 0 && stat("/proc/self/ns/mnt", &ours) == 0 &&
			theirs.st_ino == ours.st_ino;
}

/* Started by a recorder; `is_left`: by one that is dead. */
static bool is_marked(const char *process, bool is_left)
{
	char *environment = calloc(1, ENVIRONMENT_BYTES);
	const char *starter = NULL;
	char path[64];
	size_t bytes;
	bool is_ours;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/environ", process);
	file = environment ? fopen(path, "re") : NULL;
	bytes = file ? fread(environment, 1, ENVIRONMENT_BYTES - 1, file) : 0;
	if (file) {
		(void)fclose(file);
	}
	if (bytes > 0) {
		starter = find_variable(environment, bytes, MARK);
	}
	is_ours = starter && (!is_left || mark_is_dead(starter)) &&
			has_same(environment, bytes, "LTTNG_HOME") &&
			has_same(environment, bytes, "LTTNG_RUNDIR") && is_in_our_mounts(process);
	free(environment);
	return is_ours;
}

/* Of this user, by its name; the daemon leads a session, its helper of the same name does not. */
static bool is_daemon(const char *process)
{
	char path[64];
	char name[32] = "";
	struct stat about;
	pid_t pid = (pid_t)strtol(process, NULL, 10);
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%.20s/comm", process);
	if (pid <= 0 || stat(path, &about) != 0 || about.st_uid != geteuid() ||
			getsid(pid) != pid) {
		return false;
	}
	file = fopen(path, "r");
	if (file) {
		if (!fgets(name, sizeof(name), file)) {
			name[0] = '\0';
		}
		(void)fclose(file);
	}
	return strncmp(name, "lttng-sessiond", 14) == 0;
}

/* A process that is ended by its descriptor is the one that was looked at, whatever its pid is by
 * then. */
struct daemon {
	pid_t pid;
	int process;
};

static bool open_daemon(pid_t pid, struct daemon *ret_daemon)
{
	ret_daemon->pid = pid;
	ret_daemon->process = (int)syscall(SYS_pidfd_open, pid, 0);
	return ret_daemon->process >= 0;
}

static void close_daemon(const struct daemon *daemon)
{
	if (daemon->process >= 0) {
		(void)close(daemon->process);
	}
}

/* The daemon that a recorder started; false: none did. */
static bool find_daemon(bool is_left, struct daemon *ret_daemon)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	bool is_found = false;

	while (folder && !is_found && (entry = readdir(folder))) {
		const char *process = entry->d_name;

		if (!is_daemon(process) ||
				!open_daemon((pid_t)strtol(process, NULL, 10), ret_daemon)) {
			continue;
		}
		is_found = is_daemon(process) && is_marked(process, is_left);
		if (!is_found) {
			close_daemon(ret_daemon);
		}
	}
	if (folder) {
		(void)closedir(folder);
	}
	return is_found;
}

/* Sessions in the daemon, of anybody; -1: it does not answer. */
static int count_sessions(void)
{
	static const char begin[] = "<session>";
	struct process_result *result = malloc(sizeof(*result));
	struct diag ignored = { 0 };
	char *const argv[] = { "lttng", "--no-sessiond", "--mi", "xml", "list", NULL };
	int count = -1;

	if (result && process_run(argv, NULL, LTTNG_MS, result, &ignored) == CSC_OK &&
			result->status == 0) {
		count = 0;
		for (const char *at = result->output; (at = strstr(at, begin)); at++) {
			count++;
		}
	}
	free(result);
	return count;
}

/* Its consumers, too: at its end it waits for ever if a node was killed while it wrote an event. */
static void end(const struct daemon *daemon)
{
	struct pollfd ended = { .fd = daemon->process, .events = POLLIN };
	int status;

	(void)syscall(SYS_pidfd_send_signal, daemon->process, SIGTERM, NULL, 0);
	if (poll(&ended, 1, END_MS) == 0) {
		/* It is there, so its group is its own. */
		(void)kill(-daemon->pid, SIGKILL);
	}
	(void)waitpid(daemon->pid, &status, 0);
}

void daemon_end(pid_t pid)
{
	struct daemon daemon = { .process = -1 };
	int turn = daemon_take_turn();
	bool is_there = pid > 0 ? open_daemon(pid, &daemon) : find_daemon(false, &daemon);
	int sessions = is_there ? count_sessions() : -1;

	/* One of ours that does not answer serves nobody; another recorder's may be busy. */
	if (is_there && (sessions == 0 || (sessions < 0 && pid > 0))) {
		end(&daemon);
	}
	close_daemon(&daemon);
	daemon_leave_turn(turn);
}

void daemon_end_left(void)
{
	struct daemon daemon = { .process = -1 };
	int turn;
	int sessions = -1;

	if (!find_daemon(true, &daemon)) {
		return;
	}
	turn = daemon_take_turn();
	/* It may be starting. */
	for (int i = 0; i < DAEMON_TRIES && sessions < 0; i++) {
		sessions = count_sessions();
		if (sessions < 0) {
			process_pause();
		}
	}
	if (sessions <= 0) {
		end(&daemon);
	}
	close_daemon(&daemon);
	daemon_leave_turn(turn);
}
