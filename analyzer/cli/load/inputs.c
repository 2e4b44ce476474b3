/*
 * SPDX-License-Identifier: MIT
 *
 * As babeltrace2's own command finds them, but in the order of their names: a
 * directory with a file 'metadata' is a trace, and nothing below it is.
 */
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bt_error.h"
#include "command.h"
#include "growing.h"
#include "interrupt.h"
#include "tsdl_text.h"

/* Deeper than any session's output. */
enum { MAX_DEPTH = 24 };

/* First byte of CTF 2's metadata. */
enum { CTF_2_BEGIN = 0x1e };

/* A directory that was searched: links may lead to it again. */
struct place {
	dev_t device;
	ino_t inode;
};

/* One search for traces. */
struct search {
	struct inputs *inputs;

	/* Of struct place, as tsearch() keeps them. */
	void *visited;
	struct diag *diag;
};

bool input_is_url(const char *text)
{
	return strncmp(text, "net://", 6) == 0 || strncmp(text, "net4://", 7) == 0 ||
			strncmp(text, "net6://", 7) == 0;
}

enum csc_status inputs_add(struct inputs *inputs, const char *path, struct diag *diag)
{
	struct input *added;

	if (!csc_grow_by_one(&inputs->items, inputs->count, sizeof(*inputs->items))) {
		return DIAG_NO_MEMORY(diag);
	}

	added = &inputs->items[inputs->count];
	*added = (struct input){ strdup(path), NULL, input_is_url(path) };
	if (!added->path) {
		return DIAG_NO_MEMORY(diag);
	}

	inputs->count++;
	return CSC_OK;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Reading anything else could wait forever. */
static bool is_regular_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left;
	const struct place *b = right;

	if (a->device != b->device) {
		return a->device < b->device ? -1 : 1;
	}

	return (a->inode > b->inode) - (a->inode < b->inode);
}

/* Notes a directory; *ret_is_new is false when it was noted before. */
static enum csc_status visit(struct search *search, const char *path, bool *ret_is_new)
{
	struct place *place = calloc(1, sizeof(*place));
	const struct place *const *found;
	struct stat status;

	if (!place) {
		return DIAG_NO_MEMORY(search->diag);
	}

	*ret_is_new = true;
	if (stat(path, &status) != 0) {
		/* Reading it reports why. */
		free(place);
		return CSC_OK;
	}

	*place = (struct place){ status.st_dev, status.st_ino };
	found = tsearch(place, &search->visited, compare_places);
	if (!found) {
		free(place);
		return DIAG_NO_MEMORY(search->diag);
	}

	if (*found != place) {
		*ret_is_new = false;
		free(place);
	}

	return CSC_OK;
}

static enum csc_status search_directory(struct search *search, const char *path, int depth);

/* NOLINTNEXTLINE(misc-no-recursion): ends at MAX_DEPTH */
static enum csc_status search_below(struct search *search, const char *path, int depth)
{
	enum csc_status status = CSC_OK;
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, NULL, alphasort);

	if (count < 0) {
		if (depth == 0) {
			return DIAG_FAIL(search->diag, "cannot read '%s': %s", path,
					strerror(errno));
		}

		/* What is beside it is as good as ever. */
		command_print("warning: cannot read '%s': %s", path, strerror(errno));
		return CSC_OK;
	}

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char *below = NULL;

		if (status == CSC_OK && depth < MAX_DEPTH && strcmp(name, ".") != 0 &&
				strcmp(name, "..") != 0) {
			if (asprintf(&below, "%s/%s", path, name) < 0) {
				status = DIAG_NO_MEMORY(search->diag);
			} else {
				if (is_directory(below)) {
					status = search_directory(search, below, depth + 1);
				}
				free(below);
			}
		}
		free(entries[i]);
	}

	free(entries);
	return status;
}

/* NOLINTNEXTLINE(misc-no-recursion): ends at MAX_DEPTH */
static enum csc_status search_directory(struct search *search, const char *path, int depth)
{
	char *metadata = NULL;
	bool is_new;
	enum csc_status status;

	if (interrupt_is_set()) {
		return CSC_OK;
	}

	status = visit(search, path, &is_new);
	if (status != CSC_OK || !is_new) {
		return status;
	}

	if (asprintf(&metadata, "%s/metadata", path) < 0) {
		return DIAG_NO_MEMORY(search->diag);
	}

	status = is_regular_file(metadata) ? inputs_add(search->inputs, path, search->diag)
					   : search_below(search, path, depth);
	free(metadata);
	return status;
}

/* Says what a file is that is no trace. */
static enum csc_status refuse_file(const char *path, struct diag *diag)
{
	static const char dump_mark[] = "=erl_crash_dump";
	static const char database_mark[] = "SQLite format 3";
	char head[32] = "";
	const char *slash = strrchr(path, '/');
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0) {
		ssize_t length = read(fd, head, sizeof(head) - 1);

		head[length > 0 ? length : 0] = '\0';
		(void)close(fd);
	}

	if (strncmp(head, dump_mark, strlen(dump_mark)) == 0) {
		return DIAG_FAIL(diag, "cannot load '%s': not a trace but a crash dump", path);
	}

	if (strncmp(head, database_mark, strlen(database_mark)) == 0) {
		return DIAG_FAIL(diag, "cannot load '%s': not a trace but a database", path);
	}

	return DIAG_FAIL(diag, "cannot load '%s': not a trace%s", path,
			strcmp(slash ? slash + 1 : path, "metadata") == 0
					? "; name the directory that it is in"
					: " (a directory), crash dump, Erlang terms, file of arguments or log of a board");
}

