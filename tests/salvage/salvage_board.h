/*
 * SPDX-License-Identifier: MIT
 *
 * A copy of a trace for each test to damage, and the salvage of it.
 * Babeltrace's own command reads the results.
 */
#ifndef CSC_SALVAGE_BOARD_H
#define CSC_SALVAGE_BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "salvage.h"

enum {
	PATH_BYTES = 4096,
	COMMAND_BYTES = 3 * PATH_BYTES,
	PACKETS_MAX = 512,

	/* Offsets in a packet's front. */
	AT_UUID = 4,
	AT_END_TIME = 40,
	AT_CONTENT = 48,
	AT_PACKET = 56,
	FRONT_BYTES = 84,
};

/* The trace that is copied: one directory with LTTng streams in or below it. */
extern const char *source_trace;

/*
 * Metadata of CTF 1.8, by LTTng, of a trace that is of CTF 2: with it any Babeltrace reads the
 * same streams.  NULL: the trace is of CTF 1.8 itself.
 */
extern const char *other_metadata;

struct fixture {
	char root[PATH_BYTES];

	/* The copy to damage, and the directory of its largest stream. */
	char input[PATH_BYTES];
	char directory[PATH_BYTES];
	char stream[PATH_BYTES];
	char metadata[PATH_BYTES];
	uint64_t stream_bytes;

	/* An undamaged copy that Babeltrace reads; what it reads is in reference.txt. */
	char reference[PATH_BYTES];

	uint64_t packet[PACKETS_MAX];
	size_t packet_count;

	/* Events of the undamaged trace, and with the stream left out. */
	long events;
	long events_without_stream;

	struct salvage *salvage;
};

/* Setup and teardown of a test. */
int fixture_make(void **state);
int fixture_remove(void **state);

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)

/* Runs a command, yields the first line of what it prints (static storage). */
char *shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes into a file, and reads a number from one; offsets in bytes. */
void bytes_put(const char *path, uint64_t offset, const void *bytes, size_t count);
uint64_t u64_get(const char *path, uint64_t offset);

/*
 * Runs the salvage; the input stays as it is, and Babeltrace reads all that comes out.  Yields how
 * many events; -1: it is refused, see `diag`.
 */
long salvaged(struct fixture *f, const char *metadata_file, struct diag *diag);

/* The same of the trace in another folder, into a folder beside; what was read is in `text`. */
long salvaged_into(struct fixture *f, const char *input, const char *metadata_file,
		const char *text, struct diag *diag);

/* One to four damages of one kind each, anywhere in a stream or its metadata (or NULL). */
void damage(const struct fixture *f, const char *stream, const char *metadata, uint64_t *seed);

/* The first loss of a kind, which there must be. */
const struct salvage_loss *loss_of(const struct fixture *f, enum salvage_loss_kind kind);

/* The groups of tests, one a file; each yields how many failed. */
int salvage_stream_tests(void);
int salvage_metadata_tests(void);
int salvage_forms_tests(void);

/* Of a trace with every class of field. */
int salvage_classes_tests(void);

#endif
