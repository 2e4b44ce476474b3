/* SPDX-License-Identifier: MIT */
/* Blocks and carriers of one instance after another. */
#include "prefill.h"

#include <stdlib.h>
#include <string.h>

#include "api.h"

/* Carriers that are made in vain while one of the wanted size is waited for. */
#define SPARES 32

/* An instance that has made a carrier abandons none before it has freed so many blocks. */
#define FREES_BEFORE_POOL 128

/* More than a carrier's header takes. */
#define CARRIER_BYTES 1024

/* Instead of the instance of a block: it is there. */
#define MADE UINT16_MAX

/* What is left of an instance to be filled. */
struct share {
	int64_t blocks;
	int64_t bytes;
	int64_t single_blocks;
	int64_t single_bytes;
};

struct prefiller {
	struct player *player;
	const struct start_state *start;
	const struct reading *reading;
	const struct csc_options *options;
	const struct csc_api *api;
	struct diag *diag;

	/* By block of the start state: the instance it is made in. */
	uint16_t *instance;
	enum csc_allocator allocator;
	struct csc_instance *at;
	struct reading_figures figures[READING_INSTANCES];
	struct share shares[READING_INSTANCES];
	uint32_t instances;

	/* Blocks of one instance that fill its carriers while they are made. */
	struct filling {
		uint64_t block;

		/* Its carrier is to be abandoned: it goes when the others are gone. */
		bool is_late;
	} * fillers;
	size_t filler_count;
	size_t filler_room;
};

static uint64_t header_bytes(const struct prefiller *filler)
{
	return filler->options->word_bytes;
}

static uint64_t tag_bytes(const struct prefiller *filler)
{
	return start_state_tag_bytes(filler->options, filler->allocator);
}

/* What to ask for so that as large a block comes. */
static uint64_t asked_bytes(const struct prefiller *filler, const struct start_block *block)
{
	uint64_t tag = tag_bytes(filler);

	if (!block->is_old) {
		return block->bytes;
	}
	return block->bytes > tag ? block->bytes - tag : 1;
}

static int64_t size_of(const struct prefiller *filler, const struct start_block *block)
{
	uint64_t bytes = asked_bytes(filler, block) + tag_bytes(filler) + header_bytes(filler);

	return (int64_t)((bytes + 7) & ~UINT64_C(7));
}

static bool is_single(const struct prefiller *filler, const struct start_block *block)
{
	return asked_bytes(filler, block) >=
			filler->options->allocators[filler->allocator].settings.sbct;
}

/* Whether a block of this size, header included, goes into a multi-block carrier. */
static bool is_multi(const struct prefiller *filler, int64_t bytes)
{
	int64_t extra = (int64_t)(header_bytes(filler) + tag_bytes(filler));
	int64_t asked = bytes > extra ? bytes - extra : 1;

	return (uint64_t)asked < filler->options->allocators[filler->allocator].settings.sbct;
}

static bool is_here(const struct prefiller *filler, const struct start_block *block)
{
	const struct runtime_kind *kind = player_kind(filler->player, block->type);

	return kind && memory_type_allocator(kind->type) == filler->allocator;
}

/* Takes a block out of what is left; false: the instance has no such. */
static bool consume_share(struct share *share, bool is_large, int64_t bytes)
{
	int64_t *blocks = is_large ? &share->single_blocks : &share->blocks;
	int64_t *left = is_large ? &share->single_bytes : &share->bytes;

	if (*blocks < 1 || *left < bytes) {
		return false;
	}
	*blocks -= 1;
	*left -= bytes;
	return true;
}

/* In the instance of the thread that made or ended it, if that has as much, or in another. */
static void assign(struct prefiller *filler)
{
	const struct start_state *start = filler->start;

	for (size_t i = 0; i < start->count; i++) {
		const struct start_block *block = &start->blocks[i];
		uint32_t wanted = block->scheduler < filler->instances ? block->scheduler : 0;
		bool is_large;
		int64_t bytes;

		if (!is_here(filler, block)) {
			continue;
		}
		is_large = is_single(filler, block);
		bytes = size_of(filler, block);
		filler->instance[i] = (uint16_t)wanted;
		if (consume_share(&filler->shares[wanted], is_large, bytes)) {
			continue;
		}
		for (uint32_t other = 0; other < filler->instances; other++) {
			if (consume_share(&filler->shares[other], is_large, bytes)) {
				filler->instance[i] = (uint16_t)other;
				break;
			}
		}
	}
}

/* Sizes of the carriers that are wanted beside the main carrier; powers of two. */
struct wish {
	int64_t carriers;
	int64_t bytes;
};

static int64_t count_bits(int64_t number)
{
	int64_t count = 0;

	for (; number > 0; number &= number - 1) {
		count++;
	}
	return count;
}

