/*
 * SPDX-License-Identifier: MIT
 */
#include "load_files.h"

#include <errno.h>
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
#include "load_printed.h"
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

static const char standard_input_name[] = "standard input";

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

/* Standard input is read twice, to find and to load what is in it: a copy is kept. */
static enum csc_status copy_standard_input(struct load_files *files, struct diag *diag)
{
	char bytes[64 * 1024];
	size_t got;

	files->standard_input = tmpfile();
	if (!files->standard_input) {
		return DIAG_FAIL(diag, "cannot read standard input: no temporary file: %s",
				strerror(errno));
	}

	while ((got = fread(bytes, 1, sizeof(bytes), stdin)) > 0) {
		if (fwrite(bytes, 1, got, files->standard_input) != got) {
			return DIAG_FAIL(diag, "cannot copy standard input: %s", strerror(errno));
		}
	}
	if (ferror(stdin) || fflush(files->standard_input) != 0) {
		return DIAG_FAIL(diag, "cannot read standard input: %s", strerror(errno));
	}
	return CSC_OK;
}

static enum csc_status open_input(const struct load_files *files, const char *path,
		struct reader_input **ret_input, struct diag *diag)
{
	return is_standard_input(path) ? reader_input_open_fd(fileno(files->standard_input),
							 standard_input_name, ret_input, diag)
				       : reader_input_open(path, ret_input, diag);
}

static enum csc_status add_file(struct load_files *files, const char *path,
		const struct reader *reader, const struct paste_piece *piece,
		const struct paste *paste, struct diag *diag)
{
	if (!csc_grow_by_one(&files->items, files->count, sizeof(*files->items))) {
		return DIAG_NO_MEMORY(diag);
	}

	files->items[files->count++] = (struct load_file){ path, reader, piece, paste };
	return CSC_OK;
}

/* What is no text of UTF-8, or none at all. */
static enum csc_status refuse_bytes(struct reader_input *input, struct diag *diag)
{
	const char *path = reader_input_path(input);
	const char *container = readers_container(input);
	const char *charset = container ? NULL : readers_charset(input, &(size_t){ 0 });
	size_t offset = 0;

	if (container) {
		return DIAG_FAIL(diag, "cannot load '%s': %s; unpack it first", path, container);
	}
	if (!reader_input_more(input) && !reader_input_failure(input)) {
		return DIAG_FAIL(diag, "cannot load '%s': it is empty", path);
	}
	if (charset && readers_recognise(input) == NULL) {
		(void)readers_charset(input, &offset);
		return DIAG_FAIL(diag,
				"cannot load '%s': text in %s at offset %zu; convert it first: "
				"iconv -f %s -t UTF-8",
				path, charset, offset, charset);
	}
	if (!charset && readers_recognise(input) == NULL && readers_is_ciphertext(input)) {
		return DIAG_FAIL(diag,
				"cannot load '%s': its bytes look encrypted or compressed; if it is a crash dump of an OTP that encrypts them, decrypt it first, in a shell of OTP 29 or later: crashdump:pem_decrypt(\"%s\", \"KEY.pem\", \"DECRYPTED\")",
				path, path);
	}
	return CSC_OK;
}

/* Whether the reader that knows the whole input takes it better than in pieces. */
static bool is_whole(const struct paste *paste, const struct reader *reader)
{
	for (size_t i = 0; i < paste->count; i++) {
		if (strcmp(paste->pieces[i].reader->kind, reader->kind) != 0 ||
				(!paste->pieces[i].is_plain && strcmp(reader->kind, "args") != 0) ||
				strcmp(paste->pieces[i].node, paste->pieces[0].node) != 0) {
			return false;
		}
	}
	return true;
}

/* Looks through a text for what was pasted into it. */
static enum csc_status find_pieces(struct load_files *files, const char *path,
		struct reader_input *input, const struct reader *reader, bool *ret_is_taken,
		struct diag *diag)
{
	struct paste *paste = NULL;
	enum csc_status status = paste_find(input, &paste, diag);

	if (status != CSC_OK) {
		return status;
	}
	if (!csc_grow_by_one(&files->pastes, files->paste_count, sizeof(struct paste *))) {
		paste_destroy(paste);
		return DIAG_NO_MEMORY(diag);
	}
	files->pastes[files->paste_count++] = paste;

	/* Flags of other things than allocators are in files of arguments alone. */
	if (reader && is_whole(paste, reader) &&
			(paste->count > 0 || strcmp(reader->kind, "args") == 0)) {
		*ret_is_taken = true;
		return add_file(files, path, reader, NULL, paste, diag);
	}
	for (size_t i = 0; i < paste->count && status == CSC_OK; i++) {
		status = add_file(files, path, paste->pieces[i].reader, &paste->pieces[i],
				i == 0 ? paste : NULL, diag);
	}
	*ret_is_taken = paste->count > 0;
	if (status == CSC_OK && paste->count == 0 && paste->refusal) {
		status = DIAG_FAIL(diag, "cannot load '%s': %s", reader_input_path(input),
				paste->refusal);
	}
	return status;
}

/* Those that are read as a stream, as they are. */
static bool is_streamed(struct reader_input *input, const struct reader *reader)
{
	return reader &&
			(strcmp(reader->kind, "crash_dump") == 0 ||
					strcmp(reader->kind, "board_log") == 0 ||
					reader_input_peek(input) == 131);
}

