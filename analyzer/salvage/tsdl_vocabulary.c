/*
 * SPDX-License-Identifier: MIT
 *
 * Guesses the shape first (header, contexts, which ids carry counters), then the
 * names among events of one shape by what their values do.
 */
#include "tsdl_vocabulary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tsdl_guess.h"
#include "tsdl_walk.h"

enum {
	SEEN_MAX = 256,
	PID_MAX = 4194304,
	INSTANCE_MAX = 65536,
	SHAPE_COUNT = 9,
	STREAM_MAX = 16,
};

/* The contexts an operator adds: I a number (vpid or vtid), P procname. */
static const char *const shapes[SHAPE_COUNT] = { "", "I", "P", "IP", "PI", "II", "IIP", "IPI",
	"PII" };

/* What follows from the values of a stream's events. */
struct witness {
	struct {
		char type[32];
		uint64_t instance;
		uint64_t carriers;
	} last[SEEN_MAX];
	size_t last_count;

	uint64_t numbers[2][SEEN_MAX];
	uint64_t number_instance[2][SEEN_MAX];
	bool has_instances[2][SEEN_MAX];
	size_t number_count[2];
	bool numbers_differ;

	int64_t rises[EVENT_COUNT];
	uint64_t events[EVENT_COUNT];
	uint64_t pages[EVENT_COUNT];
};

static void walk_begin(struct tsdl_walk *walk, const struct tsdl *tsdl,
		const struct tsdl_stream *stream, const struct ctf_format *format,
		const struct tsdl_sample *sample)
{
	tsdl_walk_init(walk, tsdl, stream, sample->bytes, 8 * ctf_format_front_bytes(format),
			sample->packet.content_bits, sample->packet.begin_cycles,
			sample->packet.end_cycles);
}

size_t tsdl_samples_explained(const struct tsdl *tsdl, const struct ctf_format *format,
		const struct tsdl_sample *samples, size_t sample_count)
{
	struct tsdl_walk walk;
	size_t count = 0;

	for (size_t i = 0; i < sample_count; i++) {
		const struct tsdl_stream *stream =
				tsdl_stream_find(tsdl, samples[i].packet.stream_id);
		enum tsdl_step step = TSDL_STEP_BAD;

		if (stream && stream->event_header) {
			walk_begin(&walk, tsdl, stream, format, &samples[i]);
			do {
				step = tsdl_walk_next(&walk);
			} while (step == TSDL_STEP_EVENT);
		}
		count += step == TSDL_STEP_END;
	}
	return count;
}

static const char *type_of(const struct tsdl_walk *walk)
{
	for (size_t i = 0; i < walk->value_count; i++) {
		if (walk->values[i].text) {
			return walk->values[i].text;
		}
	}
	return "";
}

/* Whether an event's values can be those of a carrier event. */
static bool event_is_plausible(const struct tsdl_walk *walk)
{
	const char *type = type_of(walk);
	size_t length = strlen(type);
	uint64_t instance = 0;
	uint64_t pid;

	if (length < 7 || length > 31 || strcmp(type + length - 6, "_alloc") != 0 ||
			!tsdl_walk_number(walk, "_instance", &instance) ||
			instance > INSTANCE_MAX) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		if ((type[i] < 'a' || type[i] > 'z') && type[i] != '_') {
			return false;
		}
	}
	for (size_t i = 0; i < walk->value_count; i++) {
		if (walk->values[i].number >> 62 != 0) {
			return false;
		}
	}
	return (!tsdl_walk_number(walk, "_vpid", &pid) || (pid > 0 && pid <= PID_MAX)) &&
			(!tsdl_walk_number(walk, "_vtid", &pid) || (pid > 0 && pid <= PID_MAX));
}

static void witness_number(
		struct witness *witness, size_t column, uint64_t number, uint64_t instance)
{
	size_t i = 0;

