/*
 * SPDX-License-Identifier: MIT
 *
 * Advice as text and as lines for the user's own file.
 */
#ifndef CSC_ADVICE_TEXT_H
#define CSC_ADVICE_TEXT_H

#include <stdio.h>

#include "advice.h"

/*
 * What no flag can go below and all that was replayed in full; then the advised lines with their
 * prediction, or why there are none.
 */
void advice_print_text(const struct advice *advice, FILE *out);

#endif
