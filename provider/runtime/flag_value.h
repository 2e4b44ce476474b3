/* SPDX-License-Identifier: MIT */
/*
 * The value of a `+M` flag: reading it, and keeping it.
 */
#ifndef CSC_FLAG_VALUE_H
#define CSC_FLAG_VALUE_H

#include "flag_table.h"
#include "flags.h"

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

/* Flags while they are taken. */
struct flags {
	struct csc_options *options;
	const struct flags_machine *machine;
	struct diag *diag;
	int left;
	char *const *next;

	/* The parameter that is being taken: "+MBas"; and its value. */
	char name[32];
	const char *value;

	/* Weak: a setup of an old release, with which the runtime would not live. */
	const char *old_setup;

	/* Weak: the last value of `+Muycs`; NULL: there is none. */
	const char *ycs_value;
};

/* Takes the value of a flag: what follows its name, or the next argument; a missing one is empty.
 */
void flag_take_value(struct flags *flags, const char *rest);

/*
 * Each returns CSC_ERROR, with a sentence: what the parameter takes; there is none such; not for
 * this allocator.
 */
enum csc_status flag_bad_value(const struct flags *flags, const char *what);
enum csc_status flag_bad(struct diag *diag, const char *flag);
enum csc_status flag_refused(const struct flags *flags, const char *allocator);

/*
 * A number, at most `max` and at most what a signed word holds; blanks and a sign before it and
 * garbage behind the digits do not matter.
 * Source: OTP 25.2.3, whose launcher takes " 7", "+3", "-0" and 9223372036854775807, not "-1" and
 * 9223372036854775808.
 */
enum csc_status flag_count(struct flags *flags, uint64_t max, uint64_t *ret);

/* A number of units of `unit` bytes; one more than fit means all that there are. */
enum csc_status flag_bytes(struct flags *flags, uint64_t unit, uint64_t *ret);

/* Any number that fits into a word. */
enum csc_status flag_amount(struct flags *flags, uint64_t *ret);

/* One of two words. */
enum csc_status flag_choice(struct flags *flags, const char *yes, const char *no, bool *ret);
enum csc_status flag_bool(struct flags *flags, bool *ret);

/* The eight allocators that +Mu... means. */
#define CSC_USERS 8
extern const enum csc_allocator csc_users[CSC_USERS];

/* flag_store.c: reads the value and keeps it; `allocator` only for flags of each allocator. */
enum csc_status flag_store(
		struct flags *flags, const struct flag *flag, enum csc_allocator allocator);

#endif
