/*
 * SPDX-License-Identifier: MIT
 *
 * The folder is locked, what a killed keeper left is judged, and then in turns: the node is asked
 * for its pid, a session is made for that process, the node begins, and is asked for alarms until
 * it is gone.
 */
#include "keep.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "daemon.h"
#include "keep_alarm.h"
#include "keep_aside.h"
#include "keep_fleet.h"
#include "keep_folder.h"
#include "keep_judge.h"
#include "keep_left.h"
#include "keep_options.h"
#include "keep_readings.h"
#include "keep_ring.h"
#include "keep_say.h"
#include "keep_start.h"
#include "left.h"
#include "namespace.h"
#include "node.h"
#include "process.h"
#include "session.h"

/* The node ends by itself when it was not asked for so long; it is asked each POLL_MS. */
enum { LEASE_MS = 60000, POLL_MS = 5000, AWAIT_SECONDS = 15, MISSES = 12 };

/* A failure is one of a full disk where less is free than a ring and its database may need; it is
 * tried again when so much more is free. */
enum { RINGS_OF_ROOM = 3, MORE_ROOM = 1 << 20 };

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
	struct keep_fleet fleet;
	struct note note;
	pid_t watcher;

	/* Of the node, as it sees itself; its file descriptor, -1: it cannot be watched. */
	pid_t pid;
	int process;

	/* Of LTTng's trigger; -1: there is none. */
	int trigger;

	/* Alarms that were judged, samples after alarms, and the last answer. */
	unsigned long alarms;
	unsigned long sampled;
	char answer[NODE_ANSWER_BYTES];

	/* What came last could not be judged. */
	bool has_failed;

	/* What waits for room on the disk, and how much there was; and whether a ring was left to
	 * the next keeper for that. */
	bool is_pending;
	bool is_left;
	uint64_t room;
	char reason[24];
	char sentence[512];
	struct keep_folder folder;
	char ebin[PATH_MAX];
	char name[256];
};

static const char *shown_node(const struct keeper *keeper)
{
	return keeper->node.name ? keeper->node.name : keeper->node.via;
}

static enum csc_status ask(struct keeper *keeper, const char *call, struct diag *diag)
{
	return record_node_ask(&keeper->node, "carrierscope_keeper", call, keeper->answer, diag);
}

/* ---- Judging ---- */

/* The ring of a full disk waits; any other failure is final. */
static void fail_to_judge(struct keeper *keeper, const char *reason, const char *sentence,
		const struct diag *diag)
{
	uint64_t room = keep_ring_room(&keeper->ring);

	if (keeper->ring.is_on_disk || room >= RINGS_OF_ROOM * keeper->options.memory_bytes) {
		keeper->is_pending = false;
		command_print("%s: nothing is kept: %s", sentence, diag->text);
		return;
	}
	keeper->room = room;
	if (keeper->is_pending) {
		return;
	}
	keeper->is_pending = true;
	(void)snprintf(keeper->reason, sizeof(keeper->reason), "%s", reason);
	(void)snprintf(keeper->sentence, sizeof(keeper->sentence), "%s", sentence);
	command_print("%s: the disk of '%s' is full (%.1f MiB free): the ring stays in memory and is judged when there is room",
			sentence, keeper->options.folder, (double)room / 1048576);
}

/* While something else takes its time: the node is asked, so that it goes on. */
static void keep_node(void *context)
{
	const struct keeper *keeper = context;
	char unused[NODE_ANSWER_BYTES];
	struct diag ignored = { 0 };

	if (!is_interrupted && keeper->process >= 0) {
		(void)record_node_ask(
				&keeper->node, "carrierscope_keeper", "status()", unused, &ignored);
	}
}

static void add_alarm(void *context, const char *database)
{
	const struct keeper *keeper = context;
	struct diag diag = { 0 };

	if (keep_fleet_add_alarm(&keeper->fleet, database, &diag) != CSC_OK) {
		command_print("'%s' is not sent to the fleet: %s", database, diag.text);
	}
}

