/*
 * SPDX-License-Identifier: MIT
 *
 * The sink of a part asks each of its streams for messages, as a muxer would, and packs them.
 */
#include "load_part.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct part *borrow_part(bt_self_component_sink *self_sink)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self_sink));
}

static bt_component_class_initialize_method_status initialize(bt_self_component_sink *self_sink,
		bt_self_component_sink_configuration *configuration, const bt_value *params,
		void *data)
{
	const struct part *part = data;

	(void)configuration;
	(void)params;
	for (size_t i = 0; i < part->feed_count; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "in%zu", i);
		if (bt_self_component_sink_add_input_port(self_sink, name, NULL, NULL) !=
				BT_SELF_COMPONENT_ADD_PORT_STATUS_OK) {
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
		}
	}

	bt_self_component_set_data(bt_self_component_sink_as_self_component(self_sink), data);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status make_iterators(
		bt_self_component_sink *self_sink)
{
	struct part *part = borrow_part(self_sink);

	for (size_t i = 0; i < part->feed_count; i++) {
		bt_message_iterator_create_from_sink_component_status status =
				bt_message_iterator_create_from_sink_component(self_sink,
						bt_self_component_sink_borrow_input_port_by_index(
								self_sink, i),
						&part->feeds[i].upstream);

		if (status != BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK) {
			return (bt_component_class_sink_graph_is_configured_method_status)(int)
					status;
		}
	}

	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static void finalize(bt_self_component_sink *self_sink)
{
	struct part *part = borrow_part(self_sink);

	for (size_t i = 0; i < part->feed_count; i++) {
		struct part_feed *feed = &part->feeds[i];

		for (uint64_t k = feed->at; k < feed->count; k++) {
			bt_message_put_ref(feed->messages[k]);
		}

		feed->count = 0;
		if (feed->upstream) {
			bt_message_iterator_put_ref(feed->upstream);
		}
	}
}

/* Puts the message that a feed is at in its place among those of the others. */
static void place(struct part_feed *feed)
{
	const bt_message *message = feed->messages[feed->at];
	const bt_stream *stream = feed->has_rank ? NULL : message_stream(message);

	if (stream) {
		feed->rank = stream_rank_of(stream);
		feed->has_rank = true;
		feed->has_clock = stream_has_clock(stream);
	}

	feed->order_ns = message_order_ns(message, feed->has_clock, feed->order_ns);
}

/* Makes sure that a feed is at a message, or has ended. */
static bt_component_class_sink_consume_method_status fetch(struct part_feed *feed)
{
	while (feed->at == feed->count && !feed->has_ended) {
		bt_message_iterator_next_status status;

		feed->at = 0;
		feed->count = 0;
		status = bt_message_iterator_next(feed->upstream, &feed->messages, &feed->count);
		if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END) {
			feed->has_ended = true;
		} else if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
			feed->count = 0;
			return (bt_component_class_sink_consume_method_status)(int)status;
		} else {
			place(feed);
		}
	}

	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bool is_before(const struct part_feed *left, const struct part_feed *right)
{
	return stream_order_is_before(left->order_ns, &left->rank, right->order_ns, &right->rank);
}

/* Finds the feed whose turn it is, and the one whose turn is after its; NULL: there is none. */
static void find_turns(struct part *part, struct part_feed **ret_first, struct part_feed **ret_next)
{
	*ret_first = NULL;
	*ret_next = NULL;
	for (size_t i = 0; i < part->feed_count; i++) {
		struct part_feed *feed = &part->feeds[i];

		if (feed->has_ended) {
			continue;
		}

		if (!*ret_first || is_before(feed, *ret_first)) {
			*ret_next = *ret_first;
			*ret_first = feed;
		} else if (!*ret_next || is_before(feed, *ret_next)) {
			*ret_next = feed;
		}
	}
}

static const char *feed_name(const struct part_feed *feed)
{
	const bt_stream *stream = message_stream(feed->messages[feed->at]);
	const char *name = stream ? bt_stream_get_name(stream) : NULL;

	return name ? name : "";
}

/* Packs the messages of a feed while they come before those of the next. */
static bt_component_class_sink_consume_method_status pack_turn(
		struct part *part, struct part_feed *feed, const struct part_feed *next)
{
	struct packing *packing = chunk_queue_open(&part->queue);

