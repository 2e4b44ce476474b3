/*
 * SPDX-License-Identifier: MIT
 *
 * Evidence comes in the order of runtimes: the places of one are kept until its last row, since the
 * peak of one is bounded by what others had.
 */
#include "interval.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "growing.h"
#include "judge_sql.h"

enum {
	QUANTITIES_MAX = 32,
	PARTS_MAX = 64,
	NAME_BYTES = 64,
};

enum evidence_column {
	EVIDENCE_RUNTIME,
	EVIDENCE_ALLOCATOR,
	EVIDENCE_MOMENT,
	EVIDENCE_QUANTITY,
	EVIDENCE_LOW,
	EVIDENCE_LIKELY,
	EVIDENCE_HIGH,
	EVIDENCE_TIME,
	EVIDENCE_BASIS,
	EVIDENCE_RANK
};
enum rule_column {
	RULE_PASS,
	RULE_NUMBER,
	RULE_QUANTITY,
	RULE_RELATION,
	RULE_PART,
	RULE_TIMES,
	RULE_OVER,
	RULE_IS_NEEDED
};
enum quantity_column { QUANTITY_NAME, QUANTITY_IS_ALWAYS, QUANTITY_WITNESS, QUANTITY_IS_MOST };

/* What is inserted: numbers of parameters. */
enum out_column {
	OUT_RUNTIME = 1,
	OUT_ALLOCATOR,
	OUT_MOMENT,
	OUT_QUANTITY,
	OUT_LOW,
	OUT_LIKELY,
	OUT_HIGH,
	OUT_BASIS,
	OUT_WITNESS
};

enum end { LOW, LIKELY, HIGH, ENDS };

/* Whose time and basis others have as well. */
enum witness { WITNESS_NONE, WITNESS_CARRIERS, WITNESS_BLOCKS, WITNESSES };

/* A kind of evidence and its time; basis "": none. */
struct witnessed {
	char basis[NAME_BYTES];
	int64_t at_ns;
	bool has_time;
};

struct interval {
	int64_t value[ENDS];
	bool is_known[ENDS];
};

/* An allocator (or all) of a runtime at a moment. */
struct place {
	int64_t runtime_id;
	char *allocator;
	char moment[NAME_BYTES];
	struct interval of[QUANTITIES_MAX];

	/* Of the evidence with the best rank that says what is likely. */
	struct witnessed best[QUANTITIES_MAX];
	int64_t rank[QUANTITIES_MAX];
	struct witnessed witness[WITNESSES];
};

struct quantity {
	char name[NAME_BYTES];
	bool is_always;
	bool is_most;
	enum witness witness;
};

/* A part of a rule: those of one stand behind each other. */
struct part {
	int64_t pass;
	int64_t rule;
	int64_t times;
	int64_t over;
	int of;
	int part;
	char relation;
	bool is_needed;
};

struct intervals {
	sqlite3_stmt *insert;
	struct quantity quantities[QUANTITIES_MAX];
	int quantity_count;
	struct part parts[PARTS_MAX];
	int part_count;

	/* Of the runtime that is read. */
	struct place *places;
	size_t count;
	size_t room;
};

static void copy_text(char *to, size_t size, sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	(void)snprintf(to, size, "%s", text ? text : "");
}

/* -1: no evidence speaks of it. */
static int find_quantity(const struct intervals *intervals, sqlite3_stmt *row, int column)
{
	const char *name = (const char *)sqlite3_column_text(row, column);

	for (int i = 0; name && i < intervals->quantity_count; i++) {
		if (strcmp(intervals->quantities[i].name, name) == 0) {
			return i;
		}
	}

	return -1;
}

static enum csc_status read_quantity(
		struct intervals *intervals, sqlite3_stmt *row, struct diag *diag)
{
	struct quantity *quantity = &intervals->quantities[intervals->quantity_count++];

	(void)diag;
	assert(intervals->quantity_count <= QUANTITIES_MAX);
	copy_text(quantity->name, sizeof(quantity->name), row, QUANTITY_NAME);
	quantity->is_always = sqlite3_column_int(row, QUANTITY_IS_ALWAYS);
	quantity->witness = (enum witness)sqlite3_column_int(row, QUANTITY_WITNESS);
	quantity->is_most = sqlite3_column_int(row, QUANTITY_IS_MOST);
	return CSC_OK;
}

static enum csc_status read_part(struct intervals *intervals, sqlite3_stmt *row, struct diag *diag)
{
	struct part *part = &intervals->parts[intervals->part_count++];
	char relation[2];

