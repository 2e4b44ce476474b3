/* SPDX-License-Identifier: MIT */
/*
 * What is known of a thread's registers and stack while instructions are followed, not executed.
 *
 * A value is a number, a place on the stack relative to where it began, or unknown; a number that
 * was loaded from a variable of the image remembers from where.
 */
#ifndef CSC_BEAM_MACHINE_H
#define CSC_BEAM_MACHINE_H

#include "image.h"

enum value_kind {
	VALUE_UNKNOWN,
	VALUE_NUMBER,
	VALUE_STACK,
};

struct value {
	enum value_kind kind;
	/* The number, or bytes from where the stack began, as 64 bits of two's complement. */
	uint64_t number;
	/* Address of the variable that it was loaded from; 0: of none. */
	uintptr_t from;
};

#define MACHINE_REGISTERS 32
#define MACHINE_SLOTS 48

struct machine {
	/* As the architecture numbers them; which is the stack's pointer, it knows as well. */
	struct value registers[MACHINE_REGISTERS];

	/* What was written to the stack; 0 bytes: a place that is free. */
	struct {
		int64_t at;
		unsigned int bytes;
		struct value value;
	} slots[MACHINE_SLOTS];
	size_t next_slot;
};

struct value value_number(uint64_t number);

/* The sum; that of two places on the stack is unknown. */
struct value value_add(struct value one, struct value other);

/* What is left of it in so many bytes: 8, 4, else nothing is known. */
struct value value_narrow(struct value value, unsigned int bytes);

/* Reads 4 or 8 bytes at an address, 4 extended by zeroes. */
struct value machine_load(const struct machine *machine, const struct image *image,
		struct value address, unsigned int bytes);

/* Writes to the stack; whatever is written elsewhere is not looked at again. */
void machine_store(struct machine *machine, struct value address, struct value value,
		unsigned int bytes);

#endif
