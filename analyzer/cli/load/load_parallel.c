/*
 * SPDX-License-Identifier: MIT
 *
 * Makes the parts, starts them, merges what they pack, and ends them in every case.
 */
#include "load_parallel.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>

#include "filling.h"
#include "load_part.h"
#include "load_split.h"
#include "packer_stream.h"

/* Fewer bytes than that are read before threads are worth their start. */
enum { SMALL_BYTES = 8 << 20 };

/* What the merge has of a part. */
struct head {
	struct part *part;
	const struct packing *chunk;
	size_t at;

	/* The record at `at`; NULL: the part has ended. */
	const struct packed *record;
};

struct parallel {
	const struct load_plan *plan;
	struct part *parts;
	struct head *heads;
	size_t part_count;
	struct filling filling;

	/* Of all inputs, while the parts are made. */
	struct split_stream *streams;
	size_t stream_count;
	const bt_component_source **sources;
	size_t *source_inputs;
	bool *wanted;
	size_t source_count;
};

size_t load_parallel_jobs(const struct inputs *inputs, size_t jobs)
{
	uint64_t bytes = 0;
	size_t files = 0;
	cpu_set_t cpus;

	for (size_t i = 0; i < inputs->count; i++) {
		uint64_t trace_bytes;
		size_t trace_files;

		if (inputs->items[i].is_live) {
			return 1;
		}

		load_split_measure(inputs->items[i].path, &trace_bytes, &trace_files);
		bytes += trace_bytes;
		files += trace_files;
	}

	if (jobs == 0) {
		CPU_ZERO(&cpus);
		jobs = bytes >= SMALL_BYTES && sched_getaffinity(0, sizeof(cpus), &cpus) == 0
				? (size_t)CPU_COUNT(&cpus)
				: 1;
	}

	return jobs < files ? jobs : files > 0 ? files : 1;
}

static enum csc_status allocate(struct parallel *parallel, size_t jobs, struct diag *diag)
{
	parallel->source_count = load_graph_source_count(parallel->plan);
	parallel->sources = calloc(parallel->source_count, sizeof(const bt_component_source *));
	parallel->source_inputs = calloc(parallel->source_count, sizeof(*parallel->source_inputs));
	parallel->wanted = calloc(parallel->source_count, sizeof(*parallel->wanted));
	parallel->parts = calloc(jobs, sizeof(*parallel->parts));
	parallel->heads = calloc(jobs, sizeof(*parallel->heads));
	return parallel->sources && parallel->source_inputs && parallel->wanted &&
					parallel->parts && parallel->heads
			? CSC_OK
			: DIAG_NO_MEMORY(diag);
}

/* Begins a part: its graph, with all sources or with those it wants. */
static enum csc_status begin_part(
		struct parallel *parallel, struct part *part, const bool *wanted, struct diag *diag)
{
	const struct load_plan *plan = parallel->plan;
	enum csc_status status = load_graph_begin(plan, &part->graph, diag);

	chunk_queue_init(&part->queue);
	parallel->part_count++;
	return status == CSC_OK ? load_graph_add_sources(plan, part->graph, wanted,
						  parallel->sources, parallel->source_inputs, diag)
				: status;
}

/* Connects the streams of a part to its sink. */
static enum csc_status connect_part(struct parallel *parallel, struct part *part, size_t number,
		const bt_component_class_sink *class, struct diag *diag)
{
	const struct load_channel *channel = parallel->plan->channel;
	const bt_component_sink *sink = NULL;
	enum csc_status status =
			packer_create(channel->paths, channel->path_count, &part->packer, diag);

	part->feeds = calloc(parallel->stream_count, sizeof(*part->feeds));
	if (!part->feeds) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < parallel->stream_count; i++) {
		if (parallel->streams[i].part == number) {
			part->feeds[part->feed_count++].source = parallel->streams[i].source;
		}
	}

	if (status == CSC_OK) {
		status = load_part_add_sink(part, class, &sink, diag);
	}

	for (size_t i = 0, feed = 0; i < parallel->stream_count && status == CSC_OK; i++) {
		const struct split_stream *stream = &parallel->streams[i];

		if (stream->part == number) {
			status = load_graph_connect(part->graph,
					bt_component_source_borrow_output_port_by_index_const(
							parallel->sources[stream->source],
							stream->port),
					bt_component_sink_borrow_input_port_by_index_const(
							sink, feed++),
					diag);
		}
	}

	return status;
}

