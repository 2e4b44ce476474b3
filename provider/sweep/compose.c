/* SPDX-License-Identifier: MIT */
/* Sums of curves, and the best of them. */
#include "compose.h"

#include <string.h>

/* Rounds over all allocators; the sum rarely changes after the second. */
#define ROUNDS_MAX 8

/* Requests that are not many: of all calls one in so many, and so many times those of before. */
#define CALLS_SHARE 200
#define CALLS_TIMES 4
uint64_t compose_most_calls(const struct sweep_result *plain)
{
	return CALLS_TIMES * plain->figures[SWEEP_ALL].calls + plain->played / CALLS_SHARE;
}

bool compose_is_costly(const struct sweep_result *plain, const struct sweep_result *result, int row)
{
	return result->figures[row].calls > compose_most_calls(plain);
}

/* Of a sum: what its allocators have together counts. */
static bool is_sum_costly(const struct sweep_run *runs, const struct composition *composition)
{
	uint64_t calls = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		calls += runs[composition->run_of[i]].result.figures[i].calls;
	}
	return calls > compose_most_calls(&runs[0].result);
}

const char *compose_objective(enum sweep_objective objective)
{
	static const char *const names[] = { "peak", "end", "average", "rss" };

	return names[objective];
}

enum sweep_objective compose_objective_of(const char *name)
{
	int objective = OBJECTIVE_RSS;

	while (objective > OBJECTIVE_PEAK &&
			!(name &&
					strcmp(name,
							compose_objective((enum sweep_objective)
											objective)) ==
							0)) {
		objective--;
	}
	return (enum sweep_objective)objective;
}

double compose_figure(const struct sweep_figure *figure, enum sweep_objective objective)
{
	switch (objective) {
	case OBJECTIVE_PEAK:
		return (double)figure->peak_bytes;
	case OBJECTIVE_END:
		return (double)figure->end_bytes;
	case OBJECTIVE_RSS:
		/* What is kept is known of all allocators together only. */
		return (double)(figure->held_peak_bytes ? figure->held_peak_bytes
							: figure->peak_bytes);
	default:
		return figure->average_bytes;
	}
}

double compose_held(const struct sweep_figure *figure, enum sweep_objective objective)
{
	switch (objective) {
	case OBJECTIVE_PEAK:
	case OBJECTIVE_RSS:
		return (double)figure->held_peak_bytes;
	case OBJECTIVE_END:
		return (double)figure->held_end_bytes;
	default:
		return figure->held_average_bytes;
	}
}

enum sweep_objective compose_summed(enum sweep_objective objective)
{
	return objective == OBJECTIVE_RSS ? OBJECTIVE_PEAK : objective;
}

/* Most bytes of a sum in an interval: no more than the sum of what each had most. */
static double sum_at(
		const struct sweep_run *runs, const struct composition *composition, int sample)
{
	double sum = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		sum += (double)runs[composition->run_of[i]].result.most[sample][i];
	}
	return sum;
}

double compose_value(const struct sweep_run *runs, const struct composition *composition,
		enum sweep_objective objective, int from, int to)
{
	double most = 0;
	double all = 0;

	objective = compose_summed(objective);
	if (objective == OBJECTIVE_END) {
		return sum_at(runs, composition, to - 1);
	}
	for (int k = from; k < to; k++) {
		double sum = sum_at(runs, composition, k);

		most = sum > most ? sum : most;
		all += sum;
	}
	return objective == OBJECTIVE_PEAK ? most : all / (to - from);
}

/* Takes another run for an allocator if that makes the sum smaller. */
static bool improve(const struct sweep_run *runs, size_t count, int allocator,
		enum sweep_objective objective, int from, int to, double step, bool at_any_cost,
		struct composition *composition)
{
	double least = compose_value(runs, composition, objective, from, to);
	size_t best = composition->run_of[allocator];

	for (size_t i = 0; i < count; i++) {
		struct composition tried = *composition;
		double value;

		tried.run_of[allocator] = i;
		if (!runs[i].result.is_done || (!at_any_cost && is_sum_costly(runs, &tried))) {
			continue;
		}
		value = compose_value(runs, &tried, objective, from, to);
		if (value < least - step) {
			least = value;
			best = i;
		}
	}
	if (best == composition->run_of[allocator]) {
		return false;
	}
	composition->run_of[allocator] = best;
	return true;
}

/* An allocator whose setting saves next to nothing keeps what it has. */
static void prune(const struct sweep_run *runs, enum sweep_objective objective, int from, int to,
		double least, struct composition *composition)
{
	const struct composition none = { { 0 } };
	double all = compose_value(runs, &none, objective, from, to);

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct composition tried = *composition;

		tried.run_of[i] = 0;
		if (composition->run_of[i] != 0 &&
				compose_value(runs, &tried, objective, from, to) -
								compose_value(runs, composition,
										objective, from,
										to) <
						least * all) {
			*composition = tried;
		}
	}
}

void compose_best(const struct sweep_run *runs, size_t count, uint32_t letters,
		enum sweep_objective objective, int from, int to, double least, bool at_any_cost,
		struct composition *ret_composition)
{
	struct composition composition = { { 0 } };
	bool has_changed = true;
	double step = least / 10 * compose_value(runs, &composition, objective, from, to);

	for (int round = 0; has_changed && round < ROUNDS_MAX; round++) {
		has_changed = false;
		for (int i = 0; i < CSC_ALLOCATORS; i++) {
			if (letters >> i & 1) {
				has_changed |= improve(runs, count, i, objective, from, to, step,
						at_any_cost, &composition);
			}
		}
	}
	prune(runs, objective, from, to, least, &composition);
	*ret_composition = composition;
}

void compose_settings(const struct sweep_run *runs, const struct composition *composition,
		struct settings *ret_settings)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		ret_settings->of[i] = runs[composition->run_of[i]].settings.of[i];
	}
}
