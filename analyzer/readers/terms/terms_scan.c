/*
 * SPDX-License-Identifier: MIT
 *
 * instrument:carriers() and instrument:allocations().  The rule of their histograms
 * differs by release; the bounds that are stored are those of the release, or the
 * outermost ones when it is not known.
 */
#include "terms_scan.h"

#include "terms_snapshot.h"

/*
 * Releases: up to the first the old rule, from the second on the new one.  27.3.4 and 29.1.2 put
 * 500 binaries of known sizes into the buckets of the new rule.  What is free in the carriers of
 * nodes of 23, 25, 27 and 29 lies between the sums of these bounds.
 */
enum { LAST_OLD_RULE = 25, FIRST_NEW_RULE = 27 };

enum scan_kind { SCAN_FREE, SCAN_BLOCKS };

/* (2^k - 1) * start, or 2^k * start; INT64_MAX when it is more. */
static int64_t bound(unsigned int k, bool is_less_one, int64_t start)
{
	int64_t factor = (INT64_C(1) << k) - is_less_one;
	int64_t result;

	return __builtin_mul_overflow(factor, start, &result) ? INT64_MAX : result;
}

/* Bucket k covers [old(k), old(k + 1)): OTP 21 to 25. */
static int64_t old_bound(unsigned int k, int64_t start)
{
	return bound(k, true, start);
}

/* Bucket k covers [new(k), new(k + 1)): 0, start, 2 start, 4 start, … */
static int64_t new_bound(unsigned int k, int64_t start)
{
	return k == 0 ? 0 : bound(k - 1, false, start);
}

/* From is 0 and to is 0 for a bucket that is never used. */
static void find_bounds(const struct terms_reader *reader, enum scan_kind kind, unsigned int k,
		int64_t start, int64_t *ret_from, int64_t *ret_to)
{
	/* Free blocks are cut twice as coarsely, and by the new rule one bucket further. */
	unsigned int shift = kind == SCAN_FREE;
	bool is_old = reader->release > 0 && reader->release <= LAST_OLD_RULE;
	bool is_new = reader->release >= FIRST_NEW_RULE;
	int64_t new_from;
	int64_t new_to;

	if (kind == SCAN_FREE && __builtin_mul_overflow(start, 2, &start)) {
		start = INT64_MAX;
	}

	new_from = k >= shift ? new_bound(k - shift, start) : 0;
	new_to = k >= shift ? new_bound(k + 1 - shift, start) : 0;
	*ret_from = is_new ? new_from : old_bound(k, start);
	*ret_to = is_new ? new_to : old_bound(k + 1, start);
	if (!is_old && !is_new) {
		*ret_from = new_from < *ret_from ? new_from : *ret_from;
		*ret_to = new_to > *ret_to ? new_to : *ret_to;
	}
}

static const char *rule_of(const struct terms_reader *reader)
{
	return reader->release == 0			    ? "unknown"
			: reader->release <= LAST_OLD_RULE  ? "otp21"
			: reader->release >= FIRST_NEW_RULE ? "otp28"
							    : "unknown";
}

/* Writes the histogram that closed last. */
static void put_buckets(struct terms_reader *reader, enum scan_kind kind, int64_t carrier,
		struct text origin, struct text type, int64_t start)
{
	struct insert *rows = store_rows(reader->store, "histogram_bucket",
			"snapshot_id, kind, carrier_scan_id, origin, type, bucket, "
			"from_bytes, to_bytes, blocks, rule");

	for (size_t i = 0; i < reader->bucket_count; i++) {
		bool is_last = i + 1 == reader->bucket_count;
		int64_t from;
		int64_t to;

		/* Of a carrier most are empty, and there are thousands of carriers. */
		if (kind == SCAN_FREE && reader->buckets[i] == 0) {
			continue;
		}

		find_bounds(reader, kind, (unsigned int)i, start, &from, &to);
		insert_integer(rows, reader->scan);
		insert_text(rows, kind == SCAN_FREE ? "free" : "blocks");
		insert_integer(rows, carrier);
		text_insert(rows, origin);
		text_insert(rows, type);
		insert_integer(rows, (int64_t)i);
		insert_integer(rows, from);
		insert_integer(rows, is_last || to == INT64_MAX ? ROW_NULL : to);
		insert_integer(rows, reader->buckets[i]);
		insert_text(rows, rule_of(reader));
		insert_row(rows);
	}

	reader->histograms++;
}

