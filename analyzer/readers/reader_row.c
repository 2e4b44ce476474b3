/*
 * SPDX-License-Identifier: MIT
 */
#include "reader_row.h"

struct insert *reader_row(struct store *store, const char *table, const char *columns,
		const struct row_value *values, size_t count)
{
	struct insert *rows = store_rows(store, table, columns);

	for (size_t i = 0; i < count; i++) {
		switch (values[i].kind) {
		case ROW_INTEGER:
			insert_integer(rows, values[i].integer);
			break;
		case ROW_REAL:
			insert_real(rows, values[i].real);
			break;
		case ROW_TEXT:
			text_insert(rows, values[i].text);
			break;
		}
	}

	insert_row(rows);
	return rows;
}
