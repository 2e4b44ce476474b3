/*
 * SPDX-License-Identifier: MIT
 *
 * A port of src.ctf.fs is named "TRACE | CLASS | STREAM", and the first packet of a file has the
 * numbers of its class and its stream.  Files of others than LTTng may not have them where we look:
 * their sizes are then not known, and their streams go round the parts.
 */
#include "load_split.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "first_packet.h"
#include "growing.h"
#include "load_graph.h"

/* Calls `visit` for each file of a stream in a trace's directory. */
static void visit_files(const char *path,
		void (*visit)(const char *file, uint64_t bytes, void *data), void *data)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		char *file = NULL;
		struct stat status;

		if (entry->d_name[0] == '.' || strcmp(entry->d_name, "metadata") == 0 ||
				asprintf(&file, "%s/%s", path, entry->d_name) < 0) {
			continue;
		}

		if (stat(file, &status) == 0 && S_ISREG(status.st_mode)) {
			visit(file, (uint64_t)status.st_size, data);
		}

		free(file);
	}

	if (directory) {
		(void)closedir(directory);
	}
}

/* What the files of a trace have. */
struct measure {
	uint64_t bytes;
	size_t files;
};

static void add_file(const char *file, uint64_t bytes, void *data)
{
	struct measure *measure = data;

	(void)file;
	measure->bytes += bytes;
	measure->files++;
}

void load_split_measure(const char *path, uint64_t *ret_bytes, size_t *ret_files)
{
	struct measure measure = { 0 };

	visit_files(path, add_file, &measure);
	*ret_bytes = measure.bytes;
	*ret_files = measure.files;
}

/* The streams of one source, and their ports' names. */
struct ports {
	struct split_stream *streams;
	size_t count;
	const bt_component_source *source;
};

/* Adds a file to the stream that it is of. */
static void weigh_file(const char *file, uint64_t bytes, void *data)
{
	const struct ports *ports = data;
	char tail[64];
	uint32_t class_id;
	uint64_t stream_id;

	if (!first_packet_stream(file, &class_id, &stream_id)) {
		return;
	}

	(void)snprintf(tail, sizeof(tail), " | %" PRIu32 " | %" PRIu64, class_id, stream_id);
	for (size_t i = 0; i < ports->count; i++) {
		const char *name = bt_port_get_name(bt_port_output_as_port_const(
				bt_component_source_borrow_output_port_by_index_const(
						ports->source, ports->streams[i].port)));
		size_t length = strlen(name);

		if (length >= strlen(tail) && strcmp(name + length - strlen(tail), tail) == 0) {
			ports->streams[i].bytes += bytes;
			return;
		}
	}
}

enum csc_status load_split_list(const struct inputs *inputs,
		const bt_component_source *const *sources, const size_t *source_inputs,
		size_t source_count, struct split_stream **ret_streams, size_t *ret_count,
		struct diag *diag)
{
	struct split_stream *streams = NULL;
	size_t capacity = 0;
	size_t count = 0;

	for (size_t i = 0; i < source_count; i++) {
		uint64_t port_count = bt_component_source_get_output_port_count(sources[i]);
		struct ports ports = { .source = sources[i] };

		if (!csc_grow(&streams, &capacity, count + port_count, sizeof(*streams))) {
			free(streams);
			return DIAG_NO_MEMORY(diag);
		}

		ports.streams = streams + count;
		ports.count = port_count;
		for (uint64_t k = 0; k < port_count; k++) {
			streams[count++] = (struct split_stream){ .source = i, .port = k };
		}

		for (size_t k = source_inputs[i]; k < inputs->count && port_count > 0; k++) {
			if (load_graph_reads(inputs, source_inputs[i], k)) {
				visit_files(inputs->items[k].path, weigh_file, &ports);
			}
		}
	}

	*ret_streams = streams;
	*ret_count = count;
	return CSC_OK;
}

/* The largest stream that is in no part; `parts` marks those. */
static struct split_stream *find_largest(struct split_stream *streams, size_t count, size_t parts)
{
	struct split_stream *largest = NULL;

	for (size_t i = 0; i < count; i++) {
		if (streams[i].part == parts && (!largest || streams[i].bytes > largest->bytes)) {
			largest = &streams[i];
		}
	}

	return largest;
}

/* The part with the fewest bytes, of those with the same the one with the fewest streams. */
static size_t find_least(const struct split_stream *streams, size_t count, size_t parts)
{
	uint64_t least_bytes = 0;
	size_t least_streams = 0;
	size_t least = 0;

	for (size_t part = 0; part < parts; part++) {
		uint64_t bytes = 0;
		size_t held = 0;

		for (size_t i = 0; i < count; i++) {
			bytes += streams[i].part == part ? streams[i].bytes : 0;
			held += streams[i].part == part;
		}

		if (part == 0 || bytes < least_bytes ||
				(bytes == least_bytes && held < least_streams)) {
			least = part;
			least_bytes = bytes;
			least_streams = held;
		}
	}

	return least;
}

void load_split(struct split_stream *streams, size_t count, size_t parts)
{
	struct split_stream *next;

	for (size_t i = 0; i < count; i++) {
		streams[i].part = parts;
	}

	while ((next = find_largest(streams, count, parts))) {
		next->part = find_least(streams, count, parts);
	}
}
