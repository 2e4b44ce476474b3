/*
 * SPDX-License-Identifier: MIT
 *
 * One stream file: finds its packets, judges them, writes those that are sound.
 */
#include "salvage_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "growing.h"
#include "packet_search.h"
#include "salvage_copy.h"
#include "salvage_probe.h"
#include "salvage_state.h"
#include "tsdl_walk.h"

enum {
	PAGE_BYTES = 4096,

	/* Larger packets are left to the probe. */
	WALK_BYTES_MAX = 256 * 1024 * 1024,
	PROBES_MAX = 1000,
};

/* The repair of one file. */
struct repair {
	struct salvage *salvage;
	struct salvage_trace *trace;
	struct salvage_file *file;
	int fd;
	struct salvage_packet *packets;
	size_t packet_count;
	size_t packet_capacity;

	/* LTTng's index, if there is one. */
	struct ctf_packet *index;
	size_t index_count;

	/* Content of the packet being walked. */
	uint8_t *bytes;
	size_t bytes_capacity;

	bool is_changed;
	struct diag *diag;
};

static bool front_read(const struct repair *r, uint64_t offset, struct ctf_packet *ret_packet)
{
	uint8_t front[CTF_FRONT_BYTES];
	ssize_t got = pread(r->fd, front, sizeof(front), (off_t)offset);

	return got > 0 &&
			ctf_packet_parse(&r->trace->format, front, (size_t)got, offset,
					ret_packet) &&
			tsdl_stream_find(r->trace->tsdl, ret_packet->stream_id);
}

/* Number of packets that the index has in a range; its bounds in time. */
static uint64_t index_count(
		const struct repair *r, uint64_t from, uint64_t to, struct salvage_record *record)
{
	uint64_t count = 0;

	for (size_t i = 0; i < r->index_count; i++) {
		const struct ctf_packet *entry = &r->index[i];

		if (entry->offset_bytes < from || entry->offset_bytes >= to ||
				entry->begin_cycles > entry->end_cycles) {
			continue;
		}
		if (count++ == 0) {
			record->begin_cycles = entry->begin_cycles;
			record->has_seq = true;
			record->seq = entry->seq;
			record->stream_id = entry->stream_id;
			record->instance_id = entry->instance_id;
		}
		record->end_cycles = entry->end_cycles;
	}
	return count;
}

/* A record of a range that lies between two packets (or the file's ends). */
static struct salvage_record range_record(const struct repair *r, enum salvage_loss_kind kind,
		uint64_t from, uint64_t to, const struct ctf_packet *before,
		const struct ctf_packet *after)
{
	struct salvage_record record = {
		.loss = { .kind = kind,
				.file = r->file->path,
				.offset_bytes = from,
				.length_bytes = to - from },
		.trace = r->trace,
		.begin_cycles = before ? before->end_cycles : 0,
		.end_cycles = after ? after->begin_cycles : UINT64_MAX,
	};
	uint64_t gap = before && after && after->seq > before->seq ? after->seq - before->seq - 1
								   : 0;
	uint64_t counted = index_count(r, from, to, &record);

	record.loss.packets = before && after ? gap : counted ? counted : to > from;
	if (before || after) {
		record.has_seq = before ? gap > 0 || !after : after->seq > 0;
		record.seq = before ? before->seq + 1 : after->seq - 1;
		record.stream_id = before ? before->stream_id : after->stream_id;
		record.instance_id = before ? before->instance_id : after->instance_id;
	}
	return record;
}

static struct salvage_record packet_record(const struct repair *r, enum salvage_loss_kind kind,
		const struct salvage_packet *packet, uint64_t good_bytes, uint64_t begin_cycles)
{
	const struct ctf_packet *p = &packet->packet;

	return (struct salvage_record){
		.loss = { .kind = kind,
				.file = r->file->path,
				.offset_bytes = p->offset_bytes + good_bytes,
				.length_bytes = p->packet_bits / 8 - good_bytes,
				.packets = 1 },
		.trace = r->trace,
		.begin_cycles = begin_cycles,
		.end_cycles = p->end_cycles ? p->end_cycles : UINT64_MAX,
		.has_seq = packet->is_dropped,
		.seq = p->seq,
		.stream_id = p->stream_id,
		.instance_id = p->instance_id,
	};
}

