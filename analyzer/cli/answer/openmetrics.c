/*
 * SPDX-License-Identifier: MIT
 *
 * Metrics for dashboards.
 */
#include "openmetrics.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "visible.h"

/* The value of a label: a backslash, a quote and a line feed have escapes. */
static void print_label(FILE *stream, const char *name, const char *value, const char *after)
{
	char *shown = visible_copy(value, VISIBLE_LINES);

	(void)fprintf(stream, "%s=\"", name);
	for (const char *at = shown ? shown : ""; *at; at++) {
		if (*at == '\n') {
			fputs("\\n", stream);
		} else {
			fputs(*at == '\\' || *at == '"' ? "\\" : "", stream);
			fputc(*at, stream);
		}
	}
	free(shown);
	(void)fprintf(stream, "\"%s", after);
}

static void print_comment(FILE *stream, const char *kind, const char *name, const char *text)
{
	(void)fprintf(stream, "%s carrierscope_", kind);
	visible_print(stream, name, VISIBLE_CELL);
	fputc(' ', stream);
	visible_print(stream, text, VISIBLE_CELL);
	fputc('\n', stream);
}

static void print_family(FILE *stream, sqlite3_stmt *row)
{
	print_comment(stream, "# TYPE", database_text(row, 0), "gauge");
	if (strcmp(database_text(row, 1), "count") != 0) {
		print_comment(stream, "# UNIT", database_text(row, 0), database_text(row, 1));
	}
	print_comment(stream, "# HELP", database_text(row, 0), database_text(row, 2));
}

/* Its file, where there are several, and its node, which is empty where it has no name. */
static void print_sample(FILE *stream, sqlite3_stmt *row)
{
	fputs("carrierscope_", stream);
	visible_print(stream, database_text(row, 0), VISIBLE_CELL);
	fputc('{', stream);
	if (*database_text(row, 7)) {
		print_label(stream, "file", database_text(row, 7), ",");
	}
	print_label(stream, "node", database_text(row, 6), ",");
	print_label(stream, "place", database_text(row, 1), ",");
	print_label(stream, "vpid", database_text(row, 2), ",");
	print_label(stream, "allocator", database_text(row, 3), ",");
	print_label(stream, "quality", database_text(row, 4), "} ");
	(void)fprintf(stream, "%.17g\n", sqlite3_column_double(row, 5));
}

static enum csc_status print_samples(FILE *stream, const struct openmetrics_file *file,
		bool is_named, sqlite3_stmt *family, struct diag *diag)
{
	return database_print_rows(stream, file->db,
			sqlite3_mprintf("SELECT %Q, m.place, ifnull(m.vpid, ''), ifnull(m.allocator, ''), m.quality, m.value, v.node, %Q "
					"FROM metric AS m LEFT JOIN verdict AS v ON v.level = 'runtime' AND v.source_id = m.source_id "
					"AND v.runtime_id IS m.runtime_id AND v.snapshot_id IS m.snapshot_id "
					"WHERE m.metric = %Q ORDER BY m.place, m.allocator",
					database_text(family, 0), is_named ? file->path : "",
					database_text(family, 3)),
			print_sample, diag);
}

enum csc_status openmetrics_print(
		FILE *stream, const struct openmetrics_file *files, size_t count, struct diag *diag)
{
	sqlite3_stmt *families = NULL;
	int result = SQLITE_DONE;
	/* A family's name ends in its unit: a ratio becomes utilisation_ratio. */
	enum csc_status status = database_prepare(files->db,
			sqlite3_mprintf("SELECT metric || iif(unit = 'ratio', '_ratio', ''), unit, meaning, metric "
					"FROM metric_kind ORDER BY metric"),
			&families, diag);

	while (status == CSC_OK && !ferror(stream) &&
			(result = sqlite3_step(families)) == SQLITE_ROW) {
		print_family(stream, families);
		for (size_t i = 0; status == CSC_OK && i < count; i++) {
			status = print_samples(stream, &files[i], count > 1, families, diag);
		}
	}

	if (status == CSC_OK && !ferror(stream)) {
		fputs("# EOF\n", stream);
		status = database_check(files->db, result, diag);
	}

	(void)sqlite3_finalize(families);
	return status;
}
