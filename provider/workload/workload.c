/* SPDX-License-Identifier: MIT */
/* A workload file as a whole: settings, sources, phases.  Sizes and lives: workload_random.c. */
#include "workload.h"

#include <stdlib.h>
#include <string.h>

#include "optext.h"
#include "workload_random.h"
#include "workload_text.h"

#define COUNT_MAX UINT64_C(1000000000000)
#define SCHEDULERS_MAX 1024
#define BURST_DEFAULT 100

/* Being read. */
struct reader {
	struct words words;
	struct workload *workload;
	const struct csc_generation *generation;
	const struct workload_override *override;
};

static uint32_t reader_word_bytes(const struct reader *reader)
{
	return reader->override && reader->override->word_bytes ? reader->override->word_bytes : 8;
}

static enum csc_status read_setting(struct reader *reader)
{
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;
	uint64_t value = 0;

	if (strcmp(words->words[0], "seed") == 0) {
		if (words_expect(words, 2, 2, "seed N") != CSC_OK) {
			return CSC_ERROR;
		}
		return words_number(words, 1, 0, UINT64_MAX, &workload->seed);
	}
	if (strcmp(words->words[0], "burst") == 0) {
		if (words_expect(words, 2, 2, "burst N") != CSC_OK) {
			return CSC_ERROR;
		}
		return words_number(words, 1, 1, COUNT_MAX, &workload->burst);
	}
	if (words_expect(words, 2, 2, "schedulers N") != CSC_OK ||
			words_number(words, 1, 1, SCHEDULERS_MAX, &value) != CSC_OK) {
		return CSC_ERROR;
	}
	workload->schedulers = (uint32_t)value;
	return CSC_OK;
}

static enum csc_status read_flags(struct reader *reader)
{
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;

	if (words_expect(words, 2, WORDS_MAX, "flags +M...") != CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 1; i < words->count; i++) {
		if (workload->flag_count == WORKLOAD_FLAGS_MAX) {
			return words_fail(words, "the file has more than %d flags",
					WORKLOAD_FLAGS_MAX);
		}
		workload->flags[workload->flag_count] = strdup(words->words[i]);
		if (!workload->flags[workload->flag_count++]) {
			return DIAG_NO_MEMORY(words->diag);
		}
	}
	return CSC_OK;
}

static enum csc_status read_size(struct reader *reader)
{
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;
	struct workload_size *size = &workload->sizes[workload->size_count];

	size->word_bytes = reader_word_bytes(reader);

	if (words_expect(words, 4, WORDS_MAX, "size NAME KIND NUMBER...") != CSC_OK) {
		return CSC_ERROR;
	}
	if (workload->size_count == WORKLOAD_SIZES_MAX) {
		return words_fail(words, "the file has more than %d sizes", WORKLOAD_SIZES_MAX);
	}
	for (size_t i = 0; i < workload->size_count; i++) {
		if (strcmp(workload->sizes[i].name, words->words[1]) == 0) {
			return words_fail(words, "the file has two sizes '%s'", words->words[1]);
		}
	}
	if (words_name(words, 1, size->name, sizeof(size->name)) != CSC_OK ||
			workload_size_take(size, words) != CSC_OK) {
		return CSC_ERROR;
	}
	workload->size_count++;
	return CSC_OK;
}

static enum csc_status read_life(struct reader *reader)
{
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;
	struct workload_life *life = &workload->lives[workload->life_count];

	if (words_expect(words, 3, 5, "life NAME KIND NUMBER...") != CSC_OK) {
		return CSC_ERROR;
	}
	if (workload->life_count == WORKLOAD_LIVES_MAX) {
		return words_fail(words, "the file has more than %d lives", WORKLOAD_LIVES_MAX);
	}
	for (size_t i = 0; i < workload->life_count; i++) {
		if (strcmp(workload->lives[i].name, words->words[1]) == 0) {
			return words_fail(words, "the file has two lives '%s'", words->words[1]);
		}
	}
	if (words_name(words, 1, life->name, sizeof(life->name)) != CSC_OK ||
			workload_life_take(life, words) != CSC_OK) {
		return CSC_ERROR;
	}
	workload->life_count++;
	return CSC_OK;
}

