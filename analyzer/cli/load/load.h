/*
 * SPDX-License-Identifier: MIT
 *
 * The command that fills a database.
 */
#ifndef CSC_LOAD_H
#define CSC_LOAD_H

/*
 * Takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE.
 * *ret_database is what was loaded, for its answer; NULL: nothing, or --quiet.  The caller frees
 * it.
 */
int load_run(int argc, char **argv, char **ret_database);

#endif
