/* SPDX-License-Identifier: MIT */
/* Replays of a search: those that were kept before are not repeated. */
#include <stdlib.h>

#include "search_internal.h"
#include "sweep_internal.h"

/* Replays between two times that results are kept. */
#define BATCH 32

/* Jobs that are to be replayed, and whose they are. */
struct wanted {
	struct sweep_job jobs[BATCH];
	size_t of[BATCH];
	size_t count;
};

static void count_result(struct search *search, const struct sweep_job *job,
		const struct sweep_result *result)
{
	struct search_answer *answer = search->answer;

	answer->cpu_seconds += result->cpu_seconds;
	*(job->is_part ? &answer->parts : &answer->wholes) += result->is_done;
	answer->is_cut_short |= !result->is_done && !diag_is_set(&result->diag);
}

/* Of a replay in full. */
static double share_of(const struct sweep_job *job)
{
	return job->is_part ? 1.0 / SEARCH_PARTS : 1;
}

/*
 * At first there is one replay to go by.  Others run beside it from then on, and at worst gain
 * nothing by that, for other programs run as well.  Later the pace of all replays so far is known.
 */
void search_tell(const struct search *search)
{
	const struct search_request *request = search->request;
	double least = search->least_replays - search->done_replays;
	double most = search->most_replays - search->done_replays;
	struct search_time left = {
		.passed = (double)(sweep_clock_ns() - search->begun_ns) * 1e-9,
		.done = search->done_replays / search->most_replays,
	};
	double fast = search->plain_seconds / sweep_workers(search->sweep);
	double slow = 1.5 * search->plain_seconds;

	if (!request->expect || search->most_replays <= 0) {
		return;
	}
	if (search->done_replays > 0) {
		double pace = left.passed / search->done_replays;

		fast = 0.8 * pace;
		slow = 1.5 * pace;
	}
	left.least = least > 0 ? least * fast : 0;
	left.most = most > 0 ? most * slow : 0;
	request->expect(request->context, &left);
}

static enum csc_status replay(struct search *search, const struct wanted *wanted,
		struct sweep_result *ret_results)
{
	const struct search_request *request = search->request;
	struct sweep_result *results = calloc(BATCH, sizeof(*results));
	enum csc_status status = results ? CSC_OK : DIAG_NO_MEMORY(search->diag);

	if (status == CSC_OK) {
		status = sweep_run(search->sweep, wanted->jobs, wanted->count, results,
				request->stop, search->deadline_ns, search->diag);
	}
	for (size_t i = 0; status == CSC_OK && i < wanted->count; i++) {
		ret_results[wanted->of[i]] = results[i];
		count_result(search, &wanted->jobs[i], &results[i]);
		search->done_replays += share_of(&wanted->jobs[i]);
	}
	if (status == CSC_OK && request->keep) {
		status = request->keep(request->context, wanted->jobs, results, wanted->count,
				search->diag);
	}
	if (status == CSC_OK) {
		search_tell(search);
	}
	free(results);
	return status;
}

enum csc_status search_run(struct search *search, const struct sweep_job *jobs, size_t count,
		struct sweep_result *ret_results)
{
	const struct search_request *request = search->request;
	enum csc_status status = CSC_OK;

	for (size_t done = 0; status == CSC_OK && done < count; done += BATCH) {
		struct wanted wanted = { .count = 0 };

		for (size_t i = done; i < count && i < done + BATCH; i++) {
			if (search->is_begun && request->find &&
					request->find(request->context, &jobs[i],
							&ret_results[i])) {
				search->answer->kept++;
				search->least_replays -= share_of(&jobs[i]);
				search->most_replays -= share_of(&jobs[i]);
				*(jobs[i].is_part ? &search->answer->parts
						  : &search->answer->wholes) += 1;
				continue;
			}
			wanted.of[wanted.count] = i;
			wanted.jobs[wanted.count++] = jobs[i];
		}
		if (wanted.count > 0) {
			status = replay(search, &wanted, ret_results);
		}
	}
	return status;
}

enum csc_status search_play(
		struct search *search, struct sweep_run *runs, size_t count, bool is_part)
{
	char(*flags)[SETTING_FLAGS_BYTES] = calloc(BATCH, sizeof(*flags));
	struct sweep_result *results = calloc(BATCH, sizeof(*results));
	struct sweep_job jobs[BATCH];
	enum csc_status status = CSC_OK;

	if (!flags || !results) {
		status = DIAG_NO_MEMORY(search->diag);
	}
	for (size_t done = 0; status == CSC_OK && done < count; done += BATCH) {
		size_t some = count - done < BATCH ? count - done : BATCH;

		for (size_t i = 0; i < some; i++) {
			settings_print(&runs[done + i].settings, flags[i]);
			jobs[i] = (struct sweep_job){ .flags = flags[i], .is_part = is_part };
		}
		status = search_run(search, jobs, some, results);
		for (size_t i = 0; status == CSC_OK && i < some; i++) {
			runs[done + i].result = results[i];
		}
	}
	free(flags);
	free(results);
	return status;
}

/* Replays that were kept by another version of this program are of no use. */
static void check_kept(struct search *search, const struct sweep_result *plain, bool has_kept,
		const struct sweep_result *kept)
{
	const struct search_request *request = search->request;

	if (request->forget && (!has_kept || !sweep_is_same(plain, kept))) {
		request->forget(request->context);
	}
}

enum csc_status search_begin(struct search *search)
{
	static const struct sweep_job job = { .flags = "" };
	const struct search_request *request = search->request;
	struct sweep_result *plain = &search->answer->plain;
	struct sweep_result *kept = calloc(1, sizeof(*kept));
	bool has_kept = kept && request->find && request->find(request->context, &job, kept);
	enum csc_status status = CSC_ERROR;
	int64_t begin_ns = sweep_clock_ns();

	if (!kept) {
		return DIAG_NO_MEMORY(search->diag);
	}
	if (sweep_run(search->sweep, &job, 1, plain, request->stop, request->deadline_ns,
			    search->diag) == CSC_OK) {
		status = plain->is_done
				? CSC_OK
				: DIAG_FAIL(search->diag, "%s",
						  diag_is_set(&plain->diag)
								  ? plain->diag.text
								  : "there was no time for a replay");
	}
	if (status == CSC_OK) {
		check_kept(search, plain, has_kept, kept);
		count_result(search, &job, plain);
		search->answer->letters = grid_letters(search, plain);
		status = sweep_judge(search->sweep, plain, search->diag);
	}
	if (status == CSC_OK && request->keep) {
		status = request->keep(request->context, &job, plain, 1, search->diag);
	}
	search->plain_seconds = (double)(sweep_clock_ns() - begin_ns) * 1e-9;
	search->begun_ns = sweep_clock_ns();
	search->is_begun = true;
	free(kept);
	return status;
}

void search_best_of(
		const struct search *search, bool at_any_cost, struct composition *ret_composition)
{
	compose_best(search->runs, search->run_count, search->answer->letters,
			search->request->objective, 0, SWEEP_SAMPLES, LEAST_SETTING, at_any_cost,
			ret_composition);
}
