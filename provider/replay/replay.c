/* SPDX-License-Identifier: MIT */
/* A recording once more, or twice, and what comes of it. */
#include "replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "decoded.h"
#include "flags.h"
#include "player.h"
#include "prefill.h"
#include "recording.h"
#include "replay_internal.h"
#include "runterm.h"
#include "wait.h"

enum csc_status replay_settle(const struct replay_request *request,
		const struct recording *recording, bool has_flags, struct csc_options *ret_options,
		struct diag *diag)
{
	struct recording_facts facts;
	const struct csc_generation *generation = request->generation;
	uint32_t schedulers = request->schedulers;
	struct flags_machine machine;

	recording_facts(recording, &facts);
	if (!generation) {
		generation = csc_generation_find(facts.release);
	}
	if (!schedulers) {
		schedulers = facts.schedulers;
	}
	if (facts.word_bytes && facts.word_bytes != 8) {
		return DIAG_REFUSE(diag, "'%s': words have %" PRIu32 " bytes; 8 can be replayed",
				request->path, facts.word_bytes);
	}
	if (facts.releases > 1 && !request->generation) {
		return DIAG_REFUSE(diag,
				"'%s' has runtime %" PRId64 " with %" PRId64
				" different releases, '%s' first: "
				"record one node at a time, or use --otp=RELEASE",
				request->path, facts.runtime, facts.releases, facts.release);
	}
	if (!generation) {
		return DIAG_REFUSE(diag,
				"'%s' %s%s%s: use --otp=RELEASE with the nearest of 24rc0, 24.0.1, 25, 27, "
				"28 and 29",
				request->path,
				*facts.release ? "is of release '" : "does not record the release",
				facts.release,
				*facts.release ? "', which the core does not know" : "");
	}
	if (!schedulers || schedulers > 1024) {
		return DIAG_REFUSE(diag,
				"'%s' does not record the number of schedulers: use --schedulers=S",
				request->path);
	}
	machine.dirty_schedulers = schedulers;
	csc_options_init(ret_options, generation, 8, schedulers);
	if (recording_options(recording, ret_options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return flags_take(ret_options, &machine, has_flags ? request->flag_count : 0,
			request->flags, diag);
}

static enum csc_status write_terms(
		const char *path, const struct runtime *runtime, struct diag *diag)
{
	FILE *out = fopen(path, "w");

	if (!out) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}
	runterm_print(runtime, out);
	if (ferror(out) | fclose(out)) {
		return DIAG_FAIL(diag, "cannot write '%s'", path);
	}
	return CSC_OK;
}

enum csc_status replay_play(const struct replay_request *request, struct recording *recording,
		bool has_flags, uint32_t burst, const char *stats_path, struct outcome *ret_outcome,
		struct diag *diag)
{
	struct csc_options options;
	struct player *player;
	enum csc_status status;

