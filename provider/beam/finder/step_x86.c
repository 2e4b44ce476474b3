/* SPDX-License-Identifier: MIT */
/* x86-64, decoded by Capstone, which is linked in. */
#include "step.h"

#if defined(__x86_64__) && defined(CSC_HAS_CAPSTONE)

#include <stdlib.h>

#include "only_x86.h"

#define RSP 4
#define RBP 5
#define RDI 7
#define MOST_INSTRUCTION_BYTES 15

struct stepper {
	csh handle;
	cs_insn *instruction;
};

/* By the numbers that instructions have for them: of 8, 4, 2 and 1 bytes, and the second byte. */
#define LETTER(c)                                                                                \
	{                                                                                        \
		X86_REG_R##c##X, X86_REG_E##c##X, X86_REG_##c##X, X86_REG_##c##L, X86_REG_##c##H \
	}
#define POINTER(c)                                                                       \
	{                                                                                \
		X86_REG_R##c, X86_REG_E##c, X86_REG_##c, X86_REG_##c##L, X86_REG_INVALID \
	}
#define DIGIT(n)                                                                                 \
	{                                                                                        \
		X86_REG_R##n, X86_REG_R##n##D, X86_REG_R##n##W, X86_REG_R##n##B, X86_REG_INVALID \
	}
#define NAMES ((size_t)5)
static const x86_reg names[16][NAMES] = { LETTER(A), LETTER(C), LETTER(D), LETTER(B), POINTER(SP),
	POINTER(BP), POINTER(SI), POINTER(DI), DIGIT(8), DIGIT(9), DIGIT(10), DIGIT(11), DIGIT(12),
	DIGIT(13), DIGIT(14), DIGIT(15) };

/* Those that a function leaves as they were: rbx, rsp, rbp, r12 to r15. */
static const bool is_kept[16] = {
	[3] = true, [4] = true, [5] = true, [12] = true, [13] = true, [14] = true, [15] = true
};

struct stepper *stepper_new(void)
{
	struct stepper *stepper = calloc(1, sizeof(*stepper));

	if (!stepper) {
		return NULL;
	}
	if (!only_x86_open(&stepper->handle)) {
		free(stepper);
		return NULL;
	}
	stepper->instruction = cs_malloc(stepper->handle);
	if (!stepper->instruction) {
		stepper_free(stepper);
		return NULL;
	}
	return stepper;
}

void stepper_free(struct stepper *stepper)
{
	if (!stepper) {
		return;
	}
	if (stepper->instruction) {
		cs_free(stepper->instruction, 1);
	}
	(void)cs_close(&stepper->handle);
	free(stepper);
}

void step_enter(struct machine *machine)
{
	*machine = (struct machine){ .next_slot = 0 };
	machine->registers[RSP].kind = VALUE_STACK;
}

struct value step_argument(const struct machine *machine)
{
	return value_narrow(machine->registers[RDI], 4);
}

void step_into(struct machine *machine)
{
	machine->registers[RSP].number -= 8;
}

void step_out(struct machine *machine)
{
	machine->registers[RSP].number += 8;
}

void step_over(struct machine *machine)
{
	for (size_t i = 0; i < 16; i++) {
		if (!is_kept[i]) {
			machine->registers[i] = (struct value){ .kind = VALUE_UNKNOWN };
		}
	}
}

/* The register's number and width in bytes; false: it is of another kind. */
static bool find_register(x86_reg name, size_t *ret_number, unsigned int *ret_bytes)
{
	for (size_t i = 0; i < 16 * NAMES; i++) {
		if (name != X86_REG_INVALID && names[i / NAMES][i % NAMES] == name) {
			*ret_number = i / NAMES;
			*ret_bytes = 8U >> (i % NAMES);
			return true;
		}
	}
	return false;
}

static struct value read_register(const struct machine *machine, x86_reg name)
{
	size_t number;
	unsigned int bytes;

	if (!find_register(name, &number, &bytes)) {
		return (struct value){ .kind = VALUE_UNKNOWN };
	}
	return value_narrow(machine->registers[number], bytes);
}

