/* SPDX-License-Identifier: MIT */
/*
 * A variable of each thread that is reached without a call: in glibc in the threads' first block.
 * musl loads no library later that has such variables there; its own way to others takes no memory,
 * so it may be used in an allocator.
 */
#ifndef CSC_BEAM_FAST_LOCAL_H
#define CSC_BEAM_FAST_LOCAL_H

#include <features.h>

#ifdef __GLIBC__
#define FAST_LOCAL __attribute__((tls_model("initial-exec")))
#else
#define FAST_LOCAL
#endif

#endif
