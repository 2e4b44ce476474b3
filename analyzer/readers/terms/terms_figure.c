/*
 * SPDX-License-Identifier: MIT
 *
 * Figures of allocator instances.  They are kept until the term of their instance
 * closes: only then it is known which form it had, and whose it is.
 */
#include "terms_figure.h"

#include <stdio.h>

#include "terms_snapshot.h"

enum {
	PATH_NAMES = 8,

	/* A word and up to three numbers. */
	TERMS_FIGURE_ITEMS = 4,
};

/* Where in its instance a tuple stands. */
struct place {
	/* Depth of the frame that is the instance's. */
	size_t owner;

	/* Its allocator; at NULL: it is not named here. */
	struct text allocator;

	/* ROW_NULL: it has none. */
	int64_t instance;

	/* First words of the tuples between, from the outermost. */
	struct text path[PATH_NAMES];
	size_t path_length;
};

static bool ends_with(struct text text, const char *word)
{
	size_t length = strlen(word);

	return text.length >= length && text_is(text_from(text, text.length - length), word);
}

/* {instance, 0, …}, {{binary_alloc, 0}, …} or {default_mmap, …}. */
static bool is_owner(const struct term_frame *frame, struct place *place)
{
	const struct term_item *items = frame->items;

	if (frame->kind != TERM_TUPLE || frame->count == 0) {
		return false;
	}

	place->allocator = (struct text){ NULL, 0 };
	place->instance = ROW_NULL;
	if (items[0].kind == TERM_TUPLE && items[0].length > 0) {
		place->allocator = term_text(&items[0]);
		place->instance = items[0].number;
		return true;
	}

	if (term_is_atom(&items[0], "instance") && frame->count >= 2 &&
			items[1].kind == TERM_INTEGER) {
		place->instance = items[1].number;
		return true;
	}

	if (items[0].kind == TERM_ATOM && ends_with(term_text(&items[0]), "_mmap") &&
			!term_is_atom(&items[0], "erts_mmap")) {
		place->allocator = term_text(&items[0]);
		return true;
	}

	return false;
}

/* The name of the allocator further out: {binary_alloc, [{instance, 0, …}]}. */
static struct text name_around(const struct terms *terms, size_t depth)
{
	while (depth-- > 0) {
		const struct term_frame *frame = &terms->frames[depth];

		if (frame->kind == TERM_TUPLE && frame->count > 0 &&
				frame->items[0].kind == TERM_ATOM &&
				ends_with(term_text(&frame->items[0]), "_alloc")) {
			return term_text(&frame->items[0]);
		}
	}

	return (struct text){ NULL, 0 };
}

/* Finds the instance that the innermost container belongs to. */
static bool find_place(const struct terms *terms, struct place *ret_place)
{
	struct place place = { 0 };
	size_t depth = terms->depth - 1;

	for (;;) {
		if (depth == 0) {
			return false;
		}
		if (is_owner(&terms->frames[--depth], &place)) {
			break;
		}
	}

	place.owner = depth;
	for (size_t i = depth + 1; i + 1 < terms->depth; i++) {
		const struct term_frame *frame = &terms->frames[i];

		if (frame->kind != TERM_TUPLE || frame->count == 0 ||
				frame->items[0].kind != TERM_ATOM) {
			continue;
		}

		/* The level that only mseg has is of no use. */
		if (place.path_length == 0 && term_is_atom(&frame->items[0], "memkind")) {
			continue;
		}

		if (place.path_length == PATH_NAMES) {
			return false;
		}
		place.path[place.path_length++] = term_text(&frame->items[0]);
	}

	*ret_place = place;
	return true;
}

static struct figure *new_figure(struct terms_reader *reader, struct text section, struct text key)
{
	struct figure *figure;

	if (reader->figure_count == TERMS_FIGURES) {
		terms_note(reader,
				store_problem(reader->store, "too_many_figures", SEVERITY_DATA_LOSS,
						1, reader->diag,
						"'%s', line %lld: an instance has more than %d figures; the others were "
						"left out",
						reader_input_path(reader->input),
						(long long)reader->term_line, TERMS_FIGURES));
		return NULL;
	}

	figure = &reader->figures[reader->figure_count++];
	*figure = (struct figure){ .numbers = { ROW_NULL, ROW_NULL, ROW_NULL } };
	terms_name_set(&figure->section, section);
	terms_name_set(&figure->key, key);
	return figure;
}

