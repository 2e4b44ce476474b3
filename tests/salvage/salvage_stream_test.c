/*
 * SPDX-License-Identifier: MIT
 *
 * Streams that are cut, flipped, zeroed or empty.
 */
#include "salvage_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void a_sound_trace_is_handed_on_whole(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	assert_true(f->events > 0);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	assert_int_equal(salvage_loss_count(f->salvage), 0);
}

static void a_cut_stream_keeps_what_is_before_the_cut(void **state)
{
	struct fixture *f = *state;

	for (size_t i = f->packet_count; i-- > 0;) {
		uint64_t content = u64_get(f->stream, f->packet[i] + AT_CONTENT) / 8;
		const uint64_t cuts[] = { content - 1, content / 2, FRONT_BYTES, FRONT_BYTES - 1,
			10, 1 };
		long most = f->events;

		for (size_t j = 0; j < sizeof(cuts) / sizeof(*cuts); j++) {
			struct diag diag = { .file = NULL };
			const struct salvage_loss *loss;
			long events;

			if (cuts[j] < FRONT_BYTES - 1 && f->packet[i] == 0 && i > 0) {
				continue;
			}
			if (truncate(f->stream, (off_t)(f->packet[i] + cuts[j])) != 0) {
				fail();
			}
			events = salvaged(f, NULL, &diag);
			if (i == 0 && cuts[j] < FRONT_BYTES && events == -1) {
				continue;
			}
			assert_in_range(events, f->events_without_stream, most);
			most = events;
			if (i > 0 && cuts[j] >= FRONT_BYTES) {
				loss = loss_of(f, SALVAGE_PACKET_CUT);
				assert_true(loss->has_interval);
				assert_true(loss->begin_ns <= loss->end_ns);
				assert_true(loss->offset_bytes >= f->packet[i]);
			}
		}
	}
}

static void padding_that_is_cut_costs_nothing(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	uint64_t last = f->packet[f->packet_count - 1];
	uint64_t content = u64_get(f->stream, last + AT_CONTENT) / 8;

	assert_int_equal(truncate(f->stream, (off_t)(last + content)), 0);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
}

/* What a damaged front costs: the events of the packet, measured by doing without it. */
static void front_damage(
		struct fixture *f, size_t packet, uint64_t at, const void *bytes, size_t count)
{
	struct diag diag = { .file = NULL };
	const struct salvage_loss *loss;
	long events;

	bytes_put(f->stream, f->packet[packet] + at, bytes, count);
	events = salvaged(f, NULL, &diag);
	assert_in_range(events, f->events_without_stream, f->events - 1);
	loss = loss_of(f, f->packet_count > 1 ? SALVAGE_HEADER_DAMAGED : SALVAGE_FOREIGN_FILE);
	assert_int_equal(loss->offset_bytes, f->packet[packet]);
	if (f->packet_count > 1) {
		uint64_t end = packet + 1 < f->packet_count ? f->packet[packet + 1]
							    : f->stream_bytes;

		assert_int_equal(loss->length_bytes, end - f->packet[packet]);
		assert_int_equal(loss->packets, 1);
		assert_int_equal(loss->is_seen_by_reader,
				packet > 0 && packet + 1 < f->packet_count);
	}
}

static void a_flipped_magic_costs_one_packet(void **state)
{
	struct fixture *f = *state;

	front_damage(f, f->packet_count / 2, 0, "\xde\xad\xbe\xef", 4);
}

static void a_flipped_uuid_costs_one_packet(void **state)
{
	struct fixture *f = *state;

	front_damage(f, f->packet_count / 2, AT_UUID, "\xff\xff", 2);
}

static void the_first_packet_may_be_the_bad_one(void **state)
{
	struct fixture *f = *state;

	front_damage(f, 0, 0, "\0\0\0\0", 4);
}

static void a_time_that_ends_before_it_begins_costs_one_packet(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	bytes_put(f->stream, f->packet[f->packet_count / 2] + AT_END_TIME, "\1\0\0\0\0\0\0\0", 8);
	assert_in_range(salvaged(f, NULL, &diag), f->events_without_stream, f->events - 1);
	assert_int_equal(loss_of(f, SALVAGE_HEADER_DAMAGED)->offset_bytes,
			f->packet[f->packet_count / 2]);
}

static void a_zeroed_packet_is_passed_over(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	size_t i = f->packet_count / 2;
	uint64_t end = i + 1 < f->packet_count ? f->packet[i + 1] : f->stream_bytes;
	size_t count = (size_t)(end - f->packet[i]);
	void *zeroes = calloc(1, count);

	assert_non_null(zeroes);
	bytes_put(f->stream, f->packet[i], zeroes, count);
	free(zeroes);
	assert_in_range(salvaged(f, NULL, &diag), f->events_without_stream, f->events - 1);
}

static void flipped_events_cost_the_tail_of_their_packet(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	size_t i = f->packet_count / 2;
	uint64_t content = u64_get(f->stream, f->packet[i] + AT_CONTENT) / 8;
	const struct salvage_loss *loss;
	char junk[64];

	if (content < FRONT_BYTES + 1024) {
		skip();
	}
	memset(junk, 0xff, sizeof(junk));
	bytes_put(f->stream, f->packet[i] + content / 2, junk, sizeof(junk));
	assert_in_range(salvaged(f, NULL, &diag), f->events_without_stream, f->events - 1);
	loss = loss_of(f, SALVAGE_PACKET_UNDECODABLE);
	assert_int_equal(loss->packets, 1);
	assert_false(loss->is_seen_by_reader);
	assert_in_range(loss->offset_bytes, f->packet[i] + FRONT_BYTES,
			f->packet[i] + content / 2 + sizeof(junk));
}

static void an_empty_stream_is_known_by_its_index(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	const struct salvage_loss *loss;

	assert_int_equal(truncate(f->stream, 0), 0);
	assert_int_equal(salvaged(f, NULL, &diag), f->events_without_stream);
	loss = loss_of(f, SALVAGE_STREAM_EMPTY);
	assert_int_equal(loss->packets, f->packet_count);
	assert_true(loss->has_interval);
	assert_false(loss->is_seen_by_reader);
}

int salvage_stream_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(a_sound_trace_is_handed_on_whole),
		CASE(a_cut_stream_keeps_what_is_before_the_cut),
		CASE(padding_that_is_cut_costs_nothing),
		CASE(a_flipped_magic_costs_one_packet),
		CASE(a_flipped_uuid_costs_one_packet),
		CASE(the_first_packet_may_be_the_bad_one),
		CASE(a_time_that_ends_before_it_begins_costs_one_packet),
		CASE(a_zeroed_packet_is_passed_over),
		CASE(flipped_events_cost_the_tail_of_their_packet),
		CASE(an_empty_stream_is_known_by_its_index),
	};

	return cmocka_run_group_tests_name("salvage: streams", tests, NULL, NULL);
}
