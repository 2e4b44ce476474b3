/*
 * SPDX-License-Identifier: MIT
 *
 * The text of a view, as a table of what it yields.
 *
 * A view of the file reads the file only.  So a view between two that are tables by now is made
 * again as a temporary one, which reads the temporary tables: by the names in its text.
 */
#include "store_stage.h"

#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "numbering.h"
#include "stage_text.h"

enum {
	NAME_BYTES = 128,
	/* So few are scanned as fast as found. */
	FEW_ROWS = 32,
};

/* A table or view of the file.  One that reads another is created later. */
struct node {
	const char *name;
	/* NULL: a table. */
	const char *sql;

	/* Those that it reads: `read_count` of stages.reads from `first_read` on. */
	size_t first_read;
	size_t read_count;

	/* There is a temporary table of this name; there is a temporary view. */
	bool is_table;
	bool is_copied;
	/* Is read by what the connection is for. */
	bool is_asked;
	/* What is made next: a table of this one; a table of one that reads it. */
	bool is_staged;
	bool is_needed;
	/* Reads a temporary table, or is one. */
	bool is_temporary;
};

struct stages {
	sqlite3 *db;

	/* Of sqlite3_get_table(): what the nodes point to. */
	char **cells;
	struct node *nodes;
	size_t node_count;

	int32_t *reads;
	size_t read_count;

	/* Number of a name is that of its node; other words are behind. */
	struct numbering names;
};

static enum csc_status run(sqlite3 *db, char *sql, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	sqlite3_stmt *statement = NULL;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	/* One statement and no more, whatever the file has. */
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
			sqlite3_step(statement) != SQLITE_DONE) {
		status = DIAG_FAIL(diag, "cannot compute the figures: %s", sqlite3_errmsg(db));
	}

	(void)sqlite3_finalize(statement);
	sqlite3_free(sql);
	return status;
}

static enum csc_status read_table(
		sqlite3 *db, char *sql, char ***ret_cells, size_t *ret_rows, struct diag *diag)
{
	int rows = 0;
	enum csc_status status = CSC_OK;

	if (!sql) {
		return DIAG_NO_MEMORY(diag);
	}

	if (sqlite3_get_table(db, sql, ret_cells, &rows, NULL, NULL) != SQLITE_OK) {
		status = DIAG_FAIL(diag, "cannot compute the figures: %s", sqlite3_errmsg(db));
	}

	*ret_rows = (size_t)rows;
	sqlite3_free(sql);
	return status;
}

/* The number of a word; -1: out of memory, or it is too long for a name of ours. */
static int32_t number_word(struct stages *stages, struct stage_word word)
{
	char name[NAME_BYTES];

	if (word.length >= sizeof(name)) {
		return -1;
	}

	memcpy(name, word.at, word.length);
	name[word.length] = '\0';
	return numbering_find(&stages->names, 0, 0, name);
}

/* Finds what the text of a view reads, among those created before it. */
static bool find_reads(struct stages *stages, size_t number)
{
	struct node *node = &stages->nodes[number];
	const char *text = node->sql;
	struct stage_word word;

	node->first_read = stages->read_count;
	while (text && stage_text_read(&text, &word)) {
		int32_t read = number_word(stages, word);

		if (read < 0 || (size_t)read >= number) {
			continue;
		}
		if (!csc_grow_by_one(&stages->reads, stages->read_count, sizeof(*stages->reads))) {
			return false;
		}
		stages->reads[stages->read_count++] = read;
		node->read_count++;
	}

	return true;
}