enum csc_status inputs_find(struct inputs *inputs, const char *text, struct diag *diag)
{
	size_t before = inputs->count;
	size_t length = strlen(text);
	struct search search = { .inputs = inputs, .diag = diag };
	enum csc_status status;
	struct stat file;
	char *path;

	if (input_is_url(text)) {
		return inputs_add(inputs, text, diag);
	}

	if (stat(text, &file) != 0) {
		return DIAG_FAIL(diag, "cannot load '%s': %s", text, strerror(errno));
	}

	if (!S_ISDIR(file.st_mode)) {
		return refuse_file(text, diag);
	}

	while (length > 1 && text[length - 1] == '/') {
		length--;
	}

	path = strndup(text, length);
	if (!path) {
		return DIAG_NO_MEMORY(diag);
	}

	status = search_directory(&search, path, 0);
	tdestroy(search.visited, free);
	if (status == CSC_OK && inputs->count == before && !interrupt_is_set()) {
		status = DIAG_FAIL(diag,
				"no trace in '%s': no directory in or below it has a file 'metadata'",
				path);
	}

	free(path);
	return status;
}

enum csc_status inputs_check(const struct inputs *inputs, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < inputs->count && status == CSC_OK && !interrupt_is_set(); i++) {
		const char *what;
		uint64_t offset = 0;
		char *metadata = NULL;

		if (inputs->items[i].is_live) {
			continue;
		}

		if (asprintf(&metadata, "%s/metadata", inputs->items[i].path) < 0) {
			return DIAG_NO_MEMORY(diag);
		}

		what = tsdl_text_check(metadata, &offset);
		if (what) {
			status = DIAG_FAIL(diag,
					"cannot read '%s': it is damaged at byte %" PRIu64
					": %s (use --salvage to load the trace)",
					metadata, offset, what);
		}
		free(metadata);
	}

	return status;
}

/* What is the matter with metadata that Babeltrace does not read. */
static const char *why_refused(const char *metadata)
{
	/* JSON texts, each behind a record separator. */
	bool is_ctf_2 = false;
	FILE *file = fopen(metadata, "re");

	if (file) {
		is_ctf_2 = fgetc(file) == CTF_2_BEGIN;
		(void)fclose(file);
	}

	return !is_ctf_2 ? "it is not the metadata of a CTF trace"
			: bt_get_maximal_mip_version() == 0
			? "it is of CTF 2, which Babeltrace reads from 2.1 on; load it with --salvage, or record with lttng create --trace-format=ctf-1.8"
			: "it is metadata of CTF 2 that Babeltrace does not take; try --salvage";
}

/* Asks about one trace. */
static enum csc_status ask_group(
		struct input *input, const bt_component_class_source *fs, struct diag *diag)
{
	bt_value *params = bt_value_map_create();
	const bt_value *result = NULL;
	const bt_value *group;
	bt_query_executor *executor = NULL;
	enum csc_status status = CSC_OK;

	if (!params || bt_value_map_insert_string_entry(params, "type", "directory") != 0 ||
			bt_value_map_insert_string_entry(params, "input", input->path) != 0) {
		status = DIAG_NO_MEMORY(diag);
		goto end;
	}

	executor = bt_query_executor_create(bt_component_class_source_as_component_class_const(fs),
			"babeltrace.support-info", params);
	if (!executor ||
			bt_query_executor_query(executor, &result) !=
					BT_QUERY_EXECUTOR_QUERY_STATUS_OK) {
		char *metadata = NULL;

		if (asprintf(&metadata, "%s/metadata", input->path) < 0) {
			status = DIAG_NO_MEMORY(diag);
			goto end;
		}

		bt_error_clear();
		status = DIAG_FAIL(diag, "cannot read '%s': %s", metadata, why_refused(metadata));
		free(metadata);
		goto end;
	}

	if (bt_value_is_map(result)) {
		group = bt_value_map_borrow_entry_value_const(result, "group");
		if (group && bt_value_is_string(group)) {
			input->group = strdup(bt_value_string_get(group));
			status = input->group ? CSC_OK : DIAG_NO_MEMORY(diag);
		}
	}

end:
	bt_value_put_ref(result);
	bt_query_executor_put_ref(executor);
	bt_value_put_ref(params);
	return status;
}

enum csc_status inputs_group(
		struct inputs *inputs, const bt_component_class_source *fs, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < inputs->count && status == CSC_OK && !interrupt_is_set(); i++) {
		if (!inputs->items[i].is_live) {
			status = ask_group(&inputs->items[i], fs, diag);
		}
	}

	return status;
}

void inputs_finish(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++) {
		free(inputs->items[i].path);
		free(inputs->items[i].group);
	}

	free(inputs->items);
	*inputs = (struct inputs){ 0 };
}
