/*
 * SPDX-License-Identifier: MIT
 *
 * generate_dump BYTES WHAT: writes a crash dump of about that size to standard output.
 *
 * WHAT heaps: as a node in production leaves it, nearly all heaps of processes.
 * WHAT processes: nothing but processes, so that every section is a row.
 * WHAT terms: no dump but a list of carriers as instrument:carriers() gives it.
 * WHAT line: a dump with one line that long.
 *
 * The lines have the lengths of those in dumps of OTP 25.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sections of allocators are repeated for so many schedulers. */
enum { SCHEDULERS = 16, HEAP_LINES = 1500 };

static uint64_t written;

static void put(const char *text)
{
	written += strlen(text);
	(void)fputs(text, stdout);
}

static void put_head(void)
{
	put("=erl_crash_dump:0.5\nSat Nov 21 01:33:43 2026\n"
	    "Slogan: eheap_alloc: Cannot allocate 529782288 bytes of memory (of type \"heap\").\n"
	    "System version: Erlang/OTP 25 [erts-13.1.5] [source] [64-bit] [smp:16:16]\n"
	    "Taints: \nAtoms: 8362\nCalling Thread: scheduler:0\n"
	    "=memory\ntotal: 1178354736\nprocesses: 1169461864\nsystem: 8892872\n");
	for (int i = 0; i <= SCHEDULERS; i++) {
		char section[512];

		(void)snprintf(section, sizeof(section),
				"=allocator:eheap_alloc[%d]\noption e: true\noption as: aoffcbf\n"
				"mbcs blocks[eheap_alloc] count: %d 42 42\n"
				"mbcs blocks[eheap_alloc] size: 354368 593744 593744\n"
				"mbcs carriers: 2 2 2\nmbcs carriers size: 786432 786432 786432\n"
				"eheap_alloc calls: 193\n",
				i, i + 30);
		put(section);
	}
}

static void put_process(uint64_t number)
{
	char section[1024];

	(void)snprintf(section, sizeof(section),
			"=proc:<0.%" PRIu64 ".0>\nState: Waiting\nSpawned as: proc_lib:init_p/5\n"
			"Last scheduled in for: gen_server:loop/7\nSpawned by: <0.9.0>\n"
			"Message queue length: 0\nNumber of heap fragments: 0\nHeap fragment data: 0\n"
			"Link list: [<0.9.0>]\nReductions: 25862\nStack+heap: 6772\nOldHeap: 7946\n"
			"Heap unused: 48\nOldHeap unused: 794\nBinVHeap: 0\nOldBinVHeap: 0\n"
			"BinVHeap unused: 46422\nOldBinVHeap unused: 46422\nMemory: 118520\n"
			"Program counter: 0x00007f3cb1bb78d0 (gen_server:loop/7 + 92)\narity = 0\n"
			"Internal State: ACT_PRIO_NORMAL | USR_PRIO_NORMAL | PRQ_PRIO_NORMAL\n",
			number);
	put(section);
}

static void put_heap(uint64_t number)
{
	char line[64];
	uint64_t address = UINT64_C(0x7F3C4B8E5368) + number * HEAP_LINES * 16;

	(void)snprintf(line, sizeof(line), "=proc_heap:<0.%" PRIu64 ".0>\n", number);
	put(line);
	for (int i = 0; i < HEAP_LINES; i++) {
		(void)snprintf(line, sizeof(line), "%" PRIX64 ":lI%d|H%" PRIX64 "\n", address,
				33621 + i, address - 16);
		put(line);
		address -= 16;
	}
}

static void put_carriers(uint64_t bytes)
{
	put("{ok,{512,\n     [{driver_alloc,false,65536,0,[{driver_alloc,17,3632}],\n"
	    "                    {3,1,2,0,0,1,0,0,0,0,0,0,0,0}}");
	while (written < bytes) {
		put(",\n      {binary_alloc,false,65536,0,\n                    "
		    "[{binary_alloc,15,5504}],\n                    "
		    "{1,2,0,0,0,1,0,0,0,0,0,0,0,0}}");
	}
	put("]}}\n");
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	const char *what = argc == 3 ? argv[2] : "";
	uint64_t number = 0;

	if (bytes == 0) {
		fprintf(stderr, "usage: generate_dump BYTES heaps|processes|terms|line\n");
		return 2;
	}

	if (strcmp(what, "terms") == 0) {
		put_carriers(bytes);
		return fflush(stdout) == 0 ? 0 : 1;
	}

	put_head();
	if (strcmp(what, "line") == 0) {
		put("=proc:<0.1.0>\nState: ");
		while (written < bytes) {
			put("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
		}
		put("\nMemory: 7\n");
	}

	while (written < bytes) {
		put_process(number++);
		if (strcmp(what, "heaps") == 0) {
			put_heap(number);
		}
	}

	put("=end\n");
	return fflush(stdout) == 0 ? 0 : 1;
}
