/*
 * SPDX-License-Identifier: MIT
 *
 * Flags of the emulator in what sets them: ERL_FLAGS and its kin, `export`, `set`, systemd, .bat,
 * quoted lists, docker -e, rabbitmq-env.conf, riak.conf, and `ps`, which shows '-' for '+'.
 *
 * Nothing but flags of the emulator is kept: other arguments may be secrets.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "paste_scan.h"

static bool is_separator(char c)
{
	return isspace((unsigned char)c) || strchr("\"'`,;[](){}", c) != NULL;
}

/* The next word from *at on; *at is behind it. */
static struct text next_word(struct text line, size_t *at)
{
	struct text word;

	/* What a template puts in is one word. */
	while (*at < line.length && is_separator(line.at[*at])) {
		(*at)++;
	}
	word = (struct text){ line.at + *at, 0 };
	if (text_begins(text_from(line, *at), "<%")) {
		size_t end = text_find(text_from(line, *at), "%>");

		word.length = end < line.length - *at ? end + 2 : line.length - *at;
	} else {
		while (*at + word.length < line.length && !is_separator(word.at[word.length])) {
			word.length++;
		}
	}
	*at += word.length;
	return word;
}

/* "+MBas", "-MBas"; of ps: any one. */
static bool is_flag(struct text word, bool is_ps)
{
	if (word.length < 2 || (word.at[0] != '+' && word.at[0] != '-') ||
			!isalpha((unsigned char)word.at[1])) {
		return false;
	}
	if (word.at[1] == 'M' && word.length >= 3 && isalpha((unsigned char)word.at[2])) {
		return true;
	}
	return is_ps || word.at[0] == '+';
}

/* Behind the last '=' of "ERL_FLAGS=+MBas"; the word itself if there is none. */
static struct text behind_name(struct text word, bool *ret_has_name)
{
	static const char *const names[] = { "ERL_FLAGS=", "ERL_AFLAGS=", "ERL_ZFLAGS=",
		"ERL_ARGS=", "ERL_OPTIONS=", "ERL_OPTS=", "ERLANG_OPTS=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t found = text_find(word, names[i]);

		if (found < word.length) {
			*ret_has_name = true;
			return text_from(word, found + strlen(names[i]));
		}
	}
	return word;
}

/* OTP of "erts-11.2.2.14"; 0: it is not there. */
static int release_of(struct text line)
{
	size_t found = text_find(line, "erts-");
	int major;
	int minor = 0;

	if (found == line.length) {
		return 0;
	}
	found += 5;
	major = 0;
	while (found < line.length && isdigit((unsigned char)line.at[found]) && major < 100) {
		major = 10 * major + (line.at[found++] - '0');
	}
	if (found + 1 < line.length && line.at[found] == '.') {
		minor = line.at[found + 1] - '0';
	}
	return major >= 11	      ? major + 12
			: major == 10 ? (minor >= 4 ? 22 : 21)
			: major >= 6  ? major + 11
				      : 0;
}

static void give_flag(struct paste_scan *scan, size_t at, size_t column, struct text flag,
		struct text value)
{
	struct paste_text *text = scan_group(scan, PASTE_FLAGS, at);

	paste_text_format(text, "%llu\t%zu\t+%.*s\t%.*s\n", scan_number(scan, at), column,
			(int)(flag.length < 64 ? flag.length - 1 : 63), flag.at + 1,
			(int)(value.length < 128 ? value.length : 128),
			value.length > 0 ? value.at : "");
}

