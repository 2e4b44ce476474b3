/*
 * SPDX-License-Identifier: MIT
 *
 * Three or four channels, so that what comes often never overwrites what is needed to read it, and
 * the last hours are not overwritten by the last minutes:
 *
 *   state      names, options, hooks: few; kept from the beginning on
 *   hours      some snapshots (those of odd numbers), alarms, carriers
 *   recent     the other snapshots, names of processes
 *   samples    the newest
 */
#include "keep_ring.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "buffers.h"
#include "daemon.h"
#include "files.h"
#include "lttng.h"
#include "process.h"

/* What LTTng's trigger wrote with less than this left is not whole. */
enum { LEAST_ROOM = 65536, PART_TRIES = 300 };

static const char state_events[] =
		"carrierscope:name_class,carrierscope:name_type,carrierscope:option,carrierscope:hook_*,carrierscope:state_*";
static const char snapshot_events[] = "carrierscope:snapshot_*";
static const char odd[] = "--filter=(snapshot_id & 1) == 1";
static const char even[] = "--filter=(snapshot_id & 1) == 0";
static const char hour_events[] = "carrierscope:alarm,carrierscope:alloc_failure,org_erlang_otp:*";
static const char recent_events[] =
		"carrierscope:process_name,carrierscope:name_allocator,carrierscope:runtime_fact";
static const char sample_events[] = "carrierscope:sample_*,carrierscope:stack_frame";

/* FNV-1a: the same folder has the same name. */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261U;

	for (; *text; text++) {
		hash = (hash ^ (unsigned char)*text) * 16777619U;
	}
	return hash;
}

void keep_ring_prepare(struct keep_ring *ring, const char *folder)
{
	mark_own(ring->mark);
	(void)snprintf(ring->folder, sizeof(ring->folder), "%s", folder);
	(void)snprintf(ring->prefix, sizeof(ring->prefix), "carrierscope-keep-%08x-",
			hash_of(folder));
}

/* What a channel records; the second may be NULL. */
struct channel {
	const char *name;
	bool is_ring;
	const char *events;
	const char *filtered;
	const char *filter;
	const struct ring_size *size;
};

static enum csc_status add_channel(
		const struct keep_ring *ring, const struct channel *channel, struct diag *diag)
{
	char size[48];
	char number[48];
	enum csc_status status;

	(void)snprintf(size, sizeof(size), "--subbuf-size=%llu",
			(unsigned long long)channel->size->subbuffer_bytes);
	(void)snprintf(number, sizeof(number), "--num-subbuf=%u", channel->size->subbuffers);
	status = LTTNG(LTTNG_MS, diag, "enable-channel", "-u", "-s", ring->name, "--buffers-uid",
			channel->is_ring ? "--overwrite" : "--discard", size, number,
			channel->name);
	if (status == CSC_OK) {
		status = LTTNG(LTTNG_MS, diag, "enable-event", "-u", "-s", ring->name, "-c",
				channel->name, channel->events);
	}
	if (status == CSC_OK && channel->filtered) {
		status = LTTNG(LTTNG_MS, diag, "enable-event", "-u", "-s", ring->name, "-c",
				channel->name, channel->filtered, channel->filter);
	}
	return status == CSC_OK ? LTTNG(LTTNG_MS, diag, "add-context", "-u", "-s", ring->name, "-c",
						  channel->name, "-t", "vpid", "-t", "vtid", "-t",
						  "procname")
				: status;
}

static enum csc_status add_channels(
		const struct keep_ring *ring, const struct keeper_rings *rings, struct diag *diag)
{
	const bool is_ring = !ring->is_on_disk;
	const struct channel channels[] = {
		{ "hours", is_ring, hour_events, snapshot_events, odd, &rings->hours },
		{ "state", false, state_events, NULL, NULL, &rings->state },
		{ "recent", is_ring, recent_events, snapshot_events, even, &rings->recent },
		{ "samples", is_ring, sample_events, NULL, NULL, &rings->samples },
	};
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]) && status == CSC_OK; i++) {
		if (channels[i].size->subbuffers > 0) {
			status = add_channel(ring, &channels[i], diag);
		}
	}
	return status;
}

