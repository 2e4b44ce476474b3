/* SPDX-License-Identifier: MIT */
/*
 * "A fit": one list, of which only the head is looked at.
 * Source: SOURCES.md 4.4.
 */
#include "strategy.h"

#include "multi_calls.h"
#include "tree.h"

/* The list is linked through `left` (previous) and `right` (next): the node ends there. */

static void afit_link(
		struct csc_instance *instance, csc_word block, csc_word bytes, csc_word carrier)
{
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);
	csc_word first = instance->state.first;

	(void)carrier;
	if (first && tree_size(node_at(core, first)) > bytes) {
		struct node *head = node_at(core, first);

		node->left = first;
		node->right = head->right;
		head->right = block;
	} else {
		node->left = 0;
		node->right = first;
		instance->state.first = block;
	}
	if (node->right) {
		node_at(core, node->right)->left = block;
	}
}

static void afit_unlink(struct csc_instance *instance, csc_word block, csc_word carrier)
{
	const struct csc_core *core = instance->core;
	struct node *node = node_at(core, block);

	(void)carrier;
	if (node->left) {
		node_at(core, node->left)->right = node->right;
	} else {
		instance->state.first = node->right;
	}
	if (node->right) {
		node_at(core, node->right)->left = node->left;
	}
}

static csc_word afit_take(struct csc_instance *instance, csc_word size_bytes,
		const struct candidate *candidate)
{
	csc_word first = instance->state.first;

	(void)candidate;
	if (!first || tree_size(node_at(instance->core, first)) < size_bytes) {
		return 0;
	}
	afit_unlink(instance, first, 0);
	return first;
}

static bool afit_is_valid(const struct csc_instance *instance)
{
	const struct csc_core *core = instance->core;
	csc_word before = 0;

	for (csc_word i = instance->state.first; i; before = i, i = node_at(core, i)->right) {
		if (node_at(core, i)->left != before || !(node_at(core, i)->head & BLOCK_FREE)) {
			return false;
		}
	}
	return true;
}

MULTI_CALLS(afit)

const struct strategy_ops afit_ops = {
	STRATEGY_OPS(afit),
};