/* `size SIZE` of a source. */
static enum csc_status read_source_size(
		struct reader *reader, struct workload_source *source, size_t at)
{
	struct words *words = &reader->words;
	const struct workload *workload = reader->workload;
	const char *name = words->words[at];
	bool is_fixed = strcmp(name, "fixed") == 0;

	if (source->kind.fix >= 0 && !is_fixed) {
		return words_fail(words, "type '%s' has a fixed size: say 'size fixed'",
				words->words[2]);
	}
	if (source->kind.fix < 0 && is_fixed) {
		return words_fail(words, "type '%s' has no fixed size", words->words[2]);
	}
	source->size = -1;
	for (size_t i = 0; i < workload->size_count; i++) {
		if (strcmp(workload->sizes[i].name, name) == 0) {
			source->size = (int)i;
		}
	}
	if (!is_fixed && source->size < 0) {
		return words_fail(words, "no such size: '%s'", name);
	}
	return CSC_OK;
}

static enum csc_status read_source_life(
		struct reader *reader, struct workload_source *source, size_t at)
{
	const struct workload *workload = reader->workload;

	for (size_t i = 0; i < workload->life_count; i++) {
		if (strcmp(workload->lives[i].name, reader->words.words[at]) == 0) {
			source->life = i;
			return CSC_OK;
		}
	}
	return words_fail(&reader->words, "no such life: '%s'", reader->words.words[at]);
}

static enum csc_status read_source_freed_by(
		struct reader *reader, struct workload_source *source, size_t at)
{
	struct words *words = &reader->words;
	uint64_t scheduler = 0;

	if (strcmp(words->words[at], "same") == 0) {
		return CSC_OK;
	}
	if (memory_type_allocator(source->kind.type) == CSC_TEMP) {
		return words_fail(words, "blocks of temp_alloc are freed by the same scheduler");
	}
	if (strcmp(words->words[at], "other") == 0) {
		source->freed_by = FREED_BY_OTHER;
		return CSC_OK;
	}
	if (words_number(words, at, 0, SCHEDULERS_MAX, &scheduler) != CSC_OK) {
		return CSC_ERROR;
	}
	source->freed_by = (uint32_t)scheduler;
	return CSC_OK;
}

static enum csc_status read_source(struct reader *reader)
{
	static const char usage[] =
			"source NAME TYPE size SIZE life LIFE [freed-by same|other|SCHEDULER]";
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;
	struct workload_source *source = &workload->sources[workload->source_count];

	if (words_expect(words, 7, 9, usage) != CSC_OK) {
		return CSC_ERROR;
	}
	if (words->count == 8 || strcmp(words->words[3], "size") != 0 ||
			strcmp(words->words[5], "life") != 0 ||
			(words->count == 9 && strcmp(words->words[7], "freed-by") != 0)) {
		return words_fail(words, "expected '%s'", usage);
	}
	if (workload->source_count == WORKLOAD_SOURCES_MAX) {
		return words_fail(words, "the file has more than %d sources", WORKLOAD_SOURCES_MAX);
	}
	for (size_t i = 0; i < workload->source_count; i++) {
		if (strcmp(workload->sources[i].name, words->words[1]) == 0) {
			return words_fail(words, "the file has two sources '%s'", words->words[1]);
		}
	}
	source->freed_by = FREED_BY_SAME;
	source->line = words->line;
	if (words_name(words, 1, source->name, sizeof(source->name)) != CSC_OK) {
		return CSC_ERROR;
	}
	if (!runtime_kind_find(reader->generation, reader_word_bytes(reader), words->words[2],
			    &source->kind)) {
		return words_fail(words, "no such type: '%s'", words->words[2]);
	}
	if (read_source_size(reader, source, 4) != CSC_OK ||
			read_source_life(reader, source, 6) != CSC_OK ||
			(words->count == 9 && read_source_freed_by(reader, source, 8) != CSC_OK)) {
		return CSC_ERROR;
	}
	workload->source_count++;
	return CSC_OK;
}

