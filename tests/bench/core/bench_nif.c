/* SPDX-License-Identifier: MIT */
/*
 * The NIF of the benchmark: run(Strategy, Ops, Live, Rounds).
 *
 * Everybody does the same operations, a round of each in turn: a random slot of `Live` is emptied
 * if it holds a block and filled otherwise with one of log-normal size.  Returns [{Name,
 * [NanosecondsPerOperation]}], the loop itself included.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <erl_nif.h>

#include "contestant.h"

#define SIZES 65536
#define ROUNDS_MAX 64
#define BYTES_MIN 16
#define BYTES_MAX 4096
/* Of the normal distribution below the log-normal one: its mean is the logarithm of this. */
#define BYTES_MEDIAN 128

struct track {
	struct contestant contestant;
	/* Addresses by slot; 0: empty. */
	uint64_t *slots;
	uint64_t random;
	double ns[ROUNDS_MAX];
};

static uint32_t sizes[SIZES];

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*state = x;
	return x;
}

/* Box and Muller's way to a normal distribution. */
static void draw_sizes(void)
{
	uint64_t random = 88172645463325252;

	for (size_t i = 0; i < SIZES; i++) {
		double u = (double)(next_random(&random) >> 11) * 0x1p-53 + 0x1p-54;
		double v = (double)(next_random(&random) >> 11) * 0x1p-53;
		double normal = sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
		double bytes = BYTES_MEDIAN * exp(normal);

		bytes = bytes < BYTES_MIN ? BYTES_MIN : bytes;
		sizes[i] = (uint32_t)(bytes > BYTES_MAX ? BYTES_MAX : bytes);
	}
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Half of `slots` slots hold a block in the long run. */
static void run_round(struct track *track, uint64_t ops, uint32_t slot_count)
{
	const struct contestant *contestant = &track->contestant;
	uint64_t random = track->random;

	for (uint64_t i = 0; i < ops; i++) {
		uint64_t x = next_random(&random);
		uint64_t *slot = &track->slots[(x >> 32) * slot_count >> 32];

		if (*slot) {
			contestant->free(contestant->context, *slot);
			*slot = 0;
		} else {
			*slot = contestant->alloc(contestant->context, sizes[x % SIZES]);
			/* Users write what they allocate. */
			*(uint32_t *)(uintptr_t)(contestant->bias + *slot) = (uint32_t)x;
		}
	}
	track->random = random;
}

static ERL_NIF_TERM make_result(ErlNifEnv *env, const struct track *track, unsigned rounds)
{
	ERL_NIF_TERM times = enif_make_list(env, 0);

	for (unsigned i = rounds; i-- > 0;) {
		times = enif_make_list_cell(env, enif_make_double(env, track->ns[i]), times);
	}
	return enif_make_tuple2(env, enif_make_atom(env, track->contestant.name), times);
}

static ERL_NIF_TERM run(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	struct contestant contestants[CONTESTANTS];
	static struct track tracks[CONTESTANTS];
	enum csc_strategy strategy;
	ErlNifUInt64 ops;
	unsigned live;
	unsigned rounds;
	char name[32];
	size_t track_count;

	(void)count;
	if (!enif_get_atom(env, arguments[0], name, sizeof(name), ERL_NIF_LATIN1) ||
			!csc_strategy_find(name, &strategy) ||
			!enif_get_uint64(env, arguments[1], &ops) ||
			!enif_get_uint(env, arguments[2], &live) ||
			!enif_get_uint(env, arguments[3], &rounds) || rounds == 0 ||
			rounds > ROUNDS_MAX) {
		return enif_make_badarg(env);
	}
	draw_sizes();
	track_count = contestants_prepare(strategy, contestants);
	for (size_t i = 0; i < track_count; i++) {
		tracks[i] = (struct track){
			.contestant = contestants[i],
			.slots = calloc(live * 2, sizeof(uint64_t)),
			.random = 0x9E3779B97F4A7C15,
		};
		if (!tracks[i].slots) {
			return enif_make_badarg(env);
		}
		/* Until half of the slots hold a block. */
		run_round(&tracks[i], (uint64_t)live * 6, live * 2);
	}
	/* Who comes after whom matters by some percent: everybody is everywhere, both ways round.
	 */
	for (unsigned round = 0; round < rounds; round++) {
		for (size_t i = 0; i < track_count; i++) {
			size_t at = (i + round / 2) % track_count;
			struct track *track = &tracks[round % 2 ? track_count - 1 - at : at];
			double before = now_ns();

			run_round(track, ops / rounds, live * 2);
			track->ns[round] = (now_ns() - before) / (double)(ops / rounds);
		}
	}

	ERL_NIF_TERM results = enif_make_list(env, 0);
	for (size_t i = track_count; i-- > 0;) {
		results = enif_make_list_cell(env, make_result(env, &tracks[i], rounds), results);
	}
	return results;
}

static ErlNifFunc functions[] = { { "run", 4, run, 0 } };

ERL_NIF_INIT(core_bench, functions, NULL, NULL, NULL, NULL)
