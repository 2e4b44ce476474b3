/*
 * SPDX-License-Identifier: MIT
 *
 * Damages copies of a real trace in every way we know, and checks what is left.
 * The trace is named by CSC_TEST_TRACE or the first argument: one directory with
 * LTTng streams in or below it.  Babeltrace's own command reads the results.
 * Of a trace in CTF 2 a second argument has metadata of CTF 1.8; two more are a trace with every
 * class of field that LTTng's macros have, and its metadata.
 */
#include "salvage_board.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <babeltrace2/babeltrace.h>

enum { MUTANTS = 200 };

/* Babeltrace 2.0.4 leaks 32 bytes for each metadata file that it refuses. */
const char *__lsan_default_suppressions(void); // NOLINT: the sanitizer's name
const char *__lsan_default_suppressions(void)  // NOLINT
{
	return "leak:babeltrace-plugin-ctf";
}

static void any_damage_yields_a_readable_copy_or_an_error(void **state)
{
	struct fixture *f = *state;
	const char *given = getenv("CSC_TEST_SEED");	  // NOLINT(concurrency-mt-unsafe)
	const char *mutants = getenv("CSC_TEST_MUTANTS"); // NOLINT(concurrency-mt-unsafe)
	uint64_t seed = given ? strtoull(given, NULL, 0) : UINT64_C(20260101);
	long count = mutants ? strtol(mutants, NULL, 10) : MUTANTS;
	long errors = 0;
	long kept = 0;

	print_message("seed %" PRIu64 ", %ld mutants\n", seed, count);
	for (long i = 0; i < count; i++) {
		struct diag diag = { .file = NULL };
		uint64_t start = seed;
		long events;

		(void)shell("rm -rf '%s' && cp -a '%s' '%s'", f->input, source_trace, f->input);
		damage(f, f->stream, f->metadata, &seed);
		events = salvaged(f, NULL, &diag);
		if (events > f->events) {
			fail_msg("mutant %ld of seed %" PRIu64 " has %ld events of %ld", i, start,
					events, f->events);
		}
		errors += events < 0;
		kept += events > 0 ? events : 0;
	}
	print_message("%ld refused, %ld of %ld events kept\n", errors, kept, count * f->events);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest mutants[] = {
		CASE(any_damage_yields_a_readable_copy_or_an_error),
	};
	static const bt_plugin *plugin;
	int failed;

	source_trace = argc > 1 ? argv[1] : getenv("CSC_TEST_TRACE"); // NOLINT
	other_metadata = argc > 2 ? argv[2] : NULL;
	if (!source_trace) {
		(void)fputs("no trace: give a directory, or CSC_TEST_TRACE\n", stderr);
		return 77;
	}
	/* Held to the end, so that the plugin stays loaded and its leaks keep their name. */
	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) != 0) {
		return 1;
	}
	failed = salvage_stream_tests() + salvage_metadata_tests() +
			(other_metadata ? salvage_forms_tests() : 0) +
			cmocka_run_group_tests_name("salvage: mutants", mutants, NULL, NULL);
	if (argc > 4) {
		source_trace = argv[3];
		other_metadata = argv[4];
		failed += salvage_classes_tests();
	}
	return failed;
}
