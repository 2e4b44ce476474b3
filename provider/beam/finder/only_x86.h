/* SPDX-License-Identifier: MIT */
/* Capstone for x86-64, without its other architectures. */
#ifndef CSC_BEAM_ONLY_X86_H
#define CSC_BEAM_ONLY_X86_H

#include <stdbool.h>

#include <capstone/capstone.h>

/* To be closed by cs_close(); false: there is no memory. */
bool only_x86_open(csh *ret_handle);

#endif
