/* SPDX-License-Identifier: MIT */
/*
 * Keeps the two builds of the core apart: with 4-byte words every name that crosses a file gets
 * another one, so that one program can link both.
 */
#ifndef CSC_NAMES_H
#define CSC_NAMES_H

#if defined(CSC_WORD_BYTES) && CSC_WORD_BYTES == 4
#include "names32.h"
#endif

#endif