static enum csc_status judge_found(void *context, struct diag *diag)
{
	return keep_judge(context, diag);
}

struct identified {
	const struct keep_fleet *fleet;
	const char *trace;
};

static enum csc_status identify_found(void *context, struct diag *diag)
{
	const struct identified *found = context;

	return keep_fleet_identify(found->fleet, found->trace, diag);
}

/* The keeper goes on after a failure: the node may be recorded for the next alarm. */
static void judge(
		struct keeper *keeper, const char *reason, const char *sentence, bool is_triggered)
{
	char trace[320];
	struct diag diag = { 0 };
	struct keep_case found = { .folder = keeper->ring.folder,
		.trace = trace,
		.reason = reason,
		.sentence = sentence,
		.node = shown_node(keeper),
		.on_alarm = keeper->options.on_alarm,
		.most_alarms = keeper->options.most_alarms,
		.after = keeper->fleet.options ? add_alarm : NULL,
		.context = keeper };
	enum csc_status status = CSC_OK;

	if (!is_triggered || !keep_ring_take_alarm(&keeper->ring, trace)) {
		status = keep_ring_take(&keeper->ring, trace, &diag);
	}
	if (status == CSC_OK) {
		status = keep_aside(judge_found, &found, keep_node, keeper, &diag);
		keep_ring_drop(&keeper->ring, trace);
	}
	keeper->has_failed = status != CSC_OK;
	if (status == CSC_OK) {
		keeper->is_pending = false;
	} else {
		fail_to_judge(keeper, reason, sentence, &diag);
	}
}

/* Minutes have the names that a recording of their node has. */
static void identify(struct keeper *keeper)
{
	char trace[320];
	struct diag diag = { 0 };
	struct identified found = { .fleet = &keeper->fleet, .trace = trace };
	enum csc_status status;

	if (!keep_fleet_needs_identity(&keeper->fleet)) {
		return;
	}
	status = keep_ring_take(&keeper->ring, trace, &diag);
	if (status == CSC_OK) {
		status = keep_aside(identify_found, &found, keep_node, keeper, &diag);
		keep_ring_drop(&keeper->ring, trace);
	}
	if (status == CSC_OK) {
		keep_fleet_known(&keeper->fleet);
	} else {
		command_print("no minutes go to the fleet yet: %s", diag.text);
	}
}

static void judge_pending(struct keeper *keeper)
{
	if (keeper->is_pending && keep_ring_room(&keeper->ring) >= keeper->room + MORE_ROOM) {
		judge(keeper, keeper->reason, keeper->sentence, false);
	}
}

/* Ends the session, once what it holds was judged; a signal leaves it to the next keeper. */
static void end_ring(struct keeper *keeper)
{
	const struct timespec pause = { .tv_sec = POLL_MS / 1000 };

	while (keeper->is_pending && !is_interrupted) {
		(void)nanosleep(&pause, NULL);
		judge_pending(keeper);
	}
	if (!keeper->is_pending) {
		keep_ring_end(&keeper->ring);
		return;
	}
	keeper->is_pending = false;
	keeper->is_left = true;
	keep_ring_leave(&keeper->ring);
	command_print("the ring of %s stays in LTTng's session daemon; the next 'carrierscope keep -o %s' judges it",
			shown_node(keeper), keeper->options.folder);
}

static void judge_alarm(struct keeper *keeper)
{
	struct keep_alarm alarm;

	keep_alarm_read(keeper->answer, shown_node(keeper), &alarm);
	keep_say("%s", "alarm");
	judge(keeper, alarm.reason, alarm.sentence, keeper->trigger >= 0);
}

