/*
 * SPDX-License-Identifier: MIT
 *
 * What begins with a dollar in a script is filled in.
 */
#include "fleet_schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_TABLE = 60, UNKNOWN_DATABASE = 81 };

static void put_cluster(FILE *to, const struct fleet_layout *layout)
{
	if (layout->cluster && layout->is_replicated) {
		(void)fprintf(to, " ON CLUSTER %s", layout->cluster);
	}
}

/* MergeTree, or the replicated form of table NAME. */
static void put_engine(FILE *to, const struct fleet_layout *layout, const char *name, int length)
{
	if (layout->cluster && layout->is_replicated) {
		(void)fprintf(to,
				"ReplicatedMergeTree('/clickhouse/tables/{shard}/%s/%.*s', '{replica}')",
				layout->database, length, name);
	} else {
		fputs("MergeTree()", to);
	}
}

/* Of a row of alloc_minutes the figure "carriers", "blocks" or "pool" of each minute. */
static void put_likely(FILE *to, const char *figure)
{
	int number = *figure == 'c' ? 0 : *figure == 'b' ? 1 : 2;

	(void)fprintf(to, "arraySlice(figures, 1 + %d * length(minute), length(minute))", number);
}

/* Its lower or upper bound, which is the figure itself where there are none. */
static void put_bound(FILE *to, const char *figure, bool is_upper)
{
	int number = *figure == 'c' ? 0 : *figure == 'b' ? 2 : 4;

	fputs("if(empty(bounds), ", to);
	put_likely(to, figure);
	(void)fprintf(to, ", arraySlice(bounds, 1 + %d * length(minute), length(minute)))",
			number + is_upper);
}

/* One word behind a dollar, with its argument in brackets; yields how long it is. */
static size_t put_word(FILE *to, const char *at, const struct fleet_layout *layout)
{
	size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
	bool has_argument = at[word] == '(';
	const char *argument = has_argument ? at + word + 1 : "";
	size_t length = strcspn(argument, ")");
	size_t whole = word + (has_argument ? length + 2 : 0);

	if (strncmp(at, "cluster_name", word) == 0 && word == strlen("cluster_name")) {
		fputs(layout->cluster ? layout->cluster : "", to);
		return word;
	}
	if (strncmp(at, "db", word) == 0) {
		fputs(layout->database, to);
		return word;
	}
	if (strncmp(at, "version", word) == 0) {
		(void)fprintf(to, "%d", FLEET_VERSION);
		return word;
	}
	if (strncmp(at, "on", word) == 0) {
		put_cluster(to, layout);
		return word;
	}
	if (strncmp(at, "name", word) == 0) {
		(void)fprintf(to, "%.*s%s", (int)length, argument, layout->cluster ? "_local" : "");
	} else if (strncmp(at, "whole", word) == 0) {
		(void)fprintf(to, "%.*s%s", (int)length, argument,
				layout->cluster && !layout->is_replicated ? "_local" : "");
	} else if (strncmp(at, "engine", word) == 0) {
		put_engine(to, layout, argument, (int)length);
	} else if (strncmp(at, "likely", word) == 0) {
		put_likely(to, argument);
	} else if (strncmp(at, "low", word) == 0 || strncmp(at, "high", word) == 0) {
		put_bound(to, argument, *at == 'h');
	} else if (strncmp(at, "ttl", word) == 0 && layout->has_ttl && layout->keep_days > 0) {
		(void)fprintf(to, " TTL %.*s + INTERVAL %u DAY", (int)length, argument,
				layout->keep_days);
	}

	return whole;
}

char *fleet_fill_in(const char *statement, size_t length, const struct fleet_layout *layout)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *to = open_memstream(&text, &bytes);

	if (!to) {
		return NULL;
	}

	for (size_t i = 0; i < length; i++) {
		if (statement[i] == '$') {
			i += put_word(to, statement + i + 1, layout);
		} else {
			fputc(statement[i], to);
		}
	}

	if (fclose(to) != 0) {
		free(text);
		return NULL;
	}

	return text;
}

