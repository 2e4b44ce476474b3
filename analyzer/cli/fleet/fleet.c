/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope fleet`: the tables of a fleet's server, and its answers.
 */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "fleet.h"
#include "fleet_options.h"
#include "fleet_report.h"
#include "fleet_schema.h"
#include "output.h"
#include "server.h"

enum { KEY_CLUSTER = 300, KEY_UNREPLICATED, KEY_KEEP, KEY_FORMAT };

enum fleet_action { ACTION_INIT, ACTION_STATUS, ACTION_UPGRADE, ACTION_REPORT, ACTION_NONE };

struct options {
	struct fleet_options fleet;
	enum fleet_action action;

	/* NULL: all answers. */
	const char *name;
	const char *cluster;
	const char *output;
	unsigned int keep_days;
	enum fleet_format format;
	bool is_unreplicated;
	bool is_forced;
};

/* In the order of enum fleet_action and enum fleet_format. */
static const char *const actions[] = { "init", "status", "upgrade", "report", NULL };
static const char *const formats[] = { "text", "csv", "json", "html", NULL };

static const struct argp_option table[] = {
	FLEET_OPTIONS,
	{ "cluster", KEY_CLUSTER, "NAME", 0,
			"of init and upgrade: tables on all servers of cluster NAME of ClickHouse's configuration, "
			"replicated, sharded by node",
			0 },
	{ "unreplicated", KEY_UNREPLICATED, NULL, 0,
			"of --cluster: without replicas and ZooKeeper; run it for each server", 0 },
	{ "keep", KEY_KEEP, "DAYSd", 0,
			"of init and upgrade: how long rows are kept, as 90d (default: for ever, or as it was)",
			0 },
	{ "format", KEY_FORMAT, "FORMAT", 0, "of report: text (default), csv, json or html", 0 },
	COMMAND_OPTION_OUTPUT("standard output"),
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	FLEET_FLAGS(struct options),
	COMMAND_VALUE(KEY_CLUSTER, struct options, cluster),
	COMMAND_FLAG(KEY_UNREPLICATED, struct options, is_unreplicated),
	COMMAND_VALUE('o', struct options, output),
	COMMAND_FLAG('f', struct options, is_forced),
	{ 0 },
};

static unsigned int read_days(const struct argp_state *state, const char *text)
{
	enum { MOST = 36500 };
	char *end = NULL;
	long days = strtol(text, &end, 10);

	if (end == text || strcmp(end, "d") != 0 || days < 1 || days > MOST) {
		command_misuse(state, "'%s' is not a number of days for --keep, as 90d", text);
	}

	return (unsigned int)days;
}

static void take_word(const struct argp_state *state, struct options *options, const char *word)
{
	int i = 0;

	if (options->action == ACTION_NONE) {
		while (actions[i] && strcmp(actions[i], word) != 0) {
			i++;
		}
		if (!actions[i]) {
			command_misuse(state, "'%s' is not init, status, upgrade or report", word);
		}
		options->action = (enum fleet_action)i;
		return;
	}

	while (fleet_answers[i] && strcmp(fleet_answers[i], word) != 0) {
		i++;
	}
	if (options->action != ACTION_REPORT || options->name || !fleet_answers[i]) {
		command_misuse(state,
				"unexpected '%s'; 'report' takes one of fragmenting, leak, use, release, saving, holder or silent",
				word);
	}
	options->name = word;
}

static void check_options(const struct argp_state *state, const struct options *options)
{
	if (options->action == ACTION_NONE) {
		command_misuse(state, "'fleet' needs init, status, upgrade or report");
	}
	if (!options->fleet.server.address) {
		command_misuse(state, "'fleet' needs --to URL");
	}
	if (options->cluster && !server_is_name(options->cluster)) {
		command_misuse(state,
				"'%s' is not a name of a cluster: letters, digits and underscores",
				options->cluster);
	}
	if (options->format == FLEET_CSV && !options->name) {
		command_misuse(state, "csv is of one report: give its name");
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_KEEP:
		options->keep_days = read_days(state, argument);
		return 0;
	case KEY_FORMAT:
		options->format = (enum fleet_format)command_take_format(state, formats, argument);
		return 0;
	case FLEET_KEY_TIMEOUT:
		fleet_take_timeout(state, &options->fleet, argument);
		return 0;
	case ARGP_KEY_ARG:
		take_word(state, options, argument);
		return 0;
	case ARGP_KEY_END:
		check_options(state, options);
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* TTL came with 19.6; an older server keeps all rows. */
static enum csc_status ask_abilities(
		struct server *server, struct fleet_layout *layout, struct diag *diag)
{
	char *answer = NULL;
	char *end = NULL;
	long year = 0;
	long month = 0;
	enum csc_status status = server_ask(server, "SELECT version()", NULL, 0, &answer, diag);

	if (status == CSC_OK) {
		year = strtol(answer, &end, 10);
		month = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
		layout->has_ttl = year > 19 || (year == 19 && month >= 6);
		status = year >= 18
				? CSC_OK
				: DIAG_FAIL(diag, "this is not ClickHouse 18.16 or later: its version is '%.20s'",
						  answer);
	}

	free(answer);
	return status;
}

/* Of the tables that are there; 0: none are, or not all of them, which only `init` takes. */
static enum csc_status find_version(struct server *server, const struct options *options,
		int *ret_version, struct diag *diag)
{
	struct diag refused = { 0 };
	enum csc_status status;

	server_forget_database(server, false);
	status = fleet_check(server, options->fleet.server.address, false, ret_version, &refused);
	server_forget_database(server, true);
	if (status != CSC_OK && options->action == ACTION_INIT && fleet_is_missing(server)) {
		*ret_version = 0;
		return CSC_OK;
	}
	if (status != CSC_OK) {
		*diag = refused;
	}
	return status;
}

/* Tables of a cluster are upgraded as such: alone, a server would copy what lies on all of them. */
static enum csc_status check_cluster(
		struct server *server, const struct fleet_layout *layout, struct diag *diag)
{
	char query[256];
	char *answer = NULL;
	enum csc_status status;

	(void)snprintf(query, sizeof(query),
			"SELECT count() FROM system.tables WHERE database = '%.100s' AND name = 'recording' AND engine = 'Distributed'",
			layout->database);
	status = server_ask(server, query, NULL, 0, &answer, diag);
	if (status == CSC_OK && layout->version > 0 &&
			(*answer == '1') != (layout->cluster != NULL)) {
		status = DIAG_FAIL(diag,
				*answer == '1' ? "database '%s' has the tables of a cluster; give --cluster and its name"
					       : "database '%s' has the tables of one server; leave out --cluster",
				layout->database);
	}

	free(answer);
	return status;
}

static enum csc_status make_tables(
		struct server *server, const struct options *options, struct diag *diag)
{
	struct fleet_layout layout = { .database = server_database(server),
		.cluster = options->cluster,
		.is_replicated = !options->is_unreplicated,
		.keep_days = options->keep_days };
	const char *const scripts[] = { fleet_tables_sql, fleet_views_sql, fleet_docs_sql };
	enum csc_status status;

	server_forget_database(server, true);
	status = ask_abilities(server, &layout, diag);
	if (status == CSC_OK) {
		status = find_version(server, options, &layout.version, diag);
	}
	if (status == CSC_OK) {
		status = check_cluster(server, &layout, diag);
	}
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]) && status == CSC_OK; i++) {
		status = fleet_run(server, scripts[i], &layout, diag);
	}

	if (status == CSC_OK && layout.keep_days > 0 && !layout.has_ttl) {
		command_print("warning: this server is older than 19.6 and removes no rows by itself; drop old partitions by ALTER TABLE NAME DROP PARTITION");
	}
	return status;
}

static enum csc_status print_status(
		FILE *stream, struct server *server, const char *address, struct diag *diag)
{
	int version = 0;
	char *answer = NULL;
	enum csc_status status = fleet_check(server, address, false, &version, diag);

	if (status == CSC_OK) {
		status = server_ask(server,
				"SELECT concat('recordings ', toString(recordings), ', nodes known ', toString(nodes_known),"
				" ', nodes seen in 7 days ', toString(nodes_seen)) FROM fleet_coverage",
				NULL, 0, &answer, diag);
	}
	if (status == CSC_OK) {
		(void)fprintf(stream, "tables of version %d%s\n%s", version,
				version < FLEET_VERSION ? "; run 'carrierscope fleet upgrade'"
							: ", which is the newest",
				answer);
	}

	free(answer);
	return status;
}

static enum csc_status print_to(FILE *stream, struct server *server, const struct options *options,
		struct diag *diag)
{
	int version = 0;
	enum csc_status status;

	if (options->action == ACTION_STATUS) {
		return print_status(stream, server, options->fleet.server.address, diag);
	}

	status = fleet_check(server, options->fleet.server.address, true, &version, diag);
	return status == CSC_OK
			? fleet_report_print(stream, server, options->name, options->format, diag)
			: status;
}

static enum csc_status act(struct server *server, const struct options *options, struct diag *diag)
{
	struct output output;
	enum csc_status status;

	if (options->action == ACTION_INIT || options->action == ACTION_UPGRADE) {
		return make_tables(server, options, diag);
	}

	status = output_open(options->output, options->is_forced, NULL, &output, diag);
	if (status == CSC_OK) {
		status = print_to(output.stream, server, options, diag);
		status = output_close(&output, status, diag);
	}
	return status;
}

int command_fleet(int argc, char **argv)
{
	struct options options = { .fleet = FLEET_DEFAULTS, .action = ACTION_NONE };
	struct server *server = NULL;
	struct diag diag = { 0 };
	enum csc_status status;

	command_read(argc, argv, table, parse,
			"init|status|upgrade --to URL\nreport [NAME] --to URL",
			"Make the tables of a fleet on a ClickHouse server, or print its answers: fragmenting, leak, "
			"use, release, saving, holder, silent.\v"
			"The name and the password of the server come from --credentials, or from "
			"CARRIERSCOPE_FLEET_USER and CARRIERSCOPE_FLEET_PASSWORD.\n\n"
			"Example:\n  carrierscope fleet report leak --to https://ch.example.org:8443/fleet",
			&options);
	status = server_open(&options.fleet.server, &server, &diag);
	if (status == CSC_OK) {
		status = act(server, &options, &diag);
	}

	server_close(server);
	return status == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
