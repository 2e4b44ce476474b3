/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope push`: sends what a recording amounts to to the server of a fleet.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "command.h"
#include "database.h"
#include "fleet.h"
#include "fleet_options.h"
#include "fleet_schema.h"
#include "growing.h"
#include "output.h"
#include "push_batch.h"
#include "push_file.h"
#include "push_labels.h"
#include "push_rows.h"
#include "server.h"

enum { KEY_LABEL = 300, KEY_DRY_RUN, KEY_FORMAT, KEY_WITHOUT_MINUTES };

struct push_options {
	struct fleet_options fleet;
	struct push_labels labels;
	const char **files;
	size_t file_count;
	const char *output;
	enum row_format format;
	bool is_forced;
	bool is_dry;
	bool is_without_minutes;
};

static const char *const formats[] = { "tsv", "rowbinary", NULL };

static const struct argp_option table[] = {
	FLEET_OPTIONS,
	{ "label", KEY_LABEL, "NAME=VALUE", 0, PUSH_LABEL_HELP, 0 },
	{ "dry-run", KEY_DRY_RUN, NULL, 0, "print how many rows would be sent, and send none", 0 },
	{ "without-minutes", KEY_WITHOUT_MINUTES, NULL, 0,
			"leave out minutes: a keeper has sent them", 0 },
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
	COMMAND_FLAG(KEY_WITHOUT_MINUTES, struct push_options, is_without_minutes),
	{ 0 },
};

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
		if (!push_labels_take(&options->labels, argument)) {
			command_misuse(state, PUSH_LABEL_MISUSE, argument);
		}
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
	struct push_batch batch;
	FILE *stream;
};

static void print_part(const char *file, const struct push_rows *rows)
{
	printf("%s: content %010" PRIx64 "\n", file, rows->content);
	for (int i = 0; i < PUSH_TABLES; i++) {
		printf("  %-13s %8zu rows %10zu bytes\n", push_table_name((enum push_table)i),
				rows->tables[i].row_count, rows->tables[i].length);
	}
}

/* The rows may be taken. */
static enum csc_status deliver(
		struct target *target, const char *file, struct push_rows *rows, struct diag *diag)
{
	if (target->options->is_dry) {
		print_part(file, rows);
		return CSC_OK;
	}

	if (target->stream) {
		push_file_write(target->stream, rows);
		return CSC_OK;
	}

	return push_batch_add(&target->batch, file, rows, diag);
}

static enum csc_status push_database(struct target *target, const char *file, struct diag *diag)
{
	struct push_rows rows = { 0 };
	sqlite3 *db = NULL;
	enum csc_status status = database_open(file, &db, diag);

	if (status == CSC_OK) {
		database_warn(db, file);
		status = push_rows_read(db, file, &target->options->labels, target->options->format,
				!target->options->is_without_minutes, &rows, diag);
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
		struct target *target, const char *file, FILE *stream, struct diag *diag)
{
	const struct push_labels *labels = &target->options->labels;
	struct push_rows rows = { 0 };
	bool is_end = false;
	enum csc_status status;

	if (labels->app || labels->release || labels->flags || labels->node || labels->page ||
			target->options->is_without_minutes) {
		return DIAG_FAIL(diag,
				"'%s' has its rows already: --label and --without-minutes are for the push that wrote it",
				file);
	}

	status = push_file_read(stream, file, &rows, &is_end, diag);
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

static enum csc_status push_each(struct target *target, struct diag *diag)
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
	struct push_batch *batch = &target->batch;
	enum csc_status status = server_open(&target->options->fleet.server, &batch->server, diag);

	if (status == CSC_OK) {
		status = fleet_check(batch->server, target->options->fleet.server.address, true,
				&version, diag);
	}
	if (status == CSC_OK) {
		struct diag ignored = { 0 };
		bool is_read;

		/* What comes before a file that cannot be read is sent. */
		status = push_each(target, diag);
		is_read = status == CSC_OK;
		if (push_batch_send(batch, is_read ? diag : &ignored) != CSC_OK) {
			status = CSC_ERROR;
		}
	}

	push_batch_finish(batch);
	server_close(batch->server);
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
