/*
 * SPDX-License-Identifier: MIT
 *
 * In order: the node is asked for its pid, a session is made for that process, the node hooks, time
 * passes, the node lets go, the session ends, the trace is loaded, the verdict is printed. Whatever
 * fails, all that was begun before is ended.
 */
#include "record.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "buffers.h"
#include "clean.h"
#include "command.h"
#include "daemon.h"
#include "left.h"
#include "node.h"
#include "process.h"
#include "record_answer.h"
#include "record_options.h"
#include "session.h"

/* The node lets go by itself when it was not asked for so long. */
enum { LEASE_MS = 20000, END_MS = 30000 };

/* A command, such as rabbitmqctl, may take ten seconds on a busy machine, and costs as much CPU as
 * many recordings: it is run once to begin and once at the end, and while a long recording lasts.
 */
enum { VIA_LEASE_MS = 90000, VIA_ASK_SECONDS = 30 };

/* How long a node may take until LTTng knows it: one that runs, and one that boots. */
enum { AWAIT_SECONDS = 15, BOOT_SECONDS = 60 };

/* A killed node that does not answer may still be ending. */
enum { GONE_MS = 5000 };

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

struct recording {
	struct record_options options;
	struct record_node node;
	struct record_session session;
	struct note note;
	pid_t watcher;

	/* As the node sees itself; 0: it has not answered yet. */
	pid_t pid;

	/* A node that we start; pid 0: none, or it has ended. */
	struct waiting_process child;
	bool has_hooked;
	bool has_begun;
	bool is_on_tty;
	char ebin[512];
};

static bool is_asked(const struct recording *recording)
{
	return recording->node.name || recording->node.via;
}

/* Buffers take a tenth of what is free at most, unless the user chose; many processors need more
 * than the usual. */
static uint64_t choose_memory(const struct record_options *options)
{
	uint64_t tenth = record_free_bytes() / 10;
	uint64_t usual = buffers_least_for_recording(buffers_processors());

	if (options->memory_bytes > 0) {
		return options->memory_bytes;
	}
	if (usual < RECORD_DEFAULT_BYTES) {
		usual = RECORD_DEFAULT_BYTES;
	}
	return tenth > 0 && tenth < usual ? tenth : usual;
}

static enum csc_status prepare_child(struct recording *recording, struct diag *diag)
{
	const char *flags = getenv("ERL_AFLAGS");
	const struct record_options *options = &recording->options;
	char aflags[1200];
	char words[128];
	char snapshots[64];

	(void)snprintf(aflags, sizeof(aflags),
			"ERL_AFLAGS=-pz \"%s\" -run carrierscope_recorder boot %s",
			recording->node.ebin, flags ? flags : "");
	(void)snprintf(words, sizeof(words), "CARRIERSCOPE_OPTIONS=");
	if (options->sample_bytes > 0) {
		(void)snprintf(words, sizeof(words), "CARRIERSCOPE_OPTIONS=sample=bytes:%llu",
				(unsigned long long)options->sample_bytes);
	}
	(void)snprintf(snapshots, sizeof(snapshots), "CARRIERSCOPE_SNAPSHOTS_MS=%u",
			options->snapshots_ms);
	return process_prepare(options->command,
			(char *[]){ strdup(aflags), strdup(words), strdup(snapshots), NULL },
			&recording->child, diag);
}

/* `function`(Options, LeaseMs), and for record also how long. */
static void put_options(const struct recording *recording, const char *function, int lease_ms,
		char *ret_call, size_t bytes)
{
	char sample[64] = "";
	char time[32] = "";

	if (recording->options.sample_bytes > 0) {
		(void)snprintf(sample, sizeof(sample), ", sample => {bytes, %llu}",
				(unsigned long long)recording->options.sample_bytes);
	}
	if (recording->node.via) {
		(void)snprintf(time, sizeof(time), ", %u", recording->options.seconds * 1000);
	}
	(void)snprintf(ret_call, bytes, "%s(#{snapshots_ms => %u%s}, %d%s)", function,
			recording->options.snapshots_ms, sample, lease_ms, time);
}

/* One that is not asked has to have LTTng's library: what it lacks is said at once. */
static enum csc_status check_process(pid_t pid, struct diag *diag)
{
	struct diag ignored = { 0 };
	char node[256];

	if (kill(pid, 0) != 0 && errno != EPERM) {
		return DIAG_FAIL(diag, "there is no process %d", (int)pid);
	}
	if (!process_lacks(pid, "/liblttng-ust")) {
		return CSC_OK;
	}
	if (record_node_of_process(pid, node, sizeof(node), &ignored) == CSC_OK) {
		return DIAG_FAIL(diag,
				"process %d has neither hooks nor events of OTP yet, which --pid needs: record it by --node=%s",
				(int)pid, node);
	}
	return DIAG_FAIL(diag,
			"process %d has not loaded LTTng's library, so it has neither hooks nor events of OTP: --pid records nodes that have; others by --node, --via, or from their boot",
			(int)pid);
}

