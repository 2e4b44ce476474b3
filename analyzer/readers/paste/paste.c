/*
 * SPDX-License-Identifier: MIT
 *
 * A paste is looked through once.  Dumps are passed over as they are; of what lies between, up to
 * REGION_BYTES at a time are kept, cleaned, and shown line by line to each part.
 */
#include "paste.h"

#include <stdio.h>
#include <stdlib.h>

#include "args.h"
#include "dump.h"
#include "figures.h"
#include "growing.h"
#include "paste_scan.h"
#include "terms.h"

/* What is kept at once; a term that is longer is cut. */
enum { REGION_BYTES = 64 * 1024 * 1024 };

static const char dump_mark[] = "=erl_crash_dump:";

static const struct reader piece_readers[PASTE_KINDS] = {
	[PASTE_TERMS] = { "terms", "Erlang terms", terms_recognise, terms_read },
	[PASTE_FIGURES] = { "pasted", "figures of a shell", NULL, figures_read },
	[PASTE_SECTIONS] = { "system_info", "what the break handler prints by i", NULL,
			dump_sections_read },
	[PASTE_HEAD] = { "crash_dump", "the head of a crash dump", dump_recognise, dump_read },
	[PASTE_FLAGS] = { "args", "flags of the emulator", args_recognise, args_lines_read },
};

static const struct reader dump_reader = { "crash_dump", "a crash dump", dump_recognise,
	dump_read };

static struct paste_piece *add_piece(struct paste_scan *scan)
{
	struct paste *paste = scan->paste;

	if (!csc_grow_by_one(&paste->pieces, paste->count, sizeof(*paste->pieces))) {
		scan->has_failed = true;
		return NULL;
	}
	paste->pieces[paste->count] = (struct paste_piece){ 0 };
	return &paste->pieces[paste->count++];
}

/* Makes pieces of what was found of one node. */
static void end_groups(struct paste_scan *scan)
{
	for (int kind = 0; kind < PASTE_KINDS; kind++) {
		struct paste_group *group = &scan->groups[kind];
		struct paste_piece *piece = group->text.length > 0 ? add_piece(scan) : NULL;

		if (piece) {
			piece->reader = &piece_readers[kind];
			piece->text = group->text.bytes;
			piece->length = group->text.length;
			piece->first_line = group->first_line;
			piece->is_plain = kind == PASTE_TERMS && !group->is_changed;
			memcpy(piece->node, scan->node, sizeof(piece->node));
			scan->has_failed = scan->has_failed || group->text.has_failed;
			group->text.bytes = NULL;
		}
		paste_text_finish(&group->text);
		*group = (struct paste_group){ 0 };
	}
}

static void note_context(struct paste_scan *scan, size_t at)
{
	char call[PASTE_CONTEXT_BYTES];
	char node[sizeof(scan->node)];
	static const struct {
		const char *word;
		double factor;
	} units[] = { { "(byte)", 1 }, { "(kilobyte)", 1024 }, { "(megabyte)", 1048576 },
		{ "(gigabyte)", 1073741824 } };

	if (paste_line_node(scan_line(scan, at), node, sizeof(node)) &&
			strcmp(node, scan->node) != 0) {
		if (scan->node[0] != '\0') {
			end_groups(scan);
			scan->unit = 0;
		}
		(void)snprintf(scan->node, sizeof(scan->node), "%s", node);
	}

	/* A call has parentheses, or stands behind a prompt. */
	if ((!scan_may_have(scan, at, "(") && !scan_may_have(scan, at, ">")) ||
			paste_line_call(scan_line(scan, at), call, sizeof(call)) == 0) {
		return;
	}
	memcpy(scan->context, call, sizeof(call));
	scan->context_line = at;
	if (strncmp(call, "recon_alloc:set_unit(", 21) == 0) {
		for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
			scan->unit = strstr(call, units[i].word) ? units[i].factor : scan->unit;
		}
	}
}

/* Lines of the region, without what stands before them. */
static void clean_region(struct paste_scan *scan, struct text region)
{
	scan->line_count = 0;
	scan->clean.length = 0;
	if (!scan->clean.bytes || scan->clean.room < region.length + 2) {
		char *grown = realloc(scan->clean.bytes, region.length + 2);

		if (!grown) {
			scan->has_failed = true;
			return;
		}
		scan->clean.bytes = grown;
		scan->clean.room = region.length + 2;
	}

	while (region.length > 0 && !scan->has_failed) {
		struct text line = text_cut(region, '\n', &region);

		if (scan->line_count == scan->line_room) {
			size_t room = 2 * scan->line_room + 1024;
			struct paste_line *grown =
					realloc(scan->lines, room * sizeof(*scan->lines));

			if (!grown) {
				scan->has_failed = true;
				return;
			}
			scan->lines = grown;
			scan->line_room = room;
		}
		scan->lines[scan->line_count].begin = scan->clean.length;
		scan->lines[scan->line_count].length =
				paste_line_clean(line, scan->clean.bytes + scan->clean.length,
						&scan->lines[scan->line_count].margin);
		paste_line_look((struct text){ scan->clean.bytes + scan->clean.length,
						scan->lines[scan->line_count].length },
				&scan->lines[scan->line_count]);
		scan->lines[scan->line_count].has_prefix =
				text_trim((struct text){ line.at,
							  scan->lines[scan->line_count].margin })
						.length > 0;
		scan->clean.length += scan->lines[scan->line_count].length;
		scan->clean.bytes[scan->clean.length++] = '\n';
		scan->line_count++;
	}
}

