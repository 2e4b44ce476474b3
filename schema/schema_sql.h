/*
 * SPDX-License-Identifier: MIT
 *
 * What the SQL files of this folder make of an empty database, as one script.
 */
#ifndef CSC_SCHEMA_SQL_H
#define CSC_SCHEMA_SQL_H

extern const char schema_sql[];

#endif
