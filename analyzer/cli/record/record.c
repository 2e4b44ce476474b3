/*
 * SPDX-License-Identifier: MIT
 *
 * In order: the node is asked for its pid, a session is made for that process, the node hooks, time
 * passes, the node lets go, the session ends, the trace is loaded, the verdict is printed. Whatever
 * fails, all that was begun before is ended.
 */
#include "record.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "node.h"
#include "process.h"
#include "record_options.h"
#include "session.h"
#include "visible.h"

/* The node lets go by itself when it was not asked for so long. */
enum { LEASE_MS = 20000, END_MS = 10000 };

/* How long a node may take until LTTng knows it: one that runs, and one that boots. */
enum { AWAIT_SECONDS = 15, BOOT_SECONDS = 60 };

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

/* Buffers take a tenth of what is free at most, unless the user chose. */
static uint64_t choose_memory(const struct record_options *options)
{
	uint64_t tenth = record_free_bytes() / 10;

	if (options->memory_bytes > 0) {
		return options->memory_bytes;
	}
	return tenth > 0 && tenth < RECORD_DEFAULT_BYTES ? tenth : RECORD_DEFAULT_BYTES;
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

static enum csc_status find_pid(struct recording *recording, pid_t *ret_pid, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES];
	enum csc_status status;

	if (recording->options.pid) {
		*ret_pid = recording->options.pid;
		return CSC_OK;
	}
	if (!is_asked(recording)) {
		status = prepare_child(recording, diag);
		*ret_pid = recording->child.pid;
		return status;
	}
	status = record_node_ask(
			&recording->node, "carrierscope_recorder", "hello()", answer, diag);
	if (status == CSC_OK) {
		*ret_pid = (pid_t)strtol(answer, NULL, 10);
	}
	return status;
}

/* A node that ends before LTTng knows it may have ended in order: what it recorded is looked at. */
static enum csc_status release(struct recording *recording, struct diag *diag)
{
	struct diag unknown = { 0 };
	int status = 0;

