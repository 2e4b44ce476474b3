/* SPDX-License-Identifier: MIT */
/* A board file, and the system that comes up on the board. */
#include "board.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optext.h"
#include "workload_text.h"

/* A heap beyond this is none of a small board, in bytes. */
#define HEAP_MAX (UINT64_C(1) << 32)

struct board_reader {
	struct words words;
	struct board *board;
	/* Words that may stand once, by index in `lines`. */
	uint32_t seen;
};

/* Decimal or 0x..., k or m may follow. */
static enum csc_status read_number(const struct words *words, size_t index, uint64_t least,
		uint64_t most, uint64_t *ret_value)
{
	const char *text = words->words[index];
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned int shift = 0;
	char *end = NULL;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, is_hex ? 16 : 10);
	if (*end == 'k' || *end == 'K') {
		shift = 10;
	} else if (*end == 'm' || *end == 'M') {
		shift = 20;
	}
	end += shift ? 1 : 0;
	if (!isdigit((unsigned char)*text) || *end || errno || value > UINT64_MAX >> shift ||
			value << shift < least || value << shift > most) {
		return words_fail(words, "'%s' is not a number from %" PRIu64 " to %" PRIu64, text,
				least, most);
	}
	*ret_value = value << shift;
	return CSC_OK;
}

static enum csc_status read_power(const struct words *words, size_t index, uint64_t least,
		uint64_t most, uint64_t *ret_value)
{
	if (read_number(words, index, least, most, ret_value) != CSC_OK) {
		return CSC_ERROR;
	}
	if (*ret_value & (*ret_value - 1)) {
		return words_fail(words, "%s is not a power of two", words->words[index]);
	}
	return CSC_OK;
}

static enum csc_status read_board(struct board_reader *reader)
{
	if (words_expect(&reader->words, 2, 2, "board NAME") != CSC_OK) {
		return CSC_ERROR;
	}
	return words_name(&reader->words, 1, reader->board->name, BOARD_NAME_MAX);
}

static enum csc_status read_otp(struct board_reader *reader)
{
	struct words *words = &reader->words;

	if (words_expect(words, 2, 2, "otp RELEASE") != CSC_OK) {
		return CSC_ERROR;
	}
	reader->board->generation = csc_generation_find(words->words[1]);
	return reader->board->generation
			? CSC_OK
			: words_fail(words, "'%s' is none of 24rc0, 24.0.1, 25, 27, 28, 29",
					  words->words[1]);
}

static enum csc_status read_word(struct board_reader *reader)
{
	uint64_t value = 0;

	if (words_expect(&reader->words, 2, 2, "word 4|8") != CSC_OK ||
			read_power(&reader->words, 1, 4, 8, &value) != CSC_OK) {
		return CSC_ERROR;
	}
	reader->board->word_bytes = (uint32_t)value;
	return CSC_OK;
}

static enum csc_status read_page(struct board_reader *reader)
{
	uint64_t value = 0;

	if (words_expect(&reader->words, 2, 2, "page N") != CSC_OK ||
			read_power(&reader->words, 1, 4, 4096, &value) != CSC_OK) {
		return CSC_ERROR;
	}
	reader->board->page_bytes = (uint32_t)value;
	return CSC_OK;
}

static enum csc_status read_mmap(struct board_reader *reader)
{
	struct words *words = &reader->words;

	if (words_expect(words, 2, 2, "mmap failing|absent") != CSC_OK) {
		return CSC_ERROR;
	}
	reader->board->has_mseg = strcmp(words->words[1], "failing") == 0;
	if (!reader->board->has_mseg && strcmp(words->words[1], "absent") != 0) {
		return words_fail(words, "'%s' is neither failing nor absent", words->words[1]);
	}
	return CSC_OK;
}

static enum csc_status read_trim(struct board_reader *reader)
{
	if (words_expect(&reader->words, 2, 2, "trim N") != CSC_OK) {
		return CSC_ERROR;
	}
	return read_number(&reader->words, 1, 0, 4096, &reader->board->trim_bytes);
}

