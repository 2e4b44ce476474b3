/*
 * SPDX-License-Identifier: MIT
 *
 * The command that fills a database.
 */
#ifndef CSC_LOAD_H
#define CSC_LOAD_H

/* Takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE. */
int command_load(int argc, char **argv);

#endif
