/*
 * SPDX-License-Identifier: MIT
 *
 * Sections of a dump that stand alone: what the break handler prints by `i`, the first lines of
 * a dump, and what a node says when it is refused memory.
 */
#include <ctype.h>

#include "paste_scan.h"

static bool is_section(struct text line)
{
	static const char *const names[] = { "=memory", "=allocator:", "=allocated_areas",
		"=hash_table:", "=index_table:", "=proc:", "=ets:", "=port:", "=scheduler:",
		"=node:", "=loaded_modules" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (text_begins(line, names[i])) {
			return true;
		}
	}
	return false;
}

/* "Key: value", as all lines of sections are that matter here. */
static bool is_key(struct text line)
{
	size_t colon = text_find(line, ":");

	return colon > 0 && colon < line.length && colon < 60 &&
			(colon + 1 == line.length || line.at[colon + 1] == ' ');
}

/* Lines from `at` on that are of sections. */
static size_t count_lines(const struct paste_scan *scan, size_t at)
{
	size_t count = 0;
	size_t kept = 0;

	for (; at + count < scan->line_count; count++) {
		struct text line = text_trim(scan_line(scan, at + count));

		if (line.length == 0 && count - kept < 2) {
			continue;
		}
		if (line.length == 0 || (line.at[0] != '=' && !is_key(line)) ||
				(line.at[0] != '=' && paste_line_is_frame(line))) {
			break;
		}
		kept = count + 1;
	}
	return kept;
}

static void copy_lines(struct paste_scan *scan, enum paste_kind kind, size_t at, size_t count)
{
	struct paste_text *text = scan_group(scan, kind, at);

	paste_text_go_to(text, scan->first_line + at - scan->groups[kind].first_line);
	for (size_t i = 0; i < count; i++) {
		paste_text_add(text, text_trim(scan_line(scan, at + i)));
		paste_text_words(text, "\n");
	}
}

/* 'eheap_alloc: Cannot allocate 9794840320 bytes of memory (of type "old_heap").' */
static size_t take_failure(struct paste_scan *scan, size_t at)
{
	static const char *const verbs[] = { ": Cannot allocate ", ": Cannot reallocate " };
	struct text line = scan_line(scan, at);

	for (int i = 0; i < 2; i++) {
		size_t found = text_find(line, verbs[i]);
		struct text allocator;
		struct text rest;
		struct text type;
		int64_t bytes;
		bool is_huge;
		size_t begin = found;

		if (found == line.length) {
			continue;
		}
		while (begin > 0 &&
				(isalnum((unsigned char)line.at[begin - 1]) ||
						line.at[begin - 1] == '_')) {
			begin--;
		}
		allocator = (struct text){ line.at + begin, found - begin };
		rest = text_from(line, found + strlen(verbs[i]));
		if (allocator.length == 0 || !text_number(text_word(&rest), &bytes, &is_huge) ||
				text_find(rest, " bytes of memory") != 0) {
			return 0;
		}
		(void)text_cut(rest, '"', &rest);
		type = text_cut(rest, '"', &rest);
		scan_figure(scan, at, "failed allocation", allocator, "bytes",
				is_huge ? 9.3e18 : (double)bytes, "bytes");
		if (type.length > 0 && type.length < 64) {
			scan_figure_text(scan, at, "failed allocation", allocator, "type", type);
		}
		paste_text_words(&scan->groups[PASTE_FIGURES].text, "\n");
		return 1;
	}
	return 0;
}

size_t paste_section_line(struct paste_scan *scan, size_t at)
{
	struct text line = text_trim(scan_line(scan, at));
	bool is_head = text_begins(line, "Slogan: ");
	size_t count;

	if (!is_head && (line.length == 0 || line.at[0] != '=' || !is_section(line))) {
		return scan_may_have(scan, at, ": Cannot allocate ") ? take_failure(scan, at) : 0;
	}

	count = count_lines(scan, at);
	if (is_head && scan->groups[PASTE_HEAD].text.length == 0) {
		paste_text_words(scan_group(scan, PASTE_HEAD, at), "=erl_crash_dump:\n");
	}
	copy_lines(scan, is_head ? PASTE_HEAD : PASTE_SECTIONS, at, count);
	return count;
}