	if (replay_settle(request, recording, has_flags, &options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	player = player_create(recording, &options, request->limit_bytes, burst, diag);
	if (!player) {
		return CSC_ERROR;
	}
	status = player_run(player, recording, diag);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		runtime_use(player_runtime(player), (enum csc_allocator)i, &ret_outcome->use[i]);
		ret_outcome->peak_bytes[i] = player_peak(player, (enum csc_allocator)i);
	}
	runtime_address_space(player_runtime(player), &ret_outcome->space);
	ret_outcome->counts = *player_counts(player);
	if (status == CSC_OK && stats_path) {
		status = write_terms(stats_path, player_runtime(player), diag);
	}
	player_destroy(player);
	return status;
}

static enum csc_status play(const struct replay_request *request, struct recording *recording,
		bool has_flags, struct outcome *ret_outcome, struct diag *diag)
{
	bool is_last = has_flags || request->flag_count == 0;

	return replay_play(request, recording, has_flags, REPLAY_BURST,
			is_last ? request->stats_path : NULL, ret_outcome, diag);
}

/* In per cent of what was recorded, signed. */
static void print_error(FILE *out, int64_t replayed, int64_t recorded)
{
	if (recorded) {
		fprintf(out, " %+7.2f%%", 100.0 * (double)(replayed - recorded) / (double)recorded);
	} else {
		fprintf(out, " %8s", replayed ? "new" : "0");
	}
}

/* One line of each allocator; `*ret_differs`: blocks are not those that were recorded. */
static enum csc_status compare(const struct recording *recording, const struct outcome *outcome,
		FILE *out, bool *ret_differs, struct diag *diag)
{
	static const char *const known[] = { "not recorded", "exact", "last recorded" };

	fprintf(out, "%-13s %9s %9s %12s %12s %12s %8s %8s %12s %12s %8s  %s\n", "allocator",
			"blocks", "recorded", "asked", "recorded", "block_bytes", "carriers",
			"recorded", "carr_bytes", "recorded", "error", "carriers recorded");
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		const struct runtime_use *use = &outcome->use[i];
		struct recording_figures figures;

		if (recording_figures(recording, csc_allocator_infos[i].name, &figures, diag) !=
				CSC_OK) {
			return CSC_ERROR;
		}
		if (!figures.has_blocks && figures.carriers_by == RECORDING_CARRIERS_NONE) {
			continue;
		}
		fprintf(out, "%-13s %9" PRId64 " %9" PRId64 " %12" PRId64 " %12" PRId64,
				csc_allocator_infos[i].name, outcome->counts.blocks[i],
				figures.blocks, outcome->counts.asked_bytes[i],
				figures.asked_bytes);
		fprintf(out, " %12" PRIu64 " %8" PRIu64 " %8" PRId64 " %12" PRIu64 " %12" PRId64,
				use->blocks_bytes, use->carriers, figures.carriers,
				use->carriers_bytes, figures.carriers_bytes);
		print_error(out, (int64_t)use->carriers_bytes, figures.carriers_bytes);
		fprintf(out, "  %s\n", known[figures.carriers_by]);
		*ret_differs |= outcome->counts.blocks[i] != figures.blocks ||
				outcome->counts.asked_bytes[i] != figures.asked_bytes;
	}
	return CSC_OK;
}

/* Where the replay differs from the recording, and why. */
static void explain(
		const struct recording_facts *facts, const struct player_counts *counts, FILE *out)
{
	fprintf(out, "%% %" PRIu64 " calls replayed; ", counts->calls);
	if (facts->has_work) {
		fprintf(out, "%" PRIu64 " times work between them was recorded\n", counts->works);
	} else {
		fprintf(out,
				"work between them was not recorded: all threads pass "
				"after every %d calls, and carriers may differ\n",
				REPLAY_BURST);
	}
	if (facts->early_carriers) {
		fprintf(out, "%% %" PRIu64 " carriers were there before the recording began\n",
				facts->early_carriers);
	}
	if (facts->lost_events) {
		fprintf(out, "%% %" PRId64 " events were lost\n", facts->lost_events);
	}
	if (counts->unknown) {
		fprintf(out,
				"%% %" PRIu64 " frees or reallocations of blocks from before the "
				"recording\n",
				counts->unknown);
	}
	if (counts->unseen) {
		fprintf(out, "%% %" PRIu64 " frees that were not seen\n", counts->unseen);
	}
	if (counts->unknown_type) {
		fprintf(out, "%% %" PRIu64 " calls of types that the release does not have\n",
				counts->unknown_type);
	}
	if (counts->refused) {
		fprintf(out, "%% %" PRIu64 " requests found no memory\n", counts->refused);
	}
}

static void print_change(FILE *out, const char *name, uint64_t before, uint64_t after)
{
	fprintf(out, "%-13s %14" PRIu64 " %14" PRIu64 " %+14" PRId64, name, before, after,
			(int64_t)(after - before));
	print_error(out, (int64_t)after, (int64_t)before);
	fputc('\n', out);
}

/* Carriers with the flags beside those with the recorded options. */
static void weigh(const struct replay_request *request, const struct outcome *before,
		const struct outcome *after, FILE *out)
{
	fputs("\nwith", out);
	for (int i = 0; i < request->flag_count; i++) {
		fprintf(out, " %s", request->flags[i]);
	}
	fprintf(out, "\n%-13s %14s %14s %14s %8s\n", "carr_bytes", "as recorded", "with flags",
			"difference", "");
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (before->use[i].carriers_bytes != after->use[i].carriers_bytes ||
				before->counts.blocks[i] || after->counts.blocks[i]) {
			print_change(out, csc_allocator_infos[i].name,
					before->use[i].carriers_bytes,
					after->use[i].carriers_bytes);
		}
	}
	print_change(out, "footprint", before->space.bytes, after->space.bytes);
	print_change(out, "peak", before->space.peak_bytes, after->space.peak_bytes);
	if (after->counts.refused > before->counts.refused) {
		fprintf(out, "%% %" PRIu64 " more requests found no memory\n",
				after->counts.refused - before->counts.refused);
	}
}

/* How much of the recording the replay covers. */
static enum csc_status print_coverage(const struct recording *recording,
		const struct outcome *outcome, FILE *out, struct diag *diag)
{
	double recorded = 0;
	double replayed = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		double bytes = (double)outcome->use[i].carriers_bytes;
		int64_t carriers_bytes;

		if (recording_carriers(recording, csc_allocator_infos[i].name, &carriers_bytes,
				    diag) != CSC_OK) {
			return CSC_ERROR;
		}
		if (carriers_bytes > 0) {
			recorded += (double)carriers_bytes;
			replayed += bytes < (double)carriers_bytes ? bytes : (double)carriers_bytes;
		}
	}
	if (recorded > 0) {
		fprintf(out, "%% the replay has %.0f %% of the carriers that were recorded\n",
				100.0 * replayed / recorded);
	}
	return CSC_OK;
}

enum replay_result replay_run(const struct replay_request *request, FILE *out, struct diag *diag)
{
	struct recording *recording = recording_open(request->path, request->runtime, diag);
	struct outcome before = { 0 };
	struct outcome after = { 0 };
	struct recording_facts facts = { 0 };
	bool differs = false;
	enum csc_status status;

