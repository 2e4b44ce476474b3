/*
 * SPDX-License-Identifier: MIT
 *
 * Tables of memory, a class on each line: "memory/total : 127648904", "binary: 2254.2 mb (8.66%)",
 * "| binary | 123 |".
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "paste_scan.h"

enum { KEY_BYTES = 64, NUMBER_BYTES = 48, ROWS_MAX = 64 };

struct row {
	size_t at;
	char key[KEY_BYTES];
	double bytes;

	/* It is written with a unit, or with a fraction. */
	bool has_unit;
	bool has_fraction;
	bool has_percent;
};

/* The number at the front, groups of digits joined; false: there is none. */
static bool cut_number(struct text *rest, double *ret_number, bool *ret_has_fraction)
{
	char digits[NUMBER_BYTES];
	size_t length = 0;
	struct text text = text_trim(*rest);
	size_t at = 0;

	while (at < text.length && length < sizeof(digits) - 1) {
		char c = text.at[at];
		bool is_group = (c == ' ' || c == ',' || c == '_' || c == '\'') && at > 0 &&
				at + 3 < text.length + 0 &&
				isdigit((unsigned char)text.at[at + 1]) &&
				isdigit((unsigned char)text.at[at + 2]) &&
				isdigit((unsigned char)text.at[at + 3]) &&
				(at + 4 == text.length || !isdigit((unsigned char)text.at[at + 4]));

		if (isdigit((unsigned char)c) || (c == '.' && length > 0)) {
			digits[length++] = c;
		} else if (!is_group) {
			break;
		}
		at++;
	}
	/* A dot at the end is that of the sentence. */
	length -= length > 0 && digits[length - 1] == '.';
	digits[length] = '\0';
	*ret_has_fraction = memchr(digits, '.', length) != NULL;
	*ret_number = strtod(digits, NULL);
	*rest = text_from(text, at);
	return length > 0 && isdigit((unsigned char)digits[0]);
}

/* The unit at the front as a factor; 0: a word that is none. */
static double cut_unit(struct text *rest, bool *ret_has_unit)
{
	static const struct {
		const char *word;
		double factor;
	} units[] = { { "b", 1 }, { "bytes", 1 }, { "byte", 1 }, { "kb", 1e3 }, { "mb", 1e6 },
		{ "gb", 1e9 }, { "tb", 1e12 }, { "kib", 1024.0 }, { "mib", 1048576.0 },
		{ "gib", 1073741824.0 }, { "k", 1024.0 }, { "m", 1048576.0 },
		{ "g", 1073741824.0 } };
	struct text word;
	char lower[8];

	word = text_word(rest);
	*ret_has_unit = false;
	if (word.length == 0 || word.at[0] == '(' || word.at[0] == '|') {
		*rest = (struct text){ word.at, word.length + rest->length };
		return 1;
	}
	if (word.length >= sizeof(lower)) {
		return 0;
	}
	for (size_t i = 0; i < word.length; i++) {
		lower[i] = (char)tolower((unsigned char)word.at[i]);
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (text_is((struct text){ lower, word.length }, units[i].word)) {
			*ret_has_unit = units[i].factor != 1;
			return units[i].factor;
		}
	}
	return text_is(word, ",") ? 1 : 0;
}

