/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope report`, `info`, `check` and `diff`: what is in a database, and in two.
 */
#ifndef CSC_ANSWER_H
#define CSC_ANSWER_H

/* Each takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE.
 */
int command_report(int argc, char **argv);
int command_info(int argc, char **argv);
int command_check(int argc, char **argv);
int command_diff(int argc, char **argv);

#endif
