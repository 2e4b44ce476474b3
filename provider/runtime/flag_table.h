/* SPDX-License-Identifier: MIT */
/*
 * The runtime's `+M` flags as one table: what parses them, prints them, documents them and writes
 * them as rows for SQL reads it.
 */
#ifndef CSC_FLAG_TABLE_H
#define CSC_FLAG_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "options.h"

/* How the value of a flag is read, and what is kept of it. */
enum flag_kind {
	/* uint64_t: bytes, given in KiB or MiB; numbers; a share in percent. */
	FLAG_KIB,
	FLAG_MIB,
	FLAG_NUMBER,
	FLAG_PERCENT,
	/* uint64_t: bytes, given in KiB, as an int for mallopt(3). */
	FLAG_MALLOC,
	/* uint64_t: a share in percent up to which a carrier may be abandoned, or de. */
	FLAG_ACUL,
	FLAG_ACFUL,
	/* bool: true or false; on or off; all or no; true, false or code. */
	FLAG_BOOL,
	FLAG_ON,
	FLAG_ALL,
	FLAG_TAGS,
	/* The members of struct csc_allocator_options, see there. */
	FLAG_ENABLED,
	FLAG_THREADS,
	FLAG_POOL,
	/* enum csc_strategy */
	FLAG_STRATEGY,
	/* uint32_t: a number or max. */
	FLAG_DIRTY,
	/* Nothing is kept: one word that must be there; a setup of several options; anything. */
	FLAG_LIBC,
	FLAG_TRUE,
	FLAG_SETUP,
	FLAG_UNUSED_MIB,
	FLAG_UNUSED,
};

/* The struct that has the member. */
enum flag_place {
	FLAG_IN_OPTIONS,
	FLAG_IN_ALLOCATOR,
	FLAG_IN_SETTINGS,
};

/* In the order in which a row is read. NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct flag {
	/* What stands between +M and the name: a letter, "" or, for FLAG_EACH, an allocator's. */
	const char *letter;
	const char *name;
	enum flag_kind kind;

	/* Of the member, in the struct of its place. */
	enum flag_place place;
	size_t offset;

	/* A number below or above is taken for these. */
	uint64_t min;
	uint64_t max;

	/* csc_generation.release: in no release before or after these. */
	uint32_t since;
	uint32_t until;

	/* Only of allocators whose carriers may migrate. */
	bool is_migration;

	/* The name of the option in a recording; NULL: it is not recorded. */
	const char *option;

	/* Recorded as 0 or 1, though it is a bool. */
	bool is_digit;

	/* It is listed by erlang:system_info(allocator), under `name`. */
	bool is_listed;

	/* One sentence. */
	const char *meaning;
};

/* The letter of each flag that any allocator has. */
#define FLAG_EACH "<S>"

/* In the order in which options are recorded, and listed; ends with name NULL. */
extern const struct flag flag_table[];

/* Whether a flag is about single allocators. */
bool flag_is_each(const struct flag *flag);

/* Whether a release has it. */
bool flag_is_known(const struct flag *flag, const struct csc_generation *generation);

/* The struct of the flag's place that lies in the options; of `allocator` if it has one. */
void *flag_base(const struct flag *flag, struct csc_options *options, enum csc_allocator allocator);

/* In which unit the command line takes it: static; KiB, MiB, number or word. */
const char *flag_unit(const struct flag *flag);

/* The value of the member in `base`, as a recording has it; `text` has room for 24 bytes. */
void flag_print(const struct flag *flag, const void *base, char *text);

/* The opposite; false: the value means nothing. */
bool flag_scan(const struct flag *flag, void *base, const char *value);

/* A line for each flag: its name, its unit and what it means. */
void flag_list(FILE *out);

#endif
