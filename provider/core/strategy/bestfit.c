/* SPDX-License-Identifier: MIT */
/*
 * Best fit: `bf`, by size, and `aobf`, by size and address.
 *
 * Small blocks are kept apart by their exact size: `bf` has a list for each, `aobf` a tree by
 * address. The smallest size that is there is found by a mask of bits.  Larger blocks are in a tree
 * by size, of `bf` with a list of equals behind each node.  What is chosen is the same as if all
 * were in one tree. Source: SOURCES.md 4.1, 4.2.
 */
#include "strategy.h"

#include "multi_calls.h"
#include "tree.h"
#include "tree_valid.h"

#define MASK_BITS 64

static bool bestfit_is_small(csc_word size_bytes)
{
	return size_bytes < (csc_word)BESTFIT_BINS * BLOCK_UNIT;
}

static unsigned int bestfit_bin(csc_word size_bytes)
{
	return (unsigned int)(size_bytes / BLOCK_UNIT);
}

static void bestfit_mark(struct bestfit_state *state, unsigned int bin)
{
	state->masks[bin / MASK_BITS] |= UINT64_C(1) << bin % MASK_BITS;
}

static void bestfit_unmark(struct bestfit_state *state, unsigned int bin)
{
	state->masks[bin / MASK_BITS] &= ~(UINT64_C(1) << bin % MASK_BITS);
}

/* The first bin for `size_bytes` that is not empty; BESTFIT_BINS: none. */
static unsigned int bestfit_next_bin(const struct bestfit_state *state, csc_word size_bytes)
{
	unsigned int bin = bestfit_is_small(size_bytes) ? bestfit_bin(size_bytes) : BESTFIT_BINS;
	unsigned int at = bin / MASK_BITS;
	uint64_t mask;

	if (bin >= BESTFIT_BINS) {
		return BESTFIT_BINS;
	}
	mask = state->masks[at] & (UINT64_MAX << bin % MASK_BITS);
	while (!mask) {
		at++;
		if (at >= BESTFIT_BINS / MASK_BITS) {
			return BESTFIT_BINS;
		}
		mask = state->masks[at];
	}
	return at * MASK_BITS + (unsigned int)__builtin_ctzll(mask);
}

/*
 * Lists of `bf`, linked through `left` (newer) and `right` (older).  The end of a list is the block
 * that was there first: taken last, and when it goes otherwise the newest comes to its place
 * (SOURCES.md 4.1).
 */
static void bestfit_push(const struct csc_core *core, struct bestfit_state *state, csc_word block,
		csc_word bytes)
{
	struct node *node = node_at(core, block);
	unsigned int bin = bestfit_bin(bytes);
	csc_word older = state->firsts[bin];

	node->left = 0;
	node->right = older;
	state->firsts[bin] = block;
	if (older) {
		node_at(core, older)->left = block;
	} else {
		state->others[bin] = block;
		bestfit_mark(state, bin);
	}
}

/* The end has gone, and others are there: the newest becomes the end. */
static void bestfit_turn(const struct csc_core *core, struct bestfit_state *state, unsigned int bin)
{
	csc_word last = state->others[bin];
	csc_word newest = state->firsts[bin];
	struct node *node = node_at(core, newest);

	if (newest == last) {
		return;
	}
	state->firsts[bin] = node->right;
	node_at(core, node->right)->left = 0;
	node->left = last;
	node->right = 0;
	node_at(core, last)->right = newest;
	state->others[bin] = newest;
}

static void bestfit_drop(const struct csc_core *core, struct bestfit_state *state, csc_word block)
{
	struct node *node = node_at(core, block);
	unsigned int bin = bestfit_bin(tree_size(node));
	csc_word newer = node->left;
	csc_word older = node->right;

	if (newer) {
		node_at(core, newer)->right = older;
	} else {
		state->firsts[bin] = older;
	}
	if (older) {
		node_at(core, older)->left = newer;
	} else if (newer) {
		state->others[bin] = newer;
		bestfit_turn(core, state, bin);
	} else {
		state->others[bin] = 0;
		bestfit_unmark(state, bin);
	}
}

/*
 * The next element of the list of equals.  With 4-byte words it is where others have the sum of
 * their subtree.
 */
static csc_word *bestfit_next(struct node *node)
{
#if CSC_WORD_BYTES == 8
	return &node->tail.next;
#else
	return (csc_word *)&node->max_bytes;
#endif
}