static enum csc_status packet_read(struct repair *r, uint64_t offset, size_t count)
{
	size_t got = 0;

	/* With a byte that may be added. */
	if (!csc_grow(&r->bytes, &r->bytes_capacity, count + 1, 1)) {
		return DIAG_NO_MEMORY(r->diag);
	}
	while (got < count) {
		ssize_t n = pread(r->fd, r->bytes + got, count - got, (off_t)(offset + got));

		if (n <= 0) {
			return DIAG_FAIL(r->diag, "cannot read '%s' at %" PRIu64 ": %s",
					r->file->path, offset, n < 0 ? strerror(errno) : "short");
		}
		got += (size_t)n;
	}
	return CSC_OK;
}

/* Cuts a packet behind its last good event, or drops it when none is left. */
static void packet_trim(struct salvage_packet *packet, uint64_t good_bytes, uint64_t event_count)
{
	packet->content_bytes = good_bytes;
	packet->size_bytes = (good_bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	packet->is_rewritten = true;
	packet->is_dropped = event_count == 0;
}

/* Whether the walk's content, where it is cut, ends in a batch of block events, which can be read
 * up to there. */
static bool ends_in_batch(struct tsdl_walk *walk)
{
	walk->end_bits += 8;
	return tsdl_walk_next(walk) == TSDL_STEP_EVENT && walk->at_bits == walk->end_bits &&
			walk->event->name &&
			strcmp(walk->event->name, "carrierscope:block_batch") == 0;
}

/* Walks over a packet's events; available_bytes are fewer than its content when it is cut. */
static enum csc_status packet_judge(
		struct repair *r, struct salvage_packet *packet, uint64_t available_bytes)
{
	const struct ctf_packet *p = &packet->packet;
	const struct ctf_format *format = &r->trace->format;
	bool is_cut = available_bytes < packet->content_bytes;
	uint64_t bytes = is_cut ? available_bytes : packet->content_bytes;
	uint64_t good[2] = { ctf_format_front_bytes(format), ctf_format_front_bytes(format) };
	uint64_t time[2] = { p->begin_cycles, p->begin_cycles };
	uint64_t event_count = 0;
	struct salvage_record record;
	struct tsdl_walk *walk;
	enum tsdl_step step;
	enum csc_status status;

	if (bytes > WALK_BYTES_MAX) {
		packet->is_dropped = is_cut;
		if (!is_cut) {
			return CSC_OK;
		}
		bytes = good[0];
	}
	status = packet_read(r, p->offset_bytes, (size_t)bytes);
	if (status != CSC_OK) {
		return status;
	}
	r->bytes[bytes] = 0;
	walk = malloc(sizeof(*walk));
	if (!walk) {
		return DIAG_NO_MEMORY(r->diag);
	}
	tsdl_walk_init(walk, r->trace->tsdl, tsdl_stream_find(r->trace->tsdl, p->stream_id),
			r->bytes, 8 * good[0], 8 * bytes, p->begin_cycles, p->end_cycles);
	while ((step = tsdl_walk_next(walk)) == TSDL_STEP_EVENT) {
		good[0] = good[1];
		time[0] = time[1];
		good[1] = walk->at_bits / 8 + (walk->at_bits % 8 != 0);
		time[1] = walk->clock_cycles;
		event_count++;
	}
	if (is_cut && step == TSDL_STEP_BAD && ends_in_batch(walk)) {
		good[1] = bytes + 1;
		time[1] = walk->clock_cycles;
		event_count++;
		packet->has_added_zero = true;
	}
	free(walk);
	if (step == TSDL_STEP_END && !is_cut) {
		return CSC_OK;
	}
	r->is_changed = true;
	if (is_cut) {
		packet_trim(packet, good[1], event_count);
		record = packet_record(r, SALVAGE_PACKET_CUT, packet,
				packet->is_dropped ? 0 : good[1] - packet->has_added_zero, time[1]);
		return salvage_record_add(r->salvage, &record, r->diag,
				"the file ends inside packet %" PRIu64 "; %" PRIu64
				" of its events are kept",
				p->seq, event_count);
	}
	event_count -= event_count > 0;
	packet_trim(packet, good[0], event_count);
	record = packet_record(r, SALVAGE_PACKET_UNDECODABLE, packet,
			packet->is_dropped ? 0 : good[0], time[0]);
	return salvage_record_add(r->salvage, &record, r->diag,
			"packet %" PRIu64 " does not decode at byte %" PRIu64 "; %" PRIu64
			" events before that are kept",
			p->seq, p->offset_bytes + good[1], event_count);
}

/* Takes the packet at an offset; *ret_next is where the next one should be. */
static enum csc_status packet_take(
		struct repair *r, const struct ctf_packet *packet, uint64_t *ret_next)
{
	uint64_t size = r->file->size_bytes;
	uint64_t available = size - packet->offset_bytes;
	uint64_t claimed = packet->packet_bits / 8;
	struct salvage_packet taken = {
		.packet = *packet, .content_bytes = packet->content_bits / 8, .size_bytes = claimed
	};
	struct ctf_packet next;
	enum csc_status status;

	if (claimed > available ||
			(claimed < available &&
					!front_read(r, packet->offset_bytes + claimed, &next))) {
		uint64_t mark = salvage_mark_find(
				r->fd, &r->trace->format, packet->offset_bytes + CTF_MARK_BYTES);

		if (mark - packet->offset_bytes < claimed && mark != UINT64_MAX) {
			/* The size is too large, or the middle of the packet is missing. */
			available = mark - packet->offset_bytes;
			taken.size_bytes = available;
			taken.is_rewritten = true;
			r->is_changed = true;
		}
	}
	if (!csc_grow(&r->packets, &r->packet_capacity, r->packet_count + 1, sizeof(*r->packets))) {
		return DIAG_NO_MEMORY(r->diag);
	}
	if (claimed > available && taken.content_bytes <= available) {
		/* Only padding is missing, or the size is wrong: the bytes there are will do. */
		taken.size_bytes = available;
		taken.is_rewritten = true;
		r->is_changed = true;
	}
	*ret_next = packet->offset_bytes + (claimed < available ? claimed : available);
	status = packet_judge(r, &taken, available);
	if (r->packets) {
		r->packets[r->packet_count++] = taken;
	}
	return status;
}

static const struct ctf_packet *last_kept(const struct repair *r)
{
	return r->packet_count ? &r->packets[r->packet_count - 1].packet : NULL;
}

/* Finds all packets, and records the bytes between them. */
static enum csc_status packets_find(struct repair *r)
{
	uint64_t size = r->file->size_bytes;
	uint64_t at = 0;
	enum csc_status status = CSC_OK;

	while (at < size && status == CSC_OK) {
		const struct ctf_packet *before = last_kept(r);
		uint64_t from = at;
		struct ctf_packet packet;
		struct salvage_record record;

		while (at < size &&
				!(front_read(r, at, &packet) &&
						ctf_packet_is_sane(&packet, &r->trace->format) &&
						(!before ||
								packet.begin_cycles >=
										before->end_cycles))) {
			uint64_t mark = salvage_mark_find(r->fd, &r->trace->format, at + 1);

			at = mark < size ? mark : size;
		}
		if (at > from) {
			r->is_changed = true;
			record = range_record(r, SALVAGE_HEADER_DAMAGED, from, at, before,
					at < size ? &packet : NULL);
			status = salvage_record_add(r->salvage, &record, r->diag,
					"no sound packet begins in these bytes");
		}
		if (status == CSC_OK && at < size) {
			status = packet_take(r, &packet, &at);
		}
	}
	return status;
}

/* Compares the index with the packets, and reports packets behind the file's end. */
static enum csc_status index_judge(struct repair *r)
{
	struct salvage_record record;
	uint64_t end = r->file->size_bytes;
	size_t agreeing = 0;
	size_t j = 0;

	for (size_t i = 0; i < r->index_count; i++) {
		const struct ctf_packet *entry = &r->index[i];

		while (j < r->packet_count &&
				r->packets[j].packet.offset_bytes < entry->offset_bytes) {
			j++;
		}
		agreeing += j < r->packet_count &&
				r->packets[j].packet.offset_bytes == entry->offset_bytes &&
				r->packets[j].packet.packet_bits == entry->packet_bits &&
				r->packets[j].packet.begin_cycles == entry->begin_cycles;
	}
	if (r->index_count == 0 || (agreeing == r->packet_count && agreeing == r->index_count)) {
		return CSC_OK;
	}
	if (agreeing > 0 || r->packet_count == 0) {
		uint64_t behind;

		record = range_record(r, SALVAGE_PACKET_CUT, end, UINT64_MAX, last_kept(r), NULL);
		behind = index_count(r, end, UINT64_MAX, &record);
		if (behind > 0) {
			record.loss.packets = behind;
			record.loss.length_bytes = 0;
			for (size_t i = 0; i < r->index_count; i++) {
				if (r->index[i].offset_bytes >= end) {
					record.loss.length_bytes += r->index[i].packet_bits / 8;
				}
			}
			return salvage_record_add(r->salvage, &record, r->diag,
					"the index lists %" PRIu64
					" packets behind the end of the file",
					behind);
		}
	}
	if (r->is_changed) {
		return CSC_OK;
	}
	record = (struct salvage_record){
		.loss = { .kind = SALVAGE_INDEX_WRONG, .file = r->file->path }, .trace = r->trace
	};
	return salvage_record_add(r->salvage, &record, r->diag,
			"the index does not agree with the stream; nothing is lost");
}

static enum csc_status repaired_write(struct repair *r)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->packet_count; i++) {
		kept += !r->packets[i].is_dropped;
	}
	r->file->is_kept = kept > 0;
	if (kept == 0) {
		return salvage_copy_remove(r->trace, r->file, r->diag);
	}
	if (!r->is_changed) {
		return salvage_copy_link(r->trace, r->file, r->diag);
	}
	return salvage_copy_write(r->trace, r->file, r->fd, r->packets, r->packet_count, r->diag);
}

