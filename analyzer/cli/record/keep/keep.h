/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope keep`: a node is recorded all the time; an alarm, or its end, is judged.
 */
#ifndef CSC_KEEP_H
#define CSC_KEEP_H

/* Takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE. */
int command_keep(int argc, char **argv);

#endif
