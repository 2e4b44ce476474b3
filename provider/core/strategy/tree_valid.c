/* SPDX-License-Identifier: MIT */
/* Walks a red-black tree of nodes: for tests and checked builds. */
#include "tree_valid.h"

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree, and in checked builds only. */
int tree_black_depth(const struct csc_core *core, csc_word address, csc_word parent,
		enum tree_order order, tree_check *is_good)
{
	if (!address) {
		return 0;
	}

	const struct node *node = node_at(core, address);
	int left = tree_black_depth(core, node->left, address, order, is_good);
	int right = tree_black_depth(core, node->right, address, order, is_good);
	bool is_red = node->flags & NODE_RED;

	if (left < 0 || left != right || node->parent != parent ||
			(is_good && !is_good(core, address))) {
		return -1;
	}
	if (is_red && (tree_is_red(core, node->left) || tree_is_red(core, node->right))) {
		return -1;
	}
	if (node->left && !tree_is_less(core, node->left, address, order)) {
		return -1;
	}
	if (node->right && !tree_is_less(core, address, node->right, order)) {
		return -1;
	}
	return left + !is_red;
}
