/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope record`: from a running node, or one that it starts, to a database and its answer.
 */
#ifndef CSC_RECORD_H
#define CSC_RECORD_H

/* Takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE. */
int command_record(int argc, char **argv);

#endif
