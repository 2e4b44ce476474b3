/* SPDX-License-Identifier: MIT */
/*
 * bench_replay DATABASE [RUNTIME]: CPU time of decoding a recording once, and of each of three
 * replays from memory with the recorded flags.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "decoded.h"
#include "replay_internal.h"

#define REPLAYS 3

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int fail(const struct diag *diag)
{
	fprintf(stderr, "bench_replay: %s\n", diag->text);
	return 1;
}

int main(int argc, char **argv)
{
	struct replay_request request = { .path = argc > 1 ? argv[1] : "" };
	struct diag diag = { 0 };
	struct recording_facts facts;
	struct recording *recording;
	double begin = cpu_seconds();
	double seconds;
	double rows;

	request.runtime = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
	recording = recording_open(request.path, request.runtime, &diag);
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
	printf("decode %.2f s, %.2f M rows/s, %" PRId64 " slots\n", seconds, 1e-6 * rows / seconds,
			facts.last_row);
	for (int i = 0; i < REPLAYS; i++) {
		struct outcome outcome = { 0 };

		begin = cpu_seconds();
		if (replay_play(&request, recording, false, REPLAY_BURST, NULL, &outcome, &diag) !=
				CSC_OK) {
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