/* Larger blocks, in the tree. */
static void bestfit_plant(
		const struct csc_core *core, csc_word *root, csc_word block, csc_word bytes)
{
	struct node *node = node_at(core, block);

	*bestfit_next(node) = 0;

	csc_word head = tree_insert(core, root, block, bytes, TREE_SIZE, false);
	if (head) {
		struct node *first = node_at(core, head);
		csc_word next = *bestfit_next(first);

		node->flags = NODE_LISTED;
		node->parent = head;
		*bestfit_next(node) = next;
		*bestfit_next(first) = block;
		if (next) {
			node_at(core, next)->parent = block;
		}
	}
}

static void bestfit_uproot(const struct csc_core *core, csc_word *root, csc_word block)
{
	struct node *node = node_at(core, block);
	csc_word next = *bestfit_next(node);

	if (node->flags & NODE_LISTED) {
		*bestfit_next(node_at(core, node->parent)) = next;
		if (next) {
			node_at(core, next)->parent = node->parent;
		}
	} else if (next) {
		tree_replace(core, root, block, next, false);
	} else {
		tree_remove(core, root, block, false);
	}
}

static void bestfit_link(
		struct csc_instance *instance, csc_word block, csc_word bytes, csc_word carrier)
{
	struct bestfit_state *state = &instance->state.bestfit;

	(void)carrier;
	if (bestfit_is_small(bytes)) {
		bestfit_push(instance->core, state, block, bytes);
	} else {
		bestfit_plant(instance->core, &state->root, block, bytes);
	}
}

static void bestfit_unlink(struct csc_instance *instance, csc_word block, csc_word carrier)
{
	struct bestfit_state *state = &instance->state.bestfit;

	(void)carrier;
	if (bestfit_is_small(tree_size(node_at(instance->core, block)))) {
		bestfit_drop(instance->core, state, block);
	} else {
		bestfit_uproot(instance->core, &state->root, block);
	}
}

static csc_word bestfit_take(struct csc_instance *instance, csc_word size_bytes,
		const struct candidate *candidate)
{
	const struct csc_core *core = instance->core;
	struct bestfit_state *state = &instance->state.bestfit;
	unsigned int bin = bestfit_next_bin(state, size_bytes);
	csc_word block = bin < BESTFIT_BINS ? state->firsts[bin]
					    : tree_best_fit(core, state->root, size_bytes);

	if (!block || (candidate && candidate->size_bytes <= tree_size(node_at(core, block)))) {
		return 0;
	}
	if (bin < BESTFIT_BINS) {
		bestfit_drop(core, state, block);
		return block;
	}

	/* The newest of that size; the one that was first stays until it is alone. */
	csc_word next = *bestfit_next(node_at(core, block));
	block = next ? next : block;
	bestfit_uproot(core, &state->root, block);
	return block;
}

static void address_bestfit_link(
		struct csc_instance *instance, csc_word block, csc_word bytes, csc_word carrier)
{
	const struct csc_core *core = instance->core;
	struct bestfit_state *state = &instance->state.bestfit;
	unsigned int bin = bestfit_bin(bytes);

	(void)carrier;
	if (!bestfit_is_small(bytes)) {
		tree_insert(core, &state->root, block, bytes, TREE_SIZE_ADDRESS, false);
		return;
	}
	if (!state->firsts[bin] || block < state->firsts[bin]) {
		state->firsts[bin] = block;
	}
	bestfit_mark(state, bin);
	tree_insert(core, &state->others[bin], block, bytes, TREE_ADDRESS, false);
}

/* The next one in order, of a node that has none on its left. */
static csc_word tree_second(const struct csc_core *core, csc_word first)
{
	csc_word next = node_at(core, first)->right;

	if (!next) {
		return node_at(core, first)->parent;
	}
	while (node_at(core, next)->left) {
		next = node_at(core, next)->left;
	}
	return next;
}

static void address_bestfit_unlink(struct csc_instance *instance, csc_word block, csc_word carrier)
{
	const struct csc_core *core = instance->core;
	struct bestfit_state *state = &instance->state.bestfit;
	csc_word bytes = tree_size(node_at(core, block));
	unsigned int bin = bestfit_bin(bytes);

	(void)carrier;
	if (!bestfit_is_small(bytes)) {
		tree_remove(core, &state->root, block, false);
		return;
	}
	if (block == state->firsts[bin]) {
		state->firsts[bin] = tree_second(core, block);
		if (!state->firsts[bin]) {
			bestfit_unmark(state, bin);
		}
	}
	tree_remove(core, &state->others[bin], block, false);
}

