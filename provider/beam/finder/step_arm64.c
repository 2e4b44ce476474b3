/* SPDX-License-Identifier: MIT */
/*
 * arm64: each instruction has 4 bytes, and few kinds of them move addresses.
 * Source: Arm Architecture Reference Manual for A-profile, C4.1 (encodings by group).
 */
#include "step.h"

#if defined(__aarch64__)

#include <string.h>

#define SP 31
#define LINK 30
#define STEP_BYTES 4

/* Registers that a function leaves as they were: x19 to x29, and the stack's pointer. */
#define FIRST_KEPT 19
#define LAST_KEPT 29

struct stepper {
	char unused;
};

static struct stepper only;
static const struct value unknown = { .kind = VALUE_UNKNOWN };

struct stepper *stepper_new(void)
{
	return &only;
}

void stepper_free(struct stepper *stepper)
{
	(void)stepper;
}

void step_enter(struct machine *machine)
{
	*machine = (struct machine){ .next_slot = 0 };
	machine->registers[SP].kind = VALUE_STACK;
}

struct value step_argument(const struct machine *machine)
{
	return value_narrow(machine->registers[0], 4);
}

void step_into(struct machine *machine)
{
	machine->registers[LINK] = unknown;
}

void step_out(struct machine *machine)
{
	(void)machine;
}

void step_over(struct machine *machine)
{
	for (size_t i = 0; i < MACHINE_REGISTERS; i++) {
		if (i < FIRST_KEPT || (i > LAST_KEPT && i != SP)) {
			machine->registers[i] = unknown;
		}
	}
}

/* Bits FROM to FROM + COUNT - 1. */
static uint32_t bits(uint32_t word, unsigned int from, unsigned int count)
{
	return word >> from & ((UINT32_C(1) << count) - 1);
}

static int64_t signed_bits(uint32_t word, unsigned int from, unsigned int count)
{
	int64_t value = bits(word, from, count);

	return value >= INT64_C(1) << (count - 1) ? value - (INT64_C(1) << count) : value;
}

/* Register 31 is 0 where it is not the stack's pointer. */
static struct value get(const struct machine *machine, uint32_t number, unsigned int bytes)
{
	return number == 31 ? value_number(0) : value_narrow(machine->registers[number], bytes);
}

static void set(struct machine *machine, uint32_t number, struct value value, unsigned int bytes)
{
	if (number != 31) {
		machine->registers[number] = value_narrow(value, bytes);
	}
}

static struct value plus(struct value value, int64_t distance)
{
	return value_add(value, value_number((uint64_t)distance));
}

/* adr, adrp; addition and subtraction of numbers; movn, movz, movk. */
static bool apply_numbers(struct machine *machine, uint32_t word, uintptr_t at)
{
	uint32_t rd = bits(word, 0, 5);
	unsigned int bytes = word >> 31 ? 8 : 4;
	unsigned int shift = 16 * bits(word, 21, 2);
	struct value part = value_number((uint64_t)bits(word, 5, 16) << shift);
	int64_t distance;

	if (bits(word, 24, 5) == 0x10) {
		distance = signed_bits(word, 5, 19) * 4 + bits(word, 29, 2);
		set(machine, rd,
				value_number(word >> 31 ? (at & ~UINT64_C(4095)) +
										(uint64_t)distance *
												4096
							: at + (uint64_t)distance),
				8);
		return true;
	}
	if (bits(word, 23, 6) == 0x22 && bits(word, 29, 1) == 0) {
		distance = (int64_t)bits(word, 10, 12) << (bits(word, 22, 1) ? 12 : 0);
		/* Here 31 is the stack's pointer. */
		machine->registers[rd] = value_narrow(
				plus(machine->registers[bits(word, 5, 5)],
						bits(word, 30, 1) ? -distance : distance),
				bytes);
		return true;
	}
	if (bits(word, 23, 6) == 0x25 && bits(word, 29, 2) == 2) {
		set(machine, rd, part, bytes);
		return true;
	}
	if (bits(word, 23, 6) == 0x25 && bits(word, 29, 2) == 0) {
		part.number = ~part.number;
		set(machine, rd, part, bytes);
		return true;
	}
	if (bits(word, 23, 6) == 0x25 && bits(word, 29, 2) == 3 &&
			get(machine, rd, 8).kind == VALUE_NUMBER) {
		part.number |= get(machine, rd, 8).number & ~(UINT64_C(0xffff) << shift);
		set(machine, rd, part, bytes);
		return true;
	}
	return false;
}

