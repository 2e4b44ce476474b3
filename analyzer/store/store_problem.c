/*
 * SPDX-License-Identifier: MIT
 *
 * Problems of the source being loaded, one for each name.
 */
#include "store_problem.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "store_db.h"

enum csc_status store_problem(struct store *store, const char *name, enum severity severity,
		int64_t count, struct diag *diag, const char *format, ...)
{
	struct problem *problem;
	va_list arguments;
	int length;

	assert(name && count >= 0 && severity <= SEVERITY_ERROR);
	for (size_t i = 0; i < store->problem_count; i++) {
		if (strcmp(store->problems[i].name, name) == 0) {
			store->problems[i].count += count;
			return CSC_OK;
		}
	}

	if (!csc_grow_by_one(&store->problems, store->problem_count, sizeof(*problem))) {
		return DIAG_NO_MEMORY(diag);
	}

	problem = &store->problems[store->problem_count];
	*problem = (struct problem){ .name = strdup(name), .severity = severity, .count = count };
	va_start(arguments, format);
	length = vasprintf(&problem->sentence, format, arguments);
	va_end(arguments);
	if (length < 0 || !problem->name) {
		free(problem->name);
		if (length >= 0) {
			free(problem->sentence);
		}
		return DIAG_NO_MEMORY(diag);
	}

	store->problem_count++;
	return CSC_OK;
}

int64_t store_problem_count(const struct store *store, enum severity severity)
{
	int64_t count = 0;

	for (size_t i = 0; i < store->problem_count; i++) {
		count += store->problems[i].severity >= severity;
	}

	return count;
}

void store_problems_forget(struct store *store)
{
	for (size_t i = 0; i < store->problem_count; i++) {
		free(store->problems[i].name);
		free(store->problems[i].sentence);
	}

	free(store->problems);
	store->problems = NULL;
	store->problem_count = 0;
}
