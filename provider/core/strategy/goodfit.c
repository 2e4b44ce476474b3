/* SPDX-License-Identifier: MIT */
/*
 * Good fit: 256 lists of similar sizes, of which the first few elements are looked at.
 * Source: SOURCES.md 4.3.
 */
#include "strategy.h"

#include "multi_calls.h"
#include "tree.h"

#define ZONE_BUCKETS 64

/* Steps of the first three zones, in bytes; that of the last depends on the threshold. */
#define STEP_A 8
#define STEP_B 128
#define STEP_C 768

/* The lists are linked through `left` (previous) and `right` (next): the node ends there. */

void goodfit_init(struct csc_instance *instance)
{
	struct goodfit_state *state = &instance->state.goodfit;
	csc_word sbct = (csc_word)instance->settings.sbct;
	csc_word start = instance->min_block;
	csc_word last = 0;

	state->steps[0] = STEP_A;
	state->steps[1] = STEP_B;
	state->steps[2] = STEP_C;
	for (int i = 0; i < GOODFIT_ZONES; i++) {
		state->starts[i] = start;
		if (i + 1 < GOODFIT_ZONES) {
			start += ZONE_BUCKETS * state->steps[i];
		}
	}
	last = state->starts[3];

	/* The product may wrap, as it does in the runtime when sbct is unlimited. */
	state->steps[3] = 768;
	if (sbct > last - 1) {
		csc_word step = word_up8((3 * (sbct - last - 1) / 63 + 1) / 2);

		if (step > 768) {
			state->steps[3] = step;
		}
	}
}

static unsigned int goodfit_bucket(const struct goodfit_state *state, csc_word size_bytes)
{
	csc_word step;

	/* Known divisors: a division by a variable would be half of the work. */
	if (size_bytes < state->starts[1]) {
		return (unsigned int)((size_bytes - state->starts[0]) / STEP_A);
	}
	if (size_bytes < state->starts[2]) {
		step = (size_bytes - state->starts[1]) / STEP_B;
		return ZONE_BUCKETS + (unsigned int)step;
	}
	if (size_bytes < state->starts[3]) {
		step = (size_bytes - state->starts[2]) / STEP_C;
		return 2 * ZONE_BUCKETS + (unsigned int)step;
	}
	step = (size_bytes - state->starts[3]) / state->steps[3];
	return 3 * ZONE_BUCKETS + (step < ZONE_BUCKETS ? (unsigned int)step : ZONE_BUCKETS - 1);
}

/* The first bucket from `bucket` on that is not empty; GOODFIT_BUCKETS: none. */
static unsigned int goodfit_next_bucket(const struct goodfit_state *state, unsigned int bucket)
{
	unsigned int zone = bucket / ZONE_BUCKETS;
	uint64_t mask = 0;

	if (zone < GOODFIT_ZONES) {
		mask = state->masks[zone] & (UINT64_MAX << bucket % ZONE_BUCKETS);
	}
	while (!mask) {
		zone++;
		if (zone >= GOODFIT_ZONES) {
			return GOODFIT_BUCKETS;
		}
		mask = state->masks[zone];
	}
	return zone * ZONE_BUCKETS + (unsigned int)__builtin_ctzll(mask);
}

static void goodfit_link(
		struct csc_instance *instance, csc_word block, csc_word bytes, csc_word carrier)
{
	struct goodfit_state *state = &instance->state.goodfit;
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);
	unsigned int bucket = goodfit_bucket(state, bytes);
	csc_word next = state->buckets[bucket];

	(void)carrier;
	node->left = 0;
	node->right = next;
	if (next) {
		node_at(core, next)->left = block;
	}
	state->buckets[bucket] = block;
	state->masks[bucket / ZONE_BUCKETS] |= UINT64_C(1) << bucket % ZONE_BUCKETS;
}

