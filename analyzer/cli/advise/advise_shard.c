/*
 * SPDX-License-Identifier: MIT
 *
 * Shares of a search for several machines, and what they found together.
 */
#include <stdlib.h>
#include <string.h>

#include "advise_options.h"
#include "source_options.h"
#include "sweep_part.h"

static int finish_share(struct sweep_file *file, const struct search_answer *answer,
		const struct advise_options *options)
{
	struct diag diag = { 0 };

	if (answer->is_cut_short) {
		command_print("part %u of %u is not complete: the same command goes on with '%s'",
				options->shard, options->shards, options->output);
		return advise_is_interrupted() ? EXIT_INTERRUPTED : EXIT_FAILED;
	}
	if (sweep_part_finish(file, &diag) != CSC_OK) {
		return command_fail(&diag);
	}
	(void)printf("part %u of %u: %zu settings were replayed (%.0f s of CPU)\n", options->shard,
			options->shards, answer->wholes, answer->cpu_seconds);
	return EXIT_DONE;
}

int advise_shard(const struct advise_options *options, struct sweep *sweep,
		const struct advise_own *own)
{
	struct sweep_part *part = calloc(1, sizeof(*part));
	struct search_answer *answer = calloc(1, sizeof(*answer));
	struct sweep_file *file = NULL;
	struct diag diag = { 0 };
	int status = EXIT_FAILED;

	if (!part || !answer) {
		(void)DIAG_NO_MEMORY(&diag);
	} else {
		part->shard = options->shard;
		part->shards = options->shards;
		part->objective = (enum sweep_objective)options->objective;
		part->letters = options->letters;
		strncpy(part->recording, options->request.path, sizeof(part->recording) - 1);
		file = sweep_part_open(options->output, part, sweep_facts(sweep)->recording.runtime,
				&diag);
	}
	if (file) {
		const struct search_request request = advise_request(options, own, file);

		advise_catch_interrupt();
		if (sweep_search_shard(sweep, &request, options->shard, options->shards, answer,
				    &diag) == CSC_OK) {
			status = finish_share(file, answer, options);
		}
	}
	sweep_file_close(file);
	free(part);
	free(answer);
	return diag_is_set(&diag) ? source_fail(&diag) : status;
}

enum csc_status advise_find_recording(struct advise_options *options, struct diag *diag)
{
	static struct sweep_part part;
	struct diag none = { 0 };
	struct sweep_file *file = sweep_part_read(options->request.path, 0, &part, &none);

	if (file && options->part_count < ADVISE_PARTS_MAX) {
		options->parts[options->part_count++] = options->request.path;
		options->request.path = part.recording;
	}
	sweep_file_close(file);
	return options->part_count > 0
			? CSC_OK
			: DIAG_FAIL(diag, "--merge needs parts: carrierscope advise %s --merge PART...",
					  options->request.path);
}

/* What is merged, and how far it is. */
struct merge {
	const struct advise_options *options;
	struct sweep_file *to;
	int64_t runtime;
	struct sweep_result plain;
	struct sweep_result found;

	/* Of the first part. */
	uint32_t shards;
	bool has_shard[ADVISE_PARTS_MAX + 1];
};

static enum csc_status check_part(struct merge *merge, struct sweep_file *file,
		const struct sweep_part *part, const char *path, struct diag *diag)
{
	static const struct sweep_job job = { .flags = "" };

	if (!part->is_complete) {
		return DIAG_REFUSE(diag, "part %u of %u ('%s') is not complete: run it again",
				part->shard, part->shards, path);
	}
	if (part->shard < 1 || part->shard > ADVISE_PARTS_MAX ||
			(merge->shards && merge->shards != part->shards)) {
		return DIAG_REFUSE(diag, "'%s' is one of %u parts and others are of %u", path,
				part->shards, merge->shards);
	}
	if (part->objective != (enum sweep_objective)merge->options->objective ||
			part->letters != merge->options->letters) {
		return DIAG_REFUSE(diag,
				"'%s' was made with other options: give --objective and --letters as there",
				path);
	}
	if (!sweep_file_find(file, &job, &merge->found) ||
			!sweep_is_same(&merge->found, &merge->plain)) {
		return DIAG_REFUSE(diag,
				"'%s' is of another recording than '%s', or of another version of this "
				"program",
				path, merge->options->request.path);
	}
	merge->shards = part->shards;
	merge->has_shard[part->shard] = true;
	return CSC_OK;
}

static enum csc_status read_part(
		struct merge *merge, const char *path, bool is_copied, struct diag *diag)
{
	struct sweep_part *part = calloc(1, sizeof(*part));
	struct sweep_file *file = part ? sweep_part_read(path, merge->runtime, part, diag) : NULL;
	enum csc_status status = CSC_ERROR;

	if (!part) {
		(void)DIAG_NO_MEMORY(diag);
	} else if (file) {
		status = is_copied ? sweep_part_copy(merge->to, file, diag)
				   : check_part(merge, file, part, path, diag);
	}
	sweep_file_close(file);
	free(part);
	return status;
}

/* Which parts are not there. */
static enum csc_status check_missing(const struct merge *merge, struct diag *diag)
{
	char list[256] = "";
	uint32_t missing = 0;

	for (uint32_t i = 1; i <= merge->shards; i++) {
		size_t length = strlen(list);

		if (!merge->has_shard[i]) {
			missing++;
			(void)snprintf(list + length, sizeof(list) - length, "%s%u",
					length ? ", " : "", i);
		}
	}
	return missing == 0
			? CSC_OK
			: DIAG_REFUSE(diag,
					  "part %s of %u is missing: carrierscope advise %s --shard I/%u "
					  "-o PART makes it",
					  list, merge->shards, merge->options->request.path,
					  merge->shards);
}

static enum csc_status merge_parts(struct merge *merge, struct diag *diag)
{
	const struct advise_options *options = merge->options;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; status == CSC_OK && i < options->part_count; i++) {
		status = read_part(merge, options->parts[i], false, diag);
	}
	if (status == CSC_OK) {
		status = check_missing(merge, diag);
	}
	for (size_t i = 0; status == CSC_OK && i < options->part_count; i++) {
		status = read_part(merge, options->parts[i], true, diag);
	}
	return status;
}

enum csc_status advise_merge(
		const struct advise_options *options, struct sweep *sweep, struct diag *diag)
{
	static const struct sweep_job job = { .flags = "" };
	struct merge *merge = calloc(1, sizeof(*merge));
	enum csc_status status;

	if (!merge) {
		return DIAG_NO_MEMORY(diag);
	}
	merge->options = options;
	merge->runtime = sweep_facts(sweep)->recording.runtime;
	merge->to = sweep_file_open(options->request.path, merge->runtime, diag);
	status = merge->to ? sweep_run(sweep, &job, 1, &merge->plain, NULL, 0, diag) : CSC_ERROR;
	if (status == CSC_OK) {
		status = merge_parts(merge, diag);
	}
	sweep_file_close(merge->to);
	free(merge);
	return status;
}