static enum csc_status packet_drop(struct repair *r, uint64_t number, bool has_rest)
{
	enum csc_status status = CSC_OK;
	uint64_t kept = 0;

	for (size_t i = 0; i < r->packet_count && status == CSC_OK; i++) {
		struct salvage_packet *packet = &r->packets[i];
		struct salvage_record record;

		if (packet->is_dropped || (kept++ != number && !(has_rest && kept > number))) {
			continue;
		}
		packet->is_dropped = true;
		r->is_changed = true;
		record = packet_record(r, SALVAGE_PACKET_UNDECODABLE, packet, 0,
				packet->packet.begin_cycles);
		status = salvage_record_add(r->salvage, &record, r->diag,
				"Babeltrace does not decode packet %" PRIu64, packet->packet.seq);
	}
	return status;
}

/* Lets Babeltrace read the file alone, and drops what it fails in. */
static enum csc_status probe_until_clean(struct repair *r)
{
	char *directory = salvage_path(r->trace->copy, ".probe");
	char *metadata = directory ? salvage_path(directory, "metadata") : NULL;
	char *link = directory ? salvage_path(directory, r->file->name) : NULL;
	char *target = salvage_path(r->trace->copy, r->file->name);
	enum csc_status status = CSC_OK;
	char *target_real = NULL;