/* Looks through what lies before a dump or the end. */
static void look_through(struct paste_scan *scan, struct text region, uint64_t first_line)
{
	static size_t (*const parts[])(struct paste_scan * scan, size_t at) = { paste_section_line,
		paste_named_line, paste_table_line, paste_flags_line, paste_term_line };
	size_t at = 0;

	scan->first_line = first_line;
	scan->context[0] = '\0';
	clean_region(scan, region);
	while (at < scan->line_count && !scan->has_failed) {
		size_t taken = 0;

		note_context(scan, at);
		for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && taken == 0; i++) {
			taken = parts[i](scan, at);
		}
		if (taken == 0) {
			scan_skip(scan, at);
			taken = 1;
		}
		at += taken;
	}
}

/* What of the input is kept. */
struct window {
	struct reader_input *input;
	char *bytes;
	size_t length;
	size_t room;

	/* Of its first byte. */
	uint64_t offset;
	uint64_t line;
};

/* Adds what comes next; false: there is nothing, or no memory. */
static bool read_more(struct window *window, struct paste_scan *scan)
{
	struct reader_ahead *ahead = (struct reader_ahead *)(void *)window->input;
	size_t there;

	if (!reader_input_more(window->input)) {
		return false;
	}
	there = ahead->end - ahead->begin;
	if (window->length + there > window->room) {
		size_t room = 2 * window->room + there;
		char *grown = realloc(window->bytes, room);

		if (!grown) {
			scan->has_failed = true;
			return false;
		}
		window->bytes = grown;
		window->room = room;
	}
	if (window->bytes) {
		memcpy(window->bytes + window->length, ahead->window + ahead->begin, there);
		window->length += there;
	}
	ahead->begin = ahead->end;
	ahead->offset += there;
	return true;
}

/* Forgets the first `count` bytes, in which so many lines end. */
static void drop_lines(struct window *window, size_t count, uint64_t lines)
{
	window->line += lines;
	if (window->bytes) {
		memmove(window->bytes, window->bytes + count, window->length - count);
	}
	window->length -= count;
	window->offset += count;
}

/* Forgets the first `count` bytes. */
static void drop(struct window *window, size_t count)
{
	const char *at = window->bytes;
	const char *end = window->bytes + count;
	uint64_t lines = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
		lines++;
		at++;
	}
	drop_lines(window, count, lines);
}

/* Whether the line that follows the mark's is of a dump with that margin. */
static bool has_margin(struct text next, size_t margin)
{
	static const char *const days[] = { "Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun ",
		"Slogan: " };

	if (next.length <= margin) {
		return false;
	}
	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
		if (text_begins(text_from(next, margin), days[i])) {
			return true;
		}
	}
	return false;
}

static bool ends_fence(struct text line)
{
	struct text text = text_trim(line);
	const char *sign = memchr(line.at, '$', line.length);

	return text_begins(text, "```") || text_begins(text, "~~~") ||
			(sign && sign > line.at && memchr(line.at, '@', (size_t)(sign - line.at)) &&
					sign + 1 < line.at + line.length && sign[1] == ' ');
}

/* Where the dump whose mark is at the beginning ends: passes over it. */
static void pass_dump(struct window *window, struct paste_scan *scan, size_t margin)
{
	struct paste_piece *piece = add_piece(scan);
	size_t at = 0;
	uint64_t lines = 0;
	bool is_first = true;

	if (!piece) {
		return;
	}
	*piece = (struct paste_piece){ .reader = &dump_reader,
		.from_bytes = window->offset,
		.first_line = window->line,
		.margin = margin };
	for (;;) {
		char *found = at < window->length
				? memchr(window->bytes + at, '\n', window->length - at)
				: NULL;
		struct text line;
		bool is_end;

		if (!found && at > 0) {
			drop_lines(window, at, lines);
			at = 0;
			lines = 0;
		}
		if (!found && window->length < REGION_BYTES && read_more(window, scan)) {
			continue;
		}
		line = (struct text){ window->bytes + at,
			found ? (size_t)(found - window->bytes) - at : window->length - at };
		if (line.length == 0 && !found) {
			break;
		}
		if (!is_first && margin == 0 && line.length > 0 &&
				(line.at[0] == '`' || line.at[0] == '~' ||
						memchr(line.at, '$',
								line.length < 64 ? line.length
										 : 64)) &&
				ends_fence(line)) {
			break;
		}
		is_first = false;
		at += line.length + (found != NULL);
		lines += found != NULL;
		line = line.length >= margin ? text_from(line, margin) : line;
		if (line.length > 0 && line.at[line.length - 1] == '\r') {
			line.length--;
		}
		is_end = line.length >= 4 && line.at[0] == '=' &&
				(text_is(line, "=end") || text_begins(line, "=abort:"));
		if (is_end || !found) {
			break;
		}
	}

	piece->to_bytes = window->offset + at;
	drop_lines(window, at, lines);
}

