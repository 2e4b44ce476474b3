/* SPDX-License-Identifier: MIT */
/* A workload from the file to the figures. */
#include "workload_command.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boardreport.h"
#include "flags.h"
#include "listener.h"
#include "runterm.h"
#include "truth.h"
#include "workload_run.h"

/* Moments of a run at which figures are written beside the recording, but its end. */
#define MOMENTS 16

/* What is printed while it runs. */
struct command {
	const struct workload_request *request;
	const struct workload *workload;
	struct runtime *runtime;
	FILE *out;
	bool has_allocator[CSC_ALLOCATORS];

	/* NULL: nobody wants it. */
	struct truth *truth;
	uint64_t moments;
	bool has_paused;

	/* What the shell of a board said at the end; NULL: there is none. */
	char *heap_report;
};

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* One line for each allocator that the workload uses; all are comments for Erlang. */
static void command_on_phase(void *context, size_t number, const struct scheduler_figures *figures)
{
	struct command *command = context;

	if (command->request->is_quiet) {
		return;
	}
	fprintf(command->out,
			"%% phase %s: %" PRIu64 " allocated, %" PRIu64 " resized, %" PRIu64
			" freed so far\n",
			command->workload->phases[number].name, figures->allocs, figures->reallocs,
			figures->frees);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct runtime_use use;

		if (!command->has_allocator[i]) {
			continue;
		}
		runtime_use(command->runtime, (enum csc_allocator)i, &use);
		fprintf(command->out,
				"%%   %s: %" PRIu64 " blocks, %" PRIu64 " of %" PRIu64
				" bytes in %" PRIu64 " carriers, %.1f %%\n",
				csc_allocator_infos[i].name, use.blocks, use.blocks_bytes,
				use.carriers_bytes, use.carriers,
				percent_of(use.blocks_bytes, use.carriers_bytes));
	}
}

static uint32_t command_word_bytes(const struct workload_request *request)
{
	return request->board ? request->board->word_bytes : 8;
}

/* The settings of the file and of the command line, in force. */
static enum csc_status command_settle(const struct workload_request *request,
		const struct workload *workload, struct csc_options *ret_options, struct diag *diag)
{
	struct flags_machine machine = { .dirty_schedulers = workload->schedulers };
	size_t count = workload->flag_count + (size_t)request->flag_count;
	char **flags = calloc(count + 1, sizeof(*flags));
	enum csc_status status;

	if (!flags) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; i < count; i++) {
		flags[i] = i < workload->flag_count ? workload->flags[i]
						    : request->flags[i - workload->flag_count];
	}
	csc_options_init(ret_options, request->generation, command_word_bytes(request),
			workload->schedulers);
	ret_options->carrier_trim = request->board ? request->board->trim_bytes : 0;
	status = flags_take(ret_options, &machine, (int)count, flags, diag);
	free(flags);
	return status;
}

/* The runtime's own sentence. */
static void command_print_failure(const struct command *command,
		const struct scheduler_failure *failure, struct diag *diag)
{
	const struct csc_block_type *type = failure->kind->type;
	enum csc_allocator allocator = memory_type_allocator(type);
	const char *name = "sys_alloc";

	if (allocator < CSC_ALLOCATORS &&
			runtime_options(command->runtime)->allocators[allocator].is_enabled) {
		name = csc_allocator_infos[allocator].name;
	}
	(void)DIAG_FAIL(diag, "%s: Cannot %s %" PRIu64 " bytes of memory (of type \"%s\").", name,
			failure->is_realloc ? "reallocate" : "allocate", failure->bytes,
			type->description);
}