/* "CREATE VIEW NAME" makes it anew: DROP VIEW of it comes first. */
static enum csc_status drop_view(struct server *server, const char *statement,
		const struct fleet_layout *layout, struct diag *diag)
{
	static const char create[] = "CREATE VIEW ";
	const char *name = statement + strlen(create);
	char *drop = NULL;
	enum csc_status status;

	if (strncmp(statement, create, strlen(create)) != 0) {
		return CSC_OK;
	}

	if (asprintf(&drop, "DROP TABLE IF EXISTS %.*s%s%s", (int)strcspn(name, " \n"), name,
			    layout->cluster && layout->is_replicated ? " ON CLUSTER " : "",
			    layout->cluster && layout->is_replicated ? layout->cluster : "") < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	status = server_ask(server, drop, NULL, 0, NULL, diag);
	free(drop);
	return status;
}

static enum csc_status run_one(struct server *server, const char *statement, size_t length,
		const struct fleet_layout *layout, struct diag *diag)
{
	static const char only_clusters[] = "$cluster ";
	static const char only_older[] = "$from(";
	static const char only_kept[] = "$kept ";
	enum csc_status status;
	char *text;
	size_t skipped = 0;

	if (strncmp(statement, only_older, strlen(only_older)) == 0) {
		char *end;
		long first = strtol(statement + strlen(only_older), &end, 10);

		if (layout->version < first || layout->version > strtol(end + 1, NULL, 10)) {
			return CSC_OK;
		}
		skipped = strcspn(statement, ")") + strlen(") ");
	}
	if (strncmp(statement, only_kept, strlen(only_kept)) == 0) {
		if (layout->version == 0 || layout->keep_days == 0 || !layout->has_ttl) {
			return CSC_OK;
		}
		skipped = strlen(only_kept);
	}
	if (strncmp(statement + skipped, only_clusters, strlen(only_clusters)) == 0) {
		if (!layout->cluster) {
			return CSC_OK;
		}
		skipped += strlen(only_clusters);
	}

	text = fleet_fill_in(statement + skipped, length - skipped, layout);
	if (!text) {
		return DIAG_NO_MEMORY(diag);
	}

	status = drop_view(server, text, layout, diag);
	if (status == CSC_OK) {
		status = server_ask(server, text, NULL, 0, NULL, diag);
	}

	free(text);
	return status;
}

/* Behind lines of comments and empty ones. */
static const char *skip_comments(const char *at)
{
	for (;;) {
		at += strspn(at, " \n");
		if (strncmp(at, "--", 2) != 0) {
			return at;
		}
		at += strcspn(at, "\n");
	}
}

enum csc_status fleet_run(struct server *server, const char *script,
		const struct fleet_layout *layout, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	const char *at = skip_comments(script);

	while (*at && status == CSC_OK) {
		const char *end = strstr(at, ";\n");
		size_t length = end ? (size_t)(end - at) : strlen(at);

		status = run_one(server, at, length, layout, diag);
		at = skip_comments(at + length + (end ? 1 : 0));
	}

	return status;
}

static enum csc_status judge_version(const char *address, const char *answer, bool is_newest,
		int *ret_version, struct diag *diag)
{
	char *end = NULL;
	long version = strtol(answer, &end, 10);

	if (end == answer || strcmp(end, "\n") != 0 || version < 1) {
		return DIAG_FAIL(diag,
				"'%s' does not answer as a fleet does; is it ClickHouse, and did 'carrierscope fleet init --to %s' end well?",
				address, address);
	}
	if (version > FLEET_VERSION) {
		return DIAG_FAIL(diag,
				"'%s' has tables of a newer carrierscope: version %ld, this program knows %d",
				address, version, FLEET_VERSION);
	}
	if (version < FLEET_VERSION && is_newest) {
		return DIAG_FAIL(diag,
				"'%s' has tables of version %ld, this program needs %d; run 'carrierscope fleet upgrade --to %s'",
				address, version, FLEET_VERSION, address);
	}

	*ret_version = (int)version;
	return CSC_OK;
}

bool fleet_is_missing(const struct server *server)
{
	return server_error(server) == UNKNOWN_TABLE || server_error(server) == UNKNOWN_DATABASE;
}

enum csc_status fleet_check(struct server *server, const char *address, bool is_newest,
		int *ret_version, struct diag *diag)
{
	char *answer = NULL;
	struct diag refused = { 0 };
	enum csc_status status = server_ask(server, "SELECT max(version) FROM fleet_version", NULL,
			0, &answer, &refused);

	if (status != CSC_OK && fleet_is_missing(server)) {
		return DIAG_FAIL(diag,
				"'%s' has no tables of a fleet; run 'carrierscope fleet init --to %s'",
				address, address);
	}
	if (status != CSC_OK) {
		*diag = refused;
		return status;
	}

	status = judge_version(address, answer, is_newest, ret_version, diag);
	free(answer);
	return status;
}
