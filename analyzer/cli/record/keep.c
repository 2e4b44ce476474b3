/*
 * SPDX-License-Identifier: MIT
 *
 * The folder is locked, what a killed keeper left is judged, and then in turns: the node is asked
 * for its pid, a session is made for that process, the node begins, and is asked for alarms until
 * it is gone.
 */
#include "keep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "keep_judge.h"
#include "keep_options.h"
#include "keep_ring.h"
#include "node.h"
#include "session.h"

/* The node ends by itself when it was not asked for so long; it is asked each POLL_MS. */
enum { LEASE_MS = 30000, POLL_MS = 5000, AWAIT_SECONDS = 15, MISSES = 3 };

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
	(void)number;
	is_interrupted = 1;
}

struct keeper {
	struct keep_options options;
	struct record_node node;
	struct keep_ring ring;

	/* Of the node, as it sees itself; its file descriptor, -1: it cannot be watched. */
	pid_t pid;
	int process;

	/* Alarms that were judged, and the last answer. */
	unsigned long alarms;
	char answer[NODE_ANSWER_BYTES];

	/* What came last could not be judged. */
	bool has_failed;
	int lock;
	char ebin[512];
	char name[256];
};

static const char *shown_node(const struct keeper *keeper)
{
	return keeper->node.name ? keeper->node.name : keeper->node.via;
}

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...)
{
	time_t now = time(NULL);
	struct tm parts;
	char when[32] = "";
	va_list arguments;

	if (localtime_r(&now, &parts)) {
		(void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &parts);
	}
	(void)printf("%s ", when);
	va_start(arguments, format);
	(void)vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	(void)fflush(stdout);
}

static enum csc_status ask(struct keeper *keeper, const char *call, struct diag *diag)
{
	return record_node_ask(&keeper->node, "carrierscope_keeper", call, keeper->answer, diag);
}

/* ---- The folder ---- */

/* A daemon that a killed keeper of this folder started is ended by the next one. */
static void read_daemon(struct keeper *keeper)
{
	char text[32] = "";
	char path[64];
	char name[32] = "";
	FILE *file;
	long pid;

	if (pread(keeper->lock, text, sizeof(text) - 1, 0) <= 0 ||
			(pid = strtol(text, NULL, 10)) <= 0) {
		return;
	}
	(void)snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	file = fopen(path, "r");
	if (file && fgets(name, sizeof(name), file) && strncmp(name, "lttng-sessiond", 14) == 0) {
		keeper->ring.daemon = (pid_t)pid;
	}
	if (file) {
		(void)fclose(file);
	}
}

static void write_daemon(const struct keeper *keeper)
{
	char text[32];
	int length = keeper->ring.daemon > 0
			? snprintf(text, sizeof(text), "%d\n", (int)keeper->ring.daemon)
			: 0;

	if (ftruncate(keeper->lock, 0) != 0 ||
			pwrite(keeper->lock, text, (size_t)length, 0) != length) {
		/* Then a daemon may be left where this keeper is killed. */
	}
}

static enum csc_status open_folder(struct keeper *keeper, struct diag *diag)
{
	char path[320];
	char *real;

	if (mkdir(keeper->options.folder, 0700) != 0 && errno != EEXIST) {
		return DIAG_FAIL(diag, "cannot make the folder '%s': %s", keeper->options.folder,
				strerror(errno));
	}
	real = realpath(keeper->options.folder, NULL);
	if (!real || strlen(real) >= sizeof(keeper->ring.folder)) {
		free(real);
		return DIAG_FAIL(diag, "the name of the folder '%s' is too long",
				keeper->options.folder);
	}
	keep_ring_prepare(&keeper->ring, real);
	free(real);
	(void)snprintf(path, sizeof(path), "%s/.keeper", keeper->ring.folder);
	keeper->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (keeper->lock < 0) {
		return DIAG_FAIL(diag, "cannot write in the folder '%s': %s",
				keeper->options.folder, strerror(errno));
	}
	if (flock(keeper->lock, LOCK_EX | LOCK_NB) != 0) {
		(void)close(keeper->lock);
		keeper->lock = 0;
		return DIAG_FAIL(diag, "another keeper uses the folder '%s'",
				keeper->options.folder);
	}
	read_daemon(keeper);
	return CSC_OK;
}

/* ---- Judging ---- */