/*
 * Whether a carrier of this size may be one of those wanted: what it leaves is the sum of as many
 * powers of two as carriers are left, none of them less than `least`; of the last, less than it.
 */
static bool is_wished(const struct wish *wish, int64_t bytes, int64_t least)
{
	int64_t rest = wish->bytes - bytes;
	int64_t others = wish->carriers - 1;

	if (others == 0) {
		return rest >= 0 && rest < bytes;
	}
	return rest >= others * least && count_bits(rest / least) <= others;
}

static void figures_of(const struct prefiller *filler, struct csc_statistics *ret_figures)
{
	filler->api->statistics(filler->at, false, ret_figures);
}

static enum csc_status note(struct prefiller *filler, uint64_t block, bool is_late)
{
	if (filler->filler_count == filler->filler_room) {
		size_t room = filler->filler_room ? 2 * filler->filler_room : 1024;
		struct filling *grown = realloc(filler->fillers, room * sizeof(*grown));

		if (!grown) {
			return DIAG_NO_MEMORY(filler->diag);
		}
		filler->fillers = grown;
		filler->filler_room = room;
	}
	filler->fillers[filler->filler_count++] = (struct filling){ block, is_late };
	return CSC_OK;
}

/* A block that nobody ends.  0: `diag`. */
static uint64_t make(struct prefiller *filler, int64_t bytes)
{
	int64_t extra = (int64_t)(header_bytes(filler) + tag_bytes(filler));
	uint64_t block = filler->api->alloc(
			filler->at, bytes > extra ? (uint64_t)(bytes - extra) : 1);

	if (!block) {
		(void)DIAG_FAIL(filler->diag, "no memory for what the node had");
		return 0;
	}
	return player_check(filler->player, filler->diag) == CSC_OK ? block : 0;
}

/* The mean size of the blocks that are left, header included, in bytes. */
static int64_t mean(int64_t blocks, int64_t bytes)
{
	return bytes / blocks & ~INT64_C(7);
}

/* Those in carriers that are to be abandoned last: a free is when that is looked at. */
static void free_fillers(struct prefiller *filler)
{
	for (int late = 0; late < 2; late++) {
		for (size_t i = 0; i < filler->filler_count; i++) {
			if (filler->fillers[i].is_late == (late != 0)) {
				filler->api->free(filler->at, filler->fillers[i].block);
			}
		}
	}
	filler->filler_count = 0;
}

/* The next block that is known and may begin a carrier; start->count: none is left. */
static size_t next_known(const struct prefiller *filler, uint32_t index, size_t from)
{
	const struct start_state *start = filler->start;

	/* Objects of fixed size come from lists. */
	while (from < start->count && filler->allocator != CSC_FIX &&
			(filler->instance[from] != index ||
					!is_here(filler, &start->blocks[from]) ||
					is_single(filler, &start->blocks[from]))) {
		from++;
	}
	return filler->allocator == CSC_FIX ? start->count : from;
}

/* A block that begins a carrier becomes one that is known, which is then made. */
static void adopt(struct prefiller *filler, size_t known, uint64_t address)
{
	const struct start_block *block = &filler->start->blocks[known];
	uint16_t index = filler->instance[known];

	filler->instance[known] = MADE;
	player_adopt(filler->player, block->row, block->type, asked_bytes(filler, block), index,
			address);
}

/*
 * Makes carriers by filling them, and keeps the first block of each that is wanted: one that is
 * known and ends later, since those are younger than the others, or else one of those that are
 * left.  All other blocks go, and with them carriers in which nothing stays.  Those that were in
 * the pool are the last that are made; their blocks are among those that are left.  With other
 * flags than the node's the blocks that are left may be too large for carriers of several: then
 * there is nothing to begin one with.
 */
