/*
 * SPDX-License-Identifier: MIT
 */
#include "snapshot.h"

int64_t snapshot_add(struct store *store, const char *kind, int64_t ts_ns, int64_t line)
{
	struct insert *rows = store_rows(store, "snapshot");

	insert_integer(rows, ROW_NULL);
	insert_integer(rows, store_source_id(store));
	insert_integer(rows, ROW_NULL);
	insert_integer(rows, ts_ns);
	insert_integer(rows, line);
	insert_text(rows, kind);
	insert_row(rows);
	if (ts_ns != ROW_NULL) {
		catalog_note_time(store_catalog(store), ts_ns);
	}

	return insert_last_id(rows);
}

void snapshot_stat(struct store *store, const struct instance_stat *stat)
{
	struct insert *rows = store_rows(store, "instance_stat");

	insert_integer(rows, stat->snapshot);
	text_insert(rows, stat->allocator);
	insert_integer(rows, stat->instance);
	text_insert(rows, stat->section);
	text_insert(rows, stat->key);
	insert_integer(rows, stat->current);
	insert_integer(rows, stat->max_since_last);
	insert_integer(rows, stat->max_ever);
	text_insert(rows, stat->of);
	insert_row(rows);
}

void snapshot_memory(struct store *store, int64_t snapshot, struct text key, int64_t bytes)
{
	struct insert *rows = store_rows(store, "memory_sample");

	insert_integer(rows, snapshot);
	text_insert(rows, key);
	insert_integer(rows, bytes);
	insert_row(rows);
}

void snapshot_option(struct store *store, int64_t snapshot, struct text allocator, int64_t instance,
		struct text name, struct text value)
{
	struct insert *rows = store_rows(store, "allocator_option");

	insert_integer(rows, snapshot);
	text_insert(rows, allocator);
	insert_integer(rows, instance);
	text_insert(rows, name);
	text_insert(rows, value);
	insert_row(rows);
}

void snapshot_fact(struct store *store, int64_t snapshot, const char *key, struct text value)
{
	struct insert *rows = store_rows(store, "node_fact");

	insert_integer(rows, snapshot);
	insert_text(rows, key);
	text_insert(rows, value);
	insert_row(rows);
}
