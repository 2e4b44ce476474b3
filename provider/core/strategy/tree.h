/* SPDX-License-Identifier: MIT */
/*
 * Red-black trees of nodes in target memory.
 *
 * The functions are inline and meant to be called with a constant order, so that each caller gets
 * a tree of its own kind.  `is_summed` trees keep the largest size of every subtree.
 *
 * With words of 8 bytes that largest size is stored in 32 bits, as the runtime does, which changes
 * what is found as soon as one free block of 4 GiB or more is or was there.  The rule was found by
 * experiment on OTP 25.2.3 (64 bits), by thousands of random operation files with such blocks:
 *  - a sum is computed and compared with all its bits, and loses the upper ones where it is stored;
 *  - a node that grows raises the sums above it as long as they are smaller, and no farther;
 *  - a node that shrinks or goes lowers the sum where it was, if the new one is smaller than the
 *    stored one, and then those above that were equal to the old one, and no farther;
 *  - a rotation gives the stored sum of the upper node to the one that takes its place, and
 *    computes the other; a successor takes over the stored sum of the node that it replaces;
 *  - the sum of the root is not looked at before a search.
 * A sum may thus be wrong, and a search may miss what is there.  With words of 4 bytes, and with
 * smaller blocks, this is the plain rule: all sums are right.  Of the trees of pooled carriers it
 * was not tried: there the same functions are taken to hold.
 *
 * Which block is chosen does not depend on the shape as long as all sums are right; which pooled
 * carrier is the entrance to the ring does: it is the root.  The algorithm is therefore the
 * textbook's to the letter: a node with two children is replaced by its in-order successor.
 *
 * Source: SOURCES.md 4.6.
 */
#ifndef CSC_TREE_H
#define CSC_TREE_H

#include <stdbool.h>

#include "layout.h"

#define TREE_INLINE static inline __attribute__((always_inline))

enum tree_order {
	/* Size; equal sizes are the caller's business. */
	TREE_SIZE,
	TREE_SIZE_ADDRESS,
	TREE_ADDRESS,
	/* Time of birth, then address. */
	TREE_AGE,
};

TREE_INLINE csc_word tree_size(const struct node *node)
{
	return node->head & ~BLOCK_FLAGS;
}

TREE_INLINE uint64_t tree_birth(const struct node *node)
{
	return (uint64_t)node->tail.birth[1] << 32 | node->tail.birth[0];
}

/* `a` comes before `b`; their sizes are only looked at in an order of sizes. */
TREE_INLINE bool tree_is_before(const struct csc_core *core, csc_word a, csc_word a_bytes,
		csc_word b, csc_word b_bytes, enum tree_order order)
{
	if (order == TREE_SIZE || order == TREE_SIZE_ADDRESS) {
		if (order == TREE_SIZE || a_bytes != b_bytes) {
			return a_bytes < b_bytes;
		}
	} else if (order == TREE_AGE) {
		uint64_t a_birth = tree_birth(node_at(core, a));
		uint64_t b_birth = tree_birth(node_at(core, b));

		if (a_birth != b_birth) {
			return a_birth < b_birth;
		}
	}
	return a < b;
}

TREE_INLINE bool tree_is_less(
		const struct csc_core *core, csc_word a, csc_word b, enum tree_order order)
{
	return tree_is_before(core, a, tree_size(node_at(core, a)), b, tree_size(node_at(core, b)),
			order);
}

/*
 * What trees look at of a core, in a variable of the function: nothing that is stored in a node can
 * change it, so that it stays in a register.
 */
#define TREE_NEAR(core)           \
	struct csc_core near;     \
	near.bias = (core)->bias; \
	(core) = &near

/* The largest size below and at `node`, by the stored sums of its children; not yet cut. */
TREE_INLINE csc_word tree_sum(const struct csc_core *core, const struct node *node)
{
	csc_word max_bytes = tree_size(node);

	if (node->left && node_at(core, node->left)->max_bytes > max_bytes) {
		max_bytes = node_at(core, node->left)->max_bytes;
	}
	if (node->right && node_at(core, node->right)->max_bytes > max_bytes) {
		max_bytes = node_at(core, node->right)->max_bytes;
	}
	return max_bytes;
}

/* Something of `size_bytes` has come to `address`, and everything from there up has to know. */
TREE_INLINE void tree_raise(const struct csc_core *core, csc_word address, csc_word size_bytes)
{
	TREE_NEAR(core);

	while (address && node_at(core, address)->max_bytes < size_bytes) {
		node_at(core, address)->max_bytes = (uint32_t)size_bytes;
		address = node_at(core, address)->parent;
	}
}

