/*
 * SPDX-License-Identifier: MIT
 *
 * One JSON object of a search.
 */
#include "advice_json.h"

#include "json_writer.h"

static void append_integer(struct json_writer *json, const char *name, double number)
{
	json_member_integer(json, name, (int64_t)number);
}

/* What is below zero is not recorded: null. */
static void append_coverage(struct json_writer *json, const struct advice *advice, int row)
{
	json_key(json, "coverage_percent");
	if (advice->coverage[row] < 0) {
		json_text(json, NULL);
	} else {
		json_number(json, 100.0 * advice->coverage[row]);
	}
}

static void append_range(
		struct json_writer *json, const char *name, const struct sweep_range *range)
{
	static const char *const suffixes[] = { "", "_low", "_high" };
	const double bytes[] = { range->likely, range->low, range->high };

	for (int i = 0; i < 3; i++) {
		char key[64];

		(void)snprintf(key, sizeof(key), "%s%s", name, suffixes[i]);
		append_integer(json, key, bytes[i]);
	}
}

static void append_ranges(
		struct json_writer *json, const struct sweep_prediction *prediction, int row)
{
	append_range(json, "peak_bytes", &prediction->peak[row]);
	append_range(json, "end_bytes", &prediction->end[row]);
	append_range(json, "average_bytes", &prediction->average[row]);
}

static void append_figure(struct json_writer *json, const struct sweep_figure *figure)
{
	append_integer(json, "peak_bytes", (double)figure->peak_bytes);
	append_integer(json, "end_bytes", (double)figure->end_bytes);
	append_integer(json, "average_bytes", figure->average_bytes);
	append_integer(json, "calls", (double)figure->calls);
	append_integer(json, "copied_bytes", (double)figure->copied_bytes);
	append_integer(json, "mappings", (double)figure->mappings);
	append_integer(json, "held_peak_bytes", (double)figure->held_peak_bytes);
	append_integer(json, "held_end_bytes", (double)figure->held_end_bytes);
	append_integer(json, "held_average_bytes", figure->held_average_bytes);
}

static void append_source(struct json_writer *json, const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;

	json_member_text(json, "database", advice->database);
	append_integer(json, "runtime", (double)advice->runtime);
	json_member_text(json, "release", advice->release);
	append_integer(json, "schedules", advice->schedules);
	json_member_text(json, "objective", compose_objective(advice->objective));
	json_member_text(json, "letters", advice->letters);
	append_coverage(json, advice, SWEEP_ALL);
	append_integer(json, "carriers_bytes", advice->now_bytes);
	append_integer(json, "bound_bytes", answer->bound);
	if (advice->objective == OBJECTIVE_RSS) {
		append_range(json, "resident_bytes", &advice->before);
	}
	append_integer(json, "best_case_bytes", advice->best_case_bytes);
	append_integer(json, "snapshots_ms", (double)advice->snapshots_ms);
	append_integer(json, "snapshots_came_ms", (double)advice->snapshots_came_ms);
	append_integer(json, "max_map_count", (double)advice->max_mappings);
}

