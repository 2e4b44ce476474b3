/* SPDX-License-Identifier: MIT */
#include "code.h"

#include <dlfcn.h>

#include "step.h"

/* Bounds of what is followed of one function. */
#define MOST_STEPS 600
#define MOST_BRANCHES 24
#define MOST_DEPTH 3

/* The functions, and which of an entry's functions they call first. */
static const struct {
	const char *name;
	unsigned int slot;
} functions[CODE_FUNCTIONS] = {
	{ "enif_alloc", 0 },
	{ "enif_realloc", 1 },
	{ "enif_free", 2 },
	{ "driver_alloc", 0 },
	{ "driver_realloc", 1 },
	{ "driver_free", 2 },
	{ "enif_alloc_binary", 0 },
	{ "driver_alloc_binary", 0 },
	{ "enif_alloc_env", 0 },
	{ "erl_drv_mutex_create", 0 },
	{ "erl_drv_cond_create", 0 },
	{ "erl_drv_rwlock_create", 0 },
};

struct walk {
	const struct image *image;
	const struct emulator *emulator;
	struct stepper *stepper;
	uintptr_t table;
	unsigned int slot;

	int steps;
	int branches;
	bool agrees;
	bool differs;
};

/* Where a way has got to. */
struct place {
	uintptr_t at;
	uintptr_t returns[MOST_DEPTH];
	size_t depth;
	struct machine machine;
};

static bool is_type(const struct walk *walk, struct value value)
{
	uint64_t word = value.number;

	return value.kind == VALUE_NUMBER && word != 0 && word <= UINT32_MAX &&
			type_number(word) < walk->emulator->type_count &&
			walk->emulator->type_words[type_number(word)] == word;
}

/* A call of what was loaded from FROM, for blocks of the type. */
static void compare(struct walk *walk, uintptr_t from, uintptr_t type)
{
	uintptr_t entry = walk->table + 32 * type_allocator(type);

	if (from == entry + 8 * (uintptr_t)walk->slot) {
		walk->agrees = true;
	} else if (from < entry || from >= entry + 24 || from % 8 != 0) {
		walk->differs = true;
	}
}

/* After a jump or a call; false: the way ends there. */
static bool go(struct walk *walk, struct place *place, const struct step *step)
{
	struct value argument = step_argument(&place->machine);
	bool is_known = step->target.kind == VALUE_NUMBER &&
			image_is_code(walk->image, step->target.number);
	bool is_call = step->kind == STEP_CALL;

	if (step->target.from != 0 && is_type(walk, argument)) {
		compare(walk, step->target.from, argument.number);
		return false;
	}
	if (!is_call) {
		place->at = step->target.number;
		return is_known;
	}
	if (is_known && is_type(walk, argument) && place->depth < MOST_DEPTH) {
		place->returns[place->depth++] = place->at + step->bytes;
		place->at = step->target.number;
		step_into(&place->machine);
		return true;
	}
	step_over(&place->machine);
	place->at += step->bytes;
	return true;
}

static bool come_back(struct place *place)
{
	if (place->depth == 0) {
		return false;
	}
	place->at = place->returns[--place->depth];
	step_out(&place->machine);
	return true;
}

/* Follows one way; NOLINT: each branch is a way of its own, and their number is bounded. */
static void follow(struct walk *walk, struct place place) /* NOLINT(misc-no-recursion) */
{
	bool goes_on = true;

	while (goes_on && walk->steps-- > 0 && image_is_code(walk->image, place.at)) {
		struct step step = step_one(walk->stepper, walk->image, place.at, &place.machine);

		switch (step.kind) {
		case STEP_ON:
			place.at += step.bytes;
			break;
		case STEP_BRANCH:
			if (walk->branches-- > 0) {
				struct place other = place;

				other.at = step.target.number;
				follow(walk, other);
			}
			place.at += step.bytes;
			break;
		case STEP_JUMP:
		case STEP_CALL:
			goes_on = go(walk, &place, &step);
			break;
		case STEP_RETURN:
			goes_on = come_back(&place);
			break;
		case STEP_END:
			goes_on = false;
			break;
		}
	}
}

static void ask(struct walk *walk, const char *name)
{
	struct place place = { .depth = 0 };
	const void *function = dlsym(RTLD_DEFAULT, name);

	walk->steps = MOST_STEPS;
	walk->branches = MOST_BRANCHES;
	walk->agrees = false;
	walk->differs = false;
	place.at = (uintptr_t)function;
	if (function) {
		step_enter(&place.machine);
		follow(walk, place);
	}
}

void code_ask(const struct image *image, const struct emulator *emulator, uintptr_t table,
		struct code_witness *ret_witness)
{
	struct walk walk = {
		.image = image,
		.emulator = emulator,
		.stepper = stepper_new(),
		.table = table,
	};

	*ret_witness = (struct code_witness){ .agreeing = 0 };
	for (size_t i = 0; walk.stepper && i < CODE_FUNCTIONS; i++) {
		walk.slot = functions[i].slot;
		ask(&walk, functions[i].name);
		ret_witness->differing += walk.differs;
		ret_witness->agreeing += walk.agrees && !walk.differs;
	}
	stepper_free(walk.stepper);
}
