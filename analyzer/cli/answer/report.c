/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope report`: prints one report of a database that `carrierscope load` made.
 *
 * A report is a view named report_<NAME>; any other public view will do.  This
 * file knows no other SQL but that of the footer, and where the answer as data is.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"
#include "answer_text.h"
#include "command.h"
#include "database.h"
#include "datasette.h"
#include "judge.h"
#include "map_svg.h"
#include "openmetrics.h"
#include "output.h"
#include "page.h"
#include "pager.h"
#include "report_at.h"
#include "report_query.h"
#include "table.h"
#include "topics.h"
#include "visible.h"

enum report_format {
	FORMAT_TEXT,
	FORMAT_CSV,
	FORMAT_JSON,
	/* Of the map of carriers. */
	FORMAT_SVG,
	/* From here on of all reports. */
	FORMAT_HTML,
	FORMAT_OPENMETRICS,
	FORMAT_DATASETTE,
};

enum option_key {
	KEY_ALL = 256,
	KEY_AT,
	KEY_BYTES,
	KEY_COLOR,
	KEY_FORMAT,
	KEY_GROWN,
	KEY_LIVE,
	KEY_MADE,
	KEY_RAW,
	KEY_SHOW_SQL,
	KEY_SINCE,
};

struct report_options {
	/* NULL: list the reports. */
	const char *name;
	const char *database;
	const char *output;

	/* Of reports that are about a moment; NULL: the end, and the beginning. */
	const char *at;
	const char *since;
	enum report_format format;
	enum code_figure figure;
	bool is_forced;
	bool has_raw_bytes;
	bool is_showing_sql;
	bool is_raw;

	/* The names of all reports, and what they show. */
	bool is_listing;

	/* -1: by the terminal, TERM and NO_COLOR. */
	int color;

	/* -1: all rows. */
	long long limit;
};

static const struct argp_option table[] = {
	COMMAND_OPTION_FORMAT(KEY_FORMAT,
			"text (default), csv, json, svg, html, openmetrics or datasette"),
	COMMAND_OPTION_OUTPUT("standard output"),
	{ "limit", 'n', "COUNT", 0, "print the first COUNT rows only", 0 },
	{ "all", KEY_ALL, NULL, 0, "print the names of all reports with rows, and what they show",
			0 },
	{ "at", KEY_AT, "TIME", 0,
			"of reports about a moment: TIME in nanoseconds since the epoch, or +SECONDS "
			"since the recording began; else the end",
			0 },
	{ "since", KEY_SINCE, "TIME", 0, "maxima since then, where a report has them", 0 },
	{ "live", KEY_LIVE, NULL, 0, "of report code: what is live first (default)", 0 },
	{ "made", KEY_MADE, NULL, 0, "of report code: what was made, live or not", 0 },
	{ "grown", KEY_GROWN, NULL, 0,
			"of report code: what is live and was made in the range, or in the second half",
			0 },
	{ "raw", KEY_RAW, NULL, 0, "of csv: do not write out control characters of texts", 0 },
	{ "bytes", KEY_BYTES, NULL, 0, "print sizes in bytes, not in KiB and MiB", 0 },
	{ "show-sql", KEY_SHOW_SQL, NULL, 0, "print the query instead of running it", 0 },
	{ "color", KEY_COLOR, "WHEN", 0, "auto (default), always or never", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE('o', struct report_options, output),
	COMMAND_FLAG('f', struct report_options, is_forced),
	COMMAND_FLAG(KEY_ALL, struct report_options, is_listing),
	COMMAND_FLAG(KEY_BYTES, struct report_options, has_raw_bytes),
	COMMAND_FLAG(KEY_RAW, struct report_options, is_raw),
	COMMAND_FLAG(KEY_SHOW_SQL, struct report_options, is_showing_sql),
	{ 0 },
};

static const char *const formats[] = { "text", "csv", "json", "svg", "html", "openmetrics",
	"datasette", NULL };

/* The number of a word in a list that NULL ends, -1 if it is not there. */
static int find_word(const char *word, const char *const *words)
{
	for (int i = 0; words[i]; i++) {
		if (strcmp(word, words[i]) == 0) {
			return i;
		}
	}

	return -1;
}

static int read_color(const struct argp_state *state, const char *word)
{
	static const char *const colors[] = { "never", "always", "auto", NULL };
	int color = find_word(word, colors);

	if (color < 0) {
		command_misuse(state, "invalid value '%s' for --color", word);
	}

	return color;
}

static void read_limit(
		const struct argp_state *state, struct report_options *options, const char *text)
{
	char *end;

	options->limit = strtoll(text, &end, 10);
	if (*text < '0' || *text > '9' || *end != '\0') {
		command_misuse(state, "'%s' is not a number of rows", text);
	}
}

static const char *read_time(const struct argp_state *state, const char *option, const char *text)
{
	if (!report_at_is_time(text)) {
		command_misuse(state, "'%s' is not a time for %s", text, option);
	}

	return text;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct report_options *options = state->input;

	switch (key) {
	case KEY_FORMAT:
		options->format = (enum report_format)command_take_format(state, formats, argument);
		return 0;
	case 'n':
		read_limit(state, options, argument);
		return 0;
	case KEY_AT:
		options->at = read_time(state, "--at", argument);
		return 0;
	case KEY_SINCE:
		options->since = read_time(state, "--since", argument);
		return 0;
	case KEY_LIVE:
	case KEY_MADE:
	case KEY_GROWN:
		options->figure = key == KEY_LIVE ? CODE_LIVE
				: key == KEY_MADE ? CODE_MADE
						  : CODE_GROWN;
		return 0;
	case KEY_COLOR:
		options->color = read_color(state, argument);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num >= 2) {
			command_misuse(state,
					"too many arguments: 'report' needs a NAME and a FILE");
		}
		options->name = options->database;
		options->database = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "'report' needs a FILE, or a NAME and a FILE");
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* Finds the view that a name means; the caller frees it with sqlite3_free(). */
static enum csc_status find_view(
		sqlite3 *db, const char *name, const char *path, char **ret_view, struct diag *diag)
{
	sqlite3_stmt *view = NULL;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT name FROM sqlite_schema WHERE (type = 'view' OR "
					"type = 'table' AND name IN (SELECT view FROM view_doc)) AND "
					"name IN ('report_' || replace(%Q, '-', '_'), %Q) "
					"AND name NOT LIKE '\\_%%' ESCAPE '\\' "
					"ORDER BY name <> 'report_' || replace(%Q, '-', '_') LIMIT 1",
					name, name, name),
			&view, diag);

	if (status != CSC_OK) {
		return status;
	}

	if (sqlite3_step(view) == SQLITE_ROW) {
		*ret_view = sqlite3_mprintf("%s", sqlite3_column_text(view, 0));
		status = *ret_view ? CSC_OK : DIAG_NO_MEMORY(diag);
	} else {
		const char *meant = topics_nearest(name);

		status = meant ? DIAG_FAIL(diag, "'%s' has no report or view '%s'; did you mean 'carrierscope report %s %s'?",
						 path, name, meant, path)
			       : DIAG_FAIL(diag, "'%s' has no report or view '%s'; 'carrierscope report --all %s' lists them",
						 path, name, path);
	}

	(void)sqlite3_finalize(view);
	return status;
}

static char *make_query(sqlite3 *db, const struct report_options *options, const char *view)
{
	return report_query_make(db,
			&(struct report_query){
					.view = view,
					.is_json = options->format == FORMAT_JSON &&
							!options->is_showing_sql,
					.figure = options->figure,
					.limit = options->limit,
			});
}

static enum csc_status print_sql(FILE *stream, sqlite3 *db, const struct report_options *options,
		const char *view, struct diag *diag)
{
	sqlite3_stmt *text = NULL;
	char *query = make_query(db, options, view);
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT sql FROM sqlite_schema WHERE name = %Q", view),
			&text, diag);

	if (status == CSC_OK && query && sqlite3_step(text) == SQLITE_ROW) {
		visible_print(stream, query, VISIBLE_LINES);
		fputs(";\n\n", stream);
		visible_print(stream, (const char *)sqlite3_column_text(text, 0), VISIBLE_LINES);
		fputs(";\n", stream);
	}

	(void)sqlite3_finalize(text);
	sqlite3_free(query);
	return status;
}

/* Standard output is a terminal, and the report goes there. */
static bool is_on_screen(const struct report_options *options)
{
	return (!options->output || strcmp(options->output, "-") == 0) && isatty(STDOUT_FILENO);
}

/* See no-color.org: an empty NO_COLOR is none. */
static bool is_color_wanted(void)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return (!no_color || !*no_color) && !(term && strcmp(term, "dumb") == 0);
}

static bool has_color(const struct report_options *options)
{
	return options->color == 1 ||
			(options->color < 0 && is_on_screen(options) && is_color_wanted());
}

/* Characters of a line of the terminal; 0: it is none. */
static int terminal_width(const struct report_options *options)
{
	struct winsize size = { 0 };

	return is_on_screen(options) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col
										     : 0;
}

static enum csc_status print_rows(FILE *stream, sqlite3 *db, const struct report_options *options,
		const char *view, char *sql, struct diag *diag)
{
	char *empty = database_why_empty(db, view);
	const struct table_style style = {
		.view = view,
		.width = terminal_width(options),
		.empty = empty,
		.has_raw_bytes = options->has_raw_bytes,
		.has_color = has_color(options),
	};
	sqlite3_stmt *rows = NULL;
	enum csc_status status = database_prepare(db, sql, &rows, diag);

	if (status != CSC_OK) {
		free(empty);
		return status;
	}

	switch (options->format) {
	case FORMAT_CSV:
		status = table_print_csv(stream, db, rows, options->is_raw, diag);
		break;
	case FORMAT_JSON:
		status = table_print_json(stream, db, rows, diag);
		break;
	case FORMAT_TEXT:
	case FORMAT_SVG:
	case FORMAT_HTML:
	case FORMAT_OPENMETRICS:
	case FORMAT_DATASETTE:
		status = table_print_text(stream, db, rows, &style, diag);
		break;
	}

	(void)sqlite3_finalize(rows);
	free(empty);
	return status;
}

/* Says how far the figures can be trusted: one line for each reason not to. */
static enum csc_status print_footer(
		FILE *stream, sqlite3 *db, const char *view, const char *path, struct diag *diag)
{
	sqlite3_stmt *lines = NULL;
	const char *before = "\n";
	int result;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT 'bounds: ' || group_concat(column, ', ') FROM view_doc "
					"WHERE view = %Q AND quality = 'bound' HAVING count(*) > 0 "
					"UNION ALL "
					"SELECT 'estimates: ' || group_concat(column, ', ') FROM view_doc "
					"WHERE view = %Q AND quality = 'estimate' HAVING count(*) > 0 "
					"UNION ALL "
					"SELECT format('source %%d lost %%d events and %%d packets: figures may not "
					"hold where it did', id, lost_events, lost_packets) FROM source "
					"WHERE lost_events <> 0 OR lost_packets <> 0 "
					"UNION ALL "
					"SELECT format('%%d %%s of problems: see ''carrierscope report problems "
					"%%s''', count(*), iif(count(*) = 1, 'kind', 'kinds'), %Q) FROM load_problem HAVING count(*) > 0",
					view, view, path),
			&lines, diag);

	if (status != CSC_OK) {
		return status;
	}

	while ((result = sqlite3_step(lines)) == SQLITE_ROW) {
		fputs(before, stream);
		visible_print(stream, (const char *)sqlite3_column_text(lines, 0), VISIBLE_CELL);
		fputc('\n', stream);
		before = "";
	}

	(void)sqlite3_finalize(lines);
	return database_check(db, result, diag);
}

/* The answer as data, of the worst place. */
static enum csc_status print_answer(FILE *stream, sqlite3 *db, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT json FROM answer ORDER BY rank LIMIT 1"), &row,
			diag);

	if (status == CSC_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
		visible_print(stream, (const char *)sqlite3_column_text(row, 0), VISIBLE_JSON);
		fputc('\n', stream);
		result = sqlite3_step(row);
	}

	(void)sqlite3_finalize(row);
	return status == CSC_OK ? database_check(db, result, diag) : status;
}

/* The answer on one screen. */
static enum csc_status print_screen(
		FILE *stream, sqlite3 *db, const struct report_options *options, struct diag *diag)
{
	const struct answer_style style = {
		.path = options->database,
		.width = terminal_width(options),
		.has_color = has_color(options),
		.is_verdict_last = is_on_screen(options),
	};

	return answer_text_print(stream, db, &style, diag);
}

/* One query of the names of the reports with rows; in JSON an object for each. */
static enum csc_status print_names(
		FILE *stream, sqlite3 *db, const struct report_options *options, struct diag *diag)
{
	char *query = topics_query(db);
	char *sql = options->format == FORMAT_JSON
			? sqlite3_mprintf("SELECT json_object('topic', topic, 'report', report, 'meaning', meaning) FROM (%s)",
					  query)
			: sqlite3_mprintf("%s", query);

	sqlite3_free(query);
	return print_rows(stream, db, options, NULL, sql, diag);
}

static enum csc_status report_to(FILE *stream, sqlite3 *db, const struct report_options *options,
		const char *view, struct diag *diag)
{
	enum csc_status status;

	if (options->format == FORMAT_HTML) {
		return page_print(stream, db, options->database, NULL, diag);
	}

	if (options->format == FORMAT_SVG) {
		return map_svg_print(stream, db, options->database, diag);
	}

	if (options->format == FORMAT_OPENMETRICS) {
		return openmetrics_print(stream,
				&(struct openmetrics_file){ db, options->database }, 1, diag);
	}

	if (options->format == FORMAT_DATASETTE) {
		return datasette_print(stream, db, options->database, diag);
	}

	if (!view && options->format == FORMAT_TEXT && !options->is_showing_sql &&
			!options->is_listing) {
		return print_screen(stream, db, options, diag);
	}

	if (!view && options->format == FORMAT_JSON && !options->is_listing) {
		return print_answer(stream, db, diag);
	}

	if (!view) {
		return print_names(stream, db, options, diag);
	}

	if (options->is_showing_sql) {
		return print_sql(stream, db, options, view, diag);
	}

	status = print_rows(stream, db, options, view, make_query(db, options, view), diag);
	if (status == CSC_OK && options->format == FORMAT_TEXT && !ferror(stream)) {
		status = print_footer(stream, db, view, options->database, diag);
	}

	return status;
}

/* Text that may be longer than a screen goes through a pager. */
static enum csc_status show(FILE *stream, sqlite3 *db, const struct report_options *options,
		const char *view, struct diag *diag)
{
	bool is_long = is_on_screen(options) && options->format == FORMAT_TEXT &&
			(view || options->is_listing);
	struct pager pager = is_long ? pager_open() : (struct pager){ 0 };
	enum csc_status status =
			report_to(pager.stream ? pager.stream : stream, db, options, view, diag);

	if (pager.stream && !pager_close(&pager)) {
		status = report_to(stream, db, options, view, diag);
	}
	return status;
}

/* A view whose name is nearly that of a report may not be what was meant. */
static void warn_of_report(const char *name, const char *view)
{
	const char *meant = strcmp(name, view) == 0 ? topics_nearest(name) : NULL;

	if (meant && strcmp(meant, name) != 0) {
		command_print("'%s' is a view of the database; the report is '%s'", name, meant);
	}
}

static enum csc_status report(const struct report_options *options, struct diag *diag)
{
	sqlite3 *db = NULL;
	char *view = NULL;
	struct output output;
	enum csc_status status = database_open(options->database, &db, diag);

	if (status != CSC_OK) {
		return status;
	}

	if (options->format == FORMAT_HTML) {
		status = page_check(diag);
	}

	if (status == CSC_OK && options->name) {
		const char *name = topics_report(db, options->name);

		status = find_view(db, name ? name : options->name, options->database, &view, diag);
	}

	if (status == CSC_OK && view && options->format == FORMAT_TEXT) {
		warn_of_report(options->name, view);
	}

	if (status == CSC_OK && view && (options->at || options->since)) {
		status = report_at_ask(db, view, options->at, options->since, diag);
	} else if (status == CSC_OK && !options->is_showing_sql &&
			options->format != FORMAT_DATASETTE) {
		status = options->format == FORMAT_HTML ? page_prepare(db, diag)
							: judge_prepare(db, view, diag);
	}

	if (status == CSC_OK) {
		status = output_open(options->output, options->is_forced, options->database,
				&output, diag);
	}

	if (status == CSC_OK) {
		database_warn(db, options->database);
		status = show(output.stream, db, options, view, diag);
		status = output_close(&output, status, diag);
	}

	sqlite3_free(view);
	(void)sqlite3_close(db);
	return status;
}

int command_report(int argc, char **argv)
{
	struct report_options options = { .color = -1, .limit = -1 };
	struct stat file;
	struct diag diag = { 0 };

	command_read(argc, argv, table, parse, "FILE\nNAME FILE",
			"Print the report or view NAME of the database FILE, or what a topic begins with; without NAME, "
			"the answer on one screen, in JSON one object with it.\v"
			"CSV and JSON hold raw values: bytes, nanoseconds, ratios.\n\n"
			"Example:\n  carrierscope report utilisation run.db",
			&options);
	if (options.format >= FORMAT_HTML && (options.name || options.is_showing_sql)) {
		command_print("%s covers all reports; leave out NAME and --show-sql",
				formats[options.format]);
		return EXIT_USAGE;
	}

	if (options.format == FORMAT_SVG && !(options.name && strcmp(options.name, "map") == 0)) {
		command_print("svg draws the map of carriers: carrierscope report --format svg map %s",
				options.database);
		return EXIT_USAGE;
	}

	if (options.is_listing && (options.name || options.format >= FORMAT_HTML)) {
		command_print("--all lists the reports: leave out NAME, and formats of a whole file");
		return EXIT_USAGE;
	}

	/* The other way round. */
	if (options.name && stat(options.name, &file) == 0 && S_ISREG(file.st_mode) &&
			access(options.database, F_OK) != 0) {
		const char *meant = topics_nearest(options.database);

		command_print("the database comes last; did you mean 'carrierscope report %s %s'?",
				meant ? meant : options.database, options.name);
		return EXIT_USAGE;
	}

	if (options.figure != CODE_LIVE && !(options.name && strcmp(options.name, "code") == 0)) {
		command_print("--made and --grown are of report code: carrierscope report code %s",
				options.database);
		return EXIT_USAGE;
	}

	options.color = options.color == 2 ? -1 : options.color;
	return report(&options, &diag) == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
