/*
 * SPDX-License-Identifier: MIT
 *
 * Programs are started by fork(), not posix_spawn(): one of them has to wait before it runs.
 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "growing.h"

/* What a shell answers when there is no such program. */
enum { STATUS_NOT_FOUND = 127, STATUS_SIGNAL = 128 };

/* As many a process has at most, usually; for kernels before 5.9. */
enum { MOST_FILES = 1024 };

static int status_of(int raw)
{
	return WIFEXITED(raw) ? WEXITSTATUS(raw) : STATUS_SIGNAL + WTERMSIG(raw);
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void become(char *const argv[])
{
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGTERM, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)execvp(argv[0], argv);
	_exit(STATUS_NOT_FOUND);
}

/* Writes what fits; a program that does not read its input gets no more of it. */
static void feed(int to, const char *input)
{
	size_t length = input ? strlen(input) : 0;

	while (length > 0) {
		ssize_t written = write(to, input, length);

		if (written <= 0) {
			break;
		}
		input += written;
		length -= (size_t)written;
	}
	(void)close(to);
}

/* Reads to the end; false: it did not end in time. */
static bool drain(int from, int timeout_ms, char *output, size_t bytes)
{
	int64_t end = now_ms() + timeout_ms;
	char rest[4096];
	size_t length = 0;

	for (;;) {
		struct pollfd poll_it = { .fd = from, .events = POLLIN };
		int64_t left = end - now_ms();
		ssize_t count;

		if (left <= 0) {
			output[length] = '\0';
			return false;
		}
		if (poll(&poll_it, 1, (int)left) <= 0) {
			continue;
		}
		count = length + 1 < bytes ? read(from, output + length, bytes - 1 - length)
					   : read(from, rest, sizeof(rest));
		if (count < 0 && errno == EINTR) {
			continue;
		}
		if (count <= 0) {
			output[length] = '\0';
			return true;
		}
		if (length + 1 < bytes) {
			length += (size_t)count;
		}
	}
}

void process_end_with(pid_t parent)
{
	(void)signal(SIGTERM, SIG_DFL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent) {
		_exit(STATUS_NOT_FOUND);
	}
}

void process_close_all(void)
{
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) == 0) {
		return;
	}
	for (int file = STDERR_FILENO + 1; file < MOST_FILES; file++) {
		(void)close(file);
	}
}

static pid_t start_with_pipes(char *const argv[], int *ret_input, int *ret_output)
{
	pid_t parent = getpid();
	int in[2];
	int out[2];
	pid_t pid;

	if (pipe2(in, O_CLOEXEC) != 0) {
		return -1;
	}
	if (pipe2(out, O_CLOEXEC) != 0) {
		(void)close(in[0]);
		(void)close(in[1]);
		return -1;
	}
	pid = fork();
	if (pid == 0) {
		(void)setpgid(0, 0);
		(void)dup2(in[0], STDIN_FILENO);
		(void)dup2(out[1], STDOUT_FILENO);
		(void)dup2(out[1], STDERR_FILENO);
		process_end_with(parent);
		become(argv);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	*ret_input = in[1];
	*ret_output = out[0];
	return pid;
}

enum csc_status process_run(char *const argv[], const char *input, int timeout_ms,
		struct process_result *ret_result, struct diag *diag)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	int to = -1;
	int from = -1;
	int raw = 0;
	bool has_ended;
	pid_t pid = start_with_pipes(argv, &to, &from);

	if (pid < 0) {
		(void)signal(SIGPIPE, before);
		return DIAG_FAIL(diag, "cannot start '%s': %s", argv[0], strerror(errno));
	}
	feed(to, input);
	has_ended = drain(from, timeout_ms, ret_result->output, sizeof(ret_result->output));
	(void)close(from);
	if (!has_ended) {
		(void)kill(-pid, SIGKILL);
	}
	while (waitpid(pid, &raw, 0) < 0 && errno == EINTR) {
	}
	(void)signal(SIGPIPE, before);
	ret_result->status = status_of(raw);
	ret_result->is_late = !has_ended;
	if (!has_ended) {
		return DIAG_FAIL(diag, "'%s' did not answer within %d s", argv[0],
				timeout_ms / 1000);
	}
	return ret_result->status == STATUS_NOT_FOUND && !*ret_result->output
			? DIAG_FAIL(diag, "'%s' cannot be run; is it installed?", argv[0])
			: CSC_OK;
}

