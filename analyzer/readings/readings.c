/*
 * SPDX-License-Identifier: MIT
 */
#include "readings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "ctf_metadata.h"
#include "files.h"
#include "own_events.h"
#include "readings_packet.h"

static const char packet_mark[] = "csp1 ";
static const char end_mark[] = "csp-end";
static const char refusal_mark[] = "csp-error ";

/* The clock counts from 1970. */
enum { CLOCK_HZ = 1000000000 };

void readings_begin(struct readings *readings, const char *folder)
{
	*readings = (struct readings){ .folder = folder, .file = -1 };
}

static bool begins_with(const char *line, size_t length, const char *mark)
{
	return length >= strlen(mark) && memcmp(line, mark, strlen(mark)) == 0;
}

bool readings_is_own(const char *line, size_t length)
{
	return begins_with(line, length, packet_mark) || begins_with(line, length, refusal_mark) ||
			begins_with(line, length, end_mark);
}

static enum csc_status fail_to_write(const struct readings *readings, struct diag *diag)
{
	return DIAG_FAIL(diag, "cannot write '%s': %s", readings->folder, strerror(errno));
}

/* A file of the folder; -1: see errno. */
static int create(const struct readings *readings, const char *name)
{
	char *path = NULL;
	int file = asprintf(&path, "%s/%s", readings->folder, name) < 0 ? -1 : files_create(path);

	free(path);
	return file;
}

/* Kinds of events have the numbers that the node gave them. */
static void print_events(FILE *file, const char *names)
{
	unsigned int id = 0;

	for (const char *name = names; *name; id++) {
		size_t length = strcspn(name, ",");
		int kind = readings_kind(name, length);

		(void)fprintf(file,
				"event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = 0;\n\tfields := "
				"struct {\n%s\t};\n};\n",
				own_events[kind].name, id, own_events[kind].fields);
		name += length + (name[length] == ',');
	}
}

static enum csc_status write_metadata(const struct readings *readings, struct diag *diag)
{
	struct ctf_format format = { .long_bytes = 8 };
	int fd = create(readings, "metadata");
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file) {
		return fail_to_write(readings, diag);
	}
	memcpy(format.uuid, readings->uuid, sizeof(format.uuid));
	ctf_metadata_begin(file, &format, CLOCK_HZ, 0, 0);
	fputs("typealias integer { size = 32; align = 8; signed = true; } := int;\n"
	      "stream {\n\tid = 0;\n\tevent.header := struct event_header_large;\n"
	      "\tpacket.context := struct packet_context;\n"
	      "\tevent.context := struct {\n\t\tint _vpid;\n\t\tint _vtid;\n"
	      "\t\tinteger { size = 8; align = 8; signed = 1; encoding = UTF8; } _procname[17];\n"
	      "\t};\n};\n",
			file);
	print_events(file, readings->names);
	return fclose(file) == 0 ? CSC_OK : fail_to_write(readings, diag);
}

static enum csc_status make_trace(
		struct readings *readings, const struct readings_packet *packet, struct diag *diag)
{
	enum csc_status status;

	memcpy(readings->names, packet->names, sizeof(readings->names));
	readings->node = packet->node;
	if (getrandom(readings->uuid, sizeof(readings->uuid), 0) != sizeof(readings->uuid) ||
			files_make_folder(readings->folder) != 0) {
		return fail_to_write(readings, diag);
	}
	status = write_metadata(readings, diag);
	if (status == CSC_OK) {
		readings->file = create(readings, "readings_0");
		status = readings->file < 0 ? fail_to_write(readings, diag) : CSC_OK;
	}
	return status;
}

