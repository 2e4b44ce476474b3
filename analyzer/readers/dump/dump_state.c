/*
 * SPDX-License-Identifier: MIT
 *
 * What the sections of a dump share: the snapshot, and what was wrong.
 */
#include "dump_state.h"

void dump_note(struct dump *dump, enum csc_status status)
{
	if (dump->status == CSC_OK) {
		dump->status = status;
	}
}

void dump_unreadable(struct dump *dump, const struct input_line *line)
{
	dump_note(dump,
			store_problem(dump->store, "dump_line_unreadable", SEVERITY_DATA_LOSS, 1,
					dump->diag,
					"'%s': line %llu at offset %llu is not understood; it was left out",
					reader_input_path(dump->input),
					(unsigned long long)line->number,
					(unsigned long long)line->offset_bytes));
}

void dump_impossible(struct dump *dump, const struct input_line *line)
{
	dump_note(dump,
			store_problem(dump->store, "figure_impossible", SEVERITY_DATA_LOSS, 1,
					dump->diag,
					"'%s': line %llu at offset %llu has a figure of 2^63 or more; it is not known",
					reader_input_path(dump->input),
					(unsigned long long)line->number,
					(unsigned long long)line->offset_bytes));
}

void dump_need_snapshot(struct dump *dump, int64_t ts_ns)
{
	if (dump->snapshot == 0) {
		dump->snapshot = snapshot_add(dump->store, "crash_dump", ts_ns, dump->first_line);
	}
}