static enum csc_status add_nodes(struct stages *stages, size_t rows, struct diag *diag)
{
	stages->nodes = calloc(rows + 1, sizeof(*stages->nodes));
	if (!stages->nodes) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < rows; i++) {
		char *const *cells = &stages->cells[2 * (i + 1)];

		if (!cells[0] || numbering_find(&stages->names, 0, 0, cells[0]) != (int32_t)i) {
			return DIAG_NO_MEMORY(diag);
		}
		stages->nodes[i] = (struct node){ .name = cells[0], .sql = cells[1] };
	}

	stages->node_count = rows;
	for (size_t i = 0; i < rows; i++) {
		if (!find_reads(stages, i)) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

/* Marks what a text reads, or a view of this name, and what that is made of; NULL: all. */
static void find_asked(struct stages *stages, const char *sql)
{
	const char *text = sql;
	struct stage_word word = { sql, sql ? strlen(sql) : 0 };

	/* The whole may be a name. */
	while (text) {
		int32_t number = number_word(stages, word);

		if (number >= 0 && (size_t)number < stages->node_count) {
			stages->nodes[number].is_asked = true;
		}
		text = stage_text_read(&text, &word) ? text : NULL;
	}

	for (size_t i = stages->node_count; i-- > 0;) {
		struct node *node = &stages->nodes[i];

		node->is_asked = node->is_asked || !sql;
		for (size_t j = 0; node->is_asked && j < node->read_count; j++) {
			stages->nodes[stages->reads[node->first_read + j]].is_asked = true;
		}
	}
}

enum csc_status stages_open(
		sqlite3 *db, const char *sql, struct stages **ret_stages, struct diag *diag)
{
	struct stages *stages = calloc(1, sizeof(*stages));
	size_t rows = 0;
	enum csc_status status;

	if (!stages) {
		return DIAG_NO_MEMORY(diag);
	}

	stages->db = db;
	status = read_table(db,
			sqlite3_mprintf("SELECT name, iif(type = 'view', sql, NULL) FROM main.sqlite_schema "
					"WHERE type IN ('table', 'view') ORDER BY rowid"),
			&stages->cells, &rows, diag);
	if (status == CSC_OK) {
		status = add_nodes(stages, rows, diag);
	}

	if (status == CSC_OK) {
		find_asked(stages, sql);
		*ret_stages = stages;
	} else {
		stages_close(stages);
	}

	return status;
}

void stages_close(struct stages *stages)
{
	if (stages) {
		numbering_finish(&stages->names);
		sqlite3_free_table(stages->cells);
		free(stages->reads);
		free(stages->nodes);
		free(stages);
	}
}

/* The number of the node of a name; `node_count`: there is none. */
static size_t number_of(struct stages *stages, const char *name)
{
	int32_t number = name ? numbering_find(&stages->names, 0, 0, name) : -1;

	return number >= 0 && (size_t)number < stages->node_count ? (size_t)number
								  : stages->node_count;
}

bool stages_is_asked(struct stages *stages, const char *name)
{
	size_t number = number_of(stages, name);

	return number < stages->node_count && stages->nodes[number].is_asked;
}

/* Asks the connection which tables and views of the file are temporary ones by now. */
static enum csc_status find_temporary(struct stages *stages, struct diag *diag)
{
	char **cells = NULL;
	size_t rows = 0;
	enum csc_status status = read_table(stages->db,
			sqlite3_mprintf("SELECT name, type FROM sqlite_temp_schema"), &cells, &rows,
			diag);

	for (size_t i = 0; i < stages->node_count; i++) {
		stages->nodes[i].is_table = false;
		stages->nodes[i].is_copied = false;
		stages->nodes[i].is_staged = false;
		stages->nodes[i].is_needed = false;
	}

	for (size_t i = 1; status == CSC_OK && i <= rows; i++) {
		size_t number = number_of(stages, cells[2 * i]);

		if (number < stages->node_count) {
			stages->nodes[number].is_table = strcmp(cells[2 * i + 1], "table") == 0;
			stages->nodes[number].is_copied = strcmp(cells[2 * i + 1], "view") == 0;
		}
	}

	sqlite3_free_table(cells);
	return status;
}

/* Marks the views of a set, and those that they are made of. */
static enum csc_status find_staged(
		struct stages *stages, const char *set, bool is_whole, struct diag *diag)
{
	char **cells = NULL;
	size_t rows = 0;
	enum csc_status status = read_table(stages->db,
			sqlite3_mprintf("SELECT view FROM main.stage WHERE \"set\" = %Q", set),
			&cells, &rows, diag);

	for (size_t i = 1; status == CSC_OK && i <= rows; i++) {
		size_t number = number_of(stages, cells[i]);

		if (number < stages->node_count) {
			struct node *node = &stages->nodes[number];

			node->is_staged = node->sql && !node->is_table &&
					(is_whole || node->is_asked);
		}
	}

	sqlite3_free_table(cells);
	for (size_t i = stages->node_count; i-- > 0;) {
		const struct node *node = &stages->nodes[i];

		for (size_t j = 0; (node->is_staged || node->is_needed) && j < node->read_count;
				j++) {
			stages->nodes[stages->reads[node->first_read + j]].is_needed = true;
		}
	}

	return status;
}

static bool is_reading_temporary(const struct stages *stages, const struct node *node)
{
	for (size_t i = 0; i < node->read_count; i++) {
		if (stages->nodes[stages->reads[node->first_read + i]].is_temporary) {
			return true;
		}
	}

	return false;
}

/* The view once more, as one of this connection. */
static enum csc_status copy_view(struct stages *stages, struct node *node, struct diag *diag)
{
	static const char create[] = "CREATE VIEW ";

	if (strncmp(node->sql, create, sizeof(create) - 1) != 0) {
		return CSC_OK;
	}

	node->is_copied = true;
	return run(stages->db,
			sqlite3_mprintf("CREATE TEMP VIEW %s", node->sql + sizeof(create) - 1),
			diag);
}

/* Makes a table of a part of a query; `with` has the parts before it. */
static enum csc_status stage_part(struct stages *stages, const char *view,
		const struct stage_part *part, sqlite3_str *with, struct diag *diag)
{
	const char *body = part->body.at + 1;
	int length = (int)part->body.length - 2;
	const char *first = body;
	struct stage_word word;
	bool is_nested = stage_text_next(&first, &word) && stage_text_is(word, "WITH");

	return run(stages->db,
			sqlite3_mprintf("CREATE TEMP TABLE \"%w:%.*s\" AS %s %s%.*s%s", view,
					(int)part->name.length, part->name.at,
					sqlite3_str_length(with) > 0 ? sqlite3_str_value(with) : "",
					is_nested ? "SELECT * FROM (" : "", length, body,
					is_nested ? ")" : ""),
			diag);
}

/*
 * Makes tables of those parts of a query that are read more than once: SQLite prepares such a part
 * anew wherever it is read, and all that it reads.  `with` becomes the parts, reading the tables.
 */
static enum csc_status stage_parts(struct stages *stages, const char *view, const char **query,
		sqlite3_str *with, struct diag *diag)
{
	const char *begin = *query;
	struct stage_part part;
	enum csc_status status = CSC_OK;

	while (status == CSC_OK && stage_text_part(query, &part)) {
		const char *comma = sqlite3_str_length(with) > 0 ? "," : "WITH RECURSIVE";

		if (part.is_shared) {
			status = stage_part(stages, view, &part, with, diag);
			sqlite3_str_appendf(with, "%s %.*s%.*s AS (SELECT * FROM temp.\"%w:%.*s\")",
					comma, (int)part.name.length, part.name.at,
					(int)part.columns.length, part.columns.at, view,
					(int)part.name.length, part.name.at);
		} else {
			sqlite3_str_appendf(with, "%s %.*s", comma, (int)(*query - part.name.at),
					part.name.at);
		}
		begin = *query;
	}

	*query = begin;
	return status;
}

static enum csc_status drop_parts(sqlite3 *db, const char *view, struct diag *diag)
{
	char **cells = NULL;
	size_t rows = 0;
	enum csc_status status = read_table(db,
			sqlite3_mprintf("SELECT name FROM sqlite_temp_schema WHERE type = 'table' AND name GLOB '%q:*'",
					view),
			&cells, &rows, diag);

	for (size_t i = 1; status == CSC_OK && i <= rows; i++) {
		status = run(db, sqlite3_mprintf("DROP TABLE temp.\"%w\"", cells[i]), diag);
	}

	sqlite3_free_table(cells);
	return status;
}

/*
 * An index over the ids that come first in a table, if it begins with one: others look it up by
 * these, and SQLite, which does not know how large it is, would scan it for each.
 */
static enum csc_status index_ids(sqlite3 *db, const char *view, struct diag *diag)
{
	char **cells = NULL;
	size_t rows = 0;
	enum csc_status status = read_table(db,
			sqlite3_mprintf("SELECT group_concat('\"' || name || '\"') FROM pragma_table_info(%Q, 'temp') "
					"WHERE cid < ifnull((SELECT min(cid) FROM pragma_table_info(%Q, 'temp') "
					"WHERE name NOT LIKE '%%\\_id' ESCAPE '\\'), 2) AND cid < 2 "
					"AND (SELECT count(*) FROM temp.\"%w\") > %d",
					view, view, view, FEW_ROWS),
			&cells, &rows, diag);

	if (status == CSC_OK && rows > 0 && cells[1]) {
		status = run(db,
				sqlite3_mprintf("CREATE INDEX temp.\"%w:id\" ON \"%w\" (%s)", view,
						view, cells[1]),
				diag);
	}

	sqlite3_free_table(cells);
	return status;
}

static enum csc_status stage_one(struct stages *stages, struct node *node, struct diag *diag)
{
	const char *query = stage_text_query(node->sql, node->name);
	sqlite3_str *with;
	enum csc_status status = CSC_OK;

	if (!query) {
		return DIAG_FAIL(diag, "cannot compute the figures: '%s' is not one of our views",
				node->name);
	}

	if (node->is_copied) {
		status = run(stages->db, sqlite3_mprintf("DROP VIEW temp.\"%w\"", node->name),
				diag);
	}

	with = sqlite3_str_new(stages->db);
	if (status == CSC_OK) {
		status = stage_parts(stages, node->name, &query, with, diag);
	}
	if (status == CSC_OK && sqlite3_str_errcode(with) != SQLITE_OK) {
		status = DIAG_NO_MEMORY(diag);
	}
	if (status == CSC_OK) {
		status = run(stages->db,
				sqlite3_mprintf("CREATE TEMP TABLE \"%w\" AS %s%s", node->name,
						sqlite3_str_length(with) > 0
								? sqlite3_str_value(with)
								: "",
						query),
				diag);
	}
	if (status == CSC_OK) {
		status = index_ids(stages->db, node->name, diag);
	}
	if (status == CSC_OK && sqlite3_str_length(with) > 0) {
		status = drop_parts(stages->db, node->name, diag);
	}

	sqlite3_free(sqlite3_str_finish(with));
	node->is_table = true;
	return status;
}

enum csc_status stages_make(
		struct stages *stages, const char *set, bool is_whole, struct diag *diag)
{
	enum csc_status status = find_temporary(stages, diag);

	if (status == CSC_OK) {
		status = find_staged(stages, set, is_whole, diag);
	}

	for (size_t i = 0; status == CSC_OK && i < stages->node_count; i++) {
		struct node *node = &stages->nodes[i];

		node->is_temporary = node->is_table || node->is_staged ||
				is_reading_temporary(stages, node);
		if (node->is_staged) {
			status = stage_one(stages, node, diag);
		} else if (node->sql && node->is_needed && node->is_temporary && !node->is_table &&
				!node->is_copied) {
			status = copy_view(stages, node, diag);
		}
	}

	return status;
}

enum csc_status stages_copy(struct stages *stages, bool is_whole, struct diag *diag)
{
	enum csc_status status = find_temporary(stages, diag);

	for (size_t i = 0; status == CSC_OK && i < stages->node_count; i++) {
		struct node *node = &stages->nodes[i];

		node->is_temporary = node->is_table || is_reading_temporary(stages, node);
		if (node->sql && (is_whole || node->is_asked) && node->is_temporary &&
				!node->is_table && !node->is_copied) {
			status = copy_view(stages, node, diag);
		}
	}

	return status;
}

enum csc_status stage_views(sqlite3 *db, const char *set, struct diag *diag)
{
	struct stages *stages = NULL;
	enum csc_status status = stages_open(db, NULL, &stages, diag);

	if (status == CSC_OK) {
		status = stages_make(stages, set, true, diag);
	}

	stages_close(stages);
	return status;
}

enum csc_status stage_drop(sqlite3 *db, const char *set, struct diag *diag)
{
	char **cells = NULL;
	size_t rows = 0;
	enum csc_status status = read_table(db,
			sqlite3_mprintf("SELECT t.type, t.name FROM sqlite_temp_schema AS t "
					"JOIN main.sqlite_schema AS m ON m.name = t.name AND m.type = 'view' "
					"WHERE t.type = 'view' OR t.name IN (SELECT view FROM main.stage "
					"WHERE \"set\" = %Q)",
					set),
			&cells, &rows, diag);

	for (size_t i = 1; status == CSC_OK && i <= rows; i++) {
		status = run(db,
				sqlite3_mprintf("DROP %s temp.\"%w\"", cells[2 * i],
						cells[2 * i + 1]),
				diag);
	}

	sqlite3_free_table(cells);
	return status;
}
