/* SPDX-License-Identifier: MIT */
/* Trials by processes, and a search for the header of a function. */
#include "stack_way.h"

#include <stdio.h>
#include <string.h>

#include "probed_memory.h"

struct stack_way stack_way;

/* Words of a process's structure that are looked at. */
#define WORDS 192
#define TRIALS 3

/* Fewer witnesses, or fewer bits in common, would prove nothing. */
#define WITNESSES 6
#define HEADER_BITS 16

/* The first instruction of code: longer ones have addresses in them. */
#define HEADER_INSTRUCTION UINT32_MAX

/* Words before the code: module, name, arity. */
#define HEADER_WORDS 3
#define ARITY_MOST 255

/* Code is read in such pieces, so many at most: 1 MiB before a return address. */
#define PIECE_WORDS 512
#define PIECES 256

/* Lowest bits by which terms that are no pointers differ from each other. */
#define TAG_MASK 63

static struct {
	unsigned int trials;
	/* Bit s of stop[e]: the word e has the end of the heap, the word s that of the stack; and
	 * so on. */
	uint64_t stop[WORDS][WORDS / 64];
	uint64_t heap[WORDS][WORDS / 64];
	const char *reason;
	char found_by[96];
} search = { .found_by = "off: no process was tried" };

/* Words at an address that may be none. */
static bool read_words(uintptr_t address, void *ret_words, size_t count)
{
	return probed_memory_read(
			&(struct probed_piece){ address, count * sizeof(uintptr_t) }, 1, ret_words);
}

void stack_way_forget(void)
{
	stack_way.is_known = false;
	search.trials = 0;
	search.reason = NULL;
	(void)snprintf(search.found_by, sizeof(search.found_by), "off: no process was tried");
}

/* Keeps the pairs of words that lie so many bytes apart, of those that did in earlier trials. */
static void keep_pairs(
		const uintptr_t words[WORDS], uint64_t pairs[WORDS][WORDS / 64], size_t bytes)
{
	for (size_t end = 0; end < WORDS; end++) {
		for (size_t begin = 0; begin < WORDS; begin++) {
			uint64_t bit = UINT64_C(1) << begin % 64;

			if (words[end] % sizeof(uintptr_t) != 0 || words[end] < bytes ||
					words[end] - bytes != words[begin]) {
				pairs[end][begin / 64] &= ~bit;
			}
		}
	}
}

static bool has_pair(uint64_t pairs[WORDS][WORDS / 64], size_t end)
{
	uint64_t any = 0;

	for (size_t i = 0; i < WORDS / 64; i++) {
		any |= pairs[end][i];
	}
	return any != 0;
}

/* The one word that is paired with the end; WORDS: there are several. */
static size_t only_pair(uint64_t pairs[WORDS][WORDS / 64], size_t end)
{
	size_t found = WORDS;

	for (size_t begin = 0; begin < WORDS; begin++) {
		if (pairs[end][begin / 64] >> begin % 64 & 1) {
			if (found != WORDS) {
				return WORDS;
			}
			found = begin;
		}
	}
	return found;
}

/* The first word of the stack of this trial must be that of the others. */
static void meet_bottom(uintptr_t end)
{
	uintptr_t bottom;

	if (!read_words(end - sizeof(bottom), &bottom, 1) || bottom == 0 || bottom % 4 != 0) {
		search.reason = "a stack does not begin with an address";
	} else if (search.trials > 0 && bottom != stack_way.bottom) {
		search.reason = "stacks begin in different ways";
	}
	stack_way.bottom = bottom;
}

void stack_way_try(const void *process, size_t stack_words, size_t heap_words)
{
	uintptr_t words[WORDS];
	size_t end = 0;

	if (!process || stack_words == 0 || heap_words <= stack_words) {
		search.reason = "the process that runs is not found";
		return;
	}
	if (!probed_memory_open() || !read_words((uintptr_t)process, words, WORDS)) {
		search.reason = "there is no file in memory by which to read what may not be there";
		return;
	}
	if (search.trials == 0) {
		memset(search.stop, 0xff, sizeof(search.stop));
		memset(search.heap, 0xff, sizeof(search.heap));
	}
	keep_pairs(words, search.stop, stack_words * sizeof(uintptr_t));
	keep_pairs(words, search.heap, heap_words * sizeof(uintptr_t));
	while (end < WORDS && !(has_pair(search.stop, end) && has_pair(search.heap, end))) {
		end++;
	}
	if (end == WORDS) {
		search.reason = "no words of a process are as far apart as its stack and heap are long";
		return;
	}
	meet_bottom(words[end]);
	stack_way.end = end;
	search.trials++;
}

