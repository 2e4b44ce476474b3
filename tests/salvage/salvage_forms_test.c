/*
 * SPDX-License-Identifier: MIT
 *
 * A trace in CTF 2, beside the same in CTF 1.8.
 */
#include "salvage_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	RECORD_SEPARATOR = 0x1e,
	FRAGMENTS_MAX = 64,
	LOSSES_MAX = 16384,
	DAMAGED_STREAMS = 40,
};

/* Where fragments begin, and behind the last where the metadata ends. */
static size_t fragments_find(const struct fixture *f, uint64_t *ret_begin)
{
	FILE *file = fopen(f->metadata, "rbe");
	size_t count = 0;
	uint64_t at = 0;
	int c;

	assert_non_null(file);
	for (; (c = fgetc(file)) != EOF; at++) {
		if (c == RECORD_SEPARATOR) {
			assert_in_range(count, 0, FRAGMENTS_MAX - 2);
			ret_begin[count++] = at;
		}
	}
	(void)fclose(file);
	ret_begin[count] = at;
	return count;
}

static void restore(const struct fixture *f)
{
	(void)shell("rm -rf '%s' && cp -a '%s' '%s'", f->input, source_trace, f->input);
}

static void a_sound_trace_says_the_same_as_in_ctf_1_8(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	assert_true(f->events > 0);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	assert_string_equal(
			shell("cmp '%s.txt' '%s/salvaged.txt' && echo same", f->reference, f->root),
			"same");
}

/* Each by itself is left out, and the packets say what it said. */
static void a_damaged_fragment_costs_no_event(void **state)
{
	struct fixture *f = *state;
	uint64_t begin[FRAGMENTS_MAX];
	size_t count = fragments_find(f, begin);

	assert_in_range(count, 5, FRAGMENTS_MAX);
	for (size_t i = 0; i < count; i++) {
		struct diag diag = { .file = NULL };
		char place[64];

		restore(f);
		bytes_put(f->metadata, (begin[i] + begin[i + 1]) / 2, "\1", 1);
		assert_int_equal(salvaged(f, NULL, &diag), f->events);
		(void)snprintf(place, sizeof(place), "at byte %" PRIu64 ";", begin[i]);
		if (!strstr(loss_of(f, SALVAGE_METADATA_REMADE)->sentence, "anew")) {
			assert_non_null(strstr(
					loss_of(f, SALVAGE_METADATA_REMADE)->sentence, place));
		}
	}
}

static void cut_metadata_costs_no_event(void **state)
{
	struct fixture *f = *state;
	uint64_t begin[FRAGMENTS_MAX];
	size_t count = fragments_find(f, begin);

	for (size_t i = 0; i < count; i++) {
		struct diag diag = { .file = NULL };

		restore(f);
		assert_int_equal(truncate(f->metadata, (off_t)(begin[i] + begin[i + 1]) / 2), 0);
		assert_int_equal(salvaged(f, NULL, &diag), f->events);
		(void)loss_of(f, SALVAGE_METADATA_REMADE);
	}
}

/* All losses as text, less the names of the folder. */
static void losses_print(const struct fixture *f, const char *folder, char *text)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; f->salvage && i < salvage_loss_count(f->salvage); i++) {
		const struct salvage_loss *loss = salvage_loss_at(f->salvage, i);
		bool is_below = strncmp(loss->file, folder, strlen(folder)) == 0;

		assert_true(is_below);
		assert_in_range(at, 0, LOSSES_MAX - 1);
		at += (size_t)snprintf(text + at, LOSSES_MAX - at,
				"%d %s %" PRIu64 "+%" PRIu64 " %" PRId64 "..%" PRId64 " %" PRIu64
				" %d: %s\n",
				(int)loss->kind, loss->file + strlen(folder), loss->offset_bytes,
				loss->length_bytes, loss->begin_ns, loss->end_ns, loss->packets,
				loss->is_seen_by_reader, loss->sentence);
	}
}

static void streams_damaged_alike_are_salvaged_alike(void **state)
{
	struct fixture *f = *state;
	static char losses[2][LOSSES_MAX];
	uint64_t seed = UINT64_C(20260202);
	char other[PATH_BYTES + 16];
	char text[2][PATH_BYTES + 16];
	long damaged = 0;

	(void)snprintf(other, sizeof(other), "%s/other", f->root);
	(void)snprintf(text[0], sizeof(text[0]), "%s/a.txt", f->root);
	(void)snprintf(text[1], sizeof(text[1]), "%s/b.txt", f->root);
	for (int i = 0; i < DAMAGED_STREAMS; i++) {
		struct diag diag[2] = { { .file = NULL }, { .file = NULL } };
		long events[2];

		restore(f);
		if (i == 0) {
			assert_int_equal(unlink(f->stream), 0);
		} else {
			damage(f, f->stream, NULL, &seed);
		}
		(void)shell("rm -rf '%s' '%s' '%s' && cp -a '%s' '%s' && cp '%s' '%s%s'", other,
				text[0], text[1], f->input, other, other_metadata, other,
				f->metadata + strlen(f->input));
		events[0] = salvaged_into(f, f->input, NULL, text[0], &diag[0]);
		losses_print(f, f->input, losses[0]);
		events[1] = salvaged_into(f, other, NULL, text[1], &diag[1]);
		losses_print(f, other, losses[1]);
		assert_int_equal(events[0], events[1]);
		assert_string_equal(losses[0], losses[1]);
		if (events[0] >= 0) {
			assert_string_equal(shell("cmp '%s' '%s' && echo same", text[0], text[1]),
					"same");
		}
		damaged += events[0] >= 0 && events[0] < f->events;
	}
	/* What was compared had losses. */
	assert_in_range(damaged, DAMAGED_STREAMS / 2, DAMAGED_STREAMS);
}

static void metadata_that_is_nothing_is_named(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	(void)shell("rm -rf '%s' && mkdir '%s' && printf '\\036{\"type\": \"preamble\", \"version\": 2}"
		    "\\036{\"type' >'%s/metadata'",
			f->input, f->input, f->input);
	assert_int_equal(salvaged(f, NULL, &diag), -1);
	assert_non_null(strstr(diag.text, "/in/metadata' is not sound CTF metadata at byte 35,"));
	assert_null(strchr(diag.text, '\n'));
}

int salvage_forms_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(a_sound_trace_says_the_same_as_in_ctf_1_8),
		CASE(a_damaged_fragment_costs_no_event),
		CASE(cut_metadata_costs_no_event),
		CASE(streams_damaged_alike_are_salvaged_alike),
		CASE(metadata_that_is_nothing_is_named),
	};

	return cmocka_run_group_tests_name("salvage: forms", tests, NULL, NULL);
}

int salvage_classes_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(a_sound_trace_says_the_same_as_in_ctf_1_8),
	};

	return cmocka_run_group_tests_name("salvage: classes", tests, NULL, NULL);
}
