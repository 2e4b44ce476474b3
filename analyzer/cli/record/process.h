/*
 * SPDX-License-Identifier: MIT
 *
 * Other programs, which `record` runs.
 */
#ifndef CSC_PROCESS_H
#define CSC_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "diag.h"

/* The most of a program's output that is kept, in bytes; the rest is read and dropped. */
enum { PROCESS_OUTPUT_BYTES = 65536 };

struct process_result {
	/* Standard output and standard error; ends with a zero byte. */
	char output[PROCESS_OUTPUT_BYTES];

	/* Its exit status; 128 + the signal that ended it. */
	int status;

	/* It had to be killed. */
	bool is_late;
};

/*
 * Runs a program, found in PATH, to its end, in a process group of its own: an interrupt from the
 * terminal does not reach it.  `input` is its standard input; NULL: none.  It is killed after
 * `timeout_ms`, and ended if this process is killed meanwhile.  Errors: it cannot be started, or
 * had to be killed.
 */
enum csc_status process_run(char *const argv[], const char *input, int timeout_ms,
		struct process_result *ret_result, struct diag *diag);

/* Who takes the lines of a program as they come. */
struct process_reader {
	void *context;

	/* A line without its line feed; `line` ends with a zero byte.  False: no more is wanted. */
	bool (*take)(void *context, const char *line, size_t length);

	/* Asked several times a second; true: no more is wanted. */
	bool (*is_over)(void *context);
};

/* Longer lines are not handed over, in bytes. */
enum { PROCESS_LINE_BYTES = 1 << 20 };

/*
 * Runs a program until it ends, or for `grace_ms` after no more is wanted; then it is killed, and
 * its process group.  It has no input.  *ret_status is as in struct process_result, 127 where there
 * is no such program.
 */
enum csc_status process_stream(char *const argv[], const struct process_reader *reader,
		int grace_ms, int *ret_status, struct diag *diag);

/*
 * Runs this program itself.  Errors: as process_run(), and an exit status that is not 0: what
 * failed is then in its own sentence.
 */
enum csc_status process_run_own(char *const argv[], int timeout_ms,
		struct process_result *ret_result, struct diag *diag);

/* The same, with our own standard output and error; *ret_status is its exit status. */
enum csc_status process_show(char *const argv[], int *ret_status, struct diag *diag);

/*
 * Starts a program that waits until process_release(), so that it can be known by its pid before it
 * runs.  It inherits our standard input, output and error.  `environment`: NAME=VALUE that are
 * added.
 */
struct waiting_process {
	pid_t pid;
	int release;
};
enum csc_status process_prepare(char *const argv[], char *const environment[],
		struct waiting_process *ret_process, struct diag *diag);
void process_release(struct waiting_process *process);

/* Whether a child has ended; then it is gone, and *ret_status is as in struct process_result. */
bool process_has_ended(pid_t pid, int *ret_status);

/* Whether a process has not mapped a library whose path has `library` in it; false too where that
 * cannot be read. */
bool process_lacks(pid_t pid, const char *library);

/* Whether a process handles a signal by a function of its own; false too where that cannot be read.
 */
bool process_catches(pid_t pid, int signal);

/* Has a function called where this process is to end: by a signal of a terminal, a shell or a
 * manager of services. */
void process_at_end(void (*function)(int signal));

/* Whether a process that need not be ours has ended, or ends within so many milliseconds. */
bool process_is_gone(pid_t pid, int ms);

/* Whether `ancestor` started a process, itself or by others that are still there. */
bool process_is_below(pid_t pid, pid_t ancestor);

/* The last line of a text that is not blank, without its line feed; the text is changed. */
char *process_last_line(char *text);

/* In a new child: it is ended (SIGTERM) when `parent` is, also if that was killed already. */
void process_end_with(pid_t parent);

/* In a new child: closes what it inherited, but standard input, output and error. */
void process_close_all(void);

/* A tenth of a second: the pause between two looks at something that takes a while. */
void process_pause(void);

#endif
