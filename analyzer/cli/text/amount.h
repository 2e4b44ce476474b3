/*
 * SPDX-License-Identifier: MIT
 *
 * Numbers with a unit, as users write them.
 */
#ifndef CSC_AMOUNT_H
#define CSC_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

/* "65536", "64KiB", "64k": bytes, from 1 to 2^40.  False: it is something else. */
bool amount_bytes(const char *text, uint64_t *ret_bytes);

/* "90", "90s", "10m", "2h", "1d": seconds, from 1 to a year.  False: it is something else. */
bool amount_seconds(const char *text, unsigned int *ret_seconds);

#endif
