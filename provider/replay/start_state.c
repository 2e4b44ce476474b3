/* SPDX-License-Identifier: MIT */
/* Blocks at the first reading, and bounds of their sizes. */
#include "start_state.h"

#include <stdlib.h>
#include <string.h>

#include "block_rows.h"
#include "recording_internal.h"

/* Header of a block, the smallest block of any strategy and of the largest. */
#define HEADER_BYTES 8
#define LEAST_BYTES 40
#define GREATEST_LEAST_BYTES 64

/* A block may be as large as the smallest there, and by less than that larger than needed. */
#define SLACK_BYTES (GREATEST_LEAST_BYTES - LEAST_BYTES + GREATEST_LEAST_BYTES - 8)

uint64_t start_state_tag_bytes(const struct csc_options *options, enum csc_allocator allocator)
{
	/* Source: SOURCES.md 1.3. */
	uint64_t words = options->generation->tag_words;

	return options->allocators[allocator].settings.atags ? words * options->word_bytes : 0;
}

static enum csc_status append_block(struct start_state *start, const struct start_block *block,
		size_t *room, struct diag *diag)
{
	if (start->count == *room) {
		size_t more = *room ? 2 * *room : 1024;
		struct start_block *grown = realloc(start->blocks, more * sizeof(*grown));

		if (!grown) {
			return DIAG_NO_MEMORY(diag);
		}
		start->blocks = grown;
		*room = more;
	}
	start->blocks[start->count++] = *block;
	return CSC_OK;
}

/* What a row made, as far as a later one that ends it has to know. */
struct maker {
	uint64_t bytes : 48;
	uint64_t instance : 14;
	uint64_t has_size : 1;
	uint64_t is_live : 1;
};
_Static_assert(sizeof(struct maker) == 8, "one for each row");

/* Numbers of allocators; names of no other number are looked up. */
#define NUMBERS 256

/* Sums of one allocator, by the rows after the first reading. */
struct sums {
	/* What is there at the end of what was made: no less than this, and how many. */
	int64_t live_bytes;
	int64_t live;

	/* What ended of what was there: known to the byte, no less than, how many. */
	int64_t exact_bytes;
	int64_t ended_bytes;
	int64_t ended;

	struct start_change change;
};

struct finder {
	const struct recording *recording;
	const struct readings *readings;
	const struct csc_options *options;
	struct start_state *start;
	size_t room;
	struct diag *diag;

	/* By row from the first one on. */
	struct maker *makers;

	/* By number: a bit for each allocator that has it. */
	uint32_t named[NUMBERS];
	struct sums sums[CSC_ALLOCATORS];
};

static struct maker *maker_at(const struct finder *finder, int64_t row)
{
	return &finder->makers[row - finder->recording->facts.first_row];
}

/* NULL: the row ends nothing that was seen. */
static struct maker *ended_by(const struct finder *finder, const struct block_row *row)
{
	return row->ended >= finder->recording->facts.first_row && row->ended < row->id
			? maker_at(finder, row->ended)
			: NULL;
}

static void note_maker(const struct finder *finder, const struct block_row *row, bool is_live)
{
	*maker_at(finder, row->id) = (struct maker){
		.bytes = (uint64_t)row->size & ((UINT64_C(1) << 48) - 1),
		.instance = row->instance & ((1U << 14) - 1),
		.has_size = row->has_size,
		.is_live = is_live,
	};
}

/* Bytes of a block for a request: no less than this. */
static int64_t least_bytes(const struct finder *finder, int allocator, int64_t bytes)
{
	uint64_t tag_bytes = start_state_tag_bytes(finder->options, (enum csc_allocator)allocator);
	int64_t least = (bytes + 15 + (int64_t)tag_bytes) & ~INT64_C(7);

	return least < LEAST_BYTES ? LEAST_BYTES : least;
}

/* Rows before the first reading: blocks that live on. */
static void look_before(struct finder *finder, const struct block_row *row)
{
	struct maker *ended = ended_by(finder, row);

	if (ended) {
		ended->is_live = false;
	}
	note_maker(finder, row, row->op != OP_FREE && row->address != 0);
}

static void add_live(struct finder *finder, const struct block_row *row)
{
	if (maker_at(finder, row->id)->is_live) {
		(void)append_block(finder->start,
				&(struct start_block){
						.row = row->id,
						.bytes = (uint64_t)row->size,
						.type = row->type,
						.scheduler = row->instance,
				},
				&finder->room, finder->diag);
	}
}

/* The first half of a reallocation is found under the row of the second. */
static void add_old(struct finder *finder, const struct block_row *row)
{
	(void)append_block(finder->start,
			&(struct start_block){
					.row = row->id + (row->has_size ? 0 : 1),
					.bytes = (uint64_t)row->size,
					.type = row->type,
					.scheduler = row->instance,
					.is_old = true,
			},
			&finder->room, finder->diag);
}

/*
 * A block that is made and ended between the readings changes nothing; one that is made and stays
 * has a size within bounds; one that ends has a size recorded by its free, or one within bounds, or
 * an unknown one.
 */
