/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata and indexes that are damaged or missing, and what is no trace.
 */
#include "salvage_board.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void metadata_is_made_anew(struct fixture *f)
{
	struct diag diag = { .file = NULL };
	char names[64];

	/* Names and values are the same; times of day are not known. */
	(void)snprintf(names, sizeof(names), "%s",
			shell("cut -d' ' -f3- '%s.txt' | sed 's/([^)]*) [^ ]* //' | sort | md5sum",
					f->reference));
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	assert_non_null(strstr(loss_of(f, SALVAGE_METADATA_REMADE)->sentence, "anew"));
	if (salvage_trace_count(f->salvage) == 1) {
		assert_int_equal(
				strtol(shell("cut -d: -f4- '%s.txt' | cut -d, -f1 | sort >'%s.a'; "
					     "cut -d: -f4- '%s/salvaged.txt' | cut -d, -f1 | sort | "
					     "diff - '%s.a' | wc -l",
						       f->reference, f->reference, f->root,
						       f->reference),
						NULL, 10),
				0);
	}
}

static void empty_metadata_is_made_anew(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(truncate(f->metadata, 0), 0);
	metadata_is_made_anew(f);
}

static void missing_metadata_is_made_anew(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(unlink(f->metadata), 0);
	metadata_is_made_anew(f);
}

static void half_metadata_keeps_its_clock(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	char first[64];

	(void)snprintf(first, sizeof(first), "%s",
			shell("head -1 '%s.txt' | cut -d' ' -f1", f->reference));
	assert_int_equal(truncate(f->metadata, 4096), 0);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	if (salvage_trace_count(f->salvage) == 1) {
		assert_string_equal(
				first, shell("head -1 '%s/salvaged.txt' | cut -d' ' -f1", f->root));
	}
}

static void a_siblings_metadata_serves(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	char sibling[PATH_BYTES + 16];

	(void)snprintf(sibling, sizeof(sibling), "%s/sibling", f->root);
	if (other_metadata) {
		/* The first number is of the UUID. */
		(void)shell("sed '0,/^ *[0-9]/s/[0-9][0-9]*/77/' '%s' >'%s' && ! cmp -s '%s' '%s'",
				f->metadata, sibling, f->metadata, sibling);
	} else {
		(void)shell("babeltrace2 -o ctf-metadata '%s' | "
			    "sed 's/uuid = \"......../uuid = \"01234567/' >'%s'",
				f->directory, sibling);
	}
	assert_int_equal(unlink(f->metadata), 0);
	assert_int_equal(salvaged(f, sibling, &diag), f->events);
	assert_non_null(strstr(loss_of(f, SALVAGE_METADATA_REMADE)->sentence, "sibling"));
}

static void a_wrong_index_is_reported_and_not_used(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	char index[PATH_BYTES * 2];

	(void)snprintf(index, sizeof(index), "%s/index/%s.idx", f->directory,
			strrchr(f->stream, '/') + 1);
	if (access(index, W_OK) != 0) {
		skip();
	}
	bytes_put(index, 16 + 8, "\0\0\0\0\0\0\1\0", 8);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	(void)loss_of(f, SALVAGE_INDEX_WRONG);
}

static void a_foreign_file_is_left_out(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	(void)shell("echo 'not a stream' >'%s/notes.txt'", f->directory);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	assert_int_equal(loss_of(f, SALVAGE_FOREIGN_FILE)->length_bytes, 13);
}

static void what_is_no_trace_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	(void)shell("rm -rf '%s' && mkdir '%s' && echo x >'%s/metadata' && echo y >'%s/channel0_0'",
			f->input, f->input, f->input, f->input);
	assert_int_equal(salvaged(f, NULL, &diag), -1);
	assert_non_null(strstr(diag.text, "/in/metadata'"));
}

static void an_empty_directory_is_an_error(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };

	(void)shell("rm -rf '%s' && mkdir '%s'", f->input, f->input);
	assert_int_equal(salvaged(f, NULL, &diag), -1);
	assert_non_null(strstr(diag.text, "/in'"));
}

int salvage_metadata_tests(void)
{
	static const struct CMUnitTest tests[] = {
		CASE(empty_metadata_is_made_anew),
		CASE(missing_metadata_is_made_anew),
		CASE(half_metadata_keeps_its_clock),
		CASE(a_siblings_metadata_serves),
		CASE(a_wrong_index_is_reported_and_not_used),
		CASE(a_foreign_file_is_left_out),
		CASE(what_is_no_trace_is_an_error),
		CASE(an_empty_directory_is_an_error),
	};

	return cmocka_run_group_tests_name("salvage: metadata", tests, NULL, NULL);
}
