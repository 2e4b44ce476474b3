/*
 * SPDX-License-Identifier: MIT
 *
 * Two or three channels, so that what comes often never overwrites what is needed to read it:
 *
 *   state      names, options, hooks: few; kept from the beginning on
 *   carriers   snapshots, holders, carriers, alarms: the newest
 *   samples    the newest
 */
#include "keep_ring.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lttng.h"
#include "process.h"

/* Of each sub-buffer of `state`. */
enum {
	STATE_BYTES = 65536,
	STATE_COUNT = 4,
	LEAST_BYTES = 65536,
	MOST_COUNT = 32,
	LEAST_COUNT = 4
};

static const char state_events[] =
		"carrierscope:name_class,carrierscope:name_type,carrierscope:option,carrierscope:hook_*,carrierscope:state_*";
static const char carrier_events[] =
		"carrierscope:snapshot_*,carrierscope:process_name,carrierscope:name_allocator,carrierscope:runtime_fact,"
		"carrierscope:alarm,carrierscope:alloc_failure,org_erlang_otp:*";
static const char sample_events[] = "carrierscope:sample_*";

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
	(void)snprintf(ring->folder, sizeof(ring->folder), "%s", folder);
	(void)snprintf(ring->prefix, sizeof(ring->prefix), "carrierscope-keep-%08x-",
			hash_of(folder));
}

/* Sub-buffers are powers of two, and so is their number; LTTng adds one for its reader. */
static bool size_ring(uint64_t bytes, unsigned int processors, uint64_t *ret_bytes,
		unsigned int *ret_count)
{
	uint64_t most = 0;

	for (unsigned int count = LEAST_COUNT; count <= MOST_COUNT; count *= 2) {
		uint64_t each = LEAST_BYTES;

		while (each * 2 * (count + 1) * processors <= bytes) {
			each *= 2;
		}
		if (each * (count + 1) * processors <= bytes && each * (count + 1) > most) {
			most = each * (count + 1);
			*ret_bytes = each;
			*ret_count = count;
		}
	}
	return most > 0;
}

static enum csc_status add_channel(const struct keep_ring *ring, const char *channel, bool is_ring,
		uint64_t bytes, unsigned int count, const char *events, struct diag *diag)
{
	char size[48];
	char number[48];
	enum csc_status status;

	(void)snprintf(size, sizeof(size), "--subbuf-size=%llu", (unsigned long long)bytes);
	(void)snprintf(number, sizeof(number), "--num-subbuf=%u", count);
	status = LTTNG(LTTNG_MS, diag, "enable-channel", "-u", "-s", ring->name, "--buffers-uid",
			is_ring ? "--overwrite" : "--discard", size, number, channel);
	if (status == CSC_OK) {
		status = LTTNG(LTTNG_MS, diag, "enable-event", "-u", "-s", ring->name, "-c",
				channel, events);
	}
	return status == CSC_OK
			? LTTNG(LTTNG_MS, diag, "add-context", "-u", "-s", ring->name, "-c",
					  channel, "-t", "vpid", "-t", "vtid", "-t", "procname")
			: status;
}

static enum csc_status add_channels(
		const struct keep_ring *ring, const struct keep_ring_plan *plan, struct diag *diag)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	unsigned int processors = configured > 0 ? (unsigned int)configured : 1;
	uint64_t state = (uint64_t)STATE_BYTES * (STATE_COUNT + 1) * processors;
	uint64_t rest = plan->memory_bytes > state ? plan->memory_bytes - state : 0;
	bool is_ring = !ring->is_on_disk;
	uint64_t bytes = 0;
	unsigned int count = 0;
	enum csc_status status;

	if (!size_ring(plan->has_samples ? rest / 2 : rest, processors, &bytes, &count)) {
		return DIAG_FAIL(diag,
				"%llu KiB are too little for buffers of %u processors: at least %u KiB, by --memory",
				(unsigned long long)plan->memory_bytes / 1024, processors,
				processors * (LEAST_COUNT + 1) * (STATE_BYTES / 1024) *
						(plan->has_samples ? 3 : 2));
	}
	status = add_channel(ring, "state", false, STATE_BYTES, STATE_COUNT, state_events, diag);
	if (status == CSC_OK) {
		status = add_channel(ring, "carriers", is_ring, bytes, count, carrier_events, diag);
	}
	if (status == CSC_OK && plan->has_samples) {
		status = add_channel(ring, "samples", is_ring, bytes, count, sample_events, diag);
	}
	return status;
}

