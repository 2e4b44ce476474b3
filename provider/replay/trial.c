/* SPDX-License-Identifier: MIT */
/* Flags tried on a recording, on several schedules. */
#include "trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoded.h"
#include "replay_internal.h"

/* Words of one candidate. */
#define WORDS_MAX 256

/* One recording, and its result without flags. */
struct trial {
	struct replay_request request;
	struct recording *recording;
	struct trial_file *file;
	struct trial_row rows[TRIAL_ROWS];
	uint32_t count;

	/* Of the candidate that is tried: what the flags of the request are.  Weak. */
	char *words[WORDS_MAX];

	/* Of each row: its allocator; CSC_ALLOCATORS: all. */
	enum csc_allocator allocators[TRIAL_ROWS];
};

static void widen(struct trial_range *range, int turn, uint64_t figure)
{
	if (turn == 0) {
		*range = (struct trial_range){ figure, figure, figure };
	} else if (figure < range->low) {
		range->low = figure;
	} else if (figure > range->high) {
		range->high = figure;
	}
}

/* Replays on all schedules. */
static enum csc_status play_all(struct trial *trial, bool has_flags, struct diag *diag)
{
	for (int turn = 0; turn < TRIAL_SCHEDULES; turn++) {
		struct outcome outcome = { 0 };

		if (replay_play(&trial->request, trial->recording, has_flags, replay_bursts[turn],
				    NULL, &outcome, diag) != CSC_OK) {
			return CSC_ERROR;
		}
		for (uint32_t i = 0; i < trial->count; i++) {
			enum csc_allocator allocator = trial->allocators[i];
			bool is_all = allocator == CSC_ALLOCATORS;
			struct trial_figures *figures =
					has_flags ? &trial->rows[i].with : &trial->rows[i].plain;

			widen(&figures->end, turn,
					is_all ? outcome.space.bytes
					       : outcome.use[allocator].carriers_bytes);
			widen(&figures->peak, turn,
					is_all ? outcome.space.peak_bytes
					       : outcome.peak_bytes[allocator]);
		}
	}
	return CSC_OK;
}

/* Of what the recording says of carriers at its end: -1 where it says nothing. */
static enum csc_status cover(struct trial *trial, struct diag *diag)
{
	double all = 0;
	double replayed = 0;

	for (uint32_t i = 0; i < trial->count; i++) {
		struct trial_row *row = &trial->rows[i];
		double end = (double)row->plain.end.first;
		int64_t recorded = 0;

		row->coverage = -1;
		if (trial->allocators[i] < CSC_ALLOCATORS &&
				recording_carriers(trial->recording, row->allocator, &recorded,
						diag) != CSC_OK) {
			return CSC_ERROR;
		}
		if (recorded > 0) {
			double known = end < (double)recorded ? end : (double)recorded;

			row->coverage = known / (double)recorded;
			replayed += known;
			all += (double)recorded;
		}
	}
	if (all > 0) {
		trial->rows[trial->count - 1].coverage = replayed / all;
	}
	return CSC_OK;
}

/* Opens both, and replays without flags. */
static enum csc_status begin(struct trial *trial, struct diag *diag)
{
	trial->recording = recording_open(trial->request.path, trial->request.runtime, diag);
	if (!trial->recording ||
			recording_decode(trial->recording, NULL, DECODED_MEMORY_BYTES, diag) !=
					CSC_OK) {
		return CSC_ERROR;
	}
	trial->file = trial_open(trial->request.path, diag);
	if (!trial->file) {
		return CSC_ERROR;
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		trial->rows[trial->count].allocator = csc_allocator_infos[i].name;
		trial->allocators[trial->count++] = (enum csc_allocator)i;
	}
	trial->rows[trial->count].allocator = "all";
	trial->allocators[trial->count++] = CSC_ALLOCATORS;
	return CSC_OK;
}

static void end(struct trial *trial)
{
	recording_close(trial->recording);
	trial_close(trial->file);
}

static void print_range(FILE *out, const struct trial_range *range)
{
	fprintf(out, " %12" PRIu64 " %12" PRIu64, range->low, range->high);
}

/* Of the first schedule, in per cent. */
static void print_change(FILE *out, const struct trial_range *before, const struct trial_range *now)
{
	if (before->first) {
		fprintf(out, " %+7.2f%%",
				100.0 * ((double)now->first - (double)before->first) /
						(double)before->first);
	} else {
		fprintf(out, " %8s", now->first ? "new" : "0");
	}
}

