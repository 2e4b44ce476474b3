/* SPDX-License-Identifier: MIT */
/* One replay. */
#include "player.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ahead.h"
#include "decoded_internal.h"
#include "passing.h"
#include "recording_internal.h"
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

/* What a number of the recording is in the replay. */
struct played_type {
	struct runtime_kind kind;
	enum csc_allocator allocator;
	bool is_known;
	/* An allocator serves it, whose threads free what they made. */
	bool is_served;
	bool is_specific;
};

struct player {
	struct runtime *runtime;
	struct recording_facts facts;
	struct player_counts counts;
	uint32_t schedulers;

	/* Carriers may have so many bytes; UINT64_MAX: as many as there are. */
	uint64_t most_bytes;
	bool is_of_machine;

	/* Of all carriers, when they were within bounds; and, weak, now. */
	uint64_t checked_bytes;
	const uint64_t *now_bytes;

	/* By slot of the recording. */
	struct played *blocks;
	struct ahead ahead;

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
	const struct csc_options *options;

	/* By number of the type of fixed size: as it was recorded; 0: never. */
	uint64_t *fix_bytes;
};

static void learn_type(void *context, uint32_t number, const char *name, const char *allocator,
		uint64_t bytes)
{
	const struct type_taker *taker = context;
	const struct csc_options *options = taker->options;
	struct played_type *type;

	if (number >= PLAYER_TYPES) {
		return;
	}
	type = &taker->player->types[number];
	type->is_known = runtime_kind_find(options->generation, options->word_bytes, name,
					 &type->kind) ||
			find_stand_in(options->generation, options->word_bytes, allocator,
					&type->kind);
	type->allocator = type->is_known ? memory_type_allocator(type->kind.type) : CSC_ALLOCATORS;
	if (type->allocator < CSC_ALLOCATORS) {
		type->is_served = csc_options_instances(options, type->allocator) > 0;
		type->is_specific = options->allocators[type->allocator].threading == CSC_SPECIFIC;
	}
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
		.without_contents = true,
	};
	uint64_t fix_bytes[CSC_FIX_TYPES_MAX] = { 0 };
	struct player *player = calloc(1, sizeof(*player));
	struct type_taker taker = { player, options, fix_bytes };

	if (!player) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	player->passing.burst = burst;
	recording_facts(recording, &player->facts);
	/* The twin, which records its work, has all of sys_alloc in one place. */
	config.has_mapped_malloc = !player->facts.has_work;
	player->schedulers = options->schedulers + options->dirty_instances;
	player->blocks = calloc((size_t)player->facts.last_row + 1, sizeof(*player->blocks));
	player->types = calloc(PLAYER_TYPES, sizeof(*player->types));
	if (!player->blocks || !player->types) {
		(void)DIAG_NO_MEMORY(diag);
	} else if (recording_types(recording, &taker, learn_type, diag) == CSC_OK) {
		config.fix_bytes = fix_bytes;
		player->runtime = runtime_create(&config, diag);
	}
	if (!player->runtime) {
		player_destroy(player);
		return NULL;
	}
	player->now_bytes = runtime_carriers_bytes(player->runtime);
	player->ahead = (struct ahead){
		.blocks = player->blocks,
		.bias = (uintptr_t)runtime_at(player->runtime, 0),
	};
	player->checked_bytes = UINT64_MAX;
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
		free(player->blocks);
		free(player->types);
		free(player);
	}
}

static void count(struct player *player, const struct played_type *type, int64_t blocks,
		int64_t bytes)
{
	if (type->allocator < CSC_ALLOCATORS) {
		player->counts.blocks[type->allocator] += blocks;
		player->counts.asked_bytes[type->allocator] += bytes;
	}
}

/* NULL: it is not there, for it could not be had or is freed. */
static struct played *find(struct player *player, int64_t row)
{
	struct played *block = &player->blocks[row];

	return block->address ? block : NULL;
}

/* A block of an allocator whose threads free their own is freed by the thread that made it. */
static uint32_t freeing(const struct player *player, const struct played *block, uint32_t scheduler)
{
	return player->types[block->type].is_specific ? (uint32_t)block->scheduler : scheduler;
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
	struct played *block = find(player, row);
	const struct played_type *type;

	if (!block) {
		return;
	}
	type = &player->types[block->type];
	note_foreign(player, block, scheduler);
	runtime_free(player->runtime, freeing(player, block, scheduler), &type->kind,
			block->address, block->bytes);
	count(player, type, -1, -(int64_t)block->bytes);
	block->address = 0;
}

/* Notes a block under the row that made it. */
static void enter(struct player *player, int64_t row, uint64_t address, uint32_t scheduler,
		uint32_t type, uint64_t bytes)
{
	struct played *block = &player->blocks[row];

	block->address = address & ((UINT64_C(1) << BYTES_BITS) - 1);
	block->scheduler = (uint16_t)scheduler;
	block->bytes = bytes & ((UINT64_C(1) << BYTES_BITS) - 1);
	block->type = (uint16_t)type;
}

static void make_block(struct player *player, const struct recording_step *step, uint32_t scheduler)
{
	const struct played_type *type = &player->types[step->type];
	uint64_t address = step->kind == RECORDING_REALLOC && step->is_new
			? runtime_realloc(player->runtime, scheduler, &type->kind, 0, 0,
					  step->bytes)
			: runtime_alloc(player->runtime, scheduler, &type->kind, step->bytes);

	if (!address) {
		player->counts.refused++;
		return;
	}
	count(player, type, 1, (int64_t)step->bytes);
	enter(player, step->row, address, scheduler, step->type, step->bytes);
}

