/* SPDX-License-Identifier: MIT */
/* A share of a search, for one of several machines. */
#include <stdlib.h>

#include "search_internal.h"

/* All sets that need no other: the grid, what others have written, the user's own. */
static size_t list(const struct search *search, char (*flags)[SETTING_FLAGS_BYTES],
		const char **ret_all)
{
	const struct search_request *request = search->request;
	struct diag refused = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < GRID; i++) {
		struct settings settings;

		grid_settings(search, i, &settings);
		settings_print(&settings, flags[i]);
		ret_all[count++] = flags[i];
	}
	for (const struct search_folklore *row = search_folklore; row->name; row++) {
		if (sweep_check(search->sweep, row->flags, &refused) == CSC_OK) {
			ret_all[count++] = row->flags;
		}
	}
	for (size_t i = 0; i < request->flag_count; i++) {
		ret_all[count++] = request->flags[i];
	}
	return count;
}

static size_t count_folklore(void)
{
	size_t count = 0;

	while (search_folklore[count].name) {
		count++;
	}
	return count;
}

static enum csc_status play_share(struct search *search, uint32_t shard, uint32_t shards)
{
	size_t room = GRID + count_folklore() + search->request->flag_count;
	char(*flags)[SETTING_FLAGS_BYTES] = calloc(GRID, sizeof(*flags));
	const char **all = calloc(room, sizeof(*all));
	struct sweep_job *jobs = calloc(room, sizeof(*jobs));
	struct sweep_result *results = calloc(room, sizeof(*results));
	enum csc_status status = CSC_ERROR;

	if (!flags || !all || !jobs || !results) {
		(void)DIAG_NO_MEMORY(search->diag);
	} else {
		size_t listed = list(search, flags, all);
		size_t count = 0;

		for (size_t i = shard - 1; i < listed; i += shards) {
			jobs[count++].flags = all[i];
		}
		status = search_run(search, jobs, count, results);
	}
	free(results);
	free(jobs);
	free(all);
	free(flags);
	return status;
}

enum csc_status sweep_search_shard(struct sweep *sweep, const struct search_request *request,
		uint32_t shard, uint32_t shards, struct search_answer *ret_answer,
		struct diag *diag)
{
	struct search *search = calloc(1, sizeof(*search));
	enum csc_status status;

	if (!search) {
		return DIAG_NO_MEMORY(diag);
	}
	*search = (struct search){
		.sweep = sweep, .request = request, .answer = ret_answer, .diag = diag
	};
	status = search_begin(search);
	if (status == CSC_OK) {
		status = grid_learn(search);
	}
	if (status == CSC_OK) {
		status = play_share(search, shard, shards);
	}
	free(search);
	return status;
}
