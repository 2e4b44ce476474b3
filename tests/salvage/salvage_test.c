/*
 * SPDX-License-Identifier: MIT
 *
 * Damages copies of a real trace in every way we know, and checks what is left.
 * The trace is named by CSC_TEST_TRACE or the first argument: one directory with
 * LTTng streams in or below it.  Babeltrace's own command reads the results.
 */
#include "salvage.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>
#include <cmocka.h>

enum {
	PATH_BYTES = 4096,
	COMMAND_BYTES = 3 * PATH_BYTES,
	PACKETS_MAX = 512,
	MUTANTS = 200,

	/* Offsets in a packet's front. */
	AT_UUID = 4,
	AT_END_TIME = 40,
	AT_CONTENT = 48,
	AT_PACKET = 56,
	FRONT_BYTES = 84,
};

/* Babeltrace 2.0.4 leaks 32 bytes for each metadata file that it refuses. */
const char *__lsan_default_suppressions(void); // NOLINT: the sanitizer's name
const char *__lsan_default_suppressions(void)  // NOLINT
{
	return "leak:babeltrace-plugin-ctf";
}

static const char *source_trace;

struct fixture {
	char root[PATH_BYTES];

	/* The copy to damage, and the directory of its largest stream. */
	char input[PATH_BYTES];
	char directory[PATH_BYTES];
	char stream[PATH_BYTES];
	char metadata[PATH_BYTES];
	uint64_t stream_bytes;

	uint64_t packet[PACKETS_MAX];
	size_t packet_count;

	/* Events of the undamaged trace, and with the stream left out. */
	long events;
	long events_without_stream;

	struct salvage *salvage;
};

static char *shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs a command, yields the first line of what it prints (static storage). */
static char *shell(const char *format, ...)
{
	static char line[PATH_BYTES];
	char command[COMMAND_BYTES];
	va_list arguments;
	FILE *pipe = NULL;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, one line above */
	(void)vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	pipe = popen(command, "r"); // NOLINT(cert-env33-c): a test may use the shell
	line[0] = '\0';
	if (pipe) {
		if (!fgets(line, sizeof(line), pipe)) {
			line[0] = '\0';
		}
		(void)pclose(pipe);
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Events that Babeltrace reads; -1 when it fails. */
static long events_read(const char *directory)
{
	const char *text = shell(
			"babeltrace2 '%s' >'%s.txt' 2>/dev/null && wc -l <'%s.txt' || echo -1",
			directory, directory, directory);

	return strtol(text, NULL, 10);
}

static void digest(const struct fixture *f, char *ret_digest)
{
	(void)snprintf(ret_digest, 128, "%s",
			shell("cd '%s' && (find . -printf '%%p %%T@ %%s %%m\\n' | sort; "
			      "find . -type f -print0 | sort -z | xargs -0 -r md5sum) | md5sum",
					f->input));
}

static void bytes_put(const char *path, uint64_t offset, const void *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, count, (off_t)offset), count);
	(void)close(fd);
}

static uint64_t u64_get(const char *path, uint64_t offset)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), (off_t)offset), sizeof(bytes));
	(void)close(fd);
	for (size_t i = 8; i > 0; i--) {
		value = value << 8 | bytes[i - 1];
	}
	return value;
}