/* The front of a packet, as ctf_metadata has it. */
static void write_front(const struct readings *readings, const struct readings_packet *packet,
		uint8_t ret_front[static CTF_FRONT_BYTES])
{
	const uint64_t bits = 8 * (CTF_FRONT_BYTES + (uint64_t)packet->event_bytes);
	const uint64_t context[] = { packet->begin_ns, packet->end_ns, bits, bits,
		readings->packets + readings->missing };
	struct ctf_format format = { .long_bytes = 8 };

	memset(ret_front, 0, CTF_FRONT_BYTES);
	memcpy(format.uuid, readings->uuid, sizeof(format.uuid));
	ctf_format_mark(&format, ret_front);
	for (size_t i = 0; i < sizeof(context) / sizeof(context[0]); i++) {
		for (size_t byte = 0; byte < 8; byte++) {
			/* Behind the numbers of the stream. */
			ret_front[CTF_MARK_BYTES + 12 + 8 * i + byte] =
					(uint8_t)(context[i] >> (8 * byte));
		}
	}
}

/* All of it, or nothing. */
static enum csc_status append(
		struct readings *readings, const struct readings_packet *packet, struct diag *diag)
{
	size_t bytes = CTF_FRONT_BYTES + packet->event_bytes;
	uint8_t *whole = malloc(bytes);
	off_t before = lseek(readings->file, 0, SEEK_END);
	enum csc_status status = CSC_OK;

	if (!whole) {
		return DIAG_NO_MEMORY(diag);
	}
	write_front(readings, packet, whole);
	memcpy(whole + CTF_FRONT_BYTES, packet->events, packet->event_bytes);
	if (write(readings->file, whole, bytes) != (ssize_t)bytes) {
		int failure = errno;
		bool is_cut = ftruncate(readings->file, before) == 0;

		errno = failure;
		status = is_cut ? fail_to_write(readings, diag)
				: DIAG_FAIL(diag, "cannot write '%s', whose end is cut: %s",
						  readings->folder, strerror(failure));
	}
	free(whole);
	return status;
}

static enum csc_status take_packet(struct readings *readings, const struct readings_packet *packet,
		enum readings_line *ret_line, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	*ret_line = READINGS_PACKET;
	if (readings->file < 0) {
		status = make_trace(readings, packet, diag);
	} else if (strcmp(packet->names, readings->names) != 0 || packet->node != readings->node ||
			packet->begin_ns < readings->last_ns) {
		/* Of another node, another version, or another time: a trace has one. */
		*ret_line = READINGS_FOREIGN;
		return CSC_OK;
	} else if (packet->number < readings->next_packet) {
		return CSC_OK;
	}
	if (status == CSC_OK) {
		readings->missing += packet->number - readings->next_packet;
		status = append(readings, packet, diag);
	}
	if (status == CSC_OK) {
		readings->next_packet = packet->number + 1;
		readings->last_ns = packet->end_ns;
		readings->packets++;
		readings->bytes += CTF_FRONT_BYTES + packet->event_bytes;
		readings->snapshots += packet->snapshots;
	}
	return status;
}

enum csc_status readings_take(struct readings *readings, const char *line, size_t length,
		enum readings_line *ret_line, struct diag *diag)
{
	struct readings_packet packet;
	enum csc_status status;

	while (length > 0 && (line[length - 1] == '\r' || line[length - 1] == ' ')) {
		length--;
	}
	*ret_line = READINGS_OTHER;
	if (length > READINGS_LINE_BYTES || !readings_is_own(line, length)) {
		return CSC_OK;
	}
	if (begins_with(line, length, end_mark)) {
		/* Another run may follow. */
		readings->next_packet = 0;
		*ret_line = READINGS_END;
		return CSC_OK;
	}
	if (begins_with(line, length, refusal_mark)) {
		*ret_line = READINGS_REFUSED;
		(void)snprintf(readings->sentence, sizeof(readings->sentence), "%.*s",
				(int)(length - strlen(refusal_mark)), line + strlen(refusal_mark));
		return CSC_OK;
	}
	if (!readings_packet_read(
			    line + strlen(packet_mark), length - strlen(packet_mark), &packet)) {
		*ret_line = READINGS_DAMAGED;
		readings->damaged++;
		return CSC_OK;
	}
	status = take_packet(readings, &packet, ret_line, diag);
	free(packet.events);
	return status;
}

enum csc_status readings_end(struct readings *readings, struct diag *diag)
{
	bool is_closed = readings->file < 0 || close(readings->file) == 0;

	readings->file = -1;
	return is_closed ? CSC_OK : fail_to_write(readings, diag);
}
