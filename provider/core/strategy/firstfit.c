/* SPDX-License-Identifier: MIT */
/*
 * The first-fit family: a tree of carriers, and in each carrier a tree of its free blocks.
 * Source: SOURCES.md 4.5.
 */
#include "firstfit.h"

#include "multi_calls.h"
#include "tree.h"
#include "tree_valid.h"

enum tree_order firstfit_block_order(enum csc_strategy strategy)
{
	switch (strategy) {
	case CSC_AOFFCBF:
	case CSC_AGEFFCBF:
		return TREE_SIZE;
	case CSC_AOFFCAOBF:
	case CSC_AGEFFCAOBF:
		return TREE_SIZE_ADDRESS;
	default:
		return TREE_ADDRESS;
	}
}

enum tree_order firstfit_carrier_order(enum csc_strategy strategy)
{
	return strategy >= CSC_AGEFFCAOFF ? TREE_AGE : TREE_ADDRESS;
}

static inline enum tree_order firstfit_order(const struct carrier *carrier)
{
	return (enum tree_order)(carrier->order & ~FIT_VAST);
}

/*
 * In an order of sizes the largest block is the last one: sums of subtrees are not kept, unless
 * they may be wrong (tree.h), when what they say counts.
 */
static inline bool firstfit_is_summed(const struct carrier *carrier)
{
	return carrier->order != TREE_SIZE && carrier->order != TREE_SIZE_ADDRESS;
}

/* What a search for the largest free block of a carrier finds, in bytes. */
static inline csc_word firstfit_largest_in(
		const struct csc_core *core, const struct carrier *carrier)
{
	csc_word last = carrier->root;

	if (!last) {
		return 0;
	}
	if (firstfit_is_summed(carrier)) {
		return node_at(core, last)->max_bytes;
	}
	while (node_at(core, last)->right) {
		last = node_at(core, last)->right;
	}
	return tree_size(node_at(core, last));
}

void firstfit_prepare(const struct csc_core *core, csc_word address, enum csc_strategy strategy,
		uint64_t birth)
{
	struct carrier *carrier = carrier_at(core, address);
	struct fit_carrier *fit = fit_carrier_at(core, address);

	carrier->order = (uint32_t)firstfit_block_order(strategy) |
			(carrier_size(carrier) > UINT32_MAX ? FIT_VAST : 0);
	carrier->planted_bytes = WORD_MAX;
	*fit = (struct fit_carrier){ 0 };
	fit->node.tail.birth[0] = (uint32_t)birth;
	fit->node.tail.birth[1] = (uint32_t)(birth >> 32);
}

/*
 * Keep the tree of carriers right after a block was linked or unlinked.  A linked block that is
 * larger than all before it counts with its whole size; after an unlinked one the carrier gets what
 * is stored in the root of its blocks, which has 32 bits.  See tree.h.
 */
static inline void firstfit_plant_bytes(
		const struct csc_core *core, csc_word address, csc_word bytes)
{
	carrier_at(core, address)->planted_bytes = bytes;
	fit_carrier_at(core, address)->node.head = bytes;
}

static inline void firstfit_note_linked(
		const struct csc_core *core, csc_word address, csc_word size_bytes)
{
	if (size_bytes > carrier_at(core, address)->planted_bytes) {
		firstfit_plant_bytes(core, address, size_bytes);
		tree_raise(core, fit_node_address(core, address), size_bytes);
	}
}

static inline void firstfit_note_unlinked(const struct csc_core *core, csc_word address)
{
	const struct carrier *carrier = carrier_at(core, address);
	csc_word largest = firstfit_largest_in(core, carrier);

	if (largest != carrier->planted_bytes && carrier->planted_bytes != WORD_MAX) {
		firstfit_plant_bytes(core, address, largest);
		tree_lower(core, fit_node_address(core, address), 0);
	}
}

static void firstfit_list(const struct csc_core *core, csc_word head, csc_word block)
{
	struct node *first = node_at(core, head);
	struct node *node = node_at(core, block);
	csc_word next = first->tail.next;

	node->flags = NODE_LISTED;
	node->parent = head;
	node->tail.next = next;
	first->tail.next = block;
	if (next) {
		node_at(core, next)->parent = block;
	}
}

