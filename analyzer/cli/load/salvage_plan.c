/*
 * SPDX-License-Identifier: MIT
 *
 * From the salvage's losses to the sink's.
 */
#include "salvage_plan.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rows.h"
#include "salvage.h"

struct salvage_plan {
	struct salvage *salvage;

	/* The texts in it are owned too. */
	struct sink_path *paths;
	size_t path_count;

	struct sink_loss *losses;
	size_t places;
};

static const struct {
	const char *cause;
	enum severity severity;
	const char *words;
} kinds[] = {
	[SALVAGE_HEADER_DAMAGED] = { "packet_header_damaged", SEVERITY_DATA_LOSS,
			"packet header damaged" },
	[SALVAGE_PACKET_CUT] = { "packet_cut", SEVERITY_DATA_LOSS, "packet cut off" },
	[SALVAGE_PACKET_UNDECODABLE] = { "packet_undecodable", SEVERITY_DATA_LOSS,
			"packet damaged" },
	[SALVAGE_STREAM_EMPTY] = { "stream_empty", SEVERITY_DATA_LOSS, "stream file empty" },
	[SALVAGE_METADATA_REMADE] = { "metadata_remade", SEVERITY_NOTICE, "metadata damaged" },
	[SALVAGE_FOREIGN_FILE] = { "foreign_file", SEVERITY_NOTICE, "not a stream of this trace" },
	[SALVAGE_INDEX_WRONG] = { "index_wrong", SEVERITY_NOTICE, "index wrong" },
	[SALVAGE_TRACE_LOST] = { "trace_lost", SEVERITY_DATA_LOSS, "trace not readable" },
};

static char *work_dir_name(const char *database)
{
	char *name = NULL;

	return asprintf(&name, "%s.salvage-%ld", database, (long)getpid()) < 0 ? NULL : name;
}

void salvage_plan_remove_stale(const char *database)
{
	static const char suffix[] = ".salvage-";
	const char *slash = strrchr(database, '/');
	char *folder = slash ? strndup(database, (size_t)(slash - database) + 1) : strdup("./");
	DIR *directory = folder ? opendir(folder) : NULL;
	const struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		const char *found = strstr(entry->d_name, suffix);
		const char *digits = found ? found + strlen(suffix) : "";
		char *path = NULL;
		char *end;
		long pid;

		if (found == entry->d_name || !isdigit((unsigned char)*digits)) {
			continue;
		}

		errno = 0;
		pid = strtol(digits, &end, 10);
		if (errno == 0 && pid > 0 && pid == (pid_t)pid && *end == '\0' &&
				asprintf(&path, "%s%s", folder, entry->d_name) >= 0) {
			salvage_remove_stale(path, (pid_t)pid);
			free(path);
		}
	}

	if (directory) {
		(void)closedir(directory);
	}
	free(folder);
}

void salvage_plan_remove_copies(const char *database)
{
	char *work_dir = work_dir_name(database);

	if (work_dir) {
		salvage_remove(work_dir);
		free(work_dir);
	}
}

static struct sink_loss convert(const struct salvage_loss *loss)
{
	bool is_loss = kinds[loss->kind].severity == SEVERITY_DATA_LOSS;

	return (struct sink_loss){
		.cause = kinds[loss->kind].cause,
		.severity = kinds[loss->kind].severity,
		.sentence = loss->sentence,
		.file = is_loss ? loss->file : NULL,
		.begin_ns = loss->has_interval ? loss->begin_ns : ROW_NULL,
		.end_ns = loss->has_interval ? loss->end_ns : ROW_NULL,
		.events = ROW_NULL,
		/* What the reader reports as discarded packets is counted there. */
		.packets = loss->is_seen_by_reader || loss->packets == 0 ? ROW_NULL
									 : (int64_t)loss->packets,
		.offset_bytes = (int64_t)loss->offset_bytes,
		.length_bytes = (int64_t)loss->length_bytes,
	};
}

/* The absolute path of a directory, with a slash; the caller frees it. */
static char *prefix_of(const char *directory)
{
	char *path = realpath(directory, NULL);
	char *prefix = NULL;

	if (asprintf(&prefix, "%s/", path ? path : directory) < 0) {
		prefix = NULL;
	}

	free(path);
	return prefix;
}

static enum csc_status fill(struct salvage_plan *plan, struct inputs *inputs,
		struct load_channel *channel, struct diag *diag)
{
	size_t traces = salvage_trace_count(plan->salvage);
	size_t losses = salvage_loss_count(plan->salvage);
	enum csc_status status = CSC_OK;