	while (i < witness->number_count[column] && witness->numbers[column][i] != number) {
		i++;
	}
	if (i == SEEN_MAX) {
		return;
	}
	if (i == witness->number_count[column]) {
		witness->number_count[column]++;
		witness->numbers[column][i] = number;
	}
	if (instance > 0) {
		if (witness->number_instance[column][i] == 0) {
			witness->number_instance[column][i] = instance;
		}
		if (witness->number_instance[column][i] != instance) {
			witness->has_instances[column][i] = true;
		}
	}
}

static void witness_carriers(struct witness *witness, const struct tsdl_walk *walk,
		uint64_t instance, uint64_t carriers)
{
	const char *type = type_of(walk);
	size_t i = 0;

	while (i < witness->last_count &&
			(witness->last[i].instance != instance ||
					strcmp(witness->last[i].type, type) != 0)) {
		i++;
	}
	if (i == SEEN_MAX) {
		return;
	}
	if (i == witness->last_count) {
		witness->last_count++;
		(void)snprintf(witness->last[i].type, sizeof(witness->last[i].type), "%s", type);
		witness->last[i].instance = instance;
		witness->last[i].carriers = carriers;
	}
	if (carriers != witness->last[i].carriers) {
		witness->rises[walk->event_id] += carriers > witness->last[i].carriers ? 1 : -1;
	}
	witness->last[i].carriers = carriers;
}

static void witness_event(struct witness *witness, const struct tsdl_walk *walk)
{
	uint64_t instance = 0;
	uint64_t size = 0;
	uint64_t mbc;
	uint64_t sbc;
	uint64_t first = 0;
	uint64_t second = 0;

	(void)tsdl_walk_number(walk, "_instance", &instance);
	(void)tsdl_walk_number(walk, "_size", &size);
	witness->events[walk->event_id]++;
	witness->pages[walk->event_id] += size % 4096 == 0;
	if (tsdl_walk_number(walk, "_mbc_carriers", &mbc) &&
			tsdl_walk_number(walk, "_sbc_carriers", &sbc)) {
		witness_carriers(witness, walk, instance, mbc + sbc);
	}
	if (tsdl_walk_number(walk, "_vpid", &first)) {
		witness_number(witness, 0, first, instance);
	}
	if (tsdl_walk_number(walk, "_vtid", &second)) {
		witness_number(witness, 1, second, instance);
	}
	witness->numbers_differ |= first != second;
}

/* Number of a stream's samples that the guess explains; fills the witness. */
static size_t guess_try(const struct tsdl *tsdl, const struct ctf_format *format,
		uint32_t stream_id, const struct tsdl_sample *samples, size_t sample_count,
		struct witness *witness)
{
	const struct tsdl_stream *stream = tsdl_stream_find(tsdl, stream_id);
	struct tsdl_walk walk;
	size_t count = 0;

	for (size_t i = 0; stream && i < sample_count; i++) {
		enum tsdl_step step;

		if (samples[i].packet.stream_id != stream_id) {
			continue;
		}
		walk_begin(&walk, tsdl, stream, format, &samples[i]);
		while ((step = tsdl_walk_next(&walk)) == TSDL_STEP_EVENT) {
			if (walk.event_id >= EVENT_COUNT || !event_is_plausible(&walk)) {
				step = TSDL_STEP_BAD;
				break;
			}
			if (witness) {
				witness_event(witness, &walk);
			}
		}
		count += step == TSDL_STEP_END;
	}
	return count;
}