/* "erlang.eheap_memory.sbct = 128" of riak.conf. */
static size_t take_riak(struct paste_scan *scan, size_t at)
{
	static const struct {
		const char *name;
		const char *letter;
	} letters[] = { { "binary", "B" }, { "eheap", "H" }, { "ets", "E" }, { "driver", "R" },
		{ "fix", "F" }, { "ll", "L" }, { "sl", "S" }, { "std", "D" }, { "temp", "T" } };
	struct text rest = text_trim(scan_line(scan, at));
	struct text name;
	struct text key;
	char flag[32];

	if (!text_begins(rest, "erlang.")) {
		return 0;
	}
	name = text_cut(text_from(rest, 7), '.', &rest);
	key = text_trim(text_cut(rest, '=', &rest));
	rest = text_trim(rest);
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		size_t length = strlen(letters[i].name);

		if (text_begins(name, letters[i].name) &&
				text_is(text_from(name, length), "_memory") && key.length > 0 &&
				key.length < 16) {
			(void)snprintf(flag, sizeof(flag), "+M%s%.*s", letters[i].letter,
					(int)key.length, key.at);
			give_flag(scan, at, 1, (struct text){ flag, strlen(flag) },
					text_word(&rest));
			return 1;
		}
	}
	return 0;
}

/* Whether the line sets flags: one of the allocators is in it, or a name of theirs. */
static bool sets_flags(struct text line, bool *ret_is_ps)
{
	struct text trimmed = text_trim(line);
	bool has_name = false;
	size_t beam = text_find(line, "/beam");
	size_t at = 0;

	*ret_is_ps = beam < line.length || text_begins(trimmed, "beam.smp");
	if (text_begins(trimmed, "#") || text_begins(trimmed, "%") || text_begins(trimmed, "//") ||
			text_begins(trimmed, "rem ") || text_begins(trimmed, "REM ") ||
			text_begins(trimmed, "::")) {
		return false;
	}
	if (!memchr(line.at, 'M', line.length) && !memchr(line.at, '+', line.length)) {
		return false;
	}
	while (at < line.length) {
		struct text word = behind_name(next_word(line, &at), &has_name);

		if (word.length >= 3 && (word.at[0] == '+' || word.at[0] == '-') &&
				word.at[1] == 'M' && isalpha((unsigned char)word.at[2]) &&
				(word.length < 4 || islower((unsigned char)word.at[3])) &&
				word.length < 24) {
			return true;
		}
		if (is_flag(word, false) && (has_name || (word.at[0] == '+' && *ret_is_ps))) {
			return true;
		}
	}
	return false;
}

size_t paste_flags_line(struct paste_scan *scan, size_t at)
{
	struct text line = scan_line(scan, at);
	struct text flag = { NULL, 0 };
	size_t flag_column = 0;
	size_t place = 0;
	size_t given = 0;
	bool is_ps;
	bool has_name = false;
	int release;

	if (line.length > 65536 ||
			(!memchr(line.at, '+', line.length) &&
					!memmem(line.at, line.length, "-M", 2)) ||
			!sets_flags(line, &is_ps)) {
		return take_riak(scan, at);
	}

	release = release_of(line);
	if (release > 0) {
		paste_text_format(
				scan_group(scan, PASTE_FLAGS, at), "0\t0\trelease\t%d\n", release);
	}
	if (is_ps) {
		/* What is before the program is not of it. */
		size_t beam = text_find(line, "beam");

		while (beam < line.length && !isspace((unsigned char)line.at[beam])) {
			beam++;
		}
		place = beam < line.length ? beam : 0;
	}
	while (place < line.length) {
		struct text word = behind_name(next_word(line, &place), &has_name);
		size_t column = scan->lines[at].margin + (size_t)(word.at - line.at) + 1;

		if (text_is(word, "--") || text_is(word, "-extra")) {
			if (is_ps) {
				break;
			}
			continue;
		}
		if (is_flag(word, is_ps)) {
			if (flag.length > 0) {
				give_flag(scan, at, flag_column, flag, TEXT(""));
				given++;
			}
			flag = word;
			flag_column = column;
		} else if (flag.length > 0) {
			/* What follows an argument of the program is none of the emulator. */
			if (word.length > 0 && word.at[0] != '-') {
				give_flag(scan, at, flag_column, flag, word);
			} else {
				give_flag(scan, at, flag_column, flag, TEXT(""));
			}
			given++;
			flag = (struct text){ NULL, 0 };
		}
	}
	if (flag.length > 0) {
		give_flag(scan, at, flag_column, flag, TEXT(""));
		given++;
	}
	return given > 0 ? 1 : 0;
}
