/*
 * SPDX-License-Identifier: MIT
 *
 * A file as one text.
 */
#ifndef CSC_TEST_TEXT_FILE_H
#define CSC_TEST_TEXT_FILE_H

/* The whole file, to be freed; NULL when it cannot be read. */
char *text_file_read(const char *path);

#endif
