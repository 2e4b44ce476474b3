/*
 * SPDX-License-Identifier: MIT
 *
 * The map of carriers as a picture.
 */
#ifndef CSC_MAP_SVG_H
#define CSC_MAP_SVG_H

#include <sqlite3.h>
#include <stdio.h>

#include "diag.h"

/*
 * A cell for each carrier in the order of addresses, filled from below by the share that is in
 * use, in the colour of its allocator; what is nearly empty and pinned has a frame.  Errors: the
 * database has neither carriers nor blocks with addresses.
 */
enum csc_status map_svg_print(FILE *stream, sqlite3 *db, const char *path, struct diag *diag);

#endif