	if (!recording) {
		return REPLAY_FAILED;
	}
	recording_facts(recording, &facts);
	status = recording_decode(recording, NULL, DECODED_MEMORY_BYTES, diag);
	if (status == CSC_OK) {
		status = play(request, recording, false, &before, diag);
	}
	if (status == CSC_OK) {
		status = compare(recording, &before, out, &differs, diag);
	}
	if (status == CSC_OK) {
		explain(&facts, &before.counts, out);
		status = print_coverage(recording, &before, out, diag);
	}
	if (status == CSC_OK && request->flag_count > 0) {
		status = play(request, recording, true, &after, diag);
		if (status == CSC_OK) {
			weigh(request, &before, &after, out);
		}
	}
	recording_close(recording);
	if (status != CSC_OK) {
		return REPLAY_FAILED;
	}
	/* Where events were lost a difference is no surprise. */
	return differs && facts.lost_events == 0 ? REPLAY_DIFFERS : REPLAY_DONE;
}

/* Calls after which all threads pass in the replays of a comparison: a node does not record it. */
const uint32_t replay_bursts[REPLAYS_MAX] = { REPLAY_BURST, 10, 1000, 30, 300, 3, 3000, 1 };

/* By a replay as recorded, without flags. */
static enum csc_status learn_wait(const struct replay_request *request, struct recording *recording,
		struct compare_request *comparing, struct diag *diag)
{
	struct csc_options options;

	if (replay_settle(request, recording, false, &options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return wait_find(recording, &options, request->limit_bytes, comparing->start,
			comparing->readings, &comparing->wait_ns, diag);
}

/* Replays, and writes what --follow asks for. */
static enum csc_status run_written(const char *path, struct player *player,
		struct recording *recording, const struct readings *readings, struct diag *diag)
{
	FILE *out = fopen(path, "w");
	int64_t wait_ns;
	enum csc_status status;

	if (!out) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}
	status = wait_run_followed(player, recording, readings, out, &wait_ns, diag);
	if ((ferror(out) | fclose(out)) && status == CSC_OK) {
		return DIAG_FAIL(diag, "cannot write '%s'", path);
	}
	return status;
}

/* From one reading to the other: the states of the replay at both. */
static enum csc_status play_between(const struct replay_request *request,
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
	if (status == CSC_OK && turn == 0 && request->stats_path) {
		status = write_terms(request->stats_path, player_runtime(player), diag);
	}
	player_destroy(player);
	return status;
}

/* Again, on other schedules: how far what is not recorded moves the figures. */
static enum csc_status play_others(const struct replay_request *request,
		struct recording *recording, const struct compare_request *comparing,
		struct compare_spread *spread, struct diag *diag)
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

static enum csc_status compare_recording(const struct replay_request *request,
		struct recording *recording, enum compare_format format, bool has_instances,
		FILE *out, bool *ret_differs, struct diag *diag)
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
		&spread, &counts, has_instances, request->flags, request->flag_count, 0 };
	enum csc_status status;

	recording_facts(recording, &facts);
	status = replay_settle(request, recording, request->flag_count > 0, &options, diag);
	if (status == CSC_OK) {
		status = readings_find(recording, &readings, diag);
	}
	if (status == CSC_OK) {
		status = start_state_find(recording, &readings, &options, &start, diag);
	}
	if (status == CSC_OK) {
		recording_limit(recording, readings.first.row + 1, readings.last.row);
		status = recording_decode(recording, &start, DECODED_MEMORY_BYTES, diag);
	}
	if (status == CSC_OK && !facts.has_work) {
		status = learn_wait(request, recording, &comparing, diag);
	}
	if (status == CSC_OK) {
		status = play_between(
				request, recording, &comparing, 0, &before, &after, &counts, diag);
	}
	if (status == CSC_OK) {
		status = play_others(request, recording, &comparing, &spread, diag);
	}
	if (status == CSC_OK) {
		status = compare_rows(&comparing, &comparison, diag);
	}
	if (status == CSC_OK) {
		compare_print(&comparison, &comparing, format, out);
		*ret_differs = comparison.differs;
	}
	compare_finish(&comparison);
	compare_finish_state(&before);
	compare_finish_state(&after);
	start_state_finish(&start);
	readings_finish(&readings);
	return status;
}

enum replay_result replay_compare(const struct replay_request *request, enum compare_format format,
		bool has_instances, FILE *out, struct diag *diag)
{
	struct recording *recording = recording_open(request->path, request->runtime, diag);
	bool differs = false;
	enum csc_status status;

	if (!recording) {
		return REPLAY_FAILED;
	}
	status = compare_recording(request, recording, format, has_instances, out, &differs, diag);
	recording_close(recording);
	if (status != CSC_OK) {
		return REPLAY_FAILED;
	}
	return differs ? REPLAY_DIFFERS : REPLAY_DONE;
}