/* Passes what is before a mark on; the dump follows. */
static void take_mark(struct window *window, struct paste_scan *scan, size_t mark)
{
	size_t begin = mark;
	size_t margin;
	const char *next;
	struct text behind;

	while (begin > 0 && window->bytes[begin - 1] != '\n') {
		begin--;
	}
	margin = mark - begin;
	while (memchr(window->bytes + mark, '\n', window->length - mark) == NULL &&
			read_more(window, scan)) {
	}
	next = memchr(window->bytes + mark, '\n', window->length - mark);
	while (next &&
			memchr(next + 1, '\n',
					window->length - (size_t)(next + 1 - window->bytes)) ==
					NULL) {
		size_t at = (size_t)(next - window->bytes);

		if (!read_more(window, scan)) {
			break;
		}
		next = window->bytes + at;
	}
	behind = next ? (struct text){ next + 1,
		window->length - (size_t)(next + 1 - window->bytes) }
		      : (struct text){ NULL, 0 };
	if (margin > 0 && !has_margin(behind, margin)) {
		/* A prompt before it alone: the mark begins where it stands. */
		look_through(scan, (struct text){ window->bytes, mark }, window->line);
		drop(window, mark);
		pass_dump(window, scan, 0);
		return;
	}
	look_through(scan, (struct text){ window->bytes, begin }, window->line);
	drop(window, begin);
	pass_dump(window, scan, margin);
}

static void read_all(struct window *window, struct paste_scan *scan)
{
	size_t searched = 0;
	bool has_more = true;

	while (!scan->has_failed && (has_more || window->length > 0)) {
		struct text rest = { window->bytes + searched, window->length - searched };
		size_t found = text_find(rest, dump_mark);

		if (found < rest.length) {
			take_mark(window, scan, searched + found);
			searched = 0;
			continue;
		}
		searched = window->length > sizeof(dump_mark) ? window->length - sizeof(dump_mark)
							      : 0;
		has_more = has_more && read_more(window, scan);
		if (!has_more || window->length >= REGION_BYTES) {
			look_through(scan, (struct text){ window->bytes, window->length },
					window->line);
			drop(window, window->length);
			searched = 0;
		}
	}
}

enum csc_status paste_find(struct reader_input *input, struct paste **ret_paste, struct diag *diag)
{
	struct paste_scan *scan = calloc(1, sizeof(*scan));
	struct paste *paste = calloc(1, sizeof(*paste));
	struct window window = { .input = input,
		.offset = reader_input_offset(input),
		.line = reader_input_line_number(input) };
	enum csc_status status = CSC_OK;

	reader_input_unhashed(input);

	if (scan) {
		scan->paste = paste;
		scan->arena = value_arena_create();
	}
	/* Also of a text that is empty. */
	window.bytes = malloc(1);
	window.room = window.bytes ? 1 : 0;
	if (!scan || !paste || !scan->arena || !window.bytes) {
		status = DIAG_NO_MEMORY(diag);
		goto end;
	}

	read_all(&window, scan);
	end_groups(scan);
	scan_end_skipped(scan);
	if (scan->skipped_lines > 0) {
		scan_note(scan, "paste_skipped", false,
				"line%s %s%s: nothing that is known was found there",
				strpbrk(scan->skipped.bytes, " ,") ? "s" : "", scan->skipped.bytes,
				scan->skipped_lines > SCAN_SKIPPED_NAMED ? " and more" : "");
	}
	if (scan->has_failed) {
		status = DIAG_NO_MEMORY(diag);
	}

end:
	if (scan) {
		value_arena_destroy(scan->arena);
		paste_text_finish(&scan->clean);
		paste_text_finish(&scan->skipped);
		free(scan->lines);
		free(scan);
	}
	free(window.bytes);
	if (status == CSC_OK) {
		*ret_paste = paste;
	} else {
		paste_destroy(paste);
	}
	return status;
}

void paste_destroy(struct paste *paste)
{
	for (size_t i = 0; paste && i < paste->count; i++) {
		free(paste->pieces[i].text);
	}
	for (size_t i = 0; paste && i < paste->note_count; i++) {
		free(paste->notes[i].sentence);
	}
	if (paste) {
		free(paste->pieces);
		free(paste->notes);
		free(paste->refusal);
		free(paste);
	}
}

enum csc_status paste_write_notes(const struct paste *paste, struct reader_input *input,
		struct store *store, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < paste->note_count && status == CSC_OK; i++) {
		const struct paste_note *note = &paste->notes[i];

		status = store_problem(store, note->name,
				note->is_loss ? SEVERITY_DATA_LOSS : SEVERITY_NOTICE, 1, diag,
				"'%s': %s", reader_input_path(input), note->sentence);
		if (note->is_loss) {
			store_catalog(store)->file.is_partial = true;
		}
	}
	return status;
}
