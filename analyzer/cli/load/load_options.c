/*
 * SPDX-License-Identifier: MIT
 *
 * The table of options of `carrierscope load`.
 */
#include "load_options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "growing.h"
#include "inputs.h"

enum option_key {
	KEY_APPEND = 256,
	KEY_BEGIN,
	KEY_END,
	KEY_GMT,
	KEY_JOBS,
	KEY_METADATA,
	KEY_MODE,
	KEY_RECOVER,
	KEY_SALVAGE,
	KEY_NO_PROGRESS,
	KEY_STRICT,
};

/* More than any machine's CPUs decode at once. */
enum { MOST_JOBS = 256 };

static const struct argp_option table[] = {
	COMMAND_OPTION_OUTPUT("<first input's name>.db"),
	{ "append", KEY_APPEND, NULL, 0, "add to FILE if it exists", 0 },
	{ "begin", KEY_BEGIN, "TIME", 0,
			"leave out what was before TIME: nanoseconds since the epoch or "
			"[YYYY-MM-DD ]hh:mm:ss[.nnnnnnnnn], local unless TZ says otherwise",
			0 },
	{ "end", KEY_END, "TIME", 0, "leave out what was after TIME", 0 },
	{ "gmt", KEY_GMT, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "jobs", KEY_JOBS, "N", 0,
			"threads that decode a trace on disk (as many as CPUs; 1 for small ones)",
			0 },
	{ "salvage", KEY_SALVAGE, NULL, 0, "load what is sound of damaged traces", 0 },
	{ "metadata", KEY_METADATA, "FILE", 0,
			"with --salvage: the metadata of a sibling trace, for traces that lack theirs",
			0 },
	COMMAND_OPTION_MODE(KEY_MODE),
	{ "recover", KEY_RECOVER, NULL, 0,
			"load nothing: undo or finish what a load that broke off left in the database "
			"INPUT and beside it",
			0 },
	{ "strict", KEY_STRICT, NULL, 0, "exit with 3 if anything was lost", 0 },
	{ "no-progress", KEY_NO_PROGRESS, NULL, OPTION_HIDDEN, NULL, 0 },
	{ "quiet", 'q', NULL, 0, "print errors only", 0 },
	{ "verbose", 'v', NULL, 0, "print how long each phase took; twice: Babeltrace's log", 0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_FLAG('f', struct load_options, is_forced),
	COMMAND_FLAG(KEY_APPEND, struct load_options, is_appending),
	COMMAND_VALUE(KEY_METADATA, struct load_options, metadata),
	COMMAND_FLAG(KEY_RECOVER, struct load_options, is_recovering),
	COMMAND_FLAG(KEY_SALVAGE, struct load_options, is_salvaging),
	COMMAND_FLAG(KEY_STRICT, struct load_options, is_strict),
	COMMAND_FLAG('q', struct load_options, is_quiet),
	{ 0 },
};

/* One that the user named. */
struct moment {
	/* As the trimmer takes it; owned. */
	char *text;

	bool has_date;
	bool is_epoch_ns;

	/* Of the epoch, or of a day if there is no date; as if the date were UTC. */
	int64_t ns;
};

/* Reads exactly `digits` digits; false: they are not there. */
static bool read_digits(const char **at, int digits, int *ret_number)
{
	*ret_number = 0;
	for (int i = 0; i < digits; i++) {
		if (**at < '0' || **at > '9') {
			return false;
		}

		*ret_number = *ret_number * 10 + (**at - '0');
		(*at)++;
	}

	return true;
}

static bool read_mark(const char **at, char mark)
{
	if (**at != mark) {
		return false;
	}

	(*at)++;
	return true;
}

static bool has_day(int year, int month, int day)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	/* The last whole year that 64 bits of nanoseconds reach. */
	return year >= 1970 && year <= 2261 && month >= 1 && month <= 12 && day >= 1 &&
			day <= days[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* Reads ".nnnnnnnnn" to the end, of up to nine digits. */
static bool read_fraction(const char **at, int64_t *ret_ns)
{
	int64_t unit = 100000000;

	*ret_ns = 0;
	do {
		int digit;

		if (unit == 0 || !read_digits(at, 1, &digit)) {
			return false;
		}

		*ret_ns += digit * unit;
		unit /= 10;
	} while (**at);

	return true;
}

/* Reads "[YYYY-MM-DD ]hh:mm[:ss[.nnnnnnnnn]]". */
static bool read_date(const char *at, struct moment *moment)
{
	struct tm time = { 0 };
	int64_t fraction_ns = 0;

	if (strchr(at, '-')) {
		if (!read_digits(&at, 4, &time.tm_year) || !read_mark(&at, '-') ||
				!read_digits(&at, 2, &time.tm_mon) || !read_mark(&at, '-') ||
				!read_digits(&at, 2, &time.tm_mday) || !read_mark(&at, ' ') ||
				!has_day(time.tm_year, time.tm_mon, time.tm_mday)) {
			return false;
		}

		moment->has_date = true;
	} else {
		time = (struct tm){ .tm_year = 1970, .tm_mon = 1, .tm_mday = 1 };
	}

	time.tm_year -= 1900;
	time.tm_mon -= 1;
	if (!read_digits(&at, 2, &time.tm_hour) || !read_mark(&at, ':') ||
			!read_digits(&at, 2, &time.tm_min)) {
		return false;
	}

	if (*at && (!read_mark(&at, ':') || !read_digits(&at, 2, &time.tm_sec))) {
		return false;
	}

	if (*at && (!read_mark(&at, '.') || !read_fraction(&at, &fraction_ns))) {
		return false;
	}

	if (time.tm_hour > 23 || time.tm_min > 59 || time.tm_sec > 59) {
		return false;
	}

	moment->ns = (int64_t)timegm(&time) * 1000000000 + fraction_ns;
	return true;
}

/* Reads nanoseconds since the epoch, all digits. */
static bool read_ns(const char *text, struct moment *moment)
{
	errno = 0;
	moment->ns = strtoll(text, NULL, 10);
	moment->is_epoch_ns = true;
	moment->has_date = true;
	return errno == 0;
}

static struct moment read_moment(
		const struct argp_state *state, const char *option, const char *text)
{
	struct moment moment = { 0 };
	bool is_number = *text && text[strspn(text, "0123456789")] == '\0';
	int length = 0;

	if (!(is_number ? read_ns(text, &moment) : read_date(text, &moment))) {
		command_misuse(state, "'%s' is not a time for %s", text, option);
	}

	/* The trimmer takes seconds. */
	if (is_number) {
		length = asprintf(&moment.text, "%" PRId64 ".%09" PRId64, moment.ns / 1000000000,
				moment.ns % 1000000000);
	} else {
		moment.text = strdup(text);
	}

	if (length < 0 || !moment.text) {
		moment.text = NULL;
		argp_failure(state, EXIT_FAILED, 0, "out of memory");
	}

	return moment;
}

/* On the one scale of all: a date is local. */
static int64_t epoch_ns(const struct moment *moment)
{
	time_t seconds = (time_t)(moment->ns / 1000000000);
	struct tm date;

	if (moment->is_epoch_ns || !gmtime_r(&seconds, &date)) {
		return moment->ns;
	}

	date.tm_isdst = -1;
	return (int64_t)mktime(&date) * 1000000000 + moment->ns % 1000000000;
}

static void read_interval(const struct argp_state *state, struct load_options *options)
{
	const char *begin = options->begin;
	const char *end = options->end;
	struct moment first = { 0 };
	struct moment last = { 0 };

	if (begin) {
		first = read_moment(state, "--begin", begin);
	}

	if (end) {
		last = read_moment(state, "--end", end);
	}

	/* A time without a date is on the day of the trace, which is not known yet. */
	if (begin && end && first.has_date == last.has_date) {
		bool is_after = first.has_date ? epoch_ns(&first) > epoch_ns(&last)
					       : first.ns > last.ns;

		if (is_after) {
			command_misuse(state, "--begin '%s' is after --end '%s'", begin, end);
		}
	}

	free(options->begin);
	free(options->end);
	options->begin = first.text;
	options->end = last.text;
}

static size_t read_jobs(const struct argp_state *state, const char *text)
{
	char *end;
	unsigned long jobs = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || jobs < 1 || jobs > MOST_JOBS) {
		command_misuse(state, "'%s' is not a number of threads for --jobs: 1 to %d", text,
				MOST_JOBS);
	}

	return jobs;
}

static void add_input(const struct argp_state *state, struct load_options *options, char *text)
{
	if (!csc_grow_by_one(&options->inputs, options->input_count, sizeof(char *))) {
		argp_failure(state, EXIT_FAILED, 0, "out of memory");
		return;
	}

	options->inputs[options->input_count++] = text;
}

/* Names the database after the first input. */
char *load_default_database(const char *input)
{
	bool is_standard = strcmp(input, "-") == 0;
	char *whole = is_standard	      ? strdup("stdin")
			: input_is_url(input) ? strdup(input)
					      : realpath(input, NULL);
	char *name = NULL;
	const char *base;
	size_t length;

	/* What does not exist is reported later. */
	if (!whole) {
		whole = strdup(input);
	}

	if (!whole) {
		return NULL;
	}

	length = strlen(whole);
	while (length > 1 && whole[length - 1] == '/') {
		whole[--length] = '\0';
	}

	base = strrchr(whole, '/');
	base = base ? base + 1 : whole;
	if (asprintf(&name, "%s.db", *base ? base : "trace") < 0) {
		name = NULL;
	}

	free(whole);
	return name;
}

static void set_text(const struct argp_state *state, char **text, char *value)
{
	free(*text);
	*text = value;
	if (!value) {
		argp_failure(state, EXIT_FAILED, 0, "out of memory");
	}
}

static void finish_parsing(const struct argp_state *state, struct load_options *options)
{
	if (options->input_count == 0) {
		command_misuse(state,
				"'load' needs a trace directory, the URL of a live session or a file");
	}

	if (options->is_recovering &&
			(options->input_count > 1 || options->database || options->is_forced ||
					options->is_appending || options->is_salvaging)) {
		command_misuse(state, "--recover takes one database and goes with --quiet only");
	}

	if (options->is_forced && options->is_appending) {
		command_misuse(state, "--force and --append exclude each other");
	}

	if (options->metadata && !options->is_salvaging) {
		command_misuse(state, "--metadata goes with --salvage");
	}

	if (options->database && (!*options->database || strcmp(options->database, "-") == 0)) {
		command_misuse(state, "a database cannot be written to '%s'", options->database);
	}

	read_interval(state, options);
	for (size_t i = 0; options->is_salvaging && i < options->input_count; i++) {
		if (input_is_url(options->inputs[i])) {
			command_misuse(state, "a live session cannot be salvaged");
		}
	}

	if (!options->database) {
		set_text(state, &options->database, load_default_database(options->inputs[0]));
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct load_options *options = state->input;

	switch (key) {
	case 'o':
		set_text(state, &options->database, strdup(argument));
		return 0;
	case KEY_BEGIN:
		set_text(state, &options->begin, strdup(argument));
		return 0;
	case KEY_END:
		set_text(state, &options->end, strdup(argument));
		return 0;
	case KEY_JOBS:
		options->jobs = read_jobs(state, argument);
		return 0;
	/* Two options of earlier versions. */
	case KEY_GMT:
		(void)setenv("TZ", "UTC", 1);
		return 0;
	case KEY_NO_PROGRESS:
		options->has_no_progress = true;
		return 0;
	case KEY_MODE:
		command_take_mode(state, argument);
		return 0;
	case 'v':
		options->verbosity++;
		return 0;
	case ARGP_KEY_ARG:
		add_input(state, options, argument);
		return 0;
	case ARGP_KEY_END:
		finish_parsing(state, options);
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

void load_options_read(int argc, char **argv, struct load_options *ret_options)
{
	struct load_options options = { 0 };

	command_read(argc, argv, table, parse, "INPUT...",
			"Load traces, crash dumps and snapshots of an Erlang runtime into an SQLite "
			"database.\v"
			"INPUT is the directory of a CTF trace, a directory with traces in it, or a live "
			"session as net://HOST[:PORT]/host/HOSTNAME/SESSION; or a file: an erl_crash.dump, "
			"terms of recon, system_info or instrument, arguments such as vm.args, the log of a "
			"board, or a text that any of these were pasted into; - is standard input.\n\n"
			"Examples:\n  carrierscope load -o run.db ~/lttng-traces/beam-20260101-120000\n"
			"  carrierscope load -o dead.db erl_crash.dump\n"
			"  carrierscope load --recover run.db",
			&options);
	options.has_progress =
			!options.is_quiet && !options.has_no_progress && command_shows_progress();
	*ret_options = options;
}

void load_options_finish(struct load_options *options)
{
	free(options->database);
	free(options->inputs);
	free(options->begin);
	free(options->end);
}
