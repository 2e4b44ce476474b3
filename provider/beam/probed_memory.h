/* SPDX-License-Identifier: MIT */
/*
 * Memory that may not be there: a wrong pointer is an answer, and no fault.
 *
 * What is read is written into a file in memory, which is mapped: whatever cannot be read, the
 * kernel refuses to write.  That is one system call, by a pipe two; process_vm_readv() takes twice
 * as long, and a filter of system calls may punish it with death.  The files stay open for good, as
 * a thread may use one at any time; a child by fork() has none.
 */
#ifndef CSC_BEAM_PROBED_MEMORY_H
#define CSC_BEAM_PROBED_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In one call. */
#define PROBED_MOST_BYTES ((size_t)8192)
#define PROBED_MOST_PIECES ((size_t)64)

/* Opens the files, once; false: the system has none in memory (Linux before 3.17), or the process
 * may have no more.  One caller at a time. */
bool probed_memory_open(void);

/* A piece of memory. */
struct probed_piece {
	uintptr_t address;
	size_t bytes;
};

/*
 * Reads pieces, one behind the other, after probed_memory_open().  False: not all can be read, they
 * are too many, or many threads read just now.  Errno may be lost.
 */
bool probed_memory_read(const struct probed_piece *pieces, size_t count, void *ret_bytes);

#endif
