/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata of a trace as LTTng-UST writes it.
 */
#ifndef CSC_CTF_METADATA_H
#define CSC_CTF_METADATA_H

#include <stdint.h>
#include <stdio.h>

#include "ctf_packet.h"

/* What stands before the streams: types, packets, the clock `monotonic`, headers of events
 * (event_header_compact, event_header_large). */
void ctf_metadata_begin(FILE *file, const struct ctf_format *format, uint64_t clock_hz,
		int64_t offset_s, int64_t offset_cycles);

/* Writes a UUID as 36 characters and a NUL. */
void ctf_uuid_print(const uint8_t *uuid, char *text);

#endif