static void note_impossible(struct terms_reader *reader, struct text word)
{
	terms_note(reader,
			store_problem(reader->store, "figure_impossible", SEVERITY_DATA_LOSS, 1,
					reader->diag,
					"'%s': '%.*s' at offset %llu, line %llu, is negative, 2^63 or more, or no "
					"whole number; it is not known",
					reader_input_path(reader->input), (int)word.length, word.at,
					(unsigned long long)reader_input_offset(reader->input),
					(unsigned long long)reader_input_line_number(
							reader->input)));
}

/* Notes what no figure of an allocator can be: it is left out, or not known. */
static void check_numbers(
		struct terms_reader *reader, const struct term_frame *tuple, bool may_be_huge)
{
	for (size_t i = 1; i < tuple->count; i++) {
		const struct term_item *item = &tuple->items[i];

		if (item->kind == TERM_FLOAT ||
				(item->kind == TERM_INTEGER &&
						((item->is_huge && !may_be_huge) ||
								item->number < 0))) {
			note_impossible(reader, term_text(&tuple->items[0]));
			return;
		}
	}
}

/* Numbers behind the first word, ROW_NULL for what is none; false: there is something else. */
static bool read_numbers(const struct term_frame *tuple, int64_t *ret_numbers, size_t *ret_count)
{
	if (tuple->count < 2 || tuple->count > TERMS_FIGURE_ITEMS) {
		return false;
	}

	for (size_t i = 1; i < tuple->count; i++) {
		const struct term_item *item = &tuple->items[i];

		if (item->kind != TERM_INTEGER) {
			return false;
		}
		ret_numbers[i - 1] = item->is_huge || item->number < 0 ? ROW_NULL : item->number;
	}

	*ret_count = tuple->count - 1;
	return true;
}

static void take_option(struct terms_reader *reader, const struct term_frame *tuple)
{
	struct figure *figure = NULL;

	if (tuple->count == 2 && tuple->items[1].kind <= TERM_STRING) {
		figure = new_figure(reader, TEXT("options"), term_text(&tuple->items[0]));
	}

	if (figure) {
		figure->is_option = true;
		reader->has_options = true;
		terms_name_set(&figure->value, term_text(&tuple->items[1]));
	}
}

/* Blocks of one allocator: mbcs, blocks, binary_alloc, {count, 1, 2, 3}. */
static void take_blocks(struct terms_reader *reader, const struct place *place, struct text word,
		const int64_t *numbers)
{
	bool is_raw = text_is(place->path[1], "raw_blocks");
	bool is_foreign = text_is(place->path[1], "foreign_blocks");
	bool is_size = text_is(word, "size") || text_is(word, "blocks_size");
	struct figure *figure;

	if (!is_raw && !is_foreign && !text_is(place->path[1], "blocks")) {
		return;
	}

	figure = new_figure(reader, place->path[0],
			is_foreign ? is_size ? TEXT("foreign_blocks_size") : TEXT("foreign_blocks")
					: is_size ? TEXT("blocks_size")
						  : TEXT("blocks"));
	reader->has_raw_blocks = reader->has_raw_blocks || is_raw;
	if (figure) {
		terms_name_set(&figure->of, place->path[2]);
		memcpy(figure->numbers, numbers, sizeof(figure->numbers));
	}
}

/* Two numbers of a call counter are thousands of millions and the rest. */
static void join_halves(int64_t *numbers)
{
	int64_t sum;

	if (numbers[0] == ROW_NULL || numbers[1] == ROW_NULL ||
			__builtin_mul_overflow(numbers[0], INT64_C(1000000000), &sum) ||
			__builtin_add_overflow(sum, numbers[1], &sum)) {
		sum = ROW_NULL;
	}

	numbers[0] = sum;
	numbers[1] = ROW_NULL;
}

static void take_section_figure(struct terms_reader *reader, struct text section, struct text key,
		int64_t *numbers, size_t count)
{
	bool is_fix = text_is(section, "fix_types");
	struct figure *figure;

	if (count == 2 && (text_is(section, "calls") || text_is(section, "mbcs_pool"))) {
		join_halves(numbers);
	}

	figure = new_figure(reader, section, key);
	if (!figure) {
		return;
	}

	memcpy(figure->numbers, numbers, sizeof(figure->numbers));
	if (is_fix) {
		figure->numbers[1] = ROW_NULL;
		figure = new_figure(reader, TEXT("fix_types_used"), key);
		if (figure) {
			figure->numbers[0] = numbers[1];
		}
	}
}