static struct value address_of(
		const struct machine *machine, const cs_insn *instruction, const cs_x86_op *operand)
{
	const x86_op_mem *memory = &operand->mem;
	struct value address = value_number((uint64_t)memory->disp);

	if (memory->segment != X86_REG_INVALID) {
		return (struct value){ .kind = VALUE_UNKNOWN };
	}
	if (memory->base == X86_REG_RIP) {
		address.number += instruction->address + instruction->size;
	} else if (memory->base != X86_REG_INVALID) {
		address = value_add(address, read_register(machine, memory->base));
	}
	if (memory->index != X86_REG_INVALID) {
		struct value index = read_register(machine, memory->index);

		index.number *= (uint64_t)memory->scale;
		if (index.kind == VALUE_STACK) {
			index.kind = VALUE_UNKNOWN;
		}
		address = value_add(address, index);
	}
	return address;
}

static struct value read_operand(const struct image *image, const struct machine *machine,
		const cs_insn *instruction, const cs_x86_op *operand)
{
	switch (operand->type) {
	case X86_OP_REG:
		return read_register(machine, operand->reg);
	case X86_OP_IMM:
		return value_number((uint64_t)operand->imm);
	case X86_OP_MEM:
		return machine_load(machine, image, address_of(machine, instruction, operand),
				operand->size);
	default:
		return (struct value){ .kind = VALUE_UNKNOWN };
	}
}

static void write_operand(struct machine *machine, const cs_insn *instruction,
		const cs_x86_op *operand, struct value value)
{
	size_t number;
	unsigned int bytes;

	if (operand->type == X86_OP_MEM) {
		machine_store(machine, address_of(machine, instruction, operand), value,
				operand->size);
	} else if (operand->type == X86_OP_REG && find_register(operand->reg, &number, &bytes)) {
		machine->registers[number] = value_narrow(value, bytes);
	}
}

static struct value calculate(unsigned int operation, struct value one, struct value other)
{
	if (operation == X86_INS_ADD) {
		return value_add(one, other);
	}
	if (other.kind != VALUE_NUMBER || one.kind == VALUE_UNKNOWN) {
		return (struct value){ .kind = VALUE_UNKNOWN };
	}
	one.from = 0;
	switch (operation) {
	case X86_INS_SUB:
		one.number -= other.number;
		return one;
	case X86_INS_AND:
		/* Of the stack's pointer, which is aligned so. */
		one.number &= other.number;
		return one;
	case X86_INS_OR:
		one.number |= other.number;
		break;
	case X86_INS_SHL:
	case X86_INS_SAL:
		one.number <<= other.number & 63;
		break;
	case X86_INS_SHR:
		one.number >>= other.number & 63;
		break;
	default:
		one.kind = VALUE_UNKNOWN;
		break;
	}
	return one.kind == VALUE_NUMBER ? one : (struct value){ .kind = VALUE_UNKNOWN };
}

/* Whatever it writes is unknown. */
static void spoil(
		const struct stepper *stepper, const cs_insn *instruction, struct machine *machine)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	cs_regs read;
	cs_regs written;
	uint8_t read_count = 0;
	uint8_t written_count = 0;
	struct value unknown = { .kind = VALUE_UNKNOWN };

	(void)cs_regs_access(
			stepper->handle, instruction, read, &read_count, written, &written_count);
	for (uint8_t i = 0; i < written_count; i++) {
		size_t number;
		unsigned int bytes;

		if (find_register(written[i], &number, &bytes)) {
			machine->registers[number] = unknown;
		}
	}
	for (uint8_t i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type == X86_OP_MEM &&
				(x86->operands[i].access & CS_AC_WRITE) != 0) {
			machine_store(machine, address_of(machine, instruction, &x86->operands[i]),
					unknown, x86->operands[i].size);
		}
	}
}

static void push(struct machine *machine, struct value value)
{
	machine->registers[RSP].number -= 8;
	machine_store(machine, machine->registers[RSP], value, 8);
}

static struct value pop(struct machine *machine, const struct image *image)
{
	struct value value = machine_load(machine, image, machine->registers[RSP], 8);

	machine->registers[RSP].number += 8;
	return value;
}

