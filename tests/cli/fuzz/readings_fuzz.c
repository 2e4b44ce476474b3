/*
 * SPDX-License-Identifier: MIT
 *
 * A packet of readings as a node prints it: base64, or as it is when it is unpacked.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "readings_packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct readings_packet packet;
	bool is_text = size > 0 && data[0] == 'e';
	bool is_read = is_text ? readings_packet_read((const char *)data, size, &packet)
			       : readings_packet_parse(data, size, &packet);

	if (is_read) {
		/* What a trace gets of it is whole: a text ends, a kind is one of ours. */
		if (packet.event_bytes == 0 || packet.end_ns < packet.begin_ns ||
				strlen(packet.names) >= sizeof(packet.names)) {
			abort();
		}
		free(packet.events);
	}
	return 0;
}
