/* SPDX-License-Identifier: MIT */
/*
 * bench_replay DATABASE [RUNTIME [REPLAYS]]: CPU time of decoding a recording once and the memory
 * that is left of it, and CPU time of each of three replays, or so many, from memory with the
 * recorded flags.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "decoded.h"
#include "replay_check.h"

#define REPLAYS 3L

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Of this process, in memory; 0: unknown. */
static double resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	char line[128] = "";
	char *second = line;
	long pages;

	if (file) {
		(void)fgets(line, sizeof(line), file);
		fclose(file);
	}
	/* The first number is of addresses. */
	(void)strtol(line, &second, 10);
	pages = strtol(second, NULL, 10);
	return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static int fail(const struct diag *diag)
{
	fprintf(stderr, "bench_replay: %s\n", diag->text);
	return 1;
}

int main(int argc, char **argv)
{
	struct check_request request = { .replay.path = argc > 1 ? argv[1] : "" };
	struct diag diag = { 0 };
	struct recording_facts facts;
	struct recording_span span;
	struct recording *recording;
	long replays = argc > 3 ? strtol(argv[3], NULL, 10) : REPLAYS;
	double before = resident_bytes();
	double begin = cpu_seconds();
	double seconds;
	double rows;

	request.replay.runtime = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
	recording = recording_open(request.replay.path, request.replay.runtime, &diag);
	if (!recording) {
		return fail(&diag);
	}
	recording_facts(recording, &facts);
	rows = (double)(facts.last_row - facts.first_row) + 1;
	if (recording_decode(recording, NULL, DECODED_MEMORY_BYTES, &diag) != CSC_OK) {
		recording_close(recording);
		return fail(&diag);
	}
	seconds = cpu_seconds() - begin;
	recording_facts(recording, &facts);
	recording_span(recording, &span);
	printf("decode %.2f s, %.2f M rows/s, %" PRId64 " slots, %.1f bytes a call\n", seconds,
			1e-6 * rows / seconds, facts.last_row,
			(resident_bytes() - before) / (double)span.steps);
	for (long i = 0; i < replays; i++) {
		struct check_outcome outcome = { 0 };

		begin = cpu_seconds();
		if (check_play(&request, recording, false, &outcome, &diag) != CSC_OK) {
			recording_close(recording);
			return fail(&diag);
		}
		seconds = cpu_seconds() - begin;
		printf("replay %.2f s, %.2f M calls/s, peak %" PRIu64 " bytes\n", seconds,
				1e-6 * (double)outcome.counts.calls / seconds,
				outcome.space.peak_bytes);
	}
	recording_close(recording);
	return 0;
}
