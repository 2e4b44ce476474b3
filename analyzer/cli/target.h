/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope TARGET`: the answer of what is no command: a database, something to load, a node.
 */
#ifndef CSC_TARGET_H
#define CSC_TARGET_H

/*
 * Prints the answer of argv[0], or what to run for it, or which of `commands`, a list that NULL
 * ends, may have been meant.  Yields an exit status.
 */
int target_run(int argc, char **argv, const char *const *commands);

/* `carrierscope load`: loads, then prints the answer. */
int target_load(int argc, char **argv);

#endif
