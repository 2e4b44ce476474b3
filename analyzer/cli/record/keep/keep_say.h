/*
 * SPDX-License-Identifier: MIT
 *
 * What a keeper does, a line each on standard output, with its time.
 */
#ifndef CSC_KEEP_SAY_H
#define CSC_KEEP_SAY_H

void keep_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