/* Something below or at `address` has become smaller: lowers the sums from there up to `end`. */
TREE_INLINE void tree_lower(const struct csc_core *core, csc_word address, csc_word end)
{
	TREE_NEAR(core);
	struct node *node = node_at(core, address);
	uint32_t was_bytes = node->max_bytes;
	csc_word max_bytes = tree_sum(core, node);

	if (max_bytes >= was_bytes) {
		return;
	}
	for (;;) {
		node->max_bytes = (uint32_t)max_bytes;
		address = node->parent;
		if (address == end) {
			return;
		}
		node = node_at(core, address);
		if (node->max_bytes != was_bytes) {
			return;
		}
		max_bytes = tree_sum(core, node);
	}
}

TREE_INLINE bool tree_is_red(const struct csc_core *core, csc_word address)
{
	return address && (node_at(core, address)->flags & NODE_RED);
}

/* Puts `now` where `old` hangs from its parent. */
TREE_INLINE void tree_hang(const struct csc_core *core, csc_word *root, csc_word parent,
		csc_word old, csc_word now)
{
	if (!parent) {
		*root = now;
	} else if (node_at(core, parent)->left == old) {
		node_at(core, parent)->left = now;
	} else {
		node_at(core, parent)->right = now;
	}
}

TREE_INLINE void tree_rotate(const struct csc_core *core, csc_word *root, csc_word address,
		bool is_left, bool is_summed)
{
	struct node *node = node_at(core, address);
	csc_word up = is_left ? node->right : node->left;
	struct node *upper = node_at(core, up);
	csc_word middle = is_left ? upper->left : upper->right;

	if (is_left) {
		node->right = middle;
		upper->left = address;
	} else {
		node->left = middle;
		upper->right = address;
	}
	if (middle) {
		node_at(core, middle)->parent = address;
	}
	upper->parent = node->parent;
	tree_hang(core, root, node->parent, address, up);
	node->parent = up;
	if (is_summed) {
		upper->max_bytes = node->max_bytes;
		node->max_bytes = (uint32_t)tree_sum(core, node);
	}
}

TREE_INLINE void tree_fix_insert(
		const struct csc_core *core, csc_word *root, csc_word address, bool is_summed)
{
	for (;;) {
		struct node *node = node_at(core, address);
		csc_word parent = node->parent;

		if (!parent) {
			node->flags &= ~NODE_RED;
			return;
		}
		if (!tree_is_red(core, parent)) {
			return;
		}

		struct node *elder = node_at(core, parent);
		csc_word grand = elder->parent;
		struct node *eldest = node_at(core, grand);
		bool is_left = eldest->left == parent;
		csc_word uncle = is_left ? eldest->right : eldest->left;

		if (tree_is_red(core, uncle)) {
			elder->flags &= ~NODE_RED;
			node_at(core, uncle)->flags &= ~NODE_RED;
			eldest->flags |= NODE_RED;
			address = grand;
			continue;
		}
		if (address == (is_left ? elder->right : elder->left)) {
			tree_rotate(core, root, parent, is_left, is_summed);
			elder = node;
		}
		elder->flags &= ~NODE_RED;
		eldest->flags |= NODE_RED;
		tree_rotate(core, root, grand, !is_left, is_summed);
		return;
	}
}

/*
 * Inserts `address`, whose head, which says `size_bytes`, (and birth) are set.  In the order
 * TREE_SIZE nothing happens when a node of that size is there: it is returned.  Otherwise returns
 * 0.
 */
TREE_INLINE csc_word tree_insert(const struct csc_core *core, csc_word *root, csc_word address,
		csc_word size_bytes, enum tree_order order, bool is_summed)
{
	TREE_NEAR(core);
	struct node *node = node_at(core, address);
	csc_word parent = 0;
	csc_word here = *root;
	bool is_left = false;

	while (here) {
		struct node *step = node_at(core, here);
		csc_word step_bytes = tree_size(step);

		if (order == TREE_SIZE && step_bytes == size_bytes) {
			return here;
		}
		if (is_summed && step->max_bytes < size_bytes) {
			step->max_bytes = (uint32_t)size_bytes;
		}
		parent = here;
		is_left = tree_is_before(core, address, size_bytes, here, step_bytes, order);
		here = is_left ? step->left : step->right;
	}
	node->parent = parent;
	node->left = 0;
	node->right = 0;
	node->flags = NODE_RED;
	if (is_summed) {
		node->max_bytes = (uint32_t)size_bytes;
	}
	if (!parent) {
		*root = address;
	} else if (is_left) {
		node_at(core, parent)->left = address;
	} else {
		node_at(core, parent)->right = address;
	}
	tree_fix_insert(core, root, address, is_summed);
	return 0;
}

