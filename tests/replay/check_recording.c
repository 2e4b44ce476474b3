/* SPDX-License-Identifier: MIT */
/* A recording once more, or twice, beside what was recorded. */
#include "replay_check.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "decoded.h"
#include "player.h"
#include "runterm.h"

enum csc_status check_write_terms(
		const char *path, const struct runtime *runtime, struct diag *diag)
{
	FILE *out = path ? fopen(path, "w") : NULL;

	if (!path) {
		return CSC_OK;
	}
	if (!out) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}
	runterm_print(runtime, out);
	if (ferror(out) | fclose(out)) {
		return DIAG_FAIL(diag, "cannot write '%s'", path);
	}
	return CSC_OK;
}

enum csc_status check_play(const struct check_request *request, struct recording *recording,
		bool has_flags, struct check_outcome *ret_outcome, struct diag *diag)
{
	struct replay_request replay = request->replay;
	bool is_last = has_flags || replay.flag_count == 0;
	struct csc_options options;
	struct player *player;
	enum csc_status status;

	replay.flag_count = has_flags ? replay.flag_count : 0;
	if (replay_settle(&replay, recording, &options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	player = player_create(recording, &options, request->limit_bytes, REPLAY_BURST, diag);
	if (!player) {
		return CSC_ERROR;
	}
	status = player_run(player, recording, diag);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		runtime_use(player_runtime(player), (enum csc_allocator)i, &ret_outcome->use[i]);
	}
	runtime_address_space(player_runtime(player), &ret_outcome->space);
	ret_outcome->counts = *player_counts(player);
	if (status == CSC_OK && is_last) {
		status = check_write_terms(request->stats_path, player_runtime(player), diag);
	}
	player_destroy(player);
	return status;
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
static enum csc_status print_recorded(const struct recording *recording,
		const struct check_outcome *outcome, FILE *out, bool *ret_differs,
		struct diag *diag)
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
static void print_reasons(
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
static void print_flags(const struct replay_request *request, const struct check_outcome *before,
		const struct check_outcome *after, FILE *out)
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
		const struct check_outcome *outcome, FILE *out, struct diag *diag)
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

static enum csc_status print_check(const struct check_request *request, struct recording *recording,
		FILE *out, bool *ret_differs, struct diag *diag)
{
	struct check_outcome before = { 0 };
	struct check_outcome after = { 0 };
	struct recording_facts facts = { 0 };

	recording_facts(recording, &facts);
	if (recording_decode(recording, NULL, DECODED_MEMORY_BYTES, diag) != CSC_OK ||
			check_play(request, recording, false, &before, diag) != CSC_OK ||
			print_recorded(recording, &before, out, ret_differs, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	print_reasons(&facts, &before.counts, out);
	if (print_coverage(recording, &before, out, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (request->replay.flag_count > 0) {
		if (check_play(request, recording, true, &after, diag) != CSC_OK) {
			return CSC_ERROR;
		}
		print_flags(&request->replay, &before, &after, out);
	}
	/* Where events were lost a difference is no surprise. */
	*ret_differs = *ret_differs && facts.lost_events == 0;
	return CSC_OK;
}

enum check_result check_recording(const struct check_request *request, FILE *out, struct diag *diag)
{
	struct recording *recording =
			recording_open(request->replay.path, request->replay.runtime, diag);
	bool differs = false;
	enum csc_status status;

	if (!recording) {
		return CHECK_FAILED;
	}
	status = print_check(request, recording, out, &differs, diag);
	recording_close(recording);
	if (status != CSC_OK) {
		return CHECK_FAILED;
	}
	if (!differs) {
		return CHECK_DONE;
	}
	(void)DIAG_FAIL(diag, "the blocks are not those of '%s', which lost no events",
			request->replay.path);
	return CHECK_DIFFERS;
}
