/* SPDX-License-Identifier: MIT */
/* The first round's settings: lmbcs, sbct and acul, with mmsbc as large blocks need it. */
#include "search_internal.h"

/* Share of the objective of an allocator that matters. */
#define LEAST_ALLOCATOR 0.02

/* mmsbc is at least the runtime's default. */
#define LEAST_MMSBC 256

#define KIB 1024

static const int64_t grid_lmbcs[GRID_LMBCS] = { 512, 1024, 2048, 5120, 10240 };
static const int64_t grid_parts[GRID_PARTS] = { 16, 8, 4, 2, 1 };
static const int64_t grid_acul[GRID_ACUL] = { SETTING_RECORDED, 0, 80 };

double search_objective(const struct search *search, const struct sweep_result *result)
{
	return compose_figure(&result->figures[SWEEP_ALL], search->request->objective);
}

bool search_matters(const struct search *search, int allocator)
{
	return search->answer->letters >> allocator & 1;
}

/* Carriers that blocks of at least so many KiB need, with as much again to spare. */
static int64_t need(const struct search *search, int allocator, int64_t sbct)
{
	int64_t limit = LEAST_MMSBC;

	for (size_t i = 0; i < search->size_count; i++) {
		while (search->sizes[i] == (uint64_t)sbct * KIB &&
				(uint64_t)limit < 2 * search->most[i][allocator] + LEAST_MMSBC) {
			limit *= 2;
		}
	}
	return limit;
}

void grid_settings(const struct search *search, size_t point, struct settings *ret_settings)
{
	int64_t lmbcs = grid_lmbcs[point / GRID_ACUL / GRID_PARTS];
	int64_t sbct = lmbcs / grid_parts[point / GRID_ACUL % GRID_PARTS];

	settings_init(ret_settings);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (search_matters(search, i)) {
			int64_t *knobs = ret_settings->of[i].knobs;

			knobs[KNOB_LMBCS] = lmbcs;
			knobs[KNOB_SBCT] = sbct;
			knobs[KNOB_MMSBC] = need(search, i, sbct);
			if (csc_allocator_infos[i].can_migrate) {
				knobs[KNOB_ACUL] = grid_acul[point % GRID_ACUL];
			}
		}
	}
	settings_forget(ret_settings, &sweep_facts(search->sweep)->options);
}

enum csc_status grid_learn(struct search *search)
{
	for (size_t i = 0; i < GRID_LMBCS; i++) {
		for (size_t k = 0; k < GRID_PARTS; k++) {
			search->sizes[search->size_count++] =
					(uint64_t)(grid_lmbcs[i] / grid_parts[k]) * KIB;
		}
	}
	return sweep_count_large(search->sweep, search->sizes, search->size_count, search->most,
			search->diag);
}

uint32_t grid_letters(const struct search *search, const struct sweep_result *plain)
{
	uint32_t letters = search->request->letters;

	for (int i = 0; !search->request->letters && i < CSC_ALLOCATORS; i++) {
		double own = compose_figure(&plain->figures[i], search->request->objective);

		/* Blocks of literals lie in an area of their own. */
		if (i != CSC_LITERAL && i != CSC_EXEC && i != CSC_TEST &&
				own >= LEAST_ALLOCATOR * search_objective(search, plain)) {
			letters |= UINT32_C(1) << i;
		}
	}
	return letters;
}
