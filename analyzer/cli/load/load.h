/*
 * SPDX-License-Identifier: MIT
 *
 * The command that fills a database.
 */
#ifndef CSC_LOAD_H
#define CSC_LOAD_H

/* As those of commands.h. */
int command_load(int argc, char **argv);

#endif