/* The answer of the node holds its last alarm; more than one may have been raised since. */
static void judge_answer(struct keeper *keeper)
{
	char *rest = NULL;
	unsigned long alarms = strtoul(keeper->answer, &rest, 10);
	unsigned long sampled = strtoul(rest, NULL, 10);
	char sentence[320];

	if (alarms > keeper->alarms) {
		if (alarms > keeper->alarms + 1) {
			keep_say("%lu alarms, of which this is the last", alarms - keeper->alarms);
		}
		keeper->alarms = alarms;
		judge_alarm(keeper);
	}
	if (sampled > keeper->sampled) {
		keeper->sampled = sampled;
		(void)snprintf(sentence, sizeof(sentence),
				"samples of %s, of %u s from an alarm on", shown_node(keeper),
				keeper->options.alarm_sample_seconds);
		keep_say("%s", "samples");
		judge(keeper, "samples", sentence, false);
	}
	judge_pending(keeper);
}

/* What killed keepers left is judged once: traces, and rings that a full disk had no room for. */
static void judge_left(struct keeper *keeper)
{
	const struct keep_case kept = { .folder = keeper->ring.folder,
		.on_alarm = keeper->options.on_alarm,
		.most_alarms = keeper->options.most_alarms,
		.after = keeper->fleet.options ? add_alarm : NULL,
		.context = keeper };

	keeper->has_failed = !keep_left_judge_all(&kept);
	while (!is_interrupted && keep_ring_adopt(&keeper->ring)) {
		keep_say("%s", "a keeper was killed");
		judge(keeper, "left", "what a keeper that was killed left in its ring", false);
		end_ring(keeper);
	}
}

/* ---- The node ---- */

static enum csc_status name_node(struct keeper *keeper, struct diag *diag)
{
	if (!keeper->options.pid) {
		return CSC_OK;
	}
	keeper->node.name = keeper->name;
	return record_node_of_process(
			keeper->options.pid, keeper->name, sizeof(keeper->name), diag);
}

static enum csc_status find_node(struct keeper *keeper, struct diag *diag)
{
	char call[128];
	enum csc_status status = name_node(keeper, diag);

	(void)snprintf(call, sizeof(call), "hello(\"%s\")", keeper->ring.prefix);
	if (status == CSC_OK) {
		status = ask(keeper, call, diag);
	}
	if (status == CSC_OK) {
		const char *release;

		keeper->pid = namespace_read_pid(keeper->answer, &release);
	}
	return status;
}

static void end_watch(struct keeper *keeper)
{
	if (keeper->trigger >= 0) {
		(void)close(keeper->trigger);
		keeper->trigger = -1;
	}
}

/* Whether to go on with the next step: none failed, and nobody interrupted. */
static bool go_on(enum csc_status *status, struct diag *diag)
{
	if (*status == CSC_OK && is_interrupted) {
		*status = DIAG_FAIL(diag, "interrupted");
	}
	return *status == CSC_OK;
}

/* From here on the node is recorded. */
static enum csc_status attach(struct keeper *keeper, struct diag *diag)
{
	const struct keep_ring_plan plan = { .memory_bytes = keeper->options.memory_bytes,
		.has_samples = keeper->options.sample_bytes > 0 ||
				keeper->options.alarm_sample_seconds > 0,
		.rotate_seconds = keeper->options.rotate_seconds };
	struct keep_ring_plan own = plan;
	char call[1600];
	enum csc_status status = !*keeper->node.ebin
			? DIAG_REFUSE(diag,
					  "module carrierscope is not installed beside this program; name its folder with --ebin")
			: daemon_prepare(&keeper->ring.daemon, diag);

	if (go_on(&status, diag)) {
		status = find_node(keeper, diag);
	}
	own.pid = keeper->pid;
	if (go_on(&status, diag)) {
		status = keep_ring_create(&keeper->ring, &own, diag);
	}
	if (go_on(&status, diag)) {
		status = record_session_await(
				keeper->pid, keeper->ring.daemon, AWAIT_SECONDS, diag);
	}
	if (go_on(&status, diag)) {
		status = keep_ring_start(&keeper->ring, diag);
	}
	if (go_on(&status, diag)) {
		/* Its first look may raise an alarm. */
		keeper->trigger = keep_ring_watch_alarms(&keeper->ring, keeper->pid);
		keep_start_call(&keeper->options, &keeper->ring, LEASE_MS, call, sizeof(call));
		status = ask(keeper, call, diag);
		if (status != CSC_OK) {
			end_watch(keeper);
		}
	}
	if (status != CSC_OK) {
		keep_ring_undo(&keeper->ring);
		return status;
	}
	keeper->alarms = 0;
	keeper->sampled = 0;
	keeper->process = (int)syscall(SYS_pidfd_open, keeper->pid, 0);
	keep_fleet_begin(&keeper->fleet, keeper->pid);
	keep_say("%s (OS pid %d) is recorded%s%s", shown_node(keeper), (int)keeper->pid,
			*keeper->answer ? "; " : "", keeper->answer);
	return CSC_OK;
}

