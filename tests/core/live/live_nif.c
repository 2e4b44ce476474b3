/* SPDX-License-Identifier: MIT */
/*
 * The NIF of the live tests: run(Kind, Strategy, FirstSeed, Files, Ycs, Mmc, Sac, Lie).
 *
 * Returns {ok, Files, Ops, Lines, Carriers}, or {differs, Text} at the first file that does: its
 * seed, the line, and the file made small; or {missing, Text} where the emulator exports too
 * little, as OTP 29 does, or the machine has too little address space.  It keeps its scheduler for
 * seconds; the emulator has no other work.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <erl_nif.h>

#include "draw.h"
#include "runtime.h"
#include "shrink.h"

/* The largest carrier of a great file has 16 GiB; a segment may take a little more. */
#define GREAT_EXTENT_BYTES ((size_t)17 << 30)

struct order {
	/* Blocks of about 4 GiB. */
	bool is_great;
	enum csc_strategy strategy;
	uint64_t seed;
	uint64_t files;
	struct runtime_shared shared;
	bool lie;
};

static bool get_order(ErlNifEnv *env, const ERL_NIF_TERM *arguments, struct order *ret)
{
	char kind[8];
	char strategy[32];
	char sac[8];
	char lie[8];
	ErlNifUInt64 seed;
	ErlNifUInt64 files;
	ErlNifUInt64 ycs;
	ErlNifUInt64 mmc;

	if (!enif_get_atom(env, arguments[0], kind, sizeof(kind), ERL_NIF_LATIN1) ||
			!enif_get_atom(env, arguments[1], strategy, sizeof(strategy),
					ERL_NIF_LATIN1) ||
			!enif_get_uint64(env, arguments[2], &seed) ||
			!enif_get_uint64(env, arguments[3], &files) ||
			!enif_get_uint64(env, arguments[4], &ycs) ||
			!enif_get_uint64(env, arguments[5], &mmc) ||
			!enif_get_atom(env, arguments[6], sac, sizeof(sac), ERL_NIF_LATIN1) ||
			!enif_get_atom(env, arguments[7], lie, sizeof(lie), ERL_NIF_LATIN1)) {
		return false;
	}
	*ret = (struct order){
		.is_great = strcmp(kind, "great") == 0,
		.seed = seed,
		.files = files,
		.shared = { .ycs = ycs, .mmc = mmc, .sac = strcmp(sac, "true") == 0 },
		.lie = strcmp(lie, "true") == 0,
	};
	return csc_strategy_find(strategy, &ret->strategy);
}

/* Reports a difference, made small. */
static void report(struct drawing *drawing, const struct order *order, uint64_t seed, FILE *out)
{
	struct comparison comparison;
	size_t was = drawing->opfile.op_count;

	fprintf(out, "seed %" PRIu64 ", %zu operations: the core differs from the runtime\n", seed,
			was);
	shrink(drawing, &order->shared, order->lie);
	compare_live(drawing, &order->shared, order->lie, &comparison);
	fprintf(out,
			"%zu operations are enough; after %zu equal lines\n  runtime: %s\n"
			"  core:    %s\n\n",
			drawing->opfile.op_count, comparison.lines, comparison.expected,
			comparison.got);
	print_drawing(drawing, out);
}

/* The system gives so much address space at once; nothing of it is touched. */
static bool has_room(size_t bytes)
{
	void *extent = mmap(
			NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (extent == MAP_FAILED) {
		return false;
	}
	munmap(extent, bytes);
	return true;
}

static ERL_NIF_TERM make_text(ErlNifEnv *env, const char *kind, const char *text)
{
	return enif_make_tuple2(env, enif_make_atom(env, kind),
			enif_make_string(env, text ? text : "", ERL_NIF_LATIN1));
}

static ERL_NIF_TERM run(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	struct order order;
	struct diag diag = { .file = NULL };
	uint64_t ops = 0;
	uint64_t lines = 0;
	uint64_t carriers = 0;

	(void)count;
	if (!get_order(env, arguments, &order)) {
		return enif_make_badarg(env);
	}
	if (!runtime_load(&diag)) {
		return make_text(env, "missing", diag.text);
	}
	if (order.is_great && !has_room(GREAT_EXTENT_BYTES)) {
		return make_text(env, "missing",
				"the system gives no 17 GiB of address space at once");
	}
	for (uint64_t i = 0; i < order.files; i++) {
		struct drawing drawing;
		struct comparison comparison = { .lines = 0 };
		enum verdict verdict = VERDICT_TROUBLE;

		if (order.is_great ? drawing_init_great(&drawing, order.strategy, order.seed + i)
				   : drawing_init(&drawing, order.strategy, order.seed + i)) {
			verdict = compare_live(&drawing, &order.shared, order.lie, &comparison);
		}
		ops += drawing.opfile.op_count;
		lines += comparison.lines;
		carriers += drawing.opfile.base_count;
		if (verdict != VERDICT_EQUAL) {
			char *text = NULL;
			size_t bytes = 0;
			FILE *out = open_memstream(&text, &bytes);
			ERL_NIF_TERM term;

			if (verdict == VERDICT_DIFFERS) {
				report(&drawing, &order, order.seed + i, out);
			} else {
				fprintf(out, "seed %" PRIu64 ": %s\n", order.seed + i,
						comparison.got);
			}
			fclose(out);
			term = make_text(env, "differs", text);
			free(text);
			drawing_finish(&drawing);
			return term;
		}
		drawing_finish(&drawing);
	}
	return enif_make_tuple5(env, enif_make_atom(env, "ok"), enif_make_uint64(env, order.files),
			enif_make_uint64(env, ops), enif_make_uint64(env, lines),
			enif_make_uint64(env, carriers));
}

static ErlNifFunc functions[] = { { "run", 8, run, 0 } };

ERL_NIF_INIT(live, functions, NULL, NULL, NULL, NULL)