/* Moves between registers, sums and shifts of them, and what is left of one by a mask of low bits.
 */
static bool apply_registers(struct machine *machine, uint32_t word)
{
	uint32_t rd = bits(word, 0, 5);
	unsigned int bytes = word >> 31 ? 8 : 4;
	struct value one = get(machine, bits(word, 5, 5), bytes);
	struct value other = get(machine, bits(word, 16, 5), bytes);
	uint32_t amount = bits(word, 10, 6);

	/* orr and add with a register that is shifted to the left. */
	if ((bits(word, 21, 10) == 0x150 || bits(word, 21, 10) == 0x058)) {
		if (amount > 0 && other.kind == VALUE_NUMBER) {
			other = value_number(other.number << amount);
		} else if (amount > 0) {
			other = unknown;
		}
		if (bits(word, 21, 10) == 0x058) {
			set(machine, rd, value_add(one, other), bytes);
		} else if (bits(word, 5, 5) == 31) {
			set(machine, rd, other, bytes);
		} else {
			set(machine, rd, unknown, bytes);
		}
		return true;
	}
	/* ubfm: shifts and fields without a sign. */
	if (bits(word, 23, 8) == 0xa6 && one.kind == VALUE_NUMBER) {
		uint32_t width = 8 * bytes;
		uint32_t rotated = bits(word, 16, 6);

		if (rotated <= amount) {
			one.number = one.number << (63 - amount) >> (63 - amount) >> rotated;
		} else {
			one.number = (one.number & ((UINT64_C(2) << amount) - 1))
					<< (width - rotated);
		}
		set(machine, rd, value_number(one.number), bytes);
		return true;
	}
	/* and with the lowest bits. */
	if (bits(word, 23, 8) == 0x24 && bits(word, 16, 6) == 0 && one.kind == VALUE_NUMBER &&
			amount < 31) {
		set(machine, rd, value_number(one.number & ((UINT64_C(2) << amount) - 1)), bytes);
		return true;
	}
	return false;
}

/* The register that addresses, moved if the instruction does so; RET: the address that is used. */
static struct value take_base(struct machine *machine, uint32_t rn, int64_t distance, uint32_t mode)
{
	struct value base = machine->registers[rn];
	struct value moved = plus(base, distance);

	/* 0: not moved; 1: after the access; 3: before it. */
	if (mode == 1 || mode == 3) {
		machine->registers[rn] = moved;
	}
	return mode == 1 ? base : moved;
}

/* ldp and stp. */
static bool apply_pair(struct machine *machine, const struct image *image, uint32_t word)
{
	unsigned int bytes = word >> 31 ? 8 : 4;
	int64_t distance = signed_bits(word, 15, 7) * (int64_t)bytes;
	uint32_t mode = bits(word, 23, 2);
	uint32_t first = bits(word, 0, 5);
	uint32_t second = bits(word, 10, 5);
	struct value address;

	if (bits(word, 25, 5) != 0x14 || bits(word, 30, 1) != 0) {
		return false;
	}
	address = take_base(machine, bits(word, 5, 5), distance, mode);
	if (bits(word, 22, 1)) {
		struct value one = machine_load(machine, image, address, bytes);
		struct value other = machine_load(machine, image, plus(address, bytes), bytes);

		set(machine, first, one, bytes);
		set(machine, second, other, bytes);
	} else {
		machine_store(machine, address, get(machine, first, bytes), bytes);
		machine_store(machine, plus(address, bytes), get(machine, second, bytes), bytes);
	}
	return true;
}

