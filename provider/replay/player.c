/* SPDX-License-Identifier: MIT */
/* One replay. */
#include "player.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "passing.h"
#include "replay.h"

/* Type numbers are 16 bit in the events. */
#define PLAYER_TYPES 65536

/*
 * What a replay may take in carriers: so many times the bytes that were live at most, or were in
 * carriers when the node was read, four pages for each block, and this, in bytes.
 */
#define TIMES_LIVE 16
#define TIMES_CARRIERS 4
#define BLOCK_BYTES (UINT64_C(4) << 12)
#define ROOM_BYTES (UINT64_C(64) << 20)

/* A live block; of a vacant one `next` is the next vacant. */
struct played {
	uint64_t address;
	uint64_t bytes;
	union {
		uint32_t type;
		uint32_t next;
	};
	uint32_t scheduler;
};

/* What a number of the recording is in the replay. */
struct played_type {
	struct runtime_kind kind;
	bool is_known;
};

struct player {
	struct runtime *runtime;
	struct recording_facts facts;
	struct player_counts counts;
	uint32_t schedulers;

	/* Carriers may have so many bytes; UINT64_MAX: as many as there are. */
	uint64_t most_bytes;
	bool is_of_machine;

	/* Of all carriers, when they were looked at last, and of each allocator at most. */
	uint64_t seen_bytes;
	uint64_t peak_bytes[CSC_ALLOCATORS];

	/* By row of the recording: 1 + index in `blocks`; 0: none. */
	uint32_t *block_of_row;
	struct played *blocks;
	size_t block_count;
	size_t block_room;
	/* 1 + index of the first vacant one; 0: none. */
	uint32_t vacant;

	struct played_type *types;

	/* NULL: nobody watches. */
	player_watch *watch;
	void *watcher;

	/* When no work is recorded. */
	struct passing passing;
};

/* A type that the release has under another name or not at all: any of the same allocator. */
static bool find_stand_in(const struct csc_generation *generation, uint32_t word_bytes,
		const char *allocator, struct runtime_kind *ret)
{
	for (uint32_t i = 1; i <= memory_type_count(); i++) {
		const struct csc_block_type *type = memory_type_at(i, generation);
		enum csc_allocator number = type ? memory_type_allocator(type) : CSC_ALLOCATORS;

		/* Not for fixed sizes, which belong to their type. */
		if (number < CSC_ALLOCATORS && number != CSC_FIX &&
				strcmp(csc_allocator_infos[number].name, allocator) == 0) {
			return runtime_kind_find(generation, word_bytes, type->description, ret);
		}
	}
	return false;
}

struct type_taker {
	struct player *player;
	const struct csc_generation *generation;
	uint32_t word_bytes;

	/* By number of the type of fixed size: as it was recorded; 0: never. */
	uint64_t *fix_bytes;
};

static void take_type(void *context, uint32_t number, const char *name, const char *allocator,
		uint64_t bytes)
{
	const struct type_taker *taker = context;
	struct played_type *type;

	if (number >= PLAYER_TYPES) {
		return;
	}
	type = &taker->player->types[number];
	type->is_known = runtime_kind_find(
					 taker->generation, taker->word_bytes, name, &type->kind) ||
			find_stand_in(taker->generation, taker->word_bytes, allocator, &type->kind);
	if (type->is_known && type->kind.fix >= 0 && bytes) {
		type->kind.fix_bytes = bytes;
		taker->fix_bytes[type->kind.fix] = bytes;
	}
}

static uint64_t add(uint64_t sum, uint64_t number, uint64_t times)
{
	uint64_t product;

	return __builtin_mul_overflow(number, times, &product) ||
					__builtin_add_overflow(sum, product, &sum)
			? UINT64_MAX
			: sum;
}

/* No more than half of the memory of this machine. */
static void allow_more(struct player *player, uint64_t bytes, uint64_t times)
{
	uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES);
	uint64_t machine_bytes = pages / 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	if (player->most_bytes == UINT64_MAX) {
		return;
	}
	player->most_bytes = add(player->most_bytes, bytes, times);
	player->is_of_machine = player->most_bytes > machine_bytes;
	if (player->is_of_machine) {
		player->most_bytes = machine_bytes;
	}
}

/* The main carriers are there; each instance may make a carrier of any size. */
static void set_most(struct player *player, uint64_t limit_bytes)
{
	const struct csc_options *options = runtime_options(player->runtime);
	struct address_space_figures figures;

	player->most_bytes = limit_bytes ? UINT64_MAX : ROOM_BYTES;
	runtime_address_space(player->runtime, &figures);
	allow_more(player, figures.bytes, 1);
	allow_more(player, player->facts.most_bytes, TIMES_LIVE);
	allow_more(player, player->facts.most_blocks, BLOCK_BYTES);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		const struct csc_settings *settings = &options->allocators[i].settings;

		allow_more(player, add(settings->smbcs, settings->lmbcs, 1),
				csc_options_instances(options, (enum csc_allocator)i));
	}
}