/* Sleeps until the node is to be asked, or LTTng saw an alarm; true: the node is gone. */
static bool is_gone_after(const struct keeper *keeper, int ms)
{
	struct pollfd events[] = { { .fd = keeper->process, .events = POLLIN },
		{ .fd = keeper->trigger, .events = POLLIN } };

	if (poll(events, 2, ms) <= 0) {
		return false;
	}
	if (events[1].revents) {
		char seen[4096];

		/* Other files of the folder are among them. */
		while (read(keeper->trigger, seen, sizeof(seen)) > 0) {
		}
	}
	return events[0].revents != 0;
}

/* One that is there, but answers no more, lets go by itself. */
static void judge_end(struct keeper *keeper, bool is_gone, const char *why)
{
	char sentence[400];

	keep_say("%s", is_gone ? "the node is gone" : why);
	(void)snprintf(sentence, sizeof(sentence), "%s (OS pid %d) %s", shown_node(keeper),
			(int)keeper->pid, is_gone ? "is gone" : "does not answer any more");
	judge(keeper, is_gone ? "gone" : "silent", sentence, false);
}

/* Until the node is gone or somebody interrupts. */
static void watch(struct keeper *keeper)
{
	struct diag diag = { 0 };
	int misses = 0;

	while (!is_interrupted && misses < MISSES && !is_gone_after(keeper, POLL_MS)) {
		if (is_interrupted) {
			break;
		}
		keep_fleet_turn(&keeper->fleet);
		if (ask(keeper, keeper->fleet.options ? "minute()" : "status()", &diag) != CSC_OK) {
			misses++;
			continue;
		}
		misses = 0;
		keep_fleet_take(&keeper->fleet, keeper->answer);
		identify(keeper);
		judge_answer(keeper);
		if (keeper->options.rotate_seconds > 0) {
			keep_ring_prune(&keeper->ring, keeper->options.keep_seconds);
		}
	}
	if (is_interrupted) {
		(void)ask(keeper, "stop()", &diag);
	} else {
		judge_end(keeper, misses < MISSES, diag.text);
	}
	keep_fleet_end(&keeper->fleet);
	if (keeper->process >= 0) {
		(void)close(keeper->process);
	}
	end_watch(keeper);
	end_ring(keeper);
}

/* Without hooks and LTTng. */
static enum csc_status keep_by_readings(struct keeper *keeper, struct diag *diag)
{
	struct keep_readings readings = { .options = &keeper->options,
		.node = &keeper->node,
		.folder = keeper->ring.folder,
		.trace = keeper->note.trace,
		.is_interrupted = &is_interrupted,
		.fleet = &keeper->fleet };
	enum csc_status status;

	command_print("only readings are kept, no samples at an alarm, and no alarms of long_gc and failures: %s",
			diag->text);
	*diag = (struct diag){ 0 };
	status = name_node(keeper, diag);
	readings.shown = shown_node(keeper);
	if (status == CSC_OK) {
		status = keep_readings(&readings, diag);
	}
	keeper->has_failed = readings.has_failed;
	return status;
}

/* The first time a failure ends the keeper; later it waits for the node to come back. */
static enum csc_status keep(struct keeper *keeper, struct diag *diag)
{
	const struct timespec pause = { .tv_sec = POLL_MS / 1000 };
	enum csc_status status = attach(keeper, diag);

