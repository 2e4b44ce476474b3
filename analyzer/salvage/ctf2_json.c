/*
 * SPDX-License-Identifier: MIT
 *
 * One query for a text: its values in their order, each with the number of what holds it.
 */
#include "ctf2_json.h"

#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

enum {
	/* As deep as no metadata is. */
	DEPTH_MAX = 100,
};

struct ctf2_json_reader {
	sqlite3 *db;
	sqlite3_stmt *is_sound;
	sqlite3_stmt *values;
};

/* A container that is not at its end yet. */
struct open_node {
	int64_t id;
	struct ctf2_node *node;
	struct ctf2_node *last;
};

struct ctf2_json_reader *ctf2_json_reader_create(void)
{
	struct ctf2_json_reader *reader = calloc(1, sizeof(*reader));

	if (reader &&
			(sqlite3_open(":memory:", &reader->db) != SQLITE_OK ||
					sqlite3_prepare_v2(reader->db, "SELECT json_valid(?1)", -1,
							&reader->is_sound, NULL) != SQLITE_OK ||
					sqlite3_prepare_v2(reader->db,
							"SELECT id, parent, type, key, atom FROM json_tree(?1)",
							-1, &reader->values, NULL) != SQLITE_OK)) {
		ctf2_json_reader_destroy(reader);
		reader = NULL;
	}
	return reader;
}

void ctf2_json_reader_destroy(struct ctf2_json_reader *reader)
{
	if (reader) {
		(void)sqlite3_finalize(reader->is_sound);
		(void)sqlite3_finalize(reader->values);
		(void)sqlite3_close(reader->db);
		free(reader);
	}
}

static char *text_copy(struct tsdl_pool *pool, const char *text, size_t bytes)
{
	char *copy = tsdl_pool_take(pool, bytes + 1);

	if (copy && bytes > 0) {
		memcpy(copy, text, bytes);
	}
	return copy;
}

/* The value of a row; NULL means out of memory. */
static struct ctf2_node *node_make(struct tsdl_pool *pool, sqlite3_stmt *row)
{
	struct ctf2_node *node = tsdl_pool_take(pool, sizeof(*node));
	const char *type = (const char *)sqlite3_column_text(row, 2);
	const char *key = (const char *)sqlite3_column_text(row, 3);
	const char *text;

	if (!node || !type) {
		return NULL;
	}
	node->key = key ? text_copy(pool, key, strlen(key)) : "";
	node->text = "";
	if (strcmp(type, "object") == 0) {
		node->kind = JSON_OBJECT;
	} else if (strcmp(type, "array") == 0) {
		node->kind = JSON_ARRAY;
	} else if (strcmp(type, "integer") == 0 && sqlite3_column_type(row, 4) == SQLITE_INTEGER) {
		node->kind = JSON_INTEGER;
		node->number = sqlite3_column_int64(row, 4);
	} else if (strcmp(type, "text") == 0) {
		text = (const char *)sqlite3_column_text(row, 4);
		if (!text) {
			return NULL;
		}
		node->text = text_copy(pool, text, strlen(text));
		if (strlen(text) == (size_t)sqlite3_column_bytes(row, 4)) {
			node->kind = JSON_TEXT;
		}
	}
	return node->key && node->text ? node : NULL;
}

/* Takes all rows; *ret_root stays NULL when there is none, or it is too deep. */
static bool rows_take(sqlite3_stmt *rows, struct tsdl_pool *pool, const struct ctf2_node **ret_root)
{
	struct open_node open[DEPTH_MAX];
	struct ctf2_node *root = NULL;
	size_t depth = 0;
	int step;

	while ((step = sqlite3_step(rows)) == SQLITE_ROW) {
		struct ctf2_node *node = node_make(pool, rows);

		if (!node) {
			return false;
		}
		if (!root) {
			root = node;
		} else {
			int64_t parent = sqlite3_column_int64(rows, 1);

			while (depth > 0 && open[depth - 1].id != parent) {
				depth--;
			}
			if (depth == 0) {
				return true;
			}
			if (open[depth - 1].last) {
				open[depth - 1].last->next = node;
			} else {
				open[depth - 1].node->first = node;
			}
			open[depth - 1].last = node;
			open[depth - 1].node->count++;
		}
		if (node->kind == JSON_ARRAY || node->kind == JSON_OBJECT) {
			if (depth == DEPTH_MAX) {
				return true;
			}
			open[depth++] = (struct open_node){ .id = sqlite3_column_int64(rows, 0),
				.node = node };
		}
	}
	if (step == SQLITE_DONE) {
		*ret_root = root;
	}
	return step != SQLITE_NOMEM;
}

bool ctf2_json_read(struct ctf2_json_reader *reader, struct tsdl_pool *pool, const char *text,
		size_t text_bytes, const struct ctf2_node **ret_root)
{
	bool is_ok = true;
	bool is_sound = false;

	*ret_root = NULL;
	if (memchr(text, '\0', text_bytes)) {
		return true;
	}
	is_ok = sqlite3_bind_text64(reader->is_sound, 1, text, text_bytes, SQLITE_STATIC,
				SQLITE_UTF8) == SQLITE_OK;
	if (is_ok && sqlite3_step(reader->is_sound) == SQLITE_ROW) {
		is_sound = sqlite3_column_int(reader->is_sound, 0) == 1;
	}
	(void)sqlite3_reset(reader->is_sound);
	if (is_ok && is_sound) {
		is_ok = sqlite3_bind_text64(reader->values, 1, text, text_bytes, SQLITE_STATIC,
					SQLITE_UTF8) == SQLITE_OK &&
				rows_take(reader->values, pool, ret_root);
		(void)sqlite3_reset(reader->values);
	}
	(void)sqlite3_clear_bindings(reader->is_sound);
	(void)sqlite3_clear_bindings(reader->values);
	return is_ok;
}

const struct ctf2_node *ctf2_json_find(const struct ctf2_node *object, const char *key)
{
	const struct ctf2_node *node = object && object->kind == JSON_OBJECT ? object->first : NULL;

	while (node && strcmp(node->key, key) != 0) {
		node = node->next;
	}
	return node;
}

const struct ctf2_node *ctf2_json_member(
		const struct ctf2_node *object, const char *key, enum ctf2_json_kind kind)
{
	const struct ctf2_node *node = ctf2_json_find(object, key);

	return node && node->kind == kind ? node : NULL;
}

const char *ctf2_json_text(const struct ctf2_node *object, const char *key, const char *other)
{
	const struct ctf2_node *node = ctf2_json_find(object, key);

	return !node ? other : node->kind == JSON_TEXT ? node->text : "";
}

int64_t ctf2_json_number(const struct ctf2_node *object, const char *key, int64_t other)
{
	const struct ctf2_node *node = ctf2_json_find(object, key);

	return !node ? other : node->kind == JSON_INTEGER ? node->number : INT64_MIN;
}