static void add(const struct finder *finder, const struct block_row *row, const struct maker *ended,
		int allocator, struct sums *sums)
{
	bool is_end = row->op == OP_FREE && row->address != 0;
	bool has_room = row->size > 0;
	bool is_late = ended && row->ended > finder->readings->first.row;
	int64_t old_bytes = ended && ended->has_size
			? least_bytes(finder, allocator, (int64_t)ended->bytes)
			: 0;

	if (row->op != OP_FREE && row->address != 0) {
		sums->live_bytes += row->has_size ? least_bytes(finder, allocator, row->size) : 0;
		sums->live++;
	}
	if (is_late) {
		sums->live_bytes -= old_bytes;
		sums->live--;
	} else if (is_end && has_room) {
		sums->exact_bytes += row->size + HEADER_BYTES;
	}
	if (ended && !is_late && !(row->op == OP_FREE && has_room)) {
		sums->ended_bytes += old_bytes;
		sums->ended++;
	}
	sums->change.unknown += is_end && !ended && row->size == 0;
	sums->change.foreign += ended && row->instance != ended->instance;
	sums->change.ended += ended != NULL;
}

/* Rows between the readings: blocks of unknown beginning, and changes. */
static void look_between(struct finder *finder, const struct block_row *row)
{
	const struct maker *ended = ended_by(finder, row);
	uint32_t named = row->allocator >= 0 && row->allocator < NUMBERS
			? finder->named[row->allocator]
			: 0;

	if (row->op == OP_FREE && row->address != 0 && !ended) {
		add_old(finder, row);
	}
	for (int i = 0; named >> i != 0; i++) {
		if (named >> i & 1) {
			add(finder, row, ended, i, &finder->sums[i]);
		}
	}
	note_maker(finder, row, false);
}

typedef void row_look(struct finder *finder, const struct block_row *row);

static enum csc_status look_at(struct finder *finder, int64_t first, int64_t last, row_look *look)
{
	struct block_rows *rows = block_rows_open(finder->recording, first, last, finder->diag);
	struct block_row row;

	while (rows && block_rows_next(rows, &row, finder->diag)) {
		look(finder, &row);
	}
	block_rows_close(rows);
	return diag_is_set(finder->diag) ? CSC_ERROR : CSC_OK;
}

static enum csc_status find_names(struct finder *finder)
{
	sqlite3_stmt *rows = recording_ask(finder->recording,
			"SELECT allocator_id, name FROM name_allocator WHERE runtime_id = ?1",
			finder->diag);

	if (!rows) {
		return CSC_ERROR;
	}
	(void)sqlite3_bind_int64(rows, 1, finder->recording->facts.runtime);
	while (recording_step_row(finder->recording, rows, finder->diag)) {
		int64_t number = sqlite3_column_int64(rows, 0);
		const char *name = (const char *)sqlite3_column_text(rows, 1);

		for (int i = 0; name && number >= 0 && number < NUMBERS && i < CSC_ALLOCATORS;
				i++) {
			if (strcmp(csc_allocator_infos[i].name, name) == 0) {
				finder->named[number] |= UINT32_C(1) << i;
			}
		}
	}
	sqlite3_finalize(rows);
	return diag_is_set(finder->diag) ? CSC_ERROR : CSC_OK;
}

/* Bounds of what has changed, by the sums. */
static void settle(struct finder *finder)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		const struct sums *sums = &finder->sums[i];
		struct start_change *change = &finder->start->changes[i];

		*change = sums->change;
		change->bytes_low = sums->live_bytes - sums->exact_bytes - sums->ended_bytes -
				sums->ended * SLACK_BYTES;
		change->bytes_high = sums->live_bytes + sums->live * SLACK_BYTES -
				sums->exact_bytes - sums->ended_bytes;
	}
}

static enum csc_status find(struct finder *finder)
{
	const struct recording_facts *facts = &finder->recording->facts;
	int64_t first = finder->readings->first.row;
	int64_t last = finder->readings->last.row;

	finder->makers = calloc(
			(size_t)(facts->last_row - facts->first_row) + 1, sizeof(*finder->makers));
	if (!finder->makers) {
		return DIAG_NO_MEMORY(finder->diag);
	}
	if (find_names(finder) != CSC_OK ||
			look_at(finder, facts->first_row, first, look_before) != CSC_OK ||
			look_at(finder, facts->first_row, first, add_live) != CSC_OK ||
			look_at(finder, first + 1, last, look_between) != CSC_OK) {
		return CSC_ERROR;
	}
	settle(finder);
	return CSC_OK;
}

enum csc_status start_state_find(const struct recording *recording, const struct readings *readings,
		const struct csc_options *options, struct start_state *ret_start, struct diag *diag)
{
	struct start_state start = { 0 };
	struct finder finder = {
		.recording = recording,
		.readings = readings,
		.options = options,
		.start = &start,
		.diag = diag,
	};
	enum csc_status status = find(&finder);

	free(finder.makers);
	if (status != CSC_OK) {
		start_state_finish(&start);
		return CSC_ERROR;
	}
	*ret_start = start;
	return CSC_OK;
}

void start_state_finish(struct start_state *start)
{
	free(start->blocks);
	*start = (struct start_state){ 0 };
}