/* Gives the ids of one shape their names; `high` is the event with more of it. */
static bool names_decide(struct guess *guess, const struct witness *witness, unsigned int high,
		unsigned int low, const double *measure, double middle)
{
	unsigned int ids[2];
	unsigned int count = 0;

	for (unsigned int id = 0; id < EVENT_COUNT; id++) {
		if (guess->event[id] == high || guess->event[id] == low) {
			ids[count++ & 1U] = id;
		}
	}
	if (guess->is_fixed[ids[0]] || guess->is_fixed[ids[1]] ||
			(witness->events[ids[0]] == 0 && witness->events[ids[1]] == 0)) {
		return true;
	}
	if (witness->events[ids[0]] == 0 || witness->events[ids[1]] == 0) {
		unsigned int seen = witness->events[ids[0]] > 0 ? 0 : 1;

		guess->event[ids[seen]] = measure[ids[seen]] > middle ? high : low;
		guess->event[ids[1 - seen]] = measure[ids[seen]] > middle ? low : high;
		return measure[ids[seen]] != middle;
	}
	guess->event[ids[0]] = measure[ids[0]] > measure[ids[1]] ? high : low;
	guess->event[ids[1]] = measure[ids[0]] > measure[ids[1]] ? low : high;
	return measure[ids[0]] != measure[ids[1]];
}

static bool contexts_decide(struct guess *guess, const struct witness *witness)
{
	const char *first = strchr(guess->shape, 'I');

	if (!first) {
		return true;
	}
	if (!strchr(first + 1, 'I')) {
		/* A scheduler's thread emits events of its own instance only. */
		bool is_process = false;

		for (size_t i = 0; i < witness->number_count[0]; i++) {
			is_process |= witness->has_instances[0][i];
		}
		guess->is_vtid_first = !is_process;
		return is_process || witness->number_count[0] > 1;
	}
	guess->is_vtid_first = witness->number_count[0] > witness->number_count[1];
	return witness->number_count[0] != witness->number_count[1] || !witness->numbers_differ;
}

static bool decide(struct guess *guess, const struct witness *witness, bool is_own_stream)
{
	double rises[EVENT_COUNT];
	double pages[EVENT_COUNT];

	for (size_t id = 0; id < EVENT_COUNT; id++) {
		double events = witness->events[id] ? (double)witness->events[id] : 1.0;

		rises[id] = (double)witness->rises[id] / events;
		pages[id] = (double)witness->pages[id] / events;
	}
	return names_decide(guess, witness, CREATE, DESTROY, rises, 0.0) &&
			names_decide(guess, witness, PUT, GET, pages, 0.5) &&
			(!is_own_stream || contexts_decide(guess, witness));
}

/* The frame that all guesses of one stream share. */
struct frame {
	const struct ctf_format *format;
	const struct tsdl *base;
	const char *base_text;
	size_t base_bytes;
	const struct tsdl_sample *samples;
	size_t sample_count;
};

static enum tsdl_verdict guess_measure(const struct frame *frame, const struct guess *guess,
		struct witness *witness, size_t *ret_explained)
{
	char *text = tsdl_guess_print(
			frame->format, frame->base, frame->base_text, frame->base_bytes, guess, 1);
	struct tsdl *tsdl = NULL;
	size_t good;

	if (!text || !tsdl_read(text, strlen(text), &tsdl, &good)) {
		free(text);
		return TSDL_NO_MEMORY;
	}
	*ret_explained = good == strlen(text)
			? guess_try(tsdl, frame->format, guess->stream_id, frame->samples,
					  frame->sample_count, witness)
			: 0;
	tsdl_destroy(tsdl);
	free(text);
	return TSDL_PROVED;
}

static bool guess_sees_same(const struct guess *a, const struct guess *b, const struct witness *w)
{
	for (size_t id = 0; id < EVENT_COUNT; id++) {
		if (w->events[id] > 0 && a->event[id] / 2 != b->event[id] / 2) {
			return false;
		}
	}
	return a->is_compact == b->is_compact && a->shape == b->shape;
}

/* Puts the events that the metadata declares at their ids; false when the shape is another. */
static bool guess_fix(struct guess *guess, const struct tsdl *base)
{
	for (unsigned int id = 0; base && id < EVENT_COUNT; id++) {
		const struct tsdl_event *event = tsdl_event_find(base, guess->stream_id, id);
		unsigned int i = 0;
		unsigned int other = 0;

		if (!event) {
			continue;
		}
		while (i < EVENT_COUNT && strcmp(tsdl_guess_event_name(i), event->name) != 0) {
			i++;
		}
		if (i == EVENT_COUNT || i / 2 != guess->event[id] / 2) {
			return false;
		}
		while (guess->event[other] != i) {
			other++;
		}
		guess->event[other] = guess->event[id];
		guess->event[id] = i;
		guess->is_fixed[id] = true;
	}
	return true;
}

