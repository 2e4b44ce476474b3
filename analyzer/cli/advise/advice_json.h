/*
 * SPDX-License-Identifier: MIT
 *
 * What a search has found, as JSON.
 */
#ifndef CSC_ADVICE_JSON_H
#define CSC_ADVICE_JSON_H

#include <stdio.h>

#include "advice.h"

/* One object, with all that the text has. */
void advice_print_json(const struct advice *advice, FILE *out);

#endif
