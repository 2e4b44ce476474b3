/* SPDX-License-Identifier: MIT */
/* Random operation files. */
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define OPS_MIN 200
#define OPS_MORE 900
#define LIVE_MAX 256
#define FEW_SIZES 6

/* Of files with great blocks; and what is no longer small, in bytes. */
#define GREAT_OPS_MIN 6
#define GREAT_OPS_MORE 90
#define GREAT_BYTES (UINT64_C(1) << 20)

/* Sizes that a file prefers. */
enum taste {
	TASTE_SMALL,
	TASTE_MIXED,
	TASTE_FEW,
	TASTE_EDGE,
	TASTES,
};

struct live {
	uint32_t block;
	uint64_t bytes;
};

struct draw {
	struct drawing *drawing;
	uint64_t state;
	enum taste taste;
	uint64_t sbct_bytes;
	uint64_t few[FEW_SIZES];

	struct live lives[LIVE_MAX];
	uint32_t live_count;
	uint32_t live_wanted;
	uint32_t realloc_percent;

	/* sbct changes on the way. */
	bool has_new_sbct;
};

/* splitmix64 */
static uint64_t next_random(struct draw *draw)
{
	uint64_t x = draw->state += UINT64_C(0x9E3779B97F4A7C15);

	x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	return x ^ x >> 31;
}

static uint64_t below(struct draw *draw, uint64_t limit)
{
	return next_random(draw) % limit;
}

static bool chance(struct draw *draw, uint64_t percent)
{
	return below(draw, 100) < percent;
}

/* A parameter with one of several values, in most files left at its default. */
struct choice {
	const char *name;
	uint64_t percent;
	uint64_t values[8];
	size_t count;
};

static const struct choice choices[] = {
	{ "mmbcs", 60, { 0, 1, 16, 64, 130, 300, 2048, 70000 }, 8 },
	{ "smbcs", 60, { 0, 1, 16, 64, 100, 256, 300, 3000 }, 8 },
	{ "lmbcs", 50, { 0, 16, 256, 400, 512, 1000, 2000, 70000 }, 8 },
	{ "mbcgs", 40, { 0, 1, 3, 4, 7, 20, 1000, INT64_MAX }, 8 },
	{ "asbcst", 40, { 0, 1, 16, 40, 64, 512, 100000, UINT64_C(1) << 54 }, 8 },
	{ "rsbcst", 40, { 0, 1, 5, 20, 60, 99, 100, 101 }, 8 },
	{ "rsbcmt", 40, { 0, 1, 50, 80, 99, 100, 101, INT64_MAX }, 8 },
	{ "rmbcmt", 50, { 0, 1, 20, 50, 90, 99, 100, 101 }, 8 },
	{ "mmsbc", 25, { 0, 1, 2, 3, 5, 8 }, 6 },
	{ "mmmbc", 25, { 0, 1, 2, 3, 5, 8 }, 6 },
	{ "acful", 20, { 0, 20, 50, 60, 90, 100 }, 6 },
	{ "mbsd", 60, { 0, 1, 2, 4, 5, 10, 100, INT64_MAX }, 8 },
};

static char *add_parameter(struct draw *draw)
{
	return draw->drawing->parameters[draw->drawing->parameter_count++];
}

static void draw_parameters(struct draw *draw, enum csc_strategy strategy)
{
	static const uint64_t thresholds[] = { 0, 1, 4, 8, 16, 64, 100, 256, 1000, 8192, 100000,
		UINT64_C(1) << 44, UINT64_C(1) << 54 };

	snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "as%s", csc_strategy_name(strategy));
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct choice *choice = &choices[i];
		uint64_t value = choice->values[below(draw, choice->count)];

		if (!chance(draw, choice->percent) ||
				(strategy != CSC_GF && choice->name[1] == 'b' &&
						choice->name[2] == 's')) {
			continue;
		}
		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "%s%" PRIu64, choice->name,
				value);
	}
	draw->sbct_bytes = 512 * 1024;
	if (chance(draw, 60)) {
		uint64_t value =
				thresholds[below(draw, sizeof(thresholds) / sizeof(thresholds[0]))];

		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "sbct%" PRIu64, value);
		/* Blocks do not get so large. */
		draw->sbct_bytes = value < 8192 ? value * 1024 : 2 << 20;
	}
	if (chance(draw, 12)) {
		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "ramvtrue");
	}
	if (chance(draw, 25)) {
		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "atagstrue");
	}
}

/* Half of the sizes below 2^bits, a quarter above that, and so on. */
static uint64_t draw_log(struct draw *draw, uint64_t bits)
{
	uint64_t limit = UINT64_C(1) << (3 + below(draw, bits));

	return below(draw, limit) + limit / 8;
}

static uint64_t draw_edge(struct draw *draw)
{
	/* What fills a carrier, its header and slack taken off; or the threshold. */
	uint64_t near = chance(draw, 40) ? draw->sbct_bytes
					 : (UINT64_C(16384) << below(draw, 7)) - 400;

	return near - 96 + below(draw, 192);
}

