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

void boardreport_print(const struct heap_figures *figures, FILE *out)
{
	fputs("SHLL [/] # malloc\n"
	      "C Program Heap and RTEMS Workspace are the same.\n",
			out);
#define PRINT_FIGURE(name, line, unit, meaning) print_line(line, figures->name, out);
	HEAP_PRINTED(PRINT_FIGURE)
#undef PRINT_FIGURE
}
