/*
 * SPDX-License-Identifier: MIT
 *
 * Where the parts put what they found.
 */
#include "paste_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "growing.h"

struct paste_text *scan_group(struct paste_scan *scan, enum paste_kind kind, size_t at)
{
	struct paste_group *group = &scan->groups[kind];

	if (group->first_line == 0) {
		group->first_line = scan->first_line + at;
	}
	return &group->text;
}

/* A text in a line of figures: without what separates them. */
static void add_field(struct paste_text *text, struct text field)
{
	for (size_t i = 0; i < field.length && i < 256; i++) {
		bool is_sign = field.at[i] == '\t' || field.at[i] == '\n';

		paste_text_add(text, is_sign ? TEXT(" ") : (struct text){ field.at + i, 1 });
	}
}

static struct paste_text *begin_figure(struct paste_scan *scan, size_t at, const char *function,
		struct text subject, const char *key)
{
	struct paste_text *text = scan_group(scan, PASTE_FIGURES, at);

	paste_text_format(text, "%llu\t%s\t", scan_number(scan, at), function);
	add_field(text, subject);
	paste_text_format(text, "\t%s\t", key);
	return text;
}

void scan_figure(struct paste_scan *scan, size_t at, const char *function, struct text subject,
		const char *key, double value, const char *unit)
{
	struct paste_text *text = begin_figure(scan, at, function, subject, key);

	if (isinf(value)) {
		paste_text_format(text, "\tinfinity\t%s\n", unit);
	} else {
		paste_text_format(text, "%.17g\t\t%s\n", value, unit);
	}
}

void scan_figure_text(struct paste_scan *scan, size_t at, const char *function, struct text subject,
		const char *key, struct text value)
{
	struct paste_text *text = begin_figure(scan, at, function, subject, key);

	paste_text_words(text, "\t");
	add_field(text, value);
	paste_text_words(text, "\t\n");
}

void scan_note(struct paste_scan *scan, const char *name, bool is_loss, const char *format, ...)
{
	struct paste *paste = scan->paste;
	va_list arguments;
	char *sentence = NULL;

	va_start(arguments, format);
	if (vasprintf(&sentence, format, arguments) < 0) {
		sentence = NULL;
	}
	va_end(arguments);
	if (!sentence ||
			!csc_grow_by_one(&paste->notes, paste->note_count, sizeof(*paste->notes))) {
		free(sentence);
		scan->has_failed = true;
		return;
	}
	paste->notes[paste->note_count++] = (struct paste_note){ name, is_loss, sentence };
}

void scan_refuse(struct paste_scan *scan, size_t at, const char *what, const char *run)
{
	char *refusal = NULL;

	scan_note(scan, "not_read_by_name", false, "line %llu is %s, which is not read; run: %s",
			scan_number(scan, at), what, run);
	if (!scan->paste->refusal &&
			asprintf(&refusal, "line %llu is %s, which is not read; run: %s",
					scan_number(scan, at), what, run) >= 0) {
		scan->paste->refusal = refusal;
	}
}

bool scan_called(const struct paste_scan *scan, size_t at, const char *call)
{
	return at - scan->context_line <= PASTE_CONTEXT_LINES && scan->context[0] != '\0' &&
			strncmp(scan->context, call, strlen(call)) == 0;
}

bool scan_is_max(const struct paste_scan *scan, size_t at)
{
	return at - scan->context_line <= PASTE_CONTEXT_LINES &&
			(strstr(scan->context, ",max)") != NULL ||
					strstr(scan->context, "(max)") != NULL);
}

void scan_end_skipped(struct paste_scan *scan)
{
	if (scan->skipped_from == 0) {
		return;
	}

	if (scan->skipped_lines < SCAN_SKIPPED_NAMED) {
		paste_text_format(&scan->skipped,
				scan->skipped_from == scan->skipped_to ? "%s%llu"
								       : "%s%llu to %llu",
				scan->skipped.length > 0 ? ", " : "",
				(unsigned long long)scan->skipped_from,
				(unsigned long long)scan->skipped_to);
	}
	scan->skipped_lines++;
	scan->skipped_from = 0;
}

void scan_skip(struct paste_scan *scan, size_t at)
{
	uint64_t number = scan->first_line + at;

	if (paste_line_is_frame(scan_line(scan, at))) {
		return;
	}
	if (scan->skipped_from != 0 && number > scan->skipped_to + 1) {
		scan_end_skipped(scan);
	}
	if (scan->skipped_from == 0) {
		scan->skipped_from = number;
	}
	scan->skipped_to = number;
}
