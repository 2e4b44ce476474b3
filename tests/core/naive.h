/* SPDX-License-Identifier: MIT */
/*
 * A naive strategy: a list of free blocks, searched from end to end as the specification reads.
 *
 * It is put around the real one of an instance and fails the test when they differ.
 * Source: SOURCES.md 4.
 */
#ifndef CSC_NAIVE_H
#define CSC_NAIVE_H

#include <stddef.h>

#include "instance.h"

/* Forgets everything. */
void naive_reset(void);

/* From now on every choice of the instance is checked. */
void naive_watch(struct csc_instance *instance);

/* Choices that were compared. */
size_t naive_choices(void);

/* Free blocks that are known, over all instances. */
size_t naive_blocks(void);

#endif