	plan->paths = calloc(traces + 1, sizeof(*plan->paths));
	plan->losses = calloc(losses + 1, sizeof(*plan->losses));
	if (!plan->paths || !plan->losses) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < traces && status == CSC_OK; i++) {
		const char *copy = salvage_trace_dir(plan->salvage, i);

		/* Babeltrace names streams by absolute paths. */
		plan->path_count++;
		plan->paths[i].copy = prefix_of(copy);
		plan->paths[i].origin = prefix_of(salvage_trace_origin(plan->salvage, i));
		status = plan->paths[i].copy && plan->paths[i].origin
				? inputs_add(inputs, copy, diag)
				: DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < losses; i++) {
		plan->losses[i] = convert(salvage_loss_at(plan->salvage, i));
		plan->places += plan->losses[i].severity == SEVERITY_DATA_LOSS;
	}

	channel->paths = plan->paths;
	channel->path_count = traces;
	channel->losses = plan->losses;
	channel->loss_count = losses;
	return status;
}

enum csc_status salvage_plan_repair(const struct load_options *options, struct inputs *inputs,
		struct load_channel *channel, struct salvage_plan **ret_plan, struct diag *diag)
{
	struct salvage_plan *plan = calloc(1, sizeof(*plan));
	char *work_dir = work_dir_name(options->database);
	enum csc_status status;

	if (!plan || !work_dir) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		salvage_plan_remove_stale(options->database);
		status = salvage_run((const char *const *)options->inputs, options->input_count,
				options->metadata, work_dir, &plan->salvage, diag);
	}

	if (status == CSC_OK) {
		status = fill(plan, inputs, channel, diag);
	}

	free(work_dir);
	if (status != CSC_OK) {
		salvage_plan_destroy(plan);
		return status;
	}

	*ret_plan = plan;
	return CSC_OK;
}

const char *salvage_plan_origin(const struct salvage_plan *plan, const char *copy)
{
	for (size_t i = 0; i < salvage_trace_count(plan->salvage); i++) {
		if (strcmp(salvage_trace_dir(plan->salvage, i), copy) == 0) {
			return salvage_trace_origin(plan->salvage, i);
		}
	}

	return copy;
}

size_t salvage_plan_count(const struct salvage_plan *plan)
{
	return plan->places;
}

/* Names the metadata of a trace, given as the file or as its directory. */
static void explain_metadata(const char *path, struct diag *ret_diag)
{
	struct stat file;
	bool is_directory = stat(path, &file) == 0 && S_ISDIR(file.st_mode);
	char *metadata = NULL;
	const char *state = "damaged";

	if (asprintf(&metadata, "%s%s", path, is_directory ? "/metadata" : "") < 0) {
		(void)DIAG_NO_MEMORY(ret_diag);
		return;
	}

	if (stat(metadata, &file) != 0) {
		state = "missing";
	} else if (file.st_size == 0) {
		state = "empty";
	}

	(void)DIAG_FAIL(ret_diag, "cannot read '%s': it is %s (use --salvage to load the trace)",
			metadata, state);
	free(metadata);
}

bool salvage_plan_explain(const struct load_options *options, struct diag *ret_diag)
{
	struct diag ignored = { 0 };
	struct salvage *salvage = NULL;
	char *work_dir = work_dir_name(options->database);
	const struct salvage_loss *worst = NULL;

	if (!work_dir ||
			salvage_run((const char *const *)options->inputs, options->input_count,
					NULL, work_dir, &salvage, &ignored) != CSC_OK) {
		free(work_dir);
		return false;
	}

	for (size_t i = 0; i < salvage_loss_count(salvage); i++) {
		const struct salvage_loss *loss = salvage_loss_at(salvage, i);

		/* Data before metadata before what hurts nobody. */
		if (!worst || kinds[loss->kind].severity > kinds[worst->kind].severity ||
				(loss->kind == SALVAGE_METADATA_REMADE &&
						kinds[worst->kind].severity < SEVERITY_DATA_LOSS)) {
			worst = loss;
		}
	}

	if (worst && worst->kind == SALVAGE_METADATA_REMADE) {
		explain_metadata(worst->file, ret_diag);
	} else if (worst && worst->kind == SALVAGE_TRACE_LOST) {
		(void)DIAG_FAIL(ret_diag, "cannot read '%s': %s", worst->file, worst->sentence);
	} else if (worst) {
		(void)DIAG_FAIL(ret_diag,
				"cannot read '%s': %s at byte %" PRIu64
				" (use --salvage to load the rest)",
				worst->file, kinds[worst->kind].words, worst->offset_bytes);
	}

	salvage_destroy(salvage);
	free(work_dir);
	return worst != NULL;
}

void salvage_plan_destroy(struct salvage_plan *plan)
{
	if (!plan) {
		return;
	}

	for (size_t i = 0; i < plan->path_count; i++) {
		free((char *)plan->paths[i].copy);
		free((char *)plan->paths[i].origin);
	}

	salvage_destroy(plan->salvage);
	free(plan->paths);
	free(plan->losses);
	free(plan);
}