/* What the allocators count is what the workload counts. */
static enum csc_status command_check(const struct command *command,
		const struct scheduler_figures *figures, struct diag *diag)
{
	const struct rtems_heap *heap = runtime_heap(command->runtime);
	const char *problem = heap ? rtems_heap_problem(heap) : NULL;
	uint64_t blocks = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct runtime_use use;

		runtime_use(command->runtime, (enum csc_allocator)i, &use);
		blocks += use.blocks - use.kept;
	}
	if (problem) {
		return DIAG_FAIL(diag, "the heap of the board is not sound: %s", problem);
	}
	if (figures->damaged) {
		return DIAG_FAIL(diag, "the content of %" PRIu64 " blocks was lost",
				figures->damaged);
	}
	return blocks == (uint64_t)figures->blocks
			? CSC_OK
			: DIAG_FAIL(diag,
					  "the allocators have %" PRIu64
					  " blocks, the workload has %" PRId64,
					  blocks, figures->blocks);
}

static void command_sum_up(const struct command *command, const struct scheduler_figures *figures)
{
	struct address_space_figures space;
	uint64_t carriers = 0;
	uint64_t blocks_bytes = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct runtime_use use;

		runtime_use(command->runtime, (enum csc_allocator)i, &use);
		carriers += use.carriers;
		blocks_bytes += use.blocks_bytes;
	}
	runtime_address_space(command->runtime, &space);
	fprintf(command->out,
			"%% %" PRIu64 " operations, %" PRIu64 " carriers, %" PRId64
			" blocks, %" PRIu64 " bytes in blocks, %" PRId64
			" asked for, footprint %" PRIu64 " bytes, peak %" PRIu64
			" bytes, utilisation %.1f %%\n",
			figures->allocs + figures->reallocs + figures->frees, carriers,
			figures->blocks, blocks_bytes, figures->blocks_bytes, space.bytes,
			space.peak_bytes, percent_of(blocks_bytes, space.bytes));
	if (figures->refused) {
		fprintf(command->out, "%% %" PRIu64 " requests of the system were refused\n",
				figures->refused);
	}
}

static enum csc_status command_print(const struct command *command,
		const struct scheduler_figures *figures, struct diag *diag)
{
	const char *path = command->request->stats_path;
	FILE *out = command->out;
	bool is_good;

	if (path) {
		out = fopen(path, "w");
		if (!out) {
			return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
		}
	}
	if (path || (!command->request->is_quiet && !command->request->board)) {
		runterm_print(command->runtime, out);
	}
	is_good = !ferror(out);
	if (path && fclose(out) != 0) {
		is_good = false;
	}
	if (!is_good) {
		return DIAG_FAIL(diag, "cannot write '%s'", path ? path : "the result");
	}
	if (!command->request->is_quiet) {
		command_sum_up(command, figures);
	}
	return CSC_OK;
}

static void command_write_moment(struct command *command, const char *kind,
		const struct workload_run *run, uint64_t done)
{
	struct scheduler_figures figures;

	if (command->truth) {
		workload_run_figures(run, &figures);
		truth_moment(command->truth, kind, done, &figures);
	}
}

/* Somebody else does something with the run where it is. */
static void command_pause(struct command *command, const struct workload_run *run, uint64_t done)
{
	int letter;

	command->has_paused = true;
	command_write_moment(command, "pause", run, done);
	csc_listener_rest(command->request->listener);
	fputs("paused\n", command->out);
	fflush(command->out);
	do {
		letter = getchar();
	} while (letter != EOF && letter != '\n');
	csc_listener_tick(command->request->listener);
}

static bool command_on_burst(
		void *context, const struct workload_run *run, uint64_t done, uint64_t operations)
{
	struct command *command = context;
	uint64_t pause_percent = command->request->pause_percent;

	if (done * (MOMENTS + 1) >= operations * (command->moments + 1) &&
			command->moments < MOMENTS) {
		command->moments = done * (MOMENTS + 1) / (operations ? operations : 1);
		command_write_moment(command, "moment", run, done);
	}
	if (pause_percent && pause_percent < 100 && !command->has_paused &&
			done * 100 >= operations * pause_percent) {
		command_pause(command, run, done);
		return true;
	}
	return false;
}