static void firstfit_link(
		struct csc_instance *instance, csc_word block, csc_word bytes, csc_word address)
{
	const struct csc_core *core = instance->core;
	struct carrier *carrier = carrier_at(core, address);
	csc_word *root = &carrier->root;
	csc_word head = 0;

	switch (carrier->order) {
	case TREE_SIZE:
		node_at(core, block)->tail.next = 0;
		head = tree_insert(core, root, block, bytes, TREE_SIZE, false);
		break;
	case TREE_SIZE | FIT_VAST:
		node_at(core, block)->tail.next = 0;
		head = tree_insert(core, root, block, bytes, TREE_SIZE, true);
		break;
	case TREE_SIZE_ADDRESS:
		tree_insert(core, root, block, bytes, TREE_SIZE_ADDRESS, false);
		break;
	case TREE_SIZE_ADDRESS | FIT_VAST:
		tree_insert(core, root, block, bytes, TREE_SIZE_ADDRESS, true);
		break;
	default:
		tree_insert(core, root, block, bytes, TREE_ADDRESS, true);
		break;
	}
	if (head) {
		firstfit_list(core, head, block);
	}
	firstfit_note_linked(core, address, bytes);
}

static void firstfit_unlink(struct csc_instance *instance, csc_word block, csc_word address)
{
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);
	struct carrier *carrier = carrier_at(core, address);

	if (firstfit_order(carrier) == TREE_SIZE) {
		csc_word next = node->tail.next;

		if (node->flags & NODE_LISTED) {
			node_at(core, node->parent)->tail.next = next;
			if (next) {
				node_at(core, next)->parent = node->parent;
			}
			return;
		}
		if (next) {
			tree_replace(core, &carrier->root, block, next, true);
			return;
		}
	}
	if (firstfit_is_summed(carrier)) {
		tree_remove(core, &carrier->root, block, true);
		firstfit_note_unlinked(core, address);
		return;
	}
	tree_remove(core, &carrier->root, block, false);
	if (tree_size(node) == carrier->planted_bytes) {
		firstfit_note_unlinked(core, address);
	}
}

/* The candidate is strictly better than `block`. */
static bool firstfit_is_worse(
		const struct csc_core *core, csc_word block, const struct candidate *candidate)
{
	const struct node *node = node_at(core, block);
	enum tree_order order = firstfit_order(carrier_at(core, node->carrier));

	if (order != TREE_ADDRESS && candidate->carrier == node->carrier) {
		csc_word own_bytes = block_size(node_at(core, candidate->address)->head);
		csc_word best_bytes = tree_size(node);

		if (own_bytes != best_bytes) {
			return own_bytes < best_bytes;
		}
		if (order == TREE_SIZE) {
			return false;
		}
	}
	return candidate->address < block;
}

static inline csc_word firstfit_choose(struct csc_instance *instance, csc_word size_bytes)
{
	const struct csc_core *core = instance->core;
	csc_word place = tree_first_fit(core, instance->state.firstfit.root, size_bytes);
	const struct carrier *carrier;

	if (!place) {
		return 0;
	}
	carrier = carrier_at(core, place - fit_node_address(core, 0));
	if (carrier->order == TREE_SIZE || carrier->order == TREE_SIZE_ADDRESS) {
		/* The same block, and only sizes are looked at on the way. */
		return tree_best_fit(core, carrier->root, size_bytes);
	}
	return tree_first_fit(core, carrier->root, size_bytes);
}

static csc_word firstfit_take(struct csc_instance *instance, csc_word size_bytes,
		const struct candidate *candidate)
{
	const struct csc_core *core = instance->core;
	csc_word block = firstfit_choose(instance, size_bytes);

	if (!block || (candidate && firstfit_is_worse(core, block, candidate))) {
		return 0;
	}
	firstfit_unlink(instance, block, node_at(core, block)->carrier);
	return block;
}

/* In order of addresses, and only where all sums are right: otherwise each step would count. */
static bool firstfit_keeps_places(const struct csc_instance *instance, csc_word carrier)
{
	return carrier_at(instance->core, carrier)->order == TREE_ADDRESS &&
			!instance->state.firstfit.has_vast;
}

static void firstfit_cut(struct csc_instance *instance, csc_word block, csc_word rest)
{
	const struct csc_core *core = instance->core;
	csc_word carrier = node_at(core, rest)->carrier;

	tree_replace(core, &carrier_at(core, carrier)->root, block, rest, true);
	tree_lower(core, rest, 0);
	firstfit_note_unlinked(core, carrier);
}