static void goodfit_unlink(struct csc_instance *instance, csc_word block, csc_word carrier)
{
	struct goodfit_state *state = &instance->state.goodfit;
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);

	(void)carrier;
	if (node->right) {
		node_at(core, node->right)->left = node->left;
	}
	if (node->left) {
		node_at(core, node->left)->right = node->right;
		return;
	}

	unsigned int bucket = goodfit_bucket(state, tree_size(node));
	state->buckets[bucket] = node->right;
	if (!node->right) {
		state->masks[bucket / ZONE_BUCKETS] &= ~(UINT64_C(1) << bucket % ZONE_BUCKETS);
	}
}

/* The best of the first `mbsd` elements; 0: none is large enough. */
static csc_word goodfit_search(
		const struct csc_instance *instance, unsigned int bucket, csc_word size_bytes)
{
	const struct goodfit_state *state = &instance->state.goodfit;
	const struct csc_core *core = instance->core;
	unsigned int in_zone = bucket % ZONE_BUCKETS;
	csc_word least = state->starts[bucket / ZONE_BUCKETS] +
			in_zone * state->steps[bucket / ZONE_BUCKETS];
	csc_word target = size_bytes > least ? size_bytes : least;
	uint64_t depth = instance->settings.mbsd ? instance->settings.mbsd : 1;
	csc_word best = 0;
	csc_word best_bytes = 0;
	bool is_best_recent = false;

	for (csc_word i = state->buckets[bucket]; i && depth;
			i = node_at(core, i)->right, depth--) {
		const struct node *node = node_at(core, i);
		csc_word bytes = tree_size(node);

		if (bytes < target) {
			continue;
		}

		bool is_recent = state->last_carrier && node->carrier == state->last_carrier;
		if (bytes == target && !is_recent) {
			return i;
		}
		if (!best || (is_best_recent && !is_recent) ||
				(is_best_recent == is_recent && bytes < best_bytes)) {
			best = i;
			best_bytes = bytes;
			is_best_recent = is_recent;
		}
	}
	return best;
}

static csc_word goodfit_take(struct csc_instance *instance, csc_word size_bytes,
		const struct candidate *candidate)
{
	const struct goodfit_state *state = &instance->state.goodfit;
	unsigned int wanted = goodfit_bucket(state, size_bytes);
	unsigned int bucket = goodfit_next_bucket(state, wanted);
	csc_word block = 0;

	if (bucket < GOODFIT_BUCKETS) {
		block = goodfit_search(instance, bucket, size_bytes);
	}
	if (!block && bucket == wanted) {
		bucket = goodfit_next_bucket(state, wanted + 1);
		if (bucket < GOODFIT_BUCKETS) {
			block = goodfit_search(instance, bucket, size_bytes);
		}
	}
	if (!block) {
		return 0;
	}
	if (candidate && candidate->size_bytes <= tree_size(node_at(instance->core, block))) {
		return 0;
	}
	goodfit_unlink(instance, block, 0);
	return block;
}

/* The carriers have changed: the last one counts as recent, unless it is the main carrier. */
static void goodfit_look(struct csc_instance *instance, csc_word carrier)
{
	csc_word last = instance->mbcs.last;

	(void)carrier;
	instance->state.goodfit.last_carrier = last == instance->main_carrier ? 0 : last;
}

static bool goodfit_is_valid(const struct csc_instance *instance)
{
	const struct goodfit_state *state = &instance->state.goodfit;
	const struct csc_core *core = instance->core;

	for (unsigned int bucket = 0; bucket < GOODFIT_BUCKETS; bucket++) {
		csc_word before = 0;
		uint64_t bit = UINT64_C(1) << bucket % ZONE_BUCKETS;
		bool is_marked = state->masks[bucket / ZONE_BUCKETS] & bit;

		if (is_marked != (state->buckets[bucket] != 0)) {
			return false;
		}
		for (csc_word i = state->buckets[bucket]; i;
				before = i, i = node_at(core, i)->right) {
			const struct node *node = node_at(core, i);

			if (node->left != before ||
					goodfit_bucket(state, tree_size(node)) != bucket) {
				return false;
			}
		}
	}
	return true;
}

MULTI_CALLS(goodfit)

const struct strategy_ops goodfit_ops = {
	STRATEGY_OPS(goodfit),
	.employ = goodfit_look,
	.dismiss = goodfit_look,
};
