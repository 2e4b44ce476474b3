/*
 * SPDX-License-Identifier: MIT
 */
#include "load_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "growing.h"
#include "interrupt.h"
#include "judge.h"
#include "visible.h"

/* One file being read. */
struct reading {
	const struct load_options *options;
	const struct reader_input *input;
	unsigned int shown_percent;
};

static bool is_regular_file(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static enum csc_status find_one(
		struct load_files *files, const char *path, bool *ret_is_taken, struct diag *diag)
{
	struct reader_input *input = NULL;
	const struct reader *reader;
	const char *charset = NULL;
	const char *container;
	size_t offset = 0;
	bool is_ciphertext;
	bool is_empty;
	enum csc_status status = reader_input_open(path, &input, diag);

	if (status != CSC_OK) {
		return status;
	}

	container = readers_container(input);
	reader = container ? NULL : readers_recognise(input);
	if (!reader) {
		charset = readers_charset(input, &offset);
	}
	is_ciphertext = !container && !reader && !charset && readers_is_ciphertext(input);
	is_empty = !reader_input_more(input) && !reader_input_failure(input);
	reader_input_close(input);
	if (container) {
		return DIAG_FAIL(diag, "cannot load '%s': %s; unpack it first", path, container);
	}
	if (is_empty) {
		return DIAG_FAIL(diag, "cannot load '%s': it is empty", path);
	}
	if (charset) {
		return DIAG_FAIL(diag,
				"cannot load '%s': text in %s at offset %zu; convert it first: "
				"iconv -f %s -t UTF-8",
				path, charset, offset, charset);
	}
	if (is_ciphertext) {
		return DIAG_FAIL(diag,
				"cannot load '%s': its bytes are those of an encrypted file; if it is a crash dump of an OTP that encrypts them, decrypt it first, in a shell of OTP 29 or later: crashdump:pem_decrypt(\"%s\", \"KEY.pem\", \"DECRYPTED\")",
				path, path);
	}
	if (!reader) {
		return CSC_OK;
	}

	if (!csc_grow_by_one(&files->items, files->count, sizeof(*files->items))) {
		return DIAG_NO_MEMORY(diag);
	}

	files->items[files->count++] = (struct load_file){ path, reader };
	*ret_is_taken = true;
	return CSC_OK;
}

enum csc_status load_files_find(
		struct load_options *options, struct load_files *files, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	size_t left = 0;

	for (size_t i = 0; i < options->input_count; i++) {
		bool is_taken = false;

		if (status == CSC_OK && is_regular_file(options->inputs[i])) {
			status = find_one(files, options->inputs[i], &is_taken, diag);
		}

		if (!is_taken) {
			options->inputs[left++] = options->inputs[i];
		}
	}

	options->input_count = left;
	return status;
}

/* Called every now and then while a file is read; false ends it. */
static bool look(void *data)
{
	struct reading *reading = data;
	uint64_t all = reader_input_file_bytes(reading->input);
	uint64_t done = reader_input_read_bytes(reading->input);

	if (reading->options->has_progress && all > 0) {
		unsigned int percent = (unsigned int)(100.0 * (double)done / (double)all);

		if (percent != reading->shown_percent) {
			reading->shown_percent = percent;
			fputc('\r', stderr);
			visible_print(stderr, reader_input_path(reading->input), VISIBLE_CELL);
			(void)fprintf(stderr, ": %u %%", percent);
		}
	}

	return !interrupt_is_set();
}

static void print_reading(const struct reading *reading, const struct reader *reader)
{
	if (reading->options->has_progress) {
		fputs("\r\033[K", stderr);
	}

	if (!reading->options->is_quiet) {
		visible_print(stderr, reader_input_path(reading->input), VISIBLE_CELL);
		(void)fprintf(stderr, ": %s, %" PRIu64 " bytes%s\n", reader->name,
				reader_input_offset(reading->input),
				reader_input_failure(reading->input) ? "; the rest is missing"
								     : "");
	}
}

static enum csc_status read_one(const struct load_file *file, const struct load_options *options,
		struct store *store, struct diag *diag)
{
	struct reader_input *input = NULL;
	struct reading reading = { .options = options };
	enum csc_status status = reader_input_open(file->path, &input, diag);

	if (status != CSC_OK) {
		return status;
	}

	reading.input = input;
	reader_input_watch(input, look, &reading);
	status = readers_read(file->reader, input, store, diag);
	if (status == CSC_OK) {
		print_reading(&reading, file->reader);
	}

	reader_input_close(input);
	return status;
}

static enum csc_status read_all(struct load_files *files, const struct load_options *options,
		const struct store_options *store_options, struct diag *diag)
{
	struct store *store = NULL;
	enum csc_status status = store_open(store_options, &store, diag);

	for (size_t i = 0; i < files->count && status == CSC_OK; i++) {
		if (i > 0) {
			status = store_next_source(store, true, diag);
		}
		if (status == CSC_OK) {
			status = read_one(&files->items[i], options, store, diag);
		}

		files->problems += store_problem_count(store, SEVERITY_INFO);
		files->serious_problems += store_problem_count(store, SEVERITY_DATA_LOSS);
		if (interrupt_is_set()) {
			files->was_interrupted = true;
			break;
		}
	}

	if (status != CSC_OK) {
		store_destroy(store);
		return status;
	}

	return store_close(store, true, diag);
}

/* A working file's name that nothing has; the caller frees it.  NULL: out of memory. */
static char *free_working_path(const char *database)
{
	unsigned int number = 0;
	char *path = NULL;
	struct stat file;

	do {
		char suffix[16] = "";

		free(path);
		if (number > 0) {
			(void)snprintf(suffix, sizeof(suffix), ".%u", number);
		}
		if (asprintf(&path, "%s.partial-%ld%s", database, (long)getpid(), suffix) < 0) {
			return NULL;
		}

		number++;
	} while (lstat(path, &file) == 0);

	return path;
}

enum csc_status load_files_read(struct load_files *files, const struct load_options *options,
		char **ret_working_path, struct diag *diag)
{
	struct store_options store_options = {
		.path = options->database,
		.is_forced = options->is_forced,
		.is_appending = options->is_appending,
		.loader_name = "carrierscope " CSC_VERSION,
		.judge = judge_store,
	};
	char *working_path = NULL;
	enum csc_status status;

	/* What is appended to has its name already. */
	if (options->input_count > 0 &&
			!(options->is_appending && access(options->database, F_OK) == 0)) {
		working_path = free_working_path(options->database);
		if (!working_path) {
			return DIAG_NO_MEMORY(diag);
		}

		store_options.path = working_path;
		store_options.is_forced = false;
	}

	status = read_all(files, options, &store_options, diag);
	if (status == CSC_OK) {
		*ret_working_path = working_path;
	} else {
		free(working_path);
	}

	return status;
}

void load_files_finish(struct load_files *files)
{
	free(files->items);
	*files = (struct load_files){ 0 };
}
