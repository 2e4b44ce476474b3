/* SPDX-License-Identifier: MIT */
/* A naive strategy around the real one. */
#include "naive.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firstfit.h"
#include "layout.h"
#include "multi_calls.h"

#define NAIVE_MAX 65536

struct naive_block {
	csc_word address;
	csc_word bytes;
	csc_word carrier;
};

/* The order within a group of equals, or of a list, is the order here. */
static struct naive_block blocks[NAIVE_MAX];
static size_t block_count;
static size_t choices;
static const struct strategy_ops *real;
static struct strategy_ops naive_ops;

void naive_reset(void)
{
	block_count = 0;
	choices = 0;
	real = NULL;
}

size_t naive_choices(void)
{
	return choices;
}

size_t naive_blocks(void)
{
	return block_count;
}

static void insert_at(size_t place, struct naive_block block)
{
	assert_true(block_count < NAIVE_MAX);
	for (size_t i = block_count; i > place; i--) {
		blocks[i] = blocks[i - 1];
	}
	blocks[place] = block;
	block_count++;
}

static size_t find(csc_word address)
{
	for (size_t i = 0; i < block_count; i++) {
		if (blocks[i].address == address) {
			return i;
		}
	}
	fail_msg("block %#llx is not free", (unsigned long long)address);
	return 0;
}

static void forget(csc_word address)
{
	size_t place = find(address);

	block_count--;
	for (size_t i = place; i < block_count; i++) {
		blocks[i] = blocks[i + 1];
	}
}

/* Equal sizes hang behind the one that came first; the newest directly behind it. */
static size_t place_of(const struct csc_instance *instance, const struct naive_block *block)
{
	bool is_family = csc_strategy_is_first_fit(instance->settings.strategy);

	if (instance->settings.strategy == CSC_GF) {
		return 0;
	}
	if (instance->settings.strategy == CSC_AF) {
		return block_count && blocks[0].bytes > block->bytes ? 1 : 0;
	}
	for (size_t i = 0; i < block_count; i++) {
		if (blocks[i].bytes == block->bytes &&
				(!is_family || blocks[i].carrier == block->carrier)) {
			return i + 1;
		}
	}
	return block_count;
}

static void note(const struct csc_instance *instance, csc_word address)
{
	const struct node *node = node_at(instance->core, address);
	struct naive_block block = {
		.address = address,
		.bytes = tree_size(node),
		.carrier = node->carrier,
	};

	insert_at(place_of(instance, &block), block);
}

static void naive_link(
		struct csc_instance *instance, csc_word address, csc_word bytes, csc_word carrier)
{
	note(instance, address);
	real->link(instance, address, bytes, carrier);
}

static void naive_unlink(struct csc_instance *instance, csc_word address, csc_word carrier)
{
	forget(address);
	real->unlink(instance, address, carrier);
}

/* Best fit: the smallest; of equals the second in line, if there is one. */
static size_t choose_bf(csc_word want)
{
	size_t best = NAIVE_MAX;
	size_t second = NAIVE_MAX;

	for (size_t i = 0; i < block_count; i++) {
		if (blocks[i].bytes < want) {
			continue;
		}
		if (best == NAIVE_MAX || blocks[i].bytes < blocks[best].bytes) {
			best = i;
			second = NAIVE_MAX;
		} else if (second == NAIVE_MAX && blocks[i].bytes == blocks[best].bytes) {
			second = i;
		}
	}
	return second == NAIVE_MAX ? best : second;
}

static size_t choose_aobf(csc_word want)
{
	size_t best = NAIVE_MAX;

	for (size_t i = 0; i < block_count; i++) {
		if (blocks[i].bytes >= want &&
				(best == NAIVE_MAX || blocks[i].bytes < blocks[best].bytes ||
						(blocks[i].bytes == blocks[best].bytes &&
								blocks[i].address <
										blocks[best].address))) {
			best = i;
		}
	}
	return best;
}