static uint64_t draw_bytes(struct draw *draw)
{
	if (chance(draw, 2)) {
		return below(draw, 20);
	}
	switch (draw->taste) {
	case TASTE_SMALL:
		return draw_log(draw, 10);
	case TASTE_FEW:
		return draw->few[below(draw, FEW_SIZES)];
	case TASTE_EDGE:
		return chance(draw, 60) ? draw_edge(draw) : draw_log(draw, 12);
	default:
		if (chance(draw, 4)) {
			return draw->sbct_bytes + below(draw, 2 << 20);
		}
		return draw_log(draw, 16);
	}
}

/* What nobody can have, now and then. */
static uint64_t draw_huge(struct draw *draw)
{
	/* More than a header can say. */
	if (chance(draw, 20)) {
		return UINT64_MAX - below(draw, 100);
	}
	return (UINT64_C(1) << (47 + below(draw, 17))) - below(draw, 3) * 20;
}

static uint64_t draw_new_bytes(struct draw *draw, uint64_t bytes)
{
	switch (below(draw, 8)) {
	case 0:
		return bytes;
	case 1:
		return bytes + below(draw, 40);
	case 2:
		return bytes - (bytes < 40 ? 0 : below(draw, 40));
	case 3:
		return bytes * (100 + below(draw, 120)) / 100;
	case 4:
		return bytes * below(draw, 100) / 100;
	case 5:
		return bytes * (15 + below(draw, 10)) / 100;
	default:
		return draw_bytes(draw);
	}
}

static struct opfile_op *add_op(struct draw *draw, char kind, uint32_t block, uint64_t value)
{
	struct opfile *opfile = &draw->drawing->opfile;

	opfile->ops[opfile->op_count] = (struct opfile_op){
		.kind = kind,
		.block = block,
		.value = value,
	};
	return &opfile->ops[opfile->op_count++];
}

static void draw_alloc(struct draw *draw)
{
	struct opfile *opfile = &draw->drawing->opfile;
	uint64_t bytes = below(draw, 400) ? draw_bytes(draw) : draw_huge(draw);
	uint32_t block = (uint32_t)opfile->block_count++;

	add_op(draw, 'a', block, bytes);
	draw->lives[draw->live_count++] = (struct live){ .block = block, .bytes = bytes };
}

static void draw_op(struct draw *draw)
{
	struct live *live = &draw->lives[draw->live_count ? below(draw, draw->live_count) : 0];

	if (chance(draw, 1)) {
		add_op(draw, 's', 0, below(draw, 2));
	} else if (draw->has_new_sbct && chance(draw, 1)) {
		draw->sbct_bytes = draw_log(draw, 18);
		add_op(draw, 'b', 0, draw->sbct_bytes);
	} else if (draw->live_count && chance(draw, draw->realloc_percent)) {
		uint64_t bytes = below(draw, 400) ? draw_new_bytes(draw, live->bytes & 0xFFFFFF)
						  : draw_huge(draw);

		add_op(draw, 'r', live->block, bytes);
		live->bytes = bytes;
	} else if (draw->live_count == LIVE_MAX ||
			(draw->live_count &&
					below(draw, draw->live_wanted * 2) < draw->live_count)) {
		add_op(draw, 'f', live->block, 0);
		*live = draw->lives[--draw->live_count];
	} else {
		draw_alloc(draw);
	}
}

bool drawing_init(struct drawing *drawing, enum csc_strategy strategy, uint64_t seed)
{
	struct draw draw = {
		.drawing = drawing,
		.state = seed * 64 + strategy,
	};
	size_t op_count;

	*drawing = (struct drawing){ .parameter_count = 0 };
	snprintf(drawing->opfile.case_name, sizeof(drawing->opfile.case_name), "live_%s_%" PRIu64,
			csc_strategy_name(strategy), seed);
	draw_parameters(&draw, strategy);
	draw.taste = (enum taste)below(&draw, TASTES);
	draw.live_wanted = 1 + (uint32_t)below(&draw, chance(&draw, 50) ? 20 : 160);
	draw.realloc_percent = (uint32_t)below(&draw, 4) * 20;
	draw.has_new_sbct = runtime_can_set_sbct() && chance(&draw, 25);
	for (size_t i = 0; i < FEW_SIZES; i++) {
		draw.few[i] = draw_log(&draw, i < 2 ? 15 : 9);
	}

	op_count = OPS_MIN + below(&draw, OPS_MORE);
	/* Room for the last operations: everything is freed, and one look at the end. */
	drawing->opfile.ops = calloc(op_count + LIVE_MAX + 2, sizeof(*drawing->opfile.ops));
	if (!drawing->opfile.ops) {
		return false;
	}
	while (drawing->opfile.op_count < op_count) {
		draw_op(&draw);
		if (drawing->opfile.op_count % 200 == 0) {
			draw.live_wanted = 1 + (uint32_t)below(&draw, 160);
		}
	}
	add_op(&draw, 's', 0, 1);
	while (draw.live_count && chance(&draw, 98)) {
		uint32_t i = (uint32_t)below(&draw, draw.live_count);

		add_op(&draw, 'f', draw.lives[i].block, 0);
		draw.lives[i] = draw.lives[--draw.live_count];
	}
	add_op(&draw, 's', 0, 0);
	return true;
}