	if (!directory || !metadata || !link || !target) {
		status = DIAG_NO_MEMORY(r->diag);
		goto end;
	}
	if (mkdir(directory, 0777) != 0) {
		status = DIAG_FAIL(r->diag, "cannot create '%s': %s", directory, strerror(errno));
		goto end;
	}
	status = salvage_text_write(metadata, r->trace->text, r->diag);
	target_real = realpath(r->trace->copy, NULL);
	free(target);
	target = target_real ? salvage_path(target_real, r->file->name) : NULL;
	if (status == CSC_OK && (!target || symlink(target, link) != 0)) {
		status = DIAG_FAIL(r->diag, "cannot create '%s': %s", link, strerror(errno));
	}
	for (unsigned int n = 0; status == CSC_OK && r->file->is_kept; n++) {
		uint64_t packet = 0;
		uint64_t events = 0;
		enum salvage_probe_result result =
				salvage_probe(directory, false, &packet, &events);

		if (result == SALVAGE_PROBE_READ) {
			break;
		}
		if (result == SALVAGE_PROBE_NO_MEMORY) {
			status = DIAG_FAIL(r->diag, "cannot run Babeltrace over '%s'", directory);
			break;
		}
		status = packet_drop(r, packet, n >= PROBES_MAX);
		if (status == CSC_OK) {
			status = repaired_write(r);
		}
	}
end:
	if (directory) {
		files_remove_tree(directory);
	}
	free(target_real);
	free(target);
	free(link);
	free(metadata);
	free(directory);
	return status;
}

