/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope export`: a file for a tool that is not ours.
 */
#ifndef CSC_EXPORT_H
#define CSC_EXPORT_H

/* Takes its own name and arguments, as main() does; a misuse ends the program with EXIT_USAGE. */
int command_export(int argc, char **argv);

#endif
