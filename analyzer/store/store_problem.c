/*
 * SPDX-License-Identifier: MIT
 *
 * What is of one source: the troubles it had, and going on to the next one.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store_db.h"

enum csc_status store_problem(struct store *store, const char *name, enum severity severity,
		int64_t count, struct diag *diag, const char *format, ...)
{
	struct problem *grown;
	struct problem *problem;
	va_list arguments;
	int length;

	for (size_t i = 0; i < store->problem_count; i++) {
		if (strcmp(store->problems[i].name, name) == 0) {
			store->problems[i].count += count;
			return CSC_OK;
		}
	}

	grown = realloc(store->problems, (store->problem_count + 1) * sizeof(*grown));
	if (!grown) {
		return DIAG_NO_MEMORY(diag);
	}

	store->problems = grown;
	problem = &grown[store->problem_count];
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

void store_forget_source(struct store *store)
{
	for (size_t i = 0; i < store->problem_count; i++) {
		free(store->problems[i].name);
		free(store->problems[i].sentence);
	}

	analysis_finish(&store->analysis);
	block_lives_finish(&store->block_lives);
	libc_use_finish(&store->libc_use);
	catalog_finish(&store->catalog);
	free(store->problems);
	free(store->keyframes);
}

enum csc_status store_next_source(struct store *store, bool is_complete, struct diag *diag)
{
	enum csc_status status;
	sigset_t before;

	store_hold_size_signal(&before);
	status = store_settle(store, is_complete, true, diag);
	if (status == CSC_OK) {
		store_forget_source(store);
		memset(&store->analysis, 0, sizeof(store->analysis));
		memset(&store->block_lives, 0, sizeof(store->block_lives));
		memset(&store->libc_use, 0, sizeof(store->libc_use));
		memset(&store->catalog, 0, sizeof(store->catalog));
		memset(store->own_ids, 0, sizeof(store->own_ids));
		store->problems = NULL;
		store->problem_count = 0;
		store->keyframes = NULL;
		store->keyframe_count = 0;
		store->keyframe_capacity = 0;
		store->carrier_ids = 0;
		store->block_ids = 0;
		store->otp_ids = 0;
		store->lost_ids = 0;
		store->ledger_ids = 0;
		store->told_lost_frees = 0;
		store->has_told_folding = false;
		store->content_hash = 0;
		status = store_find_bases(store, diag);
	}

	store_release_size_signal(&before);
	return status;
}
