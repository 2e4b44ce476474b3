/*
 * SPDX-License-Identifier: MIT
 */
#include "ctf_metadata.h"

#include <inttypes.h>

static const char prologue[] =
		"/* CTF 1.8 */\n"
		"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"
		"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
		"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"
		"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"%s\";\n\tbyte_order = %s;\n"
		"\tpacket.header := struct {\n\t\tuint32_t magic;\n\t\tuint8_t uuid[16];\n"
		"\t\tuint32_t stream_id;\n\t\tuint64_t stream_instance_id;\n\t};\n};\n"
		"env {\n\tdomain = \"ust\";\n\ttracer_name = \"lttng-ust\";\n\ttracer_major = 2;\n"
		"\ttracer_minor = 13;\n\tarchitecture_bit_width = 64;\n};\n"
		"clock {\n\tname = \"monotonic\";\n\tfreq = %" PRIu64 ";\n\toffset_s = %" PRId64
		";\n\toffset = %" PRId64 ";\n};\n"
		"typealias integer { size = 27; align = 1; signed = false; "
		"map = clock.monotonic.value; } := uint27_clock_t;\n"
		"typealias integer { size = 32; align = 8; signed = false; "
		"map = clock.monotonic.value; } := uint32_clock_t;\n"
		"typealias integer { size = 64; align = 8; signed = false; "
		"map = clock.monotonic.value; } := uint64_clock_t;\n"
		"struct packet_context {\n\tuint64_clock_t timestamp_begin;\n"
		"\tuint64_clock_t timestamp_end;\n\tuint64_t content_size;\n"
		"\tuint64_t packet_size;\n\tuint64_t packet_seq_num;\n"
		"\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n};\n"
		"struct event_header_compact {\n"
		"\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n\tvariant <id> {\n"
		"\t\tstruct { uint27_clock_t timestamp; } compact;\n"
		"\t\tstruct { uint32_t id; uint64_clock_t timestamp; } extended;\n\t} v;\n"
		"} align(8);\n"
		"struct event_header_large {\n"
		"\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
		"\tvariant <id> {\n\t\tstruct { uint32_clock_t timestamp; } compact;\n"
		"\t\tstruct { uint32_t id; uint64_clock_t timestamp; } extended;\n\t} v;\n"
		"} align(8);\n";

void ctf_uuid_print(const uint8_t *uuid, char *text)
{
	for (size_t i = 0; i < CTF_UUID_BYTES; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10) {
			*text++ = '-';
		}
		(void)snprintf(text, 3, "%02x", uuid[i]);
		text += 2;
	}
}

void ctf_metadata_begin(FILE *file, const struct ctf_format *format, uint64_t clock_hz,
		int64_t offset_s, int64_t offset_cycles)
{
	char uuid[37];

	ctf_uuid_print(format->uuid, uuid);
	(void)fprintf(file, prologue, uuid, format->is_big_endian ? "be" : "le", clock_hz, offset_s,
			offset_cycles);
}