static void firstfit_grow(struct csc_instance *instance, csc_word block)
{
	const struct csc_core *core = instance->core;
	const struct node *node = node_at(core, block);

	tree_raise(core, block, tree_size(node));
	firstfit_note_linked(core, node->carrier, tree_size(node));
}

static void firstfit_extend(struct csc_instance *instance, csc_word next, csc_word block)
{
	const struct csc_core *core = instance->core;
	csc_word carrier = node_at(core, block)->carrier;

	tree_replace(core, &carrier_at(core, carrier)->root, next, block, true);
	firstfit_grow(instance, block);
}

static csc_word firstfit_largest(const struct csc_instance *instance, csc_word address)
{
	return firstfit_largest_in(instance->core, carrier_at(instance->core, address));
}

static void firstfit_employ(struct csc_instance *instance, csc_word carrier)
{
	const struct csc_core *core = instance->core;
	csc_word address = fit_node_address(core, carrier);
	csc_word largest = firstfit_largest(instance, carrier);

	firstfit_plant_bytes(core, carrier, largest);
	if (carrier_at(core, carrier)->order & FIT_VAST) {
		instance->state.firstfit.has_vast = true;
	}
	if (firstfit_carrier_order(instance->settings.strategy) == TREE_AGE) {
		tree_insert(core, &instance->state.firstfit.root, address, largest, TREE_AGE, true);
	} else {
		tree_insert(core, &instance->state.firstfit.root, address, largest, TREE_ADDRESS,
				true);
	}
}

static void firstfit_dismiss(struct csc_instance *instance, csc_word carrier)
{
	const struct csc_core *core = instance->core;

	tree_remove(core, &instance->state.firstfit.root, fit_node_address(core, carrier), true);
	carrier_at(core, carrier)->planted_bytes = WORD_MAX;
}

static bool node_has_sum(const struct csc_core *core, csc_word address)
{
	const struct node *node = node_at(core, address);

	return node->max_bytes == tree_sum(core, node);
}

static bool firstfit_is_valid(const struct csc_instance *instance)
{
	const struct csc_core *core = instance->core;
	enum tree_order order = firstfit_carrier_order(instance->settings.strategy);
	/* Without a block of 4 GiB at any time, see tree.h. */
	bool is_exact = instance->mbc.max.bytes <= UINT32_MAX &&
			instance->mbc.ever.bytes <= UINT32_MAX;
	tree_check *is_good = is_exact ? node_has_sum : NULL;

	for (csc_word i = instance->mbcs.first; i; i = carrier_at(core, i)->next) {
		const struct carrier *carrier = carrier_at(core, i);
		tree_check *is_block_good = firstfit_is_summed(carrier) ? is_good : NULL;

		if (tree_black_depth(core, carrier->root, 0, firstfit_order(carrier),
				    is_block_good) < 0 ||
				carrier->planted_bytes != fit_carrier_at(core, i)->node.head ||
				(is_exact &&
						carrier->planted_bytes !=
								firstfit_largest(instance, i))) {
			return false;
		}
	}
	return tree_black_depth(core, instance->state.firstfit.root, 0, order, is_good) >= 0 &&
			tree_black_depth(core, instance->pooled_root, 0, order, is_good) >= 0;
}

MULTI_CALLS(firstfit)

const struct strategy_ops firstfit_ops = {
	STRATEGY_OPS(firstfit),
	.employ = firstfit_employ,
	.dismiss = firstfit_dismiss,
	.largest = firstfit_largest,
};

/* Instances whose own carriers are in order of addresses; they may employ others' as well. */
#define address_firstfit_link firstfit_link
#define address_firstfit_unlink firstfit_unlink
#define address_firstfit_take firstfit_take
#define address_firstfit_is_valid firstfit_is_valid

MULTI_CALLS(address_firstfit)

const struct strategy_ops address_firstfit_ops = {
	STRATEGY_OPS(address_firstfit),
	.choose = firstfit_choose,
	.keeps_places = firstfit_keeps_places,
	.cut = firstfit_cut,
	.extend = firstfit_extend,
	.grow = firstfit_grow,
	.employ = firstfit_employ,
	.dismiss = firstfit_dismiss,
	.largest = firstfit_largest,
};
