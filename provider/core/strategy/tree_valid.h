/* SPDX-License-Identifier: MIT */
/*
 * Whether a tree is a red-black tree in its order: for tests and checked builds.
 */
#ifndef CSC_TREE_VALID_H
#define CSC_TREE_VALID_H

#include "tree.h"

/* What else must hold of each node. */
typedef bool tree_check(const struct csc_core *core, csc_word address);

/*
 * Black nodes on every path from `address` down, itself included; 0 is the empty tree, -1: it is
 * none. `parent`: what its root has as parent, 0 of a whole tree.  `is_good` may be NULL.
 */
int tree_black_depth(const struct csc_core *core, csc_word address, csc_word parent,
		enum tree_order order, tree_check *is_good);

#endif
