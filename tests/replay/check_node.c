/* SPDX-License-Identifier: MIT */
/* A replay beside the counters of the node that was recorded. */
#include "replay_check.h"

#include <errno.h>
#include <string.h>

#include "decoded.h"
#include "follow_csv.h"
#include "player.h"
#include "prefill.h"
#include "wait.h"

/* By a replay as recorded, without flags. */
static enum csc_status learn_wait(const struct check_request *request, struct recording *recording,
		struct compare_request *comparing, struct diag *diag)
{
	struct replay_request plain = request->replay;
	struct csc_options options;

	plain.flag_count = 0;
	if (replay_settle(&plain, recording, &options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return wait_find(recording, &options, request->limit_bytes, comparing->start,
			comparing->readings, &comparing->wait_ns, diag);
}

/* Replays, and writes it beside all readings. */
static enum csc_status run_written(const char *path, struct player *player,
		struct recording *recording, const struct readings *readings, struct diag *diag)
{
	FILE *out = fopen(path, "w");
	int64_t wait_ns;
	enum csc_status status;

	if (!out) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}
	status = follow_csv_run(player, recording, readings, out, &wait_ns, diag);
	if ((ferror(out) | fclose(out)) && status == CSC_OK) {
		return DIAG_FAIL(diag, "cannot write '%s'", path);
	}
	return status;
}

/* From one reading to the other: the states of the replay at both. */
static enum csc_status play_between(const struct check_request *request,
		struct recording *recording, const struct compare_request *comparing, int turn,
		struct compare_state *ret_before, struct compare_state *ret_after,
		struct player_counts *ret_counts, struct diag *diag)
{
	const struct readings *readings = comparing->readings;
	struct player *player = player_create(recording, comparing->options, request->limit_bytes,
			replay_bursts[turn], diag);
	enum csc_status status;

	if (!player) {
		return CSC_ERROR;
	}
	player_set_period(player, (int64_t)((double)comparing->wait_ns * wait_periods[turn]));
	status = prefill(player, comparing->start, &readings->first, readings->allocators, diag);
	if (status == CSC_OK) {
		status = compare_take_state(player, ret_before, diag);
	}
	if (status == CSC_OK) {
		status = request->follow_path && turn == 0
				? run_written(request->follow_path, player, recording, readings,
						  diag)
				: player_run(player, recording, diag);
	}
	if (status == CSC_OK) {
		status = compare_take_state(player, ret_after, diag);
	}
	*ret_counts = *player_counts(player);
	if (status == CSC_OK && turn == 0) {
		status = check_write_terms(request->stats_path, player_runtime(player), diag);
	}
	player_destroy(player);
	return status;
}

/* Again, on other schedules: how far what is not recorded moves the figures. */
static enum csc_status play_others(const struct check_request *request, struct recording *recording,
		const struct compare_request *comparing, struct compare_spread *spread,
		struct diag *diag)
{
	enum csc_status status = CSC_OK;

	compare_widen(spread, comparing->before, comparing->after);
	for (int turn = 1; status == CSC_OK && turn < request->replays; turn++) {
		struct compare_state before = { 0 };
		struct compare_state after = { 0 };
		struct player_counts counts;

		status = play_between(request, recording, comparing, turn, &before, &after, &counts,
				diag);
		if (status == CSC_OK) {
			compare_widen(spread, &before, &after);
		}
		compare_finish_state(&before);
		compare_finish_state(&after);
	}
	return status;
}

static enum csc_status compare_recording(const struct check_request *request,
		struct recording *recording, FILE *out, bool *ret_differs, struct diag *diag)
{
	struct recording_facts facts;
	struct csc_options options;
	struct readings readings = { 0 };
	struct start_state start = { 0 };
	struct compare_state before = { 0 };
	struct compare_state after = { 0 };
	struct compare_spread spread = { 0 };
	struct player_counts counts = { 0 };
	struct comparison comparison = { 0 };
	struct compare_request comparing = { &readings, &start, &facts, &options, &before, &after,
		&spread, &counts, request->has_instances, request->replay.flags,
		request->replay.flag_count, 0 };
	enum csc_status status;

	recording_facts(recording, &facts);
	status = replay_settle(&request->replay, recording, &options, diag);
	if (status != CSC_OK || (status = readings_find(recording, &readings, diag)) != CSC_OK ||
			(status = start_state_find(recording, &readings, &options, &start, diag)) !=
					CSC_OK) {
		goto end;
	}
	recording_limit(recording, readings.first.row + 1, readings.last.row);
	status = recording_decode(recording, &start, DECODED_MEMORY_BYTES, diag);
	if (status == CSC_OK && !facts.has_work) {
		status = learn_wait(request, recording, &comparing, diag);
	}
	if (status != CSC_OK ||
			(status = play_between(request, recording, &comparing, 0, &before, &after,
					 &counts, diag)) != CSC_OK ||
			(status = play_others(request, recording, &comparing, &spread, diag)) !=
					CSC_OK ||
			(status = compare_rows(&comparing, &comparison, diag)) != CSC_OK) {
		goto end;
	}
	compare_print(&comparison, &comparing, request->format, out);
	*ret_differs = comparison.differs;
end:
	compare_finish(&comparison);
	compare_finish_state(&before);
	compare_finish_state(&after);
	start_state_finish(&start);
	readings_finish(&readings);
	return status;
}

enum check_result check_node(const struct check_request *request, FILE *out, struct diag *diag)
{
	struct recording *recording =
			recording_open(request->replay.path, request->replay.runtime, diag);
	bool differs = false;
	enum csc_status status;

	if (!recording) {
		return CHECK_FAILED;
	}
	status = compare_recording(request, recording, out, &differs, diag);
	recording_close(recording);
	if (status != CSC_OK) {
		return CHECK_FAILED;
	}
	return differs ? CHECK_DIFFERS : CHECK_DONE;
}
