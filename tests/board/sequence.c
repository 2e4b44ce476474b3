/* SPDX-License-Identifier: MIT */
/* Replays recorded sequences of heap calls. */
#include "sequence.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rtems_heap.h"

#define FIELDS 8
#define SLOTS_MAX (1U << 22)
#define AREA_MAX (UINT64_C(1) << 31)

struct replay {
	struct sequence_result *result;
	uint64_t line;
	char *fields[FIELDS];
	size_t field_count;

	struct rtems_area area;
	struct rtems_heap heap;
	void *memory;
	bool has_heap;

	/* User address by id. */
	uint64_t *slots;
	size_t slot_count;

	/* The next free block, as the list of expectations goes on. */
	uint64_t listed;
	uint64_t list_length;
	bool has_list;

	char *trace;
	uint64_t trace_line;
};

static bool say(struct replay *replay, const char *format, va_list arguments)
{
	char *to = replay->result->sentence;
	size_t room = sizeof(replay->result->sentence);
	int used;

	if (!*to) {
		used = snprintf(to, room, "line %" PRIu64 ": ", replay->line);
		vsnprintf(to + used, room - (size_t)used, format, arguments);
	}
	return false;
}

/* The text cannot be replayed. */
static __attribute__((format(printf, 2, 3))) bool refuse(
		struct replay *replay, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	say(replay, format, arguments);
	va_end(arguments);
	return false;
}

/* The model differs. */
static __attribute__((format(printf, 2, 3))) void differ(
		struct replay *replay, const char *format, ...)
{
	va_list arguments;

	replay->result->differences++;
	va_start(arguments, format);
	say(replay, format, arguments);
	va_end(arguments);
}

static bool number(struct replay *replay, const char *text, uint64_t *ret_value)
{
	char *end = NULL;

	errno = 0;
	*ret_value = strtoull(text, &end, 0);
	return (isdigit((unsigned char)*text) && !*end && !errno) ||
			refuse(replay, "'%.40s' is no number", text);
}

/* The next line of a text, without its end; NULL: there is none. */
static char *next_line(char **text)
{
	char *line = *text;
	char *end;

	if (!line || !*line) {
		return NULL;
	}
	end = strchr(line, '\n');
	if (end) {
		*end++ = 0;
		if (end - line > 1 && end[-2] == '\r') {
			end[-2] = 0;
		}
	}
	*text = end;
	return line;
}

static void cut(struct replay *replay, char *line)
{
	char *rest = NULL;

	replay->field_count = 0;
	for (char *word = strtok_r(line, " \t", &rest); word && replay->field_count < FIELDS;
			word = strtok_r(NULL, " \t", &rest)) {
		replay->fields[replay->field_count++] = word;
	}
}

static bool start_heap(struct replay *replay)
{
	uint64_t bias;

	if (replay->has_heap) {
		return true;
	}
	if (!replay->area.base || !replay->area.word_bytes) {
		return refuse(replay, "no area or no word size is said before the first operation");
	}
	if (!replay->area.size_bytes || replay->area.size_bytes > AREA_MAX) {
		return refuse(replay, "an area of %" PRIu64 " bytes", replay->area.size_bytes);
	}
	replay->memory = mmap(NULL, replay->area.size_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (replay->memory == MAP_FAILED) {
		replay->memory = NULL;
		return refuse(replay, "no memory for the area");
	}
	bias = (uint64_t)(uintptr_t)replay->memory - replay->area.base;
	replay->has_heap = rtems_heap_init(&replay->heap, &replay->area, bias) == CSC_OK;
	return replay->has_heap || refuse(replay, "no heap can be made of this area");
}

/* `#! base=0x.. size=.. page=..` */
static bool take_area(struct replay *replay)
{
	if (replay->has_heap) {
		return refuse(replay, "the area is said after the first operation");
	}
	for (size_t i = 1; i < replay->field_count; i++) {
		char *value = strchr(replay->fields[i], '=');
		uint64_t read = 0;

		if (!value) {
			continue;
		}
		*value++ = 0;
		if (!number(replay, value, &read)) {
			return false;
		}
		if (strcmp(replay->fields[i], "base") == 0) {
			replay->area.base = read;
		} else if (strcmp(replay->fields[i], "size") == 0) {
			replay->area.size_bytes = read;
		} else if (strcmp(replay->fields[i], "page") == 0) {
			replay->area.page_bytes = (uint32_t)read;
		}
	}
	return true;
}

static uint64_t figure(const struct replay *replay, const char *key, bool *ret_is_known)
{
	struct rtems_counters counters;
	struct rtems_walk walk;

	rtems_heap_walk(&replay->heap, &walk);
	rtems_heap_counters(&replay->heap, &counters);

	const struct {
		const char *key;
		uint64_t value;
	} figures[] = {
		{ "free_blocks", walk.free_blocks },
		{ "free_largest", walk.free_largest },
		{ "free_total", walk.free_bytes },
		{ "used_blocks", walk.used_blocks },
		{ "used_largest", walk.used_largest },
		{ "used_total", walk.used_bytes },
		{ "size", counters.size_bytes },
		{ "free_size", counters.free_bytes },
		{ "min_free_size", counters.min_free_bytes },
		{ "stat_free_blocks", counters.free_blocks },
		{ "max_free_blocks", counters.max_free_blocks },
		{ "stat_used_blocks", counters.used_blocks },
		{ "max_search", counters.max_search },
		{ "lifetime_allocated", counters.allocated_bytes },
		{ "lifetime_freed", counters.freed_bytes },
		{ "searches", counters.searches },
		{ "allocs", counters.allocs },
		{ "failed_allocs", counters.failed_allocs },
		{ "frees", counters.frees },
		{ "resizes", counters.resizes },
	};

	*ret_is_known = true;
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		if (strcmp(key, figures[i].key) == 0) {
			return figures[i].value;
		}
	}
	*ret_is_known = false;
	return 0;
}