/* `on all`, `on N` or `on N-M`. */
static enum csc_status read_phase_range(
		struct words *words, size_t at, struct workload_phase *phase)
{
	char *word = words->words[at];
	char *dash = strchr(word, '-');
	uint64_t first = 0;
	uint64_t last = 0;
	enum csc_status status;

	if (strcmp(word, "all") == 0) {
		return CSC_OK;
	}
	if (dash) {
		*dash = 0;
	}
	status = words_number(words, at, 1, SCHEDULERS_MAX, &first);
	last = first;
	if (status == CSC_OK && dash) {
		words->words[at] = dash + 1;
		status = words_number(words, at, first, SCHEDULERS_MAX, &last);
	}
	phase->first_scheduler = (uint32_t)first;
	phase->last_scheduler = (uint32_t)last;
	return status;
}

static enum csc_status read_phase(struct reader *reader)
{
	static const char usage[] = "phase NAME operations N [on all|N|N-M] [second N]";
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;
	struct workload_phase *phase = &workload->phases[workload->phase_count];

	if (words_expect(words, 4, 8, usage) != CSC_OK) {
		return CSC_ERROR;
	}
	if (words->count % 2 || strcmp(words->words[2], "operations") != 0) {
		return words_fail(words, "expected '%s'", usage);
	}
	if (workload->phase_count == WORKLOAD_PHASES_MAX) {
		return words_fail(words, "the file has more than %d phases", WORKLOAD_PHASES_MAX);
	}
	*phase = (struct workload_phase){
		.first_scheduler = 1,
		.last_scheduler = UINT32_MAX,
		.line = words->line,
	};
	if (words_name(words, 1, phase->name, sizeof(phase->name)) != CSC_OK ||
			words_number(words, 3, 0, COUNT_MAX, &phase->operations) != CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 4; i < words->count; i += 2) {
		enum csc_status status;

		if (strcmp(words->words[i], "on") == 0) {
			status = read_phase_range(words, i + 1, phase);
		} else if (strcmp(words->words[i], "second") == 0) {
			status = words_number(words, i + 1, 1, COUNT_MAX, &phase->second);
		} else {
			status = words_fail(words, "expected '%s'", usage);
		}
		if (status != CSC_OK) {
			return CSC_ERROR;
		}
	}
	workload->phase_count++;
	return CSC_OK;
}

static enum csc_status read_action(struct reader *reader, enum action_verb verb)
{
	struct words *words = &reader->words;
	struct workload *workload = reader->workload;
	struct workload_phase *phase;
	struct workload_action action = { .verb = verb, .source = WORKLOAD_SOURCES_MAX };
	const struct workload_source *source;

	if (words_expect(words, 3, 3,
			    verb == ACTION_DROP ? "drop SOURCE PERCENT"
						: "make|resize|grow SOURCE WEIGHT") != CSC_OK) {
		return CSC_ERROR;
	}
	if (!workload->phase_count) {
		return words_fail(words, "'%s' comes after a phase", words->words[0]);
	}
	phase = &workload->phases[workload->phase_count - 1];
	for (size_t i = 0; i < workload->source_count; i++) {
		if (strcmp(workload->sources[i].name, words->words[1]) == 0) {
			action.source = i;
		}
	}
	if (action.source == WORKLOAD_SOURCES_MAX) {
		return words_fail(words, "no such source: '%s'", words->words[1]);
	}
	source = &workload->sources[action.source];
	if (verb == ACTION_RESIZE && source->size < 0) {
		return words_fail(words, "source '%s' has a fixed size", source->name);
	}
	if (verb == ACTION_GROW &&
			(source->size < 0 || workload->sizes[source->size].kind != SIZE_HEAP)) {
		return words_fail(words,
				"source '%s' is not a heap: its size is not of kind 'heap'",
				source->name);
	}
	if (phase->action_count == WORKLOAD_ACTIONS_MAX) {
		return words_fail(
				words, "the phase has more than %d actions", WORKLOAD_ACTIONS_MAX);
	}
	if (words_number(words, 2, verb == ACTION_DROP ? 0 : 1, verb == ACTION_DROP ? 100 : 1000000,
			    &action.value) != CSC_OK) {
		return CSC_ERROR;
	}
	phase->actions[phase->action_count++] = action;
	return CSC_OK;
}

