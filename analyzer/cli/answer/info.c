/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope info`: what is in a database.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "answer.h"
#include "command.h"
#include "database.h"
#include "output.h"
#include "table.h"
#include "visible.h"

enum option_key {
	KEY_FORMAT = 256,
	KEY_VIEWS,
};

struct info_options {
	const char *database;
	bool is_json;
	bool is_listing_views;
};

static const struct argp_option table[] = {
	COMMAND_OPTION_FORMAT(KEY_FORMAT, "text (default) or json"),
	{ "views", KEY_VIEWS, NULL, 0, "list the public views and what a row of each is", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_FLAG(KEY_VIEWS, struct info_options, is_listing_views),
	{ 0 },
};

/* A part of the answer: the same query gives the text and, through json_object, the JSON. */
struct section {
	const char *title;

	/* Columns as in "id, kind"; each is a name. */
	const char *columns[8];
	const char *from;
};

static const struct section sections[] = {
	{ "sources",
			{ "id", "kind", "path", "complete", "first_ts_ns", "last_ts_ns", "events",
					"reader" },
			"source ORDER BY id" },
	{ "losses", { "id", "lost_events", "lost_packets" }, "source ORDER BY id" },
	{ "runtimes", { "id", "source_id", "hostname", "vpid", "procname" },
			"runtime ORDER BY id" },
	{ "capabilities", { "source_id", "capability", "available", "reason" },
			"source_capability ORDER BY source_id, capability" },
	{ "snapshots", { "source_id", "kind", "snapshots", "first_line" },
			"(SELECT source_id, kind, count(*) AS snapshots, min(line) AS first_line "
			"FROM snapshot GROUP BY source_id, kind) ORDER BY source_id, kind" },
	{ "problems", { "source_id", "severity", "name", "count", "sentence" },
			"load_problem ORDER BY source_id, id" },
};

static const struct section view_section = { "views", { "view", "quality", "meaning" },
	"view_doc WHERE column = '' AND view NOT LIKE '\\_%' ESCAPE '\\' AND view IN "
	"(SELECT name FROM sqlite_schema WHERE type = 'view') ORDER BY view" };

static error_t parse(int key, char *argument, struct argp_state *state)
{
	static const char *const formats[] = { "text", "json", NULL };
	struct info_options *options = state->input;

	switch (key) {
	case KEY_FORMAT:
		options->is_json = command_take_format(state, formats, argument) == 1;
		return 0;
	case ARGP_KEY_ARG:
		command_take_file(state, "info", argument, &options->database);
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "'info' needs a FILE");
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* Writes "a, b" or, for JSON, "'a', "a", 'b', "b"". */
static void append_columns(sqlite3_str *sql, const struct section *section, bool is_json)
{
	size_t most = sizeof(section->columns) / sizeof(section->columns[0]);

	for (size_t i = 0; i < most && section->columns[i]; i++) {
		const char *comma = i > 0 ? ", " : "";

		if (is_json) {
			sqlite3_str_appendf(sql, "%s%Q, \"%w\"", comma, section->columns[i],
					section->columns[i]);
		} else {
			sqlite3_str_appendf(sql, "%s\"%w\"", comma, section->columns[i]);
		}
	}
}

/* "SELECT 'source' AS table, …": rows of each table, by the greatest id where there is one. */
static enum csc_status append_tables(sqlite3 *db, sqlite3_str *sql, struct diag *diag)
{
	sqlite3_stmt *tables = NULL;
	const char *before = "";
	int result;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT m.name, EXISTS (SELECT 1 FROM pragma_table_info(m.name) "
					"WHERE name = 'id' AND pk = 1 AND type = 'INTEGER') "
					"FROM sqlite_schema AS m WHERE m.type = 'table' "
					"AND m.name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' ORDER BY m.name"),
			&tables, diag);

	if (status != CSC_OK) {
		return status;
	}

	while ((result = sqlite3_step(tables)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(tables, 0);

		sqlite3_str_appendf(sql, "%sSELECT %Q AS \"table\", %s AS rows FROM \"%w\"", before,
				name,
				sqlite3_column_int(tables, 1) ? "ifnull(max(id), 0)" : "count(*)",
				name);
		before = " UNION ALL ";
	}

	(void)sqlite3_finalize(tables);
	return database_check(db, result, diag);
}

static enum csc_status print_query(
		FILE *stream, sqlite3 *db, const char *title, char *sql, struct diag *diag)
{
	static const struct table_style style = { 0 };
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	if (status != CSC_OK) {
		return status;
	}

	(void)fprintf(stream, "\n%s\n", title);
	status = table_print_text(stream, db, rows, &style, diag);
	(void)sqlite3_finalize(rows);
	return status;
}

static enum csc_status print_section(
		FILE *stream, sqlite3 *db, const struct section *section, struct diag *diag)
{
	sqlite3_str *sql = sqlite3_str_new(db);

	sqlite3_str_appendall(sql, "SELECT ");
	append_columns(sql, section, false);
	sqlite3_str_appendf(sql, " FROM %s", section->from);
	return print_query(stream, db, section->title, sqlite3_str_finish(sql), diag);
}

static enum csc_status print_text(FILE *stream, sqlite3 *db, const struct info_options *options,
		int64_t size_bytes, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	sqlite3_str *sql;

	visible_print(stream, options->database, VISIBLE_CELL);
	(void)fprintf(stream, ": %" PRId64 " bytes, schema version ", size_bytes);
	{
		sqlite3_stmt *version = NULL;

		status = database_prepare(
				db, sqlite3_mprintf("PRAGMA user_version"), &version, diag);
		if (status == CSC_OK && sqlite3_step(version) == SQLITE_ROW) {
			(void)fprintf(stream, "%d\n", sqlite3_column_int(version, 0));
		}
		(void)sqlite3_finalize(version);
	}

	if (status == CSC_OK && options->is_listing_views) {
		return print_section(stream, db, &view_section, diag);
	}

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]) && status == CSC_OK; i++) {
		status = print_section(stream, db, &sections[i], diag);
	}

	sql = sqlite3_str_new(db);
	if (status == CSC_OK) {
		status = append_tables(db, sql, diag);
	}

	if (status != CSC_OK) {
		sqlite3_free(sqlite3_str_finish(sql));
		return status;
	}

	return print_query(stream, db, "tables", sqlite3_str_finish(sql), diag);
}

static void append_json_section(sqlite3_str *sql, const struct section *section)
{
	sqlite3_str_appendf(sql, ", %Q, (SELECT json_group_array(json_object(", section->title);
	append_columns(sql, section, true);
	sqlite3_str_appendf(sql, ")) FROM (SELECT * FROM %s))", section->from);
}

static enum csc_status print_json(FILE *stream, sqlite3 *db, const struct info_options *options,
		int64_t size_bytes, struct diag *diag)
{
	sqlite3_str *sql = sqlite3_str_new(db);
	sqlite3_stmt *rows = NULL;
	enum csc_status status = CSC_OK;

	sqlite3_str_appendf(sql,
			"SELECT json_object('file', %Q, 'size_bytes', %lld, 'schema_version', "
			"(SELECT user_version FROM pragma_user_version)",
			options->database, (long long)size_bytes);
	if (options->is_listing_views) {
		append_json_section(sql, &view_section);
	} else {
		for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
			append_json_section(sql, &sections[i]);
		}
		sqlite3_str_appendall(sql,
				", 'tables', (SELECT json_group_object(\"table\", rows) FROM (");
		status = append_tables(db, sql, diag);
		sqlite3_str_appendall(sql, "))");
	}

	sqlite3_str_appendall(sql, ")");
	if (status != CSC_OK) {
		sqlite3_free(sqlite3_str_finish(sql));
		return status;
	}

	status = database_prepare(db, sqlite3_str_finish(sql), &rows, diag);
	if (status == CSC_OK && sqlite3_step(rows) == SQLITE_ROW) {
		visible_print(stream, (const char *)sqlite3_column_text(rows, 0), VISIBLE_JSON);
		fputc('\n', stream);
	} else if (status == CSC_OK) {
		status = database_check(db, SQLITE_ERROR, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

static enum csc_status info(const struct info_options *options, struct diag *diag)
{
	sqlite3 *db = NULL;
	struct stat file = { 0 };
	struct output output;
	enum csc_status status = database_open(options->database, &db, diag);

	if (status != CSC_OK) {
		return status;
	}

	(void)stat(options->database, &file);
	status = output_open(NULL, false, NULL, &output, diag);
	if (status == CSC_OK) {
		database_warn(db, options->database);
		status = options->is_json
				? print_json(output.stream, db, options, file.st_size, diag)
				: print_text(output.stream, db, options, file.st_size, diag);
		status = output_close(&output, status, diag);
	}

	(void)sqlite3_close(db);
	return status;
}

int command_info(int argc, char **argv)
{
	struct info_options options = { 0 };
	struct diag diag = { 0 };

	command_read(argc, argv, table, parse, "FILE",
			"Show what is in the database FILE: sources, processes, what was recorded, "
			"problems, and rows of each table.",
			&options);
	return info(&options, &diag) == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
