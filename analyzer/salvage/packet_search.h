/*
 * SPDX-License-Identifier: MIT
 *
 * Where packets begin in a damaged file.
 */
#ifndef CSC_PACKET_SEARCH_H
#define CSC_PACKET_SEARCH_H

#include <stdint.h>

struct ctf_format;

/* Yields the offset of the next packet's mark from `from` on, UINT64_MAX for none. */
uint64_t salvage_mark_find(int fd, const struct ctf_format *format, uint64_t from);

#endif
