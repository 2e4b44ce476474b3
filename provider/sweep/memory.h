/* SPDX-License-Identifier: MIT */
/* Memory of processes: what replays may take together. */
#ifndef CSC_MEMORY_H
#define CSC_MEMORY_H

#include <stdint.h>
#include <sys/types.h>

/* Half of what this machine has available now, in bytes; UINT64_MAX: it does not say. */
uint64_t memory_budget(void);

/* Bytes that a process has for itself: resident, of no file; 0: it is gone. */
uint64_t memory_of(pid_t pid);

#endif
