/*
 * SPDX-License-Identifier: MIT
 *
 * A store in a folder of a test's own.
 */
#ifndef CSC_TEST_STORE_FIXTURE_H
#define CSC_TEST_STORE_FIXTURE_H

#include <sqlite3.h>

#include "scratch.h"
#include "store.h"

struct fixture {
	struct scratch scratch;

	/* For scratch.path, by loader "test". */
	struct store_options options;

	/* NULL: none is open. */
	struct store *store;
	sqlite3 *db;
	struct diag diag;
};

/* For cmocka: makes the folder (`name` as scratch_open() takes it), and removes all. */
int store_fixture_open(void **state, const char *name);
int store_fixture_close(void **state);

#endif
