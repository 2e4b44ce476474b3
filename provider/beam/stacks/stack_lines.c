/* SPDX-License-Identifier: MIT */
#include "stack_lines.h"

#include <dlfcn.h>
#include <string.h>

#include "probed_memory.h"

/* Bytes of what the emulator writes that are looked at, in halves of a word. */
#define HALVES 32
#define WORDS (HALVES * sizeof(uint32_t) / sizeof(uintptr_t))

/* A line is in the lowest bits of a half, the number of its file above. */
#define LINE_BITS 24
#define LINE_MASK ((UINT32_C(1) << LINE_BITS) - 1)

/* Fewer different ones would prove nothing. */
#define LINES_LEAST 3

/* Room for what an emulator of another release may write. */
#define ROOM_BYTES 1024

/* Characters of the name of a file. */
#define FILE_LENGTH 1024

/* What the emulator writes about an address. */
union answer {
	uint32_t halves[HALVES];
	uintptr_t words[WORDS];
	unsigned char room[ROOM_BYTES];
};

static struct {
	/* NULL: there are no lines. */
	void (*look_up)(void *answer, const void *address, int with_line);
	/* Of a word, a half, a word. */
	size_t header;
	size_t line;
	size_t files;
} known;

/* The byte before a return address is of the call; at the address another line may begin. */
static union answer ask(uintptr_t address)
{
	union answer answer;
	const void *place;

	address--;
	memset(&answer, 0, sizeof(answer));
	memcpy(&place, &address, sizeof(place));
	known.look_up(&answer, place, 1);
	return answer;
}

/* The list that is the name of a file, 0: it cannot be read.  FILES is the emulator's array. */
static ERL_NIF_TERM name_of(uintptr_t files, uint32_t number)
{
	ERL_NIF_TERM name;
	const struct probed_piece piece = { files + number * sizeof(name), sizeof(name) };

	return probed_memory_read(&piece, 1, &name) ? name : 0;
}

/* Whether a word, which may be anything, is a list like this one.  The lowest bits of a word say
 * that it is a list, the others where its first cell is. */
static bool is_list(ErlNifEnv *env, ERL_NIF_TERM word, ERL_NIF_TERM file)
{
	ERL_NIF_TERM cell[2];
	ERL_NIF_TERM head;
	ERL_NIF_TERM tail;
	uintptr_t tag = file % sizeof(uintptr_t);

	return enif_get_list_cell(env, file, &head, &tail) && word % sizeof(uintptr_t) == tag &&
			probed_memory_read(&(struct probed_piece){ word - tag, sizeof(cell) }, 1,
					cell) &&
			cell[0] == head && enif_is_identical(word, file);
}

static bool has_header(ErlNifEnv *env, const struct stack_line_witness *witness)
{
	(void)env;
	return ask(witness->address).words[known.header] == witness->header;
}

static bool has_line(ErlNifEnv *env, const struct stack_line_witness *witness)
{
	(void)env;
	return (ask(witness->address).halves[known.line] & LINE_MASK) == witness->line;
}

static bool has_file(ErlNifEnv *env, const struct stack_line_witness *witness)
{
	union answer answer = ask(witness->address);
	uint32_t number = answer.halves[known.line] >> LINE_BITS;

	return is_list(env, name_of(answer.words[known.files], number), witness->file);
}

/* Whether lines differ, and files of one module: else anything could be a line. */
static bool are_proof(const struct stack_line_witness *witnesses, size_t count)
{
	size_t lines = 0;
	uint32_t numbers = 0;

	for (size_t i = 0; i < count; i++) {
		size_t before = 0;

		while (before < i && witnesses[before].line != witnesses[i].line) {
			before++;
		}
		lines += before == i;
		numbers |= ask(witnesses[i].address).halves[known.line] >> LINE_BITS;
	}
	return lines >= LINES_LEAST && numbers > 0;
}

struct witnesses {
	ErlNifEnv *env;
	const struct stack_line_witness *list;
	size_t count;
};

/* The first of so many places at which all witnesses are right. */
static bool find(const struct witnesses *witnesses, size_t places, size_t *ret_place,
		bool (*is_right)(ErlNifEnv *env, const struct stack_line_witness *witness))
{
	for (*ret_place = 0; *ret_place < places; (*ret_place)++) {
		size_t right = 0;

		while (right < witnesses->count &&
				is_right(witnesses->env, &witnesses->list[right])) {
			right++;
		}
		if (right == witnesses->count) {
			return true;
		}
	}
	return false;
}

bool stack_lines_learn(ErlNifEnv *env, const struct stack_line_witness *witnesses, size_t count)
{
	const struct witnesses all = { env, witnesses, count };
	void *symbol = dlsym(RTLD_DEFAULT, "erts_lookup_function_info");

	memcpy(&known.look_up, &symbol, sizeof(symbol));
	if (!symbol || !find(&all, WORDS, &known.header, has_header) ||
			!find(&all, HALVES, &known.line, has_line) ||
			!find(&all, WORDS, &known.files, has_file) ||
			!are_proof(witnesses, count)) {
		known.look_up = NULL;
	}
	return known.look_up;
}

bool stack_lines_are_known(void)
{
	return known.look_up;
}

/* Whether a function's code is still where it was. */
static bool is_there(const struct stack_function *function)
{
	uintptr_t header[3];

	return probed_memory_read(&(struct probed_piece){ function->header, sizeof(header) }, 1,
			       header) &&
			header[0] == function->module && header[1] == function->name &&
			header[2] == function->arity;
}

/*
 * A list of the caller's own, 0: it is none, or too long.  Code that has just been found stays
 * until this NIF returns, since to unload it the emulator waits for each scheduler; its names may
 * go with it.
 */
static ERL_NIF_TERM copy_of(ErlNifEnv *env, ERL_NIF_TERM name)
{
	ERL_NIF_TERM characters[FILE_LENGTH];
	unsigned int count = 0;
	unsigned int character;

	while (name != 0 && count < FILE_LENGTH &&
			enif_get_list_cell(env, name, &characters[count], &name) &&
			enif_get_uint(env, characters[count], &character)) {
		count++;
	}
	return name != 0 && enif_is_empty_list(env, name)
			? enif_make_list_from_array(env, characters, count)
			: 0;
}

ERL_NIF_TERM stack_lines_get(
		ErlNifEnv *env, uintptr_t address, const struct stack_function *function)
{
	const ERL_NIF_TERM unknown = enif_make_atom(env, "undefined");
	ERL_NIF_TERM file;
	union answer answer;
	uint32_t half;

	if (!known.look_up) {
		return unknown;
	}
	answer = ask(address);
	half = answer.halves[known.line];
	if (answer.words[known.header] != function->header || (half & LINE_MASK) == 0 ||
			!is_there(function)) {
		return unknown;
	}
	file = copy_of(env, name_of(answer.words[known.files], half >> LINE_BITS));
	return file == 0 ? unknown
			 : enif_make_tuple2(env, enif_make_uint(env, half & LINE_MASK), file);
}
