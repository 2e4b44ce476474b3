/*
 * SPDX-License-Identifier: MIT
 *
 * By the commands that a user would type.
 */
#include "keep_judge.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process.h"
#include "visible.h"

enum { LOAD_MS = 600000, REPORT_MS = 120000, COMMAND_MS = 600000 };

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
	for (int i = 2; access(ret_name, F_OK) == 0 && i < 100; i++) {
		(void)snprintf(ret_name, 400, "%s/%s-%s-%d.db", found->folder, when, found->reason,
				i);
	}
}

/* From the second paragraph of a report on to the findings: who, when, how much. */
static void print_verdict(FILE *stream, const char *report)
{
	const char *begin = strstr(report, "\n\n");
	const char *end = begin ? strstr(begin, "\nFindings") : NULL;

	if (begin) {
		char *verdict = strndup(
				begin + 2, end ? (size_t)(end - begin - 2) : strlen(begin + 2));

		visible_print(stream, verdict ? verdict : "", VISIBLE_LINES);
		free(verdict);
	}
}

/* What a person reads first; `text` is its file. */
static enum csc_status write_text(const struct keep_case *found, char *database, const char *text,
		struct process_result *result, struct diag *diag)
{
	char program[] = "/proc/self/exe";
	char report[] = "report";
	FILE *file = fopen(text, "w");
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
		print_verdict(stdout, result->output);
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

/* One that keep_judge() has made, by its name. */
static int is_alarm(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return strspn(entry->d_name, "0123456789") == 8 && entry->d_name[8] == '-' && dot &&
			strcmp(dot, ".db") == 0;
}

static void prune(const struct keep_case *found)
{
	struct dirent **entries = NULL;
	int count = scandir(found->folder, &entries, is_alarm, alphasort);

	for (int i = 0; i < count; i++) {
		char name[600];

		if (i + (int)found->most_alarms < count) {
			(void)snprintf(name, sizeof(name), "%s/%s", found->folder,
					entries[i]->d_name);
			(void)unlink(name);
			(void)snprintf(strrchr(name, '.'), 5, ".txt");
			(void)unlink(name);
		}
		free(entries[i]);
	}
	free((void *)entries);
}

enum csc_status keep_judge(const struct keep_case *found, struct diag *diag)
{
	char program[] = "/proc/self/exe";
	char load[] = "load";
	char quiet[] = "-q";
	char output[] = "-o";
	char database[400];
	char text[400];
	struct process_result *result = malloc(sizeof(*result));
	enum csc_status status;

	if (!result) {
		return DIAG_NO_MEMORY(diag);
	}
	make_name(found, database);
	(void)snprintf(text, sizeof(text), "%s", database);
	(void)snprintf(strrchr(text, '.'), 5, ".txt");
	status = process_run_own((char *[]){ program, load, quiet, output, database,
						 (char *)found->trace, NULL },
			LOAD_MS, result, diag);
	if (status == CSC_OK) {
		visible_print(stdout, found->sentence, VISIBLE_CELL);
		putchar('\n');
		status = write_text(found, database, text, result, diag);
	}
	if (status == CSC_OK) {
		(void)printf("kept in %s\n", database);
		prune(found);
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