static enum csc_status find_pid(struct recording *recording, pid_t *ret_pid, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES];
	char call[256] = "hello()";
	enum csc_status status;

	if (recording->options.pid) {
		*ret_pid = recording->options.pid;
		return check_process(*ret_pid, diag);
	}
	if (!is_asked(recording)) {
		status = prepare_child(recording, diag);
		*ret_pid = recording->child.pid;
		return status;
	}
	if (recording->node.via) {
		put_options(recording, "record", VIA_LEASE_MS, call, sizeof(call));
	}
	status = record_node_ask(&recording->node, "carrierscope_recorder", call, answer, diag);
	if (status == CSC_OK) {
		recording->has_hooked = recording->node.via != NULL;
		*ret_pid = (pid_t)strtol(answer, NULL, 10);
	}
	return status;
}

static int64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Until the node has hooked: then it catches the signal that ends it.  One that ends before may
 * have ended in order: what it recorded is looked at. */
static enum csc_status release(struct recording *recording, struct diag *diag)
{
	struct diag unknown = { 0 };
	int64_t begin = monotonic_ms();
	bool is_known = false;
	pid_t below = 0;
	int status = 0;

	process_release(&recording->child);
	while (monotonic_ms() - begin < INT64_C(1000) * BOOT_SECONDS && !is_interrupted) {
		if (is_known) {
			process_pause();
		} else {
			is_known = record_session_await(recording->child.pid, 0, 1, &unknown) ==
					CSC_OK;
		}
		if (is_known && process_catches(recording->child.pid, SIGUSR2)) {
			return CSC_OK;
		}
		if (process_has_ended(recording->child.pid, &status)) {
			recording->child.pid = 0;
			return status == 0
					? CSC_OK
					: DIAG_FAIL(diag, "'%s' ended with exit status %d before it was recorded",
							  recording->options.command[0], status);
		}
		below = is_known ? 0 : record_session_find_below(recording->child.pid);
		if (below) {
			/* It is hooked, or will be. */
			(void)kill(below, SIGUSR2);
			return DIAG_FAIL(diag,
					"'%s' starts the node as another process, %d, which cannot be recorded from its boot, and was ended: start it without carrierscope, then record it by --node or --via",
					recording->options.command[0], (int)below);
		}
	}
	return is_interrupted
			? CSC_OK
			: DIAG_FAIL(diag, "'%s' was not recorded: it did not load module carrierscope from '%s' within %d s",
					  recording->options.command[0], recording->node.ebin,
					  BOOT_SECONDS);
}

static enum csc_status hook(struct recording *recording, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES];
	char call[256];
	enum csc_status status;

	if (!is_asked(recording)) {
		return recording->child.pid ? release(recording, diag) : CSC_OK;
	}
	if (recording->node.via) {
		return CSC_OK;
	}
	put_options(recording, "start", LEASE_MS, call, sizeof(call));
	status = record_node_ask(&recording->node, "carrierscope_recorder", call, answer, diag);
	recording->has_hooked = status == CSC_OK;
	return status;
}

/* One line of progress; a pipe gets none. */
static void show(const struct recording *recording, unsigned int seconds, const char *answer)
{
	char *rest = NULL;
	unsigned long long events = strtoull(answer, &rest, 10);
	unsigned long long bytes = strtoull(rest, NULL, 10);

	if (!recording->is_on_tty) {
		return;
	}
	(void)fprintf(stderr, "\r%u s", seconds);
	if (recording->options.seconds > 0) {
		(void)fprintf(stderr, " of %u s", recording->options.seconds);
	}
	if (*answer) {
		(void)fprintf(stderr, ", %llu events, the node has %.1f MiB allocated", events,
				(double)bytes / 1048576);
	}
	fputs("\033[K", stderr);
	(void)fflush(stderr);
}

/* Until the time is over, the node is gone or somebody interrupts. */
static enum csc_status wait_for_end(struct recording *recording, struct diag *diag)
{
	const struct timespec second = { .tv_sec = 1 };
	char answer[NODE_ANSWER_BYTES] = "";
	enum csc_status status = CSC_OK;
	int64_t begin = monotonic_ms();
	unsigned int asked = 0;
	int child_status = 0;

