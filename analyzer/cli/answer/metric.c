/*
 * SPDX-License-Identifier: MIT
 *
 * Metrics and what may be demanded of them.
 */
#include "metric.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "growing.h"
#include "judge.h"
#include "scaled_bytes.h"

static char *copy_text(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return strdup(text ? text : "");
}

static double number_or(sqlite3_stmt *row, int column, double otherwise)
{
	int type = sqlite3_column_type(row, column);

	return type == SQLITE_INTEGER || type == SQLITE_FLOAT ? sqlite3_column_double(row, column)
							      : otherwise;
}

/* Whether view `metric` has the ends between which each value lies. */
static enum csc_status find_interval(sqlite3 *db, bool *ret_has_interval, struct diag *diag)
{
	sqlite3_stmt *row = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT count(*) = 2 FROM pragma_table_info('metric') "
					"WHERE name IN ('low', 'high')"),
			&row, diag);

	if (status == CSC_OK && (result = sqlite3_step(row)) == SQLITE_ROW) {
		*ret_has_interval = sqlite3_column_int(row, 0);
		result = SQLITE_DONE;
	}

	if (status == CSC_OK) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(row);
	return status;
}

static enum csc_status take_row(struct metrics *metrics, sqlite3_stmt *row, struct diag *diag)
{
	struct metric *metric;

	if (!csc_grow_by_one(&metrics->list, metrics->count, sizeof(*metrics->list))) {
		return DIAG_NO_MEMORY(diag);
	}

	metric = &metrics->list[metrics->count];
	*metric = (struct metric){
		.place = sqlite3_column_int64(row, 0),
		.allocator = copy_text(row, 1),
		.name = copy_text(row, 2),
		.value = number_or(row, 3, (double)NAN),
		.low = number_or(row, 6, (double)-INFINITY),
		.high = number_or(row, 7, (double)INFINITY),
		.unit = copy_text(row, 4),
		.higher_is_better = sqlite3_column_int(row, 5),
	};
	metrics->count++;
	return metric->allocator && metric->name && metric->unit ? CSC_OK : DIAG_NO_MEMORY(diag);
}

enum csc_status metrics_read(const char *path, struct metrics *ret_metrics, struct diag *diag)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	bool has_interval = false;
	enum csc_status status;

	*ret_metrics = (struct metrics){ 0 };
	status = database_open(path, &db, diag);
	if (status == CSC_OK) {
		database_warn(db, path);
		status = judge_prepare(db, "metric", diag);
	}
	if (status == CSC_OK) {
		status = find_interval(db, &has_interval, diag);
	}

	if (status == CSC_OK) {
		status = database_prepare(db,
				sqlite3_mprintf("SELECT place, ifnull(allocator, '') AS allocator, metric, "
						"value, unit, better = 'more', %s FROM metric "
						"ORDER BY place, allocator, metric",
						has_interval ? "low, high" : "value, value"),
				&rows, diag);
	}

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		status = take_row(ret_metrics, rows, diag);
	}

	if (status == CSC_OK) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(rows);
	(void)sqlite3_close(db);
	return status;
}

void metrics_finish(struct metrics *metrics)
{
	for (size_t i = 0; i < metrics->count; i++) {
		free(metrics->list[i].name);
		free(metrics->list[i].allocator);
		free(metrics->list[i].unit);
	}

	free(metrics->list);
	*metrics = (struct metrics){ 0 };
}

char *metric_title(const struct metric *metric)
{
	char *text = NULL;
	int written = *metric->allocator
			? asprintf(&text, "%s(%s)", metric->name, metric->allocator)
			: asprintf(&text, "%s", metric->name);

	return written < 0 ? NULL : text;
}

char *metric_value(const char *unit, double value)
{
	char *text;

	if (strcmp(unit, "bytes") == 0) {
		return scaled_bytes(value);
	}

	return asprintf(&text, strcmp(unit, "ratio") == 0 ? "%.4f" : "%.0f", value) < 0 ? NULL
											: text;
}