static bool read_row(struct paste_scan *scan, size_t at, struct row *ret_row)
{
	struct text rest = text_trim(scan_line(scan, at));
	size_t length = 0;
	double unit;

	ret_row->at = at;
	ret_row->has_percent = false;
	if (text_begins(rest, "|")) {
		rest = text_trim(text_from(rest, 1));
	}
	if (text_begins(rest, "memory/")) {
		rest = text_from(rest, strlen("memory/"));
	}
	while (length < rest.length && length < KEY_BYTES - 1 &&
			(isalpha((unsigned char)rest.at[length]) || rest.at[length] == '_' ||
					(rest.at[length] == ' ' && length + 1 < rest.length &&
							isalpha((unsigned char)rest.at[length +
									1])))) {
		ret_row->key[length] = (char)tolower((unsigned char)rest.at[length]);
		length++;
	}
	ret_row->key[length] = '\0';
	rest = text_trim(text_from(rest, length));
	if (length == 0 || rest.length == 0) {
		return false;
	}
	if (rest.at[0] == ':' || rest.at[0] == '|' || rest.at[0] == '=') {
		rest = text_from(rest, 1);
	}
	if (!cut_number(&rest, &ret_row->bytes, &ret_row->has_fraction)) {
		return false;
	}
	unit = cut_unit(&rest, &ret_row->has_unit);
	ret_row->bytes *= unit;
	ret_row->has_percent = rest.length > 0 && memchr(rest.at, '%', rest.length) != NULL;
	return unit > 0;
}

static bool is_in(const char *key, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(key, words[i]) == 0) {
			return true;
		}
	}
	return false;
}

static bool is_memory(const char *key)
{
	static const char *const words[] = { "total", "processes", "processes_used", "system",
		"atom", "atom_used", "binary", "code", "ets" };

	return is_in(key, words, sizeof(words) / sizeof(words[0]));
}

/* Classes that only RabbitMQ has. */
static bool is_class(const char *key)
{
	static const char *const words[] = { "allocated_unused", "reserved_unallocated",
		"queue_procs", "queue_slave_procs", "quorum_queue_procs", "quorum_queue_dlx_procs",
		"stream_queue_procs", "stream_queue_replica_reader_procs",
		"stream_queue_coordinator_procs", "connection_readers", "connection_writers",
		"connection_channels", "connection_other", "other_proc", "other_ets",
		"other_system", "mgmt_db", "msg_index", "plugins", "metrics", "mnesia",
		"quorum_ets", "metadata_store", "metadata_store_ets" };

	return is_in(key, words, sizeof(words) / sizeof(words[0]));
}

/* Any list may have a "total": that of a node is above 1 MiB, and not less than its parts. */
static bool is_plausible(const struct row *rows, size_t count)
{
	double total = 0;

	for (size_t i = 0; i < count; i++) {
		total = strcmp(rows[i].key, "total") == 0 ? rows[i].bytes : total;
	}
	for (size_t i = 0; i < count; i++) {
		if (is_memory(rows[i].key) && rows[i].bytes > total) {
			return false;
		}
	}
	return total >= 1048576;
}

static void give_memory(struct paste_scan *scan, const struct row *rows, size_t count)
{
	struct paste_text *text = scan_group(scan, PASTE_TERMS, rows[0].at);
	size_t given = 0;

	scan->groups[PASTE_TERMS].is_changed = true;
	paste_text_go_to(
			text, scan->first_line + rows[0].at - scan->groups[PASTE_TERMS].first_line);
	paste_text_words(text, "[");
	for (size_t i = 0; i < count; i++) {
		if (is_memory(rows[i].key)) {
			paste_text_format(text, "%s{%s,%.0f}", given++ > 0 ? "," : "", rows[i].key,
					rows[i].bytes);
		}
	}
	paste_text_words(text, "].\n");
}

static void give_classes(struct paste_scan *scan, const struct row *rows, size_t count)
{
	const char *function = "rabbitmqctl status";

	for (size_t i = 0; i < count; i++) {
		if (rows[i].has_percent) {
			function = "rabbitmq-diagnostics memory_breakdown";
		}
	}
	for (size_t i = 0; i < count; i++) {
		const char *key = rows[i].key;
		bool is_total = strcmp(key, "total memory used") == 0 || strcmp(key, "total") == 0;

		if (is_total || is_class(key) || is_memory(key)) {
			scan_figure(scan, rows[i].at, function,
					is_total ? TEXT("used") : (struct text){ key, strlen(key) },
					is_total ? "total" : "class", rows[i].bytes, "bytes");
		}
	}
	paste_text_words(&scan->groups[PASTE_FIGURES].text, "\n");
}

