/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope push` and `carrierscope fleet`: what the server of a fleet takes and answers.
 */
#ifndef CSC_FLEET_H
#define CSC_FLEET_H

/* Each takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE.
 */
int command_push(int argc, char **argv);
int command_fleet(int argc, char **argv);

#endif