	/* By the clock: a busy node, or a slow command, takes its time to answer. */
	while (status == CSC_OK && !is_interrupted) {
		unsigned int seconds = (unsigned int)((monotonic_ms() - begin) / 1000);
		unsigned int most = recording->options.seconds;

		show(recording, most > 0 && seconds > most ? most : seconds, answer);
		if (most > 0 && seconds >= most) {
			break;
		}
		(void)nanosleep(&second, NULL);
		if (is_asked(recording) && !is_interrupted &&
				(!recording->node.via || seconds >= asked + VIA_ASK_SECONDS)) {
			asked = seconds;
			status = record_node_ask(&recording->node, "carrierscope_recorder",
					"status()", answer, diag);
		}
		if (recording->child.pid &&
				process_has_ended(recording->child.pid, &child_status)) {
			recording->child.pid = 0;
			break;
		}
	}
	if (recording->is_on_tty) {
		fputc('\n', stderr);
	}
	return status;
}

/* Of a node that is asked by a command, when its time is over. */
static enum csc_status finish(struct recording *recording, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES];

	recording->has_hooked = false;
	return record_node_ask(&recording->node, "carrierscope_recorder", "finish()", answer, diag);
}

/* The node lets go, a node of ours ends. */
static void let_go(struct recording *recording)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	char answer[NODE_ANSWER_BYTES];
	struct diag diag = { 0 };
	int status;

	/* What failed before is reported already. */
	if (recording->has_hooked && recording->node.via) {
		(void)finish(recording, &diag);
	}
	if (recording->has_hooked &&
			record_node_ask(&recording->node, "carrierscope_recorder", "stop()", answer,
					&diag) != CSC_OK) {
		command_print("%s; it lets go by itself within %d s", diag.text, LEASE_MS / 1000);
	}
	recording->has_hooked = false;
	if (!recording->child.pid) {
		return;
	}
	(void)kill(recording->child.pid, SIGUSR2);
	for (int ms = 0; ms < END_MS && !process_has_ended(recording->child.pid, &status);
			ms += 100) {
		(void)nanosleep(&pause, NULL);
		if (ms + 100 >= END_MS) {
			(void)kill(recording->child.pid, SIGKILL);
		}
	}
	recording->child.pid = 0;
}

/*
 * In a container of its own, a process of that pid may be another one, or none.  A node that was
 * killed no longer answers, and is there until the kernel has taken its memory back.
 */
static bool is_gone(const struct recording *recording)
{
	struct pollfd end = { .fd = -1, .events = POLLIN };
	bool is_over;

	if (recording->pid <= 0 || !is_asked(recording)) {
		return false;
	}
	end.fd = (int)syscall(SYS_pidfd_open, recording->pid, 0);
	is_over = end.fd >= 0 ? poll(&end, 1, GONE_MS) > 0 : errno == ESRCH;
	if (end.fd >= 0) {
		(void)close(end.fd);
	}
	return is_over;
}

static enum csc_status record(struct recording *recording, struct diag *diag)
{
	enum csc_status status = is_asked(recording)
			? daemon_prepare(&recording->session.daemon, diag)
			: CSC_OK;
	pid_t pid;

	if (status == CSC_OK) {
		status = find_pid(recording, &recording->pid, diag);
	}
	pid = recording->pid;
	if (status == CSC_OK) {
		status = record_session_create(
				&recording->session, pid, choose_memory(&recording->options), diag);
	}
	if (status == CSC_OK && !recording->child.pid) {
		status = record_session_await(pid, recording->session.daemon, AWAIT_SECONDS, diag);
	}
	if (status == CSC_OK) {
		status = record_session_start(&recording->session, diag);
	}
	if (status == CSC_OK) {
		status = hook(recording, diag);
	}
	if (status == CSC_OK) {
		recording->has_begun = true;
		status = wait_for_end(recording, diag);
	}
	if (status != CSC_OK && is_gone(recording)) {
		recording->has_hooked = false;
		*diag = (struct diag){ 0 };
		status = recording->has_begun
				? DIAG_FAIL(diag, "the node is gone: what was recorded until then is judged")
				: DIAG_FAIL(diag, "the node is gone, before anything of it was recorded");
	}
	if (status == CSC_OK && recording->node.via) {
		status = finish(recording, diag);
	}
	let_go(recording);
	if (status == CSC_OK) {
		status = record_session_stop(&recording->session, diag);
	}
	return status;
}

/* LTTng drops what it cannot write. */
static bool is_full(const char *trace)
{
	struct statvfs about;

	return statvfs(trace, &about) == 0 && about.f_bavail == 0;
}