static void take_tuple(struct terms_reader *reader, const struct place *place,
		const struct term_frame *tuple)
{
	int64_t numbers[3] = { ROW_NULL, ROW_NULL, ROW_NULL };
	struct text word = term_text(&tuple->items[0]);
	size_t count;

	if (tuple->items[0].kind != TERM_ATOM) {
		return;
	}

	if (place->path_length == 1 && text_is(place->path[0], "options")) {
		take_option(reader, tuple);
		return;
	}

	if (tuple->count <= TERMS_FIGURE_ITEMS) {
		/* mseg_alloc means "never" by a watermark of 2^64 - 1. */
		check_numbers(reader, tuple,
				place->path_length == 0 || !snapshot_is_carriers(place->path[0]));
	}
	if (!read_numbers(tuple, numbers, &count)) {
		return;
	}

	if (place->path_length == 0) {
		/* allocator_sizes of mseg_alloc. */
		take_section_figure(reader, TEXT("status"), word, numbers, count);
	} else if (place->path_length == 1) {
		take_section_figure(reader, place->path[0], word, numbers, count);
	} else if (place->path_length == 2) {
		take_section_figure(reader,
				text_is(place->path[1], "sizes") ? place->path[0] : place->path[1],
				word, numbers, count);
	} else if (place->path_length == 3) {
		take_blocks(reader, place, word, numbers);
	}
}

/*
 * Sums that recon adds to what the node reports; of a node before OTP 23 they are
 * all there is.
 */
static bool is_repeated(const struct terms_reader *reader, const struct figure *figure)
{
	struct text key = terms_name_text(&figure->key);

	return reader->has_raw_blocks && figure->of.length == 0 &&
			(text_is(key, "blocks") || text_is(key, "blocks_size"));
}

/* The allocator of an instance that nobody named: its calls do, as {binary_alloc, 0, 7}. */
static struct text guess_allocator(const struct terms_reader *reader)
{
	for (size_t i = 0; i < reader->figure_count; i++) {
		const struct figure *figure = &reader->figures[i];
		struct text key = terms_name_text(&figure->key);

		if (text_is(terms_name_text(&figure->section), "calls") &&
				ends_with(key, "_alloc")) {
			return key;
		}
	}

	/* Of sizes only: the blocks, when they are of one allocator. */
	for (size_t i = 0; i < reader->figure_count; i++) {
		if (reader->figures[i].of.length > 0) {
			return terms_name_text(&reader->figures[i].of);
		}
	}

	return TEXT("unknown");
}

static void put_figure(struct terms_reader *reader, const struct figure *figure, int64_t snapshot,
		struct text allocator, int64_t instance)
{
	struct instance_stat stat = {
		.snapshot = snapshot,
		.allocator = allocator,
		.instance = instance,
		.section = terms_name_text(&figure->section),
		.key = terms_name_text(&figure->key),
		.current = figure->numbers[0],
		.max_since_last = figure->numbers[1],
		.max_ever = figure->numbers[2],
	};

	if (figure->is_option) {
		snapshot_option(reader->store, snapshot, allocator, instance, stat.key,
				terms_name_text(&figure->value));
		reader->options++;
		return;
	}

	if (figure->of.length > 0) {
		stat.of = terms_name_text(&figure->of);
	}

	snapshot_stat(reader->store, &stat);
}

static bool has_calls(const struct terms_reader *reader)
{
	for (size_t i = 0; i < reader->figure_count; i++) {
		if (text_is(terms_name_text(&reader->figures[i].section), "calls")) {
			return true;
		}
	}

	return false;
}

/* The instance's term closes. */
static void end_instance(struct terms_reader *reader, struct text allocator, int64_t instance)
{
	bool is_sizes = !reader->has_options && !has_calls(reader);
	int64_t snapshot;

	if (reader->figure_count == 0) {
		return;
	}

	if (instance < 0 && instance != ROW_NULL) {
		note_impossible(reader, TEXT("instance"));
		reader->figure_count = 0;
		return;
	}

	if (!allocator.at) {
		allocator = name_around(&reader->terms, reader->terms.depth - 1);
	}
	if (!allocator.at && reader->context.length > 0) {
		allocator = terms_name_text(&reader->context);
	}
	if (!allocator.at) {
		allocator = guess_allocator(reader);
	}

	snapshot = terms_snapshot_of(
			reader, is_sizes ? CLASS_SIZES : CLASS_FULL, allocator, instance);
	for (size_t i = 0; i < reader->figure_count; i++) {
		if (!is_repeated(reader, &reader->figures[i])) {
			put_figure(reader, &reader->figures[i], snapshot, allocator, instance);
		}
	}

	reader->instances++;
	reader->figure_count = 0;
	reader->has_options = false;
	reader->has_raw_blocks = false;
}

