/* SPDX-License-Identifier: MIT */
/*
 * Which Erlang process or port runs on the calling thread, by two loads each: no call, no lock.
 *
 * Every scheduler of an emulator keeps a pointer to its data under a key of thread-specific data,
 * and in these data, among others, a pointer to the process that it runs; the first word of a
 * process is its identifier.  No release says under which key and where, so both are found by
 * trials: a process knows its own identifier, and looks for ways of this shape that lead to it.
 * Processes must agree on exactly one place (current_process_try()), a dirty scheduler must confirm
 * it (current_process_confirm()), and so must erts_get_scheduler_data() where it is exported
 * (OTP 23 to 28); else nothing is known and events have no process.  Trials read
 * through a pipe, so that no wrong pointer can fault.
 *
 * The port whose driver runs is found the same way, in the data of a scheduler that is known by
 * then: two ports of a driver of ours (port_driver.h) must agree on one word that leads to them
 * while no process runs, and that has nothing while a process does; else ports are not recorded.
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
 * The value of field `process` of our events: 0 neither ran, else 1 + number + serial * 2^28 of
 * <0.number.serial>; where no process ran, CURRENT_PROCESS_PORT + 1 + number of #Port<0.number>,
 * whose number is below 2^60.
 */
#define CURRENT_PROCESS_SERIAL 28
#define CURRENT_PROCESS_PORT (UINT64_C(1) << 62)

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
	/* Of the pointer to the port, and the identifiers of ports; 0: ports are not known. */
	size_t port_offset;
	struct process_layout port_layout;
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

/* The same of ports: those of the numbers 1, 2, 4 ..., and any others. */
void current_process_learn_ports(ErlNifEnv *env, ERL_NIF_TERM numbers, ERL_NIF_TERM others);

/*
 * A trial in the driver of a port, run by a scheduler for no process, after two trials by
 * processes. The first one after current_process_forget() collects places, the second, by another
 * port, keeps those that have it, too.
 */
void current_process_try_port(ERL_NIF_TERM port);

/* By a process on a normal scheduler, after them: now there must be nothing. */
void current_process_check_ports(void);

/* On a dirty scheduler, after two trials: from here on it is known, or not; ports as well. */
void current_process_confirm(ErlNifEnv *env);

/*
 * The structure of the process that runs on the calling thread, by what trials have found so far;
 * NULL: nothing yet.
 */
const void *current_process_tried(void);

/* How they were found, or why not, as words that a report shows. */
const char *current_process_found_by(void);
const char *current_process_port_found_by(void);

static inline bool current_process_is_known(void)
{
	return current_process.is_known;
}

/* The calling thread's scheduler data; NULL: it is no scheduler, or processes are not known. */
static inline const void *current_process_scheduler(void)
{
	return current_process.is_known ? pthread_getspecific(current_process.key) : NULL;
}

/* The structure of the process that runs on a scheduler; NULL: none does. */
static inline const void *current_process_of(const void *scheduler)
{
	const void *process = NULL;

	if (scheduler) {
		memcpy(&process, (const char *)scheduler + current_process.offset, sizeof(process));
	}
	return process;
}

/* Tags of local identifiers; the emulator gives to nobody one that is all ones otherwise. */
enum { PROCESS_TAG = 3, PORT_TAG = 7 };

/* 1 + the number in an identifier that is laid out so; 0: it is none with this tag. */
static inline uint64_t current_process_number(
		uintptr_t pid, const struct process_layout *layout, unsigned int tag)
{
	const uint32_t tag_bits = 15;
	uint64_t number = 1;

	if ((pid & tag_bits) != tag || (uint32_t)pid == (~tag_bits | tag)) {
		return 0;
	}
	for (size_t i = 0; i < layout->part_count; i++) {
		unsigned int rotate = layout->parts[i].rotate;

		number += (pid >> rotate | (uint64_t)pid << (-rotate & 63)) & layout->parts[i].mask;
	}
	return number;
}

/* The same where no process runs, of the port whose driver does; its structure exists as long. */
static inline uint64_t current_process_read_port(const void *scheduler, struct process_memo *memo)
{
	const uintptr_t *port;
	uintptr_t id;

	if (current_process.port_offset == 0) {
		return 0;
	}
	memcpy(&port, (const char *)scheduler + current_process.port_offset, sizeof(port));
	if (!port) {
		return 0;
	}
	id = __atomic_load_n(port, __ATOMIC_RELAXED);
	if (id != memo->pid) {
		uint64_t number =
				current_process_number(id, &current_process.port_layout, PORT_TAG);

		memo->pid = id;
		memo->number = number == 0 ? 0 : CURRENT_PROCESS_PORT + number;
	}
	return memo->number;
}

/*
 * Field `process` of an event on the thread with these scheduler data, NULL included.  The
 * structure of a process that a scheduler runs exists, also while it exits.
 */
static inline uint64_t current_process_read(const void *scheduler, struct process_memo *memo)
{
	const uintptr_t *process = current_process_of(scheduler);
	uintptr_t pid;

	if (!scheduler) {
		return 0;
	}
	if (!process) {
		return current_process_read_port(scheduler, memo);
	}
	pid = __atomic_load_n(process, __ATOMIC_RELAXED);
	if (pid != memo->pid) {
		memo->pid = pid;
		memo->number = current_process_number(pid, &current_process.layout, PROCESS_TAG);
	}
	return memo->number;
}

#endif