/* A black node is missing at `address` (which may be 0), below `parent`. */
TREE_INLINE void tree_fix_remove(const struct csc_core *core, csc_word *root, csc_word address,
		csc_word parent, bool is_summed)
{
	while (parent && !tree_is_red(core, address)) {
		struct node *above = node_at(core, parent);
		bool is_left = above->left == address;
		csc_word other = is_left ? above->right : above->left;
		struct node *sibling = node_at(core, other);

		if (sibling->flags & NODE_RED) {
			sibling->flags &= ~NODE_RED;
			above->flags |= NODE_RED;
			tree_rotate(core, root, parent, is_left, is_summed);
			other = is_left ? above->right : above->left;
			sibling = node_at(core, other);
		}

		csc_word near = is_left ? sibling->left : sibling->right;
		csc_word far = is_left ? sibling->right : sibling->left;

		if (!tree_is_red(core, near) && !tree_is_red(core, far)) {
			sibling->flags |= NODE_RED;
			address = parent;
			parent = above->parent;
			continue;
		}
		if (!tree_is_red(core, far)) {
			node_at(core, near)->flags &= ~NODE_RED;
			sibling->flags |= NODE_RED;
			tree_rotate(core, root, other, !is_left, is_summed);
			far = other;
			other = near;
			sibling = node_at(core, other);
		}
		sibling->flags = (sibling->flags & ~NODE_RED) | (above->flags & NODE_RED);
		above->flags &= ~NODE_RED;
		node_at(core, far)->flags &= ~NODE_RED;
		tree_rotate(core, root, parent, is_left, is_summed);
		return;
	}
	if (address) {
		node_at(core, address)->flags &= ~NODE_RED;
	}
}

TREE_INLINE void tree_remove(
		const struct csc_core *core, csc_word *root, csc_word address, bool is_summed)
{
	TREE_NEAR(core);
	struct node *node = node_at(core, address);
	csc_word gone = address;

	if (node->left && node->right) {
		gone = node->right;
		while (node_at(core, gone)->left) {
			gone = node_at(core, gone)->left;
		}
	}

	/* `gone` leaves its place to its only child, `low` is where sums change first. */
	struct node *spliced = node_at(core, gone);
	csc_word child = spliced->left ? spliced->left : spliced->right;
	csc_word low = spliced->parent;
	bool is_black = !(spliced->flags & NODE_RED);

	if (child) {
		node_at(core, child)->parent = low;
	}
	tree_hang(core, root, low, gone, child);
	if (gone != address) {
		if (low == address) {
			low = gone;
		}
		spliced->parent = node->parent;
		spliced->left = node->left;
		spliced->right = node->right;
		spliced->flags = (spliced->flags & ~NODE_RED) | (node->flags & NODE_RED);
		tree_hang(core, root, node->parent, address, gone);
		if (spliced->left) {
			node_at(core, spliced->left)->parent = gone;
		}
		if (spliced->right) {
			node_at(core, spliced->right)->parent = gone;
		}
		if (is_summed) {
			spliced->max_bytes = node->max_bytes;
		}
	}
	if (is_summed) {
		csc_word end = gone == address ? 0 : gone;

		if (low != end) {
			tree_lower(core, low, end);
		}
		if (end) {
			tree_lower(core, end, 0);
		}
	}
	if (is_black) {
		tree_fix_remove(core, root, child, low, is_summed);
	}
}

/* Puts `now`, of the same key, in the place of `old`. */
TREE_INLINE void tree_replace(const struct csc_core *core, csc_word *root, csc_word old,
		csc_word now, bool is_summed)
{
	struct node *before = node_at(core, old);
	struct node *after = node_at(core, now);

	after->parent = before->parent;
	after->left = before->left;
	after->right = before->right;
	after->flags = before->flags;
	if (is_summed) {
		after->max_bytes = before->max_bytes;
	}
	tree_hang(core, root, before->parent, old, now);
	if (after->left) {
		node_at(core, after->left)->parent = now;
	}
	if (after->right) {
		node_at(core, after->right)->parent = now;
	}
}

/* Of a summed tree: the first node in order that has at least `size_bytes`; 0: none was found. */
TREE_INLINE csc_word tree_first_fit(const struct csc_core *core, csc_word root, csc_word size_bytes)
{
	csc_word here = root;

	while (here) {
		const struct node *node = node_at(core, here);

		if (node->left && node_at(core, node->left)->max_bytes >= size_bytes) {
			here = node->left;
		} else if (tree_size(node) >= size_bytes) {
			return here;
		} else {
			here = node->right;
		}
	}
	return 0;
}

/* Of a tree ordered by size: the first node that has at least `size_bytes`; 0: none. */
TREE_INLINE csc_word tree_best_fit(const struct csc_core *core, csc_word root, csc_word size_bytes)
{
	csc_word best = 0;

	for (csc_word here = root; here;) {
		const struct node *node = node_at(core, here);

		if (tree_size(node) >= size_bytes) {
			best = here;
			here = node->left;
		} else {
			here = node->right;
		}
	}
	return best;
}

#endif