static enum csc_status spans_add(struct repair *r)
{
	struct salvage_trace *trace = r->trace;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < r->packet_count && status == CSC_OK; i++) {
		const struct ctf_packet *packet = &r->packets[i].packet;

		if (r->packets[i].is_dropped) {
			continue;
		}
		if (packet->begin_cycles < trace->first_cycles) {
			trace->first_cycles = packet->begin_cycles;
		}
		if (packet->end_cycles > trace->last_cycles) {
			trace->last_cycles = packet->end_cycles;
		}
		status = salvage_span_add(r->salvage, packet, trace->format.uuid);
	}
	return status == CSC_OK ? CSC_OK : DIAG_NO_MEMORY(r->diag);
}

static bool index_load(struct repair *r)
{
	char *path = NULL;
	bool is_ok = false;

	if (asprintf(&path, "%s/index/%s.idx", r->trace->origin, r->file->name) < 0) {
		return false;
	}
	is_ok = ctf_index_read(path, &r->index, &r->index_count);
	free(path);
	return is_ok;
}

static enum csc_status file_repair(struct repair *r)
{
	struct salvage_record record;
	enum csc_status status;

	if (r->file->size_bytes == 0) {
		record = range_record(r, SALVAGE_STREAM_EMPTY, 0, UINT64_MAX, NULL, NULL);
		record.loss.packets = index_count(r, 0, UINT64_MAX, &record);
		record.loss.length_bytes = 0;
		return salvage_record_add(r->salvage, &record, r->diag,
				"the stream file has 0 bytes; its index lists %" PRIu64 " packets",
				record.loss.packets);
	}
	if (salvage_mark_find(r->fd, &r->trace->format, 0) == UINT64_MAX) {
		record = (struct salvage_record){
			.loss = { .kind = SALVAGE_FOREIGN_FILE,
					.file = r->file->path,
					.length_bytes = r->file->size_bytes },
			.trace = r->trace
		};
		return salvage_record_add(r->salvage, &record, r->diag,
				"no packet of this trace is in the file; it is left out");
	}
	status = packets_find(r);
	if (status == CSC_OK) {
		status = index_judge(r);
	}
	if (status == CSC_OK) {
		status = repaired_write(r);
	}
	if (status == CSC_OK && r->file->is_kept) {
		status = probe_until_clean(r);
	}
	return status == CSC_OK ? spans_add(r) : status;
}

enum csc_status salvage_stream_repair(struct salvage *salvage, struct salvage_trace *trace,
		struct salvage_file *file, struct diag *diag)
{
	struct repair r = { .salvage = salvage, .trace = trace, .file = file, .diag = diag };
	enum csc_status status;

	if (!trace->tsdl) {
		file->is_kept = file->size_bytes > 0;
		return file->is_kept ? salvage_copy_link(trace, file, diag) : CSC_OK;
	}
	r.fd = open(file->path, O_RDONLY | O_CLOEXEC);
	if (r.fd < 0) {
		return DIAG_FAIL(diag, "cannot open '%s': %s", file->path, strerror(errno));
	}
	status = index_load(&r) ? file_repair(&r) : DIAG_NO_MEMORY(diag);
	(void)close(r.fd);
	free(r.bytes);
	free(r.index);
	free(r.packets);
	return status;
}