/* ADDRESS BYTES from word `at` on. */
static enum csc_status read_range(
		struct board_reader *reader, size_t at, struct board_region *ret_region)
{
	struct words *words = &reader->words;

	ret_region->line = words->line;
	if (read_number(words, at, 1, UINT64_MAX, &ret_region->address) != CSC_OK ||
			read_number(words, at + 1, 1, UINT64_MAX, &ret_region->bytes) != CSC_OK) {
		return CSC_ERROR;
	}
	if (ret_region->bytes > UINT64_MAX - ret_region->address) {
		return words_fail(words, "the address space ends before that");
	}
	return CSC_OK;
}

static enum csc_status read_memory(struct board_reader *reader)
{
	if (words_expect(&reader->words, 3, 3, "memory ADDRESS BYTES") != CSC_OK) {
		return CSC_ERROR;
	}
	return read_range(reader, 1, &reader->board->memory);
}

static enum csc_status read_heap(struct board_reader *reader)
{
	if (words_expect(&reader->words, 3, 3, "heap ADDRESS BYTES") != CSC_OK) {
		return CSC_ERROR;
	}
	return read_range(reader, 1, &reader->board->heap);
}

static enum csc_status read_region(struct board_reader *reader)
{
	struct board *board = reader->board;
	struct board_region *region = &board->regions[board->region_count];

	if (words_expect(&reader->words, 4, 4, "region NAME ADDRESS BYTES") != CSC_OK) {
		return CSC_ERROR;
	}
	if (board->region_count == BOARD_REGIONS_MAX) {
		return words_fail(&reader->words, "more than %d regions", BOARD_REGIONS_MAX);
	}
	if (words_name(&reader->words, 1, region->name, BOARD_NAME_MAX) != CSC_OK ||
			read_range(reader, 2, region) != CSC_OK) {
		return CSC_ERROR;
	}
	board->region_count++;
	return CSC_OK;
}

/* The next free element; NULL: there is none. */
static struct board_take *next_take(struct board_reader *reader)
{
	struct board *board = reader->board;
	struct board_take *take = &board->takes[board->take_count];

	if (board->take_count == BOARD_TAKES_MAX) {
		words_fail(&reader->words, "more than %d lines 'take' and 'give'", BOARD_TAKES_MAX);
		return NULL;
	}
	*take = (struct board_take){ .count = 1, .line = reader->words.line };
	return words_name(&reader->words, 1, take->name, BOARD_NAME_MAX) == CSC_OK ? take : NULL;
}

static enum csc_status read_take(struct board_reader *reader)
{
	static const char usage[] = "take NAME BYTES [align N] [count N]";
	struct words *words = &reader->words;
	struct board_take *take;

	if (words_expect(words, 3, 7, usage) != CSC_OK) {
		return CSC_ERROR;
	}
	take = next_take(reader);
	if (!take || read_number(words, 2, 1, HEAP_MAX, &take->bytes) != CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 3; i < words->count; i += 2) {
		enum csc_status status;

		if (i + 1 < words->count && strcmp(words->words[i], "align") == 0) {
			status = read_power(words, i + 1, 4, HEAP_MAX / 2, &take->alignment);
		} else if (i + 1 < words->count && strcmp(words->words[i], "count") == 0) {
			status = read_number(words, i + 1, 1, BOARD_BLOCKS_MAX, &take->count);
		} else {
			status = words_fail(words, "expected '%s'", usage);
		}
		if (status != CSC_OK) {
			return CSC_ERROR;
		}
	}
	reader->board->take_count++;
	return CSC_OK;
}

static enum csc_status read_give(struct board_reader *reader)
{
	struct board_take *take;
	bool is_known = false;

