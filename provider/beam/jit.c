/* SPDX-License-Identifier: MIT */
#include "jit.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "finder/image.h"
#include "finder/symtab.h"

/* Entries that are followed at most, and how often a list that changes is tried. */
#define MOST_ENTRIES 200000
#define MOST_TRIES 3

/* As GDB's manual has them. */
struct jit_entry {
	uint64_t next;
	uint64_t previous;
	uint64_t file;
	uint64_t file_bytes;
};

struct jit_descriptor {
	uint32_t version;
	uint32_t action;
	uint64_t relevant;
	uint64_t first;
};

/* Memory of this process that may have been freed and unmapped since. */
static bool peek(uint64_t address, void *ret_bytes, size_t count)
{
	struct iovec from = { .iov_len = count };
	struct iovec into = { .iov_base = ret_bytes, .iov_len = count };

	memcpy(&from.iov_base, &address, sizeof(address));
	return process_vm_readv(getpid(), &into, 1, &from, 1, 0) == (ssize_t)count;
}

/* Each entry must point back to where we come from: else somebody changes the list. */
static bool sum(uint64_t first, uint64_t *ret_bytes)
{
	uint64_t bytes = 0;
	uint64_t previous = 0;
	size_t entries = 0;

	for (uint64_t at = first; at != 0;) {
		struct jit_entry entry;

		if (++entries > MOST_ENTRIES || !peek(at, &entry, sizeof(entry)) ||
				entry.previous != previous || entry.file_bytes >= UINT32_MAX) {
			return false;
		}
		bytes += entry.file_bytes;
		previous = at;
		at = entry.next;
	}
	*ret_bytes = bytes;
	return true;
}

/* Where the descriptor is: exported, or in the file's symbol table; 0: hidden, or there is no JIT.
 */
static uint64_t descriptor;

static void find_descriptor(void)
{
	const char name[] = "__jit_debug_descriptor";
	const void *function = dlsym(RTLD_DEFAULT, "enif_alloc");
	struct image image;

	descriptor = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, name);
	if (descriptor == 0 && image_find(function, &image)) {
		descriptor = symtab_find(&image, name, "enif_alloc");
	}
}

bool jit_debug_bytes(uint64_t *ret_bytes)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t address;

	(void)pthread_once(&once, find_descriptor);
	address = descriptor;
	for (int i = 0; address != 0 && i < MOST_TRIES; i++) {
		struct jit_descriptor head;

		if (!peek(address, &head, sizeof(head)) || head.version != 1) {
			return false;
		}
		if (sum(head.first, ret_bytes)) {
			return true;
		}
	}
	return false;
}
