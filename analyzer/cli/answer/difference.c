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
#include "difference_sentence.h"
#include "holder_change.h"
#include "html.h"
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

/* What adds up over a recording: a longer one has more of it. */
static bool is_total(const struct metric *metric)
{
	return strcmp(metric->name, "carrier_creates") == 0 ||
			strcmp(metric->name, "lost_events") == 0;
}

/* Of metrics that add up, what they are in a second. */
static void take_rates(struct metrics *metrics, double seconds)
{
	for (size_t i = 0; i < metrics->count; i++) {
		if (is_total(&metrics->list[i])) {
			metrics->list[i].value /= seconds;
		}
	}
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
		const char *change, bool is_rate)
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
	if (is_rate) {
		json_key(json, "per");
		json_text(json, "second");
	}
	json_close(json, '}');
}

/* Of a row: metric, old, new, change, better or worse. */
enum { CELLS = 5 };

static const char page_head[] =
		"<details open><summary>Metrics that differ, as a table</summary>\n"
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Differences\"><table><thead><tr>"
		"<th scope=\"col\">metric</th><th scope=\"col\" class=\"n\">old</th><th scope=\"col\" class=\"n\">new</th>"
		"<th scope=\"col\" class=\"n\">change</th><th scope=\"col\">this is</th></tr></thead>\n<tbody>\n";
static const char page_foot[] = "</tbody></table></div>\n</details>\n";

static void write_cells(FILE *stream, const char *const cells[CELLS])
{
	fputs("<tr>", stream);
	for (int i = 0; i < CELLS; i++) {
		fputs(i >= 1 && i <= 3 ? "<td class=\"n\">" : "<td>", stream);
		html_text(stream, cells[i]);
		fputs("</td>", stream);
	}
	fputs("</tr>\n", stream);
}

/* What a difference is written with. */
struct writer {
	FILE *stream;
	enum diff_format format;
	struct json_writer json;
	bool has_head;

	/* What adds up is by the second. */
	bool has_rates;
};

