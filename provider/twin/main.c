/* SPDX-License-Identifier: MIT */
/* carrierscope-twin: the runtime's allocators without the runtime. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "flags.h"
#include "lttng_listener.h"
#include "opfile.h"
#include "oprun.h"
#include "optionterm.h"
#include "request.h"
#include "runtime.h"

static int complain(const struct diag *diag, int code)
{
	fflush(stdout);
	fprintf(stderr, "carrierscope-twin: %s\n", diag->text);
	return code;
}

/* The statistics of the end go to the file of that path; -: they alone are printed; NULL: nowhere.
 */
static int run_operations(const char *path, const char *stats_path, struct csc_listener *listener)
{
	struct opfile opfile = { 0 };
	struct oprun_witness witness = { .other = listener };
	struct diag diag = { 0 };
	bool is_printed = stats_path && strcmp(stats_path, "-") == 0;
	FILE *out = is_printed ? fopen("/dev/null", "w") : stdout;
	int code = EXIT_DONE;

	if (!out) {
		(void)DIAG_FAIL(&diag, "cannot open /dev/null: %s", strerror(errno));
		return complain(&diag, EXIT_FAILED);
	}
	if (opfile_read(&opfile, path, &diag) != CSC_OK) {
		code = complain(&diag, EXIT_USAGE);
		goto end;
	}
	if (is_printed) {
		witness.statistics = stdout;
	} else if (stats_path) {
		witness.statistics = fopen(stats_path, "w");
		if (!witness.statistics) {
			(void)DIAG_FAIL(&diag, "cannot write '%s': %s", stats_path,
					strerror(errno));
			code = complain(&diag, EXIT_FAILED);
			goto end;
		}
	}
	if (oprun(&opfile, out, &witness, &diag) != CSC_OK) {
		code = complain(&diag, EXIT_FAILED);
	}
	if (witness.statistics && !is_printed &&
			(ferror(witness.statistics) | fclose(witness.statistics)) &&
			code == EXIT_DONE) {
		(void)DIAG_FAIL(&diag, "cannot write '%s'", stats_path);
		code = complain(&diag, EXIT_FAILED);
	}
	if (code == EXIT_DONE && fflush(stdout) != 0) {
		(void)DIAG_FAIL(&diag, "cannot write the result");
		code = complain(&diag, EXIT_FAILED);
	}
end:
	if (is_printed) {
		(void)fclose(out);
	}
	opfile_finish(&opfile);
	return code;
}

/* Makes main carriers as a start would; with words of 4 bytes that is a question to a board. */
static enum csc_status try_start(const struct csc_options *settings, struct diag *diag)
{
	struct runtime_config config = { .options = *settings };
	struct runtime *runtime;

	if (settings->word_bytes != 8) {
		return CSC_OK;
	}
	runtime = runtime_create(&config, diag);
	runtime_destroy(runtime);
	return runtime ? CSC_OK : CSC_ERROR;
}

static int print_options(const struct request *request)
{
	uint32_t schedulers = request->workload.override.schedulers;
	struct flags_machine machine = { .dirty_schedulers = schedulers ? schedulers : 1 };
	struct diag diag = { 0 };
	struct csc_options settings;

	csc_options_init(&settings, request->workload.generation, request->word_bytes == 4 ? 4 : 8,
			machine.dirty_schedulers);
	/* A bad flag ends the runtime with exit code 1; so does a start that fails. */
	if (flags_take(&settings, &machine, request->flag_count, request->flags, &diag) != CSC_OK ||
			try_start(&settings, &diag) != CSC_OK) {
		return complain(&diag, EXIT_FAILED);
	}
	optionterm_print(&settings, stdout);
	return EXIT_DONE;
}

/* On a board flags of the emulator begin with '-': there is no erlexec to turn '+' into it. */
static void rewrite_board_flags(struct request *request)
{
	for (int i = 0; i < request->flag_count; i++) {
		if (strncmp(request->flags[i], "-M", 2) == 0) {
			request->flags[i][0] = '+';
		}
	}
}

static int run_workload(struct request *request)
{
	struct diag diag = { 0 };
	bool is_own = false;
	enum workload_outcome result;

	request->workload.flags = request->flags;
	request->workload.flag_count = request->flag_count;
	result = workload_command(&request->workload, stdout, &is_own, &diag);
	if (result == WORKLOAD_DONE && fflush(stdout) != 0) {
		(void)DIAG_FAIL(&diag, "cannot write the result");
		return complain(&diag, EXIT_FAILED);
	}
	if (is_own && request->workload.board) {
		return EXIT_FAILED;
	}
	if (is_own) {
		/* The runtime says it without anything before it. */
		fflush(stdout);
		fprintf(stderr, "%s\n", diag.text);
		return EXIT_FAILED;
	}
	if (result != WORKLOAD_DONE) {
		return complain(&diag, result == WORKLOAD_REFUSED ? EXIT_USAGE : EXIT_FAILED);
	}
	return EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct request request = { 0 };
	struct csc_listener *listener;
	struct diag diag = { 0 };
	struct board *board = NULL;
	int code;

	request_parse(argc, argv, &request);
	if (request.board) {
		board = board_read(request.board, &diag);
		if (!board) {
			return complain(&diag, EXIT_USAGE);
		}
		rewrite_board_flags(&request);
		request.workload.board = board;
		request.workload.generation = board->generation;
	}
	if (request.otp || !request.workload.generation) {
		request.workload.generation = csc_generation_find(request.otp ? request.otp : "25");
	}
	listener = request.is_silent ? NULL : lttng_listener();
	if (request.has_batches) {
		lttng_listener_pack();
	}
	request.workload.listener = listener;
	if (request.ops) {
		return run_operations(request.ops, request.workload.stats_path, listener);
	}
	code = request.has_print ? print_options(&request) : run_workload(&request);
	board_destroy(board);
	return code;
}
