/* SPDX-License-Identifier: MIT */
/* What the shell of RTEMS prints for `malloc`: 17 figures, in columns of its own. */
#include "boardreport.h"

#include <inttypes.h>
#include <string.h>

/* A name and its figure end at this column. */
#define COLUMNS 54

static void print_line(const char *name, uint64_t value, FILE *out)
{
	fprintf(out, "%s%*" PRIu64 "\n", name, COLUMNS - (int)strlen(name), value);
}

void boardreport_print(const struct rtems_heap *heap, FILE *out)
{
	struct rtems_counters counters;
	struct rtems_walk walk;

	rtems_heap_walk(heap, &walk);
	rtems_heap_counters(heap, &counters);
	fputs("SHLL [/] # malloc\n"
	      "C Program Heap and RTEMS Workspace are the same.\n",
			out);
	print_line("Number of free blocks:", walk.free_blocks, out);
	print_line("Largest free block:", walk.free_largest, out);
	print_line("Total bytes free:", walk.free_bytes, out);
	print_line("Number of used blocks:", walk.used_blocks, out);
	print_line("Largest used block:", walk.used_largest, out);
	print_line("Total bytes used:", walk.used_bytes, out);
	print_line("Size of the allocatable area in bytes:", counters.size_bytes, out);
	print_line("Minimum free size ever in bytes:", counters.min_free_bytes, out);
	print_line("Maximum number of free blocks ever:", counters.max_free_blocks, out);
	print_line("Maximum number of blocks searched ever:", counters.max_search, out);
	print_line("Lifetime number of bytes allocated:", counters.allocated_bytes, out);
	print_line("Lifetime number of bytes freed:", counters.freed_bytes, out);
	print_line("Total number of searches:", counters.searches, out);
	print_line("Total number of successful allocations:", counters.allocs, out);
	print_line("Total number of failed allocations:", counters.failed_allocs, out);
	print_line("Total number of successful frees:", counters.frees, out);
	print_line("Total number of successful resizes:", counters.resizes, out);
}
