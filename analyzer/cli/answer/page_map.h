/*
 * SPDX-License-Identifier: MIT
 *
 * The map of carriers on the page: at the end, at some moments before, and the blocks of its cells.
 */
#ifndef CSC_PAGE_MAP_H
#define CSC_PAGE_MAP_H

#include <sqlite3.h>

#include "diag.h"
#include "json_writer.h"

/*
 * Writes the figures "map", "map_cells" (how many there are), "map_then" and "map_blocks".  `path`:
 * the file of `db`, which is opened once more for each moment.
 */
enum csc_status page_map_put(
		struct json_writer *json, sqlite3 *db, const char *path, struct diag *diag);

#endif
