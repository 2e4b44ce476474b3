/*
 * SPDX-License-Identifier: MIT
 *
 * Chooses the metadata of a repaired copy: the trace's own, a sibling's, or one
 * made anew.
 */
#include "salvage_metadata.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ctf2_text.h"
#include "ctf_metadata.h"
#include "packet_search.h"
#include "salvage_copy.h"
#include "salvage_probe.h"
#include "salvage_state.h"
#include "tsdl_own.h"
#include "tsdl_text.h"
#include "tsdl_vocabulary.h"

enum {
	SAMPLES_MAX = 64,
	SAMPLES_PER_FILE = 8,
	SAMPLE_BYTES_MAX = 16 * 1024 * 1024,
	PAGE_BYTES = 4096,
	SEARCH_PAGES = 256,
	HEX_DIGITS = 32,
};

/* The metadata that a trace has. */
struct own {
	char *text;

	/* What was read of it: all that can be, from its beginning, or from every sound fragment.
	 */
	size_t good_bytes;
	struct tsdl *tsdl;

	/* The byte of the file at which the damage begins; or NULL, or what is there that is none.
	 */
	uint64_t damage_at;
	const char *what;
};

struct samples {
	struct tsdl_sample list[SAMPLES_MAX];
	size_t count;
};

static void samples_finish(struct samples *samples)
{
	for (size_t i = 0; i < samples->count; i++) {
		free(samples->list[i].bytes);
	}
}

/* Takes UUID and byte order from the files: what most first packets have. */
static void format_guess(struct salvage_trace *trace)
{
	size_t best = 0;

	for (size_t i = 0; i < trace->file_count; i++) {
		int fd = open(trace->files[i].path, O_RDONLY | O_CLOEXEC);
		uint8_t mark[CTF_MARK_BYTES];
		size_t votes = 0;
		struct ctf_format format = { .long_bytes = 8 };

		for (off_t page = 0; fd >= 0 && page < SEARCH_PAGES; page++) {
			if (pread(fd, mark, sizeof(mark), page * (off_t)PAGE_BYTES) !=
					sizeof(mark)) {
				break;
			}
			if (!ctf_magic_is_at(mark, &format.is_big_endian)) {
				continue;
			}
			if (votes == 0 || memcmp(format.uuid, mark + 4, CTF_UUID_BYTES) == 0) {
				memcpy(format.uuid, mark + 4, CTF_UUID_BYTES);
				votes++;
			} else {
				votes--;
			}
		}
		if (fd >= 0) {
			(void)close(fd);
		}
		if (votes > best) {
			best = votes;
			trace->format = format;
			trace->has_format = true;
		}
	}
}

static bool file_sample(const struct salvage_trace *trace, int fd, struct samples *samples)
{
	uint64_t at = salvage_mark_find(fd, &trace->format, 0);

	for (size_t i = 0; i < SAMPLES_PER_FILE && at != UINT64_MAX; i++) {
		uint8_t front[CTF_FRONT_BYTES];
		ssize_t got = pread(fd, front, sizeof(front), (off_t)at);
		struct tsdl_sample sample;
		uint64_t bytes;

		if (got < 0 || samples->count == SAMPLES_MAX ||
				!ctf_packet_parse(&trace->format, front, (size_t)got, at,
						&sample.packet)) {
			break;
		}
		at = salvage_mark_find(fd, &trace->format, at + 1);
		bytes = sample.packet.content_bits / 8;
		if (!ctf_packet_is_sane(&sample.packet, &trace->format) ||
				bytes > SAMPLE_BYTES_MAX) {
			continue;
		}
		sample.bytes = malloc((size_t)bytes);
		if (!sample.bytes) {
			return false;
		}
		if (pread(fd, sample.bytes, (size_t)bytes, (off_t)sample.packet.offset_bytes) !=
				(ssize_t)bytes) {
			free(sample.bytes);
			continue;
		}
		samples->list[samples->count++] = sample;
	}
	return true;
}

static bool samples_take(const struct salvage_trace *trace, struct samples *samples)
{
	bool is_ok = true;

	for (size_t i = 0; i < trace->file_count && is_ok; i++) {
		int fd = open(trace->files[i].path, O_RDONLY | O_CLOEXEC);

		if (fd >= 0) {
			is_ok = file_sample(trace, fd, samples);
			(void)close(fd);
		}
	}
	return is_ok;
}