static bool is_atom(uintptr_t word)
{
	return (word & TAG_MASK) == stack_way.atom_tag && word <= UINT32_MAX;
}

/* Whether the words before this one are a header. */
static bool has_header(const uintptr_t *start)
{
	return start[-1] <= ARITY_MOST && is_atom(start[-2]) && is_atom(start[-3]);
}

bool stack_way_learn(const struct stack_witness *witnesses, size_t count, uintptr_t any_atom)
{
	uintptr_t differing = 0;
	uintptr_t first = 0;
	size_t starts = 0;

	stack_way.atom_tag = any_atom & TAG_MASK;
	for (size_t i = 0; i < count; i++) {
		uintptr_t words[HEADER_WORDS + 1];

		if (!read_words(witnesses[i].header, words, HEADER_WORDS + 1) ||
				!has_header(words + HEADER_WORDS)) {
			search.reason = "functions have no header";
			return false;
		}
		first = i == 0 ? words[HEADER_WORDS] : first;
		differing |= words[HEADER_WORDS] ^ first;
		starts += i == 0 || witnesses[i].header != witnesses[i - 1].header;
	}
	stack_way.header_mask = ~differing & HEADER_INSTRUCTION;
	stack_way.header_value = first & stack_way.header_mask;
	if (starts < WITNESSES || __builtin_popcountll(stack_way.header_mask) < HEADER_BITS) {
		search.reason = "too little is known of how functions begin";
		return false;
	}
	for (size_t i = 0; i < count; i++) {
		if (stack_way_function(witnesses[i].address).header != witnesses[i].header) {
			search.reason = "functions are not found by an address in them";
			return false;
		}
	}
	return true;
}

/* Why it is not known; NULL: it is. */
static const char *judge(bool are_named)
{
	if (search.reason) {
		return search.reason;
	}
	if (search.trials < TRIALS) {
		return "too few processes were tried";
	}
	stack_way.stop = only_pair(search.stop, stack_way.end);
	stack_way.heap = only_pair(search.heap, stack_way.end);
	if (stack_way.stop == WORDS || stack_way.heap == WORDS) {
		return "several words of a process may be the end of its stack";
	}
	return are_named ? NULL : "functions are not named right";
}

void stack_way_confirm(bool are_named, bool have_lines)
{
	const char *reason = judge(are_named);

	stack_way.is_known = !reason;
	if (reason) {
		(void)snprintf(search.found_by, sizeof(search.found_by), "off: %s", reason);
	} else {
		(void)snprintf(search.found_by, sizeof(search.found_by),
				"%u processes agree: words %zu, %zu and %zu, %s lines",
				search.trials, stack_way.heap, stack_way.stop, stack_way.end,
				have_lines ? "with" : "without");
	}
}

const char *stack_way_found_by(void)
{
	return search.found_by;
}

struct stack_function stack_way_function(uintptr_t address)
{
	/* A piece, and behind it the first words of the one above, of which a header may be part.
	 */
	uintptr_t words[PIECE_WORDS + HEADER_WORDS] = { 0 };
	const struct stack_function none = { .header = 0 };
	uintptr_t begin = address / sizeof(uintptr_t) * sizeof(uintptr_t);

	for (size_t piece = 0; piece < PIECES && begin > sizeof(words); piece++) {
		memcpy(words + PIECE_WORDS, words, HEADER_WORDS * sizeof(uintptr_t));
		begin -= PIECE_WORDS * sizeof(uintptr_t);
		if (!read_words(begin, words, PIECE_WORDS)) {
			break;
		}
		for (size_t i = PIECE_WORDS + HEADER_WORDS - 1; i >= HEADER_WORDS; i--) {
			if (!has_header(words + i)) {
				continue;
			}
			/* A function that begins in no known way: nobody's, rather than the one
			 * before. */
			if ((words[i] & stack_way.header_mask) != stack_way.header_value) {
				return none;
			}
			return (struct stack_function){
				begin + (i - HEADER_WORDS) * sizeof(uintptr_t),
				words[i - 3],
				words[i - 2],
				words[i - 1],
			};
		}
	}
	return none;
}
