/*
 * SPDX-License-Identifier: MIT
 *
 * What a search has found, as JSON.
 */
#ifndef CSC_ADVICE_JSON_H
#define CSC_ADVICE_JSON_H

#include "advice_text.h"

/* One object, with all that the texts have: advice_print_table(), advice_print(). */
void advice_print_json(const struct advice *advice, FILE *out);

#endif
