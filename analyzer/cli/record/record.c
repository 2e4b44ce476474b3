/*
 * SPDX-License-Identifier: MIT
 *
 * In order: the node is asked for its pid, a session is made for that process, the node hooks, time
 * passes, the node lets go, the session ends, the trace is loaded, the verdict is printed. Whatever
 * fails, all that was begun before is ended.
 */
#include "record.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "buffers.h"
#include "clean.h"
#include "command.h"
#include "daemon.h"
#include "left.h"
#include "lttng.h"
#include "namespace.h"
#include "node.h"
#include "process.h"
#include "record_answer.h"
#include "record_options.h"
#include "record_readings.h"
#include "recorder_name.h"
#include "session.h"
#include "started_node.h"

/* The node lets go by itself when it was not asked for so long. */
enum { LEASE_MS = 20000 };

/* A command, such as rabbitmqctl, may take ten seconds on a busy machine, and costs as much CPU as
 * many recordings: it is run once to begin and once at the end, and while a long recording lasts.
 */
enum { VIA_LEASE_MS = 90000, VIA_ASK_SECONDS = 30 };

/* How long a node that runs may take until LTTng knows it. */
enum { AWAIT_SECONDS = 15 };

/* Exit statuses beyond are of processes that a signal ended. */
enum { STATUS_SIGNAL = 128 };

/* A killed node that does not answer may still be ending. */
enum { GONE_MS = 5000 };

/* A recorded block: bytes of trace, and CPU of the node; a call costs it so much less where samples
 * are recorded (tests/bench/README.md). */
enum { TRACE_BYTES = 9, BLOCK_NS = 80, BLOCK_OF_SAMPLES = 4, MIB = 1 << 20 };

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

	/* Calls of allocators in a second, before the recording; 0: not known. */
	uint64_t calls;

	struct started_node started;
	bool has_hooked;
	bool has_begun;
	bool is_on_tty;
	char ebin[PATH_MAX];
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

/* `function`(Options, LeaseMs), and for record also how long; a new text.  NULL: no memory. */
static char *make_call(const struct recording *recording, const char *function, int lease_ms)
{
	char *by = recorder_name();
	char *call = NULL;
	size_t bytes = 0;
	FILE *stream = by ? open_memstream(&call, &bytes) : NULL;

	if (!stream) {
		free(by);
		return NULL;
	}
	(void)fprintf(stream, "%s(#{by => \"%s\", snapshots_ms => %u", function, by,
			recording->options.snapshots_ms);
	if (recording->options.sample_bytes > 0) {
		(void)fprintf(stream, ", sample => {bytes, %llu}",
				(unsigned long long)recording->options.sample_bytes);
	}
	if (recording->options.has_no_stacks) {
		(void)fprintf(stream, ", stacks => false");
	}
	if (*recording->options.collected) {
		(void)fprintf(stream, ", collect => \"%s\"", recording->options.collected);
	}
	(void)fprintf(stream, "}, %d", lease_ms);
	if (recording->node.via) {
		(void)fprintf(stream, ", %u", recording->options.seconds * 1000);
	}
	(void)fputc(')', stream);
	free(by);
	if (fclose(stream) != 0) {
		free(call);
		return NULL;
	}
	return call;
}

/* The same call of the node's recorder, and its answer. */
static enum csc_status ask_to_record(const struct recording *recording, const char *function,
		int lease_ms, char ret_answer[static NODE_ANSWER_BYTES], struct diag *diag)
{
	char *call = make_call(recording, function, lease_ms);
	enum csc_status status = call ? record_node_ask(&recording->node, "carrierscope_recorder",
							call, ret_answer, diag)
				      : DIAG_NO_MEMORY(diag);

	free(call);
	return status;
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
	enum csc_status status;

	if (recording->options.pid) {
		*ret_pid = recording->options.pid;
		return check_process(*ret_pid, diag);
	}
	if (!is_asked(recording)) {
		status = started_node_prepare(&recording->started, &recording->options,
				recording->node.ebin, diag);
		*ret_pid = recording->started.process.pid;
		return status;
	}
	status = recording->node.via
			? ask_to_record(recording, "record", VIA_LEASE_MS, answer, diag)
			: record_node_ask(&recording->node, "carrierscope_recorder", "hello(300)",
					  answer, diag);
	if (status == CSC_OK) {
		const char *release;

		recording->has_hooked = recording->node.via != NULL;
		*ret_pid = namespace_read_pid(answer, &release);
		recording->calls = strtoull(release + strcspn(release, " "), NULL, 10);
	}
	return status;
}

