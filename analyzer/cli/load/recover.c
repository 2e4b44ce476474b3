/*
 * SPDX-License-Identifier: MIT
 *
 * Says in one sentence what was done.
 */
#include "recover.h"

#include "command.h"
#include "salvage_plan.h"
#include "store_file.h"
#include "store_recover.h"

int recover_run(struct load_options *options)
{
	static const char *const done[] = {
		[STORE_RECOVERED_NOTHING] = "nothing had to be undone or put in",
		[STORE_RECOVERED_UNDONE] = "what a load that broke off had appended is undone",
		[STORE_RECOVERED_FINISHED] =
				"what a load that broke off had committed is in it now",
	};
	const char *path = options->inputs[0];
	enum store_recovery recovery = STORE_RECOVERED_NOTHING;
	struct diag diag = { 0 };
	int exit_status = EXIT_DONE;

	if (store_recover(path, &recovery, &diag) != CSC_OK) {
		exit_status = command_fail(&diag);
	} else if (!options->is_quiet) {
		command_print("'%s': %s", path, done[recovery]);
	}

	store_remove_unfinished(path, false);
	salvage_plan_remove_stale(path);
	load_options_finish(options);
	return exit_status;
}
