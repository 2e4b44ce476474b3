/*
 * SPDX-License-Identifier: MIT
 */
#include "lttng.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

enum csc_status lttng_run(int timeout_ms, struct diag *diag, const char *const words[])
{
	struct process_result *result = malloc(sizeof(*result));
	/* A daemon that it starts by itself would be nobody's. */
	char *argv[17] = { (char *)words[0], (char *)"--no-sessiond", NULL };
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 1; words[i]; i++) {
		argv[i + 1] = (char *)words[i];
	}
	status = process_run(argv, NULL, timeout_ms, result, diag);
	if (status == CSC_OK && result->status != 0) {
		status = DIAG_FAIL(
				diag, "lttng %s: %s", words[1], process_last_line(result->output));
	}
	free(result);
	return status;
}

/* From the release on that has the option; an unknown one has not. */
static bool has_trace_format(void)
{
	/* The first release that writes CTF 2. */
	enum { MAJOR = 2, MINOR = 15 };

	struct process_result *result = malloc(sizeof(*result));
	char program[] = "lttng";
	char version[] = "--version";
	struct diag ignored = { 0 };
	unsigned int major = 0;
	unsigned int minor = 0;
	const char *at = NULL;

	if (result &&
			process_run((char *[]){ program, version, NULL }, NULL, LTTNG_MS, result,
					&ignored) == CSC_OK) {
		at = strchr(result->output, ')');
	}
	/* NOLINTNEXTLINE(cert-err34-c): what is no number stays 0 */
	(void)(at && sscanf(at, ") %u.%u", &major, &minor));
	free(result);
	return major > MAJOR || (major == MAJOR && minor >= MINOR);
}

enum csc_status lttng_create(
		const char *name, const char *output, const char *option, struct diag *diag)
{
	const char *words[7] = { "lttng", "create", name, output };
	size_t count = 4;

	if (option) {
		words[count++] = option;
	}
	if (has_trace_format()) {
		words[count] = "--trace-format=ctf-1.8";
	}
	return lttng_run(LTTNG_MS, diag, words);
}

static uint64_t counted_bytes;

static int count_one(const char *path, const struct stat *about, int kind, struct FTW *where)
{
	(void)path;
	(void)where;
	counted_bytes += kind == FTW_F ? (uint64_t)about->st_size : 0;
	return 0;
}

uint64_t lttng_folder_bytes(const char *folder)
{
	counted_bytes = 0;
	(void)nftw(folder, count_one, 16, FTW_PHYS);
	return counted_bytes;
}

/* A session of a node that was killed while it wrote an event may never end by itself: only the
 * second of these waits for what is not written yet. */
void lttng_destroy(const char *session)
{
	struct diag ignored = { 0 };

	(void)LTTNG(LTTNG_MS, &ignored, "stop", "--no-wait", session);
	if (LTTNG(LTTNG_DESTROY_MS, &ignored, "destroy", session) != CSC_OK) {
		(void)LTTNG(LTTNG_MS, &ignored, "destroy", "--no-wait", session);
	}
}

enum csc_status lttng_each_session(const char *prefix,
		void (*visit)(const char *session, void *context), void *context, struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char program[] = "lttng";
	char no_daemon[] = "--no-sessiond";
	char list[] = "list";
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	status = process_run(
			(char *[]){ program, no_daemon, list, NULL }, NULL, LTTNG_MS, result, diag);
	for (char *at = result->output; status == CSC_OK && (at = strstr(at, prefix));) {
		char name[96] = "";

		(void)sscanf(at, "%95[-a-z0-9]", name);
		at += strlen(name);
		visit(name, context);
	}
	free(result);
	return status;
}
