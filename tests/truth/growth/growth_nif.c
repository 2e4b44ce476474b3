/*
 * SPDX-License-Identifier: MIT
 *
 * A NIF that takes memory of malloc, which no allocator of the runtime knows, and touches it.
 */
#include <erl_nif.h>
#include <stdlib.h>
#include <string.h>

struct piece {
	struct piece *next;
};

/* One process calls it. */
static struct piece *oldest;
static struct piece **end = &oldest;

static ERL_NIF_TERM more(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	unsigned long bytes;
	struct piece *piece;

	(void)argc;
	if (!enif_get_ulong(env, argv[1], &bytes) || bytes < sizeof(*piece)) {
		return enif_make_badarg(env);
	}
	piece = malloc(bytes);
	if (!piece) {
		return enif_make_atom(env, "no_memory");
	}
	memset(piece, 1, bytes);
	piece->next = NULL;
	*end = piece;
	end = &piece->next;
	return enif_make_atom(env, "ok");
}

static ERL_NIF_TERM less(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
{
	unsigned long count;

	(void)argc;
	if (!enif_get_ulong(env, argv[0], &count)) {
		return enif_make_badarg(env);
	}
	while (count-- > 0 && oldest) {
		struct piece *piece = oldest;

		oldest = piece->next;
		free(piece);
	}
	if (!oldest) {
		end = &oldest;
	}
	return enif_make_atom(env, "ok");
}

static ErlNifFunc functions[] = {
	{ "nif_more", 2, more, 0 },
	{ "nif_less", 1, less, 0 },
};

ERL_NIF_INIT(growth_grower, functions, NULL, NULL, NULL, NULL)