	if (status != CSC_OK && !is_interrupted && keep_readings_can(&keeper->options, diag)) {
		return keep_by_readings(keeper, diag);
	}
	while (status == CSC_OK) {
		struct diag ignored = { 0 };

		/* Also one that is interrupted already: it ends what was begun. */
		watch(keeper);
		if (keeper->options.is_once) {
			break;
		}
		while (!is_interrupted && attach(keeper, &ignored) != CSC_OK) {
			keep_fleet_turn(&keeper->fleet);
			(void)nanosleep(&pause, NULL);
		}
		if (is_interrupted && !*keeper->ring.name) {
			break;
		}
	}
	return is_interrupted ? CSC_OK : status;
}

/* In another process, once this keeper is dead: the node lets go, which its lease would see to
 * later. */
static void end_in_node(void *context)
{
	struct keeper *keeper = context;
	struct diag ignored = { 0 };
	char call[MARK_BYTES + 16];

	(void)name_node(keeper, &ignored);
	(void)snprintf(call, sizeof(call), "stop(\"%s\")", keeper->ring.mark);
	(void)ask(keeper, call, &ignored);
}

/* What a kill -9 from here on leaves is noted. */
static void write_note(struct keeper *keeper)
{
	bool is_on_disk = keeper->options.rotate_seconds > 0;
	char process[32];

	(void)snprintf(process, sizeof(process), "OS pid %d", (int)keeper->options.pid);
	keeper->note.kind = is_on_disk ? NOTE_KEEPS_PARTS : NOTE_KEEPS_RING;
	(void)snprintf(keeper->note.node, sizeof(keeper->note.node), "%s",
			shown_node(keeper) ? shown_node(keeper) : process);
	(void)snprintf(keeper->note.target, sizeof(keeper->note.target), "%s", keeper->ring.folder);
	keep_ring_name_left(
			&keeper->ring, is_on_disk, keeper->note.trace, sizeof(keeper->note.trace));
	note_begin(&keeper->note);
	keeper->watcher = left_watch(&keeper->note, end_in_node, keeper);
}

static enum csc_status prepare(struct keeper *keeper, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	record_node_find_ebin(keeper->ebin, sizeof(keeper->ebin));
	keeper->node.name = keeper->options.node;
	keeper->node.via = keeper->options.via;
	keeper->node.erl_args = keeper->options.erl_args;
	keeper->node.ebin = keeper->options.ebin ? keeper->options.ebin : keeper->ebin;
	keeper->process = -1;
	keeper->trigger = -1;
	status = keep_folder_open(keeper->options.folder, &keeper->ring, &keeper->folder, diag);
	if (status != CSC_OK) {
		return status;
	}
	(void)left_end();
	write_note(keeper);
	if (keeper->options.cookie_file) {
		status = record_node_use_cookie(
				&keeper->node, keeper->options.cookie_file, &keeper->note, diag);
	}
	return status == CSC_OK ? keep_fleet_open(&keeper->fleet, &keeper->options,
						  keeper->ring.folder, diag)
				: status;
}

/* What waits for the next keeper stays noted. */
static void end_note(struct keeper *keeper)
{
	if (!keeper->is_left) {
		note_end(&keeper->note);
	}
	left_unwatch(keeper->watcher);
}

int command_keep(int argc, char **argv)
{
	static struct keeper keeper;
	struct diag diag = { 0 };
	enum csc_status status;

	keep_options_read(argc, argv, &keeper.options);
	process_at_end(interrupt);
	status = prepare(&keeper, &diag);
	if (status == CSC_OK) {
		judge_left(&keeper);
		left_say(NULL);
		status = keep(&keeper, &diag);
	}
	if (!keeper.is_left) {
		keep_ring_end_daemon(&keeper.ring);
	}
	keep_fleet_close(&keeper.fleet);
	end_note(&keeper);
	if (status != CSC_OK) {
		if (!keeper.is_left) {
			keep_folder_remove(keeper.options.folder, &keeper.folder);
		}
		return command_fail(&diag);
	}
	return keeper.has_failed ? EXIT_FAILED : EXIT_DONE;
}