static enum csc_status fail_most(const struct player *player, struct diag *diag)
{
	return DIAG_FAIL(diag,
			"the replay needs more than %" PRIu64
			" MiB of carriers, %s; it was stopped, "
			"--memory-limit=BYTES allows more",
			player->most_bytes >> 20,
			player->is_of_machine ? "half of this machine's memory"
					      : "and the recording accounts for far less");
}

enum csc_status player_check(const struct player *player, struct diag *diag)
{
	struct address_space_figures figures;

	runtime_address_space(player->runtime, &figures);
	return figures.bytes <= player->most_bytes ? CSC_OK : fail_most(player, diag);
}

enum csc_status player_allow(
		struct player *player, uint64_t carriers_bytes, uint64_t blocks, struct diag *diag)
{
	allow_more(player, carriers_bytes, TIMES_CARRIERS);
	allow_more(player, blocks, BLOCK_BYTES);
	return carriers_bytes <= player->most_bytes ? CSC_OK : fail_most(player, diag);
}

struct player *player_create_heard(const struct recording *recording,
		const struct csc_options *options, uint64_t limit_bytes, uint32_t burst,
		struct csc_listener *listener, struct diag *diag)
{
	struct runtime_config config = {
		.options = *options,
		.limit_bytes = limit_bytes,
		.listener = listener,
	};
	uint64_t fix_bytes[CSC_FIX_TYPES_MAX] = { 0 };
	struct player *player = calloc(1, sizeof(*player));
	struct type_taker taker = { player, options->generation, options->word_bytes, fix_bytes };
	size_t rows;

	if (!player) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	player->passing.burst = burst;
	recording_facts(recording, &player->facts);
	rows = (size_t)(player->facts.last_row - player->facts.first_row) + 1;
	player->schedulers = options->schedulers + options->dirty_instances;
	player->block_of_row = calloc(rows, sizeof(*player->block_of_row));
	player->types = calloc(PLAYER_TYPES, sizeof(*player->types));
	if (!player->block_of_row || !player->types) {
		(void)DIAG_NO_MEMORY(diag);
	} else if (recording_types(recording, &taker, take_type, diag) == CSC_OK) {
		config.fix_bytes = fix_bytes;
		player->runtime = runtime_create(&config, diag);
	}
	if (!player->runtime) {
		player_destroy(player);
		return NULL;
	}
	set_most(player, limit_bytes);
	return player;
}

struct player *player_create(const struct recording *recording, const struct csc_options *options,
		uint64_t limit_bytes, uint32_t burst, struct diag *diag)
{
	return player_create_heard(recording, options, limit_bytes, burst, NULL, diag);
}

void player_destroy(struct player *player)
{
	if (player) {
		runtime_destroy(player->runtime);
		free(player->block_of_row);
		free(player->blocks);
		free(player->types);
		free(player);
	}
}

static void count(struct player *player, const struct played_type *type, int64_t blocks,
		int64_t bytes)
{
	enum csc_allocator allocator = memory_type_allocator(type->kind.type);

	if (allocator < CSC_ALLOCATORS) {
		player->counts.blocks[allocator] += blocks;
		player->counts.asked_bytes[allocator] += bytes;
	}
}

static uint32_t *block_at(struct player *player, int64_t row)
{
	return &player->block_of_row[row - player->facts.first_row];
}

/* Notes a block under the row that made it. */
static enum csc_status enter(
		struct player *player, int64_t row, const struct played *block, struct diag *diag)
{
	uint32_t place = player->vacant;

	if (place) {
		player->vacant = player->blocks[place - 1].next;
	} else {
		if (player->block_count == player->block_room) {
			size_t room = player->block_room ? 2 * player->block_room : 1024;
			struct played *grown = realloc(player->blocks, room * sizeof(*grown));

			if (!grown) {
				return DIAG_NO_MEMORY(diag);
			}
			player->blocks = grown;
			player->block_room = room;
		}
		place = (uint32_t)++player->block_count;
	}
	player->blocks[place - 1] = *block;
	*block_at(player, row) = place;
	return CSC_OK;
}

static void leave(struct player *player, int64_t row)
{
	uint32_t *place = block_at(player, row);

	player->blocks[*place - 1].next = player->vacant;
	player->vacant = *place;
	*place = 0;
}

/* NULL: it is not there, for it could not be had or is freed. */
static const struct played *find(struct player *player, int64_t row)
{
	uint32_t place = row ? *block_at(player, row) : 0;

	return place ? &player->blocks[place - 1] : NULL;
}

