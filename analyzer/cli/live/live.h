/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope serve` and `carrierscope top`: what is so now, of a database or of a node.
 */
#ifndef CSC_LIVE_H
#define CSC_LIVE_H

/* Each takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE.
 * `open` is `serve` that starts a browser. */
int command_serve(int argc, char **argv);
int command_open(int argc, char **argv);
int command_top(int argc, char **argv);

#endif
