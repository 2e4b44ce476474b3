/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope load`: hands files to their readers, and runs a graph of Babeltrace's
 * that ends in our sink for the traces.
 */
#include "load.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bt_error.h"
#include "command.h"
#include "files.h"
#include "interrupt.h"
#include "load_files.h"
#include "load_graph.h"
#include "load_options.h"
#include "load_parallel.h"
#include "recover.h"
#include "salvage_plan.h"
#include "store_file.h"
#include "visible.h"

enum {
	/* Runs of the graph between two looks at the clock; a run takes a batch of messages. */
	RUNS_PER_LOOK = 64,
	LIVE_WAIT_NS = 50000000,
};

static const double progress_every_s = 0.1;

/* One load. */
struct load {
	struct load_options options;
	struct bt_classes classes;
	struct load_files files;
	struct inputs inputs;
	struct load_channel channel;
	bt_interrupter *interrupter;
	struct interrupt_end end;
	bt_graph *graph;

	/* What the files were read into, while it has not its name yet; NULL: there is none. */
	char *working_path;

	/* NULL without --salvage. */
	struct salvage_plan *salvage_plan;

	struct timespec started;
	double shown_s;
	bool was_interrupted;

	/* The database was, or may have been, written to. */
	bool has_begun;

	/* The graph was run: what failed may be damage. */
	bool may_be_damaged;
};

static double elapsed_s(const struct load *load)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - load->started.tv_sec) +
			1e-9 * (double)(now.tv_nsec - load->started.tv_nsec);
}

static void show_progress(struct load *load)
{
	double now_s = elapsed_s(load);

	if (now_s - load->shown_s >= progress_every_s) {
		load->shown_s = now_s;
		(void)fprintf(stderr, "\r%" PRId64 " events", load->channel.events);
	}
}

static void clear_progress(const struct load *load)
{
	if (load->options.has_progress) {
		fputs("\r\033[K", stderr);
	}
}

/* Refuses before any work what the sink would refuse after some. */
static enum csc_status check_database(const struct load *load, struct diag *diag)
{
	const char *path = load->options.database;
	struct stat status;
	struct stat link;

	/* Only --force gives the name to something else. */
	if (!load->options.is_forced && lstat(path, &link) == 0 && S_ISLNK(link.st_mode) &&
			stat(path, &status) != 0) {
		return DIAG_FAIL(diag,
				"cannot write '%s': it is a link that leads nowhere (%s); remove it, or use --force to replace it",
				path, strerror(errno));
	}

	if (!load->options.is_forced && !load->options.is_appending && stat(path, &status) == 0 &&
			S_ISREG(status.st_mode)) {
		return DIAG_FAIL(diag,
				"cannot write '%s': it exists; use --force to replace it or --append to add to it",
				path);
	}

	if (load->options.is_appending && access(path, W_OK) != 0 && errno != ENOENT) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	}

	return CSC_OK;
}

static enum csc_status find_inputs(struct load *load, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	struct stat metadata;

	/* Reading a pipe would wait. */
	if (load->options.metadata && stat(load->options.metadata, &metadata) == 0 &&
			!S_ISREG(metadata.st_mode)) {
		return DIAG_FAIL(diag, "cannot read '%s': not a regular file",
				load->options.metadata);
	}

	if (load->options.is_salvaging) {
		status = salvage_plan_repair(&load->options, &load->inputs, &load->channel,
				&load->salvage_plan, diag);
	} else {
		for (size_t i = 0; i < load->options.input_count && status == CSC_OK; i++) {
			status = inputs_find(&load->inputs, load->options.inputs[i], diag);
		}
	}

	if (status == CSC_OK) {
		status = inputs_check(&load->inputs, diag);
		/* What it refuses it has explained. */
		load->may_be_damaged = !load->options.is_salvaging && status == CSC_OK;
	} else {
		load->may_be_damaged = !load->options.is_salvaging;
	}

	return status == CSC_OK ? inputs_group(&load->inputs, load->classes.fs, diag) : status;
}

static struct load_plan make_plan(struct load *load)
{
	const struct load_options *options = &load->options;

	return (struct load_plan){
		.classes = &load->classes,
		.inputs = &load->inputs,
		.database = load->working_path ? load->working_path : options->database,
		.is_forced = options->is_forced && load->files.count == 0,
		.is_appending = options->is_appending || load->files.count > 0,
		.begin = options->begin,
		.end = options->end,
		.interrupter = load->interrupter,
		.channel = &load->channel,
		.log_level = options->verbosity > 1 ? BT_LOGGING_LEVEL_WARNING
						    : BT_LOGGING_LEVEL_NONE,
	};
}

/* What the user calls an input, which may be a repaired copy. */
static const char *name_of(const struct load *load, size_t at)
{
	const char *path = load->inputs.items[at].path;

	return load->salvage_plan ? salvage_plan_origin(load->salvage_plan, path) : path;
}

/* Finds two inputs of one group; false: there are none. */
static bool find_copies(const struct inputs *inputs, size_t *ret_one, size_t *ret_other)
{
	for (size_t i = 0; i < inputs->count; i++) {
		for (size_t k = i + 1; k < inputs->count && inputs->items[i].group; k++) {
			if (inputs->items[k].group &&
					strcmp(inputs->items[i].group, inputs->items[k].group) ==
							0) {
				*ret_one = i;
				*ret_other = k;
				return true;
			}
		}
	}

	return false;
}

/* Says in the user's words what stopped the graph. */
static enum csc_status fail_run(struct load *load, struct diag *diag)
{
	struct diag cause = { 0 };
	size_t one = 0;
	size_t other = 0;

	(void)bt_error_fail(&cause, "cannot load", name_of(load, 0));
	for (size_t i = 0; i < load->inputs.count; i++) {
		const char *url = load->inputs.items[i].path;

		if (load->inputs.items[i].is_live && strstr(cause.text, "live viewer session") &&
				(load->inputs.count == 1 || strstr(cause.text, url))) {
			return DIAG_FAIL(diag, "cannot listen to '%s': there is no such session",
					url);
		}
	}

	/* The words of Babeltrace 2.0's muxer for a stream that goes back in time, and our sink's.
	 */
	if ((strstr(cause.text, "last-returned-ts") || strstr(cause.text, "goes back in time")) &&
			find_copies(&load->inputs, &one, &other)) {
		enum csc_status status = DIAG_FAIL(diag,
				"'%s' and '%s' are copies of one trace and overlap; load one of them",
				name_of(load, one), name_of(load, other));

		/* The sink knows of one stream only. */
		if (load->channel.diag.file) {
			load->channel.diag = *diag;
		}

		return status;
	}

	return DIAG_FAIL(diag, "%s", cause.text);
}

/* Runs the graph to its end, or to the first signal. */
static enum csc_status run_graph(struct load *load, struct diag *diag)
{
	static const struct timespec wait = { 0, LIVE_WAIT_NS };
	unsigned int runs = 0;

	for (;;) {
		bt_graph_run_once_status status;

		if (interrupt_is_set()) {
			load->was_interrupted = true;
			return CSC_OK;
		}

		status = bt_graph_run_once(load->graph);
		if (status == BT_GRAPH_RUN_ONCE_STATUS_END) {
			return CSC_OK;
		}

		if (status == BT_GRAPH_RUN_ONCE_STATUS_AGAIN) {
			(void)nanosleep(&wait, NULL);
		} else if (status != BT_GRAPH_RUN_ONCE_STATUS_OK) {
			if (interrupt_is_set() && !load->channel.diag.file) {
				load->was_interrupted = true;
				return CSC_OK;
			}

			return fail_run(load, diag);
		}

		if (load->options.has_progress && ++runs % RUNS_PER_LOOK == 0) {
			show_progress(load);
		}
	}
}

/* Lets go of the graph: an interrupted sink finishes its file then. */
static void release_graph(struct load *load)
{
	struct timespec cpu;

	bt_graph_put_ref(load->graph);
	load->graph = NULL;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	if (load->channel.end_phase.wall_s <= 0) {
		load->channel.end_phase = (struct store_phase){
			.wall_s = elapsed_s(load),
			.cpu_s = (double)cpu.tv_sec + 1e-9 * (double)cpu.tv_nsec,
		};
	}
}

static void print_events(const struct load *load)
{
	const struct load_channel *channel = &load->channel;
	double wall_s = elapsed_s(load);
	int64_t places = load->salvage_plan ? (int64_t)salvage_plan_count(load->salvage_plan) : 0;

	if (places > 0) {
		command_print("warning: %" PRId64 " %s damaged; what was lost is in lost_interval "
			      "and load_problem",
				places, places == 1 ? "place is" : "places are");
	}

	(void)fprintf(stderr, "%" PRId64 " events in %.2f s (%.0f events/s), %" PRId64 " lost",
			channel->events, wall_s,
			wall_s > 0 ? (double)channel->events / wall_s : 0.0, channel->lost_events);
	if (channel->lost_packets != 0) {
		(void)fprintf(stderr, ", packets lost: %" PRId64, channel->lost_packets);
	}

	fputc('\n', stderr);
	if (load->options.verbosity > 0) {
		(void)fprintf(stderr,
				"phases: rows %.2f s wall %.2f s cpu, finish %.2f s wall %.2f s cpu\n",
				channel->rows_phase.wall_s, channel->rows_phase.cpu_s,
				channel->end_phase.wall_s - channel->rows_phase.wall_s,
				channel->end_phase.cpu_s - channel->rows_phase.cpu_s);
		(void)fprintf(stderr,
				"threads: decoding %.2f s cpu, reader %.2f s cpu, writer %.2f s cpu\n",
				channel->decoding_cpu_s,
				channel->rows_phase.cpu_s - channel->decoding_cpu_s -
						channel->rows_phase.writer_cpu_s,
				channel->rows_phase.writer_cpu_s);
	}
}

static void print_end(const struct load *load)
{
	int64_t problems = load->channel.problems + load->files.problems;

	if (load->options.is_quiet) {
		return;
	}

	if (load->options.input_count > 0) {
		print_events(load);
	}

	if (problems > 0) {
		(void)fprintf(stderr, "%" PRId64 " %s noted: see 'carrierscope report problems ",
				problems, problems == 1 ? "problem" : "problems");
		visible_print(stderr, load->options.database, VISIBLE_CELL);
		fputs("'\n", stderr);
	}
}

static bool has_lost(const struct load *load)
{
	return load->files.serious_problems > 0 || load->channel.serious_problems > 0 ||
			load->channel.lost_events != 0 || load->channel.lost_packets != 0 ||
			(load->salvage_plan && salvage_plan_count(load->salvage_plan) > 0);
}

/* Says why the load failed: the sink knows best, then the damaged file. */
static int print_failure(const struct load *load, const struct diag *diag)
{
	struct diag explained = { 0 };

	if (load->channel.diag.file) {
		return command_fail(&load->channel.diag);
	}

	if (load->may_be_damaged && salvage_plan_explain(&load->options, &explained)) {
		return command_fail(&explained);
	}

	return command_fail(diag);
}

/* Between two chunks; false: stop. */
static bool look(void *data)
{
	struct load *load = data;

	load->was_interrupted = interrupt_is_set();
	if (load->options.has_progress) {
		show_progress(load);
	}

	return !load->was_interrupted;
}

/* Loads with several threads; *ret_is_done is false where one graph is as good. */
static enum csc_status run_parallel(struct load *load, const struct load_plan *plan,
		bool *ret_is_done, struct diag *diag)
{
	const struct load_options *options = &load->options;
	size_t jobs = options->is_salvaging || options->begin || options->end
			? 1
			: load_parallel_jobs(&load->inputs, options->jobs);
	struct parallel *parallel = NULL;
	enum csc_status status;

	*ret_is_done = false;
	if (jobs < 2) {
		return CSC_OK;
	}

	status = load_parallel_create(plan, jobs, &parallel, diag);
	if (parallel) {
		*ret_is_done = true;
		status = load_parallel_run(parallel, look, load);
		if (status != CSC_OK) {
			status = fail_run(load, diag);
		}
	}

	load_parallel_destroy(parallel);
	return status;
}

/* Reads the traces behind what the files made. */
static enum csc_status run_traces(struct load *load, struct diag *diag)
{
	const struct load_plan plan = make_plan(load);
	enum csc_status status;
	bool is_done;

	/* Of a part of a trace they are not what follows. */
	if (!plan.begin && !plan.end && load->inputs.count > 0 && !load->inputs.items[0].is_live) {
		load->channel.takes_rings = true;
	}
	status = run_parallel(load, &plan, &is_done, diag);
	if (status == CSC_OK && !is_done) {
		status = load_graph_create(&plan, &load->graph, diag);
		if (status == CSC_OK) {
			status = run_graph(load, diag);
		}
	}

	clear_progress(load);
	release_graph(load);
	return load->channel.diag.file ? CSC_ERROR : status;
}

/* Finds all inputs before anything is written. */
static enum csc_status find_all(struct load *load, struct diag *diag)
{
	enum csc_status status = load_files_find(&load->options, &load->files, diag);

	if (status != CSC_OK || load->options.input_count == 0) {
		return status;
	}

	for (size_t i = 0; i < load->options.input_count && load->files.count > 0; i++) {
		if (input_is_url(load->options.inputs[i])) {
			return DIAG_FAIL(diag, "cannot load '%s' with files: load it alone",
					load->options.inputs[i]);
		}
	}

	status = bt_classes_find(&load->classes, diag);
	return status == CSC_OK ? find_inputs(load, diag) : status;
}

static enum csc_status read_all(struct load *load, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	load->has_begun = true;
	if (load->files.count > 0) {
		status = load_files_read(&load->files, &load->options, &load->working_path, diag);
		load->was_interrupted = load->files.was_interrupted;
	}

	if (status == CSC_OK && load->options.input_count > 0 && !load->was_interrupted) {
		status = run_traces(load, diag);
	}

	if (status == CSC_OK && load->working_path) {
		status = store_publish(load->working_path, load->options.database,
				load->options.is_forced, diag);
	}

	if (status != CSC_OK && load->working_path) {
		(void)unlink(load->working_path);
	}

	return status;
}

/* Of a load that does not end by itself: see interrupt.h. */
static const char *clean_late(void *data, bool is_abort)
{
	const struct load *load = data;
	const char *database = load->options.database;
	char *shown = NULL;
	char *line = NULL;
	struct stat file;

	store_remove_unfinished(database, true);
	salvage_plan_remove_copies(database);
	shown = visible_copy(database, VISIBLE_CELL);
	if (is_abort) {
		return asprintf(&line, "cannot load: Babeltrace gave up, for the reason above; nothing of this load is kept in '%s' (--salvage may load the trace)",
				       shown ? shown : "") < 0
				? NULL
				: line;
	}

	return asprintf(&line, "interrupted: it did not end within a second, %s '%s'",
			       stat(database, &file) == 0
					       ? "and what it had not finished is not kept in"
					       : "nothing was written to",
			       shown ? shown : "") < 0
			? NULL
			: line;
}

static enum csc_status run_load(struct load *load, struct diag *diag)
{
	enum csc_status status = check_database(load, diag);

	load->interrupter = bt_interrupter_create();
	if (status == CSC_OK && !load->interrupter) {
		return DIAG_NO_MEMORY(diag);
	}

	load->end = (struct interrupt_end){ clean_late, load };
	interrupt_watch(load->interrupter, &load->end);
	if (status == CSC_OK) {
		status = find_all(load, diag);
	}

	if (status == CSC_OK && interrupt_is_set()) {
		load->was_interrupted = true;
	}

	if (status == CSC_OK && !load->was_interrupted) {
		status = read_all(load, diag);
	}

	interrupt_unwatch();
	bt_error_clear();
	return status;
}

int load_run(int argc, char **argv, char **ret_database)
{
	struct load load = { .channel = { .magic = LOAD_CHANNEL_MAGIC } };
	struct diag diag = { 0 };
	int exit_status = EXIT_DONE;

	*ret_database = NULL;
	load_options_read(argc, argv, &load.options);
	if (load.options.is_recovering) {
		return recover_run(&load.options);
	}

	load.channel.mode = files_mode();
	if (load.options.verbosity < 2) {
		bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
	}

	(void)signal(SIGPIPE, SIG_IGN);
	(void)clock_gettime(CLOCK_MONOTONIC, &load.started);
	if (run_load(&load, &diag) != CSC_OK) {
		exit_status = print_failure(&load, &diag);
	} else if (load.was_interrupted) {
		struct stat file;

		command_print("interrupted: %s '%s'",
				load.has_begun && stat(load.options.database, &file) == 0
						? "there is part of it in"
						: "nothing was written to",
				load.options.database);
		exit_status = EXIT_INTERRUPTED;
	} else {
		print_end(&load);
		*ret_database = load.options.is_quiet ? NULL : strdup(load.options.database);
		exit_status = load.options.is_strict && has_lost(&load) ? EXIT_LOSS : EXIT_DONE;
	}

	free(load.working_path);
	salvage_plan_destroy(load.salvage_plan);
	load_files_finish(&load.files);
	inputs_finish(&load.inputs);
	bt_classes_put(&load.classes);
	bt_interrupter_put_ref(load.interrupter);
	load_options_finish(&load.options);
	return exit_status;
}