/* Moves and arithmetic; false: it is neither. */
static bool apply(const struct image *image, struct machine *machine, const cs_insn *instruction)
{
	const cs_x86_op *operands = instruction->detail->x86.operands;
	struct value second = read_operand(image, machine, instruction, &operands[1]);
	struct value value;

	switch (instruction->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		value = second;
		break;
	case X86_INS_LEA:
		value = address_of(machine, instruction, &operands[1]);
		break;
	case X86_INS_MOVSXD:
		value = value_narrow(second, 4);
		value.number = (uint64_t)(int64_t)(int32_t)value.number;
		break;
	case X86_INS_CDQE:
		value = value_narrow(machine->registers[0], 4);
		value.number = (uint64_t)(int64_t)(int32_t)value.number;
		machine->registers[0] = value;
		return true;
	case X86_INS_XOR:
		if (operands[0].type != X86_OP_REG || operands[1].type != X86_OP_REG ||
				operands[0].reg != operands[1].reg) {
			return false;
		}
		value = value_number(0);
		break;
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_SHL:
	case X86_INS_SAL:
	case X86_INS_SHR:
		/* A shift by one has the one left out. */
		value = calculate(instruction->id,
				read_operand(image, machine, instruction, &operands[0]),
				instruction->detail->x86.op_count < 2 ? value_number(1) : second);
		break;
	default:
		return false;
	}
	write_operand(machine, instruction, &operands[0], value);
	return true;
}

/* Instructions that know the stack; false: it is none. */
static bool apply_stack(
		const struct image *image, struct machine *machine, const cs_insn *instruction)
{
	const cs_x86_op *operand = &instruction->detail->x86.operands[0];

	switch (instruction->id) {
	case X86_INS_PUSH:
		push(machine, read_operand(image, machine, instruction, operand));
		return true;
	case X86_INS_POP:
		write_operand(machine, instruction, operand, pop(machine, image));
		return true;
	case X86_INS_LEAVE:
		machine->registers[RSP] = machine->registers[RBP];
		machine->registers[RBP] = pop(machine, image);
		return true;
	default:
		return false;
	}
}

static bool is_of(const cs_insn *instruction, uint8_t group)
{
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++) {
		if (instruction->detail->groups[i] == group) {
			return true;
		}
	}
	return false;
}

static enum step_kind kind_of(const cs_insn *instruction)
{
	switch (instruction->id) {
	case X86_INS_JMP:
		return STEP_JUMP;
	case X86_INS_CALL:
		return STEP_CALL;
	case X86_INS_RET:
		return STEP_RETURN;
	case X86_INS_HLT:
	case X86_INS_UD2:
	case X86_INS_INT3:
		return STEP_END;
	default:
		return is_of(instruction, CS_GRP_JUMP) ? STEP_BRANCH : STEP_ON;
	}
}

struct step step_one(struct stepper *stepper, const struct image *image, uintptr_t at,
		struct machine *machine)
{
	struct step step = { .kind = STEP_END };
	cs_insn *instruction = stepper->instruction;
	size_t left = MOST_INSTRUCTION_BYTES;
	uint64_t address = at;
	const uint8_t *code;

	while (left > 0 && !image_is_readable(image, at, left)) {
		left--;
	}
	__builtin_memcpy(&code, &at, sizeof(code));
	if (left == 0 || !cs_disasm_iter(stepper->handle, &code, &left, &address, instruction)) {
		return step;
	}
	step.bytes = instruction->size;
	step.kind = kind_of(instruction);
	if (step.kind == STEP_BRANCH || step.kind == STEP_JUMP || step.kind == STEP_CALL) {
		step.target = read_operand(
				image, machine, instruction, &instruction->detail->x86.operands[0]);
	} else if (step.kind == STEP_ON && !apply_stack(image, machine, instruction) &&
			!apply(image, machine, instruction)) {
		spoil(stepper, instruction, machine);
	}
	return step;
}

#elif !defined(__aarch64__)

/* Nothing is known of the instructions. */

struct stepper *stepper_new(void)
{
	return NULL;
}

void stepper_free(struct stepper *stepper)
{
	(void)stepper;
}

void step_enter(struct machine *machine)
{
	(void)machine;
}

struct step step_one(struct stepper *stepper, const struct image *image, uintptr_t at,
		struct machine *machine)
{
	(void)stepper;
	(void)image;
	(void)at;
	(void)machine;
	return (struct step){ .kind = STEP_END };
}

struct value step_argument(const struct machine *machine)
{
	(void)machine;
	return (struct value){ .kind = VALUE_UNKNOWN };
}

void step_into(struct machine *machine)
{
	(void)machine;
}

void step_out(struct machine *machine)
{
	(void)machine;
}

void step_over(struct machine *machine)
{
	(void)machine;
}

#endif
