/* SPDX-License-Identifier: MIT */
/*
 * sequence_test FILE...: replays recorded sequences of heap calls (*.txt, plain or compressed),
 * each with the trace beside it (*.trace.gz) when there is one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "sequence.h"

#define SKIPPED 77

/* A whole file, compressed or not; NULL: it cannot be read. */
static char *read_all(const char *path)
{
	gzFile file = gzopen(path, "rb");
	size_t room = 1 << 16;
	size_t used = 0;
	char *text = malloc(room);
	int got = 0;

	while (file && text && (got = gzread(file, text + used, (unsigned)(room - used - 1))) > 0) {
		used += (size_t)got;
		if (used + 1 == room) {
			char *larger = realloc(text, room *= 2);

			if (!larger) {
				break;
			}
			text = larger;
		}
	}
	if (file) {
		gzclose(file);
	}
	if (!file || !text || got < 0) {
		free(text);
		return NULL;
	}
	text[used] = 0;
	return text;
}

/* The trace that stands beside "NAME.txt" or "NAME.txt.gz"; NULL: there is none. */
static char *read_trace(const char *path)
{
	static const char *const endings[] = { ".txt.gz", ".txt" };
	static const char *const traces[] = { ".trace.gz", ".trace" };
	char name[4096];
	size_t stem = strlen(path);

	for (size_t i = 0; i < 2; i++) {
		size_t length = strlen(endings[i]);

		if (stem > length && strcmp(path + stem - length, endings[i]) == 0) {
			stem -= length;
			break;
		}
	}
	for (size_t i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%.*s%s", (int)stem, path, traces[i]);
		if (access(name, R_OK) == 0) {
			return read_all(name);
		}
	}
	return NULL;
}

static bool replay_file(const char *path)
{
	uint32_t word_bytes = strstr(path, ".w32.") ? 4 : strstr(path, ".w64.") ? 8 : 0;
	struct sequence_result result = { 0 };
	char *text = read_all(path);
	char *trace = read_trace(path);
	bool is_good = false;

	if (!text) {
		fprintf(stderr, "%s: cannot be read\n", path);
	} else if (!sequence_replay(text, trace, word_bytes, &result)) {
		fprintf(stderr, "%s: %s\n", path, result.sentence);
	} else if (result.differences) {
		fprintf(stderr, "%s: %" PRIu64 " differences, first %s\n", path, result.differences,
				result.sentence);
	} else if (!result.operations || !result.expectations) {
		fprintf(stderr, "%s: nothing to replay or nothing to compare\n", path);
	} else {
		printf("%s: %" PRIu64 " operations (%" PRIu64 " addresses), %" PRIu64
		       " expectations: equal\n",
				path, result.operations, result.traced, result.expectations);
		is_good = true;
	}
	free(text);
	free(trace);
	return is_good;
}

int main(int argc, char **argv)
{
	int failures = 0;

	for (int i = 1; i < argc; i++) {
		if (access(argv[i], R_OK) != 0) {
			printf("SKIPPED: no recorded sequence '%s'\n", argv[i]);
			return SKIPPED;
		}
		failures += !replay_file(argv[i]);
	}
	return argc > 1 && !failures ? EXIT_SUCCESS : EXIT_FAILURE;
}
