/* SPDX-License-Identifier: MIT */
/*
 * /proc/self/smaps says what is in memory of each mapping, but walks every page of the node for it.
 * /proc/self/pagemap is asked for the pages of a few mappings.
 */
#include "own_memory.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "hook.h"
#include "rings/rings.h"
#include "sampled_set.h"
#include "stack_sums.h"

/* As LTTng's consumer daemon names what it shares with a process; Linux adds " (deleted)". */
static const char *const buffer_names[] = { "/shm-ust-consumer-", "/memfd:shm-ust-consumer-" };

/* Of a page in memory, in its word of /proc/self/pagemap. */
#define IS_PRESENT (UINT64_C(1) << 63)

#define LINE_BYTES 8192
#define PAGES_AT_ONCE 512

/* A line of /proc/self/maps.  True: it is of a ring buffer. */
static bool get_buffer(const char *line, uint64_t *ret_begin, uint64_t *ret_end)
{
	char *end;
	uint64_t begin = strtoull(line, &end, 16);
	uint64_t limit = *end == '-' ? strtoull(end + 1, &end, 16) : 0;

	if (limit <= begin || *end != ' ') {
		return false;
	}
	for (size_t i = 0; i < sizeof(buffer_names) / sizeof(buffer_names[0]); i++) {
		if (strstr(end, buffer_names[i])) {
			*ret_begin = begin;
			*ret_end = limit;
			return true;
		}
	}
	return false;
}

/* A question to /proc/self/pagemap since Linux 6.7, and a part of its answer. */
struct page_scan {
	uint64_t bytes;
	uint64_t flags;
	uint64_t begin;
	uint64_t end;
	uint64_t ret_end;
	uint64_t ranges;
	uint64_t range_count;
	uint64_t most_pages;
	uint64_t inverted;
	uint64_t wanted;
	uint64_t any_of;
	uint64_t answered;
};

struct page_range {
	uint64_t begin;
	uint64_t end;
	uint64_t categories;
};

#define PAGE_SCAN _IOWR('f', 16, struct page_scan)
#define SCANNED_IS_PRESENT (UINT64_C(1) << 3)
#define RANGES_AT_ONCE 64

/* The same as add_resident(), in a third of the time, by kernels that know it. */
static bool scan_resident(int pagemap, uint64_t begin, uint64_t end, uint64_t *ret_bytes)
{
	uint64_t bytes = 0;

	while (begin < end) {
		struct page_range ranges[RANGES_AT_ONCE];
		struct page_scan scan = {
			.bytes = sizeof(scan),
			.begin = begin,
			.end = end,
			.ranges = (uint64_t)(uintptr_t)ranges,
			.range_count = RANGES_AT_ONCE,
			.wanted = SCANNED_IS_PRESENT,
			.answered = SCANNED_IS_PRESENT,
		};
		int count = ioctl(pagemap, PAGE_SCAN, &scan);

		if (count < 0 || scan.ret_end <= begin) {
			return false;
		}
		for (int i = 0; i < count; i++) {
			bytes += ranges[i].end - ranges[i].begin;
		}
		begin = scan.ret_end;
	}
	*ret_bytes += bytes;
	return true;
}

/* Adds what is in memory from BEGIN to END; false: the system does not say. */
static bool add_resident(int pagemap, uint64_t begin, uint64_t end, uint64_t *ret_bytes)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t page = begin / page_bytes;
	uint64_t limit = (end + page_bytes - 1) / page_bytes;

	if (scan_resident(pagemap, begin, end, ret_bytes)) {
		return true;
	}
	while (page < limit) {
		uint64_t words[PAGES_AT_ONCE];
		uint64_t count = limit - page < PAGES_AT_ONCE ? limit - page : PAGES_AT_ONCE;
		ssize_t length = pread(pagemap, words, count * sizeof(words[0]),
				(off_t)(page * sizeof(words[0])));

		if (length < (ssize_t)sizeof(words[0])) {
			return false;
		}
		count = (uint64_t)length / sizeof(words[0]);
		for (uint64_t i = 0; i < count; i++) {
			*ret_bytes += (words[i] & IS_PRESENT) != 0 ? page_bytes : 0;
		}
		page += count;
	}
	return true;
}

static void add_line(const char *line, int pagemap, struct own_memory *memory)
{
	uint64_t begin;
	uint64_t end;

	if (get_buffer(line, &begin, &end)) {
		memory->buffers_mapped += end - begin;
		memory->has_buffers = memory->has_buffers &&
				add_resident(pagemap, begin, end, &memory->buffers);
	}
}

/* Reads whole lines; the rest of one that is cut waits for the next piece. */
static bool add_maps(int maps, int pagemap, struct own_memory *memory)
{
	char text[LINE_BYTES];
	size_t kept = 0;

	for (;;) {
		ssize_t length = read(maps, text + kept, sizeof(text) - 1 - kept);
		char *line = text;
		char *end;

		if (length <= 0) {
			return length == 0;
		}
		kept += (size_t)length;
		text[kept] = '\0';
		while ((end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			add_line(line, pagemap, memory);
			line = end + 1;
		}
		kept -= (size_t)(line - text);
		if (kept == sizeof(text) - 1) {
			return false;
		}
		memmove(text, line, kept);
	}
}

bool own_memory_read(struct own_memory *ret_memory)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	struct own_memory memory = { .has_buffers = pagemap >= 0, .tables = hook_bytes() };
	uintptr_t set = 0;
	size_t bytes = sampled_set_region(&set);
	bool is_read = maps >= 0 && add_maps(maps, pagemap, &memory);

	if (bytes > 0 && pagemap >= 0) {
		(void)add_resident(pagemap, set, set + bytes, &memory.tables);
	}
	bytes = stack_sums_region(&set);
	if (bytes > 0 && pagemap >= 0) {
		(void)add_resident(pagemap, set, set + bytes, &memory.tables);
	}
	bytes = stack_set_region(&set);
	if (bytes > 0 && pagemap >= 0) {
		(void)add_resident(pagemap, set, set + bytes, &memory.tables);
	}
	for (uint32_t i = 0; pagemap >= 0 && i < RINGS_MOST; i++) {
		uintptr_t ring = 0;
		size_t ring_bytes = rings_region(i, &ring);

		if (ring_bytes > 0) {
			(void)add_resident(pagemap, ring, ring + ring_bytes, &memory.tables);
		}
	}
	if (pagemap >= 0) {
		(void)close(pagemap);
	}
	if (maps >= 0) {
		(void)close(maps);
	}
	if (is_read) {
		*ret_memory = memory;
	}
	return is_read;
}