static enum csc_status make_carriers(struct prefiller *filler, struct share *share, uint32_t index,
		const struct reading_figures *figures)
{
	struct csc_statistics before;
	struct wish wish;
	int64_t least = INT64_MAX;
	int64_t filled = 0;
	int spares = 0;
	int after_last = figures->pooled > 0 ? FREES_BEFORE_POOL : 0;
	bool is_late = false;
	size_t known = next_known(filler, index, 0);

	figures_of(filler, &before);
	wish.carriers = figures->carriers - (int64_t)before.mbcs.carriers.now;
	wish.bytes = figures->carriers_bytes - (int64_t)before.mbcs.carriers_bytes.now;
	if (wish.carriers <= 0 || wish.bytes <= 0) {
		return CSC_OK;
	}
	while (spares < SPARES && (wish.carriers > 0 || after_last-- > 0)) {
		bool is_pooled = wish.carriers <= figures->pooled && figures->pool_blocks > 0 &&
				is_multi(filler,
						mean(figures->pool_blocks,
								figures->pool_blocks_bytes));
		bool is_known = !is_pooled && known < filler->start->count;
		int64_t bytes = 0;
		struct csc_statistics after;
		uint64_t block;
		int64_t carrier;

		if (!is_known &&
				(share->blocks < 1 ||
						(!is_pooled &&
								!is_multi(filler,
										mean(share->blocks,
												share->bytes))))) {
			break;
		}
		bytes = is_known	    ? size_of(filler, &filler->start->blocks[known])
				: is_pooled ? mean(figures->pool_blocks, figures->pool_blocks_bytes)
					    : mean(share->blocks, share->bytes);
		block = make(filler, bytes);
		figures_of(filler, &after);
		if (!block) {
			return CSC_ERROR;
		}
		carrier = (int64_t)(after.mbcs.carriers_bytes.now - before.mbcs.carriers_bytes.now);
		before = after;
		if (carrier > 0) {
			least = carrier < least ? carrier : least;
			is_late = false;
		}
		if (carrier <= 0 || wish.carriers == 0 || !is_wished(&wish, carrier, least)) {
			/* They only grow. */
			if (carrier > 0) {
				spares = carrier > wish.bytes ? SPARES : spares + 1;
			}
			if (note(filler, block, is_late) != CSC_OK) {
				return CSC_ERROR;
			}
			/* More than these carriers hold: it went elsewhere. */
			filled += bytes;
			if (filled > (int64_t)after.mbcs.carriers_bytes.now) {
				break;
			}
			continue;
		}
		is_late = is_pooled;
		wish.carriers--;
		wish.bytes -= carrier;
		if (!is_known) {
			share->blocks--;
			share->bytes -= bytes;
		} else {
			adopt(filler, known, block);
			known = next_known(filler, index, known + 1);
		}
	}
	free_fillers(filler);
	return CSC_OK;
}

/* Blocks of which no more is known than their number and the sum of their sizes. */
static enum csc_status make_rest(struct prefiller *filler, int64_t blocks, int64_t bytes)
{
	while (blocks > 0) {
		int64_t size = mean(blocks, bytes);

		if (!make(filler, size)) {
			return CSC_ERROR;
		}
		blocks--;
		bytes -= size;
	}
	return CSC_OK;
}

static void make_known(struct prefiller *filler, uint32_t index)
{
	const struct start_state *start = filler->start;

	for (size_t i = 0; i < start->count; i++) {
		const struct start_block *block = &start->blocks[i];

		if (filler->instance[i] == index && is_here(filler, block)) {
			player_make(filler->player, block->row, block->type,
					asked_bytes(filler, block), index);
		}
	}
}

static bool is_empty(const struct reading_figures *figures)
{
	return figures->blocks == 0 && figures->single_blocks == 0;
}

/*
 * With other flags an allocator may have one instance for all threads: all blocks are its own
 * then, and as no carrier of the node is one of its, it makes what it needs.
 */
static void learn_figures(struct prefiller *filler)
{
	const struct reading_figures *read = filler->reading->instances[filler->allocator];
	struct reading_figures *first = &filler->figures[0];

	memcpy(filler->figures, read, sizeof(filler->figures));
	for (uint32_t i = filler->instances; i < READING_INSTANCES; i++) {
		if (is_empty(&read[i])) {
			continue;
		}
		*first = (struct reading_figures){
			.blocks = first->blocks + read[i].blocks,
			.blocks_bytes = first->blocks_bytes + read[i].blocks_bytes,
			.single_blocks = first->single_blocks + read[i].single_blocks,
			.single_blocks_bytes =
					first->single_blocks_bytes + read[i].single_blocks_bytes,
			.calls = first->calls + read[i].calls,
		};
	}
}

/* fix_alloc counts freed objects that it keeps as blocks: they are left out. */
static void learn_shares(struct prefiller *filler)
{
	for (uint32_t i = 0; i < filler->instances; i++) {
		const struct reading_figures *figures = &filler->figures[i];
		struct share *share = &filler->shares[i];

		*share = (struct share){ figures->blocks, figures->blocks_bytes,
			figures->single_blocks, figures->single_blocks_bytes };
		if (filler->allocator == CSC_FIX && figures->blocks > 0) {
			int64_t used = figures->calls < 0 ? 0 : figures->calls;

			share->blocks = used < figures->blocks ? used : figures->blocks;
			share->bytes = figures->blocks_bytes / figures->blocks * share->blocks;
		}
	}
}

/* Of a share, as many as have room in the carriers that are there; they leave it. */
static struct share split_share(const struct prefiller *filler, struct share *share)
{
	struct share fits = *share;
	struct csc_statistics now;
	int64_t room;