	process_release(&recording->child);
	for (unsigned int i = 0; i < BOOT_SECONDS && !is_interrupted; i++) {
		if (record_session_await(recording->child.pid, 1, &unknown) == CSC_OK) {
			return CSC_OK;
		}
		if (process_has_ended(recording->child.pid, &status)) {
			recording->child.pid = 0;
			return status == 0
					? CSC_OK
					: DIAG_FAIL(diag, "'%s' ended with exit status %d before it was recorded",
							  recording->options.command[0], status);
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
	char sample[64] = "";
	enum csc_status status;

	if (!is_asked(recording)) {
		return recording->child.pid ? release(recording, diag) : CSC_OK;
	}
	if (recording->options.sample_bytes > 0) {
		(void)snprintf(sample, sizeof(sample), ", sample => {bytes, %llu}",
				(unsigned long long)recording->options.sample_bytes);
	}
	(void)snprintf(call, sizeof(call), "start(#{snapshots_ms => %u%s}, %d)",
			recording->options.snapshots_ms, sample, LEASE_MS);
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

static time_t monotonic_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

/* Until the time is over, the node is gone or somebody interrupts. */
static enum csc_status wait_for_end(struct recording *recording, struct diag *diag)
{
	const struct timespec second = { .tv_sec = 1 };
	char answer[NODE_ANSWER_BYTES] = "";
	enum csc_status status = CSC_OK;
	time_t begin = monotonic_seconds();
	int child_status = 0;

	/* By the clock: a busy node, or a slow command, takes its time to answer. */
	while (status == CSC_OK && !is_interrupted) {
		unsigned int seconds = (unsigned int)(monotonic_seconds() - begin);
		unsigned int most = recording->options.seconds;

		show(recording, most > 0 && seconds > most ? most : seconds, answer);
		if (most > 0 && seconds >= most) {
			break;
		}
		(void)nanosleep(&second, NULL);
		if (is_asked(recording) && !is_interrupted) {
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

/* The node lets go, a node of ours ends. */
static void let_go(struct recording *recording)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	char answer[NODE_ANSWER_BYTES];
	struct diag diag = { 0 };
	int status;

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

static enum csc_status run_self(char *const words[], int *ret_status, struct diag *diag)
{
	fflush(stdout);
	return process_show(words, ret_status, diag);
}

/* What differs from an older recording; a difference is no failure. */
static enum csc_status compare(const char *old, char *database, struct diag *diag)
{
	char program[] = "/proc/self/exe";
	char diff[] = "diff";
	int status = 0;

	fputs("\nCompared with ", stdout);
	visible_print(stdout, old, VISIBLE_CELL);
	putchar('\n');
	return run_self((char *[]){ program, diff, (char *)old, database, NULL }, &status, diag);
}

/* By the commands that a user would type. */
static int answer(const struct recording *recording)
{
	char program[] = "/proc/self/exe";
	char load[] = "load";
	char output[] = "-o";
	char quiet[] = "-q";
	char report[] = "report";
	char force[] = "-f";
	char holders[] = "holders";
	char limit[] = "--limit=8";
	char *database = (char *)recording->options.database;
	char *trace = (char *)recording->session.trace;
	struct diag diag = { 0 };
	int status = 0;

	if (run_self((char *[]){ program, load, quiet, output, database, trace,
				     recording->options.is_forced ? force : NULL, NULL },
			    &status, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	if (status != EXIT_DONE) {
		command_print("the trace stays in '%s'", trace);
		return EXIT_FAILED;
	}
	if (run_self((char *[]){ program, report, database, NULL }, &status, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	puts("\nWho holds it");
	if (run_self((char *[]){ program, report, holders, database, limit, NULL }, &status,
			    &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	if (recording->options.compared &&
			compare(recording->options.compared, database, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	fputs("\nMore of this recording:\n  carrierscope report figures ", stdout);
	visible_print(stdout, database, VISIBLE_CELL);
	fputs("\n  carrierscope report --format html -o run.html ", stdout);
	visible_print(stdout, database, VISIBLE_CELL);
	fputc('\n', stdout);
	return status;
}

static int clean(void)
{
	unsigned int count = 0;
	struct diag diag = { 0 };

	if (record_session_clean(&count, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	(void)printf("%u sessions of ended recorders were ended\n", count);
	return EXIT_DONE;
}

static enum csc_status record(struct recording *recording, struct diag *diag)
{
	pid_t pid = 0;
	enum csc_status status = find_pid(recording, &pid, diag);

	if (status == CSC_OK) {
		status = record_session_create(&recording->session, pid,
				choose_memory(&recording->options), recording->options.database,
				diag);
	}
	if (status == CSC_OK && !recording->child.pid) {
		status = record_session_await(pid, AWAIT_SECONDS, diag);
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
	let_go(recording);
	return status;
}

int command_record(int argc, char **argv)
{
	static struct recording recording;
	const struct sigaction action = { .sa_handler = interrupt };
	struct diag diag = { 0 };
	enum csc_status status;
	int result;

	record_options_read(argc, argv, &recording.options);
	if (recording.options.is_cleaning) {
		return clean();
	}
	if (recording.options.compared && access(recording.options.compared, R_OK) != 0) {
		command_print("cannot read '%s': %s", recording.options.compared, strerror(errno));
		return EXIT_FAILED;
	}
	if (!recording.options.is_forced && access(recording.options.database, F_OK) == 0) {
		command_print("'%s' exists; --force replaces it", recording.options.database);
		return EXIT_FAILED;
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

	status = recording.options.cookie_file
			? record_node_use_cookie(
					  &recording.node, recording.options.cookie_file, &diag)
			: CSC_OK;
	if (status == CSC_OK) {
		status = record(&recording, &diag);
	}
	record_session_end(&recording.session);
	record_node_forget(&recording.node);
	/* What was recorded until the node was gone is judged, too. */
	if (status != CSC_OK) {
		command_print("%s", diag.text);
	}
	result = recording.has_begun ? answer(&recording) : EXIT_FAILED;
	if (!recording.has_begun || (result == EXIT_DONE && !recording.options.keeps_trace)) {
		record_session_remove_trace(&recording.session);
	}
	return status == CSC_OK ? result : EXIT_FAILED;
}