/* A block of an allocator whose threads free their own is freed by the thread that made it. */
static uint32_t freeing(const struct player *player, const struct played *block, uint32_t scheduler)
{
	const struct csc_options *options = runtime_options(player->runtime);
	enum csc_allocator allocator = memory_type_allocator(player->types[block->type].kind.type);

	return allocator < CSC_ALLOCATORS &&
					options->allocators[allocator].threading == CSC_SPECIFIC
			? block->scheduler
			: scheduler;
}

/* What another thread frees than that which made it waits for its owner. */
static void note_foreign(struct player *player, const struct played *block, uint32_t scheduler)
{
	if (freeing(player, block, scheduler) != block->scheduler) {
		player->counts.foreign_bytes += block->bytes;
	}
}

static void end_block(struct player *player, int64_t row, uint32_t scheduler)
{
	const struct played *block = find(player, row);
	const struct played_type *type;

	if (!block) {
		return;
	}
	type = &player->types[block->type];
	note_foreign(player, block, scheduler);
	runtime_free(player->runtime, freeing(player, block, scheduler), &type->kind,
			block->address, block->bytes);
	count(player, type, -1, -(int64_t)block->bytes);
	leave(player, row);
}

static enum csc_status make_block(struct player *player, const struct recording_step *step,
		uint32_t scheduler, struct diag *diag)
{
	const struct played_type *type = &player->types[step->type];
	struct played block = { .bytes = step->bytes, .scheduler = scheduler };

	block.type = step->type;
	block.address = step->kind == RECORDING_REALLOC && step->is_new
			? runtime_realloc(player->runtime, scheduler, &type->kind, 0, 0,
					  step->bytes)
			: runtime_alloc(player->runtime, scheduler, &type->kind, step->bytes);
	if (!block.address) {
		player->counts.refused++;
		return CSC_OK;
	}
	count(player, type, 1, (int64_t)step->bytes);
	return enter(player, step->row, &block, diag);
}

/* A block that has moved was copied, unless it has a carrier of its own before and after. */
static void count_copy(struct player *player, const struct played_type *type, uint64_t old_bytes,
		uint64_t bytes)
{
	enum csc_allocator allocator = memory_type_allocator(type->kind.type);
	uint64_t kept = old_bytes < bytes ? old_bytes : bytes;

	if (allocator < CSC_ALLOCATORS &&
			kept < runtime_options(player->runtime)
							->allocators[allocator]
							.settings.sbct) {
		player->counts.copied_bytes[allocator] += kept;
	}
}

static enum csc_status resize_block(struct player *player, const struct recording_step *step,
		uint32_t scheduler, struct diag *diag)
{
	const struct played_type *type = &player->types[step->type];
	const struct played *old = find(player, step->ended);
	struct played block;

	if (!old || old->type != step->type) {
		end_block(player, step->ended ? step->ended : step->row, scheduler);
		player->counts.unknown += step->ended == 0;
		return make_block(player, step, scheduler, diag);
	}
	note_foreign(player, old, scheduler);
	block = *old;
	block.address = runtime_realloc(player->runtime, freeing(player, old, scheduler),
			&type->kind, old->address, old->bytes, step->bytes);
	if (!block.address) {
		player->counts.refused++;
		return CSC_OK;
	}
	if (block.address != old->address) {
		count_copy(player, type, block.bytes, step->bytes);
	}
	count(player, type, 0, (int64_t)step->bytes - (int64_t)block.bytes);
	block.bytes = step->bytes;
	leave(player, step->ended);
	return enter(player, step->row, &block, diag);
}

static enum csc_status play_call(
		struct player *player, const struct recording_step *step, struct diag *diag)
{
	uint32_t scheduler = step->scheduler <= player->schedulers ? step->scheduler : 0;

	player->counts.calls++;
	if (step->kind == RECORDING_FREE) {
		player->counts.unknown += step->ended == 0;
		end_block(player, step->ended ? step->ended : step->row, scheduler);
		return CSC_OK;
	}
	if (step->type >= PLAYER_TYPES || !player->types[step->type].is_known ||
			!runtime_serves(player->runtime, &player->types[step->type].kind)) {
		player->counts.unknown_type++;
		end_block(player, step->ended, scheduler);
		return CSC_OK;
	}
	if (step->kind == RECORDING_REALLOC && !step->is_new) {
		player->counts.unseen += step->other_ended != 0;
		end_block(player, step->other_ended, scheduler);
		return resize_block(player, step, scheduler, diag);
	}
	player->counts.unseen += step->ended != 0;
	end_block(player, step->ended, scheduler);
	return make_block(player, step, scheduler, diag);
}

