/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope diff`: what differs between two recordings of the same program.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "database.h"
#include "json_writer.h"
#include "judge.h"
#include "metric.h"
#include "output.h"
#include "page.h"
#include "visible.h"

/* In the order of `formats`. */
enum diff_format { DIFF_TEXT, DIFF_JSON, DIFF_HTML };
static const char *const formats[] = { "text", "json", "html", NULL };

enum { KEY_FORMAT = 256, KEY_TOLERANCE };

struct diff_options {
	const char *old_path;
	const char *new_path;
	const char *output;
	enum diff_format format;
	bool is_forced;

	/* Changes up to this part of the old value are noise. */
	double tolerance;
};

static const struct argp_option table[] = {
	{ "tolerance", KEY_TOLERANCE, "PERCENT", 0, "changes up to this are noise (default 5)", 0 },
	COMMAND_OPTION_FORMAT(KEY_FORMAT, "text (default), json, or html: a page of both"),
	COMMAND_OPTION_OUTPUT("standard output"),
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE('o', struct diff_options, output),
	COMMAND_FLAG('f', struct diff_options, is_forced),
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct diff_options *options = state->input;
	char *end;

	switch (key) {
	case KEY_TOLERANCE:
		options->tolerance = strtod(argument, &end) / 100;
		if (end == argument || *end != '\0' || !(options->tolerance >= 0)) {
			command_misuse(state, "'%s' is not a number of per cent", argument);
		}
		return 0;
	case KEY_FORMAT:
		options->format = (enum diff_format)command_take_format(state, formats, argument);
		return 0;
	case ARGP_KEY_ARG:
		if (options->new_path) {
			command_misuse(state, "too many arguments: 'diff' needs two FILEs");
		}
		*(options->old_path ? &options->new_path : &options->old_path) = argument;
		return 0;
	case ARGP_KEY_END:
		if (!options->new_path) {
			command_misuse(state, "'diff' needs two FILEs, the older first");
		}
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

static int compare_keys(const struct metric *a, const struct metric *b)
{
	int order = (a->place > b->place) - (a->place < b->place);

	order = order != 0 ? order : strcmp(a->allocator, b->allocator);
	return order != 0 ? order : strcmp(a->name, b->name);
}

/* Bytes below this differ from run to run: a main carrier more or less. */
static const double noise_bytes = 1048576;

static bool is_different(const struct diff_options *options, const struct metric *old,
		const struct metric *new)
{
	double change;

	if (!old || !new) {
		return true;
	}

	change = fabs(new->value - old->value);
	if (strcmp(new->unit, "bytes") == 0 && change < noise_bytes) {
		return false;
	}

	return change > options->tolerance * fmax(fabs(old->value), fabs(new->value));
}

static void print_json(struct json_writer *json, const struct metric *old, const struct metric *new,
		const char *change)
{
	const struct metric *any = new ? new : old;

	json_break(json);
	json_open(json, '{');
	json_key(json, "metric");
	json_text(json, any->name);
	json_key(json, "allocator");
	json_text(json, *any->allocator ? any->allocator : NULL);
	json_key(json, "place");
	json_integer(json, any->place);
	json_key(json, "change");
	json_text(json, change);
	json_key(json, "old");
	json_number(json, old ? old->value : (double)NAN);
	json_key(json, "new");
	json_number(json, new ? new->value : (double)NAN);
	json_close(json, '}');
}

/* What a difference is written with. */
struct writer {
	FILE *stream;
	enum diff_format format;
	struct json_writer json;
	bool has_head;
};

static void write_head(struct writer *writer)
{
	if (writer->has_head) {
		return;
	}

	writer->has_head = true;
	if (writer->format == DIFF_HTML) {
		fputs(page_difference_head, writer->stream);
	} else {
		(void)fprintf(writer->stream, "%-34s %12s %12s %9s  %s\n", "metric", "old", "new",
				"change", "");
	}
}

/* "+12.5%"; "" where one of them is missing or the old one is 0. */
static void write_share(char share[32], const struct metric *old, const struct metric *new)
{
	*share = '\0';
	if (old && new && old->value != 0) {
		(void)snprintf(share, 32, "%+.1f%%",
				100 * (new->value - old->value) / fabs(old->value));
	}
}

static bool print_text(struct writer *writer, const struct metric *old, const struct metric *new,
		const char *change)
{
	const struct metric *any = new ? new : old;
	char *name = any ? metric_title(any) : NULL;
	char *title = name ? visible_copy(name, VISIBLE_CELL) : NULL;
	char *before = old ? metric_value(old->unit, old->value) : strdup("-");
	char *after = new ? metric_value(new->unit, new->value) : strdup("-");
	bool is_printed = title && before && after;

	if (is_printed) {
		char share[32];

		write_share(share, old, new);
		write_head(writer);
		if (writer->format == DIFF_HTML) {
			const char *const cells[] = { title, before, after, share, change };

			page_difference(writer->stream, cells);
		} else {
			(void)fprintf(writer->stream, "%-34s %12s %12s %9s  %s\n", title, before,
					after, share, change);
		}
	}

	free(name);
	free(title);
	free(before);
	free(after);
	return is_printed;
}

/* The next pair of the same metric, or one alone. */
static void take_pair(const struct metrics *olds, const struct metrics *news, size_t places[2],
		const struct metric **ret_old, const struct metric **ret_new)
{
	const struct metric *old = places[0] < olds->count ? &olds->list[places[0]] : NULL;
	const struct metric *new = places[1] < news->count ? &news->list[places[1]] : NULL;
	int order = !old ? 1 : !new ? -1 : compare_keys(old, new);

	old = order <= 0 ? old : NULL;
	new = order >= 0 ? new : NULL;
	places[0] += old != NULL;
	places[1] += new != NULL;
	/* One that only has bounds is no figure to compare. */
	*ret_old = old && isnan(old->value) ? NULL : old;
	*ret_new = new &&isnan(new->value) ? NULL : new;
}

static const char *name_change(const struct metric *old, const struct metric *new)
{
	if (!old || !new) {
		return old ? "gone" : "new";
	}

	return (new->value > old->value) == new->higher_is_better ? "better" : "worse";
}

/* Both lists are in the order of compare_keys(): yields how many pairs differ; -1: out of memory.
 */
static long print_differences(const struct diff_options *options, const struct metrics *olds,
		const struct metrics *news, FILE *stream)
{
	struct writer writer = { stream, options->format, { .stream = stream }, false };
	size_t places[2] = { 0 };
	long differences = 0;

	if (options->format == DIFF_JSON) {
		json_open(&writer.json, '[');
	}

	while (places[0] < olds->count || places[1] < news->count) {
		const struct metric *old;
		const struct metric *new;

		take_pair(olds, news, places, &old, &new);
		if ((!old && !new) || !is_different(options, old, new)) {
			continue;
		}

		if (options->format == DIFF_JSON) {
			print_json(&writer.json, old, new, name_change(old, new));
		} else if (!print_text(&writer, old, new, name_change(old, new))) {
			return -1;
		}
		differences++;
	}

	if (options->format == DIFF_JSON) {
		json_close_line(&writer.json, ']');
	} else if (options->format == DIFF_HTML && writer.has_head) {
		fputs(page_difference_foot, stream);
	}

	return differences;
}

/* What the answers of both begin with; NULL where one has none. */
struct ends {
	char *headline;
	bool is_unknown;
	double bytes[3];
	bool has_bytes[3];
};

static enum csc_status read_ends(const char *path, struct ends *ret_ends, struct diag *diag)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *row = NULL;
	enum csc_status status = database_open(path, &db, diag);

	if (status == CSC_OK) {
		status = judge_prepare(db, "answer", diag);
	}
	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("SELECT upper(json ->> '$.headline'), json ->> '$.verdict' = 'unknown', "
						"json ->> '$.memory.resident.likely', json ->> '$.memory.carriers.likely', "
						"json ->> '$.memory.used.likely' FROM answer WHERE rank = 1"),
				&row, diag);
	}
	if (status == CSC_OK && sqlite3_step(row) == SQLITE_ROW) {
		ret_ends->headline = strdup(database_text(row, 0));
		ret_ends->is_unknown = sqlite3_column_int(row, 1);
		for (int i = 0; i < 3; i++) {
			ret_ends->bytes[i] = sqlite3_column_double(row, 2 + i);
			ret_ends->has_bytes[i] = sqlite3_column_type(row, 2 + i) != SQLITE_NULL;
		}
	}

	(void)sqlite3_finalize(row);
	(void)sqlite3_close(db);
	return status;
}

/* "LEAK before, NORMAL now: resident 144.6 to 132.1 MiB, …": the caller frees it with
 * sqlite3_free(). */
static enum csc_status summarise(
		const struct diff_options *options, char **ret_sentence, struct diag *diag)
{
	static const char *const names[] = { "resident", "carriers", "in use" };
	struct ends old = { 0 };
	struct ends new = { 0 };
	sqlite3_str *text = sqlite3_str_new(NULL);
	const char *before = ": ";
	enum csc_status status = read_ends(options->old_path, &old, diag);

	if (status == CSC_OK) {
		status = read_ends(options->new_path, &new, diag);
	}
	sqlite3_str_appendf(text, "%s before, %s now", old.headline ? old.headline : "UNKNOWN",
			new.headline ? new.headline : "UNKNOWN");
	for (int i = 0; i < 3; i++) {
		if (old.has_bytes[i] && new.has_bytes[i]) {
			sqlite3_str_appendf(text, "%s%s %.1f to %.1f MiB", before, names[i],
					old.bytes[i] / 1048576, new.bytes[i] / 1048576);
			before = ", ";
		}
	}
	sqlite3_str_appendall(text,
			new.is_unknown ? ".  The new recording does not decide whether it is better."
				       : ".");
	free(old.headline);
	free(new.headline);
	*ret_sentence = sqlite3_str_finish(text);
	return status == CSC_OK && !*ret_sentence ? DIAG_NO_MEMORY(diag) : status;
}

/* Opens a database for the page. */
static enum csc_status open_judged(const char *path, sqlite3 **ret_db, struct diag *diag)
{
	enum csc_status status = database_open(path, ret_db, diag);

	return status == CSC_OK ? page_prepare(*ret_db, diag) : status;
}

/* The page of the new one, beside figures of the old one and the table of differences. */
static enum csc_status print_page(const struct diff_options *options, const char *differences,
		FILE *stream, struct diag *diag)
{
	struct page_old old = { .path = options->old_path, .differences = differences };
	char *sentence = NULL;
	sqlite3 *db = NULL;
	enum csc_status status = summarise(options, &sentence, diag);

	old.sentence = sentence;
	if (status == CSC_OK) {
		status = open_judged(options->old_path, &old.db, diag);
	}

	if (status == CSC_OK) {
		status = open_judged(options->new_path, &db, diag);
	}
	if (status == CSC_OK) {
		status = page_print(stream, db, options->new_path, &old, diag);
	}

	(void)sqlite3_close(old.db);
	(void)sqlite3_close(db);
	sqlite3_free(sentence);
	return status;
}

/* A sentence, then the table. */
static enum csc_status print_plain(const struct diff_options *options, const char *differences,
		FILE *stream, struct diag *diag)
{
	char *sentence = NULL;
	enum csc_status status = summarise(options, &sentence, diag);

	if (status == CSC_OK) {
		visible_print(stream, sentence, VISIBLE_CELL);
		fputs("\n\n", stream);
		fputs(differences, stream);
	}
	sqlite3_free(sentence);
	return status;
}

/* Writes what differs; ret_differences: how many metrics. */
static enum csc_status write_difference(const struct diff_options *options,
		const struct metrics *olds, const struct metrics *news, FILE *stream,
		long *ret_differences, struct diag *diag)
{
	char *text = NULL;
	size_t length;
	FILE *memory;
	enum csc_status status;

	if (options->format == DIFF_JSON) {
		*ret_differences = print_differences(options, olds, news, stream);
		return *ret_differences < 0 ? DIAG_NO_MEMORY(diag) : CSC_OK;
	}

	memory = open_memstream(&text, &length);
	if (!memory) {
		return DIAG_NO_MEMORY(diag);
	}

	*ret_differences = print_differences(options, olds, news, memory);
	if (fclose(memory) != 0 || *ret_differences < 0) {
		status = DIAG_NO_MEMORY(diag);
	} else if (options->format == DIFF_HTML) {
		status = print_page(options, text, stream, diag);
	} else {
		status = *ret_differences > 0 ? print_plain(options, text, stream, diag) : CSC_OK;
	}
	free(text);
	return status;
}

/* Reads both, and writes what differs where it is wanted. */
static enum csc_status compare(
		const struct diff_options *options, long *ret_differences, struct diag *diag)
{
	struct metrics olds = { 0 };
	struct metrics news = { 0 };
	struct output output;
	enum csc_status status = options->format == DIFF_HTML ? page_check(diag) : CSC_OK;

	if (status == CSC_OK) {
		status = metrics_read(options->old_path, &olds, diag);
	}
	if (status == CSC_OK) {
		status = metrics_read(options->new_path, &news, diag);
	}
	if (status == CSC_OK) {
		status = output_open(options->output, options->is_forced, options->new_path,
				&output, diag);
	}
	if (status == CSC_OK) {
		status = write_difference(
				options, &olds, &news, output.stream, ret_differences, diag);
		status = output_close(&output, status, diag);
	}

	metrics_finish(&olds);
	metrics_finish(&news);
	return status;
}

int command_diff(int argc, char **argv)
{
	struct diff_options options = { .tolerance = 0.05 };
	struct diag diag = { 0 };
	long differences = 0;

	command_read(argc, argv, table, parse, "OLD NEW",
			"Print what differs between the recordings OLD and NEW of the same program: metrics "
			"that changed by more than noise.\v"
			"Runtimes are compared in their order; bytes that differ by less than 1 MiB do not "
			"count.  The page of --format=html has the new recording, beside what the old one "
			"had.\n\nExit status, as of diff(1): 0 no difference, 1 differences, 2 trouble or "
			"misuse.",
			&options);
	if (compare(&options, &differences, &diag) != CSC_OK) {
		return command_trouble(&diag);
	}

	return differences == 0 ? EXIT_DONE : EXIT_FAILED;
}
