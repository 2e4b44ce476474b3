/*
 * SPDX-License-Identifier: MIT
 *
 * Temporary views see a temporary table of the same name first.
 */
#include "report_at.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "judge.h"

enum { NS_DIGITS = 9 };

static const char digits[] = "0123456789";

/* Reads "SECONDS[.FRACTION]" as ns; false: it is none, or too long for 64 bits. */
static bool read_seconds(const char *text, int64_t *ret_ns)
{
	size_t length = strspn(text, digits);
	const char *fraction = text + length;
	int64_t ns = 0;
	int64_t whole;

	errno = 0;
	whole = strtoll(text, NULL, 10);
	if (length == 0 || errno != 0 || whole > INT64_MAX / 1000000000 - 1) {
		return false;
	}

	if (*fraction == '.') {
		fraction++;
		for (int i = 0; i < NS_DIGITS; i++) {
			bool is_digit = *fraction >= '0' && *fraction <= '9';

			ns = ns * 10 + (is_digit ? *fraction++ - '0' : 0);
		}
	}

	*ret_ns = whole * 1000000000 + ns;
	return *fraction == '\0';
}

static bool read_ns(const char *text, int64_t *ret_ns)
{
	errno = 0;
	*ret_ns = strtoll(text, NULL, 10);
	return *text != '\0' && text[strspn(text, digits)] == '\0' && errno == 0;
}

bool report_at_is_time(const char *text)
{
	int64_t ns;

	return *text == '+' ? read_seconds(text + 1, &ns) : read_ns(text, &ns);
}

/* A time on the scale of the database. */
static enum csc_status find_ns(sqlite3 *db, const char *text, int64_t *ret_ns, struct diag *diag)
{
	sqlite3_stmt *first = NULL;
	enum csc_status status;
	int64_t begin_ns;

	if (*text != '+') {
		(void)read_ns(text, ret_ns);
		return CSC_OK;
	}

	status = database_prepare(db,
			sqlite3_mprintf("SELECT min(first_ts_ns) FROM source "
					"HAVING min(first_ts_ns) IS NOT NULL"),
			&first, diag);
	if (status != CSC_OK) {
		return status;
	}

	if (sqlite3_step(first) != SQLITE_ROW) {
		status = DIAG_FAIL(
				diag, "there is no event from which '%s' could be counted", text);
	} else {
		begin_ns = sqlite3_column_int64(first, 0);
		(void)read_seconds(text + 1, ret_ns);
		if (__builtin_add_overflow(*ret_ns, begin_ns, ret_ns)) {
			*ret_ns = INT64_MAX;
		}
	}

	(void)sqlite3_finalize(first);
	return status;
}

enum csc_status report_at_ask(
		sqlite3 *db, const char *view, const char *at, const char *since, struct diag *diag)
{
	int64_t since_ns = 0;
	int64_t at_ns = 0;
	enum csc_status status = judge_is_of_moment(view)
			? CSC_OK
			: DIAG_FAIL(diag, "--at does not apply to '%s'", view);

	if (status == CSC_OK && at) {
		status = find_ns(db, at, &at_ns, diag);
	}

	if (status == CSC_OK && since) {
		status = find_ns(db, since, &since_ns, diag);
	}
	if (status == CSC_OK) {
		status = database_run(db,
				sqlite3_mprintf("CREATE TEMP TABLE question(id, at_ns, since_ns)"),
				diag);
	}
	if (status == CSC_OK) {
		status = database_run(db,
				sqlite3_mprintf("INSERT INTO temp.question VALUES (1, iif(%d, %lld, "
						"NULL), iif(%d, %lld, NULL))",
						at != NULL, at_ns, since != NULL, since_ns),
				diag);
	}

	return status == CSC_OK ? judge_prepare(db, view, diag) : status;
}
