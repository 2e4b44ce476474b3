/* SPDX-License-Identifier: MIT */
/*
 * What a header promises or asks for, checked in builds without NDEBUG.  The core may not use the C
 * library, so what does not hold traps: the debugger stands where it was seen.
 */
#ifndef CSC_CONTRACT_H
#define CSC_CONTRACT_H

#ifdef NDEBUG
#define CSC_ASSERT(condition) ((void)sizeof(condition))
#else
#define CSC_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#endif

#endif
