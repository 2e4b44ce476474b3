/*
 * SPDX-License-Identifier: MIT
 */
#include "store_fixture.h"

#include <stdlib.h>

int store_fixture_open(void **state, const char *name)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture) {
		return -1;
	}

	*state = fixture;
	if (!scratch_open(&fixture->scratch, name)) {
		return -1;
	}

	fixture->options.path = fixture->scratch.path;
	fixture->options.loader_name = "test";
	return 0;
}

int store_fixture_close(void **state)
{
	struct fixture *fixture = *state;

	store_destroy(fixture->store);
	(void)sqlite3_close(fixture->db);
	scratch_close(&fixture->scratch);
	free(fixture);
	return 0;
}