static bool is_one_of(struct text text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (text_is(text, words[i])) {
			return true;
		}
	}

	return false;
}

/* {total, 1} of erlang:memory(), {atom_space, 2, 1} of allocated_areas. */
static bool take_amount(struct terms_reader *reader, const struct term_frame *tuple)
{
	static const char *const memory[] = { "total", "processes", "processes_used", "system",
		"atom", "atom_used", "binary", "code", "ets", "low", "maximum" };
	static const char *const areas[] = { "sys_misc", "static", "atom_space", "atom_table",
		"module_table", "export_table", "export_list", "register_table", "fun_table",
		"module_refs", "loaded_code", "dist_table", "node_table", "bits_bufs_size",
		"bif_timer", "process_table", "port_table", "ets_misc", "external_alloc", "link_lh",
		"processes_misc" };
	struct text word = term_text(&tuple->items[0]);
	int64_t numbers[3] = { ROW_NULL, ROW_NULL, ROW_NULL };
	size_t count;

	if (tuple->items[0].kind != TERM_ATOM || !read_numbers(tuple, numbers, &count)) {
		return false;
	}

	if (count == 1 && is_one_of(word, memory, sizeof(memory) / sizeof(memory[0]))) {
		check_numbers(reader, tuple, false);
		if (numbers[0] == ROW_NULL) {
			return true;
		}
		snapshot_memory(reader->store,
				terms_snapshot_of(reader, CLASS_FULL, word, ROW_NULL), word,
				numbers[0]);
		reader->memory_keys++;
		return true;
	}

	if (count <= 2 && numbers[0] != ROW_NULL &&
			is_one_of(word, areas, sizeof(areas) / sizeof(areas[0]))) {
		snapshot_area(reader->store, terms_snapshot_of(reader, CLASS_FULL, word, ROW_NULL),
				word, numbers[0], numbers[1]);
		reader->areas++;
		return true;
	}

	return false;
}

/* {glibc, [2, 36], Features, [{binary_alloc, [{sbct, 1}]}]} of system_info(allocator). */
static bool take_setting(struct terms_reader *reader, const struct term_frame *tuple)
{
	const struct term_frame *frames = reader->terms.frames;
	struct text allocator;

	if (reader->terms.depth != 5 || frames[0].kind != TERM_TUPLE || frames[0].count != 3 ||
			frames[1].kind != TERM_LIST || frames[2].kind != TERM_TUPLE ||
			frames[2].count != 1 || frames[2].items[0].kind != TERM_ATOM ||
			tuple->count != 2 || tuple->items[0].kind != TERM_ATOM ||
			tuple->items[1].kind > TERM_STRING) {
		return false;
	}

	/* Settings of the one that is there in every build. */
	allocator = term_text(&frames[2].items[0]);
	if (text_is(allocator, "erts_mmap")) {
		allocator = TEXT("default_mmap");
	}

	snapshot_option(reader->store,
			terms_snapshot_of(reader, CLASS_FULL, TEXT("settings"),
					(int64_t)frames[1].count * 1000 + (int64_t)frames[3].count),
			allocator, ROW_NULL, term_text(&tuple->items[0]),
			term_text(&tuple->items[1]));
	reader->options++;
	return true;
}

bool terms_figure_close(struct terms_reader *reader, const struct term_frame *closed)
{
	const struct terms *terms = &reader->terms;
	struct place place;

	if (closed->kind != TERM_TUPLE || closed->count == 0) {
		return false;
	}

	if (is_owner(closed, &place)) {
		end_instance(reader, place.allocator, place.instance);
		return true;
	}

	if (find_place(terms, &place)) {
		take_tuple(reader, &place, closed);
		return true;
	}

	return take_setting(reader, closed) ||
			(terms->depth > 1 && terms->frames[terms->depth - 2].kind == TERM_LIST &&
					take_amount(reader, closed));
}