static bool uuid_scan(const char *text, uint8_t *uuid)
{
	size_t digits = 0;

	for (; text && *text && digits < HEX_DIGITS; text++) {
		static const char hex[] = "0123456789abcdef";
		const char *at = strchr(hex, *text | 0x20);

		if (*text == '-') {
			continue;
		}
		if (!at) {
			return false;
		}
		uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | (at - hex));
		digits++;
	}
	return digits == HEX_DIGITS;
}

/* Takes over a text that Babeltrace opens; without LTTng's layout the streams stay as they are. */
static enum csc_status text_settle(struct salvage_trace *trace, char *text, struct tsdl *tsdl,
		bool *ret_is_opened, struct diag *diag)
{
	char *path = salvage_path(trace->copy, "metadata");
	enum csc_status status = path ? salvage_text_write(path, text, diag) : DIAG_NO_MEMORY(diag);
	uint64_t packet;
	uint64_t events;

	free(path);
	if (status != CSC_OK) {
		return status;
	}
	*ret_is_opened = salvage_probe(trace->copy, true, &packet, &events) == SALVAGE_PROBE_READ;
	if (*ret_is_opened) {
		trace->text = text;
		trace->tsdl = tsdl;
	}
	return CSC_OK;
}

/* Whether a text ends inside a declaration: no reader takes that. */
static bool text_is_cut(const char *text)
{
	size_t open = 0;
	size_t close = 0;
	const char *last = ";";

	for (; *text; text++) {
		open += *text == '{';
		close += *text == '}';
		last = *text > ' ' ? text : last;
	}
	return open != close || (*last != ';' && *last != '/');
}

/* Reads metadata of either format, that of CTF 2 in the words of CTF 1.8. */
static enum csc_status text_read(const char *path, struct ctf2_text *ret_text, struct diag *diag)
{
	struct ctf2_text text = { .text = NULL };
	struct ctf2_text translated;

	if (!tsdl_text_load(path, &text.text, &text.text_bytes)) {
		return DIAG_FAIL(diag, "cannot read '%s': %s", path, strerror(errno));
	}
	if (ctf2_is_text(text.text, text.text_bytes)) {
		bool is_ok = ctf2_translate(text.text, text.text_bytes, &translated);

		free(text.text);
		if (!is_ok) {
			return DIAG_NO_MEMORY(diag);
		}
		text = translated;
	}
	*ret_text = text;
	return CSC_OK;
}

/* Hands on metadata of which we understand only a part, if Babeltrace understands all of it. */
static enum csc_status untouched_try(struct salvage_trace *trace, const char *metadata,
		bool *ret_is_settled, struct diag *diag)
{
	char *path = salvage_path(trace->copy, "metadata");
	enum csc_status status = CSC_OK;
	uint64_t packet;
	uint64_t events;

	if (!path) {
		return DIAG_NO_MEMORY(diag);
	}
	if (symlink(metadata, path) != 0) {
		status = DIAG_FAIL(diag, "cannot create '%s': %s", path, strerror(errno));
	} else if (salvage_probe(trace->copy, true, &packet, &events) == SALVAGE_PROBE_READ) {
		*ret_is_settled = true;
	} else {
		(void)unlink(path);
	}
	free(path);
	return status;
}

/* The trace's own metadata, if it is whole; else *own is what is left of it. */
static enum csc_status own_try(struct salvage_trace *trace, struct own *own, bool *ret_is_settled,
		struct diag *diag)
{
	char *path = salvage_path(trace->origin, "metadata");
	struct ctf_format format = { .long_bytes = 8 };
	enum csc_status status = CSC_OK;
	struct ctf2_text read = { .text = NULL };
	bool has_front;