static void write_head(struct writer *writer)
{
	if (writer->has_head) {
		return;
	}

	writer->has_head = true;
	if (writer->format == DIFF_HTML) {
		fputs(page_head, writer->stream);
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
	bool is_rate = writer->has_rates && is_total(any);
	char *name = metric_title(any);
	char *title = name ? visible_copy(name, VISIBLE_CELL) : NULL;
	char *before = old ? metric_value(is_rate ? "ratio" : old->unit, old->value) : strdup("-");
	char *after = new ? metric_value(is_rate ? "ratio" : new->unit, new->value) : strdup("-");
	bool is_printed = title && before && after;

	if (is_printed) {
		char share[32];
		char row[128];

		(void)snprintf(row, sizeof(row), "%s%s", title, is_rate ? " /s" : "");
		write_share(share, old, new);
		write_head(writer);
		if (writer->format == DIFF_HTML) {
			const char *const cells[] = { row, before, after, share, change };

			write_cells(writer->stream, cells);
		} else {
			(void)fprintf(writer->stream, "%-34s %12s %12s %9s  %s\n", row, before,
					after, share, change);
		}
	}

	free(name);
	free(title);
	free(before);
	free(after);
	return is_printed;
}

/* What is no figure to compare: it only has bounds, or nothing is known of it. */
static bool is_unknown(const struct metric *metric)
{
	return isnan(metric->value) || (isinf(metric->low) && isinf(metric->high));
}

/* The next pair of the same metric, or one alone; *ret_is_lost: of one of them no figure is known.
 */
static void take_pair(const struct metrics *olds, const struct metrics *news, size_t places[2],
		const struct metric **ret_old, const struct metric **ret_new, bool *ret_is_lost)
{
	const struct metric *old = places[0] < olds->count ? &olds->list[places[0]] : NULL;
	const struct metric *new = places[1] < news->count ? &news->list[places[1]] : NULL;
	int order = !old ? 1 : !new ? -1 : compare_keys(old, new);

	old = order <= 0 ? old : NULL;
	new = order >= 0 ? new : NULL;
	places[0] += old != NULL;
	places[1] += new != NULL;
	*ret_old = old && is_unknown(old) ? NULL : old;
	*ret_new = new &&is_unknown(new) ? NULL : new;
	*ret_is_lost = old && new && (!*ret_old || !*ret_new);
}

static const char *name_change(const struct metric *old, const struct metric *new, bool is_lost)
{
	if (is_lost) {
		return "unknown";
	}
	if (!old || !new) {
		return old ? "gone" : "new";
	}

	return (new->value > old->value) == new->higher_is_better ? "better" : "worse";
}

/* Both lists are in the order of compare_keys(): yields how many pairs differ; -1: out of memory.
 */
static long print_differences(const struct diff_options *options, const struct metrics *olds,
		const struct metrics *news, bool has_rates, FILE *stream)
{
	struct writer writer = { stream, options->format, { .stream = stream }, false, has_rates };
	size_t places[2] = { 0 };
	long differences = 0;

	if (options->format == DIFF_JSON) {
		json_open(&writer.json, '[');
	}

	while (places[0] < olds->count || places[1] < news->count) {
		const struct metric *old;
		const struct metric *new;
		bool is_lost;

		take_pair(olds, news, places, &old, &new, &is_lost);
		if ((!old && !new) || !is_different(options, old, new)) {
			continue;
		}

		if (options->format == DIFF_JSON) {
			print_json(&writer.json, old, new, name_change(old, new, is_lost),
					has_rates && is_total(new ? new : old));
		} else if (!print_text(&writer, old, new, name_change(old, new, is_lost))) {
			return -1;
		}
		differences++;
	}

	if (options->format == DIFF_JSON) {
		json_close_line(&writer.json, ']');
	} else if (options->format == DIFF_HTML && writer.has_head) {
		fputs(page_foot, stream);
	}

	return differences;
}

/* Opens a database, with all that the page and lists of holders read. */
static enum csc_status open_judged(const char *path, sqlite3 **ret_db, struct diag *diag)
{
	enum csc_status status = database_open(path, ret_db, diag);

	return status == CSC_OK ? page_prepare(*ret_db, diag) : status;
}

/* What is written beside the table of metrics that differ. */
struct pair {
	sqlite3 *old_db;
	sqlite3 *new_db;
	struct lengths lengths;
	struct holder_changes holders;
	char *sentence;
};

static enum csc_status pair_open(
		const struct diff_options *options, struct pair *pair, struct diag *diag)
{
	const char *const paths[] = { options->old_path, options->new_path };
	/* A page shows small ones, too: its curves do. */
	double least_bytes = options->format == DIFF_HTML ? 1 : noise_bytes;
	enum csc_status status = difference_sentence(paths, &pair->lengths, &pair->sentence, diag);

	if (status == CSC_OK) {
		status = open_judged(options->old_path, &pair->old_db, diag);
	}
	if (status == CSC_OK) {
		status = open_judged(options->new_path, &pair->new_db, diag);
	}
	if (status == CSC_OK) {
		status = holder_changes_read(pair->old_db, pair->new_db, options->tolerance,
				least_bytes, &pair->holders, diag);
	}

	return status;
}

static void pair_close(struct pair *pair)
{
	holder_changes_finish(&pair->holders);
	sqlite3_free(pair->sentence);
	(void)sqlite3_close(pair->old_db);
	(void)sqlite3_close(pair->new_db);
}

/* The page of the new one, beside figures of the old one and the tables of differences. */
static enum csc_status print_page(const struct diff_options *options, const struct pair *pair,
		const char *differences, FILE *stream, struct diag *diag)
{
	struct page_old old = { .db = pair->old_db,
		.path = options->old_path,
		.sentence = pair->sentence,
		.differences = differences };
	char *holders = NULL;
	size_t length;
	FILE *memory = open_memstream(&holders, &length);
	enum csc_status status;

	if (!memory) {
		return DIAG_NO_MEMORY(diag);
	}
	holder_changes_write(memory, &pair->holders, pair->lengths.is_apart);
	status = fclose(memory) == 0 ? CSC_OK : DIAG_NO_MEMORY(diag);
	if (status == CSC_OK) {
		old.holders = holders;
		status = page_print(stream, pair->new_db, options->new_path, &old, diag);
	}

	free(holders);
	return status;
}

/* A sentence, then the tables. */
static void print_plain(const struct pair *pair, const char *differences, FILE *stream)
{
	visible_print(stream, pair->sentence, VISIBLE_CELL);
	fputs("\n\n", stream);
	fputs(differences, stream);
	if (pair->holders.count > 0 || pair->holders.is_of_one) {
		fputc('\n', stream);
	}
	holder_changes_print(stream, &pair->holders, pair->lengths.is_apart);
}

static enum csc_status print_pair(const struct diff_options *options, const struct lengths *lengths,
		const char *differences, FILE *stream, struct diag *diag)
{
	struct pair pair = { .lengths = *lengths };
	enum csc_status status = pair_open(options, &pair, diag);

	if (status == CSC_OK && options->format == DIFF_HTML) {
		status = print_page(options, &pair, differences, stream, diag);
	} else if (status == CSC_OK) {
		print_plain(&pair, differences, stream);
	}

	pair_close(&pair);
	return status;
}

/* Writes what differs; ret_differences: how many metrics. */
static enum csc_status write_difference(const struct diff_options *options,
		const struct metrics *olds, const struct metrics *news,
		const struct lengths *lengths, FILE *stream, long *ret_differences,
		struct diag *diag)
{
	char *text = NULL;
	size_t length;
	FILE *memory;
	enum csc_status status = CSC_OK;

	if (options->format == DIFF_JSON) {
		*ret_differences =
				print_differences(options, olds, news, lengths->is_apart, stream);
		return *ret_differences < 0 ? DIAG_NO_MEMORY(diag) : CSC_OK;
	}

	memory = open_memstream(&text, &length);
	if (!memory) {
		return DIAG_NO_MEMORY(diag);
	}

	*ret_differences = print_differences(options, olds, news, lengths->is_apart, memory);
	if (fclose(memory) != 0 || *ret_differences < 0) {
		status = DIAG_NO_MEMORY(diag);
	} else if (*ret_differences > 0 || options->format == DIFF_HTML) {
		status = print_pair(options, lengths, text, stream, diag);
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
	const char *const paths[] = { options->old_path, options->new_path };
	struct lengths lengths = { 0 };
	struct output output;
	enum csc_status status = options->format == DIFF_HTML ? page_check(diag) : CSC_OK;

	if (status == CSC_OK) {
		status = metrics_read(options->old_path, &olds, diag);
	}
	if (status == CSC_OK) {
		status = metrics_read(options->new_path, &news, diag);
	}
	if (status == CSC_OK) {
		status = lengths_read(paths, options->tolerance, &lengths, diag);
	}
	if (status == CSC_OK && lengths.is_apart) {
		take_rates(&olds, lengths.seconds[0]);
		take_rates(&news, lengths.seconds[1]);
	}
	if (status == CSC_OK) {
		status = output_open(options->output, options->is_forced, options->new_path,
				&output, diag);
	}
	if (status == CSC_OK) {
		status = write_difference(options, &olds, &news, &lengths, output.stream,
				ret_differences, diag);
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
			"count.  A holder is found again by its name, label or first call, never by its pid.  "
			"Where one recording is longer, what adds up is compared by the second.  The page of --format=html has the new recording, beside what the old one "
			"had.\n\nExit status, as of diff(1): 0 no difference, 1 differences, 2 trouble or "
			"misuse.",
			&options);
	if (compare(&options, &differences, &diag) != CSC_OK) {
		return command_trouble(&diag);
	}

	return differences == 0 ? EXIT_DONE : EXIT_FAILED;
}
