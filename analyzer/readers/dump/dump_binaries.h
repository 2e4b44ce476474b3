/*
 * SPDX-License-Identifier: MIT
 *
 * Which process of a dump refers to which binary outside its heap: sections =proc_heap, which list
 * what the process can reach, and =binary, which have the sizes.
 *
 * Memory is bounded: 48 MiB for references, each binary of a process once, and 32 MiB for sizes.
 */
#ifndef CSC_READERS_DUMP_BINARIES_H
#define CSC_READERS_DUMP_BINARIES_H

#include <stdbool.h>
#include <stdint.h>

#include "reader.h"
#include "text.h"

struct dump_binaries;

/* NULL: there is no memory.  dump_binaries_close() frees it. */
struct dump_binaries *dump_binaries_open(void);
void dump_binaries_close(struct dump_binaries *binaries);

/* A section =proc_heap of that process begins, and has a line; false: there is no memory for it. */
void dump_binaries_process(struct dump_binaries *binaries, struct text pid);
bool dump_binaries_heap_line(struct dump_binaries *binaries, struct text line);

/* A section =binary of that address, in hexadecimal, has so many bytes. */
bool dump_binaries_size(struct dump_binaries *binaries, struct text address, int64_t size_bytes);

/* Writes a row of process_binaries for each process that has some, and forgets all. */
void dump_binaries_write(struct dump_binaries *binaries, struct store *store, int64_t snapshot);

#endif