static enum csc_status read_line(struct reader *reader)
{
	static const struct {
		const char *word;
		enum csc_status (*read)(struct reader *reader);
	} lines[] = {
		{ "seed", read_setting },
		{ "schedulers", read_setting },
		{ "burst", read_setting },
		{ "flags", read_flags },
		{ "size", read_size },
		{ "life", read_life },
		{ "source", read_source },
		{ "phase", read_phase },
	};
	static const char *const verbs[] = { "make", "resize", "grow", "drop" };
	const char *word = reader->words.words[0];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (strcmp(lines[i].word, word) == 0) {
			return lines[i].read(reader);
		}
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i], word) == 0) {
			return read_action(reader, (enum action_verb)i);
		}
	}
	return words_fail(&reader->words, "no such line: '%s'", word);
}

/* What can only be checked when all is known. */
static enum csc_status check_phase(struct reader *reader, struct workload_phase *phase)
{
	const struct workload *workload = reader->workload;
	bool has_choice = false;

	reader->words.line = phase->line;
	for (size_t i = 0; i < phase->action_count; i++) {
		has_choice |= phase->actions[i].verb != ACTION_DROP;
	}
	if (phase->operations && !has_choice) {
		return words_fail(&reader->words, "phase '%s' has operations but nothing to do",
				phase->name);
	}
	if (phase->last_scheduler == UINT32_MAX) {
		phase->last_scheduler = workload->schedulers;
	}
	if (phase->last_scheduler > workload->schedulers) {
		return words_fail(
				&reader->words, "there is no scheduler %u", phase->last_scheduler);
	}
	if (reader->override->scale_percent) {
		phase->operations = phase->operations * reader->override->scale_percent / 100;
	}
	return CSC_OK;
}

static enum csc_status check_all(struct reader *reader)
{
	struct workload *workload = reader->workload;

	if (!workload->phase_count) {
		return words_fail(&reader->words, "the file has no phase");
	}
	if (reader->override->seed) {
		workload->seed = *reader->override->seed;
	}
	if (reader->override->schedulers) {
		workload->schedulers = reader->override->schedulers;
	}
	for (size_t i = 0; i < workload->phase_count; i++) {
		if (check_phase(reader, &workload->phases[i]) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	for (size_t i = 0; i < workload->source_count; i++) {
		uint32_t scheduler = workload->sources[i].freed_by;

		reader->words.line = workload->sources[i].line;
		if (scheduler < FREED_BY_OTHER && scheduler > workload->schedulers) {
			return words_fail(&reader->words, "there is no scheduler %u", scheduler);
		}
	}
	return CSC_OK;
}

static enum csc_status read_all(struct reader *reader, char *text)
{
	while (text && *text) {
		char *line = strsep(&text, "\n");

		reader->words.line++;
		if (words_cut(&reader->words, line) != CSC_OK) {
			return CSC_ERROR;
		}
		if (reader->words.count && read_line(reader) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	return check_all(reader);
}

struct workload *workload_parse(char *text, const char *path,
		const struct csc_generation *generation, const struct workload_override *override,
		struct diag *diag)
{
	struct reader reader = {
		.words = { .path = path, .diag = diag },
		.workload = calloc(1, sizeof(*reader.workload)),
		.generation = generation,
		.override = override,
	};

	if (!reader.workload) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	reader.workload->seed = 1;
	reader.workload->schedulers = 1;
	reader.workload->burst = BURST_DEFAULT;
	if (read_all(&reader, text) != CSC_OK) {
		workload_destroy(reader.workload);
		return NULL;
	}
	return reader.workload;
}

struct workload *workload_read(const char *path, const struct csc_generation *generation,
		const struct workload_override *override, struct diag *diag)
{
	struct workload *workload = NULL;
	char *text = words_read(path, diag);

	if (text) {
		workload = workload_parse(text, path, generation, override, diag);
	}
	free(text);
	return workload;
}

void workload_destroy(struct workload *workload)
{
	if (!workload) {
		return;
	}
	for (size_t i = 0; i < workload->flag_count; i++) {
		free(workload->flags[i]);
	}
	free(workload);
}
