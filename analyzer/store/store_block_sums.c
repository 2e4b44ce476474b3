/*
 * SPDX-License-Identifier: MIT
 *
 * The small tables about blocks, and the lists of live ones.
 */
#include <stdlib.h>
#include <string.h>

#include "insert.h"
#include "store_block_sums.h"
#include "store_db.h"
#include "store_problem.h"

/* Ids in one row of live_block_list. */
enum {
	LIST_PART = 4096,
	ID_DIGITS = 20,

	/* A digit by which ids are sorted. */
	SORT_BITS = 11,
	SORT_DIGITS = 1 << SORT_BITS,
};

static void put_number(struct insert *insert, int32_t number)
{
	insert_integer(insert, number < 0 ? ROW_NULL : number);
}

/* Writes ids as a JSON array. */
static char *print_ids(char *text, const int64_t *ids, size_t count)
{
	char digits[ID_DIGITS];
	char *at = text;

	for (size_t i = 0; i < count; i++) {
		uint64_t id = (uint64_t)ids[i];
		size_t length = 0;

		*at++ = i > 0 ? ',' : '[';
		do {
			digits[length++] = (char)('0' + id % 10);
			id /= 10;
		} while (id > 0);
		while (length > 0) {
			*at++ = digits[--length];
		}
	}

	*at++ = ']';
	*at = '\0';
	return text;
}

