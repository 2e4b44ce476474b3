/*
 * SPDX-License-Identifier: MIT
 *
 * One packet of a node: unpacked, checked, and as CTF.
 */
#ifndef CSC_READINGS_PACKET_H
#define CSC_READINGS_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most that a packet has when it is unpacked, in bytes, and the most kinds of events in it. */
enum { READINGS_PACKET_BYTES = 4 << 20, READINGS_KINDS = 64 };

struct readings_packet {
	/* Names of its kinds of events, separated by commas; ends with a zero byte. */
	char names[1024];
	uint32_t pid;

	/* The same in all packets of one boot of one node. */
	uint32_t node;
	uint32_t number;
	uint64_t begin_ns;
	uint64_t end_ns;

	/* Events as CTF has them behind a packet's front; freed by free(). */
	uint8_t *events;
	size_t event_bytes;
	uint64_t snapshots;
};

/* Reads the base64 of a packet.  False: it is damaged, or of another version. */
bool readings_packet_read(const char *text, size_t length, struct readings_packet *ret_packet);

/* The same of a packet that was unpacked. */
bool readings_packet_parse(
		const uint8_t *bytes, size_t byte_count, struct readings_packet *ret_packet);

/* The place in own_events of the kind with this name, which need not end; negative: there is none.
 */
int readings_kind(const char *name, size_t length);

#endif