/* Where the parts on disk of a session lie. */
static void parts_of(const struct keep_ring *ring, char ret_folder[static 320])
{
	(void)snprintf(ret_folder, 320, "%s/parts-%s", ring->folder,
			ring->name + strlen(ring->prefix));
}

enum csc_status keep_ring_create(
		struct keep_ring *ring, const struct keep_ring_plan *plan, struct diag *diag)
{
	char output[340] = "--output=";
	char vpid[48];
	char timer[48];
	struct keeper_rings rings;
	enum csc_status status = buffers_for_keeper(
			plan->memory_bytes, buffers_processors(), plan->has_samples, &rings, diag);
	int turn;

	if (status != CSC_OK) {
		return status;
	}
	ring->hours_bytes = buffers_held(&rings.hours);
	ring->least_bytes = buffers_held(&rings.recent);
	ring->least_bytes = ring->least_bytes < ring->hours_bytes ? ring->least_bytes
								  : ring->hours_bytes;
	ring->is_on_disk = plan->rotate_seconds > 0;
	(void)snprintf(ring->name, sizeof(ring->name), "%s%s", ring->prefix, ring->mark);
	parts_of(ring, output + strlen(output));
	ring->has_old_parts = access(output + strlen("--output="), F_OK) == 0;
	if (ring->is_on_disk && files_use_folder(output + strlen("--output="), diag) != CSC_OK) {
		ring->name[0] = '\0';
		return CSC_ERROR;
	}
	turn = daemon_take_turn();
	status = daemon_start(&ring->daemon, diag);
	if (status == CSC_OK) {
		status = lttng_create(
				ring->name, output, ring->is_on_disk ? NULL : "--snapshot", diag);
	}
	daemon_leave_turn(turn);
	if (status != CSC_OK) {
		ring->name[0] = '\0';
		return status;
	}
	status = add_channels(ring, &rings, diag);
	(void)snprintf(vpid, sizeof(vpid), "--vpid=%d", (int)plan->pid);
	if (status == CSC_OK) {
		status = LTTNG(LTTNG_MS, diag, "track", "-u", "-s", ring->name, vpid);
	}
	(void)snprintf(timer, sizeof(timer), "--timer=%us", plan->rotate_seconds);
	if (status == CSC_OK && ring->is_on_disk) {
		status = LTTNG(LTTNG_MS, diag, "enable-rotation", "-s", ring->name, timer);
	}
	return status;
}

enum csc_status keep_ring_start(struct keep_ring *ring, struct diag *diag)
{
	return LTTNG(LTTNG_MS, diag, "start", ring->name);
}

/* Of the parts on disk: the folder of LTTng's chunks. */
static void archives_of(const struct keep_ring *ring, char ret_folder[static 320])
{
	char parts[320];

	parts_of(ring, parts);
	(void)snprintf(ret_folder, 320, "%.300s/archives", parts);
}

/* One that the timer began must be over before the next: LTTng refuses it until then. */
static enum csc_status end_part(const struct keep_ring *ring, struct diag *diag)
{
	enum csc_status status = LTTNG(LTTNG_MS, diag, "rotate", ring->name);

	for (int i = 0; i < PART_TRIES && status != CSC_OK && strstr(diag->text, "pending"); i++) {
		process_pause();
		*diag = (struct diag){ 0 };
		status = LTTNG(LTTNG_MS, diag, "rotate", ring->name);
	}
	return status;
}

enum csc_status keep_ring_take(
		struct keep_ring *ring, char ret_trace[static 320], struct diag *diag)
{
	char url[340];
	enum csc_status status;