/* Whether another strategy's candidate is smaller, or as large and lies before the block. */
static bool candidate_precedes(
		const struct csc_core *core, const struct candidate *candidate, csc_word block)
{
	csc_word bytes = tree_size(node_at(core, block));

	return candidate->size_bytes < bytes ||
			(candidate->size_bytes == bytes && candidate->address < block);
}

static csc_word address_bestfit_take(struct csc_instance *instance, csc_word size_bytes,
		const struct candidate *candidate)
{
	const struct csc_core *core = instance->core;
	const struct bestfit_state *state = &instance->state.bestfit;
	unsigned int bin = bestfit_next_bin(state, size_bytes);
	csc_word block = bin < BESTFIT_BINS ? state->firsts[bin]
					    : tree_best_fit(core, state->root, size_bytes);

	if (!block || (candidate && candidate_precedes(core, candidate, block))) {
		return 0;
	}
	address_bestfit_unlink(instance, block, 0);
	return block;
}

static bool node_is_free(const struct csc_core *core, csc_word address)
{
	return node_at(core, address)->head & BLOCK_FREE;
}

/* Those of its size behind it are linked to each other. */
static bool node_has_equals(const struct csc_core *core, csc_word address)
{
	struct node *node = node_at(core, address);
	csc_word before = address;

	for (csc_word i = *bestfit_next(node); i; before = i, i = *bestfit_next(node_at(core, i))) {
		const struct node *equal = node_at(core, i);

		if (equal->parent != before || tree_size(equal) != tree_size(node)) {
			return false;
		}
	}
	return node_is_free(core, address);
}

static bool bestfit_is_marked(const struct bestfit_state *state, unsigned int bin)
{
	return state->masks[bin / MASK_BITS] >> bin % MASK_BITS & 1;
}

/* A list of `bf`: all of one size, linked both ways, and its end is known. */
static bool bestfit_list_is_valid(
		const struct csc_core *core, const struct bestfit_state *state, unsigned int bin)
{
	csc_word newer = 0;

	for (csc_word i = state->firsts[bin]; i; newer = i, i = node_at(core, i)->right) {
		const struct node *node = node_at(core, i);

		if (node->left != newer || bestfit_bin(tree_size(node)) != bin ||
				!node_is_free(core, i)) {
			return false;
		}
	}
	return newer == state->others[bin] && bestfit_is_marked(state, bin) == (newer != 0);
}

/* A tree of `aobf`: all of one size, and its first one is known. */
static bool address_bestfit_tree_is_valid(
		const struct csc_core *core, const struct bestfit_state *state, unsigned int bin)
{
	csc_word first = state->others[bin];

	while (first && node_at(core, first)->left) {
		first = node_at(core, first)->left;
	}
	if (first && bestfit_bin(tree_size(node_at(core, first))) != bin) {
		return false;
	}
	return first == state->firsts[bin] && bestfit_is_marked(state, bin) == (first != 0) &&
			tree_black_depth(core, state->others[bin], 0, TREE_ADDRESS, node_is_free) >=
			0;
}

static bool bestfit_is_valid(const struct csc_instance *instance)
{
	const struct bestfit_state *state = &instance->state.bestfit;

	for (unsigned int bin = 0; bin < BESTFIT_BINS; bin++) {
		if (!bestfit_list_is_valid(instance->core, state, bin)) {
			return false;
		}
	}
	return tree_black_depth(instance->core, state->root, 0, TREE_SIZE, node_has_equals) >= 0;
}

static bool address_bestfit_is_valid(const struct csc_instance *instance)
{
	const struct bestfit_state *state = &instance->state.bestfit;

	for (unsigned int bin = 0; bin < BESTFIT_BINS; bin++) {
		if (!address_bestfit_tree_is_valid(instance->core, state, bin)) {
			return false;
		}
	}
	return tree_black_depth(instance->core, state->root, 0, TREE_SIZE_ADDRESS, node_is_free) >=
			0;
}

MULTI_CALLS(bestfit)

const struct strategy_ops bestfit_ops = {
	STRATEGY_OPS(bestfit),
};

MULTI_CALLS(address_bestfit)

const struct strategy_ops address_bestfit_ops = {
	STRATEGY_OPS(address_bestfit),
};