static int fixture_make(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct stat about;

	if (!f) {
		return -1;
	}
	*state = f;
	(void)snprintf(f->root, sizeof(f->root), "/tmp/salvage_test.XXXXXX");
	if (!mkdtemp(f->root)) {
		return -1;
	}
	(void)snprintf(f->input, sizeof(f->input), "%s", f->root);
	(void)strncat(f->input, "/in", 4);
	(void)shell("cp -a '%s' '%s'", source_trace, f->input);
	(void)snprintf(f->stream, sizeof(f->stream), "%s",
			shell("find '%s' -type f ! -name metadata ! -name '*.idx' -printf '%%s %%p\\n' | "
			      "sort -rn | head -1 | cut -d' ' -f2-",
					f->input));
	if (stat(f->stream, &about) != 0) {
		return -1;
	}
	f->stream_bytes = (uint64_t)about.st_size;
	(void)snprintf(f->directory, sizeof(f->directory), "%s", f->stream);
	*strrchr(f->directory, '/') = '\0';
	(void)snprintf(f->metadata, sizeof(f->metadata), "%s", f->directory);
	(void)strncat(f->metadata, "/metadata", 10);
	for (uint64_t at = 0; at < f->stream_bytes && f->packet_count < PACKETS_MAX;) {
		f->packet[f->packet_count++] = at;
		at += u64_get(f->stream, at + AT_PACKET) / 8;
	}
	f->events = events_read(f->input);
	(void)shell("cp -a '%s' '%s/less' && rm '%s/less%s'", f->input, f->root, f->root,
			f->stream + strlen(f->input));
	f->events_without_stream = strtol(
			shell("babeltrace2 '%s/less' 2>/dev/null | wc -l", f->root), NULL, 10);
	return 0;
}

static int fixture_remove(void **state)
{
	struct fixture *f = *state;

	salvage_destroy(f->salvage);
	(void)shell("rm -rf '%s'", f->root);
	free(f);
	return 0;
}

/* Runs the salvage; the input stays as it is, and Babeltrace reads all that comes out. */
static long salvaged(struct fixture *f, const char *metadata_file, struct diag *diag)
{
	const char *inputs[] = { f->input };
	char work[PATH_BYTES + 8];
	char before[128];
	char after[128];
	enum csc_status status;
	long events = 0;

	salvage_destroy(f->salvage);
	f->salvage = NULL;
	(void)snprintf(work, sizeof(work), "%s/work", f->root);
	(void)shell("rm -rf '%s'", work);
	digest(f, before);
	status = salvage_run(inputs, 1, metadata_file, work, &f->salvage, diag);
	digest(f, after);
	assert_string_equal(before, after);
	if (status != CSC_OK) {
		assert_int_equal(status, CSC_ERROR);
		assert_true(diag->text[0] != '\0');
		assert_int_not_equal(access(work, F_OK), 0);
		return -1;
	}
	for (size_t i = 0; i < salvage_trace_count(f->salvage); i++) {
		long read = events_read(salvage_trace_dir(f->salvage, i));

		assert_true(read >= 0);
		events += read;
	}
	return events;
}

static const struct salvage_loss *loss_of(const struct fixture *f, enum salvage_loss_kind kind)
{
	for (size_t i = 0; i < salvage_loss_count(f->salvage); i++) {
		if (salvage_loss_at(f->salvage, i)->kind == kind) {
			return salvage_loss_at(f->salvage, i);
		}
	}
	fail_msg("no loss of kind %d", (int)kind);
	return NULL;
}

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

static void an_empty_stream_is_told_by_its_index(void **state)
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

