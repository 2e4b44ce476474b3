/*
 * SPDX-License-Identifier: MIT
 *
 * A file of terms, and text between them.
 */
#include "terms.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "terms_figure.h"
#include "terms_scan.h"
#include "terms_snapshot.h"

enum { EXTERNAL_MARK = 131, LINE_BYTES = 512, ZERO_SHARE = 64 };

/* Whether what follows a word is a number. */
static bool has_word_and_digit(struct text text, const char *word)
{
	size_t length = strlen(word);

	for (;;) {
		size_t at = text_find(text, word);

		if (at + length >= text.length) {
			return false;
		}
		if (isdigit((unsigned char)text.at[at + length])) {
			return true;
		}
		text = text_from(text, at + length);
	}
}

/* A term of ours has one of these, blanks left out. */
static bool has_marks(struct text text)
{
	static const char *const before_number[] = { "{instance,", "{total,", "{ok,{",
		"_alloc,true,", "_alloc,false," };
	static const char *const words[] = { "_alloc,0},[", "_alloc,[{instance,",
		"{default_mmap,[{", "{sys_misc,", "Erlang/OTP" };

	for (size_t i = 0; i < sizeof(before_number) / sizeof(before_number[0]); i++) {
		if (has_word_and_digit(text, before_number[i])) {
			return true;
		}
	}

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (text_find(text, words[i]) < text.length) {
			return true;
		}
	}

	return false;
}

/* A damaged text has a few zero bytes; what is no text has many. */
static bool is_binary(const char *head, size_t length)
{
	size_t zeroes = 0;

	for (size_t i = 0; i < length; i++) {
		zeroes += head[i] == '\0';
	}

	return zeroes * ZERO_SHARE > length;
}

bool terms_recognise(const char *head, size_t length)
{
	/* Tags of containers, and of what is compressed. */
	static const unsigned char tags[] = { 80, 104, 105, 108, 116 };
	size_t kept = 0;
	bool found;
	char *dense;

	if (length > 2 && (unsigned char)head[0] == EXTERNAL_MARK) {
		return memchr(tags, head[1], sizeof(tags)) != NULL;
	}

	if (is_binary(head, length) || head[0] == '+' || head[0] == '-') {
		return false;
	}

	dense = malloc(length);
	if (!dense) {
		return false;
	}

	for (size_t i = 0; i < length; i++) {
		if (!isspace((unsigned char)head[i])) {
			dense[kept++] = head[i];
		}
	}

	found = has_marks((struct text){ dense, kept });
	free(dense);
	return found;
}

static void close_container(void *data, const struct term_frame *closed)
{
	struct terms_reader *reader = data;

	if (!terms_figure_close(reader, closed)) {
		terms_scan_close(reader, closed);
	}
}

/* The digits behind "Erlang/OTP ". */
static void note_release(struct terms_reader *reader, struct text version)
{
	static const char word[] = "Erlang/OTP ";
	size_t at = text_find(version, word);
	struct text rest;
	bool is_huge;

	if (at < version.length) {
		rest = text_from(version, at + sizeof(word) - 1);
		if (!text_number(text_word(&rest), &reader->release, &is_huge)) {
			reader->release = 0;
		}
	}
}

static void take_version(struct terms_reader *reader, struct text version)
{
	note_release(reader, version);
	snapshot_system_version(reader->store,
			terms_snapshot_of(reader, CLASS_FULL, TEXT("system_version"), ROW_NULL),
			version);
}

/* A term that is a single value: only the version of the system is of interest. */
static void take_scalar(void *data, const struct term_item *item)
{
	struct terms_reader *reader = data;
	struct text text = term_text(item);

	if (item->kind == TERM_STRING && text_begins(text, "Erlang")) {
		take_version(reader, text);
	}
}

/* "erlang:system_info({allocator,binary_alloc})" names what follows. */
static void note_context(struct terms_reader *reader, struct text text)
{
	static const char *const words[] = { "{allocator,", "{allocator_sizes," };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t at = text_find(text, words[i]);
		struct text rest;

		if (at < text.length) {
			rest = text_from(text, at + strlen(words[i]));
			terms_name_set(&reader->context, text_trim(text_cut(rest, '}', &rest)));
		}
	}
}

static bool begins_term(int c)
{
	return c == '{' || c == '[' || c == '#' || c == '"' || c == '<';
}

/*
 * Passes over what is no term: up to one, or to the end of the line.  What is in a
 * call's parentheses is no term of its own, nor is what the shell prints when it starts.
 */
static void skip_text(struct terms_reader *reader)
{
	char line[LINE_BYTES];
	size_t length = 0;
	size_t open_calls = 0;
	bool is_version = false;
	int c;

	reader->term_line = (int64_t)reader_input_line_number(reader->input);
	while ((c = reader_input_peek(reader->input)) >= 0 && c != '\n') {
		is_version = is_version ||
				text_begins((struct text){ line, length }, "Erlang/OTP ");
		if (begins_term(c) && open_calls == 0 && !is_version) {
			break;
		}

		open_calls += c == '(';
		open_calls -= c == ')' && open_calls > 0;
		(void)reader_input_byte(reader->input);
		if (length < sizeof(line)) {
			line[length++] = (char)c;
		}
	}

	if (is_version) {
		take_version(reader, (struct text){ line, length });
	} else {
		note_context(reader, (struct text){ line, length });
	}
}