/* ldr and str of a register, 4 or 8 bytes. */
static bool apply_single(struct machine *machine, const struct image *image, uint32_t word)
{
	unsigned int bytes = bits(word, 30, 1) ? 8 : 4;
	uint32_t rt = bits(word, 0, 5);
	uint32_t rn = bits(word, 5, 5);
	struct value address;

	if (word >> 31 == 0 || bits(word, 26, 4) != 0xe || bits(word, 23, 1) != 0) {
		return false;
	}
	if (bits(word, 24, 2) == 1) {
		address = plus(machine->registers[rn], (int64_t)bits(word, 10, 12) * bytes);
	} else if (bits(word, 24, 2) == 0 && bits(word, 21, 1) == 0) {
		/* Unscaled, after, not privileged, before. */
		address = take_base(machine, rn, signed_bits(word, 12, 9), bits(word, 10, 2));
	} else if (bits(word, 24, 2) == 0 && bits(word, 13, 3) == 3 && bits(word, 10, 2) == 2) {
		struct value index = get(machine, bits(word, 16, 5), 8);

		if (bits(word, 12, 1) && index.kind == VALUE_NUMBER) {
			index = value_number(index.number * bytes);
		} else if (bits(word, 12, 1)) {
			index = unknown;
		}
		address = value_add(machine->registers[rn], index);
	} else {
		return false;
	}
	if (bits(word, 22, 1)) {
		set(machine, rt, machine_load(machine, image, address, bytes), bytes);
	} else {
		machine_store(machine, address, get(machine, rt, bytes), bytes);
	}
	return true;
}

/* Jumps, calls and returns; false: it is none. */
static bool find_way(const struct machine *machine, uint32_t word, uintptr_t at, struct step *step)
{
	uint32_t rn = bits(word, 5, 5);

	if (bits(word, 26, 5) == 5) {
		step->kind = word >> 31 ? STEP_CALL : STEP_JUMP;
		step->target = value_number(at + (uint64_t)(signed_bits(word, 0, 26) * 4));
	} else if (bits(word, 24, 8) == 0x54 || bits(word, 25, 6) == 0x1a) {
		/* b.cond, cbz, cbnz. */
		step->kind = STEP_BRANCH;
		step->target = value_number(at + (uint64_t)(signed_bits(word, 5, 19) * 4));
	} else if (bits(word, 25, 6) == 0x1b) {
		/* tbz, tbnz. */
		step->kind = STEP_BRANCH;
		step->target = value_number(at + (uint64_t)(signed_bits(word, 5, 14) * 4));
	} else if ((word & 0xfffffc1f) == 0xd61f0000 || (word & 0xfffffc1f) == 0xd63f0000) {
		step->kind = bits(word, 21, 1) ? STEP_CALL : STEP_JUMP;
		step->target = get(machine, rn, 8);
	} else if ((word & 0xfffffc1f) == 0xd65f0000) {
		step->kind = STEP_RETURN;
	} else {
		return false;
	}
	return true;
}

/* Whatever it may write is unknown. */
static void spoil(struct machine *machine, uint32_t word)
{
	set(machine, bits(word, 0, 5), unknown, 8);
	/* Loads and stores may write two more; the stack's pointer is moved by those that are
	 * known. */
	if (bits(word, 25, 3) == 4 || bits(word, 25, 3) == 6) {
		set(machine, bits(word, 5, 5), unknown, 8);
		set(machine, bits(word, 10, 5), unknown, 8);
	}
}

struct step step_one(struct stepper *stepper, const struct image *image, uintptr_t at,
		struct machine *machine)
{
	struct step step = { .kind = STEP_END, .bytes = STEP_BYTES };
	const void *from;
	uint32_t word;

	(void)stepper;
	if (at % STEP_BYTES != 0 || !image_is_readable(image, at, STEP_BYTES)) {
		return step;
	}
	memcpy(&from, &at, sizeof(from));
	memcpy(&word, from, sizeof(word));
	if (find_way(machine, word, at, &step)) {
		return step;
	}
	step.kind = STEP_ON;
	/* Hints, such as those where a call may arrive, change nothing. */
	if ((word & 0xfffff01f) != 0xd503201f && !apply_numbers(machine, word, at) &&
			!apply_registers(machine, word) && !apply_pair(machine, image, word) &&
			!apply_single(machine, image, word)) {
		spoil(machine, word);
	}
	return step;
}

#endif
