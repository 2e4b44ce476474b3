/*
 * SPDX-License-Identifier: MIT
 *
 * Logs of boards (board_text.h) to rows of schema/events/board.sql.
 */
#ifndef CSC_READERS_BOARD_LOG_H
#define CSC_READERS_BOARD_LOG_H

#include "input.h"
#include "store.h"

bool board_log_recognise(const char *head, size_t length);

enum csc_status board_log_read(struct reader_input *input, struct store *store, struct diag *diag);

#endif