	if (!path) {
		return DIAG_NO_MEMORY(diag);
	}
	if (trace->has_metadata) {
		status = text_read(path, &read, diag);
		own->text = read.text;
	}
	if (status != CSC_OK || read.text_bytes == 0) {
		goto end;
	}
	if (!tsdl_read(own->text, read.text_bytes, &own->tsdl, &own->good_bytes)) {
		status = DIAG_NO_MEMORY(diag);
		goto end;
	}
	own->damage_at = tsdl_text_place(path, read.what ? read.offset_bytes : own->good_bytes);
	own->what = read.is_damaged ? NULL : read.what;
	if (read.what) {
		status = untouched_try(trace, path, ret_is_settled, diag);
		goto end;
	}
	if (own->good_bytes < read.text_bytes && text_is_cut(own->text + own->good_bytes)) {
		goto end;
	}
	has_front = own->good_bytes == read.text_bytes &&
			uuid_scan(tsdl_uuid_borrow(own->tsdl), format.uuid) &&
			tsdl_has_lttng_front(own->tsdl, &format.long_bytes);
	format.is_big_endian = tsdl_is_big_endian(own->tsdl);
	status = text_settle(trace, own->text, has_front ? own->tsdl : NULL, ret_is_settled, diag);
	if (*ret_is_settled) {
		if (!has_front) {
			tsdl_destroy(own->tsdl);
		} else {
			trace->format = format;
			trace->has_format = true;
		}
		own->text = NULL;
		own->tsdl = NULL;
	}
end:
	free(path);
	return status;
}

static enum csc_status remade_record(struct salvage *salvage, struct salvage_trace *trace,
		const char *sentence, struct diag *diag)
{
	struct salvage_record record = {
		.loss = { .kind = SALVAGE_METADATA_REMADE, .file = trace->origin }, .trace = trace
	};

	return salvage_record_add(salvage, &record, diag, "%s", sentence);
}

/* Reads a text made by us or a sibling, and settles it when it explains the packets. */
static enum csc_status made_settle(struct salvage_trace *trace, char *text,
		const struct samples *samples, bool *ret_is_settled, struct diag *diag)
{
	struct tsdl *tsdl = NULL;
	enum csc_status status = CSC_OK;
	size_t good;

	if (!tsdl_read(text, strlen(text), &tsdl, &good)) {
		return DIAG_NO_MEMORY(diag);
	}
	if (good == strlen(text) && tsdl_has_lttng_front(tsdl, &trace->format.long_bytes) &&
			2 *
							tsdl_samples_explained(tsdl, &trace->format,
									samples->list,
									samples->count) >=
					samples->count) {
		status = text_settle(trace, text, tsdl, ret_is_settled, diag);
	}
	if (!*ret_is_settled) {
		tsdl_destroy(tsdl);
	}
	return status;
}

static enum csc_status sibling_try(struct salvage *salvage, struct salvage_trace *trace,
		const char *metadata_file, const struct samples *samples, struct diag *diag)
{
	struct ctf2_text read = { .text = NULL };
	struct tsdl *tsdl = NULL;
	char uuid[37];
	size_t good;
	bool is_settled = false;
	enum csc_status status = text_read(metadata_file, &read, diag);

	if (status != CSC_OK) {
		return status;
	}
	if (!tsdl_read(read.text, read.text_bytes, &tsdl, &good)) {
		free(read.text);
		return DIAG_NO_MEMORY(diag);
	}
	ctf_uuid_print(trace->format.uuid, uuid);
	if (!read.what && good == read.text_bytes && tsdl_uuid_borrow(tsdl) &&
			tsdl_text_set_uuid(read.text, tsdl_uuid_borrow(tsdl), uuid)) {
		status = made_settle(trace, read.text, samples, &is_settled, diag);
	}
	tsdl_destroy(tsdl);
	if (is_settled) {
		return remade_record(salvage, trace,
				"the metadata is a sibling's; so is the clock's offset, and times of "
				"day may be wrong",
				diag);
	}
	free(read.text);
	return status != CSC_OK
			? status
			: DIAG_FAIL(diag, "metadata '%s' does not explain the packets of '%s'",
					  metadata_file, trace->origin);
}

