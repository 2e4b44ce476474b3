/*
 * SPDX-License-Identifier: MIT
 *
 * What a database of ours says of itself, for all that write or read one.
 */
#ifndef CSC_SCHEMA_VERSION_H
#define CSC_SCHEMA_VERSION_H

/* PRAGMA application_id: "CSCP". */
#define SCHEMA_APPLICATION_ID 0x43534350

/*
 * PRAGMA user_version and meta.schema_version: raised whenever a base table changes, or a view that
 * commands read is new.  The man page carrierscope-schema(7) names it too, and a test compares.
 */
#define SCHEMA_VERSION 12

/* Why a file of another version is refused: its name, its version, ours. */
#define SCHEMA_NEWER \
	"'%s' was made by a newer carrierscope: its schema has version %d, this program knows %d"
#define SCHEMA_OLDER                                                                             \
	"'%s' was made by an older carrierscope: its schema has version %d, this program knows " \
	"%d; load it again"

#endif