	(void)diag;
	assert(intervals->part_count <= PARTS_MAX);
	copy_text(relation, sizeof(relation), row, RULE_RELATION);
	*part = (struct part){
		.pass = sqlite3_column_int64(row, RULE_PASS),
		.rule = sqlite3_column_int64(row, RULE_NUMBER),
		.times = sqlite3_column_int64(row, RULE_TIMES),
		.over = sqlite3_column_int64(row, RULE_OVER),
		.of = find_quantity(intervals, row, RULE_QUANTITY),
		.part = find_quantity(intervals, row, RULE_PART),
		.relation = relation[0],
		.is_needed = sqlite3_column_int(row, RULE_IS_NEEDED),
	};
	assert(part->of >= 0 && part->part >= 0 && part->over > 0);
	return CSC_OK;
}

static void set_end(struct interval *interval, enum end end, int64_t value)
{
	interval->value[end] = value;
	interval->is_known[end] = true;
}

/* As much as both say: at least the larger, at most the smaller. */
static void tighten(struct interval *interval, enum end end, int64_t value)
{
	if (!interval->is_known[end] || (end == LOW && value > interval->value[end]) ||
			(end == HIGH && value < interval->value[end])) {
		set_end(interval, end, value);
	}
}

/* Evidence that contradicts itself bounds nothing but from the one side to the other. */
static void order_ends(struct interval *interval)
{
	int64_t low = interval->value[LOW];

	if (interval->is_known[HIGH] && interval->value[HIGH] < low) {
		interval->value[LOW] = interval->value[HIGH];
		interval->value[HIGH] = low;
	}
}

static void add_evidence(struct intervals *intervals, struct place *place, sqlite3_stmt *row)
{
	int quantity = find_quantity(intervals, row, EVIDENCE_QUANTITY);
	int64_t rank = sqlite3_column_int64(row, EVIDENCE_RANK);
	struct interval *interval = &place->of[quantity < 0 ? 0 : quantity];

	if (quantity < 0) {
		return;
	}

	/* NULL is read as 0, below which nothing is. */
	tighten(interval, LOW, sqlite3_column_int64(row, EVIDENCE_LOW));
	if (sqlite3_column_type(row, EVIDENCE_HIGH) != SQLITE_NULL) {
		tighten(interval, HIGH, sqlite3_column_int64(row, EVIDENCE_HIGH));
	}
	if (sqlite3_column_type(row, EVIDENCE_LIKELY) != SQLITE_NULL &&
			(!interval->is_known[LIKELY] || rank < place->rank[quantity])) {
		struct witnessed *best = &place->best[quantity];

		set_end(interval, LIKELY, sqlite3_column_int64(row, EVIDENCE_LIKELY));
		place->rank[quantity] = rank;
		best->at_ns = sqlite3_column_int64(row, EVIDENCE_TIME);
		best->has_time = sqlite3_column_type(row, EVIDENCE_TIME) != SQLITE_NULL;
		copy_text(best->basis, sizeof(best->basis), row, EVIDENCE_BASIS);
	}
}

/* value * times; nothing that large is known. */
static int64_t multiply(int64_t value, int64_t times)
{
	int64_t product;

	return __builtin_mul_overflow(value, times, &product)
			? ((value < 0) == (times < 0) ? INT64_MAX : INT64_MIN)
			: product;
}

