/*
 * SPDX-License-Identifier: MIT
 *
 * The commands that read a database.
 */
#ifndef CSC_COMMANDS_H
#define CSC_COMMANDS_H

/*
 * Each takes its own name and arguments, as main() does.  A misuse ends the
 * program with EXIT_USAGE.
 */
int command_report(int argc, char **argv);
int command_info(int argc, char **argv);
int command_check(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_export(int argc, char **argv);
int command_serve(int argc, char **argv);
int command_top(int argc, char **argv);
int command_push(int argc, char **argv);
int command_fleet(int argc, char **argv);

#endif
