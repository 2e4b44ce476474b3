/*
 * SPDX-License-Identifier: MIT
 *
 * An SQLite database as a file, with all that the SQL files of this folder make and nothing else.
 */
#ifndef CSC_SCHEMA_IMAGE_H
#define CSC_SCHEMA_IMAGE_H

#include <stddef.h>

extern const unsigned char schema_image[];
extern const size_t schema_image_bytes;

#endif
