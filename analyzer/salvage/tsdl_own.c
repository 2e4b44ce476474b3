/*
 * SPDX-License-Identifier: MIT
 */
#include "tsdl_own.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "own_events.h"
#include "tsdl_guess.h"
#include "tsdl_walk.h"

enum {
	SHAPE_COUNT = 9,
	PID_MAX = 4194304,

	/* Below it there are too few events. */
	EVENTS_MIN = 20,
	ALLOCATOR_MAX = 64,
	SEEN_MAX = 64,
	ADDRESS_BITS = 48,
	FIGURE_BITS = 62,
};

/* Which providers there are, in the order in which they came. */
enum order {
	OWN_ALONE,
	OTP_FIRST,
	OWN_FIRST,
	ORDERS,
};

/* As in tsdl_vocabulary.c: I a number (vpid or vtid), P procname. */
static const char *const shapes[SHAPE_COUNT] = { "", "I", "P", "IP", "PI", "II", "IIP", "IPI",
	"PII" };

/* What a guess found in the samples. */
struct findings {
	uint64_t events;

	/* Events with texts that identify them. */
	uint64_t anchors;

	/* Different values of the two numbers of the context. */
	uint64_t numbers[2][SEEN_MAX];
	size_t number_count[2];
	bool numbers_differ;
};

static char *event_text(const struct own_event *event, unsigned int id, uint32_t stream_id)
{
	char *text = NULL;

	return asprintf(&text,
			       "event {\n\tname = \"%s\";\n\tid = %u;\n\tstream_id = %u;\n\tfields := "
			       "struct {\n%s\t};\n};\n",
			       event->name, id, stream_id, event->fields) < 0
			? NULL
			: text;
}

/* The streams' declarations and OTP's events as tsdl_guess_print() has them, ours added. */
static char *print(const struct ctf_format *format, const struct tsdl *base, struct guess guess,
		enum order order)
{
	char *front = tsdl_guess_print_stream(format, base, &guess);
	char *text = NULL;
	size_t length = 0;
	FILE *file = open_memstream(&text, &length);
	unsigned int id = 0;
	bool is_ok = front && file;

	if (is_ok) {
		(void)fputs(front, file);
	}
	for (unsigned int part = 0; part < 2 && is_ok; part++) {
		bool is_otp = (order == OTP_FIRST) == (part == 0);
		size_t count = !is_otp ? own_event_count : order == OWN_ALONE ? 0 : EVENT_COUNT;

		for (unsigned int i = 0; i < count && is_ok; i++) {
			struct own_event event = is_otp
					? (struct own_event){ tsdl_guess_event_name(i),
						  tsdl_guess_event_fields(i) }
					: own_events[i];
			char *one = event_text(&event, id++, guess.stream_id);

			is_ok = one != NULL;
			if (is_ok) {
				(void)fputs(one, file);
			}
			free(one);
		}
	}
	free(front);
	if (file && fclose(file) != 0) {
		is_ok = false;
	}
	if (!is_ok) {
		free(text);
		return NULL;
	}
	return text;
}

static bool is_named(const struct tsdl_walk *walk, const char *event)
{
	const char *colon = strchr(walk->event->name, ':');

	return colon && strcmp(colon + 1, event) == 0;
}

static bool is_text(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == '\177') {
			return false;
		}
	}
	return true;
}

/* A word as snapshots have them: "mbcs", "blocks_size". */
static bool is_word(const char *text)
{
	if (!islower((unsigned char)*text)) {
		return false;
	}
	while (islower((unsigned char)*text) || isdigit((unsigned char)*text) || *text == '_') {
		text++;
	}
	return *text == '\0';
}

/* "blocks_size", "0/proc/allocated": what a figure is of. */
static bool is_key(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) && !strchr("_/.:-+", text[i])) {
			return false;
		}
	}
	return length > 0;
}

static bool ends_in_alloc(const char *text)
{
	size_t length = strlen(text);

	return length > 6 && is_word(text) && strcmp(text + length - 6, "_alloc") == 0;
}

static bool value_is_plausible(const struct tsdl_value *value)
{
	static const struct {
		const char *name;
		uint64_t most;
	} limits[] = {
		{ "_allocator_id", ALLOCATOR_MAX },
		{ "_kind", 8 },
		{ "_source", 4 },
		{ "_reason", 16 },
		{ "_place", 4 },
		{ "_is_again", 1 },
		{ "_word_bytes", 8 },
		{ "_address", UINT64_C(1) << ADDRESS_BITS },
		{ "_old_address", UINT64_C(1) << ADDRESS_BITS },
		{ "_carrier", UINT64_C(1) << ADDRESS_BITS },
		{ "_vpid", PID_MAX },
		{ "_vtid", PID_MAX },
		{ "_size_bytes", UINT64_C(1) << FIGURE_BITS },
		{ "_block_bytes", UINT64_C(1) << FIGURE_BITS },
	};

	if (value->text) {
		return is_text(value->text);
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (strcmp(value->name, limits[i].name) == 0) {
			return value->number <= limits[i].most;
		}
	}
	return true;
}

