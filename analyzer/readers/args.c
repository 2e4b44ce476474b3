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
static bool next_word(struct reader_input *input, char *ret_word, int64_t *ret_line)
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
			continue;
		}

		if (quote == 0 && isspace(c)) {
			if (has_begun) {
				break;
			}
			continue;
		}

		if (!has_begun) {
			has_begun = true;
			*ret_line = (int64_t)reader_input_line_number(input);
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
	READER_ROW(args->store, "emulator_flag", "snapshot_id, line, flag, value",
			row_integer(args->snapshot), row_integer(args->flag_line), row_text(flag),
			row_text(value));
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

enum csc_status args_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct args args = { .input = input, .store = store };
	char word[WORD_BYTES];
	int64_t line = 0;

	args.snapshot = snapshot_add(store, "args", ROW_NULL, 1);
	while (next_word(input, word, &line)) {
		if (strcmp(word, "-extra") == 0 || strcmp(word, "--") == 0) {
			break;
		}

		if (word[0] == '+' || word[0] == '-') {
			end_flag(&args);
			if (word[0] == '+') {
				memcpy(args.flag, word, sizeof(word));
				args.flag_line = line;
			}
		} else if (args.flag[0] != '\0') {
			put_flag(&args, (struct text){ args.flag, strlen(args.flag) },
					(struct text){ word, strlen(word) });
			args.flag[0] = '\0';
		}
	}

	end_flag(&args);
	catalog_capability(store_catalog(store), "flags", args.flags > 0,
			args.flags > 0 ? "the file has flags of the emulator"
				       : "the file has no flag of the emulator ('+…')");
	return store_rows_check(store, diag);
}