enum csc_status keep_ring_create(
		struct keep_ring *ring, const struct keep_ring_plan *plan, struct diag *diag)
{
	char output[300];
	char vpid[48];
	char timer[48];
	enum csc_status status = lttng_start_daemon(&ring->daemon, diag);

	if (status != CSC_OK) {
		return status;
	}
	ring->is_on_disk = plan->rotate_seconds > 0;
	(void)snprintf(ring->name, sizeof(ring->name), "%s%d", ring->prefix, (int)getpid());
	(void)snprintf(output, sizeof(output), "--output=%s/parts-%d", ring->folder, (int)getpid());
	status = ring->is_on_disk
			? LTTNG(LTTNG_MS, diag, "create", ring->name, output)
			: LTTNG(LTTNG_MS, diag, "create", ring->name, "--snapshot", output);
	if (status != CSC_OK) {
		ring->name[0] = '\0';
		return status;
	}
	status = add_channels(ring, plan, diag);
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
	(void)snprintf(ret_folder, 320, "%s/parts-%s/archives", ring->folder,
			ring->name + strlen(ring->prefix));
}

enum csc_status keep_ring_take(
		struct keep_ring *ring, char ret_trace[static 320], struct diag *diag)
{
	char url[340];
	enum csc_status status;

	if (ring->is_on_disk) {
		archives_of(ring, ret_trace);
		return LTTNG(LTTNG_MS, diag, "rotate", ring->name);
	}
	(void)snprintf(ret_trace, 320, "%s/.ring-%d", ring->folder, (int)getpid());
	lttng_remove_folder(ret_trace);
	(void)snprintf(url, sizeof(url), "file://%s", ret_trace);
	status = LTTNG(LTTNG_MS, diag, "snapshot", "record", "-s", ring->name, url);
	if (status != CSC_OK) {
		lttng_remove_folder(ret_trace);
		return DIAG_FAIL(diag,
				"the ring cannot be written to '%s'; is there room on its disk?",
				ring->folder);
	}
	return CSC_OK;
}

void keep_ring_drop(const struct keep_ring *ring, const char *trace)
{
	if (!ring->is_on_disk) {
		lttng_remove_folder(trace);
	}
}

void keep_ring_end(struct keep_ring *ring)
{
	if (*ring->name) {
		struct diag ignored = { 0 };

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

void keep_ring_end_daemon(struct keep_ring *ring)
{
	if (ring->daemon > 0) {
		lttng_end_daemon(ring->daemon);
		ring->daemon = 0;
	}
}

static void take_name(const char *session, void *context)
{
	struct keep_ring *ring = context;

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
	(void)snprintf(folder, sizeof(folder), "%s/parts-%s", ring->folder,
			ring->name + strlen(ring->prefix));
	ring->is_on_disk = access(folder, F_OK) == 0;
	return true;
}

void keep_ring_prune(const struct keep_ring *ring, unsigned int seconds)
{
	char folder[320];
	struct dirent *entry;
	DIR *directory;

	archives_of(ring, folder);
	directory = opendir(folder);
	while (directory && (entry = readdir(directory))) {
		char part[600];
		struct stat about;

		(void)snprintf(part, sizeof(part), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.' && stat(part, &about) == 0 &&
				about.st_mtime + (time_t)seconds < time(NULL)) {
			lttng_remove_folder(part);
		}
	}
	if (directory) {
		(void)closedir(directory);
	}
}
