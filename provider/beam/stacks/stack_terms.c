/* SPDX-License-Identifier: MIT */
#include "stack_terms.h"

#include "sessions.h"
#include "stack_lines.h"
#include "stack_sums.h"

/* Of a backtrace, and of an answer. */
#define WITNESSES_MOST 256
#define STACKS_AT_ONCE 64

/* An atom is never given to another name, so its word may be kept. */
static ERL_NIF_TERM make_function(ErlNifEnv *env, const struct stack_function *function)
{
	return function->module == 0 ? enif_make_atom(env, "undefined")
				     : enif_make_tuple3(env, function->module, function->name,
						       enif_make_uint64(env, function->arity));
}

static bool get_witness(ErlNifEnv *env, ERL_NIF_TERM term, struct stack_witness *ret_witness)
{
	const ERL_NIF_TERM *elements;
	ErlNifUInt64 address;
	ErlNifUInt64 header;
	int arity;

	if (!enif_get_tuple(env, term, &arity, &elements) || arity != 2 ||
			!enif_get_uint64(env, elements[0], &address) ||
			!enif_get_uint64(env, elements[1], &header)) {
		return false;
	}
	*ret_witness = (struct stack_witness){ address, header };
	return true;
}

static bool get_line_witness(
		ErlNifEnv *env, ERL_NIF_TERM term, struct stack_line_witness *ret_witness)
{
	const ERL_NIF_TERM *elements;
	ErlNifUInt64 address;
	ErlNifUInt64 header;
	unsigned int line;
	int arity;

	if (!enif_get_tuple(env, term, &arity, &elements) || arity != 4 ||
			!enif_get_uint64(env, elements[0], &address) ||
			!enif_get_uint64(env, elements[1], &header) ||
			!enif_get_uint(env, elements[2], &line)) {
		return false;
	}
	*ret_witness = (struct stack_line_witness){
		.address = address,
		.header = header,
		.line = line,
		.file = elements[3],
	};
	return true;
}

static ERL_NIF_TERM learn_lines(ErlNifEnv *env, ERL_NIF_TERM list)
{
	struct stack_line_witness witnesses[WITNESSES_MOST];
	ERL_NIF_TERM head;
	size_t count = 0;

	while (count < WITNESSES_MOST && enif_get_list_cell(env, list, &head, &list)) {
		if (!get_line_witness(env, head, &witnesses[count++])) {
			return enif_make_badarg(env);
		}
	}
	return enif_make_atom(env, stack_lines_learn(env, witnesses, count) ? "true" : "false");
}

static ERL_NIF_TERM learn(ErlNifEnv *env, ERL_NIF_TERM list)
{
	struct stack_witness witnesses[WITNESSES_MOST];
	ERL_NIF_TERM answers = enif_make_list(env, 0);
	ERL_NIF_TERM head;
	size_t count = 0;

	while (count < WITNESSES_MOST && enif_get_list_cell(env, list, &head, &list)) {
		if (!get_witness(env, head, &witnesses[count++])) {
			return enif_make_badarg(env);
		}
	}
	if (stack_way_learn(witnesses, count, enif_make_atom(env, "carrierscope"))) {
		for (size_t i = count; i > 0; i--) {
			struct stack_function found = stack_way_function(witnesses[i - 1].address);

			answers = enif_make_list_cell(env, make_function(env, &found), answers);
		}
	}
	return answers;
}

ERL_NIF_TERM stack_terms_try(ErlNifEnv *env, ERL_NIF_TERM argument, const void *process)
{
	ERL_NIF_TERM ok = enif_make_atom(env, "ok");
	const ERL_NIF_TERM *elements;
	unsigned int stack_words;
	unsigned int heap_words;
	int arity;

	if (enif_is_list(env, argument)) {
		return learn(env, argument);
	}
	if (enif_is_identical(argument, enif_make_atom(env, "forget"))) {
		stack_way_forget();
		return ok;
	}
	if (enif_is_atom(env, argument)) {
		stack_way_confirm(enif_is_identical(argument, enif_make_atom(env, "true")) &&
						stack_set_open(),
				stack_lines_are_known());
		return ok;
	}
	if (enif_get_tuple(env, argument, &arity, &elements) && arity == 2 &&
			enif_is_identical(elements[0], enif_make_atom(env, "lines"))) {
		return learn_lines(env, elements[1]);
	}
	if (!enif_get_tuple(env, argument, &arity, &elements) || arity != 2 ||
			!enif_get_uint(env, elements[0], &stack_words) ||
			!enif_get_uint(env, elements[1], &heap_words)) {
		return enif_make_badarg(env);
	}
	stack_way_try(process, stack_words, heap_words);
	return ok;
}

static ERL_NIF_TERM make_sum(ErlNifEnv *env, size_t place)
{
	struct stack_sum sum = stack_sums_get(place);

	return enif_make_tuple4(env, enif_make_uint64(env, sum.samples),
			enif_make_double(env, sum.made), enif_make_double(env, sum.live),
			enif_make_double(env, sum.live_variance));
}

static ERL_NIF_TERM make_stack(ErlNifEnv *env, const struct stack *stack)
{
	ERL_NIF_TERM frames = enif_make_list(env, 0);

	for (size_t i = stack->kept; i > 0; i--) {
		const struct stack_frame *frame = &stack->frame[i - 1];

		frames = enif_make_list_cell(env,
				enif_make_tuple2(env, enif_make_uint64(env, frame->address),
						make_function(env, &frame->function)),
				frames);
	}
	return enif_make_tuple5(env, enif_make_uint64(env, stack->id),
			enif_make_uint(env, stack->frames), frames,
			make_sum(env, stack_set_place_of(stack)),
			enif_make_uint64(env, stack_set_place_of(stack)));
}

ERL_NIF_TERM stack_terms_list(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	ERL_NIF_TERM list = enif_make_list(env, 0);
	unsigned int place;
	uintptr_t begin;
	size_t found = 0;

	(void)count;
	if (!enif_get_uint(env, arguments[0], &place)) {
		return enif_make_badarg(env);
	}
	if (stack_set_region(&begin) == 0) {
		place = (unsigned int)STACKS;
	}
	for (; place < STACKS && found < STACKS_AT_ONCE; place++) {
		const struct stack *stack = stack_set_get(place);

		if (stack) {
			list = enif_make_list_cell(env, make_stack(env, stack), list);
			found++;
		}
	}
	return enif_make_tuple5(env, enif_make_uint64(env, place < STACKS ? place : 0),
			enif_make_uint64(env, stack_set_left_out()),
			enif_make_uint64(env, sessions_stamp()), make_sum(env, STACK_SUMS_NONE),
			list);
}

ERL_NIF_TERM stack_terms_lines(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	ERL_NIF_TERM lines = enif_make_list(env, 0);
	const struct stack *stack = NULL;
	unsigned int place;
	uintptr_t begin;

	(void)count;
	if (!enif_get_uint(env, arguments[0], &place)) {
		return enif_make_badarg(env);
	}
	if (place < STACKS && stack_set_region(&begin) > 0) {
		stack = stack_set_get(place);
	}
	for (size_t i = stack ? stack->kept : 0; i > 0; i--) {
		const struct stack_frame *frame = &stack->frame[i - 1];

		lines = enif_make_list_cell(
				env, stack_lines_get(env, frame->address, &frame->function), lines);
	}
	return lines;
}