/* What came of a line that has not ended yet. */
struct line {
	char *bytes;
	size_t capacity;
	size_t length;
};

/* Adds what was read, and hands over the lines that end in it.  False: no more is wanted, or out of
 * memory. */
static bool take_lines(struct line *line, const struct process_reader *reader, const char *read,
		size_t count)
{
	while (count > 0) {
		const char *feed = memchr(read, '\n', count);
		size_t part = feed ? (size_t)(feed - read) : count;

		if (line->length + part < PROCESS_LINE_BYTES) {
			if (!csc_grow(&line->bytes, &line->capacity, line->length + part + 1, 1)) {
				return false;
			}
			memcpy(line->bytes + line->length, read, part);
		}
		line->length += part;
		read += part + (feed != NULL);
		count -= part + (feed != NULL);
		if (feed) {
			bool is_kept = line->length < PROCESS_LINE_BYTES;
			size_t length = line->length;

			line->length = 0;
			if (is_kept) {
				line->bytes[length] = '\0';
				if (!reader->take(reader->context, line->bytes, length)) {
					return false;
				}
			}
		}
	}
	return true;
}

/* Until it ends, or somebody wants no more for so long. */
static void take_output(int from, const struct process_reader *reader, int grace_ms)
{
	enum { LOOK_MS = 200 };

	struct line line = { 0 };
	static char bytes[65536];
	int64_t end = 0;

	for (;;) {
		struct pollfd poll_it = { .fd = from, .events = POLLIN };
		ssize_t count = -1;

		if (end == 0 && reader->is_over(reader->context)) {
			end = now_ms() + grace_ms;
		}
		if (end > 0 && now_ms() >= end) {
			break;
		}
		if (poll(&poll_it, 1, LOOK_MS) <= 0) {
			continue;
		}
		count = read(from, bytes, sizeof(bytes));
		if (count < 0 && errno == EINTR) {
			continue;
		}
		if (count <= 0) {
			break;
		}
		if (!take_lines(&line, reader, bytes, (size_t)count) && end == 0) {
			end = now_ms() + grace_ms;
		}
	}
	/* A last line may lack its line feed. */
	if (line.length > 0 && end == 0) {
		(void)take_lines(&line, reader, "\n", 1);
	}
	free(line.bytes);
}

enum csc_status process_stream(char *const argv[], const struct process_reader *reader,
		int grace_ms, int *ret_status, struct diag *diag)
{
	int to = -1;
	int from = -1;
	int raw = 0;
	pid_t pid = start_with_pipes(argv, &to, &from);

	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start '%s': %s", argv[0], strerror(errno));
	}
	(void)close(to);
	take_output(from, reader, grace_ms);
	(void)close(from);
	/* Nobody reads it any more, if it has not ended. */
	if (waitpid(pid, &raw, WNOHANG) == 0) {
		(void)kill(-pid, SIGKILL);
		while (waitpid(pid, &raw, 0) < 0 && errno == EINTR) {
		}
	}
	*ret_status = status_of(raw);
	return CSC_OK;
}

enum csc_status process_run_own(char *const argv[], int timeout_ms,
		struct process_result *ret_result, struct diag *diag)
{
	enum csc_status status = process_run(argv, NULL, timeout_ms, ret_result, diag);

	if (status == CSC_OK && ret_result->status != 0) {
		const char *line = process_last_line(ret_result->output);

		return DIAG_FAIL(diag, "%s",
				strncmp(line, "carrierscope: ", 14) == 0 ? line + 14 : line);
	}
	return status;
}

enum csc_status process_show(char *const argv[], int *ret_status, struct diag *diag)
{
	pid_t parent = getpid();
	int raw = 0;
	pid_t pid = fork();

