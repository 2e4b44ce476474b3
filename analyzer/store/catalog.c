/*
 * SPDX-License-Identifier: MIT
 *
 * Growing arrays beside numberings of keys.
 */
#include "catalog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"

/* Grows an array of `size`-byte elements, zeroed, so that `index` is in it. */
static bool hold(void *array, size_t *capacity, size_t index, size_t size)
{
	return csc_grow_zeroed(array, capacity, index + 1, size);
}

int32_t catalog_add_trace(struct catalog *catalog, struct catalog_trace *trace)
{
	if (!csc_grow_by_one(&catalog->traces, catalog->trace_count, sizeof(*trace))) {
		return -1;
	}

	catalog->traces[catalog->trace_count] = *trace;
	*trace = (struct catalog_trace){ 0 };
	return (int32_t)catalog->trace_count++;
}

int32_t catalog_add_stream(struct catalog *catalog, int32_t trace, const char *name)
{
	char *copy = name ? strdup(name) : NULL;

	if ((name && !copy) ||
			!csc_grow_by_one(&catalog->streams, catalog->stream_count,
					sizeof(*catalog->streams))) {
		free(copy);
		return -1;
	}

	catalog->streams[catalog->stream_count] =
			(struct catalog_stream){ .trace = trace, .name = copy };
	return (int32_t)catalog->stream_count++;
}

int32_t catalog_runtime(struct catalog *catalog, const char *hostname, int64_t vpid)
{
	return numbering_find(&catalog->runtimes, vpid, 0, hostname);
}

bool catalog_name_runtime(struct catalog *catalog, int32_t runtime, const char *name)
{
	size_t number = (size_t)runtime;

	if (!hold(&catalog->runtime_names, &catalog->runtime_name_count, number,
			    sizeof(*catalog->runtime_names))) {
		return false;
	}

	if (!catalog->runtime_names[number]) {
		catalog->runtime_names[number] = strdup(name);
	}

	return catalog->runtime_names[number] != NULL;
}

int32_t catalog_thread(struct catalog *catalog, int32_t runtime, int64_t vtid, const char *name)
{
	int32_t number = numbering_find(&catalog->threads, runtime, vtid, name);

	if (number < 0 ||
			!hold(&catalog->thread_counts, &catalog->thread_capacity, (size_t)number,
					sizeof(*catalog->thread_counts))) {
		return -1;
	}

	return number;
}

int32_t catalog_allocator(struct catalog *catalog, const char *name)
{
	return numbering_find(&catalog->allocators, 0, 0, name);
}

int32_t catalog_instance(
		struct catalog *catalog, int32_t runtime, int32_t allocator, int32_t number)
{
	int64_t key = ((int64_t)allocator << 32) | (uint32_t)number;

	assert(runtime >= 0 && (size_t)runtime < catalog->runtimes.count);
	assert(allocator >= 0 && (size_t)allocator < catalog->allocators.count && number >= 0);
	return numbering_find(&catalog->instances, runtime, key, NULL);
}

int32_t catalog_event(struct catalog *catalog, const char *full_name)
{
	int32_t number = numbering_find(&catalog->events, 0, 0, full_name);

	if (number < 0 ||
			!hold(&catalog->event_counts, &catalog->event_capacity, (size_t)number,
					sizeof(*catalog->event_counts))) {
		return -1;
	}

	return number;
}

/* Shortens `folder` until `path` lies in it; "" if only the root is common. */
static void shorten(char *folder, const char *path)
{
	size_t length = strlen(folder);

	while (length > 0 && (strncmp(folder, path, length) != 0 || path[length] != '/')) {
		folder[length] = '\0';
		length = (size_t)(strrchr(folder, '/') ? strrchr(folder, '/') - folder : 0);
		folder[length] = '\0';
	}
}

char *catalog_common_folder(const struct catalog *catalog, bool *ret_ok)
{
	char *folder = NULL;

	*ret_ok = true;
	for (size_t i = 0; i < catalog->stream_count; i++) {
		const char *name = catalog->streams[i].name;

		if (!name || name[0] != '/') {
			free(folder);
			return NULL;
		}

		if (!folder) {
			folder = strdup(name);
			if (!folder) {
				*ret_ok = false;
				return NULL;
			}
			*strrchr(folder, '/') = '\0';
		}
		shorten(folder, name);
	}

	if (folder && !*folder) {
		free(folder);
		folder = NULL;
	}

	return folder;
}

void catalog_note_time(struct catalog *catalog, int64_t ts_ns)
{
	if (!catalog->file.has_times || ts_ns < catalog->first_ns) {
		catalog->first_ns = ts_ns;
	}

	if (!catalog->file.has_times || ts_ns > catalog->last_ns) {
		catalog->last_ns = ts_ns;
	}

	catalog->file.has_times = true;
}

void catalog_capability(
		struct catalog *catalog, const char *name, bool is_available, const char *reason)
{
	struct catalog_file *file = &catalog->file;

	if (file->capability_count < CATALOG_CAPABILITIES) {
		file->capabilities[file->capability_count++] =
				(struct catalog_capability){ name, is_available, reason };
	}
}

void catalog_trace_finish(struct catalog_trace *trace)
{
	free(trace->uuid);
	free(trace->name);
	free(trace->hostname);
	free(trace->tracer);
	free(trace->buffering);
	free(trace->created);
	free(trace->procname);
}

void catalog_finish(struct catalog *catalog)
{
	free(catalog->file.path);
	for (size_t i = 0; i < catalog->trace_count; i++) {
		catalog_trace_finish(&catalog->traces[i]);
	}

	for (size_t i = 0; i < catalog->stream_count; i++) {
		free(catalog->streams[i].name);
	}

	free(catalog->traces);
	free(catalog->streams);
	csc_free_each(catalog->runtime_names, catalog->runtime_name_count);
	free(catalog->thread_counts);
	free(catalog->event_counts);
	numbering_finish(&catalog->runtimes);
	numbering_finish(&catalog->threads);
	numbering_finish(&catalog->allocators);
	numbering_finish(&catalog->instances);
	numbering_finish(&catalog->events);
	*catalog = (struct catalog){ 0 };
}
