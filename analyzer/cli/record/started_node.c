/*
 * SPDX-License-Identifier: MIT
 *
 * It is told who records by variables, and looks for that process in /proc (carrierscope_lease).
 */
#include "started_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "recorder_name.h"
#include "session.h"

/* How long a node may take until it is hooked, and until it has ended. */
enum { BOOT_SECONDS = 60, END_MS = 30000 };

/* The kernel gives no program a longer variable, its name and its end included. */
enum { VARIABLE_BYTES = 32 * 4096 };

static int64_t monotonic_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static enum csc_status prepare_with(struct started_node *node, const struct record_options *options,
		const char *ebin, const char *by, struct diag *diag)
{
	const char *flags = getenv("ERL_AFLAGS");
	char *aflags = NULL;
	char *name = NULL;
	char words[128];
	char snapshots[64];
	char recorder[96];
	enum csc_status status = CSC_OK;

	(void)snprintf(words, sizeof(words), "CARRIERSCOPE_OPTIONS=");
	if (options->sample_bytes > 0) {
		(void)snprintf(words, sizeof(words), "CARRIERSCOPE_OPTIONS=sample=bytes:%llu%s",
				(unsigned long long)options->sample_bytes,
				options->has_no_stacks ? " stacks=false" : "");
	}
	(void)snprintf(snapshots, sizeof(snapshots), "CARRIERSCOPE_SNAPSHOTS_MS=%u",
			options->snapshots_ms);
	(void)snprintf(recorder, sizeof(recorder), "CARRIERSCOPE_RECORDER=%d %llu %d",
			(int)getpid(), files_process_start(getpid()), node->answer);
	if (asprintf(&aflags, "ERL_AFLAGS=-pz \"%s\" -run carrierscope_recorder boot %s", ebin,
			    flags ? flags : "") < 0) {
		aflags = NULL;
	}
	if (asprintf(&name, "CARRIERSCOPE_BY=%s", by) < 0) {
		name = NULL;
	}
	if (!aflags || !name) {
		status = DIAG_NO_MEMORY(diag);
	} else if (strlen(aflags) >= VARIABLE_BYTES) {
		status = DIAG_FAIL(diag,
				"the variable ERL_AFLAGS has %zu bytes, and with what records the node it is longer than the %d that a program is given: move flags of it into a file of -args_file",
				strlen(flags ? flags : ""), VARIABLE_BYTES - 1);
	} else {
		status = process_prepare(options->command,
				(char *[]){ aflags, words, snapshots, recorder, name, NULL },
				&node->process, diag);
	}
	/* The process that waits has copies. */
	free(aflags);
	free(name);
	return status;
}

enum csc_status started_node_prepare(struct started_node *node,
		const struct record_options *options, const char *ebin, struct diag *diag)
{
	char *by;
	enum csc_status status;

	if (strpbrk(ebin, "\"\\")) {
		return DIAG_FAIL(diag,
				"the folder '%s' of module carrierscope has a quote or a backslash in its name, which ERL_AFLAGS cannot have: name another one with --ebin",
				ebin);
	}
	/* Where there is none, the node's log alone says why it is not recorded. */
	node->answer = memfd_create("carrierscope", MFD_CLOEXEC);
	by = recorder_name();
	status = by ? prepare_with(node, options, ebin, by, diag) : DIAG_NO_MEMORY(diag);
	free(by);
	return status;
}

/* Why the node records nothing, if it has said so. */
static enum csc_status check_answer(const struct started_node *node, struct diag *diag)
{
	static const char mark[] = "csc-error ";
	char line[DIAG_TEXT_BYTES] = "";
	ssize_t length = node->answer >= 0 ? pread(node->answer, line, sizeof(line) - 1, 0) : 0;

	if (length <= 0 || strncmp(line, mark, strlen(mark)) != 0) {
		return CSC_OK;
	}
	line[strcspn(line, "\n")] = '\0';
	return DIAG_FAIL(diag, "the node cannot be recorded: %s", line + strlen(mark));
}

/* The node is another process, which LTTng knows by now: it is hooked, or will be. */
static enum csc_status check_below(
		const struct started_node *node, const char *command, struct diag *diag)
{
	pid_t below = record_session_find_below(node->process.pid);

	if (below == 0) {
		return CSC_OK;
	}
	(void)kill(below, SIGUSR2);
	return DIAG_FAIL(diag,
			"'%s' starts the node as another process, %d, which cannot be recorded from its boot, and was ended: start it without carrierscope, then record it by --node or --via",
			command, (int)below);
}

enum csc_status started_node_release(struct started_node *node,
		const struct record_options *options, const char *ebin,
		const volatile sig_atomic_t *is_interrupted, struct diag *diag)
{
	const char *command = options->command[0];
	struct diag unknown = { 0 };
	int64_t begin = monotonic_ms();
	bool is_known = false;
	enum csc_status status;

	process_release(&node->process);
	while (monotonic_ms() - begin < INT64_C(1000) * BOOT_SECONDS && !*is_interrupted) {
		if (is_known) {
			process_pause();
		} else {
			is_known = record_session_await(node->process.pid, 0, 1, &unknown) ==
					CSC_OK;
		}
		status = check_answer(node, diag);
		if (status != CSC_OK || (is_known && process_catches(node->process.pid, SIGUSR2))) {
			return status;
		}
		if (started_node_is_over(node)) {
			return node->status == 0
					? CSC_OK
					: DIAG_FAIL(diag, "'%s' ended with exit status %d before it was recorded",
							  command, node->status);
		}
		status = is_known ? CSC_OK : check_below(node, command, diag);
		if (status != CSC_OK) {
			return status;
		}
	}
	return *is_interrupted
			? DIAG_FAIL(diag, "interrupted before '%s' was recorded", command)
			: DIAG_FAIL(diag, "'%s' was not recorded: it did not load module carrierscope from '%s' within %d s",
					  command, ebin, BOOT_SECONDS);
}

bool started_node_is_over(struct started_node *node)
{
	if (node->process.pid && process_has_ended(node->process.pid, &node->status)) {
		node->process.pid = 0;
	}
	return node->process.pid == 0;
}

void started_node_end(struct started_node *node)
{
	if (node->process.pid) {
		(void)kill(node->process.pid, SIGUSR2);
	}
	for (int64_t until = monotonic_ms() + END_MS; !started_node_is_over(node);
			process_pause()) {
		if (monotonic_ms() >= until) {
			(void)kill(node->process.pid, SIGKILL);
		}
	}
	if (node->answer > 0) {
		(void)close(node->answer);
		node->answer = 0;
	}
}