static void note_broken(struct terms_reader *reader)
{
	bool is_end = reader_input_peek(reader->input) < 0;
	unsigned long long offset = reader_input_offset(reader->input);
	unsigned long long line = reader_input_line_number(reader->input);

	if (is_end) {
		store_catalog(reader->store)->file.is_partial = true;
		terms_note(reader,
				store_problem(reader->store, "term_cut", SEVERITY_DATA_LOSS, 1,
						reader->diag,
						"'%s' ends at offset %llu, line %llu, within a term that begins on line "
						"%lld; what is before was loaded",
						reader_input_path(reader->input), offset, line,
						(long long)reader->term_line));
	} else {
		terms_note(reader,
				store_problem(reader->store, "term_unreadable", SEVERITY_DATA_LOSS,
						1, reader->diag,
						"'%s': what is at offset %llu, line %llu, is no part of a term; the "
						"rest of that line was left out",
						reader_input_path(reader->input), offset, line));
	}
}

static void begin_term(struct terms_reader *reader)
{
	reader->term_line = (int64_t)reader_input_line_number(reader->input);
	reader->figure_count = 0;
	reader->has_options = false;
	reader->has_raw_blocks = false;
	reader->scan = 0;
	reader->bucket_count = 0;
	reader->block_count = 0;
}

static void read_printed(struct terms_reader *reader)
{
	int c;

	while (reader->status == CSC_OK && (c = reader_input_peek(reader->input)) >= 0) {
		if (isspace(c) || c == '.') {
			(void)reader_input_byte(reader->input);
			continue;
		}

		if (!begins_term(c)) {
			skip_text(reader);
			continue;
		}

		begin_term(reader);
		if (term_read_text(&reader->terms) == TERM_BROKEN) {
			note_broken(reader);
			/* What is here may be what stopped it. */
			if (reader_input_peek(reader->input) != '\n') {
				(void)reader_input_byte(reader->input);
			}
			skip_text(reader);
		}

		reader->context.length = 0;
		terms_note(reader, store_rows_check(reader->store, reader->diag));
	}
}

static void read_external(struct terms_reader *reader)
{
	enum term_outcome outcome = TERM_READ;

	while (reader->status == CSC_OK && outcome == TERM_READ) {
		begin_term(reader);
		outcome = term_read_binary(&reader->terms);
		terms_note(reader, store_rows_check(reader->store, reader->diag));
	}

	if (outcome == TERM_BROKEN) {
		note_broken(reader);
	}
}

static void note_capabilities(const struct terms_reader *reader)
{
	struct catalog *catalog = store_catalog(reader->store);

	catalog_capability(catalog, "memory", reader->memory_keys > 0,
			reader->memory_keys > 0 ? "there are results of erlang:memory()"
						: "there is no result of erlang:memory()");
	catalog_capability(catalog, "allocators", reader->instances > 0,
			reader->instances > 0 ? "there are figures of allocator instances"
					      : "there are no figures of allocator instances");
	catalog_capability(catalog, "options", reader->options > 0,
			reader->options > 0 ? "the allocators' settings are with their figures"
					    : "the allocators' settings are not recorded: "
					      "system_info({allocator, A}) has them");
	catalog_capability(catalog, "single_carriers", reader->carriers > 0,
			reader->carriers > 0 ? "there are results of instrument:carriers()"
					     : "single carriers are not recorded: "
					       "instrument:carriers() has them");
	catalog_capability(catalog, "block_sizes", reader->histograms > 0,
			reader->histograms > 0 ? "there are histograms of instrument"
					       : "sizes of blocks are not recorded: "
						 "instrument:allocations() has them");
	catalog_capability(catalog, "carriers_over_time", false,
			"a snapshot shows one moment; of the past it has maxima only");
}

static enum csc_status read_all(struct terms_reader *reader)
{
	reader->figures = calloc(TERMS_FIGURES, sizeof(*reader->figures));
	if (!reader->figures) {
		return DIAG_NO_MEMORY(reader->diag);
	}

	if (reader_input_peek(reader->input) == EXTERNAL_MARK) {
		read_external(reader);
	} else {
		read_printed(reader);
	}

	if (reader->status == CSC_OK) {
		note_capabilities(reader);
	}
	if (reader->status == CSC_OK && reader->instances == 0 && reader->memory_keys == 0 &&
			reader->carriers == 0 && reader->histograms == 0 && reader->options == 0 &&
			reader->areas == 0 && reader->release == 0) {
		reader->status = DIAG_FAIL(reader->diag,
				"cannot load '%s': its terms are no figures of memory",
				reader_input_path(reader->input));
	}

	return reader->status;
}

enum csc_status terms_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct terms_reader *reader = calloc(1, sizeof(*reader));
	enum csc_status status;

	if (!reader) {
		return DIAG_NO_MEMORY(diag);
	}

	reader->input = input;
	reader->store = store;
	reader->diag = diag;
	reader->terms.input = input;
	reader->terms.close = close_container;
	reader->terms.scalar = take_scalar;
	reader->terms.data = reader;
	status = terms_start(&reader->terms, diag);
	if (status == CSC_OK) {
		status = read_all(reader);
	}

	terms_finish(&reader->terms);
	for (size_t i = 0; i < TERMS_CLASSES; i++) {
		numbering_finish(&reader->open[i].seen);
	}

	free(reader->figures);
	free(reader);
	return status;
}