	figures_of(filler, &now);
	room = (int64_t)(now.mbcs.carriers_bytes.now - now.mbcs.blocks_bytes.now) - CARRIER_BYTES;
	if (share->blocks > 0 && share->bytes > room) {
		int64_t size = mean(share->blocks, share->bytes);

		fits.blocks = room > 0 && size > 0 ? room / size : 0;
		fits.bytes = fits.blocks * size;
	}
	share->blocks -= fits.blocks;
	share->bytes -= fits.bytes;
	return fits;
}

/* The largest blocks that a node has before it runs anything: their sizes are known. */
static enum csc_status make_tables(struct prefiller *filler, uint32_t index)
{
	if (filler->allocator != CSC_LL || index > 0) {
		return CSC_OK;
	}
	for (int i = 0; i < READING_TABLES; i++) {
		int64_t bytes = filler->reading->table_bytes[i];
		struct share *share = &filler->shares[index];

		if (bytes > 0 &&
				(consume_share(share, true, bytes) ||
						consume_share(share, false, bytes)) &&
				!make(filler, bytes)) {
			return CSC_ERROR;
		}
	}
	return CSC_OK;
}

/*
 * What is left is the oldest and comes first, as much as has room without a carrier more, but for
 * blocks that are to begin carriers: those in the pool, and those for which there is no younger
 * one.
 */
static enum csc_status fill_instance(struct prefiller *filler, uint32_t index)
{
	const struct reading_figures *figures = &filler->figures[index];
	struct share *share = &filler->shares[index];
	int64_t kept = figures->carriers;
	struct share first;
	struct share fits;

	filler->at = runtime_instance(player_runtime(filler->player), filler->allocator, index);
	if (!filler->at) {
		return CSC_OK;
	}
	filler->api->keep_carriers(filler->at, figures->pooled == 0);
	if (make_tables(filler, index) != CSC_OK) {
		return CSC_ERROR;
	}
	kept = kept < share->blocks ? kept : share->blocks;
	first = *share;
	first.blocks -= kept;
	first.bytes = share->blocks > 0 ? mean(share->blocks, share->bytes) * first.blocks : 0;
	share->blocks -= first.blocks;
	share->bytes -= first.bytes;
	fits = split_share(filler, &first);
	if (make_rest(filler, fits.blocks, fits.bytes) != CSC_OK ||
			make_carriers(filler, share, index, figures) != CSC_OK ||
			make_rest(filler, first.blocks, first.bytes) != CSC_OK) {
		return CSC_ERROR;
	}
	make_known(filler, index);
	if (make_rest(filler, share->single_blocks, share->single_bytes) != CSC_OK ||
			make_rest(filler, share->blocks, share->bytes) != CSC_OK) {
		return CSC_ERROR;
	}
	if (figures->pooled == 0) {
		filler->api->keep_carriers(filler->at, false);
	}
	return CSC_OK;
}

/* Of carriers at the first reading, and how many blocks were in them. */
static uint64_t reading_bytes(const struct reading *reading, uint32_t allocators)
{
	uint64_t bytes = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (allocators >> i & 1) {
			bytes += (uint64_t)reading->allocators[i].carriers_bytes +
					(uint64_t)reading->allocators[i].single_carriers_bytes;
		}
	}
	return bytes;
}

static uint64_t reading_blocks(const struct reading *reading, uint32_t allocators)
{
	uint64_t blocks = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (allocators >> i & 1) {
			blocks += (uint64_t)reading->allocators[i].blocks +
					(uint64_t)reading->allocators[i].single_blocks;
		}
	}
	return blocks;
}

enum csc_status prefill(struct player *player, const struct start_state *start,
		const struct reading *reading, uint32_t allocators, struct diag *diag)
{
	struct prefiller filler = {
		.player = player,
		.start = start,
		.reading = reading,
		.options = runtime_options(player_runtime(player)),
		.api = runtime_api(player_runtime(player)),
		.diag = diag,
		.instance = calloc(start->count + 1, sizeof(*filler.instance)),
	};
	enum csc_status status = CSC_OK;

	if (!filler.instance) {
		return DIAG_NO_MEMORY(diag);
	}
	status = player_allow(player, reading_bytes(reading, allocators),
			reading_blocks(reading, allocators), diag);
	for (int i = 0; status == CSC_OK && i < CSC_ALLOCATORS; i++) {
		filler.allocator = (enum csc_allocator)i;
		filler.instances = csc_options_instances(filler.options, filler.allocator);
		if (filler.instances > READING_INSTANCES) {
			filler.instances = READING_INSTANCES;
		}
		if ((allocators >> i & 1) == 0 || filler.instances == 0) {
			continue;
		}
		learn_figures(&filler);
		learn_shares(&filler);
		assign(&filler);
		for (uint32_t index = 0; status == CSC_OK && index < filler.instances; index++) {
			status = fill_instance(&filler, index);
		}
	}
	free(filler.fillers);
	free(filler.instance);
	return status;
}