static void need_scan(struct terms_reader *reader, const char *kind)
{
	if (reader->scan == 0) {
		reader->scan = snapshot_add(reader->store, kind, ROW_NULL, reader->term_line);
	}
}

/* The start of the histograms: first of the tuple around, {512, […]}. */
static int64_t find_start(const struct terms *terms)
{
	for (size_t i = terms->depth - 1; i-- > 0;) {
		const struct term_frame *frame = &terms->frames[i];

		if (frame->kind == TERM_TUPLE && frame->count > 0 &&
				frame->items[0].kind == TERM_INTEGER &&
				frame->items[0].number > 0) {
			return frame->items[0].number;
		}
	}

	return 0;
}

/* A tuple of numbers only. */
static bool take_buckets(struct terms_reader *reader, const struct term_frame *tuple)
{
	if (tuple->count > TERMS_BUCKETS) {
		return false;
	}

	for (size_t i = 0; i < tuple->count; i++) {
		if (tuple->items[i].kind != TERM_INTEGER) {
			return false;
		}
	}

	for (size_t i = 0; i < tuple->count; i++) {
		reader->buckets[i] = tuple->items[i].number;
	}

	reader->bucket_count = tuple->count;
	return true;
}

/* What a carrier's tuple has, whichever form it has. */
struct carrier {
	bool is_pooled;
	int64_t bytes;
	int64_t unscanned_bytes;
};

static bool is_boolean(const struct term_item *item)
{
	return term_is_atom(item, "true") || term_is_atom(item, "false");
}

/*
 * {Type, InPool, Total, Unscanned, Allocations, Free} since OTP 23,
 * {Type, Total, Unscanned, Size, Count, InPool, Free} in 21 and 22.
 */
static bool read_carrier(struct terms_reader *reader, const struct term_frame *tuple,
		struct carrier *ret_carrier)
{
	const struct term_item *items = tuple->items;

	if ((tuple->count != 6 && tuple->count != 7) || items[0].kind != TERM_ATOM) {
		return false;
	}

	if (tuple->count == 6 && is_boolean(&items[1]) && items[2].kind == TERM_INTEGER &&
			items[3].kind == TERM_INTEGER) {
		*ret_carrier = (struct carrier){ term_is_atom(&items[1], "true"), items[2].number,
			items[3].number };
		return true;
	}

	if (tuple->count == 7 && is_boolean(&items[5]) && items[1].kind == TERM_INTEGER &&
			items[2].kind == TERM_INTEGER && items[3].kind == TERM_INTEGER &&
			items[4].kind == TERM_INTEGER) {
		*ret_carrier = (struct carrier){ term_is_atom(&items[5], "true"), items[1].number,
			items[2].number };
		reader->block_count = 1;
		terms_name_set(&reader->blocks[0].allocator, term_text(&items[0]));
		reader->blocks[0].blocks = items[4].number;
		reader->blocks[0].bytes = items[3].number;
		return true;
	}

	return false;
}

static void put_carrier(struct terms_reader *reader, const struct term_frame *tuple,
		const struct carrier *carrier, int64_t start)
{
	struct insert *rows = store_rows(reader->store, "carrier_scan",
			"id, snapshot_id, allocator, in_pool, size, unscanned_bytes");
	int64_t id;

	need_scan(reader, "carriers");
	id = insert_new_id(rows);
	insert_integer(rows, id);
	insert_integer(rows, reader->scan);
	text_insert(rows, term_text(&tuple->items[0]));
	insert_integer(rows, carrier->is_pooled);
	insert_integer(rows, carrier->bytes);
	insert_integer(rows, carrier->unscanned_bytes);
	insert_row(rows);
	rows = store_rows(reader->store, "carrier_scan_blocks",
			"carrier_scan_id, allocator, blocks, blocks_bytes");
	for (size_t i = 0; i < reader->block_count; i++) {
		insert_integer(rows, id);
		text_insert(rows, terms_name_text(&reader->blocks[i].allocator));
		insert_integer(rows, reader->blocks[i].blocks);
		insert_integer(rows, reader->blocks[i].bytes);
		insert_row(rows);
	}

	put_buckets(reader, SCAN_FREE, id, (struct text){ NULL, 0 }, (struct text){ NULL, 0 },
			start);
	reader->carriers++;
}