	if (words_expect(&reader->words, 3, 3, "give NAME N") != CSC_OK) {
		return CSC_ERROR;
	}
	take = next_take(reader);
	if (!take ||
			read_number(&reader->words, 2, 1, BOARD_BLOCKS_MAX, &take->give_every) !=
					CSC_OK) {
		return CSC_ERROR;
	}
	for (size_t i = 0; i < reader->board->take_count; i++) {
		is_known |= strcmp(reader->board->takes[i].name, take->name) == 0;
	}
	reader->board->take_count++;
	return is_known ? CSC_OK
			: words_fail(&reader->words, "nothing of that name was taken: '%s'",
					  take->name);
}

static enum csc_status read_line(struct board_reader *reader)
{
	static const struct {
		const char *word;
		enum csc_status (*read)(struct board_reader *reader);
		bool is_single;
	} lines[] = {
		{ "board", read_board, true },
		{ "otp", read_otp, true },
		{ "word", read_word, true },
		{ "page", read_page, true },
		{ "mmap", read_mmap, true },
		{ "trim", read_trim, true },
		{ "memory", read_memory, true },
		{ "heap", read_heap, true },
		{ "region", read_region, false },
		{ "take", read_take, false },
		{ "give", read_give, false },
	};
	const char *word = reader->words.words[0];

	for (uint32_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (strcmp(word, lines[i].word) != 0) {
			continue;
		}
		if (lines[i].is_single && reader->seen & (1U << i)) {
			return words_fail(&reader->words, "a second line '%s'", word);
		}
		reader->seen |= 1U << i;
		return lines[i].read(reader);
	}
	return words_fail(&reader->words, "no such line: '%s'", word);
}

static bool is_apart(const struct board_region *a, const struct board_region *b)
{
	return a->address + a->bytes <= b->address || b->address + b->bytes <= a->address;
}

static bool is_inside(const struct board_region *inner, const struct board_region *outer)
{
	return inner->address >= outer->address &&
			inner->address + inner->bytes <= outer->address + outer->bytes;
}

/* One region against the memory, the heap and those before it. */
static enum csc_status check_region(struct board_reader *reader, size_t index)
{
	const struct board *board = reader->board;
	const struct board_region *region = &board->regions[index];

	reader->words.line = region->line;
	if (board->memory.bytes && !is_inside(region, &board->memory)) {
		return words_fail(&reader->words, "region '%s' lies outside of the memory",
				region->name);
	}
	for (size_t i = 0; i < index; i++) {
		if (!is_apart(region, &board->regions[i])) {
			return words_fail(&reader->words, "regions '%s' and '%s' overlap",
					region->name, board->regions[i].name);
		}
	}
	if (!is_apart(region, &board->heap)) {
		reader->words.line =
				region->line > board->heap.line ? region->line : board->heap.line;
		return words_fail(&reader->words, "region '%s' and the heap overlap", region->name);
	}
	return CSC_OK;
}

static enum csc_status check_layout(struct board_reader *reader)
{
	const struct board *board = reader->board;

	if (!board->heap.bytes) {
		return words_fail(&reader->words, "the file says no heap");
	}
	for (size_t i = 0; i < board->region_count; i++) {
		if (check_region(reader, i) != CSC_OK) {
			return CSC_ERROR;
		}
	}
	reader->words.line = board->heap.line;
	if (board->memory.bytes && !is_inside(&board->heap, &board->memory)) {
		return words_fail(&reader->words, "the heap lies outside of the memory");
	}
	if (board->heap.bytes > HEAP_MAX) {
		return words_fail(&reader->words, "a heap of more than 4 GiB");
	}
	if (board->word_bytes == 4 && board->heap.address + board->heap.bytes > UINT32_MAX) {
		return words_fail(&reader->words, "the heap ends beyond addresses of 32 bits");
	}
	return CSC_OK;
}

/* The system comes up once, to see whether it can. */
static enum csc_status check_start(struct board_reader *reader)
{
	struct rtems_options options;
	struct rtems_target *target;
	enum csc_status status;

	board_target(reader->board, 1, &options);
	target = rtems_target_create(&options);
	reader->words.line = reader->board->heap.line;
	if (!target) {
		return words_fail(&reader->words,
				"no heap can be made of %" PRIu64 " bytes with pages of %u",
				reader->board->heap.bytes, reader->board->page_bytes);
	}
	status = board_start(reader->board, rtems_target_heap(target), reader->words.diag);
	rtems_target_destroy(target);
	return status;
}