/* A failure is told and the keeper goes on: the node may be recorded for the next alarm. */
static void judge(struct keeper *keeper, const char *reason, const char *sentence)
{
	char trace[320];
	struct diag diag = { 0 };
	struct keep_case found = { .folder = keeper->ring.folder,
		.trace = trace,
		.reason = reason,
		.sentence = sentence,
		.node = shown_node(keeper),
		.on_alarm = keeper->options.on_alarm,
		.most_alarms = keeper->options.most_alarms };
	enum csc_status status = keep_ring_take(&keeper->ring, trace, &diag);

	if (status == CSC_OK) {
		status = keep_judge(&found, &diag);
		keep_ring_drop(&keeper->ring, trace);
	}
	keeper->has_failed = status != CSC_OK;
	if (status != CSC_OK) {
		command_print("%s: nothing is kept: %s", sentence, diag.text);
	}
}

/* A value of a rule with its unit. */
static void put_value(char *ret_text, size_t bytes, const char *reason, const char *number)
{
	unsigned long long value = strtoull(number, NULL, 10);

	if (strcmp(reason, "rss_share") == 0) {
		(void)snprintf(ret_text, bytes, "%llu %%", value);
	} else if (strcmp(reason, "long_gc") == 0) {
		(void)snprintf(ret_text, bytes, "%llu ms", value);
	} else if (strcmp(reason, "failures") == 0) {
		(void)snprintf(ret_text, bytes, "%llu", value);
	} else {
		(void)snprintf(ret_text, bytes, "%.1f MiB", (double)value / 1048576);
	}
}

/* The answer of the node: "ALARMS SNAPSHOTS RESIDENT REASON VALUE THRESHOLD DETAIL". */
static void judge_alarm(struct keeper *keeper)
{
	char *words[6];
	char empty[] = "";
	char *at = keeper->answer;
	char value[40];
	char threshold[40];
	char sentence[512];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		words[i] = at ? strsep(&at, " ") : empty;
	}
	put_value(value, sizeof(value), words[3], words[4]);
	put_value(threshold, sizeof(threshold), words[3], words[5]);
	(void)snprintf(sentence, sizeof(sentence), "alarm of %s: %s is %s, more than %s%s%s",
			shown_node(keeper), words[3], value, threshold, at && *at ? ", in " : "",
			at ? at : "");
	note("%s", "alarm");
	judge(keeper, words[3], sentence);
}

/* A killed keeper's sessions: their ring is judged once. */
static void judge_left(struct keeper *keeper)
{
	while (!is_interrupted && keep_ring_adopt(&keeper->ring)) {
		note("%s", "a keeper was killed");
		judge(keeper, "left", "what a keeper that was killed left in its ring");
		keep_ring_end(&keeper->ring);
	}
}

/* ---- The node ---- */

/* The map of options that carrierscope_keeper takes. */
static void put_options(const struct keeper *keeper, char *ret_text, size_t bytes)
{
	const struct keep_options *options = &keeper->options;
	size_t length = (size_t)snprintf(ret_text, bytes,
			"start(#{token => \"%s\", every => %u, quiet => %u, sample => %llu, rules => #{",
			keeper->ring.prefix, options->snapshot_seconds * 1000,
			options->quiet_seconds * 1000, (unsigned long long)options->sample_bytes);
	const char *comma = "";

	for (int i = 0; i < KEEP_REASONS && length < bytes; i++) {
		if (options->rules[i].is_on) {
			length += (size_t)snprintf(ret_text + length, bytes - length,
					"%s%s => %llu", comma, keep_reason_names[i],
					(unsigned long long)options->rules[i].threshold);
			comma = ", ";
		}
	}
	if (length < bytes) {
		(void)snprintf(ret_text + length, bytes - length, "}}, %d)", LEASE_MS);
	}
}

static enum csc_status find_node(struct keeper *keeper, struct diag *diag)
{
	char call[128];
	enum csc_status status = CSC_OK;

	if (keeper->options.pid) {
		status = record_node_of_process(
				keeper->options.pid, keeper->name, sizeof(keeper->name), diag);
		keeper->node.name = keeper->name;
	}
	(void)snprintf(call, sizeof(call), "hello(\"%s\")", keeper->ring.prefix);
	if (status == CSC_OK) {
		status = ask(keeper, call, diag);
	}
	if (status == CSC_OK) {
		keeper->pid = (pid_t)strtol(keeper->answer, NULL, 10);
	}
	return status;
}

/* From here on the node is recorded. */
static enum csc_status attach(struct keeper *keeper, struct diag *diag)
{
	const struct keep_ring_plan plan = { .memory_bytes = keeper->options.memory_bytes,
		.has_samples = keeper->options.sample_bytes > 0,
		.rotate_seconds = keeper->options.rotate_seconds };
	struct keep_ring_plan own = plan;
	char call[600];
	enum csc_status status = find_node(keeper, diag);