/* A trace takes the place of the file. */
static enum csc_status unpack(struct load_files *files, struct reader_input *input, char **path,
		struct diag *diag)
{
	char *folder = NULL;
	enum csc_status status;

	if (!csc_grow_by_one(&files->printed, files->printed_count, sizeof(*files->printed))) {
		return DIAG_NO_MEMORY(diag);
	}
	status = load_printed_unpack(input, &folder, diag);
	if (status == CSC_OK) {
		files->printed[files->printed_count++] = folder;
		*path = folder;
	}
	return status;
}

/* `input_path` may become another one. */
static enum csc_status find_one(
		struct load_files *files, char **input_path, bool *ret_is_taken, struct diag *diag)
{
	const char *path = *input_path;
	struct reader_input *input = NULL;
	const struct reader *reader;
	enum csc_status status = CSC_OK;

	if (is_standard_input(path)) {
		status = files->standard_input
				? DIAG_FAIL(diag, "cannot load '-' twice: standard input ends once")
				: copy_standard_input(files, diag);
	}
	if (status == CSC_OK) {
		status = open_input(files, path, &input, diag);
	}
	if (status != CSC_OK) {
		return status;
	}

	status = refuse_bytes(input, diag);
	if (status == CSC_OK && load_printed_is_in(input)) {
		status = unpack(files, input, input_path, diag);
		goto end;
	}
	if (status != CSC_OK) {
		goto end;
	}

	reader = readers_recognise(input);
	if (is_streamed(input, reader)) {
		*ret_is_taken = true;
		status = add_file(files, path, reader, NULL, NULL, diag);
	} else if (!readers_is_database(input)) {
		status = find_pieces(files, path, input, reader, ret_is_taken, diag);
	}
	if (status == CSC_OK && !*ret_is_taken && is_standard_input(path)) {
		status = DIAG_FAIL(diag,
				"cannot load '-': nothing that is known was found in standard input");
	}

end:
	reader_input_close(input);
	return status;
}

enum csc_status load_files_find(
		struct load_options *options, struct load_files *files, struct diag *diag)
{
	enum csc_status status = CSC_OK;
	size_t left = 0;

	for (size_t i = 0; i < options->input_count; i++) {
		bool is_taken = false;

		if (status == CSC_OK &&
				(is_regular_file(options->inputs[i]) ||
						is_standard_input(options->inputs[i]))) {
			status = find_one(files, &options->inputs[i], &is_taken, diag);
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

static void print_reading(const struct reading *reading, const struct load_file *file)
{
	const struct paste *paste = file->paste;

	if (reading->options->has_progress) {
		fputs("\r\033[K", stderr);
	}
	if (reading->options->is_quiet) {
		return;
	}

	visible_print(stderr, reader_input_path(reading->input), VISIBLE_CELL);
	if (file->piece) {
		(void)fprintf(stderr, ": line %" PRIu64 ": %s\n", file->piece->first_line,
				file->reader->name);
	} else {
		(void)fprintf(stderr, ": %s, %" PRIu64 " bytes%s\n", file->reader->name,
				reader_input_offset(reading->input),
				reader_input_failure(reading->input) ? "; the rest is missing"
								     : "");
	}
	for (size_t i = 0; paste && i < paste->note_count; i++) {
		/* Of all of a file the reader itself notes what it cannot read. */
		if (!file->piece && strcmp(paste->notes[i].name, "paste_skipped") != 0) {
			continue;
		}
		visible_print(stderr, reader_input_path(reading->input), VISIBLE_CELL);
		(void)fprintf(stderr, ": %s\n", paste->notes[i].sentence);
	}
}

static enum csc_status open_piece(const struct load_files *files, const struct load_file *file,
		struct reader_input **ret_input, struct diag *diag)
{
	const struct paste_piece *piece = file->piece;
	enum csc_status status;

	if (piece && piece->text) {
		return reader_input_from_text(
				is_standard_input(file->path) ? standard_input_name : file->path,
				piece->text, piece->length, piece->first_line, ret_input, diag);
	}

	status = open_input(files, file->path, ret_input, diag);
	if (status == CSC_OK && piece) {
		reader_input_part(*ret_input, piece->from_bytes, piece->to_bytes, piece->first_line,
				piece->margin);
	}
	return status;
}

static enum csc_status read_one(const struct load_files *files, const struct load_file *file,
		const struct load_options *options, struct store *store, struct diag *diag)
{
	struct reader_input *input = NULL;
	struct reading reading = { .options = options };
	enum csc_status status = open_piece(files, file, &input, diag);

	if (status != CSC_OK) {
		return status;
	}

	reading.input = input;
	reader_input_watch(input, look, &reading);
	status = readers_read(file->reader, input, store, diag);
	if (status == CSC_OK && file->paste && file->piece) {
		status = paste_write_notes(file->paste, input, store, diag);
	}
	if (status == CSC_OK) {
		print_reading(&reading, file);
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
			status = read_one(files, &files->items[i], options, store, diag);
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
	for (size_t i = 0; i < files->paste_count; i++) {
		paste_destroy(files->pastes[i]);
	}
	for (size_t i = 0; i < files->printed_count; i++) {
		load_printed_remove(files->printed[i]);
	}
	if (files->standard_input) {
		(void)fclose(files->standard_input);
	}
	free(files->printed);
	free(files->pastes);
	free(files->items);
	*files = (struct load_files){ 0 };
}