static void print_rows(const struct trial *trial, const char *flags, FILE *out)
{
	fprintf(out, "with %s\n%-13s %12s %12s %12s %12s %8s %12s %12s %12s %12s %8s %9s\n", flags,
			"allocator", "end_low", "end_high", "with_low", "with_high", "end",
			"peak_low", "peak_high", "with_low", "with_high", "peak", "coverage");
	for (uint32_t i = 0; i < trial->count; i++) {
		const struct trial_row *row = &trial->rows[i];

		if (row->plain.peak.high == 0 && row->with.peak.high == 0) {
			continue;
		}
		fprintf(out, "%-13s", row->allocator);
		print_range(out, &row->plain.end);
		print_range(out, &row->with.end);
		print_change(out, &row->plain.end, &row->with.end);
		print_range(out, &row->plain.peak);
		print_range(out, &row->with.peak);
		print_change(out, &row->plain.peak, &row->with.peak);
		if (row->coverage >= 0) {
			fprintf(out, " %8.0f%%\n", 100.0 * row->coverage);
		} else {
			fprintf(out, " %9s\n", "unknown");
		}
	}
}

/* The flags of the request: tried, printed and kept. */
static enum csc_status save(struct trial *trial, FILE *out, struct diag *diag)
{
	struct recording_facts facts;
	char flags[4096] = "";
	size_t length = 0;

	recording_facts(trial->recording, &facts);
	for (int i = 0; i < trial->request.flag_count; i++) {
		int added = snprintf(flags + length, sizeof(flags) - length, "%s%s", i ? " " : "",
				trial->request.flags[i]);

		if (added < 0 || (size_t)added >= sizeof(flags) - length) {
			return DIAG_FAIL(diag, "more than %zu characters of flags",
					sizeof(flags) - 1);
		}
		length += (size_t)added;
	}
	if (play_all(trial, true, diag) != CSC_OK ||
			trial_write(trial->file, facts.runtime, flags, TRIAL_SCHEDULES, trial->rows,
					trial->count, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	print_rows(trial, flags, out);
	return CSC_OK;
}

/* Flags that are refused, before anything is replayed. */
static enum csc_status check_flags(const struct trial *trial, struct diag *diag)
{
	struct csc_options options;

	return replay_settle(&trial->request, trial->recording, true, &options, diag);
}

enum replay_result replay_save(const struct replay_request *request, FILE *out, struct diag *diag)
{
	struct trial trial = { .request = *request };
	enum csc_status status = begin(&trial, diag);

	if (status == CSC_OK) {
		status = check_flags(&trial, diag);
	}
	if (status == CSC_OK) {
		status = play_all(&trial, false, diag);
	}
	if (status == CSC_OK) {
		status = cover(&trial, diag);
	}
	if (status == CSC_OK) {
		status = save(&trial, out, diag);
	}
	if (status == CSC_OK) {
		fprintf(out, "%% %d schedules each; kept in table flag_trial of '%s'\n",
				TRIAL_SCHEDULES, request->path);
	}
	end(&trial);
	return status == CSC_OK ? REPLAY_DONE : REPLAY_FAILED;
}

/* One candidate: what is wrong with it is printed, and the next is tried. */
static enum csc_status try_one(struct trial *trial, char *text, FILE *out)
{
	struct diag diag = { 0 };
	char *rest = NULL;
	int count = 0;

	for (char *word = strtok_r(text, " \t\n", &rest); word;
			word = strtok_r(NULL, " \t\n", &rest)) {
		if (count == WORDS_MAX) {
			fprintf(out, "%% not tried: more than %d words\n", WORDS_MAX);
			return CSC_ERROR;
		}
		trial->words[count++] = word;
	}
	trial->request.flags = trial->words;
	trial->request.flag_count = count;
	if (count == 0 || check_flags(trial, &diag) != CSC_OK ||
			save(trial, out, &diag) != CSC_OK) {
		fputs("% not tried:", out);
		for (int i = 0; i < count; i++) {
			fprintf(out, " %s", trial->words[i]);
		}
		fprintf(out, ": %s\n", count ? diag.text : "no flags");
		return CSC_ERROR;
	}
	return CSC_OK;
}

enum replay_result replay_try(const struct replay_request *request, FILE *out, struct diag *diag)
{
	struct trial trial = { .request = *request };
	struct recording_facts facts;
	char **candidates = NULL;
	size_t count = 0;
	size_t tried = 0;
	enum csc_status status = begin(&trial, diag);

	if (status == CSC_OK) {
		recording_facts(trial.recording, &facts);
		status = trial_candidates(trial.file, facts.runtime, &candidates, &count, diag);
		if (status == CSC_OK) {
			status = play_all(&trial, false, diag);
		}
		if (status == CSC_OK) {
			status = cover(&trial, diag);
		}
	}
	for (size_t i = 0; status == CSC_OK && i < count; i++) {
		tried += try_one(&trial, candidates[i], out) == CSC_OK;
	}
	if (status == CSC_OK) {
		fprintf(out,
				"%% %zu of %zu candidates tried on %d schedules each; kept in table "
				"flag_trial of '%s'\n",
				tried, count, TRIAL_SCHEDULES, request->path);
	}
	trial_forget(candidates, count);
	end(&trial);
	if (status != CSC_OK) {
		return REPLAY_FAILED;
	}
	return tried < count ? REPLAY_DIFFERS : REPLAY_DONE;
}
