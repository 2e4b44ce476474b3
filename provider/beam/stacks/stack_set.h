/* SPDX-License-Identifier: MIT */
/*
 * The stacks that were met at samples, each once.
 *
 * Lock-free, of a fixed size, in memory of the system's own: no allocator is called.  Where there
 * is no place for another stack, it is not recorded, and counted.
 *
 * A stack is read as memory that may not be there (probed_memory.h), so that no pointer of a
 * process that ends or collects its garbage can fault.  Words of it that are addresses in code are
 * its frames: equal ones that follow each other count once, as those of a recursion, and of many
 * frames the innermost and the outermost are kept.  Before them is the function that called the
 * emulator, of which the thread's stack knows (native_walk.h), if it is one of Erlang.  Functions
 * are named when a stack is first met, by the headers of their code, which stays as long as a
 * process that runs may return to it; each time the stack is met again its headers must be the
 * same, since the code of a module that was unloaded leaves room for another's.
 */
#ifndef CSC_BEAM_STACK_SET_H
#define CSC_BEAM_STACK_SET_H

#include "stack_way.h"

#define STACK_INNERMOST 24
#define STACK_OUTERMOST 8
#define STACK_FRAMES (1 + STACK_INNERMOST + STACK_OUTERMOST)

/* Stacks at most, and their memory: 1 KiB each, touched when used. */
#define STACK_BITS 13
#define STACKS ((size_t)1 << STACK_BITS)

struct stack_frame {
	uintptr_t address;
	struct stack_function function;
};

struct stack {
	/* 63 bits; 0: nobody's place yet. */
	uint64_t id;
	/* Whence the emulator was called; 0: not known. */
	uintptr_t caller;
	/* Frames of the stack, those in its middle included, and those that are kept. */
	uint32_t frames;
	uint16_t kept;
	/* All else is written. */
	bool is_whole;
	struct stack_frame frame[STACK_FRAMES];
};

/* Makes the set where there is none; false: the system gives no memory. */
bool stack_set_open(void);

/* A stack's place, from 0 on. */
size_t stack_set_place_of(const struct stack *stack);

/* Where a process has its heap and its stack. */
struct stack_place {
	uintptr_t heap;
	uintptr_t stop;
	uintptr_t end;
};

/* Of the process whose structure this is; what another thread changes is read at some moment. */
static inline struct stack_place stack_set_place(const void *process)
{
	const uintptr_t *structure = process;

	return (struct stack_place){
		__atomic_load_n(structure + stack_way.heap, __ATOMIC_RELAXED),
		__atomic_load_n(structure + stack_way.stop, __ATOMIC_RELAXED),
		__atomic_load_n(structure + stack_way.end, __ATOMIC_RELAXED),
	};
}

/* The stack of the running process, which is there; NULL: it cannot be read. */
const struct stack *stack_set_take(const struct stack_place *place);

/* One of STACKS places; NULL: it has no stack yet, or is being written. */
const struct stack *stack_set_get(size_t place);

/* Stacks that found no place. */
uint64_t stack_set_left_out(void);

/* Where the set lies, and its bytes; 0: no set was made. */
size_t stack_set_region(uintptr_t *ret_begin);

#endif
