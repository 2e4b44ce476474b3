/*
 * SPDX-License-Identifier: MIT
 *
 * Words separated by blanks; '#' begins a comment; quotes and backslashes keep
 * blanks.  Only the emulator's own flags ('+') are kept: others may be secrets,
 * such as a cookie.
 */
#include "args.h"

#include <ctype.h>

#include "snapshot_rows.h"

enum { WORD_BYTES = 1024 };

struct args {
	struct reader_input *input;
	struct store *store;
	int64_t snapshot;
	int64_t flags;

	/* A flag whose value may follow; empty: none. */
	char flag[WORD_BYTES];
	int64_t flag_line;
	int64_t flag_column;
};

/* Where a word begins, from 1. */
struct word_place {
	int64_t line;
	int64_t column;
};

/* The first line that is neither empty nor a comment begins with a flag. */
bool args_recognise(const char *head, size_t length)
{
	struct text rest = { head, length };

	if (memchr(head, '\0', length)) {
		return false;
	}

	while (rest.length > 0) {
		struct text line = text_trim(text_cut(rest, '\n', &rest));

		if (line.length == 0 || line.at[0] == '#') {
			continue;
		}

		return line.length > 1 && (line.at[0] == '+' || line.at[0] == '-') &&
				isalpha((unsigned char)line.at[1]);
	}

	return false;
}

/* Reads the next word; false: there is none.  What is beyond WORD_BYTES is dropped. */
static bool next_word(struct reader_input *input, char *ret_word, struct word_place *ret_place,
		uint64_t *line_begin)
{
	size_t length = 0;
	bool has_begun = false;
	int quote = 0;
	int c;

	while ((c = reader_input_byte(input)) >= 0) {
		if (!has_begun && c == '#') {
			while (c >= 0 && c != '\n') {
				c = reader_input_byte(input);
			}
			*line_begin = reader_input_offset(input);
			continue;
		}
		if (c == '\n') {
			*line_begin = reader_input_offset(input);
		}

		if (quote == 0 && isspace(c)) {
			if (has_begun) {
				break;
			}
			continue;
		}

		if (!has_begun) {
			has_begun = true;
			ret_place->line = (int64_t)reader_input_line_number(input);
			ret_place->column = (int64_t)(reader_input_offset(input) - *line_begin);
		}

		if (quote == 0 && (c == '"' || c == '\'')) {
			quote = c;
			continue;
		}
		if (quote != 0 && c == quote) {
			quote = 0;
			continue;
		}
		if (c == '\\' && quote != '\'') {
			c = reader_input_byte(input);
			if (c < 0) {
				break;
			}
		}

		if (length < WORD_BYTES - 1) {
			ret_word[length++] = (char)c;
		}
	}

	ret_word[length] = '\0';
	return has_begun;
}

static void put_flag(struct args *args, struct text flag, struct text value)
{
	READER_ROW(args->store, "emulator_flag", "snapshot_id, line, flag, value, \"column\"",
			row_integer(args->snapshot), row_integer(args->flag_line), row_text(flag),
			row_text(value), row_integer(args->flag_column));
	args->flags++;
}

/* A flag of the allocators may have its number glued to it. */
static void put_without_value(struct args *args)
{
	struct text flag = { args->flag, strlen(args->flag) };
	size_t digits = 0;

	while (digits < flag.length && isdigit((unsigned char)flag.at[flag.length - 1 - digits])) {
		digits++;
	}

	if (text_begins(flag, "+M") && digits > 0 && digits + 2 < flag.length) {
		put_flag(args, (struct text){ flag.at, flag.length - digits },
				text_from(flag, flag.length - digits));
	} else {
		put_flag(args, flag, (struct text){ NULL, 0 });
	}
}

static void end_flag(struct args *args)
{
	if (args->flag[0] != '\0') {
		put_without_value(args);
		args->flag[0] = '\0';
	}
}

static enum csc_status finish(const struct args *args, struct diag *diag)
{
	catalog_capability(store_catalog(args->store), "flags", args->flags > 0,
			args->flags > 0 ? "the file has flags of the emulator"
					: "the file has no flag of the emulator ('+…')");
	if (args->flags == 0) {
		return DIAG_FAIL(diag, "cannot load '%s': it has no flag of the emulator ('+…')",
				reader_input_path(args->input));
	}
	return store_rows_check(args->store, diag);
}

enum csc_status args_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct args args = { .input = input, .store = store };
	char word[WORD_BYTES];
	struct word_place place = { 0 };
	uint64_t line_begin = reader_input_offset(input);

	args.snapshot = snapshot_add(store, "args", ROW_NULL, 1);
	while (next_word(input, word, &place, &line_begin)) {
		if (strcmp(word, "-extra") == 0 || strcmp(word, "--") == 0) {
			break;
		}

		if (word[0] == '+' || word[0] == '-') {
			end_flag(&args);
			if (word[0] == '+') {
				memcpy(args.flag, word, sizeof(word));
				args.flag_line = place.line;
				args.flag_column = place.column;
			}
		} else if (args.flag[0] != '\0') {
			put_flag(&args, (struct text){ args.flag, strlen(args.flag) },
					(struct text){ word, strlen(word) });
			args.flag[0] = '\0';
		}
	}

	end_flag(&args);
	return finish(&args, diag);
}

enum csc_status args_lines_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct args args = { .input = input, .store = store };
	struct input_line line;

	args.snapshot = snapshot_add(
			store, "args", ROW_NULL, (int64_t)reader_input_line_number(input));
	while (reader_input_line(input, &line)) {
		struct text rest = { line.text, line.length };
		struct text number = text_cut(rest, '\t', &rest);
		struct text column = text_cut(rest, '\t', &rest);
		struct text flag = text_cut(rest, '\t', &rest);
		bool is_huge;

		if (!text_number(number, &args.flag_line, &is_huge) ||
				!text_number(column, &args.flag_column, &is_huge) ||
				flag.length == 0) {
			continue;
		}
		if (text_is(flag, "release")) {
			snapshot_fact(store, args.snapshot, "otp_release", rest);
		} else if (rest.length > 0) {
			put_flag(&args, flag, rest);
		} else if (flag.length < WORD_BYTES) {
			memcpy(args.flag, flag.at, flag.length);
			args.flag[flag.length] = '\0';
			end_flag(&args);
		}
	}

	return finish(&args, diag);
}
