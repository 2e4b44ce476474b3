/*
 * SPDX-License-Identifier: MIT
 *
 * What the first packet of a stream says, which Babeltrace reads and does not pass on.
 */
#ifndef CSC_FIRST_PACKET_H
#define CSC_FIRST_PACKET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads packet_seq_num of the first packet in a stream file of LTTng: above 0, earlier packets of
 * the stream were overwritten (a flight recorder) or lie elsewhere (one of several chunks).  False:
 * there is no such file (a live source), or it is not LTTng's.
 */
bool first_packet_seq(const char *path, uint64_t *ret_seq);

/* Reads the numbers of the stream's class and of the stream, likewise. */
bool first_packet_stream(const char *path, uint32_t *ret_class_id, uint64_t *ret_stream_id);

#endif