/* All blocks are there: what the shell of the board prints now. */
static void command_end_board(struct command *command)
{
	const struct rtems_heap *heap = runtime_heap(command->runtime);
	uint64_t unit_bytes = runtime_unit_bytes(runtime_options(command->runtime));
	size_t bytes = 0;
	FILE *out = heap ? open_memstream(&command->heap_report, &bytes) : NULL;
	struct heap_figures figures;

	if (!out) {
		return;
	}
	runtime_emit_heap(command->runtime);
	rtems_heap_figures(heap, unit_bytes, &figures);
	fprintf(out,
			"%% heap: %" PRIu64 " bytes in alignment holes, largest carrier %" PRIu64
			" bytes\n",
			figures.hole_bytes, figures.largest_carrier);
	boardreport_print(&figures, out);
	fclose(out);
}

static void command_on_end(void *context, const struct workload_run *run)
{
	struct command *command = context;

	command_end_board(command);
	command_write_moment(command, "end", run, run->operations);
	if (command->request->pause_percent && !command->has_paused) {
		command_pause(command, run, run->operations);
	}
}

/* What the console of a board shows at the end; `sentence` NULL: the runtime lives. */
static void command_print_board(const struct command *command, const char *sentence)
{
	if (!command->heap_report) {
		return;
	}
	fflush(command->out);
	if (sentence) {
		fprintf(stderr, "%s\n", sentence);
	}
	if (!command->request->is_quiet) {
		fputs(command->heap_report, command->out);
	}
}

static enum csc_status command_work(struct command *command, bool *ret_is_own, struct diag *diag)
{
	struct workload_run_report report = { command, command_on_phase, command_on_end,
		command_on_burst };
	struct scheduler_figures figures = { 0 };
	struct scheduler_failure failure = { 0 };
	enum csc_status status = workload_run(command->workload, command->runtime,
			command->request->is_threaded, &report, &figures, &failure, diag);

	if (diag_is_set(diag)) {
		return CSC_ERROR;
	}
	if (command_check(command, &figures, diag) != CSC_OK) {
		status = CSC_ERROR;
	}
	if (command_print(command, &figures, diag) != CSC_OK) {
		status = CSC_ERROR;
	}
	if (failure.kind && !diag_is_set(diag)) {
		command_print_failure(command, &failure, diag);
		*ret_is_own = true;
	}
	command_print_board(command, *ret_is_own ? diag->text : NULL);
	free(command->heap_report);
	return status;
}

enum workload_outcome workload_command(const struct workload_request *request, FILE *out,
		bool *ret_is_own, struct diag *diag)
{
	struct workload_override override = request->override;
	struct workload *workload;
	struct command command = { .request = request, .out = out };
	struct runtime_config config = {
		.is_threaded = request->is_threaded,
		.board = request->board,
		.limit_bytes = request->limit_bytes,
		.listener = request->listener,
	};
	enum csc_status status;

	*ret_is_own = false;
	override.word_bytes = command_word_bytes(request);
	workload = workload_read(request->path, request->generation, &override, diag);
	if (!workload) {
		return WORKLOAD_REFUSED;
	}
	command.workload = workload;
	for (size_t i = 0; i < workload->source_count; i++) {
		enum csc_allocator allocator =
				memory_type_allocator(workload->sources[i].kind.type);

		if (allocator < CSC_ALLOCATORS) {
			command.has_allocator[allocator] = true;
		}
	}
	status = command_settle(request, workload, &config.options, diag);
	if (status == CSC_OK && request->truth_path) {
		command.truth = truth_open(request->truth_path, request->truth_clock_path, diag);
		status = command.truth ? CSC_OK : CSC_ERROR;
	}
	if (status == CSC_OK) {
		config.witness = command.truth ? truth_listener(command.truth) : NULL;
		command.runtime = runtime_create(&config, diag);
		status = command.runtime ? CSC_OK : CSC_ERROR;
		if (status == CSC_OK) {
			status = command_work(&command, ret_is_own, diag);
		}
		runtime_destroy(command.runtime);
	}
	if (truth_close(command.truth, diag) != CSC_OK) {
		status = CSC_ERROR;
	}
	workload_destroy(workload);
	return status == CSC_OK ? WORKLOAD_DONE : WORKLOAD_FAILED;
}