/* `# stat KEY VALUE` */
static bool check_figure(struct replay *replay)
{
	bool is_known = false;
	uint64_t want = 0;
	uint64_t have;

	if (!start_heap(replay) || !number(replay, replay->fields[3], &want)) {
		return false;
	}
	have = figure(replay, replay->fields[2], &is_known);
	if (!is_known) {
		return refuse(replay, "no such figure: '%.40s'", replay->fields[2]);
	}
	replay->result->expectations++;
	if (have != want) {
		differ(replay, "%s is %" PRIu64 ", not %" PRIu64, replay->fields[2], have, want);
	}
	return true;
}

/* `# freelist N OFF SIZE` */
static bool check_free(struct replay *replay)
{
	uint64_t index = 0;
	uint64_t offset = 0;
	uint64_t bytes = 0;

	if (!start_heap(replay) || !number(replay, replay->fields[2], &index) ||
			!number(replay, replay->fields[3], &offset) ||
			!number(replay, replay->fields[4], &bytes)) {
		return false;
	}
	if (index == 0) {
		replay->listed = 0;
		replay->list_length = 0;
		replay->has_list = true;
	}
	if (index != replay->list_length) {
		return refuse(replay, "the list of free blocks has no number %" PRIu64,
				replay->list_length);
	}
	replay->result->expectations++;
	replay->list_length++;
	replay->listed = rtems_heap_next_free(&replay->heap, replay->listed);
	if (!replay->listed) {
		differ(replay, "the list of free blocks ends before number %" PRIu64, index);
		replay->listed = replay->heap.tail;
	} else if (replay->listed - replay->area.base != offset ||
			rtems_block_bytes(&replay->heap, replay->listed) != bytes) {
		differ(replay, "free block %" PRIu64 " is at %" PRIu64 " and has %" PRIu64 " bytes",
				index, replay->listed - replay->area.base,
				rtems_block_bytes(&replay->heap, replay->listed));
	}
	return true;
}

/* A line that begins with '#': an area, a word size, an expectation, or words for people. */
static bool take_comment(struct replay *replay)
{
	const char *second = replay->field_count > 1 ? replay->fields[1] : "";
	uint64_t bits = 0;

	if (strcmp(replay->fields[0], "#!") == 0) {
		return take_area(replay);
	}
	if (strcmp(second, "wordsize") == 0 && replay->field_count == 3 && !replay->has_heap) {
		if (!number(replay, replay->fields[2], &bits)) {
			return false;
		}
		replay->area.word_bytes = (uint32_t)(bits / 8);
		return true;
	}
	if (strcmp(second, "stat") == 0 && replay->field_count == 4) {
		return check_figure(replay);
	}
	if (strcmp(second, "freelist") == 0 && replay->field_count == 5) {
		return check_free(replay);
	}
	return true;
}