/* A block that has moved was copied, unless it has a carrier of its own before and after. */
static void count_copy(struct player *player, const struct played_type *type, uint64_t old_bytes,
		uint64_t bytes)
{
	uint64_t kept = old_bytes < bytes ? old_bytes : bytes;

	if (type->allocator < CSC_ALLOCATORS &&
			kept < runtime_options(player->runtime)
							->allocators[type->allocator]
							.settings.sbct) {
		player->counts.copied_bytes[type->allocator] += kept;
	}
}

static void resize_block(
		struct player *player, const struct recording_step *step, uint32_t scheduler)
{
	const struct played_type *type = &player->types[step->type];
	struct played *old = step->ended ? find(player, step->ended) : NULL;
	uint32_t maker;
	uint64_t address;

	if (!old || old->type != step->type) {
		end_block(player, step->ended ? step->ended : step->row, scheduler);
		player->counts.unknown += step->ended == 0;
		make_block(player, step, scheduler);
		return;
	}
	note_foreign(player, old, scheduler);
	maker = (uint32_t)old->scheduler;
	address = runtime_realloc(player->runtime, freeing(player, old, scheduler), &type->kind,
			old->address, old->bytes, step->bytes);
	if (!address) {
		player->counts.refused++;
		return;
	}
	if (address != old->address) {
		count_copy(player, type, old->bytes, step->bytes);
	}
	count(player, type, 0, (int64_t)step->bytes - (int64_t)old->bytes);
	old->address = 0;
	enter(player, step->row, address, maker, step->type, step->bytes);
}

/* A block of the recording that ended unseen, when another came to its address; row 0: none. */
static void end_unseen(struct player *player, int64_t row, uint32_t scheduler)
{
	if (row) {
		player->counts.unseen++;
		end_block(player, row, scheduler);
	}
}

static void play_call(struct player *player, const struct recording_step *step)
{
	uint32_t scheduler = step->scheduler <= player->schedulers ? step->scheduler : 0;

	player->counts.calls++;
	if (step->kind == RECORDING_FREE) {
		player->counts.unknown += step->ended == 0;
		end_block(player, step->ended ? step->ended : step->row, scheduler);
		return;
	}
	if (step->type >= PLAYER_TYPES || !player->types[step->type].is_served) {
		player->counts.unknown_type++;
		end_block(player, step->ended, scheduler);
		return;
	}
	if (step->kind == RECORDING_REALLOC && !step->is_new) {
		end_unseen(player, step->other_ended, scheduler);
		resize_block(player, step, scheduler);
		return;
	}
	end_unseen(player, step->ended, scheduler);
	make_block(player, step, scheduler);
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

/* The carriers after a call. */
static enum csc_status check_carriers(struct player *player, struct diag *diag)
{
	uint64_t bytes = __atomic_load_n(player->now_bytes, __ATOMIC_RELAXED);

	if (bytes != player->checked_bytes) {
		if (bytes > player->most_bytes) {
			return fail_most(player, diag);
		}
		player->checked_bytes = bytes;
	}
	return CSC_OK;
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
	enum csc_allocator allocator =
			step->type < PLAYER_TYPES && player->types[step->type].is_known
			? player->types[step->type].allocator
			: CSC_ALLOCATORS;

	if (allocator < CSC_ALLOCATORS) {
		player->watch(player->watcher, player, allocator, step->scheduler, step->ts_ns);
	}
}

enum csc_status player_run(struct player *player, struct recording *recording, struct diag *diag)
{
	struct decoded *decoded = recording->decoded;
	struct recording_step step;

	recording_rewind(recording);
	while (decoded_next(decoded, &step)) {
		ahead_look(&player->ahead, decoded);
		if (step.kind == RECORDING_ROUND || step.kind == RECORDING_AUX ||
				step.kind == RECORDING_SECOND) {
			play_work(player, &step);
			continue;
		}
		if (!player->facts.has_work) {
			passing_call(&player->passing, player->runtime, player->schedulers,
					step.ts_ns);
		}
		if (player->watch) {
			watch(player, &step);
		}
		play_call(player, &step);
		if (check_carriers(player, diag) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	runtime_quiesce(player->runtime);
	return CSC_OK;
}

const struct runtime_kind *player_kind(const struct player *player, uint32_t type)
{
	return type < PLAYER_TYPES && player->types[type].is_served ? &player->types[type].kind
								    : NULL;
}

void player_make(struct player *player, int64_t row, uint32_t type, uint64_t bytes,
		uint32_t scheduler)
{
	const struct recording_step step = {
		.kind = RECORDING_ALLOC, .type = type, .bytes = bytes, .row = row
	};

	make_block(player, &step, scheduler <= player->schedulers ? scheduler : 0);
}

void player_adopt(struct player *player, int64_t row, uint32_t type, uint64_t bytes,
		uint32_t scheduler, uint64_t address)
{
	count(player, &player->types[type], 1, (int64_t)bytes);
	enter(player, row, address, scheduler, type, bytes);
}

const struct runtime *player_runtime(const struct player *player)
{
	return player->runtime;
}

const struct player_counts *player_counts(const struct player *player)
{
	return &player->counts;
}
