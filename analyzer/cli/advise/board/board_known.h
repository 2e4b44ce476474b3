/*
 * SPDX-License-Identifier: MIT
 *
 * Boards that are known by name: the files of examples/boards, which the build puts into the
 * program.
 */
#ifndef CSC_ADVISE_BOARD_KNOWN_H
#define CSC_ADVISE_BOARD_KNOWN_H

#include "board.h"

extern const char known_grisp1_board[];
extern const char known_grisp2_board[];
extern const char known_grisp_nano_board[];

/*
 * The board of that name, or that the file describes (a name with a slash or a dot).  NULL: `diag`
 * says why, or which names there are.
 */
struct board *board_known(const char *name, struct diag *diag);

#endif