static void play_work(struct player *player, const struct recording_step *step)
{
	uint32_t scheduler = step->scheduler <= player->schedulers ? step->scheduler : 0;

	player->counts.works++;
	if (step->kind == RECORDING_ROUND) {
		runtime_round(player->runtime);
	} else if (step->kind == RECORDING_SECOND) {
		runtime_tick(player->runtime, scheduler);
	} else {
		/* What others have sent can be worked off when all threads have passed twice. */
		runtime_progress(player->runtime);
		runtime_progress(player->runtime);
		runtime_aux(player->runtime, scheduler);
	}
}

static void note_peak(struct player *player, enum csc_allocator allocator)
{
	struct runtime_use use;

	runtime_use(player->runtime, allocator, &use);
	if (use.carriers_bytes > player->peak_bytes[allocator]) {
		player->peak_bytes[allocator] = use.carriers_bytes;
	}
}

/* Carriers have grown by a call of a type, or by work: `type` PLAYER_TYPES. */
static void note_peaks(struct player *player, uint32_t type)
{
	struct address_space_figures figures;
	bool has_grown;

	runtime_address_space(player->runtime, &figures);
	has_grown = figures.bytes > player->seen_bytes;
	player->seen_bytes = figures.bytes;
	if (!has_grown) {
		return;
	}
	if (type < PLAYER_TYPES && player->types[type].is_known) {
		enum csc_allocator allocator = memory_type_allocator(player->types[type].kind.type);

		if (allocator < CSC_ALLOCATORS) {
			note_peak(player, allocator);
		}
		return;
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		note_peak(player, (enum csc_allocator)i);
	}
}

uint64_t player_peak(const struct player *player, enum csc_allocator allocator)
{
	return player->peak_bytes[allocator];
}

void player_set_period(struct player *player, int64_t period_ns)
{
	player->passing.period_ns = period_ns;
}

void player_set_watch(struct player *player, player_watch *watch, void *context)
{
	player->watch = watch;
	player->watcher = context;
}

static void watch(const struct player *player, const struct recording_step *step)
{
	const struct played_type *type =
			step->type < PLAYER_TYPES ? &player->types[step->type] : NULL;
	enum csc_allocator allocator = type && type->is_known
			? memory_type_allocator(type->kind.type)
			: CSC_ALLOCATORS;

	if (player->watch && allocator < CSC_ALLOCATORS) {
		player->watch(player->watcher, player, allocator, step->scheduler, step->ts_ns);
	}
}

enum csc_status player_run(struct player *player, struct recording *recording, struct diag *diag)
{
	struct recording_step step;

	if (recording_rewind(recording, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	note_peaks(player, PLAYER_TYPES);
	while (recording_next(recording, &step, diag)) {
		if (step.kind == RECORDING_ROUND || step.kind == RECORDING_AUX ||
				step.kind == RECORDING_SECOND) {
			play_work(player, &step);
			note_peaks(player, PLAYER_TYPES);
			continue;
		}
		if (!player->facts.has_work) {
			passing_call(&player->passing, player->runtime, player->schedulers,
					step.ts_ns);
		}
		watch(player, &step);
		if (play_call(player, &step, diag) != CSC_OK ||
				player_check(player, diag) != CSC_OK) {
			return CSC_ERROR;
		}
		note_peaks(player, step.type);
	}
	if (diag_is_set(diag)) {
		return CSC_ERROR;
	}
	runtime_quiesce(player->runtime);
	return CSC_OK;
}

const struct runtime_kind *player_kind(const struct player *player, uint32_t type)
{
	const struct played_type *played = type < PLAYER_TYPES ? &player->types[type] : NULL;

	return played && played->is_known && runtime_serves(player->runtime, &played->kind)
			? &played->kind
			: NULL;
}

enum csc_status player_make(struct player *player, int64_t row, uint32_t type, uint64_t bytes,
		uint32_t scheduler, struct diag *diag)
{
	const struct recording_step step = {
		.kind = RECORDING_ALLOC, .type = type, .bytes = bytes, .row = row
	};

	return make_block(player, &step, scheduler <= player->schedulers ? scheduler : 0, diag);
}

enum csc_status player_adopt(struct player *player, int64_t row, uint32_t type, uint64_t bytes,
		uint32_t scheduler, uint64_t address, struct diag *diag)
{
	struct played block = { .address = address, .bytes = bytes, .scheduler = scheduler };

	block.type = type;
	count(player, &player->types[type], 1, (int64_t)bytes);
	return enter(player, row, &block, diag);
}

const struct runtime *player_runtime(const struct player *player)
{
	return player->runtime;
}

const struct player_counts *player_counts(const struct player *player)
{
	return &player->counts;
}