	if (ring->is_on_disk) {
		archives_of(ring, ret_trace);
		return end_part(ring, diag);
	}
	(void)snprintf(ret_trace, 320, "%s/.ring-%s", ring->folder, ring->mark);
	files_remove_tree(ret_trace);
	(void)snprintf(url, sizeof(url), "file://%s", ret_trace);
	/* By us, before LTTng's daemon would: for this user alone. */
	status = files_make_folder(ret_trace) != 0
			? CSC_ERROR
			: LTTNG(LTTNG_MS, diag, "snapshot", "record", "-s", ring->name, url);
	if (status != CSC_OK) {
		files_remove_tree(ret_trace);
		return DIAG_FAIL(diag,
				"the ring cannot be written to '%s'; is there room on its disk?",
				ring->folder);
	}
	return CSC_OK;
}

/* Of this user alone: LTTng's trigger makes a folder `new` in it, with its snapshots. */
static void alarms_of(const struct keep_ring *ring, char ret_folder[static 340])
{
	(void)snprintf(ret_folder, 340, "%s/.alarm-%s", ring->folder,
			ring->name + strlen(ring->prefix));
}

int keep_ring_watch_alarms(const struct keep_ring *ring, pid_t pid)
{
	char name[112];
	char filter[80];
	char folder[340];
	char path[360];
	struct diag ignored = { 0 };
	int descriptor;

	if (ring->is_on_disk || (descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) < 0) {
		return -1;
	}
	(void)snprintf(name, sizeof(name), "--name=%s", ring->name);
	(void)snprintf(filter, sizeof(filter), "--filter=(snapshot_id & 3) == 3 && $ctx.vpid == %d",
			(int)pid);
	alarms_of(ring, folder);
	(void)snprintf(path, sizeof(path), "--path=%s/new", folder);
	files_remove_tree(folder);
	if (files_make_folder(folder) != 0 ||
			inotify_add_watch(descriptor, folder, IN_CREATE | IN_MOVED_TO) < 0 ||
			LTTNG(LTTNG_MS, &ignored, "add-trigger", name,
					"--condition=event-rule-matches", "--type=user:tracepoint",
					"--name=carrierscope:snapshot_end", filter,
					"--action=snapshot-session", ring->name, path) != CSC_OK) {
		(void)close(descriptor);
		return -1;
	}
	return descriptor;
}

static int is_snapshot(const struct dirent *entry)
{
	return strncmp(entry->d_name, "snapshot-", 9) == 0;
}

/* Moves the newest to `trace`; those before it are in it as well, and go. */
static bool take_newest(const char *folder, const char *trace)
{
	struct dirent **entries = NULL;
	int count = scandir(folder, &entries, is_snapshot, versionsort);
	bool is_taken = false;

	for (int i = 0; i < count; i++) {
		char name[640];

		(void)snprintf(name, sizeof(name), "%s/%s", folder, entries[i]->d_name);
		if (i + 1 < count) {
			files_remove_tree(name);
		} else {
			is_taken = rename(name, trace) == 0;
		}
		free(entries[i]);
	}
	free((void *)entries);
	return is_taken;
}

bool keep_ring_take_alarm(const struct keep_ring *ring, char ret_trace[static 320])
{
	char alarms[340];
	char folder[360];
	char taken[340];
	struct diag ignored = { 0 };
	bool is_taken;

	alarms_of(ring, alarms);
	(void)snprintf(folder, sizeof(folder), "%s/new", alarms);
	/* LTTng answers when it has written. */
	if (access(folder, F_OK) != 0 || LTTNG(LTTNG_MS, &ignored, "list", ring->name) != CSC_OK) {
		return false;
	}
	(void)snprintf(ret_trace, 320, "%s/.ring-%s", ring->folder, ring->mark);
	files_remove_tree(ret_trace);
	if (keep_ring_room(ring) < LEAST_ROOM) {
		files_remove_tree(folder);
		return false;
	}
	(void)snprintf(taken, sizeof(taken), "%s/alarm", ret_trace);
	is_taken = files_make_folder(ret_trace) == 0 && take_newest(folder, taken);
	/* The next one is seen when it is made again. */
	(void)rmdir(folder);
	return is_taken;
}

uint64_t keep_ring_room(const struct keep_ring *ring)
{
	struct statvfs about;

	return statvfs(ring->folder, &about) == 0 ? (uint64_t)about.f_bavail * about.f_frsize : 0;
}