/* {binary_alloc, 12, 3456} in a carrier's list. */
static void take_carrier_blocks(struct terms_reader *reader, const struct term_frame *tuple)
{
	const struct term_item *items = tuple->items;
	struct carrier_blocks *blocks;

	if (tuple->count != 3 || items[0].kind != TERM_ATOM || items[1].kind != TERM_INTEGER ||
			items[2].kind != TERM_INTEGER ||
			reader->block_count == TERMS_CARRIER_ALLOCATORS) {
		return;
	}

	blocks = &reader->blocks[reader->block_count++];
	terms_name_set(&blocks->allocator, term_text(&items[0]));
	blocks->blocks = items[1].number;
	blocks->bytes = items[2].number;
}

/* Notes what no scan can find, and leaves it out: sums of it would be of no use, or too large. */
static void note_impossible_scan(struct terms_reader *reader, const char *what)
{
	terms_note(reader,
			store_problem(reader->store, "figure_impossible", SEVERITY_DATA_LOSS, 1,
					reader->diag,
					"'%s': %s that ends at offset %llu, line %llu, has a negative figure, one of "
					"2^47 or more, or more holes than it has room for; it was left out",
					reader_input_path(reader->input), what,
					(unsigned long long)reader_input_offset(reader->input),
					(unsigned long long)reader_input_line_number(
							reader->input)));
}

static bool is_scannable(int64_t number)
{
	return number >= 0 && number < INT64_C(1) << 47;
}

static bool is_possible_carrier(
		const struct terms_reader *reader, const struct carrier *carrier, int64_t start)
{
	bool is_possible = is_scannable(carrier->bytes) && is_scannable(carrier->unscanned_bytes);

	for (size_t i = 0; i < reader->block_count; i++) {
		is_possible = is_possible && is_scannable(reader->blocks[i].blocks) &&
				is_scannable(reader->blocks[i].bytes);
	}
	for (size_t i = 0; i < reader->bucket_count; i++) {
		int64_t from;
		int64_t to;

		if (reader->buckets[i] != 0) {
			find_bounds(reader, SCAN_FREE, (unsigned int)i, start, &from, &to);
			is_possible = is_possible && reader->buckets[i] > 0 &&
					reader->buckets[i] <=
							carrier->bytes / (from > 0 ? from : 1);
		}
	}
	return is_possible;
}

static bool are_possible_buckets(const struct terms_reader *reader)
{
	for (size_t i = 0; i < reader->bucket_count; i++) {
		if (!is_scannable(reader->buckets[i])) {
			return false;
		}
	}
	return true;
}

/* The histogram that closes is a value of #{Origin => #{Type => Histogram}}. */
static bool take_allocations(struct terms_reader *reader, int64_t start)
{
	const struct terms *terms = &reader->terms;
	const struct term_frame *types;
	const struct term_frame *origins;

	if (terms->depth < 4) {
		return false;
	}

	types = &terms->frames[terms->depth - 2];
	origins = &terms->frames[terms->depth - 3];
	if (types->kind != TERM_MAP || origins->kind != TERM_MAP || types->count % 2 == 0 ||
			origins->count % 2 == 0) {
		return false;
	}

	if (reader->scan == 0) {
		const struct term_frame *around = &terms->frames[terms->depth - 4];
		bool has_rest = around->kind == TERM_TUPLE && around->count == 2 &&
				around->items[1].kind == TERM_INTEGER;
		struct insert *rows;

		need_scan(reader, "allocations");
		rows = store_rows(reader->store, "block_scan", "snapshot_id, unscanned_bytes");
		insert_integer(rows, reader->scan);
		insert_integer(rows, has_rest ? around->items[1].number : ROW_NULL);
		insert_row(rows);
	}

	if (are_possible_buckets(reader)) {
		put_buckets(reader, SCAN_BLOCKS, ROW_NULL, term_text(&origins->items[0]),
				term_text(&types->items[0]), start);
	} else {
		note_impossible_scan(reader, "a histogram");
	}
	return true;
}

void terms_scan_close(struct terms_reader *reader, const struct term_frame *closed)
{
	int64_t start = find_start(&reader->terms);
	struct carrier carrier;

	if (closed->kind != TERM_TUPLE || closed->count == 0 || start == 0) {
		return;
	}

	if (take_buckets(reader, closed)) {
		if (take_allocations(reader, start)) {
			reader->bucket_count = 0;
		}
		return;
	}

	if (read_carrier(reader, closed, &carrier)) {
		if (is_possible_carrier(reader, &carrier, start)) {
			put_carrier(reader, closed, &carrier, start);
		} else {
			note_impossible_scan(reader, "a carrier");
		}
		reader->bucket_count = 0;
		reader->block_count = 0;
		return;
	}

	take_carrier_blocks(reader, closed);
}