/* The bucket of a size, counted zone by zone. */
static unsigned int bucket_of(
		const struct csc_instance *instance, csc_word bytes, csc_word *ret_least)
{
	uint64_t sbct = instance->settings.sbct;
	uint64_t start = instance->min_block;
	uint64_t steps[4] = { 8, 128, 768, 768 };
	unsigned int bucket = 0;

	for (int zone = 0; zone < 4; zone++) {
		uint64_t d = 0;

		if (zone == 3) {
			d = ((3 * (sbct - start - 1) / 63 + 1) / 2 + 7) / 8 * 8;
			steps[3] = d > 768 ? d : 768;
		}
		for (int i = 0; i < 64; i++) {
			if (bytes < start + steps[zone] || bucket == 255) {
				*ret_least = (csc_word)start;
				return bucket;
			}
			start += steps[zone];
			bucket++;
		}
	}
	return 255;
}

static size_t search_gf(const struct csc_instance *instance, unsigned int bucket, csc_word want)
{
	csc_word last = instance->mbcs.last == instance->main_carrier ? 0 : instance->mbcs.last;
	uint64_t seen = 0;
	size_t best = NAIVE_MAX;

	for (size_t i = 0; i < block_count && seen < instance->settings.mbsd; i++) {
		csc_word least = 0;
		bool is_recent = last && blocks[i].carrier == last;

		if (bucket_of(instance, blocks[i].bytes, &least) != bucket) {
			continue;
		}
		seen++;
		if (blocks[i].bytes < want) {
			continue;
		}
		if (!is_recent && blocks[i].bytes == (want > least ? want : least)) {
			return i;
		}

		bool best_recent = best < NAIVE_MAX && last && blocks[best].carrier == last;
		if (best == NAIVE_MAX || is_recent < best_recent ||
				(is_recent == best_recent &&
						blocks[i].bytes < blocks[best].bytes)) {
			best = i;
		}
	}
	return best;
}

static size_t choose_gf(const struct csc_instance *instance, csc_word want)
{
	csc_word least;
	unsigned int wanted = bucket_of(instance, want, &least);
	unsigned int filled[2] = { 256, 256 };

	for (size_t i = 0; i < block_count; i++) {
		unsigned int bucket = bucket_of(instance, blocks[i].bytes, &least);

		if (bucket >= wanted && bucket < filled[0]) {
			filled[0] = bucket;
		}
		if (bucket > wanted && bucket < filled[1]) {
			filled[1] = bucket;
		}
	}

	size_t found = search_gf(instance, filled[0], want);
	if (found == NAIVE_MAX && filled[0] == wanted) {
		found = search_gf(instance, filled[1], want);
	}
	return found;
}

/* `a` is before `b` in the order of the carrier, or, if `is_cbf`, `a` came before in the list. */
static bool is_before(
		enum tree_order order, const struct naive_block *a, const struct naive_block *b)
{
	if (order != TREE_ADDRESS && a->bytes != b->bytes) {
		return a->bytes < b->bytes;
	}
	return order == TREE_SIZE ? a < b : a->address < b->address;
}

static size_t choose_family(const struct csc_instance *instance, csc_word want)
{
	const struct csc_core *core = instance->core;
	bool is_aged = instance->settings.strategy >= CSC_AGEFFCAOFF;
	csc_word best_carrier = 0;
	uint64_t best_birth = 0;
	size_t best = NAIVE_MAX;

	for (size_t i = 0; i < block_count; i++) {
		csc_word carrier = blocks[i].carrier;
		uint64_t birth = is_aged ? tree_birth(&fit_carrier_at(core, carrier)->node)
					 : carrier;

		if (blocks[i].bytes < want || carrier_at(core, carrier)->owner & OWNER_IN_POOL ||
				carrier_at(core, carrier)->owner >> 3 != instance->handle) {
			continue;
		}
		if (!best_carrier || birth < best_birth) {
			best_carrier = carrier;
			best_birth = birth;
		}
	}
	for (size_t i = 0; i < block_count; i++) {
		enum tree_order order = firstfit_block_order(instance->settings.strategy);

		if (blocks[i].bytes >= want && blocks[i].carrier == best_carrier &&
				(best == NAIVE_MAX ||
						is_before(order, &blocks[i], &blocks[best]))) {
			best = i;
		}
	}
	return best;
}