	do {
		const bt_message *message = feed->messages[feed->at];
		size_t before = packing->length;
		int64_t before_ns = feed->order_ns;
		enum csc_status status;
		bt_component_class_sink_consume_method_status fetched;

		status = packer_take(part->packer, feed->source, message, packing, &part->diag);
		bt_message_put_ref(message);
		feed->at++;
		if (status != CSC_OK) {
			packing->length = before;
			return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
		}

		if (feed->at < feed->count) {
			place(feed);
		} else {
			fetched = fetch(feed);
			if (fetched != BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK) {
				return fetched;
			}
		}

		if (!feed->has_ended && feed->order_ns < before_ns) {
			(void)DIAG_FAIL(&part->diag,
					"stream '%s' goes back in time from %lld ns to %lld ns",
					feed_name(feed), (long long)before_ns,
					(long long)feed->order_ns);
			return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_ERROR;
		}
	} while (packing->length < CHUNK_BYTES && !feed->has_ended &&
			(!next || is_before(feed, next)));

	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

/* Fills a chunk; run_part() hands it over. */
static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self_sink)
{
	struct part *part = borrow_part(self_sink);
	bt_component_class_sink_consume_method_status status =
			BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;

	for (size_t i = 0; i < part->feed_count; i++) {
		status = fetch(&part->feeds[i]);
		if (status != BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK) {
			return status;
		}
	}

	while (chunk_queue_open(&part->queue)->length < CHUNK_BYTES) {
		struct part_feed *first;
		struct part_feed *next;

		find_turns(part, &first, &next);
		if (!first) {
			return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
		}

		status = pack_turn(part, first, next);
		if (status != BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK) {
			return status;
		}
	}

	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bt_component_class_get_supported_mip_versions_method_status support_all(
		bt_self_component_class_sink *self_class, const bt_value *params, void *data,
		bt_logging_level log_level, bt_integer_range_set_unsigned *supported_versions)
{
	(void)self_class;
	(void)params;
	(void)data;
	(void)log_level;
	return (bt_component_class_get_supported_mip_versions_method_status)(int)
			bt_integer_range_set_unsigned_add_range(
					supported_versions, 0, bt_get_maximal_mip_version());
}

bt_component_class_sink *load_part_class(void)
{
	bt_component_class_sink *class = bt_component_class_sink_create("part", consume);

	if (class) {
		(void)bt_component_class_sink_set_initialize_method(class, initialize);
		(void)bt_component_class_sink_set_finalize_method(class, finalize);
		(void)bt_component_class_sink_set_graph_is_configured_method(class, make_iterators);
		(void)bt_component_class_sink_set_get_supported_mip_versions_method(
				class, support_all);
	}

	return class;
}

enum csc_status load_part_add_sink(struct part *part, const bt_component_class_sink *class,
		const bt_component_sink **ret_sink, struct diag *diag)
{
	for (size_t i = 0; i < part->feed_count; i++) {
		part->feeds[i].order_ns = INT64_MIN;
	}

	return bt_graph_add_sink_component_with_initialize_method_data(part->graph, class, "part",
			       NULL, part, BT_LOGGING_LEVEL_NONE,
			       ret_sink) == BT_GRAPH_ADD_COMPONENT_STATUS_OK
			? CSC_OK
			: DIAG_NO_MEMORY(diag);
}

/* Adds the record that ends a part that failed. */
static void pack_failure(struct part *part)
{
	struct packing *packing = chunk_queue_open(&part->queue);
	struct packed *record = packing_begin(packing, sizeof(*record));

	if (record) {
		record->kind = PACKED_FAILURE;
		/* At once, when its turn comes. */
		record->order_ns = INT64_MIN;
		(void)packing_end(packing);
	}
}

static void decode(struct part *part)
{
	bt_graph_run_once_status status = part->first;

	while (status == BT_GRAPH_RUN_ONCE_STATUS_OK || status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN) {
		if (!chunk_queue_submit(&part->queue)) {
			return;
		}

		status = bt_graph_run_once(part->graph);
	}

	if (status != BT_GRAPH_RUN_ONCE_STATUS_END) {
		part->error = part->error ? part->error : bt_current_thread_take_error();
		pack_failure(part);
	}

	chunk_queue_end(&part->queue);
}

static void *run_part(void *data)
{
	struct part *part = data;
	struct timespec cpu = { 0 };

	decode(part);
	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	part->cpu_s = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec;
	return NULL;
}

enum csc_status load_part_start(struct part *part, struct diag *diag)
{
	sigset_t all;
	sigset_t before;
	int result;

	/* It makes the iterators; what fails is reported when its turn comes. */
	part->first = bt_graph_run_once(part->graph);
	part->error = bt_current_thread_take_error();
	/* Signals are the merging thread's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&part->thread, NULL, run_part, part);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result != 0) {
		return DIAG_FAIL(diag, "cannot start a thread: %s", strerror(result));
	}

	part->has_thread = true;
	return CSC_OK;
}

void load_part_join(struct part *part)
{
	if (part->has_thread) {
		chunk_queue_stop(&part->queue);
		(void)pthread_join(part->thread, NULL);
		part->has_thread = false;
	}
}

void load_part_finish(struct part *part)
{
	bt_graph_put_ref(part->graph);
	packer_destroy(part->packer);
	if (part->error) {
		bt_error_release(part->error);
	}

	chunk_queue_finish(&part->queue);
	free(part->feeds);
}
