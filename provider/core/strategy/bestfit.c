/* SPDX-License-Identifier: MIT */
/*
 * Best fit: `bf`, a tree by size with a list of equals behind each node, and `aobf`, a tree by
 * size and address.
 * Source: SOURCES.md 4.1, 4.2.
 */
#include "strategy.h"

#include "multi_calls.h"
#include "tree.h"
#include "tree_valid.h"

/*
 * The next element of the list of equals.  With 4-byte words the node of `bf` ends here, where
 * others have the sum of their subtree.
 */
static csc_word *bestfit_next(struct node *node)
{
#if CSC_WORD_BYTES == 8
	return &node->tail.next;
#else
	return (csc_word *)&node->max_bytes;
#endif
}

static void bestfit_link(struct csc_instance *instance, csc_word block)
{
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);

	node->flags = 0;
	*bestfit_next(node) = 0;

	csc_word head = tree_insert(core, &instance->state.root, block, TREE_SIZE, false);
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

static void bestfit_unlink(struct csc_instance *instance, csc_word block)
{
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);
	csc_word next = *bestfit_next(node);

	if (node->flags & NODE_LISTED) {
		*bestfit_next(node_at(core, node->parent)) = next;
		if (next) {
			node_at(core, next)->parent = node->parent;
		}
	} else if (next) {
		tree_replace(core, &instance->state.root, block, next, false);
	} else {
		tree_remove(core, &instance->state.root, block, false);
	}
}

static csc_word bestfit_take(struct csc_instance *instance, csc_word size_bytes,
		const struct candidate *candidate)
{
	const struct csc_core *core = instance->core;
	csc_word block = tree_best_fit(core, instance->state.root, size_bytes);

	if (!block || (candidate && candidate->size_bytes <= tree_size(node_at(core, block)))) {
		return 0;
	}

	/* The newest of that size; the one that was first stays until it is alone. */
	csc_word next = *bestfit_next(node_at(core, block));
	block = next ? next : block;
	bestfit_unlink(instance, block);
	return block;
}

static void address_bestfit_link(struct csc_instance *instance, csc_word block)
{
	node_at(instance->core, block)->flags = 0;
	tree_insert(instance->core, &instance->state.root, block, TREE_SIZE_ADDRESS, false);
}

static void address_bestfit_unlink(struct csc_instance *instance, csc_word block)
{
	tree_remove(instance->core, &instance->state.root, block, false);
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
	csc_word block = tree_best_fit(core, instance->state.root, size_bytes);

	if (!block || (candidate && candidate_precedes(core, candidate, block))) {
		return 0;
	}
	address_bestfit_unlink(instance, block);
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

static bool bestfit_is_valid(const struct csc_instance *instance)
{
	return tree_black_depth(instance->core, instance->state.root, 0, TREE_SIZE,
			       node_has_equals) >= 0;
}

static bool address_bestfit_is_valid(const struct csc_instance *instance)
{
	return tree_black_depth(instance->core, instance->state.root, 0, TREE_SIZE_ADDRESS,
			       node_is_free) >= 0;
}

MULTI_CALLS(bestfit)

const struct strategy_ops bestfit_ops = {
	STRATEGY_OPS(bestfit),
};

MULTI_CALLS(address_bestfit)

const struct strategy_ops address_bestfit_ops = {
	STRATEGY_OPS(address_bestfit),
};