/* What the recording will cost the node and the disk, by how often the node calls its allocators.
 */
static void say_cost(const struct recording *recording)
{
	const struct record_options *options = &recording->options;
	double core = (double)recording->calls * BLOCK_NS / 1e7;
	double trace = (double)recording->calls * TRACE_BYTES / MIB;
	struct statvfs about;

	if (recording->calls == 0 || (options->sample_bytes > 0 && !recording->is_on_tty)) {
		return;
	}
	if (options->sample_bytes > 0) {
		command_print("the node calls its allocators %llu times a second: samples take about %.1f %% of a processor",
				(unsigned long long)recording->calls, core / BLOCK_OF_SAMPLES);
		return;
	}
	command_print("the node calls its allocators %llu times a second: every block takes about %.1f %% of a processor and %.1f MiB/s of disk, %.0f MiB in %u s, where %.0f MiB are free; --max-size bounds that",
			(unsigned long long)recording->calls, core, trace, trace * options->seconds,
			options->seconds,
			statvfs(recording->session.trace, &about) == 0
					? (double)about.f_bavail * (double)about.f_frsize / MIB
					: 0.0);
}

static int64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum csc_status hook(struct recording *recording, struct diag *diag)
{
	char answer[NODE_ANSWER_BYTES];
	enum csc_status status;

	if (!is_asked(recording)) {
		return recording->started.process.pid
				? started_node_release(&recording->started, &recording->options,
						  recording->node.ebin, &is_interrupted, diag)
				: CSC_OK;
	}
	if (recording->node.via) {
		return CSC_OK;
	}
	status = ask_to_record(recording, "start", LEASE_MS, answer, diag);
	recording->has_hooked = status == CSC_OK;
	return status == CSC_OK && strstr(answer, " unheard")
			? DIAG_FAIL(diag, "no session of LTTng hears the node, so nothing would be recorded: it has another session daemon than this user, or LTTng's buffers find no room in its /dev/shm")
			: status;
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

/* Whether the trace has as much as it may, which is said. */
static bool is_large(const struct recording *recording, unsigned int seconds)
{
	uint64_t most = recording->options.most_bytes;

	if (most == 0 || lttng_folder_bytes(recording->session.trace) < most) {
		return false;
	}
	command_print("ended after %u s: the trace has the %.1f MiB of --max-size", seconds,
			(double)most / MIB);
	return true;
}

/* Until the time is over, the trace is large, the node is gone or somebody interrupts. */
static enum csc_status wait_for_end(struct recording *recording, struct diag *diag)
{
	const struct timespec second = { .tv_sec = 1 };
	char answer[NODE_ANSWER_BYTES] = "";
	enum csc_status status = CSC_OK;
	int64_t begin = monotonic_ms();
	unsigned int asked = 0;

	/* By the clock: a busy node, or a slow command, takes its time to answer. */
	while (status == CSC_OK && !is_interrupted) {
		unsigned int seconds = (unsigned int)((monotonic_ms() - begin) / 1000);
		unsigned int most = recording->options.seconds;

		show(recording, most > 0 && seconds > most ? most : seconds, answer);
		if ((most > 0 && seconds >= most) ||
				(recording->options.command &&
						started_node_is_over(&recording->started)) ||
				is_large(recording, seconds)) {
			break;
		}
		(void)nanosleep(&second, NULL);
		if (is_asked(recording) && !is_interrupted &&
				(!recording->node.via || seconds >= asked + VIA_ASK_SECONDS)) {
			asked = seconds;
			status = record_node_ask(&recording->node, "carrierscope_recorder",
					"status()", answer, diag);
		}
	}
	if (recording->is_on_tty) {
		fputc('\n', stderr);
	}
	return recording->started.status > STATUS_SIGNAL
			? DIAG_FAIL(diag, "'%s' was ended by signal %d: what was recorded until then is judged",
					  recording->options.command ? recording->options.command[0]
								     : "the command",
					  recording->started.status - STATUS_SIGNAL)
			: status;
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
	char answer[NODE_ANSWER_BYTES];
	struct diag diag = { 0 };

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
	started_node_end(&recording->started);
}

/*
 * In a container of its own, a process of that pid may be another one, or none.  A node that was
 * killed no longer answers, and is there until the kernel has taken its memory back.
 */
static bool is_gone(const struct recording *recording)
{
	return recording->pid > 0 && is_asked(recording) &&
			process_is_gone(recording->pid, GONE_MS);
}

/* Without hooks. */
static enum csc_status read_node(struct recording *recording, struct diag *diag)
{
	const struct push_request request = { .node = &recording->node,
		.order = record_readings_order(&recording->options),
		.trace = recording->session.trace,
		.is_interrupted = &is_interrupted,
		.is_on_tty = recording->is_on_tty };

	return record_readings(&request, &recording->has_begun, diag);
}

/* Until the session runs. */
static enum csc_status make_session(struct recording *recording, struct diag *diag)
{
	enum csc_status status = is_asked(recording)
			? daemon_prepare(&recording->session.daemon, diag)
			: CSC_OK;
	pid_t pid;

	if (status == CSC_OK && !*recording->node.ebin && !recording->options.pid) {
		status = DIAG_REFUSE(diag,
				"module carrierscope is not installed beside this program; name its folder with --ebin");
	}
	if (status == CSC_OK) {
		status = find_pid(recording, &recording->pid, diag);
	}
	pid = recording->pid;
	if (status == CSC_OK) {
		status = record_session_create(
				&recording->session, pid, choose_memory(&recording->options), diag);
	}
	if (status == CSC_OK && !recording->options.command) {
		status = record_session_await(pid, recording->session.daemon, AWAIT_SECONDS, diag);
	}
	if (status == CSC_OK) {
		status = record_session_start(&recording->session, diag);
	}
	return status;
}

static enum csc_status record(struct recording *recording, struct diag *diag)
{
	enum csc_status status;

	if (recording->options.is_of_readings) {
		return read_node(recording, diag);
	}
	status = make_session(recording, diag);
	if (status == CSC_ERROR && diag->is_refusal && is_asked(recording) &&
			!recording->options.wants_blocks && !*recording->options.collected) {
		command_print("no blocks are recorded, so sizes, lifetimes and 'advise' are missing: %s",
				diag->text);
		*diag = (struct diag){ 0 };
		return read_node(recording, diag);
	}
	if (status == CSC_OK) {
		say_cost(recording);
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
	struct diag diag = { 0 };
	enum csc_status status;
	int result = EXIT_FAILED;
	bool is_loaded;

	record_options_read(argc, argv, &recording.options);
	if (recording.options.is_cleaning) {
		return record_clean();
	}
	if (recording.options.is_printing) {
		return record_readings_print(&recording.options);
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
	recording.node.erl_args = recording.options.erl_args;
	recording.node.ebin = recording.options.ebin ? recording.options.ebin : recording.ebin;
	recording.is_on_tty = command_shows_progress();
	process_at_end(interrupt);

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
	if (recording.has_begun && recording.options.command &&
			lttng_folder_bytes(recording.session.trace) == 0) {
		command_print("'%s' has ended, and nothing of it was recorded: it is no Erlang node, or ended before it had loaded module carrierscope",
				recording.options.command[0]);
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
