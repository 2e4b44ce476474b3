/* SPDX-License-Identifier: MIT */
/*
 * hook_cost PAIRS [BYTES [process | port]]: allocates and frees through the hooks' functions,
 * before an allocator that does nothing; with BYTES other than 0, all but one of so many bytes are
 * passed by. With a third word, events have the process or port that allocates.  For callgrind,
 * which counts the instructions of run_pairs().
 */
#include <stdlib.h>
#include <string.h>

#include "block_header.h"
#include "current_process.h"
#include "hook.h"
#include "provider.h"
#include "self_test.h"

/* A block behind its header, which the hook of a free reads. */
static uint64_t block[8];

static void *give(uintptr_t type, void *extra, uintptr_t bytes)
{
	(void)type;
	(void)extra;
	(void)bytes;
	return block + 1;
}

static void *resize(uintptr_t type, void *extra, void *old, uintptr_t bytes)
{
	(void)type;
	(void)extra;
	(void)bytes;
	return old;
}

static void take(uintptr_t type, void *extra, void *given)
{
	(void)type;
	(void)extra;
	(void)given;
}

/* What hook.c asks of a real emulator. */
struct current_process current_process;

uint32_t block_header_find(const struct emulator *emulator)
{
	(void)emulator;
	return UINT32_MAX;
}

bool emulator_is_own(const struct emulator *emulator, size_t allocator)
{
	(void)emulator;
	(void)allocator;
	return true;
}

void emulator_put(struct emulator_entry *entry, const struct emulator_entry *functions)
{
	entry->alloc = functions->alloc;
	entry->realloc = functions->realloc;
	entry->free = functions->free;
}

void emulator_put_back(struct emulator_entry *entry, const struct emulator_entry *functions)
{
	emulator_put(entry, functions);
}

bool emulator_thread_is_scheduler(void)
{
	return true;
}

uint16_t emulator_thread_instance(const struct emulator *emulator)
{
	(void)emulator;
	return 1;
}

bool self_test_run(const struct emulator *emulator, struct diag *diag)
{
	(void)emulator;
	(void)diag;
	return true;
}

void run_pairs(const struct emulator_entry *entry, unsigned long pairs);

__attribute__((noinline)) void run_pairs(const struct emulator_entry *entry, unsigned long pairs)
{
	const volatile struct emulator_entry *now = entry;
	/* Type 5 of allocator 1. */
	uintptr_t type = 5 << 7 | 1;

	for (unsigned long i = 0; i < pairs; i++) {
		now->free(type, NULL, now->alloc(type, NULL, 100));
	}
}

/* A scheduler's data of two words: process <0.100.0> as OTP 25 lays it out, or #Port<0.100>. */
static bool has_running(bool is_port)
{
	static const uintptr_t process = UINT64_C(100) << 35 | 100 << 4 | PROCESS_TAG;
	static const uintptr_t port = UINT64_C(100) << 35 | 100 << 4 | PORT_TAG;
	static const uintptr_t *data[2];

	data[0] = is_port ? NULL : &process;
	data[1] = is_port ? &port : NULL;
	current_process = (struct current_process){ .is_known = true,
		.layout = { .parts = { { 0x7fff, 4 }, { UINT64_C(0x1fff) << 28, 55 } },
				.part_count = 2 },
		.port_offset = sizeof(data[0]) };
	current_process.port_layout = current_process.layout;
	return pthread_key_create(&current_process.key, NULL) == 0 &&
			pthread_setspecific(current_process.key, data) == 0;
}

int main(int argc, char **argv)
{
	struct emulator_entry entries[2] = { { 0 }, { give, resize, take, NULL } };
	const char *const names[] = { "none", "one" };
	const struct emulator emulator = { .entries = entries,
		.entry_count = 2,
		.instances = { [1] = 3 },
		.allocator_names = names,
		.type_names = names,
		.type_count = 2 };
	struct hook_options options = { .allocators = 1U << 1 };
	struct diag diag = { .file = NULL };

	block[0] = sizeof(block);
	provider_open();
	options.sample_every = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	options.sample_by = options.sample_every > 0 ? SAMPLE_BYTES : SAMPLE_NONE;
	if (argc < 2 || argc > 4 || (argc == 4 && !has_running(strcmp(argv[3], "port") == 0)) ||
			!hook_prepare(&emulator, &options, &diag)) {
		return 2;
	}
	hook_start();
	run_pairs(&entries[1], strtoul(argv[1], NULL, 10));
	hook_stop();
	return 0;
}