static enum tsdl_verdict stream_prove(
		const struct frame *frame, uint32_t stream_id, struct guess *ret_guess)
{
	bool is_own = !frame->base || !tsdl_stream_find(frame->base, stream_id);
	struct witness *witness = NULL;
	struct guess best = { .stream_id = stream_id };
	enum tsdl_verdict verdict = TSDL_REFUTED;
	size_t best_explained = 0;
	size_t sample_count = 0;
	bool is_tie = false;

	for (size_t i = 0; i < frame->sample_count; i++) {
		sample_count += frame->samples[i].packet.stream_id == stream_id;
	}
	witness = calloc(1, sizeof(*witness));
	if (!witness) {
		return TSDL_NO_MEMORY;
	}
	for (unsigned int n = 0; n < 2 * SHAPE_COUNT * 16; n++) {
		static const unsigned int masks[] = { 3, 5, 6, 9, 10, 12 };
		struct guess guess = { .stream_id = stream_id,
			.is_compact = n % 2 != 0,
			.shape = shapes[n / 2 % SHAPE_COUNT] };
		unsigned int mask = n / (2 * SHAPE_COUNT);
		unsigned int stat = CREATE;
		unsigned int pool = PUT;
		size_t explained = 0;

		if (mask >= 6 || (!is_own && n % (2 * SHAPE_COUNT) != 0)) {
			continue;
		}
		for (unsigned int id = 0; id < EVENT_COUNT; id++) {
			guess.event[id] = masks[mask] >> id & 1U ? stat++ : pool++;
		}
		if (!guess_fix(&guess, frame->base)) {
			continue;
		}
		if (guess_measure(frame, &guess, NULL, &explained) == TSDL_NO_MEMORY) {
			verdict = TSDL_NO_MEMORY;
			goto end;
		}
		if (explained > best_explained) {
			best = guess;
			best_explained = explained;
			is_tie = false;
			memset(witness, 0, sizeof(*witness));
			(void)guess_measure(frame, &best, witness, &explained);
		} else if (explained > 0 && explained == best_explained &&
				!guess_sees_same(&best, &guess, witness)) {
			is_tie = true;
		}
	}
	if (best_explained * 2 > sample_count) {
		verdict = !is_tie && decide(&best, witness, is_own) ? TSDL_PROVED : TSDL_UNDECIDED;
	}
	*ret_guess = best;
end:
	free(witness);
	return verdict;
}

enum tsdl_verdict tsdl_vocabulary_prove(const struct ctf_format *format, const struct tsdl *base,
		const char *base_text, size_t base_bytes, const struct tsdl_sample *samples,
		size_t sample_count, char **ret_text)
{
	const struct frame frame = { format, base, base_text, base_bytes, samples, sample_count };
	struct guess guesses[STREAM_MAX];
	size_t guess_count = 0;

	if (format->long_bytes != 8) {
		return TSDL_REFUTED;
	}
	for (size_t i = 0; i < sample_count; i++) {
		uint32_t stream_id = samples[i].packet.stream_id;
		enum tsdl_verdict verdict;
		size_t j = 0;

		while (j < guess_count && guesses[j].stream_id != stream_id) {
			j++;
		}
		if (j < guess_count) {
			continue;
		}
		if (guess_count == STREAM_MAX) {
			return TSDL_REFUTED;
		}
		verdict = stream_prove(&frame, stream_id, &guesses[guess_count]);
		if (verdict != TSDL_PROVED) {
			return verdict;
		}
		guess_count++;
	}
	*ret_text = tsdl_guess_print(format, base, base_text, base_bytes, guesses, guess_count);
	return *ret_text ? TSDL_PROVED : TSDL_NO_MEMORY;
}