static void want_sources(struct parallel *parallel, size_t part)
{
	for (size_t i = 0; i < parallel->source_count; i++) {
		parallel->wanted[i] = false;
	}

	for (size_t i = 0; i < parallel->stream_count; i++) {
		if (parallel->streams[i].part == part) {
			parallel->wanted[parallel->streams[i].source] = true;
		}
	}
}

/* Makes the parts; fewer than two streams: only the first, without a sink. */
static enum csc_status make_parts(struct parallel *parallel, size_t jobs,
		const bt_component_class_sink *class, struct diag *diag)
{
	/* The first graph opens all: so errors are those of one graph, and all ports are known. */
	enum csc_status status = begin_part(parallel, &parallel->parts[0], NULL, diag);

	if (status == CSC_OK) {
		status = load_split_list(parallel->plan->inputs, parallel->sources,
				parallel->source_inputs, parallel->source_count, &parallel->streams,
				&parallel->stream_count, diag);
	}

	if (status != CSC_OK || parallel->stream_count < 2) {
		return status;
	}

	jobs = jobs < parallel->stream_count ? jobs : parallel->stream_count;
	load_split(parallel->streams, parallel->stream_count, jobs);
	status = connect_part(parallel, &parallel->parts[0], 0, class, diag);
	for (size_t i = 1; i < jobs && status == CSC_OK; i++) {
		want_sources(parallel, i);
		status = begin_part(parallel, &parallel->parts[i], parallel->wanted, diag);
		if (status == CSC_OK) {
			status = connect_part(parallel, &parallel->parts[i], i, class, diag);
		}
	}

	return status;
}

static enum csc_status open_parallel(
		struct parallel *parallel, size_t jobs, bool *ret_is_worthwhile, struct diag *diag)
{
	const struct load_plan *plan = parallel->plan;
	const struct store_options options = {
		.path = plan->database,
		.is_forced = plan->is_forced,
		.is_appending = plan->is_appending,
	};
	bt_component_class_sink *class = load_part_class();
	enum csc_status status = class ? allocate(parallel, jobs, diag) : DIAG_NO_MEMORY(diag);

	if (status == CSC_OK) {
		status = make_parts(parallel, jobs, class, diag);
	}

	bt_component_class_sink_put_ref(class);
	*ret_is_worthwhile = status == CSC_OK && parallel->stream_count > 1;
	/* They fill their queues while the database is made. */
	for (size_t i = 0; *ret_is_worthwhile && status == CSC_OK && i < parallel->part_count;
			i++) {
		status = load_part_start(&parallel->parts[i], diag);
	}

	return *ret_is_worthwhile && status == CSC_OK
			? filling_open(&parallel->filling, &options, plan->channel, diag)
			: status;
}

enum csc_status load_parallel_create(const struct load_plan *plan, size_t jobs,
		struct parallel **ret_parallel, struct diag *diag)
{
	struct parallel *parallel = calloc(1, sizeof(*parallel));
	bool is_worthwhile;
	enum csc_status status;

	assert(jobs > 0);
	if (!parallel) {
		return DIAG_NO_MEMORY(diag);
	}

	parallel->plan = plan;
	status = open_parallel(parallel, jobs, &is_worthwhile, diag);
	if (status != CSC_OK || !is_worthwhile) {
		load_parallel_destroy(parallel);
		parallel = NULL;
	}

	*ret_parallel = parallel;
	return status;
}

/* Goes to the first record of the next chunk of a part. */
static void next_chunk(struct head *head)
{
	head->chunk = chunk_queue_take(&head->part->queue, head->chunk != NULL);
	head->at = 0;
	head->record = head->chunk ? (const void *)head->chunk->bytes : NULL;
}

static bool is_before(const struct head *left, const struct head *right)
{
	static const struct stream_rank none;
	const struct packed *one = left->record;
	const struct packed *other = right->record;

	return stream_order_is_before(one->order_ns, one->stream ? &one->stream->rank : &none,
			other->order_ns, other->stream ? &other->stream->rank : &none);
}

