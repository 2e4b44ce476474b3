/*
 * SPDX-License-Identifier: MIT
 *
 * Repaired files.
 */
#ifndef CSC_SALVAGE_COPY_H
#define CSC_SALVAGE_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctf_packet.h"
#include "diag.h"

struct salvage_file;
struct salvage_trace;

/* The packets to write, in the order of the file. */
struct salvage_packet {
	struct ctf_packet packet;

	/* In the input: bytes of content and bytes of all. */
	uint64_t content_bytes;
	uint64_t size_bytes;

	/* The sizes differ from those in the front. */
	bool is_rewritten;
	bool is_dropped;

	/* The content ends in a text that is cut: its last byte is a zero that the input has not.
	 */
	bool has_added_zero;
};
enum csc_status salvage_copy_write(const struct salvage_trace *trace,
		const struct salvage_file *file, int fd, const struct salvage_packet *packets,
		size_t packet_count, struct diag *diag);
enum csc_status salvage_copy_link(const struct salvage_trace *trace,
		const struct salvage_file *file, struct diag *diag);
enum csc_status salvage_copy_remove(const struct salvage_trace *trace,
		const struct salvage_file *file, struct diag *diag);
enum csc_status salvage_text_write(const char *path, const char *text, struct diag *diag);

#endif