static enum csc_status vocabulary_try(struct salvage *salvage, struct salvage_trace *trace,
		const struct own *own, const struct samples *samples, struct diag *diag)
{
	const struct tsdl *left = own->tsdl;
	bool has_clock = left && tsdl_clock_borrow(left);
	bool is_settled = false;
	char *text = NULL;
	enum csc_status status = CSC_OK;

	bool is_own = false;
	enum tsdl_verdict verdict = tsdl_vocabulary_prove(&trace->format, left, own->text,
			own->good_bytes, samples->list, samples->count, &text);

	if (verdict == TSDL_REFUTED && (!left || tsdl_stream_count(left) == 0)) {
		verdict = tsdl_own_prove(
				&trace->format, left, samples->list, samples->count, &text);
		is_own = true;
	}

	switch (verdict) {
	case TSDL_PROVED:
		status = made_settle(trace, text, samples, &is_settled, diag);
		break;
	case TSDL_UNDECIDED:
		return DIAG_FAIL(diag,
				"cannot make metadata for '%s': its packets fit several event lists; "
				"give that of another recording of a session with the same events "
				"and contexts with --metadata FILE",
				trace->origin);
	case TSDL_NO_MEMORY:
		return DIAG_NO_MEMORY(diag);
	case TSDL_REFUTED:
		break;
	}
	if (is_settled && is_own) {
		return remade_record(salvage, trace,
				has_clock ? "the metadata was guessed: all events of provider "
					    "carrierscope in their order, which alone explains the "
					    "packets"
					  : "the metadata was guessed: all events of provider "
					    "carrierscope in their order, which alone explains the "
					    "packets; the clock's offset is not known, times begin "
					    "at the machine's start",
				diag);
	}
	if (is_settled) {
		return remade_record(salvage, trace,
				has_clock ? "the metadata was made anew from what is left of it and "
					    "the packets"
					  : "the metadata was made anew from the packets; the "
					    "clock's offset is not known, times begin at the "
					    "machine's start",
				diag);
	}
	free(text);
	return status != CSC_OK
			? status
			: DIAG_FAIL(diag,
					  "cannot make metadata for '%s': its packets are neither "
					  "OTP's carrier events alone nor all events of provider "
					  "carrierscope; give that of another recording of a "
					  "session with the same events and contexts with "
					  "--metadata FILE",
					  trace->origin);
}

/* What is left of the metadata, when it explains the packets as it is. */
static enum csc_status left_try(struct salvage *salvage, struct salvage_trace *trace,
		const struct own *own, const struct samples *samples, bool *ret_is_settled,
		struct diag *diag)
{
	char sentence[256];
	char *text;
	enum csc_status status;

	if (!own->tsdl || tsdl_stream_count(own->tsdl) == 0 || samples->count == 0) {
		return CSC_OK;
	}
	text = strndup(own->text, own->good_bytes);
	if (!text) {
		return DIAG_NO_MEMORY(diag);
	}
	status = made_settle(trace, text, samples, ret_is_settled, diag);
	if (!*ret_is_settled) {
		free(text);
		return status;
	}
	(void)snprintf(sentence, sizeof(sentence),
			"the metadata %s%s at byte %" PRIu64
			"; what is left of it explains the packets",
			own->what ? "has " : "is damaged", own->what ? own->what : "",
			own->damage_at);
	return remade_record(salvage, trace, sentence, diag);
}

enum csc_status salvage_metadata_settle(struct salvage *salvage, struct salvage_trace *trace,
		const char *metadata_file, struct diag *diag)
{
	struct samples samples = { .count = 0 };
	struct own own = { .text = NULL };
	bool is_settled = false;
	enum csc_status status = own_try(trace, &own, &is_settled, diag);

	if (status != CSC_OK || is_settled) {
		goto end;
	}
	format_guess(trace);
	if (!trace->has_format) {
		status = DIAG_FAIL(diag,
				"'%s/metadata' is not sound CTF metadata at byte %" PRIu64
				", and no file beside it begins with a CTF packet",
				trace->origin, own.damage_at);
		goto end;
	}
	if (!samples_take(trace, &samples)) {
		status = DIAG_NO_MEMORY(diag);
	} else if (metadata_file) {
		status = sibling_try(salvage, trace, metadata_file, &samples, diag);
	} else {
		status = left_try(salvage, trace, &own, &samples, &is_settled, diag);
		if (status == CSC_OK && !is_settled) {
			status = vocabulary_try(salvage, trace, &own, &samples, diag);
		}
	}
end:
	samples_finish(&samples);
	tsdl_destroy(own.tsdl);
	free(own.text);
	return status;
}