static enum csc_status write_list(struct store *store, int64_t at_id, const int64_t *ids,
		size_t count, char *text, struct diag *diag)
{
	enum csc_status status;
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", "live_block_keyframe", "at_id, blocks");
	insert_integer(&insert, at_id);
	insert_integer(&insert, (int64_t)count);
	insert_row(&insert);
	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT", "live_block_list", "at_id, part, ids");
	for (size_t at = 0; at < count; at += LIST_PART) {
		size_t part = count - at < LIST_PART ? count - at : LIST_PART;

		insert_integer(&insert, at_id);
		insert_integer(&insert, (int64_t)(at / LIST_PART));
		insert_text(&insert, print_ids(text, &ids[at], part));
		insert_row(&insert);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

/* Sorts different ids, digit by digit from the lowest; `room` is as large.  Yields where they are.
 */
static int64_t *sort_ids(int64_t *ids, int64_t *room, size_t count)
{
	size_t begin[SORT_DIGITS];
	int64_t all = 0;

	for (size_t i = 0; i < count; i++) {
		all |= ids[i];
	}

	for (unsigned int shift = 0; shift < 63 && all >> shift != 0; shift += SORT_BITS) {
		int64_t *sorted = room;
		size_t before = 0;

		memset(begin, 0, sizeof(begin));
		for (size_t i = 0; i < count; i++) {
			begin[(ids[i] >> shift) % SORT_DIGITS]++;
		}
		for (size_t i = 0; i < SORT_DIGITS; i++) {
			size_t here = begin[i];

			begin[i] = before;
			before += here;
		}
		for (size_t i = 0; i < count; i++) {
			sorted[begin[(ids[i] >> shift) % SORT_DIGITS]++] = ids[i];
		}
		room = ids;
		ids = sorted;
	}

	return ids;
}

enum csc_status store_list_live(struct store *store, int64_t at_id, struct diag *diag)
{
	enum csc_status status;
	char *text;
	int64_t *ids;
	int64_t *room;
	size_t count;

	if (!block_lives_list(&store->block_lives, &ids, &count)) {
		return DIAG_NO_MEMORY(diag);
	}

	text = malloc(LIST_PART * (ID_DIGITS + 1) + 3);
	room = malloc((count + 1) * sizeof(*room));
	/* Who reads the rows of these then reads each page of the file once. */
	status = text && room
			? write_list(store, at_id, sort_ids(ids, room, count), count, text, diag)
			: DIAG_NO_MEMORY(diag);
	free(text);
	free(room);
	free(ids);
	return status;
}

/* What is live at the end, by its makers.  Where threads say who ran on them (block_process), they
 * are not known from here. */
static enum csc_status write_makers(struct store *store, struct diag *diag)
{
	const struct block_account *accounts = store->block_lives.accounts.accounts;
	struct live_maker *makers = NULL;
	size_t count = 0;
	struct insert insert;

	if (store->process_rows > 0) {
		return CSC_OK;
	}
	if (!block_lives_sum_makers(&store->block_lives, &makers, &count)) {
		return DIAG_NO_MEMORY(diag);
	}

	insert_open(&insert, store->db, "INSERT", "live_block_maker",
			"source_id, thread_id, allocator_id, type_id, process, blocks, bytes");
	for (size_t i = 0; i < count; i++) {
		const struct block_account *account = &accounts[makers[i].account];

		insert_integer(&insert, store->bases.source + 1);
		insert_integer(&insert,
				makers[i].thread < 0 ? ROW_NULL
						     : store->bases.thread + makers[i].thread + 1);
		put_number(&insert, account->allocator_id);
		put_number(&insert, account->type_id);
		insert_integer(&insert, makers[i].process);
		insert_sum(&insert, makers[i].live.count);
		insert_sum(&insert, makers[i].live.bytes);
		insert_row(&insert);
	}

	free(makers);
	return insert_close(&insert, diag);
}

/* Blocks that ended without a free that was seen. */
static int64_t lost_frees(const struct store *store)
{
	const struct block_accounts *accounts = &store->block_lives.accounts;
	int64_t count = 0;

	for (size_t i = 0; i < accounts->count; i++) {
		if (accounts->accounts[i].scope == BLOCK_SCOPE_RUNTIME) {
			count += accounts->accounts[i].lost.count;
		}
	}

	return count - store->block_lives.late_reallocs;
}

static enum csc_status note_problems(struct store *store, struct diag *diag)
{
	int64_t lost = lost_frees(store);
	enum csc_status status = CSC_OK;

	if (lost > store->reported_lost_frees) {
		status = store_problem(store, "free_not_seen", SEVERITY_NOTICE,
				lost - store->reported_lost_frees, diag,
				"a block was allocated at the address of a live one, whose free was "
				"not seen: that one is taken as freed then");
		store->reported_lost_frees = lost;
	}
	if (status == CSC_OK && store->block_lives.accounts.has_folded &&
			!store->has_reported_folding) {
		status = store_problem(store, "types_folded", SEVERITY_NOTICE, 1, diag,
				"there are more than %d types of blocks: further ones are summed "
				"without their type",
				BLOCK_TYPES);
		store->has_reported_folding = true;
	}

	return status;
}

enum csc_status store_settle_blocks(struct store *store, bool is_last, struct diag *diag)
{
	int64_t last_id = store->bases.block_event + store->block_ids;
	enum csc_status status;

	if (store->block_ids == 0) {
		return CSC_OK;
	}

	if (!block_accounts_keyframe(
			    &store->block_lives.accounts, last_id, store->block_lives.last_ns)) {
		return DIAG_NO_MEMORY(diag);
	}

	status = note_problems(store, diag);
	if (status == CSC_OK && is_last && store->block_lives.since_list > 0) {
		status = store_list_live(store, last_id, diag);
	}

	return status == CSC_OK && is_last ? write_makers(store, diag) : status;
}

static int64_t account_id(const struct store *store, size_t account)
{
	return store->bases.block_account + (int64_t)account + 1;
}

static void put_tally(struct insert *insert, const struct block_tally *tally)
{
	insert_sum(insert, tally->count);
	insert_sum(insert, tally->bytes);
}

/* A peak of 0 was nowhere. */
static void put_peak(struct insert *insert, const struct block_peak *peak)
{
	insert_sum(insert, peak->value);
	insert_integer(insert, peak->value > 0 ? peak->ts_ns : ROW_NULL);
	insert_integer(insert, peak->value > 0 ? peak->id : ROW_NULL);
}

/* The least value of a power: 0, 1, 2, 4 … */
static int64_t least_of(unsigned int power)
{
	return power == 0 ? 0 : INT64_C(1) << (power - 1);
}

static enum csc_status write_accounts(struct store *store, struct diag *diag)
{
	static const char *const scopes[] = { "type", "allocator", "class", "runtime" };
	const struct block_accounts *accounts = &store->block_lives.accounts;
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", "block_account",
			"id, source_id, runtime_id, scope, allocator_id, type_id, "
			"class_id, made, made_bytes, ended, ended_bytes, resized, "
			"live_blocks, live_bytes, most_blocks, most_blocks_ts_ns, "
			"most_blocks_id, most_bytes, most_bytes_ts_ns, most_bytes_id, "
			"unknown_frees, unknown_bytes, lost_frees, lost_bytes, "
			"temporary, temporary_bytes");
	for (size_t i = 0; i < accounts->count; i++) {
		const struct block_account *account = &accounts->accounts[i];

		insert_integer(&insert, account_id(store, i));
		insert_integer(&insert, store->bases.source + 1);
		insert_integer(&insert, store->bases.runtime + account->runtime + 1);
		insert_text(&insert, scopes[account->scope]);
		put_number(&insert, account->allocator_id);
		put_number(&insert, account->type_id);
		put_number(&insert, account->class_id);
		put_tally(&insert, &account->made);
		put_tally(&insert, &account->ended);
		insert_sum(&insert, account->resized);
		put_tally(&insert, &account->live);
		put_peak(&insert, &account->most_blocks);
		put_peak(&insert, &account->most_bytes);
		put_tally(&insert, &account->unknown);
		put_tally(&insert, &account->lost);
		put_tally(&insert, &account->temporary);
		insert_row(&insert);
	}

	return insert_close(&insert, diag);
}

/* One table of tallies by power of two; `offset`: which of a type's details. */
static enum csc_status write_powers(struct store *store, const char *table, const char *columns,
		size_t offset, struct diag *diag)
{
	const struct block_accounts *accounts = &store->block_lives.accounts;
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", table, columns);
	for (size_t i = 0; i < accounts->count; i++) {
		const char *detail = (const char *)accounts->accounts[i].detail;
		const struct block_tally *tallies =
				(const struct block_tally *)(const void *)(detail + offset);

		for (unsigned int power = 0; detail && power < BLOCK_POWERS; power++) {
			if (tallies[power].count > 0) {
				insert_integer(&insert, account_id(store, i));
				insert_integer(&insert, least_of(power));
				put_tally(&insert, &tallies[power]);
				insert_row(&insert);
			}
		}
	}

	return insert_close(&insert, diag);
}

static enum csc_status write_keyframes(struct store *store, struct diag *diag)
{
	const struct block_accounts *accounts = &store->block_lives.accounts;
	enum csc_status status;
	struct insert insert;
	size_t at = 0;

	insert_open(&insert, store->db, "INSERT", "block_keyframe", "source_id, at_id, ts_ns");
	for (size_t i = 0; i < accounts->keyframe_count; i++) {
		insert_integer(&insert, store->bases.source + 1);
		insert_integer(&insert, accounts->keyframes[i].id);
		insert_integer(&insert, accounts->keyframes[i].ts_ns);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	insert_open_many(&insert, store->db, "block_keyframe_account",
			"at_id, account_id, made, made_bytes, ended, ended_bytes, "
			"live_blocks, live_bytes, most_blocks, most_bytes, "
			"unknown_frees, unknown_bytes");
	for (size_t i = 0; i < accounts->keyframe_count; i++) {
		for (; at < accounts->keyframes[i].account_end; at++) {
			const struct block_account_at *row = &accounts->accounts_at[at];

			insert_integer(&insert, accounts->keyframes[i].id);
			insert_integer(&insert, account_id(store, row->account));
			put_tally(&insert, &row->made);
			put_tally(&insert, &row->ended);
			put_tally(&insert, &row->live);
			insert_sum(&insert, row->most_blocks);
			insert_sum(&insert, row->most_bytes);
			put_tally(&insert, &row->unknown);
			insert_row(&insert);
		}
	}

	if (insert_close(&insert, diag) != CSC_OK) {
		status = CSC_ERROR;
	}

	insert_open_many(&insert, store->db, "block_keyframe_size",
			"at_id, account_id, size_from, live_blocks, live_bytes");
	at = 0;
	for (size_t i = 0; i < accounts->keyframe_count; i++) {
		for (; at < accounts->keyframes[i].size_end; at++) {
			const struct block_size_at *row = &accounts->sizes_at[at];

			insert_integer(&insert, accounts->keyframes[i].id);
			insert_integer(&insert, account_id(store, row->account));
			insert_integer(&insert, least_of(row->power));
			insert_sum(&insert, row->count);
			insert_sum(&insert, row->bytes);
			insert_row(&insert);
		}
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

static enum csc_status write_span(struct store *store, struct diag *diag)
{
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", "block_span",
			"source_id, first_id, last_id, first_ts_ns, last_ts_ns, "
			"late_reallocs");
	if (store->block_ids > 0) {
		insert_integer(&insert, store->bases.source + 1);
		insert_integer(&insert, store->bases.block_event + 1);
		insert_integer(&insert, store->bases.block_event + store->block_ids);
		insert_integer(&insert, store->block_lives.first_ns);
		insert_integer(&insert, store->block_lives.last_ns);
		insert_integer(&insert, store->block_lives.late_reallocs);
		insert_row(&insert);
	}

	return insert_close(&insert, diag);
}

enum csc_status store_write_blocks(struct store *store, struct diag *diag)
{
	enum csc_status status = write_span(store, diag);

	if (status == CSC_OK) {
		status = write_accounts(store, diag);
	}
	if (status == CSC_OK) {
		status = write_powers(store, "block_made_size",
				"account_id, size_from, made, made_bytes",
				offsetof(struct block_detail, made), diag);
	}
	if (status == CSC_OK) {
		status = write_powers(store, "block_life",
				"account_id, life_from_ns, ends, end_bytes",
				offsetof(struct block_detail, lives), diag);
	}

	return status == CSC_OK ? write_keyframes(store, diag) : status;
}