/* A name of letters, digits and _, at most `bytes` - 1 long; NULL: there is none. */
static const char *read_name(const char *text, char *ret_name, size_t bytes)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_') {
		length++;
	}

	if (length == 0 || length >= bytes) {
		return NULL;
	}

	memcpy(ret_name, text, length);
	ret_name[length] = '\0';
	return text + length;
}

static const char *skip_spaces(const char *text)
{
	while (isspace((unsigned char)*text)) {
		text++;
	}

	return text;
}

/* K, M, G and T with or without B or iB are powers of 1024; % is a hundredth.  0: no unit. */
static double read_unit(const char *text)
{
	static const char powers[] = "KMGT";
	const char *power = *text ? strchr(powers, toupper((unsigned char)*text)) : NULL;

	if (*text == '\0' || strcmp(text, "B") == 0) {
		return 1;
	}

	if (strcmp(text, "%") == 0) {
		return 0.01;
	}

	if (!power ||
			(strcmp(text + 1, "") != 0 && strcmp(text + 1, "B") != 0 &&
					strcmp(text + 1, "iB") != 0)) {
		return 0;
	}

	return pow(1024, (double)(power - powers) + 1);
}

static const char *read_operator(const char *text, enum budget_operator *ret_operator)
{
	bool has_equal = *text && text[1] == '=';

	switch (*text) {
	case '<':
		*ret_operator = has_equal ? BUDGET_AT_MOST : BUDGET_LESS;
		break;
	case '>':
		*ret_operator = has_equal ? BUDGET_AT_LEAST : BUDGET_MORE;
		break;
	case '=':
		*ret_operator = BUDGET_EQUAL;
		break;
	default:
		return NULL;
	}

	return text + 1 + has_equal;
}

bool budget_read(const char *text, struct budget *ret_budget)
{
	struct budget budget = { .text = text };
	const char *at = read_name(skip_spaces(text), budget.name, sizeof(budget.name));
	char unit[8] = "";
	double factor;
	char *end;

	at = at ? skip_spaces(at) : NULL;
	if (at && *at == '(') {
		at = read_name(skip_spaces(at + 1), budget.allocator, sizeof(budget.allocator));
		at = at ? skip_spaces(at) : NULL;
		at = at && *at == ')' ? skip_spaces(at + 1) : NULL;
	}

	at = at ? read_operator(at, &budget.operator) : NULL;
	at = at ? skip_spaces(at) : NULL;
	if (!at || (!isdigit((unsigned char)*at) && *at != '.')) {
		return false;
	}

	budget.limit = strtod(at, &end);
	at = skip_spaces(end);
	for (size_t i = 0; i + 1 < sizeof(unit) && *at && !isspace((unsigned char)*at); i++) {
		unit[i] = *at++;
	}

	factor = read_unit(unit);
	budget.limit *= factor;
	if (factor == 0 || *skip_spaces(at) != '\0' || !isfinite(budget.limit)) {
		return false;
	}

	*ret_budget = budget;
	return true;
}

/* Whether one value keeps to the budget; infinite ones stand for an end that is not known. */
static bool is_kept(const struct budget *budget, double value)
{
	switch (budget->operator) {
	case BUDGET_LESS:
		return value < budget->limit;
	case BUDGET_AT_MOST:
		return value <= budget->limit;
	case BUDGET_MORE:
		return value > budget->limit;
	case BUDGET_AT_LEAST:
		return value >= budget->limit;
	case BUDGET_EQUAL:
		break;
	}

	return value == budget->limit;
}

enum budget_outcome budget_judge(const struct budget *budget, double low, double high)
{
	bool is_low_kept = is_kept(budget, low);
	bool is_high_kept = is_kept(budget, high);

	if (isinf(low) && isinf(high)) {
		return BUDGET_UNDECIDED;
	}

	if (budget->operator== BUDGET_EQUAL) {
		return is_low_kept && is_high_kept			      ? BUDGET_KEPT
				: low > budget->limit || high < budget->limit ? BUDGET_OVER
									      : BUDGET_UNDECIDED;
	}

	/* All others hold for all values between two for which they hold, and so does the contrary.
	 */
	return is_low_kept && is_high_kept		? BUDGET_KEPT
			: !is_low_kept && !is_high_kept ? BUDGET_OVER
							: BUDGET_UNDECIDED;
}
