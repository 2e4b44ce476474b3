/*
 * SPDX-License-Identifier: MIT
 *
 * The fixed front of a CTF packet as LTTng writes it (packet header and packet
 * context), and LTTng's index files, which repeat it.
 */
#ifndef CSC_CTF_PACKET_H
#define CSC_CTF_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CTF_UUID_BYTES = 16,

	/* Magic and UUID: what a lost reader looks for. */
	CTF_MARK_BYTES = 20,

	/* Header and context where `unsigned long` has 64 bits; 4 fewer where it has 32. */
	CTF_FRONT_BYTES = 84,
};

/* How the packets of one trace are written. */
struct ctf_format {
	uint8_t uuid[CTF_UUID_BYTES];

	bool is_big_endian;

	/* Bytes of events_discarded, 4 or 8. */
	size_t long_bytes;
};

/* The front of one packet; times are cycles of the trace's clock. */
struct ctf_packet {
	/* Where it starts in its file, in bytes. */
	uint64_t offset_bytes;

	uint32_t stream_id;
	uint64_t instance_id;

	uint64_t begin_cycles;
	uint64_t end_cycles;

	/* Of front and events, and of all with the padding. */
	uint64_t content_bits;
	uint64_t packet_bits;

	uint64_t seq;
};

/*
 * Whether the bytes begin with CTF's packet magic, and in which byte
 * order.  Needs 4 bytes.
 */
bool ctf_magic_is_at(const uint8_t *bytes, bool *ret_is_big_endian);

/* Number of bytes of a packet's front. */
size_t ctf_format_front_bytes(const struct ctf_format *format);

/* Writes the magic and the UUID, CTF_MARK_BYTES in all. */
void ctf_format_mark(const struct ctf_format *format, uint8_t *mark);

/*
 * Reads a packet's front.  False when there are too few bytes, or magic or UUID
 * are not the trace's; sizes and times are not judged.
 */
bool ctf_packet_parse(const struct ctf_format *format, const uint8_t *bytes, size_t byte_count,
		uint64_t offset_bytes, struct ctf_packet *ret_packet);

/*
 * Whether sizes and times can be true at all.  An end of 0 cycles is what
 * a packet has that was never closed.
 */
bool ctf_packet_is_sane(const struct ctf_packet *packet, const struct ctf_format *format);

/* Overwrites both sizes in a packet's front. */
void ctf_packet_set_sizes(const struct ctf_format *format, uint8_t *front, uint64_t content_bits,
		uint64_t packet_bits);

/*
 * Reads an index file.  An index that is missing, of another kind or cut yields
 * what is whole in it, at worst no packet (*ret_packets is NULL then); false
 * means out of memory.  The caller frees the array.
 */
bool ctf_index_read(const char *path, struct ctf_packet **ret_packets, size_t *ret_packet_count);

#endif