struct board *board_parse(char *text, const char *path, struct diag *diag)
{
	struct board_reader reader = {
		.words = { .path = path, .diag = diag },
		.board = calloc(1, sizeof(*reader.board)),
	};
	enum csc_status status = CSC_OK;

	if (!reader.board) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	snprintf(reader.board->path, sizeof(reader.board->path), "%s", path);
	snprintf(reader.board->name, sizeof(reader.board->name), "board");
	reader.board->word_bytes = 4;
	reader.board->page_bytes = 8;
	reader.board->has_mseg = true;
	while (status == CSC_OK && text && *text) {
		char *line = strsep(&text, "\n");

		reader.words.line++;
		status = words_cut(&reader.words, line);
		if (status == CSC_OK && reader.words.count) {
			status = read_line(&reader);
		}
	}
	if (status != CSC_OK || check_layout(&reader) != CSC_OK || check_start(&reader) != CSC_OK) {
		board_destroy(reader.board);
		return NULL;
	}
	return reader.board;
}

struct board *board_read(const char *path, struct diag *diag)
{
	struct board *board = NULL;
	char *text = words_read(path, diag);

	if (text) {
		board = board_parse(text, path, diag);
	}
	free(text);
	return board;
}

void board_destroy(struct board *board)
{
	free(board);
}

void board_target(const struct board *board, uint64_t unit_bytes, struct rtems_options *ret_options)
{
	*ret_options = (struct rtems_options){
		.area = {
			.base = board->heap.address,
			.size_bytes = board->heap.bytes,
			.word_bytes = board->word_bytes,
			.page_bytes = board->page_bytes,
		},
		.unit_bytes = unit_bytes,
		.has_mseg = board->has_mseg,
	};
}

/* A block that the system has taken. */
struct taken {
	uint64_t user;
	size_t take;
};

static enum csc_status board_take(const struct board *board, size_t index, struct rtems_heap *heap,
		struct taken *blocks, size_t *count, struct diag *diag)
{
	const struct board_take *take = &board->takes[index];

	for (uint64_t i = 0; i < take->count; i++) {
		struct taken *block = &blocks[*count];
		enum rtems_result result;

		if (*count == BOARD_BLOCKS_MAX) {
			return DIAG_FAIL(diag, "%s:%zu: the system takes more than %d blocks",
					board->path, take->line, BOARD_BLOCKS_MAX);
		}
		result = take->alignment
				? rtems_memalign(heap, take->alignment, take->bytes, &block->user)
				: rtems_malloc(heap, take->bytes, &block->user);
		if (result != RTEMS_DONE) {
			return DIAG_FAIL(diag,
					"%s:%zu: there is no room for '%s', %" PRIu64 " bytes",
					board->path, take->line, take->name, take->bytes);
		}
		block->take = index;
		(*count)++;
	}
	return CSC_OK;
}

static void board_give(const struct board *board, const struct board_take *give,
		struct rtems_heap *heap, struct taken *blocks, size_t count)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < count; i++) {
		const struct board_take *take = &board->takes[blocks[i].take];

		if (blocks[i].user && strcmp(take->name, give->name) == 0 &&
				++seen % give->give_every == 0) {
			rtems_free(heap, blocks[i].user);
			blocks[i].user = 0;
		}
	}
}

enum csc_status board_start(const struct board *board, struct rtems_heap *heap, struct diag *diag)
{
	struct taken *blocks = calloc(BOARD_BLOCKS_MAX, sizeof(*blocks));
	size_t count = 0;
	enum csc_status status = CSC_OK;

	if (!blocks) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; status == CSC_OK && i < board->take_count; i++) {
		if (board->takes[i].give_every) {
			board_give(board, &board->takes[i], heap, blocks, count);
		} else {
			status = board_take(board, i, heap, blocks, &count, diag);
		}
	}
	free(blocks);
	return status;
}
