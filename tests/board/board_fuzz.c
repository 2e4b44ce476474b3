/* SPDX-License-Identifier: MIT */
/* Board files from nowhere: refused with a sentence, or a board whose system comes up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag diag = { 0 };
	char *text = malloc(size + 1);
	struct board *board;

	if (!text) {
		abort();
	}
	memcpy(text, data, size);
	text[size] = 0;
	board = board_parse(text, "fuzz", &diag);
	if (!board && !diag.text[0]) {
		abort();
	}
	if (board && (!board->heap.bytes || board->page_bytes < board->word_bytes)) {
		abort();
	}
	board_destroy(board);
	free(text);
	return 0;
}
