/*
 * SPDX-License-Identifier: MIT
 *
 * The handle of the database: its statements, and the ids that are taken.
 */
#include "store_db.h"

#include <stdio.h>

void store_hold_size_signal(sigset_t *ret_before)
{
	sigset_t size_signal;

	(void)sigemptyset(&size_signal);
	(void)sigaddset(&size_signal, SIGXFSZ);
	(void)pthread_sigmask(SIG_BLOCK, &size_signal, ret_before);
}

void store_release_size_signal(const sigset_t *before)
{
	static const struct timespec at_once = { 0, 0 };
	sigset_t size_signal;

	(void)sigemptyset(&size_signal);
	(void)sigaddset(&size_signal, SIGXFSZ);
	if (!sigismember(before, SIGXFSZ)) {
		while (sigtimedwait(&size_signal, NULL, &at_once) > 0) {
		}
	}

	(void)pthread_sigmask(SIG_SETMASK, before, NULL);
}

enum csc_status store_execute(struct store *store, const char *sql, struct diag *diag)
{
	if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", store->path,
				sqlite3_errmsg(store->db));
	}

	return CSC_OK;
}

enum csc_status store_query_integer(
		struct store *store, const char *sql, int64_t *ret_value, struct diag *diag)
{
	sqlite3_stmt *statement = NULL;
	enum csc_status status = CSC_OK;

	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) == SQLITE_OK &&
			sqlite3_step(statement) == SQLITE_ROW) {
		*ret_value = sqlite3_column_int64(statement, 0);
	} else {
		status = DIAG_FAIL(diag, "cannot read '%s': %s", store->path,
				sqlite3_errmsg(store->db));
	}

	(void)sqlite3_finalize(statement);
	return status;
}

enum csc_status store_find_bases(struct store *store, struct diag *diag)
{
	const struct {
		const char *sql;
		int64_t *base;
	} bases[] = {
		{ "SELECT coalesce(max(id), 0) FROM source", &store->bases.source },
		{ "SELECT coalesce(max(id), 0) FROM trace", &store->bases.trace },
		{ "SELECT coalesce(max(id), 0) FROM stream", &store->bases.stream },
		{ "SELECT coalesce(max(id), 0) FROM runtime", &store->bases.runtime },
		{ "SELECT coalesce(max(id), 0) FROM thread", &store->bases.thread },
		{ "SELECT coalesce(max(id), 0) FROM instance", &store->bases.instance },
		{ "SELECT coalesce(max(id), 0) FROM allocator_use", &store->bases.use },
		{ "SELECT coalesce(max(id), 0) FROM carrier_event", &store->bases.carrier_event },
		{ "SELECT coalesce(max(rowid), 0) FROM packed_block", &store->bases.block_event },
		{ "SELECT coalesce(max(id), 0) FROM packed_block_kind", &store->bases.packed_kind },
		{ "SELECT coalesce(max(id), 0) FROM block_account", &store->bases.block_account },
		{ "SELECT coalesce(max(id), 0) FROM otp_event", &store->bases.otp_event },
		{ "SELECT coalesce(max(id), 0) FROM ledger", &store->bases.ledger },
		{ "SELECT coalesce(max(id), 0) FROM lost_interval", &store->bases.lost },
		{ "SELECT coalesce(max(id), 0) FROM load_problem", &store->bases.problem },
	};
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]) && status == CSC_OK; i++) {
		status = store_query_integer(store, bases[i].sql, bases[i].base, diag);
	}

	for (size_t i = 0; event_model_core_event(i) && status == CSC_OK; i++) {
		const struct feed_shape *shape = shape_core_event(i);
		char sql[128];

		if (shape) {
			(void)snprintf(sql, sizeof(sql), "SELECT coalesce(max(id), 0) FROM %s",
					shape->table);
			status = store_query_integer(store, sql, &store->bases.core_event[i], diag);
		}
	}

	return status;
}