static bool find_slot(struct replay *replay, uint64_t **ret_slot)
{
	uint64_t id = 0;

	if (!number(replay, replay->fields[1], &id)) {
		return false;
	}
	if (id >= SLOTS_MAX) {
		return refuse(replay, "more than %u ids", SLOTS_MAX);
	}
	if (id >= replay->slot_count) {
		size_t count = (size_t)id * 2 + 64;
		uint64_t *slots = realloc(replay->slots, count * sizeof(*slots));

		if (!slots) {
			return refuse(replay, "no memory");
		}
		memset(slots + replay->slot_count, 0,
				(count - replay->slot_count) * sizeof(*slots));
		replay->slots = slots;
		replay->slot_count = count;
	}
	*ret_slot = &replay->slots[id];
	return true;
}

/* The trace's line for this operation says what came; `kept`: a realloc failed. */
static bool check_trace(struct replay *replay, uint64_t user, bool is_kept)
{
	char *line = next_line(&replay->trace);
	char *want = line ? strstr(line, "-> ") : NULL;
	char have[32];

	if (!line) {
		return refuse(replay, "the trace has fewer operations");
	}
	replay->trace_line++;
	if (!want) {
		return refuse(replay, "line %" PRIu64 " of the trace has no result",
				replay->trace_line);
	}
	want += 3;
	if (is_kept) {
		snprintf(have, sizeof(have), "FAIL(kept)");
	} else if (!user) {
		snprintf(have, sizeof(have), "NULL");
	} else {
		snprintf(have, sizeof(have), "%" PRIu64, user - replay->area.base);
	}
	replay->result->traced++;
	if (strcmp(have, want) != 0) {
		differ(replay, "the result is %s, not %.40s", have, want);
	}
	return true;
}

static bool operate(struct replay *replay)
{
	const char verb = replay->fields[0][0];
	size_t want = verb == 'f' ? 2 : verb == 'a' ? 4 : 3;
	enum rtems_result result = RTEMS_DONE;
	uint64_t numbers[2] = { 0 };
	uint64_t user = 0;
	uint64_t *slot = NULL;

	if (replay->fields[0][1] || !strchr("mfra", verb) || replay->field_count != want) {
		return refuse(replay, "this is no operation");
	}
	if (!start_heap(replay) || !find_slot(replay, &slot)) {
		return false;
	}
	for (size_t i = 2; i < want; i++) {
		if (!number(replay, replay->fields[i], &numbers[i - 2])) {
			return false;
		}
	}
	if (*slot && (verb == 'm' || verb == 'a')) {
		/* The block stays in use for good: nobody knows it any more. */
		*slot = 0;
	}
	switch (verb) {
	case 'm':
		result = rtems_malloc(&replay->heap, numbers[0], &user);
		break;
	case 'a':
		result = rtems_memalign(&replay->heap, numbers[0], numbers[1], &user);
		break;
	case 'r':
		result = rtems_realloc(&replay->heap, *slot, numbers[0], &user);
		break;
	default:
		rtems_free(&replay->heap, *slot);
		break;
	}
	replay->result->operations++;
	replay->has_list = false;
	if (replay->trace &&
			!check_trace(replay, user,
					verb == 'r' && numbers[0] && result != RTEMS_DONE)) {
		return false;
	}
	if (verb != 'r' || result == RTEMS_DONE) {
		*slot = user;
	}
	return true;
}

static bool replay_all(struct replay *replay, char *text)
{
	const char *problem;
	char *line;

	while ((line = next_line(&text))) {
		replay->line++;
		cut(replay, line);
		if (!replay->field_count) {
			continue;
		}
		if (replay->fields[0][0] == '#' ? !take_comment(replay) : !operate(replay)) {
			return false;
		}
	}
	if (!start_heap(replay)) {
		return false;
	}
	if (replay->has_list && rtems_heap_next_free(&replay->heap, replay->listed)) {
		differ(replay, "the list of free blocks goes on behind number %" PRIu64,
				replay->list_length - 1);
	}
	if (replay->trace && next_line(&replay->trace)) {
		differ(replay, "the trace has more operations");
	}
	problem = rtems_heap_problem(&replay->heap);
	if (problem) {
		replay->result->is_unsound = true;
		differ(replay, "%s", problem);
	}
	return true;
}

bool sequence_replay(char *text, char *trace, uint32_t word_bytes, struct sequence_result *result)
{
	struct replay replay = {
		.result = result,
		.trace = trace,
		.area = { .word_bytes = word_bytes, .page_bytes = 8 },
	};
	bool is_good;

	*result = (struct sequence_result){ 0 };
	is_good = replay_all(&replay, text);
	if (replay.memory) {
		munmap(replay.memory, replay.area.size_bytes);
	}
	free(replay.slots);
	return is_good;
}