	own.pid = keeper->pid;
	if (status == CSC_OK) {
		status = keep_ring_create(&keeper->ring, &own, diag);
		write_daemon(keeper);
	}
	if (status == CSC_OK) {
		status = record_session_await(keeper->pid, AWAIT_SECONDS, diag);
	}
	if (status == CSC_OK) {
		status = keep_ring_start(&keeper->ring, diag);
	}
	if (status == CSC_OK) {
		put_options(keeper, call, sizeof(call));
		status = ask(keeper, call, diag);
	}
	if (status != CSC_OK) {
		keep_ring_end(&keeper->ring);
		return status;
	}
	keeper->alarms = 0;
	keeper->process = (int)syscall(SYS_pidfd_open, keeper->pid, 0);
	note("%s (OS pid %d) is recorded%s%s", shown_node(keeper), (int)keeper->pid,
			*keeper->answer ? "; " : "", keeper->answer);
	return CSC_OK;
}

/* Sleeps until the node is to be asked; true: it is gone. */
static bool is_gone_after(const struct keeper *keeper, int ms)
{
	struct pollfd process = { .fd = keeper->process, .events = POLLIN };

	return poll(&process, keeper->process >= 0 ? 1 : 0, ms) > 0;
}

/* Until the node is gone or somebody interrupts. */
static void watch(struct keeper *keeper)
{
	struct diag diag = { 0 };
	int misses = 0;

	while (!is_interrupted && misses < MISSES && !is_gone_after(keeper, POLL_MS)) {
		unsigned long alarms;

		if (is_interrupted) {
			break;
		}
		if (ask(keeper, "status()", &diag) != CSC_OK) {
			misses++;
			continue;
		}
		misses = 0;
		alarms = strtoul(keeper->answer, NULL, 10);
		if (alarms > keeper->alarms) {
			keeper->alarms = alarms;
			judge_alarm(keeper);
		}
		if (keeper->options.rotate_seconds > 0) {
			keep_ring_prune(&keeper->ring, keeper->options.keep_seconds);
		}
	}
	/* One that is there, but answers no more, lets go by itself. */
	if (!is_interrupted) {
		char sentence[400];

		note("%s", misses < MISSES ? "the node is gone" : diag.text);
		(void)snprintf(sentence, sizeof(sentence), "%s (OS pid %d) %s", shown_node(keeper),
				(int)keeper->pid,
				misses < MISSES ? "is gone" : "does not answer any more");
		judge(keeper, misses < MISSES ? "gone" : "silent", sentence);
	} else {
		(void)ask(keeper, "stop()", &diag);
	}
	if (keeper->process >= 0) {
		(void)close(keeper->process);
	}
	keep_ring_end(&keeper->ring);
}

/* The first time a failure ends the keeper; later it waits for the node to come back. */
static enum csc_status keep(struct keeper *keeper, struct diag *diag)
{
	const struct timespec pause = { .tv_sec = POLL_MS / 1000 };
	enum csc_status status = attach(keeper, diag);

	while (status == CSC_OK && !is_interrupted) {
		struct diag ignored = { 0 };

		watch(keeper);
		if (keeper->options.is_once) {
			break;
		}
		while (!is_interrupted && attach(keeper, &ignored) != CSC_OK) {
			(void)nanosleep(&pause, NULL);
		}
		if (is_interrupted && *keeper->ring.name) {
			watch(keeper);
		}
	}
	return status;
}

static enum csc_status prepare(struct keeper *keeper, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	record_node_find_ebin(keeper->ebin, sizeof(keeper->ebin));
	keeper->node.name = keeper->options.node;
	keeper->node.via = keeper->options.via;
	keeper->node.ebin = keeper->options.ebin ? keeper->options.ebin : keeper->ebin;
	keeper->process = -1;
	if (!*keeper->node.ebin) {
		return DIAG_FAIL(diag,
				"module carrierscope is not installed beside this program; name its folder with --ebin");
	}
	if (keeper->options.cookie_file) {
		status = record_node_use_cookie(&keeper->node, keeper->options.cookie_file, diag);
	}
	return status == CSC_OK ? open_folder(keeper, diag) : status;
}

int command_keep(int argc, char **argv)
{
	static struct keeper keeper;
	const struct sigaction action = { .sa_handler = interrupt };
	struct diag diag = { 0 };
	enum csc_status status;

	keep_options_read(argc, argv, &keeper.options);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	status = prepare(&keeper, &diag);
	if (status == CSC_OK) {
		judge_left(&keeper);
		status = keep(&keeper, &diag);
	}
	keep_ring_end_daemon(&keeper.ring);
	if (keeper.lock > 0) {
		write_daemon(&keeper);
	}
	record_node_forget(&keeper.node);
	if (status != CSC_OK) {
		return command_fail(&diag);
	}
	return keeper.has_failed ? EXIT_FAILED : EXIT_DONE;
}
