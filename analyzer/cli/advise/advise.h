/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope replay` and `carrierscope advise`: what other flags would make of a recording.
 */
#ifndef CSC_ADVISE_H
#define CSC_ADVISE_H

/* Each takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE.
 */
int command_replay(int argc, char **argv);
int command_advise(int argc, char **argv);

#endif
