/*
 * SPDX-License-Identifier: MIT
 *
 * kill_node PID BASE RINGS HOOK: stops a recorded node, reads from its memory what it has
 * published, and kills it by SIGKILL while it stands still.  BASE is where carrierscope_nif.so is
 * mapped, RINGS and HOOK are the values of these symbols in its file, all in hexadecimal digits.
 *
 *   columns of a line for each ring: "ring", its number, batches and records that it has published,
 *   records among these that were dropped, and records that lie in it
 *   then "single", and events that were counted as emitted alone
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "hook_state.h"
#include "rings/rings_state.h"

static pid_t node;

static void get(uintptr_t from, void *to, size_t bytes)
{
	struct iovec here = { to, bytes };
	struct iovec there = { (void *)from, bytes }; /* NOLINT(performance-no-int-to-ptr) */

	if (process_vm_readv(node, &here, 1, &there, 1, 0) != (ssize_t)bytes) {
		perror("kill_node: the node's memory cannot be read");
		exit(1);
	}
}

/* Whether a thread stands still, by its letter of state. */
static bool is_still(const char *thread)
{
	char path[300];
	char text[512] = "";
	const char *at;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)node, thread);
	file = fopen(path, "r");
	if (!file) {
		return true;
	}
	(void)fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	at = strrchr(text, ')');
	return !at || strchr("TtZX", at[2]);
}

static bool are_still(void)
{
	bool is_all = true;
	struct dirent *entry;
	char path[64];
	DIR *folder;

	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)node);
	folder = opendir(path);
	while (folder && (entry = readdir(folder))) {
		is_all = is_all && (entry->d_name[0] == '.' || is_still(entry->d_name));
	}
	if (folder) {
		(void)closedir(folder);
	}
	return is_all;
}

/* Records among the slots that no batch has given back. */
static uint64_t count_left(const struct ring *ring, const struct ring_page *page, uintptr_t at)
{
	size_t bytes = (ring->own.mask + 1) * sizeof(struct ring_slot);
	struct ring_slot *slots = malloc(bytes);
	uint64_t count = 0;

	if (!slots) {
		exit(1);
	}
	get(at + RING_SLOTS_AT, slots, bytes);
	for (uint64_t slot = ring->tail; slot != page->head; slot++) {
		count += slots[slot & ring->own.mask].address >> RING_KIND_BIT <= SLOT_REALLOC;
	}
	free(slots);
	return count;
}

static void print_rings(const struct rings *state)
{
	for (uint32_t i = 0; i < state->count && i < RINGS_MOST; i++) {
		uintptr_t at = (uintptr_t)state->list[i];
		struct ring_page page;
		struct ring ring;

		if (at == 0) {
			continue;
		}
		get(at, &ring, sizeof(ring));
		get(at + RING_HEAD_BYTES, &page, sizeof(page));
		printf("ring %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
				ring.number, ring.ordinal,
				ring.own.records[0] + ring.own.records[1] + ring.own.records[2],
				page.dropped, count_left(&ring, &page, at));
	}
}

int main(int argc, char **argv)
{
	static struct rings rings_there;
	static struct hook hook_there;
	uint64_t single = 0;
	uintptr_t base;

	if (argc != 5) {
		(void)fprintf(stderr, "usage: kill_node PID BASE RINGS HOOK\n");
		return 2;
	}
	node = (pid_t)strtol(argv[1], NULL, 10);
	base = strtoull(argv[2], NULL, 16);
	if (kill(node, SIGSTOP) != 0) {
		perror("kill_node");
		return 1;
	}
	for (int i = 0; i < 2000 && !are_still(); i++) {
		(void)usleep(1000);
	}
	get(base + strtoull(argv[3], NULL, 16), &rings_there, sizeof(rings_there));
	get(base + strtoull(argv[4], NULL, 16), &hook_there, sizeof(hook_there));
	print_rings(&rings_there);
	for (size_t i = 0; i < COUNTERS; i++) {
		const struct hook_counts *counts = &hook_there.counters[i].counts;

		single += counts->allocs + counts->frees + counts->reallocs;
	}
	printf("single %" PRIu64 "\n", single);
	return kill(node, SIGKILL) == 0 ? 0 : 1;
}