/* The candidate is good enough to stay there. */
static bool is_refused(const struct csc_instance *instance, const struct naive_block *best,
		const struct candidate *candidate)
{
	enum csc_strategy strategy = instance->settings.strategy;
	enum tree_order order = firstfit_block_order(strategy);

	switch (strategy) {
	case CSC_AF:
		return false;
	case CSC_BF:
	case CSC_GF:
		return candidate->size_bytes <= best->bytes;
	case CSC_AOBF:
		return candidate->size_bytes < best->bytes ||
				(candidate->size_bytes == best->bytes &&
						candidate->address < best->address);
	default:
		break;
	}
	if (order != TREE_ADDRESS && candidate->carrier == best->carrier) {
		csc_word own = block_size(*word_at(instance->core, candidate->address));

		if (own != best->bytes || order == TREE_SIZE) {
			return own < best->bytes;
		}
	}
	return candidate->address < best->address;
}

/* What has to be chosen; 0: nothing. */
static csc_word naive_choice(const struct csc_instance *instance, csc_word want,
		const struct candidate *candidate)
{
	size_t best;

	switch (instance->settings.strategy) {
	case CSC_BF:
		best = choose_bf(want);
		break;
	case CSC_AOBF:
		best = choose_aobf(want);
		break;
	case CSC_GF:
		best = choose_gf(instance, want);
		break;
	case CSC_AF:
		best = block_count && blocks[0].bytes >= want ? 0 : NAIVE_MAX;
		break;
	default:
		best = choose_family(instance, want);
		break;
	}
	if (best == NAIVE_MAX || (candidate && is_refused(instance, &blocks[best], candidate))) {
		return 0;
	}
	return blocks[best].address;
}

static csc_word naive_choose(struct csc_instance *instance, csc_word want)
{
	csc_word expected = naive_choice(instance, want, NULL);

	assert_int_equal(real->choose(instance, want), expected);
	choices++;
	return expected;
}

static csc_word naive_take(
		struct csc_instance *instance, csc_word want, const struct candidate *candidate)
{
	csc_word expected = naive_choice(instance, want, candidate);
	csc_word got = real->take(instance, want, candidate);

	assert_int_equal(got, expected);
	choices++;
	if (got) {
		forget(got);
	}
	return got;
}

/* Blocks that keep their place: the others are told as if they had gone and come. */
static void naive_cut(struct csc_instance *instance, csc_word block, csc_word rest)
{
	forget(block);
	note(instance, rest);
	real->cut(instance, block, rest);
}

static void naive_extend(struct csc_instance *instance, csc_word next, csc_word block)
{
	forget(next);
	note(instance, block);
	real->extend(instance, next, block);
}

static void naive_grow(struct csc_instance *instance, csc_word block)
{
	forget(block);
	note(instance, block);
	real->grow(instance, block);
}

/* The calls with these operations instead of the strategy's own. */
MULTI_CALLS(naive)

void naive_watch(struct csc_instance *instance)
{
	/* All instances of a test have the same strategy. */
	real = instance->ops;
	naive_ops = *real;
	naive_ops.alloc = naive_alloc;
	naive_ops.free = naive_free;
	naive_ops.link = naive_link;
	naive_ops.unlink = naive_unlink;
	naive_ops.take = naive_take;
	if (real->choose) {
		naive_ops.choose = naive_choose;
		naive_ops.cut = naive_cut;
		naive_ops.extend = naive_extend;
		naive_ops.grow = naive_grow;
	}
	instance->ops = &naive_ops;

	/* The main carrier is one free block by now. */
	if (instance->main_carrier) {
		csc_word address = instance->main_carrier + instance->mbc_header;
		struct naive_block block = {
			.address = address,
			.bytes = tree_size(node_at(instance->core, address)),
			.carrier = instance->main_carrier,
		};

		insert_at(place_of(instance, &block), block);
	}
}
