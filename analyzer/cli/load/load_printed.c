/*
 * SPDX-License-Identifier: MIT
 */
#include "load_printed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "files.h"
#include "readings.h"

bool load_printed_is_in(struct reader_input *input)
{
	size_t length;
	const char *head = reader_input_head(input, &length);

	while (length > 0) {
		const char *feed = memchr(head, '\n', length);
		size_t line = feed ? (size_t)(feed - head) : length;

		if (readings_is_own(head, line)) {
			return true;
		}
		head += line + (feed != NULL);
		length -= line + (feed != NULL);
	}
	return false;
}

static enum csc_status read_lines(
		struct reader_input *input, struct readings *readings, struct diag *diag)
{
	struct input_line line;
	enum csc_status status = CSC_OK;
	enum readings_line kind = READINGS_OTHER;
	bool has_end = false;

	while (status == CSC_OK && reader_input_line(input, &line)) {
		status = readings_take(readings, line.text, line.length, &kind, diag);
		if (status == CSC_OK && kind == READINGS_DAMAGED) {
			command_print("warning: '%s': line %llu, at byte %llu, is no whole packet of readings and is left out",
					reader_input_path(input), (unsigned long long)line.number,
					(unsigned long long)line.offset_bytes);
		} else if (status == CSC_OK && kind == READINGS_FOREIGN) {
			command_print("warning: '%s': line %llu, at byte %llu, is of another node, or of another time, and is left out: load it from a file of its own",
					reader_input_path(input), (unsigned long long)line.number,
					(unsigned long long)line.offset_bytes);
		}
		has_end = kind == READINGS_OTHER ? has_end : kind == READINGS_END;
	}
	if (status == CSC_OK && readings->packets > 0 && !has_end) {
		command_print("warning: '%s' ends before its node had printed all: what came until then is judged",
				reader_input_path(input));
	}
	if (status == CSC_OK && readings->packets == 0) {
		status = *readings->sentence
				? DIAG_FAIL(diag, "cannot load '%s': the node was not read: %s",
						  reader_input_path(input), readings->sentence)
				: DIAG_FAIL(diag, "cannot load '%s': no packet of readings in it is whole",
						  reader_input_path(input));
	}
	return status;
}

enum csc_status load_printed_unpack(
		struct reader_input *input, char **ret_folder, struct diag *diag)
{
	const char *parent = getenv("TMPDIR");
	const char *path = reader_input_path(input);
	const char *slash = strrchr(path, '/');
	char *temporary = NULL;
	struct readings readings;
	enum csc_status status;

	if (asprintf(&temporary, "%s/carrierscope-XXXXXX", parent && *parent ? parent : "/tmp") <
			0) {
		return DIAG_NO_MEMORY(diag);
	}
	if (!mkdtemp(temporary)) {
		status = DIAG_FAIL(diag, "cannot make '%s': %s", temporary, strerror(errno));
		free(temporary);
		return status;
	}
	/* As the file is called, since the database names its sources. */
	if (asprintf(ret_folder, "%s/%s", temporary, slash ? slash + 1 : path) < 0) {
		*ret_folder = NULL;
		(void)rmdir(temporary);
		free(temporary);
		return DIAG_NO_MEMORY(diag);
	}
	free(temporary);
	readings_begin(&readings, *ret_folder);
	status = read_lines(input, &readings, diag);
	if (readings_end(&readings, diag) != CSC_OK) {
		status = CSC_ERROR;
	}
	if (status != CSC_OK) {
		load_printed_remove(*ret_folder);
		*ret_folder = NULL;
	}
	return status;
}

void load_printed_remove(char *folder)
{
	if (folder) {
		*strrchr(folder, '/') = '\0';
		files_remove_tree(folder);
		free(folder);
	}
}