/* Whether an event can be true; counts it as an anchor if its texts identify it. */
static bool event_is_plausible(const struct tsdl_walk *walk, struct findings *findings)
{
	uint64_t pid;
	const char *texts[2] = { "", "" };
	size_t text_count = 0;

	if ((tsdl_walk_number(walk, "_vpid", &pid) && pid == 0) ||
			(tsdl_walk_number(walk, "_vtid", &pid) && pid == 0)) {
		return false;
	}
	for (size_t i = 0; i < walk->value_count; i++) {
		if (!value_is_plausible(&walk->values[i])) {
			return false;
		}
		if (walk->values[i].text) {
			texts[text_count++ & 1U] = walk->values[i].text;
		}
	}
	if (is_named(walk, "name_allocator")) {
		findings->anchors++;
		return ends_in_alloc(texts[0]);
	}
	if (is_named(walk, "snapshot_figure")) {
		findings->anchors++;
		return (*texts[0] == '\0' || is_word(texts[0])) && is_key(texts[1]);
	}
	if (is_named(walk, "snapshot_memory")) {
		findings->anchors++;
		return is_key(texts[0]);
	}
	if (is_named(walk, "carrier_create") || is_named(walk, "carrier_destroy") ||
			is_named(walk, "carrier_pool_put") || is_named(walk, "carrier_pool_get")) {
		return ends_in_alloc(texts[0]);
	}
	return true;
}

static void note_number(struct findings *findings, size_t column, uint64_t number)
{
	size_t i = 0;

	while (i < findings->number_count[column] && findings->numbers[column][i] != number) {
		i++;
	}
	if (i == findings->number_count[column] && i < SEEN_MAX) {
		findings->numbers[column][findings->number_count[column]++] = number;
	}
}

static void note_context(struct findings *findings, const struct tsdl_walk *walk)
{
	uint64_t vpid = 0;
	uint64_t vtid = 0;
	bool has_vpid = tsdl_walk_number(walk, "_vpid", &vpid);
	bool has_vtid = tsdl_walk_number(walk, "_vtid", &vtid);

	if (has_vpid) {
		note_number(findings, 0, vpid);
	}
	if (has_vtid) {
		note_number(findings, 1, vtid);
	}
	findings->numbers_differ |= has_vpid && has_vtid && vpid != vtid;
}

/* Whether a text decodes every sample to its end; false also when memory runs out. */
static bool explains_all(const char *text, const struct ctf_format *format, uint32_t stream_id,
		const struct tsdl_sample *samples, size_t sample_count, struct findings *findings)
{
	struct tsdl *tsdl = NULL;
	const struct tsdl_stream *stream;
	struct tsdl_walk walk;
	bool is_explained = true;
	size_t good = 0;

	if (!tsdl_read(text, strlen(text), &tsdl, &good)) {
		return false;
	}
	stream = tsdl_stream_find(tsdl, stream_id);
	is_explained = good == strlen(text) && stream;
	for (size_t i = 0; i < sample_count && is_explained; i++) {
		enum tsdl_step step;

		tsdl_walk_init(&walk, tsdl, stream, samples[i].bytes,
				8 * ctf_format_front_bytes(format), samples[i].packet.content_bits,
				samples[i].packet.begin_cycles, samples[i].packet.end_cycles);
		while ((step = tsdl_walk_next(&walk)) == TSDL_STEP_EVENT) {
			findings->events++;
			if (!event_is_plausible(&walk, findings)) {
				break;
			}
			note_context(findings, &walk);
		}
		is_explained = step == TSDL_STEP_END;
	}
	tsdl_destroy(tsdl);
	return is_explained;
}

/* Which of two numbers is the process; one alone is taken for it if it never changes. */
static bool decide_context(struct guess *guess, const struct findings *findings)
{
	const char *first = strchr(guess->shape, 'I');

	if (!first) {
		return true;
	}
	if (!strchr(first + 1, 'I')) {
		return findings->number_count[0] == 1;
	}
	guess->is_vtid_first = findings->number_count[0] > findings->number_count[1];
	return findings->number_count[0] != findings->number_count[1] || !findings->numbers_differ;
}

enum tsdl_verdict tsdl_own_prove(const struct ctf_format *format, const struct tsdl *base,
		const struct tsdl_sample *samples, size_t sample_count, char **ret_text)
{
	struct guess best = { 0 };
	enum order best_order = OWN_ALONE;
	struct findings best_findings = { 0 };
	unsigned int fitting = 0;

	if (format->long_bytes != 8 || sample_count == 0) {
		return TSDL_REFUTED;
	}
	for (size_t i = 1; i < sample_count; i++) {
		if (samples[i].packet.stream_id != samples[0].packet.stream_id) {
			return TSDL_REFUTED;
		}
	}
	for (unsigned int n = 0; n < 2 * SHAPE_COUNT * ORDERS; n++) {
		struct guess guess = { .stream_id = samples[0].packet.stream_id,
			.is_compact = n % 2 != 0,
			.shape = shapes[n / 2 % SHAPE_COUNT] };
		enum order order = n / (2 * SHAPE_COUNT);
		struct findings findings = { 0 };
		char *text = print(format, base, guess, order);

		if (!text) {
			return TSDL_NO_MEMORY;
		}
		if (explains_all(text, format, guess.stream_id, samples, sample_count, &findings)) {
			bool is_more = findings.anchors > best_findings.anchors;

			/* Without carrier events of OTP's behind ours both are the same. */
			if (fitting > 0 && order == OWN_FIRST && best_order == OWN_ALONE &&
					best.is_compact == guess.is_compact &&
					best.shape == guess.shape) {
				free(text);
				continue;
			}
			fitting++;
			if (fitting == 1 || is_more) {
				best = guess;
				best_order = order;
				best_findings = findings;
			}
		}
		free(text);
	}
	if (fitting == 0) {
		return TSDL_REFUTED;
	}
	if (fitting > 1 || best_findings.anchors == 0 || best_findings.events < EVENTS_MIN ||
			!decide_context(&best, &best_findings)) {
		return TSDL_UNDECIDED;
	}
	*ret_text = print(format, base, best, best_order);
	return *ret_text ? TSDL_PROVED : TSDL_NO_MEMORY;
}
