/*
 * SPDX-License-Identifier: MIT
 *
 * Boards by name.
 */
#include "board_known.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name;
	const char *text;
} known[] = {
	{ "grisp1", known_grisp1_board },
	{ "grisp2", known_grisp2_board },
	{ "grisp-nano", known_grisp_nano_board },
};

struct board *board_known(const char *name, struct diag *diag)
{
	if (strpbrk(name, "/.")) {
		return board_read(name, diag);
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(name, known[i].name) == 0) {
			char *text = strdup(known[i].text);
			struct board *board = text ? board_parse(text, name, diag) : NULL;

			if (!text) {
				(void)DIAG_NO_MEMORY(diag);
			}
			free(text);
			return board;
		}
	}
	(void)DIAG_FAIL(diag,
			"unknown board '%s': grisp1, grisp2, grisp-nano, or the path of a board file, such as "
			"./my.board (carrierscope-twin(1), BOARD FILES)",
			name);
	return NULL;
}
