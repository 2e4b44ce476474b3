/* SPDX-License-Identifier: MIT */
/* How long blocks that another thread freed wait. */
#include "wait.h"

#include "prefill.h"

const double wait_periods[REPLAYS_MAX] = { 2, 1, 4, 0.5, 8, 0.25, 16, 0.125 };

enum csc_status wait_run_followed(struct player *player, struct recording *recording,
		const struct readings *readings, const struct follow_listener *listener,
		int64_t *ret_wait_ns, struct diag *diag)
{
	struct follower *follower = follow_begin(recording, readings,
			runtime_options(player_runtime(player)), listener, diag);
	enum csc_status status = CSC_ERROR;

	if (follower) {
		follow_start(follower, player);
		player_set_watch(player, follow_call, follower);
		status = player_run(player, recording, diag);
		follow_end(follower, player);
		player_set_watch(player, NULL, NULL);
		*ret_wait_ns = follow_wait_ns(follower, player);
	}
	follow_free(follower);
	return status;
}

enum csc_status wait_find(struct recording *recording, const struct csc_options *options,
		uint64_t limit_bytes, const struct start_state *start,
		const struct readings *readings, int64_t *ret_wait_ns, struct diag *diag)
{
	struct player *player;
	enum csc_status status;

	*ret_wait_ns = 0;
	if (readings->moment_count < FOLLOW_READINGS) {
		return CSC_OK;
	}
	player = player_create(recording, options, limit_bytes, REPLAY_BURST, diag);
	if (!player) {
		return CSC_ERROR;
	}
	status = prefill(player, start, &readings->first, readings->allocators, diag);
	if (status == CSC_OK) {
		status = wait_run_followed(player, recording, readings, NULL, ret_wait_ns, diag);
	}
	player_destroy(player);
	return status;
}
