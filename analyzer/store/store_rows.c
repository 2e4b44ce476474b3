/*
 * SPDX-License-Identifier: MIT
 *
 * One statement for each table, prepared when its first row comes.
 */
#include "store_rows.h"

#include <assert.h>
#include <string.h>

#include "store_db.h"

struct insert *store_rows(struct store *store, const char *table, const char *columns)
{
	struct insert *insert;

	for (size_t i = 0; i < store->table_count; i++) {
		if (strcmp(store->tables[i].table, table) == 0) {
			assert(strcmp(store->tables[i].names, columns) == 0);
			return &store->tables[i];
		}
	}

	if (store->table_count == STORE_TABLES) {
		/* A reader with more tables than this is a mistake of ours. */
		insert = &store->tables[STORE_TABLES - 1];
		insert->result = SQLITE_FULL;
		return insert;
	}

	insert = &store->tables[store->table_count++];
	insert_open_many(insert, store->db, table, columns);
	return insert;
}

enum csc_status store_rows_check(struct store *store, struct diag *diag)
{
	for (size_t i = 0; i < store->table_count; i++) {
		if (store->tables[i].result != SQLITE_OK) {
			return store_rows_close(store, diag);
		}
	}

	return CSC_OK;
}

enum csc_status store_rows_close(struct store *store, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < store->table_count; i++) {
		if (insert_close(&store->tables[i], diag) != CSC_OK) {
			status = CSC_ERROR;
		}
	}

	store->table_count = 0;
	return status;
}

int64_t store_source_id(const struct store *store)
{
	return store->bases.source + 1;
}

int64_t store_runtime_id(const struct store *store, int32_t runtime)
{
	return store->bases.runtime + runtime + 1;
}