/* Finds the part whose turn it is, and the one after it; NULL: there is none. */
static void find_turns(struct parallel *parallel, struct head **ret_first, struct head **ret_next)
{
	*ret_first = NULL;
	*ret_next = NULL;
	for (size_t i = 0; i < parallel->part_count; i++) {
		struct head *head = &parallel->heads[i];

		if (!head->record) {
			continue;
		}

		if (!*ret_first || is_before(head, *ret_first)) {
			*ret_next = *ret_first;
			*ret_first = head;
		} else if (!*ret_next || is_before(head, *ret_next)) {
			*ret_next = head;
		}
	}
}

/* Takes the records of a part while they come before those of the next, to the end of a chunk. */
static enum csc_status run_turn(struct parallel *parallel, struct head *head,
		const struct head *next, struct diag *diag)
{
	do {
		enum csc_status status;

		if (head->record->kind == PACKED_FAILURE) {
			*diag = head->part->diag;
			return CSC_ERROR;
		}

		status = intake_take_packed(parallel->filling.intake, head->record, diag);
		if (status != CSC_OK) {
			return status;
		}

		head->at += head->record->bytes;
		head->record = (const void *)(head->chunk->bytes + head->at);
	} while (head->at < head->chunk->length && (!next || is_before(head, next)));

	return CSC_OK;
}

/* Merges all; *ret_is_stopped: `look` wanted no more. */
static enum csc_status merge(struct parallel *parallel, bool (*look)(void *data), void *data,
		bool *ret_is_stopped, struct diag *diag)
{
	for (size_t i = 0; i < parallel->part_count; i++) {
		parallel->heads[i] = (struct head){ .part = &parallel->parts[i] };
		next_chunk(&parallel->heads[i]);
	}

	for (;;) {
		struct head *first;
		struct head *next;
		enum csc_status status;

		find_turns(parallel, &first, &next);
		if (!first) {
			return CSC_OK;
		}

		status = run_turn(parallel, first, next, diag);
		if (status != CSC_OK) {
			return status;
		}

		if (first->at == first->chunk->length) {
			filling_report(&parallel->filling);
			if (!look(data)) {
				*ret_is_stopped = true;
				return CSC_OK;
			}

			next_chunk(first);
		}
	}
}

static void join_parts(struct parallel *parallel)
{
	for (size_t i = 0; i < parallel->part_count; i++) {
		load_part_join(&parallel->parts[i]);
	}
}

/* Makes the failure of a part that of this thread. */
static void move_error(struct parallel *parallel, const struct diag *diag)
{
	struct load_channel *channel = parallel->plan->channel;

	for (size_t i = 0; i < parallel->part_count && !diag_is_set(diag); i++) {
		struct part *part = &parallel->parts[i];

		if (part->error && parallel->heads[i].record &&
				parallel->heads[i].record->kind == PACKED_FAILURE) {
			bt_current_thread_move_error(part->error);
			part->error = NULL;
			return;
		}
	}

	if (!channel->diag.file) {
		channel->diag = *diag;
	}

	(void)bt_current_thread_error_append_cause_from_unknown("carrierscope", __FILE__, __LINE__,
			"%s", diag_is_set(diag) ? diag->text : "out of memory");
}

enum csc_status load_parallel_run(struct parallel *parallel, bool (*look)(void *data), void *data)
{
	struct diag diag = { 0 };
	bool is_stopped = false;
	enum csc_status status = merge(parallel, look, data, &is_stopped, &diag);

	join_parts(parallel);
	for (size_t i = 0; i < parallel->part_count; i++) {
		parallel->plan->channel->decoding_cpu_s += parallel->parts[i].cpu_s;
	}

	if (status == CSC_OK) {
		status = filling_close(&parallel->filling, !is_stopped, &diag);
	}

	if (status != CSC_OK) {
		move_error(parallel, &diag);
	}

	return status;
}

void load_parallel_destroy(struct parallel *parallel)
{
	if (!parallel) {
		return;
	}

	join_parts(parallel);
	filling_destroy(&parallel->filling);
	for (size_t i = 0; i < parallel->part_count; i++) {
		load_part_finish(&parallel->parts[i]);
	}

	free(parallel->parts);
	free(parallel->heads);
	free(parallel->streams);
	free(parallel->sources);
	free(parallel->source_inputs);
	free(parallel->wanted);
	free(parallel);
}
