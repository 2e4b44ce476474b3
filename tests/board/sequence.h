/* SPDX-License-Identifier: MIT */
/*
 * Recorded sequences of heap calls with what the heap of RTEMS made of them, and their replay on
 * the model.  The format is that of ../shared/rtems/README.txt.
 */
#ifndef CSC_SEQUENCE_H
#define CSC_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a replay came to. */
struct sequence_result {
	/* Operations that were replayed, and expectations that were looked at. */
	uint64_t operations;
	uint64_t expectations;
	uint64_t traced;

	/* Expectations that were not met. */
	uint64_t differences;

	/* The heap contradicts itself at the end. */
	bool is_unsound;

	/* The first that is wrong: "line N: sentence"; empty: nothing is. */
	char sentence[256];
};

/*
 * Replays a sequence; both texts end with 0 and are cut to pieces.  `trace` NULL: there is none.
 * `word_bytes` counts when the text does not say it; 0: it must.  False: the text is none that can
 * be replayed, and the sentence says why.
 */
bool sequence_replay(char *text, char *trace, uint32_t word_bytes, struct sequence_result *result);

#endif