/* Before anything is recorded: whether the database can be written where it is to lie. */
static enum csc_status check_output(const char *database, bool is_forced, struct diag *diag)
{
	const char *slash = strrchr(database, '/');
	char *folder = slash ? strndup(database, (size_t)(slash - database) + 1) : strdup(".");
	struct stat about;
	bool is_there = stat(database, &about) == 0;
	enum csc_status status = folder ? CSC_OK : DIAG_NO_MEMORY(diag);

	if (is_there && !S_ISREG(about.st_mode)) {
		status = DIAG_FAIL(diag, "cannot write '%s': not a regular file", database);
	} else if (is_there && !is_forced) {
		status = DIAG_FAIL(diag, "'%s' exists; --force replaces it", database);
	} else if (folder && access(folder, W_OK | X_OK) != 0) {
		status = DIAG_FAIL(diag, "cannot write '%s': %s", database, strerror(errno));
	}
	free(folder);
	return status;
}

static const char *shown_node(const struct record_options *options)
{
	const char *first = options->command ? options->command[0] : "a process";

	return options->node ? options->node : options->via ? options->via : first;
}

/* What a kill -9 from here on leaves is noted; false: the folder of the database has no path. */
static bool write_note(struct recording *recording, struct diag *diag)
{
	const struct record_options *options = &recording->options;
	struct note *note = &recording->note;
	const char *slash = strrchr(options->database, '/');
	const char *base = slash ? slash + 1 : options->database;
	char *folder = slash ? strndup(options->database, (size_t)(slash - options->database) + 1)
			     : strdup(".");
	char *real = folder ? realpath(folder, NULL) : NULL;

	free(folder);
	if (!real || record_session_name(&recording->session, options->database, diag) != CSC_OK) {
		free(real);
		return false;
	}
	note->kind = NOTE_RECORDS;
	(void)snprintf(note->node, sizeof(note->node), "%s", shown_node(options));
	if ((size_t)snprintf(note->target, sizeof(note->target), "%s/%s", real, base) <
			sizeof(note->target) - MARK_BYTES - sizeof(".trace-")) {
		(void)snprintf(note->trace, sizeof(note->trace), "%s%s", note->target,
				recording->session.trace + strlen(options->database));
	}
	free(real);
	note_begin(note);
	recording->watcher = left_watch(note, NULL, NULL);
	return true;
}

int command_record(int argc, char **argv)
{
	static struct recording recording;
	const struct sigaction action = { .sa_handler = interrupt };
	struct diag diag = { 0 };
	enum csc_status status;
	int result = EXIT_FAILED;
	bool is_loaded;

	record_options_read(argc, argv, &recording.options);
	if (recording.options.is_cleaning) {
		return record_clean();
	}
	if (recording.options.compared && access(recording.options.compared, R_OK) != 0) {
		command_print("cannot read '%s': %s", recording.options.compared, strerror(errno));
		return EXIT_FAILED;
	}
	if (check_output(recording.options.database, recording.options.is_forced, &diag) !=
			CSC_OK) {
		return command_fail(&diag);
	}
	record_node_find_ebin(recording.ebin, sizeof(recording.ebin));
	recording.node.name = recording.options.node;
	recording.node.via = recording.options.via;
	recording.node.ebin = recording.options.ebin ? recording.options.ebin : recording.ebin;
	recording.is_on_tty = isatty(STDERR_FILENO);
	if (!recording.options.pid && !*recording.node.ebin) {
		command_print("module carrierscope is not installed beside this program; name its folder with --ebin");
		return EXIT_FAILED;
	}
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);

	(void)left_end();
	left_say(NULL);
	status = write_note(&recording, &diag) ? CSC_OK : CSC_ERROR;
	if (status == CSC_OK && recording.options.cookie_file) {
		status = record_node_use_cookie(&recording.node, recording.options.cookie_file,
				&recording.note, &diag);
	}
	if (status == CSC_OK) {
		status = record(&recording, &diag);
	}
	record_session_end(&recording.session);
	/* What was recorded until the node was gone is judged, too. */
	if (status != CSC_OK) {
		command_print("%s", diag.text);
	}
	if (recording.has_begun && is_full(recording.session.trace)) {
		command_print("the disk of '%s' is full: nothing is kept; name another place with --output",
				recording.options.database);
		recording.has_begun = false;
	}
	if (recording.has_begun) {
		const struct record_result made = { .database = recording.options.database,
			.trace = recording.session.trace,
			.compared = recording.options.compared,
			.is_forced = recording.options.is_forced,
			.keeps_trace = recording.options.keeps_trace };

		result = record_answer(&made, &is_loaded);
	} else {
		record_session_remove_trace(&recording.session);
	}
	note_end(&recording.note);
	left_unwatch(recording.watcher);
	return status == CSC_OK ? result : EXIT_FAILED;
}