static void append_allocators(struct json_writer *json, const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;

	json_key(json, "allocators");
	json_open(json, '[');
	for (int row = 0; row < SWEEP_ROWS; row++) {
		if (answer->plain.figures[row].peak_bytes == 0) {
			continue;
		}
		json_break(json);
		json_open(json, '{');
		json_member_text(json, "allocator",
				row == SWEEP_ALL ? "all" : csc_allocator_infos[row].name);
		append_coverage(json, advice, row);
		append_ranges(json, &answer->before, row);
		if (!*advice->refusal) {
			json_key(json, "advised");
			json_open(json, '{');
			append_ranges(json, &answer->after, row);
			json_close(json, '}');
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void append_candidates(struct json_writer *json, const struct search_answer *answer)
{
	json_key(json, "candidates");
	json_open(json, '[');
	for (size_t i = 0; i < answer->candidate_count; i++) {
		const struct search_candidate *candidate = &answer->candidates[i];

		json_break(json);
		json_open(json, '{');
		json_member_text(json, "name", candidate->name);
		json_member_text(json, "flags", candidate->flags);
		append_figure(json, &candidate->all);
		json_member_flag(json, "is_on_frontier", candidate->is_on_frontier);
		json_member_flag(json, "is_best", i == answer->best);
		json_member_flag(json, "has_other_costs", candidate->is_shown_only);
		json_member_flag(json, "has_too_many_calls", candidate->is_costly);
		json_member_flag(json, "changes_others", candidate->is_foreign);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void append_left_out(struct json_writer *json, const struct search_answer *answer)
{
	json_key(json, "left_out");
	json_open(json, '[');
	for (size_t i = 0; i < answer->left_out_count; i++) {
		json_open(json, '{');
		json_member_text(json, "name", answer->left_out[i].name);
		json_member_text(json, "flags", answer->left_out[i].flags);
		json_member_text(json, "reason", answer->left_out[i].sentence);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void append_advised(struct json_writer *json, const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	const struct search_candidate *best = &answer->candidates[answer->best];
	char verify[4096];

	json_key(json, "advised");
	if (*advice->refusal) {
		json_text(json, NULL);
		json_member_text(json, "refusal", advice->refusal);
		return;
	}
	json_open(json, '{');
	json_member_text(json, "name", best->name);
	json_member_text(json, "flags", best->flags);
	json_member_text(json, "lines", advice->lines);
	json_member_text(json, "undo", *advice->undo ? advice->undo : NULL);
	append_integer(json, "saving_bytes_low", advice->saving_low);
	append_integer(json, "saving_bytes_high", advice->saving_high);
	if (advice->objective == OBJECTIVE_RSS) {
		append_range(json, "resident_bytes", &advice->after);
	}
	(void)snprintf(verify, sizeof(verify), "carrierscope advise %s --verify NEW.db",
			advice->database);
	json_member_text(json, "verify", verify);
	json_close(json, '}');
	json_member_text(json, "refusal", NULL);
}

static void append_search(struct json_writer *json, const struct search_answer *answer)
{
	json_key(json, "held_out");
	json_open(json, '{');
	json_member_number(json, "chosen_half_saving_percent", 100.0 - 100.0 * answer->half_chosen);
	json_member_number(json, "other_half_saving_percent", 100.0 - 100.0 * answer->half_other);
	json_close(json, '}');
	json_key(json, "composition");
	json_open(json, '{');
	append_integer(json, "sum_bytes", answer->composed);
	append_integer(json, "replayed_bytes", answer->replayed);
	json_member_number(json, "error_percent",
			answer->composed > 0 ? 100.0 * (answer->replayed - answer->composed) /
							answer->composed
					     : 0);
	json_close(json, '}');
	json_key(json, "search");
	json_open(json, '{');
	append_integer(json, "settings_on_quarter", (double)answer->parts);
	append_integer(json, "settings_in_full", (double)answer->wholes);
	append_integer(json, "kept_before", (double)answer->kept);
	json_member_number(json, "cpu_seconds", answer->cpu_seconds);
	json_member_flag(json, "is_cut_short", answer->is_cut_short);
	json_member_text(json, "excluded_for_calls",
			answer->excluded > 0 ? answer->candidates[answer->excluded].name : NULL);
	append_integer(json, "most_calls", (double)answer->most_calls);
	json_close(json, '}');
}

void advice_print_json(const struct advice *advice, FILE *out)
{
	struct json_writer json = { .stream = out };

	json_open(&json, '{');
	append_source(&json, advice);
	append_advised(&json, advice);
	append_search(&json, advice->answer);
	append_allocators(&json, advice);
	append_candidates(&json, advice->answer);
	append_left_out(&json, advice->answer);
	json_close_line(&json, '}');
}