/* A block size near a multiple of 4 GiB, or any up to 12 GiB; in bytes. */
static uint64_t draw_great(struct draw *draw)
{
	uint64_t near = (UINT64_C(1) << 32) * (1 + below(draw, 2));
	uint64_t off = below(draw, UINT64_C(1) << (3 + below(draw, 22)));

	if (chance(draw, 25)) {
		return below(draw, UINT64_C(12) << 30);
	}
	return chance(draw, 50) ? near + off : near - off;
}

static uint64_t draw_great_op_bytes(struct draw *draw, uint32_t percent)
{
	return chance(draw, percent) ? draw_great(draw) : draw_log(draw, 12);
}

static void draw_great_parameters(struct draw *draw, enum csc_strategy strategy)
{
	static const uint64_t moving[] = { 0, 20, 50, 80, 101 };

	snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "as%s", csc_strategy_name(strategy));
	/* Everything goes into multi-block carriers. */
	snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "sbct%" PRIu64, UINT64_C(1) << 54);
	snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "mmbcs%" PRIu64,
			chance(draw, 30) ? draw_great(draw) >> 10 : 0);
	snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "rmbcmt%" PRIu64,
			moving[below(draw, 5)]);
	if (chance(draw, 40)) {
		/* From sys_alloc: not a power of two. */
		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "mmmbc0");
	}
	if (chance(draw, 25)) {
		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "smbcs%" PRIu64,
				draw_great(draw) >> 10);
	}
	if (chance(draw, 15)) {
		snprintf(add_parameter(draw), RUNTIME_PARAMETER_BYTES, "atagstrue");
	}
}

/* Nothing is copied but what was small and will be: no page of a great block is touched. */
static void draw_great_op(struct draw *draw, uint32_t great_percent)
{
	struct live *live = &draw->lives[draw->live_count ? below(draw, draw->live_count) : 0];

	if (draw->live_count && chance(draw, draw->realloc_percent)) {
		bool was_great = live->bytes > GREAT_BYTES;
		uint64_t bytes = draw_great_op_bytes(draw, was_great ? 0 : great_percent / 2);

		add_op(draw, 'r', live->block, bytes);
		live->bytes = was_great ? live->bytes : bytes;
	} else if (draw->live_count &&
			below(draw, (uint64_t)draw->live_wanted * 2) < draw->live_count) {
		add_op(draw, 'f', live->block, 0);
		*live = draw->lives[--draw->live_count];
	} else {
		struct opfile *opfile = &draw->drawing->opfile;
		uint64_t bytes = draw_great_op_bytes(draw, great_percent);
		uint32_t block = (uint32_t)opfile->block_count++;

		add_op(draw, 'a', block, bytes);
		draw->lives[draw->live_count++] = (struct live){ .block = block, .bytes = bytes };
	}
}

bool drawing_init_great(struct drawing *drawing, enum csc_strategy strategy, uint64_t seed)
{
	struct draw draw = {
		.drawing = drawing,
		.state = (seed * 64 + strategy) ^ UINT64_C(0x6772656174),
	};
	size_t op_count;
	uint32_t great_percent;

	*drawing = (struct drawing){ .parameter_count = 0 };
	snprintf(drawing->opfile.case_name, sizeof(drawing->opfile.case_name), "great_%s_%" PRIu64,
			csc_strategy_name(strategy), seed);
	draw_great_parameters(&draw, strategy);
	draw.live_wanted = 2 + (uint32_t)below(&draw, 14);
	draw.realloc_percent = (uint32_t)below(&draw, 4) * 10;
	great_percent = 10 + (uint32_t)below(&draw, 60);
	op_count = GREAT_OPS_MIN + below(&draw, GREAT_OPS_MORE);
	if (chance(&draw, 30)) {
		/* Deep trees. */
		draw.live_wanted = 20 + (uint32_t)below(&draw, 80);
		great_percent = 3 + great_percent / 4;
		op_count *= 6;
	}
	drawing->opfile.ops = calloc(op_count + 2, sizeof(*drawing->opfile.ops));
	if (!drawing->opfile.ops) {
		return false;
	}
	while (drawing->opfile.op_count < op_count) {
		draw_great_op(&draw, great_percent);
	}
	add_op(&draw, 's', 0, 0);
	return true;
}

void drawing_finish(struct drawing *drawing)
{
	opfile_finish(&drawing->opfile);
}