	if (pid < 0) {
		return DIAG_FAIL(diag, "cannot start '%s': %s", argv[0], strerror(errno));
	}
	if (pid == 0) {
		process_end_with(parent);
		become(argv);
	}
	while (waitpid(pid, &raw, 0) < 0 && errno == EINTR) {
	}
	*ret_status = status_of(raw);
	return CSC_OK;
}

enum csc_status process_prepare(char *const argv[], char *const environment[],
		struct waiting_process *ret_process, struct diag *diag)
{
	int gate[2];
	pid_t pid;

	/* Nobody else keeps it open: what waits would wait for that one, too. */
	if (pipe2(gate, O_CLOEXEC) != 0) {
		return DIAG_FAIL(diag, "cannot start '%s': %s", argv[0], strerror(errno));
	}
	pid = fork();
	if (pid < 0) {
		(void)close(gate[0]);
		(void)close(gate[1]);
		return DIAG_FAIL(diag, "cannot start '%s': %s", argv[0], strerror(errno));
	}
	if (pid == 0) {
		char go = 0;

		(void)close(gate[1]);
		for (; *environment; environment++) {
			(void)putenv(*environment);
		}
		/* Nothing comes where the recorder ended before. */
		if (read(gate[0], &go, 1) != 1) {
			_exit(STATUS_NOT_FOUND);
		}
		(void)close(gate[0]);
		become(argv);
	}
	(void)close(gate[0]);
	ret_process->pid = pid;
	ret_process->release = gate[1];
	return CSC_OK;
}

void process_release(struct waiting_process *process)
{
	if (write(process->release, "1", 1) != 1) {
		/* It ends by itself then. */
	}
	(void)close(process->release);
	process->release = -1;
}

bool process_has_ended(pid_t pid, int *ret_status)
{
	int raw = 0;

	if (waitpid(pid, &raw, WNOHANG) != pid) {
		return false;
	}
	*ret_status = status_of(raw);
	return true;
}

/* The number behind a field's name in /proc/PID/status; 0: it cannot be read. */
static unsigned long long status_field(pid_t pid, const char *name, int base)
{
	char line[128];
	unsigned long long number = 0;
	FILE *file;

	(void)snprintf(line, sizeof(line), "/proc/%d/status", (int)pid);
	file = fopen(line, "r");
	while (file && fgets(line, sizeof(line), file)) {
		if (strncmp(line, name, strlen(name)) == 0) {
			number = strtoull(line + strlen(name), NULL, base);
		}
	}
	if (file) {
		(void)fclose(file);
	}
	return number;
}

bool process_catches(pid_t pid, int signal)
{
	return status_field(pid, "SigCgt:", 16) >> (signal - 1) & 1;
}

bool process_lacks(pid_t pid, const char *library)
{
	char path[64];
	char *line = NULL;
	size_t room = 0;
	bool has_any = false;
	bool is_there = false;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "r");
	while (file && !is_there && getline(&line, &room, file) > 0) {
		has_any = true;
		is_there = strstr(line, library) != NULL;
	}
	free(line);
	if (file) {
		(void)fclose(file);
	}
	return has_any && !is_there;
}

void process_at_end(void (*function)(int signal))
{
	const struct sigaction action = { .sa_handler = function };

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
}

bool process_is_gone(pid_t pid, int ms)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	bool is_over = end.fd >= 0 ? poll(&end, 1, ms) > 0 : errno == ESRCH;

	if (end.fd >= 0) {
		(void)close(end.fd);
	}
	return is_over;
}

bool process_is_below(pid_t pid, pid_t ancestor)
{
	while (pid > 1) {
		pid = (pid_t)status_field(pid, "PPid:", 10);
		if (pid == ancestor) {
			return true;
		}
	}
	return false;
}

char *process_last_line(char *text)
{
	size_t length = strlen(text);
	char *line;

	while (length > 0 && strchr(" \t\r\n", text[length - 1])) {
		text[--length] = '\0';
	}
	line = strrchr(text, '\n');
	return line ? line + 1 : text;
}

void process_pause(void)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	(void)nanosleep(&pause, NULL);
}
