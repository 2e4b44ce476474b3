/*
 * SPDX-License-Identifier: MIT
 *
 * By the commands that a user would type.
 */
#include "keep_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "keep_index.h"
#include "process.h"
#include "visible.h"

enum { LOAD_MS = 600000, REPORT_MS = 120000, COMMAND_MS = 600000 };

/* Of a database: the name of its text. */
static void name_text(const char *database, char ret_text[static 400])
{
	(void)snprintf(ret_text, 400, "%s", database);
	(void)snprintf(strrchr(ret_text, '.'), 5, ".txt");
}

static bool is_free(const char *database)
{
	struct stat about;
	char text[400];

	name_text(database, text);
	return lstat(database, &about) != 0 && lstat(text, &about) != 0;
}

/* DIR/20261122-223012-growth.db, or the next name that is free. */
static void make_name(const struct keep_case *found, char ret_name[static 400])
{
	time_t now = time(NULL);
	struct tm parts;
	char when[32] = "now";

	if (localtime_r(&now, &parts)) {
		(void)strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &parts);
	}
	(void)snprintf(ret_name, 400, "%s/%s-%s.db", found->folder, when, found->reason);
	for (int i = 2; !is_free(ret_name) && i < 100; i++) {
		(void)snprintf(ret_name, 400, "%s/%s-%s-%d.db", found->folder, when, found->reason,
				i);
	}
}

/* What a person reads first; `text` is its file. */
static enum csc_status write_text(const struct keep_case *found, char *database, const char *text,
		struct process_result *result, struct diag *diag)
{
	char program[] = "/proc/self/exe";
	char report[] = "report";
	int made = files_create(text);
	FILE *file = made >= 0 ? fdopen(made, "w") : NULL;
	enum csc_status status;

	if (!file) {
		return DIAG_FAIL(diag, "cannot write '%s': %s", text, strerror(errno));
	}
	visible_print(file, found->sentence, VISIBLE_CELL);
	fputs("\n\n", file);
	status = process_run_own(
			(char *[]){ program, report, database, NULL }, REPORT_MS, result, diag);
	if (status == CSC_OK) {
		fputs(result->output, file);
		visible_print(stdout, result->output, VISIBLE_LINES);
	}
	if (fclose(file) != 0 && status == CSC_OK) {
		status = DIAG_FAIL(diag, "cannot write '%s': %s", text, strerror(errno));
	}
	return status;
}

/* Its output is ours. */
static void run_command(const struct keep_case *found, const char *database, const char *text)
{
	char shell[] = "sh";
	char option[] = "-c";
	struct process_result *result = malloc(sizeof(*result));
	struct diag diag = { 0 };

	(void)setenv("CARRIERSCOPE_DATABASE", database, 1);
	(void)setenv("CARRIERSCOPE_TEXT", text, 1);
	(void)setenv("CARRIERSCOPE_REASON", found->reason, 1);
	(void)setenv("CARRIERSCOPE_NODE", found->node, 1);
	if (result &&
			process_run((char *[]){ shell, option, (char *)found->on_alarm, NULL },
					NULL, COMMAND_MS, result, &diag) == CSC_OK) {
		fputs(result->output, stdout);
		if (result->status != 0) {
			(void)printf("the command of --on-alarm ended with exit status %d\n",
					result->status);
		}
	} else {
		(void)printf("the command of --on-alarm: %s\n", diag.text);
	}
	free(result);
}

enum csc_status keep_judge(const struct keep_case *found, struct diag *diag)
{
	char program[] = "/proc/self/exe";
	char load[] = "load";
	char quiet[] = "-q";
	char output[] = "-o";
	char option[] = "--mode";
	char mode[FILES_MODE_BYTES];
	char database[400];
	char text[400];
	struct process_result *result = malloc(sizeof(*result));
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	make_name(found, database);
	name_text(database, text);
	files_write_mode(mode);
	status = process_run_own((char *[]){ program, load, quiet, output, database, option, mode,
						 (char *)found->trace, NULL },
			LOAD_MS, result, diag);
	if (status == CSC_OK) {
		keep_index_add(found->folder, strrchr(database, '/') + 1);
		visible_print(stdout, found->sentence, VISIBLE_CELL);
		putchar('\n');
		status = write_text(found, database, text, result, diag);
		keep_index_add(found->folder, strrchr(text, '/') + 1);
	}
	if (status == CSC_OK) {
		(void)printf("kept in %s\n", database);
		if (found->most_alarms > 0) {
			keep_index_prune(found->folder, found->most_alarms);
		}
		if (found->after) {
			found->after(found->context, database);
		}
		if (found->on_alarm) {
			(void)fflush(stdout);
			run_command(found, database, text);
		}
	}
	(void)fflush(stdout);
	free(result);
	return status;
}
