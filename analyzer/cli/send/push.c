/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope push`: sends what a recording amounts to to the server of a fleet.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "commands.h"
#include "database.h"
#include "fleet_options.h"
#include "fleet_schema.h"
#include "growing.h"
#include "output.h"
#include "push_file.h"
#include "push_rows.h"
#include "server.h"

enum { KEY_LABEL = 300, KEY_DRY_RUN, KEY_FORMAT };

struct push_options {
	struct fleet_options fleet;
	struct push_labels labels;
	const char **files;
	size_t file_count;
	const char *output;
	enum row_format format;
	bool is_forced;
	bool is_dry;
};

static const char *const formats[] = { "tsv", "rowbinary", NULL };

static const struct argp_option table[] = {
	FLEET_OPTIONS,
	{ "label", KEY_LABEL, "NAME=VALUE", 0,
			"app, release, flags, node or page (where the HTML report lies), as often as there are",
			0 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "print how many rows would be sent, and send none", 0 },
	{ "format", KEY_FORMAT, "FORMAT", 0, "of the rows: tsv (default) or rowbinary", 0 },
	COMMAND_OPTION_OUTPUT("to a server; 'push FILE' sends it later"),
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	FLEET_FLAGS(struct push_options),
	COMMAND_VALUE('o', struct push_options, output),
	COMMAND_FLAG('f', struct push_options, is_forced),
	COMMAND_FLAG(KEY_DRY_RUN, struct push_options, is_dry),
	{ 0 },
};

static void take_label(const struct argp_state *state, struct push_labels *labels, const char *text)
{
	const struct {
		const char *name;
		const char **value;
	} known[] = { { "app", &labels->app }, { "release", &labels->release },
		{ "flags", &labels->flags }, { "node", &labels->node }, { "page", &labels->page } };
	size_t length = strcspn(text, "=");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) == length && strncmp(known[i].name, text, length) == 0 &&
				text[length] == '=') {
			*known[i].value = text + length + 1;
			return;
		}
	}

	command_misuse(state,
			"'%s' is not a label; use app=, release=, flags=, node= or page=", text);
}

static void check_options(const struct argp_state *state, const struct push_options *options)
{
	if (options->file_count == 0) {
		command_misuse(state, "'push' needs a FILE");
	}
	if (!options->fleet.server.address && !options->output && !options->is_dry) {
		command_misuse(state, "'push' needs --to URL, --output FILE or --dry-run");
	}
	if (options->fleet.server.address && options->output) {
		command_misuse(state, "--to and --output do not go together");
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct push_options *options = state->input;

	switch (key) {
	case KEY_LABEL:
		take_label(state, &options->labels, argument);
		return 0;
	case KEY_FORMAT:
		options->format = (enum row_format)command_take_format(state, formats, argument);
		return 0;
	case FLEET_KEY_TIMEOUT:
		fleet_take_timeout(state, &options->fleet, argument);
		return 0;
	case ARGP_KEY_ARG:
		if (!csc_grow_by_one(&options->files, options->file_count,
				    sizeof(*options->files))) {
			command_misuse(state, "out of memory");
		}
		options->files[options->file_count++] = argument;
		return 0;
	case ARGP_KEY_END:
		check_options(state, options);
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* Where rows go. */
struct target {
	const struct push_options *options;
	struct server *server;
	FILE *stream;
};

/*
 * Whether the rows are those that count already.  A server knows the order of pushes by the second:
 * one that is not there waits until the last one is a second old.
 */
static enum csc_status is_there(struct server *server, const struct push_rows *rows,
		bool *ret_is_there, struct diag *diag)
{
	static const struct timespec second = { 1, 0 };
	char query[192];
	char *answer = NULL;
	char *end;
	enum csc_status status;

	(void)snprintf(query, sizeof(query),
			"SELECT uniqExact(recording), (SELECT max(pushed_at) >= now() FROM recording) FROM visible "
			"WHERE bitShiftRight(push, %d) = %" PRIu64,
			PUSH_ATTEMPT_BITS, UINT64_C(1) << PUSH_CONTENT_BITS | rows->content);
	status = server_ask(server, query, NULL, 0, &answer, diag);
	if (status == CSC_OK) {
		*ret_is_there = strtoull(answer, &end, 10) >=
				rows->tables[PUSH_RECORDING].row_count;
		if (!*ret_is_there && strncmp(end, "\t1", 2) == 0) {
			(void)nanosleep(&second, NULL);
		}
	}

	free(answer);
	return status;
}

static enum csc_status send_table(struct server *server, enum push_table number,
		const struct row_text *text, struct diag *diag)
{
	char *query = NULL;
	enum csc_status status;

	if (text->row_count == 0) {
		return CSC_OK;
	}

	if (asprintf(&query, "INSERT INTO %s (push, %s) FORMAT %s", push_table_name(number),
			    push_table_columns(number),
			    text->format == ROW_TSV ? "TabSeparated" : "RowBinary") < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	status = server_ask(server, query, text->bytes, text->length, NULL, diag);
	free(query);
	return status;
}

/* Once all other rows are there, the recording makes them visible. */
static enum csc_status send_part(
		struct server *server, const char *file, struct push_rows *rows, struct diag *diag)
{
	bool is_sent = false;
	enum csc_status status = is_there(server, rows, &is_sent, diag);

	push_rows_sign(rows);
	for (int i = 0; i < PUSH_TABLES && status == CSC_OK && !is_sent; i++) {
		status = send_table(server, (enum push_table)i, &rows->tables[i], diag);
	}

	if (status == CSC_OK) {
		command_print("'%s': %s", file,
				is_sent ? "is there already; nothing was sent" : "sent");
	}
	return status;
}

static void print_part(const char *file, const struct push_rows *rows)
{
	printf("%s: content %010" PRIx64 "\n", file, rows->content);
	for (int i = 0; i < PUSH_TABLES; i++) {
		printf("  %-13s %8zu rows %10zu bytes\n", push_table_name((enum push_table)i),
				rows->tables[i].row_count, rows->tables[i].length);
	}
}

static enum csc_status deliver(const struct target *target, const char *file,
		struct push_rows *rows, struct diag *diag)
{
	if (target->options->is_dry) {
		print_part(file, rows);
		return CSC_OK;
	}

	if (target->stream) {
		push_file_write(target->stream, rows);
		return CSC_OK;
	}

	return send_part(target->server, file, rows, diag);
}

static enum csc_status push_database(
		const struct target *target, const char *file, struct diag *diag)
{
	struct push_rows rows = { 0 };
	sqlite3 *db = NULL;
	enum csc_status status = database_open(file, &db, diag);

	if (status == CSC_OK) {
		database_warn(db, file);
		status = push_rows_read(db, file, &target->options->labels, target->options->format,
				&rows, diag);
	}

	if (status == CSC_OK) {
		status = deliver(target, file, &rows, diag);
	}

	push_rows_finish(&rows);
	(void)sqlite3_close(db);
	return status;
}

/* What `push --output` wrote: several parts. */
static enum csc_status push_written(
		const struct target *target, const char *file, FILE *stream, struct diag *diag)
{
	struct push_rows rows = { 0 };
	bool is_end = false;
	enum csc_status status = push_file_read(stream, file, &rows, &is_end, diag);

	while (status == CSC_OK && !is_end) {
		status = deliver(target, file, &rows, diag);
		push_rows_finish(&rows);
		if (status == CSC_OK) {
			status = push_file_read(stream, file, &rows, &is_end, diag);
		}
	}

	push_rows_finish(&rows);
	return status;
}

static enum csc_status push_each(const struct target *target, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < target->options->file_count && status == CSC_OK; i++) {
		const char *file = target->options->files[i];
		FILE *stream = push_file_open(file);

		if (stream) {
			status = push_written(target, file, stream, diag);
			(void)fclose(stream);
		} else {
			status = push_database(target, file, diag);
		}
	}

	return status;
}

static enum csc_status push_to_server(struct target *target, struct diag *diag)
{
	int version = 0;
	enum csc_status status = server_open(&target->options->fleet.server, &target->server, diag);

	if (status == CSC_OK) {
		status = fleet_check(target->server, target->options->fleet.server.address, true,
				&version, diag);
	}
	if (status == CSC_OK) {
		status = push_each(target, diag);
	}

	server_close(target->server);
	return status;
}

static enum csc_status push_to_file(struct target *target, struct diag *diag)
{
	struct output output;
	enum csc_status status = output_open(target->options->output, target->options->is_forced,
			target->options->files[0], &output, diag);

	if (status == CSC_OK) {
		target->stream = output.stream;
		status = push_each(target, diag);
		status = output_close(&output, status, diag);
	}

	return status;
}

int command_push(int argc, char **argv)
{
	struct push_options options = { .fleet = FLEET_DEFAULTS };
	struct target target = { .options = &options };
	struct diag diag = { 0 };
	enum csc_status status;

	command_read(argc, argv, table, parse, "FILE...",
			"Send what the databases FILE... amount to (minutes, findings, holders: not events) to "
			"the server of a fleet.  Repeating it changes nothing.\v"
			"The name and the password of the server come from --credentials, or from "
			"CARRIERSCOPE_FLEET_USER and CARRIERSCOPE_FLEET_PASSWORD.\n\n"
			"Example:\n  carrierscope push run.db --to https://ch.example.org:8443/fleet "
			"--label app=shop --label release=1.4",
			&options);
	status = options.is_dry		 ? push_each(&target, &diag)
			: options.output ? push_to_file(&target, &diag)
					 : push_to_server(&target, &diag);
	free(options.files);
	return status == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
