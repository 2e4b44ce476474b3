/* SPDX-License-Identifier: MIT */
/* What a fuzz target is: one function, called by libFuzzer or by replay.c. */
#ifndef CSC_FUZZ_H
#define CSC_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
