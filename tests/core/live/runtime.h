/* SPDX-License-Identifier: MIT */
/*
 * A private allocator of the running emulator, driven through its exported `erts_alc_test`.
 *
 * What the operation numbers mean was found by calling them; what lies in front of a block and at
 * the start of a carrier is described in facts/allocator-core.md 1.1 and 2.1.
 */
#ifndef CSC_LIVE_RUNTIME_H
#define CSC_LIVE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "csc.h"
#include "diag.h"

/* Parameters a private allocator may be given, and the length of one. */
#define RUNTIME_PARAMETERS 24
#define RUNTIME_PARAMETER_BYTES 40

/* What all allocators of the emulator share; given by its command line. */
struct runtime_shared {
	uint64_t ycs;
	uint64_t mmc;
	bool sac;
};

/* A running allocator. */
struct runtime {
	/* Borrowed: what erts_alc_test calls it. */
	uintptr_t allocator;

	/* As the runtime prints them; "25". */
	const char *release;
	struct csc_settings settings;
	uint64_t unit_bytes;
	uint64_t mbc_header;
	uint64_t sbc_header;
	uint64_t min_block;
};

struct runtime_carrier {
	uint64_t address;
	uint64_t size_bytes;
	bool is_single;
	bool is_mseg;
};

struct runtime_block {
	/* Of the header. */
	uint64_t address;
	uint64_t size_bytes;
	uint64_t carrier;
	bool is_free;
	bool is_last;
};

/* Looks up what the emulator exports; false: `diag` names what is missing. */
bool runtime_load(struct diag *diag);

/* Starts an allocator; `parameters` are those of `+M<letter>`, without the letter. */
bool runtime_start(struct runtime *runtime, const struct runtime_shared *shared,
		char (*parameters)[RUNTIME_PARAMETER_BYTES], size_t count, struct diag *diag);
/* All blocks must be free. */
void runtime_stop(struct runtime *runtime);

/* Addresses are those of user memory; 0: none. */
uint64_t runtime_alloc(struct runtime *runtime, uint64_t bytes);
uint64_t runtime_realloc(struct runtime *runtime, uint64_t block, uint64_t bytes);
void runtime_free(struct runtime *runtime, uint64_t block);

/* Another sbct from now on; false: it stays.  Only where the emulator exports that. */
bool runtime_can_set_sbct(void);
bool runtime_set_sbct(struct runtime *runtime, uint64_t bytes);

/* The living carriers: multi-block ones first, each kind from old to new; 0 ends the list. */
uint64_t runtime_first_carrier(const struct runtime *runtime, bool is_single);
uint64_t runtime_next_carrier(const struct runtime *runtime, uint64_t carrier);
void runtime_carrier(uint64_t address, struct runtime_carrier *ret_carrier);

/* The allocated block with this user address. */
void runtime_user_block(
		const struct runtime *runtime, uint64_t user, struct runtime_block *ret_block);
/* The block with its header at `address`, in a carrier. */
void runtime_walk_block(uint64_t address, struct runtime_block *ret_block);

/* The figures of now; false: they have another shape than is known here. */
bool runtime_statistics(
		struct runtime *runtime, bool is_new_period, struct csc_statistics *ret_statistics);

#endif