void keep_ring_drop(const struct keep_ring *ring, const char *trace)
{
	if (!ring->is_on_disk) {
		files_remove_tree(trace);
	}
}

void keep_ring_end(struct keep_ring *ring)
{
	if (*ring->name) {
		struct diag ignored = { 0 };
		char alarms[340];

		if (!ring->is_on_disk) {
			(void)LTTNG(LTTNG_MS, &ignored, "remove-trigger", ring->name);
			alarms_of(ring, alarms);
			files_remove_tree(alarms);
		}
		if (ring->is_on_disk) {
			lttng_destroy(ring->name);
		} else {
			/* Nothing is to be written, and waiting for a killed node takes its time.
			 */
			(void)LTTNG(LTTNG_MS, &ignored, "destroy", "--no-wait", ring->name);
		}
		ring->name[0] = '\0';
	}
}

void keep_ring_leave(struct keep_ring *ring)
{
	char alarms[340];
	struct diag ignored = { 0 };

	(void)LTTNG(LTTNG_MS, &ignored, "stop", ring->name);
	alarms_of(ring, alarms);
	files_remove_tree(alarms);
	ring->name[0] = '\0';
}

void keep_ring_undo(struct keep_ring *ring)
{
	char parts[320] = "";

	if (*ring->name && ring->is_on_disk && !ring->has_old_parts) {
		parts_of(ring, parts);
	}
	keep_ring_end(ring);
	if (*parts) {
		files_remove_tree(parts);
	}
}

void keep_ring_end_daemon(struct keep_ring *ring)
{
	daemon_end(ring->daemon);
	ring->daemon = 0;
}

static void take_name(const char *session, void *context)
{
	struct keep_ring *ring = context;

	if (!mark_is_dead(session + strlen(ring->prefix))) {
		return;
	}
	(void)snprintf(ring->name, sizeof(ring->name), "%s", session);
}

bool keep_ring_adopt(struct keep_ring *ring)
{
	char folder[320];
	struct diag ignored = { 0 };

	ring->name[0] = '\0';
	if (lttng_each_session(ring->prefix, take_name, ring, &ignored) != CSC_OK || !*ring->name) {
		return false;
	}
	parts_of(ring, folder);
	ring->is_on_disk = access(folder, F_OK) == 0;
	return true;
}

void keep_ring_name_left(
		const struct keep_ring *ring, bool is_on_disk, char *ret_trace, size_t bytes)
{
	(void)snprintf(ret_trace, bytes, "%s/%s-%s", ring->folder, is_on_disk ? "parts" : ".left",
			ring->mark);
}

static void prune_parts(const char *parts, time_t oldest)
{
	char folder[640];
	struct dirent *entry;
	DIR *directory;

	(void)snprintf(folder, sizeof(folder), "%s/archives", parts);
	directory = opendir(folder);
	while (directory && (entry = readdir(directory))) {
		char part[1000];
		struct stat about;

		(void)snprintf(part, sizeof(part), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && lstat(part, &about) == 0 &&
				about.st_mtime < oldest) {
			files_remove_tree(part);
		}
	}
	if (directory) {
		(void)closedir(directory);
	}
}

void keep_ring_prune(const struct keep_ring *ring, unsigned int seconds)
{
	static const char parts[] = "parts-";
	struct dirent *entry;
	DIR *directory = opendir(ring->folder);

	while (directory && (entry = readdir(directory))) {
		char path[600];

		if (strncmp(entry->d_name, parts, strlen(parts)) == 0 &&
				mark_pid(entry->d_name + strlen(parts)) > 0) {
			(void)snprintf(path, sizeof(path), "%s/%s", ring->folder, entry->d_name);
			if (!files_is_own_folder(path, FILES_OTHERS_WRITE)) {
				continue;
			}
			prune_parts(path, time(NULL) - (time_t)seconds);
		}
	}
	if (directory) {
		(void)closedir(directory);
	}
}