/* The last digits of "binary   41" in a line, in KiB; false: the word is not there. */
static bool give_column(struct paste_scan *scan, size_t at, const char *word)
{
	struct text line = scan_line(scan, at);
	size_t found = text_find(line, word);
	struct text rest;
	bool has_fraction;
	double number;

	if (found == line.length) {
		return false;
	}
	rest = text_from(line, found + strlen(word));
	if (rest.length == 0 || rest.at[0] != ' ') {
		return false;
	}
	rest = text_trim(rest);
	rest.length = 0;
	while (rest.at + rest.length < line.at + line.length &&
			isdigit((unsigned char)rest.at[rest.length])) {
		rest.length++;
	}
	if (!cut_number(&rest, &number, &has_fraction)) {
		return false;
	}
	scan_figure(scan, at, "etop", (struct text){ word, strlen(word) },
			strcmp(word, "total") == 0 ? "total" : "class", 1024 * number, "bytes");
	return true;
}

/* "Load: … Memory: total 14345 binary 41" of etop, and the two lines behind it, in KiB. */
static size_t take_etop(struct paste_scan *scan, size_t at)
{
	static const char *const words[] = { "total", "binary", "processes", "code", "atom",
		"ets" };
	struct text line = scan_line(scan, at);
	size_t memory = text_find(line, "Memory:");
	size_t lines = 0;

	if (memory == line.length || text_find(line, "Load:") == line.length ||
			text_find(text_from(line, memory), " total ") + memory == line.length) {
		return 0;
	}
	for (; lines < 3 && at + lines < scan->line_count; lines++) {
		bool is_taken = false;

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			is_taken = give_column(scan, at + lines, words[i]) || is_taken;
		}
		if (!is_taken) {
			break;
		}
	}
	if (lines > 0) {
		paste_text_words(&scan->groups[PASTE_FIGURES].text, "\n");
	}
	return lines;
}

size_t paste_table_line(struct paste_scan *scan, size_t at)
{
	struct row rows[ROWS_MAX];
	size_t count = 0;
	size_t memory = 0;
	size_t classes = 0;
	size_t last = at;
	size_t blanks = 0;
	bool has_fractions = false;
	struct row first;

	if (!read_row(scan, at, &first)) {
		return take_etop(scan, at);
	}
	for (size_t i = at; i < scan->line_count && count < ROWS_MAX && blanks < 6; i++) {
		struct text line = text_trim(scan_line(scan, i));

		if (!read_row(scan, i, &rows[count])) {
			blanks++;
			/* Lines between, as RabbitMQ's "Memory high watermark setting: …". */
			if (line.length > 0 && text_find(line, ": ") == line.length &&
					!text_begins(line, "|")) {
				break;
			}
			continue;
		}
		blanks = 0;
		memory += is_memory(rows[count].key);
		classes += is_class(rows[count].key) ||
				strcmp(rows[count].key, "total memory used") == 0;
		has_fractions = has_fractions ||
				(is_memory(rows[count].key) &&
						(rows[count].has_unit || rows[count].has_fraction));
		count++;
		last = i;
	}

	if (classes >= 1 && classes + memory >= 2) {
		give_classes(scan, rows, count);
		return last + 1 - at;
	}
	if (memory < 3 || (!is_memory(rows[0].key) && memory < 4)) {
		return 0;
	}
	if (!has_fractions && !is_plausible(rows, count)) {
		return 0;
	}
	if (has_fractions) {
		scan_refuse(scan, at,
				"a result of erlang:memory() that was divided or rounded, so that its sums do not show what is missing",
				"erl> erlang:memory().");
		return last + 1 - at;
	}
	give_memory(scan, rows, count);
	return last + 1 - at;
}
