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
	struct rtems_counters told;
	struct rtems_walk walk;

	rtems_heap_walk(heap, &walk);
	rtems_heap_told(heap, &told);
	fputs("SHLL [/] # malloc\n"
	      "C Program Heap and RTEMS Workspace are the same.\n",
			out);
	print_line("Number of free blocks:", walk.free_blocks, out);
	print_line("Largest free block:", walk.free_largest, out);
	print_line("Total bytes free:", walk.free_bytes, out);
	print_line("Number of used blocks:", walk.used_blocks, out);
	print_line("Largest used block:", walk.used_largest, out);
	print_line("Total bytes used:", walk.used_bytes, out);
	print_line("Size of the allocatable area in bytes:", told.size_bytes, out);
	print_line("Minimum free size ever in bytes:", told.min_free_bytes, out);
	print_line("Maximum number of free blocks ever:", told.max_free_blocks, out);
	print_line("Maximum number of blocks searched ever:", told.max_search, out);
	print_line("Lifetime number of bytes allocated:", told.allocated_bytes, out);
	print_line("Lifetime number of bytes freed:", told.freed_bytes, out);
	print_line("Total number of searches:", told.searches, out);
	print_line("Total number of successful allocations:", told.allocs, out);
	print_line("Total number of failed allocations:", told.failed_allocs, out);
	print_line("Total number of successful frees:", told.frees, out);
	print_line("Total number of successful resizes:", told.resizes, out);
}
