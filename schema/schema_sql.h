/*
 * SPDX-License-Identifier: MIT
 *
 * The SQL files of this folder, one behind the other, as one script.
 */
#ifndef CSC_SCHEMA_SQL_H
#define CSC_SCHEMA_SQL_H

extern const char schema_sql[];

#endif