static void metadata_is_made_anew(struct fixture *f)
{
	struct diag diag = { .file = NULL };
	char names[64];

	/* Names and values are the same; times of day are not known. */
	(void)snprintf(names, sizeof(names), "%s",
			shell("cut -d' ' -f3- '%s.txt' | sed 's/([^)]*) [^ ]* //' | sort | md5sum",
					f->input));
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	assert_non_null(strstr(loss_of(f, SALVAGE_METADATA_REMADE)->sentence, "anew"));
	if (salvage_trace_count(f->salvage) == 1) {
		assert_int_equal(strtol(shell("cut -d: -f4- '%s.txt' | cut -d, -f1 | sort >'%s.a'; "
					      "cut -d: -f4- '%s.txt' | cut -d, -f1 | sort | "
					      "diff - '%s.a' | wc -l",
							f->input, f->input,
							salvage_trace_dir(f->salvage, 0), f->input),
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
			shell("babeltrace2 '%s' | head -1 | cut -d' ' -f1", f->input));
	assert_int_equal(truncate(f->metadata, 4096), 0);
	assert_int_equal(salvaged(f, NULL, &diag), f->events);
	if (salvage_trace_count(f->salvage) == 1) {
		assert_string_equal(first,
				shell("head -1 '%s.txt' | cut -d' ' -f1",
						salvage_trace_dir(f->salvage, 0)));
	}
}

static void a_siblings_metadata_serves(void **state)
{
	struct fixture *f = *state;
	struct diag diag = { .file = NULL };
	char sibling[PATH_BYTES + 16];

	(void)snprintf(sibling, sizeof(sibling), "%s/sibling", f->root);
	(void)shell("babeltrace2 -o ctf-metadata '%s' | sed 's/uuid = \"......../uuid = \"01234567/' "
		    ">'%s'",
			f->directory, sibling);
	assert_int_equal(unlink(f->metadata), 0);
	assert_int_equal(salvaged(f, sibling, &diag), f->events);
	assert_non_null(strstr(loss_of(f, SALVAGE_METADATA_REMADE)->sentence, "sibling"));
}

static void a_wrong_index_is_told_and_not_used(void **state)
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

static uint64_t random_next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* One to four damages of one kind each, anywhere in streams or metadata. */
static void damage(struct fixture *f, uint64_t *seed)
{
	uint64_t count = random_next(seed) % 4 + 1;

	for (uint64_t i = 0; i < count; i++) {
		const char *path = random_next(seed) % 8 == 0 ? f->metadata : f->stream;
		uint64_t front = f->packet[random_next(seed) % f->packet_count];
		struct stat about;
		uint8_t bytes[16];
		uint64_t at;

		if (stat(path, &about) != 0 || about.st_size < (off_t)sizeof(bytes)) {
			continue;
		}
		for (size_t j = 0; j < sizeof(bytes); j++) {
			bytes[j] = (uint8_t)random_next(seed);
		}
		at = random_next(seed) % ((uint64_t)about.st_size - sizeof(bytes) + 1);
		switch (random_next(seed) % 4) {
		case 0:
			assert_int_equal(truncate(path, (off_t)at), 0);
			break;
		case 1:
			bytes_put(path, at, bytes, random_next(seed) % sizeof(bytes) + 1);
			break;
		default:
			at = path == f->stream ? front + random_next(seed) % FRONT_BYTES : at;
			if (at + sizeof(bytes) <= (uint64_t)about.st_size) {
				bytes_put(path, at, bytes, random_next(seed) % 4 + 1);
			}
			break;
		}
	}
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
		damage(f, &seed);
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
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_make, fixture_remove)
	const struct CMUnitTest tests[] = {
		CASE(a_sound_trace_is_handed_on_whole),
		CASE(a_cut_stream_keeps_what_is_before_the_cut),
		CASE(padding_that_is_cut_costs_nothing),
		CASE(a_flipped_magic_costs_one_packet),
		CASE(a_flipped_uuid_costs_one_packet),
		CASE(the_first_packet_may_be_the_bad_one),
		CASE(a_time_that_ends_before_it_begins_costs_one_packet),
		CASE(a_zeroed_packet_is_passed_over),
		CASE(flipped_events_cost_the_tail_of_their_packet),
		CASE(an_empty_stream_is_told_by_its_index),
		CASE(empty_metadata_is_made_anew),
		CASE(missing_metadata_is_made_anew),
		CASE(half_metadata_keeps_its_clock),
		CASE(a_siblings_metadata_serves),
		CASE(a_wrong_index_is_told_and_not_used),
		CASE(a_foreign_file_is_left_out),
		CASE(what_is_no_trace_is_an_error),
		CASE(an_empty_directory_is_an_error),
		CASE(any_damage_yields_a_readable_copy_or_an_error),
	};

	static const bt_plugin *plugin;

	source_trace = argc > 1 ? argv[1] : getenv("CSC_TEST_TRACE"); // NOLINT
	if (!source_trace) {
		(void)fputs("no trace: give a directory, or CSC_TEST_TRACE\n", stderr);
		return 77;
	}
	/* Held to the end, so that the plugin stays loaded and its leaks keep their name. */
	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &plugin) != 0) {
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
