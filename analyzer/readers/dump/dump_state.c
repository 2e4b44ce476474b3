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

/* Notes something about a line; `what`: what follows its place in the sentence. */
static void note_line(struct dump *dump, const struct input_line *line, const char *name,
		const char *what)
{
	dump_note(dump,
			store_problem(dump->store, name, SEVERITY_DATA_LOSS, 1, dump->diag,
					"'%s': line %llu at offset %llu %s",
					reader_input_path(dump->input),
					(unsigned long long)line->number,
					(unsigned long long)line->offset_bytes, what));
}

void dump_unreadable(struct dump *dump, const struct input_line *line)
{
	note_line(dump, line, "dump_line_unreadable", "is not understood; it was left out");
}

void dump_impossible(struct dump *dump, const struct input_line *line)
{
	note_line(dump, line, "figure_impossible", "has a figure of 2^63 or more; it is not known");
}

void dump_need_snapshot(struct dump *dump, int64_t ts_ns)
{
	if (dump->snapshot == 0) {
		dump->snapshot = snapshot_add(dump->store,
				dump->is_bare ? "system_info" : "crash_dump", ts_ns,
				dump->is_bare ? dump->section_line : dump->first_line);
	}
}