static int64_t add(int64_t one, int64_t other)
{
	int64_t sum;

	return __builtin_add_overflow(one, other, &sum) ? (one < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/* What the rule whose parts begin there says of its quantity. */
static struct interval apply_rule(const struct place *place, const struct part *parts, int count)
{
	struct interval sum = { .is_known = { parts->relation != '<', parts->relation == '=',
						parts->relation != '>' } };

	for (int i = 0; i < count; i++) {
		const struct interval *part = &place->of[parts[i].part];

		for (int end = LOW; end < ENDS; end++) {
			/* The more of what is taken away, the less. */
			int from = parts[i].times < 0 ? HIGH - end : end;

			if (part->is_known[from]) {
				sum.value[end] = add(sum.value[end],
						multiply(part->value[from], parts[i].times));
			} else if (end != LIKELY || parts[i].is_needed) {
				sum.is_known[end] = false;
			}
		}
	}

	for (int end = LOW; end < ENDS; end++) {
		sum.value[end] /= parts->over;
		if (sum.value[end] < 0) {
			sum.value[end] = 0;
		}
	}

	return sum;
}

/* All rules of a pass are of what was known before it. */
static void apply_rules(const struct intervals *intervals, int pass, struct place *place)
{
	struct interval derived[QUANTITIES_MAX] = { 0 };

	for (int i = 0, next = 0; i < intervals->part_count; i = next) {
		const struct part *parts = &intervals->parts[i];
		struct interval said;

		for (next = i; next < intervals->part_count &&
				intervals->parts[next].rule == parts->rule;
				next++) {
		}
		if (parts->pass != pass) {
			continue;
		}
		said = apply_rule(place, parts, next - i);
		for (int end = LOW; end < ENDS; end++) {
			if (said.is_known[end]) {
				tighten(&derived[parts->of], (enum end)end, said.value[end]);
			}
		}
	}

	for (int i = 0; i < intervals->quantity_count; i++) {
		struct interval *interval = &place->of[i];

		for (int end = LOW; end < ENDS; end++) {
			bool keeps = end == LIKELY || (end == HIGH && pass > 1);

			if (derived[i].is_known[end] && !(keeps && interval->is_known[end])) {
				tighten(interval, (enum end)end, derived[i].value[end]);
			}
		}
	}
}

/* Where evidence ends: what is always there, which evidence is whose, and the first pass. */
static void finish_place(const struct intervals *intervals, struct place *place)
{
	for (int i = 0; i < intervals->quantity_count; i++) {
		const struct quantity *quantity = &intervals->quantities[i];
		const struct witnessed *best = &place->best[i];
		struct witnessed *witness = &place->witness[quantity->witness];

		order_ends(&place->of[i]);
		if (quantity->is_always && !place->of[i].is_known[LOW]) {
			set_end(&place->of[i], LOW, 0);
		}
		if (strcmp(best->basis, witness->basis) > 0) {
			memcpy(witness->basis, best->basis, sizeof(best->basis));
		}
		if (best->has_time && (!witness->has_time || best->at_ns > witness->at_ns)) {
			witness->has_time = true;
			witness->at_ns = best->at_ns;
		}
	}

	apply_rules(intervals, 1, place);
}

/*
 * While it was recorded an allocator had most at its peak, so no less then than at another moment;
 * all of them had no less at theirs than one of them ever had.
 */
static void raise_peak(const struct intervals *intervals, int quantity, struct place *place)
{
	struct interval *peak = &place->of[quantity];
	bool is_of_all = strcmp(place->allocator, "all") == 0;
	int64_t most = peak->value[LOW];

	for (size_t i = 0; i < intervals->count; i++) {
		const struct place *other = &intervals->places[i];

		if ((is_of_all || strcmp(other->allocator, place->allocator) == 0) &&
				other->of[quantity].value[LOW] > most) {
			most = other->of[quantity].value[LOW];
		}
	}

	if (peak->is_known[HIGH] && peak->value[HIGH] < most) {
		most = peak->value[HIGH];
	}
	tighten(peak, LOW, most);
}

static void bind_witnessed(sqlite3_stmt *insert, int column, const struct witnessed *witnessed)
{
	if (witnessed->has_time) {
		(void)sqlite3_bind_int64(insert, column, witnessed->at_ns);
	}
	if (witnessed->basis[0]) {
		(void)sqlite3_bind_text(insert, column + 1, witnessed->basis, -1, SQLITE_STATIC);
	}
}

static enum csc_status write_interval(struct intervals *intervals, const struct place *place,
		int quantity, struct diag *diag)
{
	sqlite3_stmt *insert = intervals->insert;
	struct interval interval = place->of[quantity];
	int result;

	order_ends(&interval);
	(void)sqlite3_clear_bindings(insert);
	(void)sqlite3_bind_int64(insert, OUT_RUNTIME, place->runtime_id);
	(void)sqlite3_bind_text(insert, OUT_ALLOCATOR, place->allocator, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(insert, OUT_MOMENT, place->moment, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(insert, OUT_QUANTITY, intervals->quantities[quantity].name, -1,
			SQLITE_STATIC);
	for (int end = LOW; end < ENDS; end++) {
		if (interval.is_known[end]) {
			(void)sqlite3_bind_int64(insert, OUT_LOW + end, interval.value[end]);
		}
	}
	if (place->best[quantity].basis[0]) {
		(void)sqlite3_bind_text(
				insert, OUT_BASIS, place->best[quantity].basis, -1, SQLITE_STATIC);
	}
	bind_witnessed(insert, OUT_WITNESS, &place->witness[WITNESS_CARRIERS]);
	bind_witnessed(insert, OUT_WITNESS + 2, &place->witness[WITNESS_BLOCKS]);
	result = sqlite3_step(insert);
	(void)sqlite3_reset(insert);
	return judge_sql_check(sqlite3_db_handle(insert), result, diag);
}

static void forget_places(struct intervals *intervals)
{
	for (size_t i = 0; i < intervals->count; i++) {
		sqlite3_free(intervals->places[i].allocator);
	}

	intervals->count = 0;
}

/* Writes the places of a runtime. */
static enum csc_status finish_runtime(struct intervals *intervals, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < intervals->count; i++) {
		finish_place(intervals, &intervals->places[i]);
	}
	for (size_t i = 0; i < intervals->count; i++) {
		bool is_peak = strcmp(intervals->places[i].moment, "peak") == 0;

		for (int j = 0; is_peak && j < intervals->quantity_count; j++) {
			if (intervals->quantities[j].is_most) {
				raise_peak(intervals, j, &intervals->places[i]);
			}
		}
	}
	for (size_t i = 0; i < intervals->count; i++) {
		struct place *place = &intervals->places[i];

		apply_rules(intervals, 2, place);
		for (int j = 0; status == CSC_OK && j < intervals->quantity_count; j++) {
			if (place->of[j].is_known[LOW]) {
				status = write_interval(intervals, place, j, diag);
			}
		}
	}

	forget_places(intervals);
	return status;
}

/* A place behind those of its runtime; NULL: out of memory. */
static struct place *begin_place(struct intervals *intervals, int64_t runtime_id,
		const char *allocator, const char *moment)
{
	struct place *place;

	if (!csc_grow(&intervals->places, &intervals->room, intervals->count + 1,
			    sizeof(*intervals->places))) {
		return NULL;
	}

	assert(intervals->places);
	place = &intervals->places[intervals->count];
	*place = (struct place){ .runtime_id = runtime_id,
		.allocator = sqlite3_mprintf("%s", allocator) };
	(void)snprintf(place->moment, sizeof(place->moment), "%s", moment);
	intervals->count += place->allocator ? 1 : 0;
	return place->allocator ? place : NULL;
}

/* Adds evidence to its place, which begins where it is of another than that before. */
static enum csc_status read_evidence(
		struct intervals *intervals, sqlite3_stmt *row, struct diag *diag)
{
	int64_t runtime_id = sqlite3_column_int64(row, EVIDENCE_RUNTIME);
	const char *allocator = (const char *)sqlite3_column_text(row, EVIDENCE_ALLOCATOR);
	const char *moment = (const char *)sqlite3_column_text(row, EVIDENCE_MOMENT);
	struct place *place = NULL;
	enum csc_status status = CSC_OK;

	if (!allocator || !moment) {
		return DIAG_NO_MEMORY(diag);
	}

	if (intervals->count > 0 && intervals->places[0].runtime_id != runtime_id) {
		status = finish_runtime(intervals, diag);
	}
	if (intervals->count > 0) {
		place = &intervals->places[intervals->count - 1];
	}
	if (!place || strcmp(place->allocator, allocator) != 0 ||
			strcmp(place->moment, moment) != 0) {
		place = begin_place(intervals, runtime_id, allocator, moment);
	}
	if (!place) {
		return DIAG_NO_MEMORY(diag);
	}

	add_evidence(intervals, place, row);
	return status;
}

/* Reads each row that a query yields. */
static enum csc_status read_rows(struct intervals *intervals, sqlite3 *db, const char *sql,
		enum csc_status (*read)(struct intervals *, sqlite3_stmt *, struct diag *),
		struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = judge_sql_prepare(db, sqlite3_mprintf("%s", sql), &rows, diag);

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		status = read(intervals, rows, diag);
	}

	if (status == CSC_OK) {
		status = judge_sql_check(db, result, diag);
	}
	(void)sqlite3_finalize(rows);
	return status;
}

enum csc_status interval_make(sqlite3 *db, struct diag *diag)
{
	struct intervals *intervals = calloc(1, sizeof(*intervals));
	enum csc_status status;

	if (!intervals) {
		return DIAG_NO_MEMORY(diag);
	}

	status = judge_sql_run(db,
			sqlite3_mprintf("CREATE TEMP TABLE _interval (runtime_id INT, allocator TEXT, moment TEXT, quantity TEXT, "
					"low INT, likely INT, high INT, basis TEXT, carriers_ns INT, carriers_basis TEXT, bytes_ns INT, bytes_basis TEXT)"),
			diag);
	if (status == CSC_OK) {
		status = judge_sql_prepare(db,
				sqlite3_mprintf("INSERT INTO temp._interval VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
				&intervals->insert, diag);
	}
	if (status == CSC_OK) {
		status = read_rows(intervals, db,
				"SELECT name, is_always, witness, is_most FROM _bounded_quantity",
				read_quantity, diag);
	}
	if (status == CSC_OK) {
		status = read_rows(intervals, db,
				"SELECT pass, rule, quantity, relation, part, times, over, is_needed FROM _interval_rule ORDER BY rule",
				read_part, diag);
	}
	if (status == CSC_OK) {
		status = read_rows(intervals, db,
				"SELECT runtime_id, allocator, moment, quantity, low, likely, high, at_ns, basis, rank "
				"FROM _bound ORDER BY runtime_id, allocator, moment, rowid",
				read_evidence, diag);
	}
	if (status == CSC_OK) {
		status = finish_runtime(intervals, diag);
	}

	forget_places(intervals);
	(void)sqlite3_finalize(intervals->insert);
	free(intervals->places);
	free(intervals);
	return status;
}
