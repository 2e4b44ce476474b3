/* SPDX-License-Identifier: MIT */
/*
 * Which Erlang process runs on the calling thread, by two loads: no call, no lock.
 *
 * Every scheduler of an emulator keeps a pointer to its data under a key of thread-specific data,
 * and in these data, among others, a pointer to the process that it runs; the first word of a
 * process is its identifier.  No release says under which key and where, so both are found by
 * trials: a process knows its own identifier, and looks for ways of this shape that lead to it.
 * Processes must agree on exactly one place (current_process_try()), a dirty scheduler must confirm
 * it (current_process_confirm()), and so must erts_get_scheduler_data() where it is exported
 * (OTP 23 to 28); else nothing is known and events have no process.  Trials read
 * through a pipe, so that no wrong pointer can fault.
 */
#ifndef CSC_BEAM_CURRENT_PROCESS_H
#define CSC_BEAM_CURRENT_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <erl_nif.h>
#include <pthread.h>

/*
 * The value of field `process` of our events: 0 no process ran, else 1 + number + serial * 2^28 of
 * <0.number.serial>.
 */
#define CURRENT_PROCESS_SERIAL 28

/*
 * How an identifier is laid out: rotated to the right by so many bits it has those of `mask` where
 * the field has them.  Seen: two such parts in OTP 25, three in OTP 27, where they depend on +P.
 */
#define PROCESS_PARTS 8
struct process_layout {
	struct {
		uint64_t mask;
		unsigned int rotate;
	} parts[PROCESS_PARTS];
	size_t part_count;
};

/* The identifier that a thread has met last, and what its events have for it. */
struct process_memo {
	uintptr_t pid;
	uint64_t number;
};

/* Changed only while nothing is hooked. */
extern struct current_process {
	bool is_known;
	pthread_key_t key;
	/* Of the pointer to the process, in bytes from the scheduler's data on. */
	size_t offset;
	struct process_layout layout;
} current_process;

/*
 * A trial by the calling process, on a normal scheduler.  The first one after
 * current_process_forget() collects ways, the others keep those that lead to them, too; each must
 * be by another process.
 */
void current_process_forget(void);
void current_process_try(ErlNifEnv *env);

/*
 * Learns the layout from lists of identifiers, whether such processes exist or not: those of the
 * numbers 1, 2, 4 ... with serial 0, of the serials 1, 2, 4 ... with number 0, and any others,
 * which must be read as the emulator prints them.
 */
void current_process_learn(
		ErlNifEnv *env, ERL_NIF_TERM numbers, ERL_NIF_TERM serials, ERL_NIF_TERM others);

/* On a dirty scheduler, after two trials: from here on it is known, or not. */
void current_process_confirm(ErlNifEnv *env);

/* How it was found, or why not, as words that a report shows. */
const char *current_process_found_by(void);

static inline bool current_process_is_known(void)
{
	return current_process.is_known;
}

/* The calling thread's scheduler data; NULL: it is no scheduler, or processes are not known. */
static inline const void *current_process_scheduler(void)
{
	return current_process.is_known ? pthread_getspecific(current_process.key) : NULL;
}

/* What an event has for an identifier; 0: it is none of a local process. */
static inline uint64_t current_process_number(uintptr_t pid)
{
	/* Tag of local identifiers, and the one that the emulator gives to nobody. */
	enum { TAG_BITS = 15, TAG = 3 };
	const uint32_t nobody = UINT32_C(0xfffffff3);
	const struct process_layout *layout = &current_process.layout;
	uint64_t number = 1;

	if ((pid & TAG_BITS) != TAG || (uint32_t)pid == nobody) {
		return 0;
	}
	for (size_t i = 0; i < layout->part_count; i++) {
		unsigned int rotate = layout->parts[i].rotate;

		number += (pid >> rotate | (uint64_t)pid << (-rotate & 63)) & layout->parts[i].mask;
	}
	return number;
}

/*
 * Field `process` of an event on the thread with these scheduler data, NULL included.  The
 * structure of a process that a scheduler runs exists, also while it exits.
 */
static inline uint64_t current_process_read(const void *scheduler, struct process_memo *memo)
{
	const uintptr_t *process;
	uintptr_t pid;

	if (!scheduler) {
		return 0;
	}
	/* One load of an aligned word. */
	memcpy(&process, (const char *)scheduler + current_process.offset, sizeof(process));
	if (!process) {
		return 0;
	}
	pid = __atomic_load_n(process, __ATOMIC_RELAXED);
	if (pid != memo->pid) {
		memo->pid = pid;
		memo->number = current_process_number(pid);
	}
	return memo->number;
}

#endif
