/*
 * SPDX-License-Identifier: MIT
 *
 * One JSON object of a search.
 */
#include "advice_json.h"

#include <stdlib.h>
#include <string.h>

#include "json_writer.h"

static void put_integer(struct json_writer *json, const char *name, double number)
{
	json_member_integer(json, name, (int64_t)number);
}

/* What is below zero is not recorded: null. */
static void put_coverage(struct json_writer *json, const struct advice *advice, int row)
{
	double coverage = sweep_coverage(advice->sweep, &advice->answer->plain, row);

	json_key(json, "coverage_percent");
	if (coverage < 0) {
		json_text(json, NULL);
	} else {
		json_number(json, 100.0 * coverage);
	}
}

static void put_range(struct json_writer *json, const char *name, const struct sweep_range *range)
{
	static const char *const suffixes[] = { "", "_low", "_high" };
	const double bytes[] = { range->likely, range->low, range->high };

	for (int i = 0; i < 3; i++) {
		char key[64];

		(void)snprintf(key, sizeof(key), "%s%s", name, suffixes[i]);
		put_integer(json, key, bytes[i]);
	}
}

static void put_ranges(struct json_writer *json, const struct sweep_prediction *prediction, int row)
{
	put_range(json, "peak_bytes", &prediction->peak[row]);
	put_range(json, "end_bytes", &prediction->end[row]);
	put_range(json, "average_bytes", &prediction->average[row]);
}

static void put_figure(struct json_writer *json, const struct sweep_figure *figure)
{
	put_integer(json, "peak_bytes", (double)figure->peak_bytes);
	put_integer(json, "end_bytes", (double)figure->end_bytes);
	put_integer(json, "average_bytes", figure->average_bytes);
	put_integer(json, "calls", (double)figure->calls);
	put_integer(json, "copied_bytes", (double)figure->copied_bytes);
	put_integer(json, "mappings", (double)figure->mappings);
	put_integer(json, "held_peak_bytes", (double)figure->held_peak_bytes);
	put_integer(json, "held_end_bytes", (double)figure->held_end_bytes);
	put_integer(json, "held_average_bytes", figure->held_average_bytes);
}

static void put_source(struct json_writer *json, const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	double now = compose_figure(&answer->plain.figures[SWEEP_ALL], advice->objective);
	char letters[CSC_ALLOCATORS + 1] = "";

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (answer->letters >> i & 1) {
			letters[strlen(letters)] = csc_allocator_infos[i].letter;
		}
	}
	json_member_text(json, "database", advice->database);
	put_integer(json, "runtime", (double)advice->facts->recording.runtime);
	json_member_text(json, "release", advice->facts->options.generation->name);
	put_integer(json, "schedules", advice->facts->schedules);
	json_member_text(json, "objective", compose_objective(advice->objective));
	json_member_text(json, "letters", letters);
	put_coverage(json, advice, SWEEP_ALL);
	put_integer(json, "carriers_bytes", now);
	put_integer(json, "bound_bytes", answer->bound);
	if (advice->objective == OBJECTIVE_RSS) {
		put_range(json, "resident_bytes", &answer->before.resident);
	}
	put_integer(json, "best_case_bytes", now > answer->bound ? now - answer->bound : 0);
	put_integer(json, "max_map_count", (double)advice->max_mappings);
}

static void put_allocators(struct json_writer *json, const struct advice *advice)
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
		put_coverage(json, advice, row);
		put_ranges(json, &answer->before, row);
		if (!advice->refusal) {
			json_key(json, "advised");
			json_open(json, '{');
			put_ranges(json, &answer->after, row);
			json_close(json, '}');
		}
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_candidates(struct json_writer *json, const struct search_answer *answer)
{
	json_key(json, "candidates");
	json_open(json, '[');
	for (size_t i = 0; i < answer->candidate_count; i++) {
		const struct search_candidate *candidate = &answer->candidates[i];

		json_break(json);
		json_open(json, '{');
		json_member_text(json, "name", candidate->name);
		json_member_text(json, "flags", candidate->flags);
		put_figure(json, &candidate->all);
		json_member_flag(json, "is_on_frontier", candidate->is_on_frontier);
		json_member_flag(json, "is_best", i == answer->best);
		json_member_flag(json, "has_other_costs", candidate->is_shown_only);
		json_member_flag(json, "has_too_many_calls", candidate->is_costly);
		json_member_flag(json, "changes_others", candidate->is_foreign);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_left_out(struct json_writer *json, const struct search_answer *answer)
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

/* The lines of the user's own file, as one text. */
static void put_lines(struct json_writer *json, const struct advice *advice)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *lines = open_memstream(&text, &bytes);

	if (lines) {
		advice_print_lines(advice, lines);
		(void)fclose(lines);
	}
	json_member_text(json, "lines", text);
	free(text);
}

static void put_advised(struct json_writer *json, const struct advice *advice)
{
	const struct search_answer *answer = advice->answer;
	const struct search_candidate *best = &answer->candidates[answer->best];
	char undo[SETTING_FLAGS_BYTES];
	char verify[4096];
	double low;
	double high;

	json_key(json, "advised");
	if (advice->refusal) {
		json_text(json, NULL);
		json_member_text(json, "refusal", advice->refusal);
		return;
	}
	json_open(json, '{');
	json_member_text(json, "name", best->name);
	json_member_text(json, "flags", best->flags);
	put_lines(json, advice);
	json_member_text(json, "undo", advice_undo(advice, undo) ? undo : NULL);
	advice_saving(advice, &low, &high);
	put_integer(json, "saving_bytes_low", low);
	put_integer(json, "saving_bytes_high", high);
	if (advice->objective == OBJECTIVE_RSS) {
		put_range(json, "resident_bytes", &answer->after.resident);
	}
	(void)snprintf(verify, sizeof(verify), "carrierscope advise %s --verify NEW.db",
			advice->database);
	json_member_text(json, "verify", verify);
	json_close(json, '}');
	json_member_text(json, "refusal", NULL);
}

static void put_search(struct json_writer *json, const struct search_answer *answer)
{
	json_key(json, "held_out");
	json_open(json, '{');
	json_member_number(json, "chosen_half_saving_percent", 100.0 - 100.0 * answer->half_chosen);
	json_member_number(json, "other_half_saving_percent", 100.0 - 100.0 * answer->half_other);
	json_close(json, '}');
	json_key(json, "composition");
	json_open(json, '{');
	put_integer(json, "sum_bytes", answer->composed);
	put_integer(json, "replayed_bytes", answer->replayed);
	json_member_number(json, "error_percent",
			100.0 * (answer->replayed - answer->composed) / answer->composed);
	json_close(json, '}');
	json_key(json, "search");
	json_open(json, '{');
	put_integer(json, "settings_on_quarter", (double)answer->parts);
	put_integer(json, "settings_in_full", (double)answer->wholes);
	put_integer(json, "kept_before", (double)answer->kept);
	json_member_number(json, "cpu_seconds", answer->cpu_seconds);
	json_member_flag(json, "is_cut_short", answer->is_cut_short);
	json_close(json, '}');
}

void advice_print_json(const struct advice *advice, FILE *out)
{
	struct json_writer json = { .stream = out };

	json_open(&json, '{');
	put_source(&json, advice);
	put_advised(&json, advice);
	put_search(&json, advice->answer);
	put_allocators(&json, advice);
	put_candidates(&json, advice->answer);
	put_left_out(&json, advice->answer);
	json_close_line(&json, '}');
}
