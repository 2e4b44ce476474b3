/*
 * SPDX-License-Identifier: MIT
 *
 * Sections of a dump.  Most of a dump is heaps, of which references to binaries are read; a dump
 * that breaks off keeps all that is before.
 */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

#include "dump_allocator.h"
#include "dump_binaries.h"
#include "dump_head.h"
#include "dump_process.h"
#include "dump_state.h"

static const char mark[] = "=erl_crash_dump:";

/* How often a failing disk is looked for, in sections. */
enum { SECTIONS_PER_CHECK = 256 };

/* "=erl_crash_dump:0.5" has 19. */
enum { FIRST_LINE_BYTES = 24 };

bool dump_recognise(const char *head, size_t length)
{
	struct text text = { head, length };

	while (text.length > 0 && (text.at[0] == '\n' || text.at[0] == '\r')) {
		text = text_from(text, 1);
	}

	return text_begins(text, mark);
}

static const char *const sections[] = {
	[SECTION_MEMORY] = "memory",
	[SECTION_AREAS] = "allocated_areas",
	[SECTION_ALLOCATOR] = "allocator",
	[SECTION_PROCESS] = "proc",
	[SECTION_ETS] = "ets",
	[SECTION_HEAP] = "proc_heap",
	[SECTION_BINARY] = "binary",
	[SECTION_HEAD] = "erl_crash_dump",
};

static void end_ets(struct dump *dump)
{
	READER_ROW(dump->store, "ets_sample", "snapshot_id, line, owner, name, objects, words",
			row_integer(dump->snapshot), row_integer(dump->section_line),
			row_text(kept_text(&dump->ets_owner)), row_text(kept_text(&dump->ets_name)),
			row_integer(dump->ets_objects), row_integer(dump->ets_words));
}

static void end_section(struct dump *dump)
{
	if (dump->section == SECTION_PROCESS) {
		dump_process_end(dump);
	} else if (dump->section == SECTION_ETS) {
		end_ets(dump);
	}

	dump->section = SECTION_SKIPPED;
}

/* A second dump in the same file is a second snapshot.  `format` at NULL: not recorded. */
static void begin_dump(struct dump *dump, struct text format, int64_t line)
{
	dump->is_open = true;
	dump->has_any = true;
	dump->snapshot = 0;
	dump->first_line = line;
	dump->has_slogan = false;
	dump->is_in_slogan = false;
	dump->slogan_length = 0;
	dump->time_text.is_set = false;
	dump->calling_thread.is_set = false;
	dump->taints.is_set = false;
	dump->atoms = ROW_NULL;
	dump->head_lines = 0;
	dump->binaries = 0;
	dump->binary_bytes = 0;
	dump->end = DUMP_CUT;
	dump->has_memory = false;
	dump->has_rest = false;
	dump->format.is_set = false;
	if (format.at) {
		keep(&dump->format, format);
	}
}

/* The dump ends before that offset and line. */
static void end_dump(struct dump *dump, uint64_t offset_bytes, uint64_t line)
{
	if (!dump->is_open) {
		return;
	}

	dump->end_offset_bytes = offset_bytes;
	dump_need_snapshot(dump, ROW_NULL);
	end_section(dump);
	dump_binaries_write(dump->references, dump->store, dump->snapshot);
	dump_head_write(dump);
	if (dump->end == DUMP_CUT) {
		store_catalog(dump->store)->file.is_partial = true;
		dump_note(dump,
				store_problem(dump->store, "dump_cut", SEVERITY_DATA_LOSS, 1,
						dump->diag,
						"'%s' breaks off at offset %llu, line %llu; what is before was loaded",
						reader_input_path(dump->input),
						(unsigned long long)offset_bytes,
						(unsigned long long)line));
	} else if (dump->end == DUMP_SIZE_LIMIT) {
		dump_note(dump,
				store_problem(dump->store, "dump_size_limit", SEVERITY_NOTICE, 1,
						dump->diag,
						"'%s' ends at offset %llu at the size limit that the node was given: "
						"heaps, code or atoms are missing",
						reader_input_path(dump->input),
						(unsigned long long)offset_bytes));
	}

	dump->is_open = false;
}

/* What is behind the end of a dump and is none itself. */
static void note_rest(struct dump *dump, const struct input_line *line)
{
	if (dump->has_rest) {
		return;
	}

	dump->has_rest = true;
	dump_note(dump,
			store_problem(dump->store, "dump_rest", SEVERITY_NOTICE, 1, dump->diag,
					"'%s': what is behind the end of the dump, from offset %llu, line %llu, on, "
					"is no other dump; it was left out",
					reader_input_path(dump->input),
					(unsigned long long)line->offset_bytes,
					(unsigned long long)line->number));
}

/* "=node:'app@host'": the name of the node itself; one that had none is nonode@nohost. */
static void take_node(struct dump *dump, struct text name)
{
	if (name.length >= 2 && name.at[0] == '\'' && name.at[name.length - 1] == '\'') {
		name = (struct text){ name.at + 1, name.length - 2 };
	}

	if (name.length > 0) {
		dump_need_snapshot(dump, ROW_NULL);
		snapshot_fact(dump->store, dump->snapshot, "node_name", name);
	}
}

static void begin_section(struct dump *dump, const struct input_line *line)
{
	struct text id;
	struct text name = text_cut((struct text){ line->text + 1, line->length - 1 }, ':', &id);

	end_section(dump);
	dump->section_line = (int64_t)line->number;
	if (dump->is_open && dump->end != DUMP_CUT && !text_is(name, "erl_crash_dump")) {
		note_rest(dump, line);
		return;
	}

	/* Each dump has one: the head of this one is lost. */
	if (text_is(name, "memory") && dump->has_memory && dump->is_bare) {
		dump->snapshot = 0;
	} else if (text_is(name, "memory") && dump->has_memory) {
		end_dump(dump, line->offset_bytes, line->number);
		begin_dump(dump, (struct text){ NULL, 0 }, dump->section_line);
	}

	if (text_is(name, "end")) {
		dump->end = DUMP_WHOLE;
		return;
	}

	if (text_is(name, "abort")) {
		dump->end = DUMP_SIZE_LIMIT;
		return;
	}

	if (text_is(name, "node")) {
		take_node(dump, id);
		return;
	}

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		if (sections[i] && text_is(name, sections[i])) {
			dump->section = (enum dump_section)i;
		}
	}

	if (dump->section != SECTION_HEAD) {
		dump_need_snapshot(dump, ROW_NULL);
	}

	if (dump->section == SECTION_HEAD) {
		end_dump(dump, line->offset_bytes, line->number);
		begin_dump(dump, id, dump->section_line);
		dump->section = SECTION_HEAD;
	} else if (dump->section == SECTION_MEMORY) {
		dump->has_memory = true;
	} else if (dump->section == SECTION_ALLOCATOR) {
		dump_allocator_begin(dump, id);
	} else if (dump->section == SECTION_PROCESS) {
		dump_process_begin(dump, id);
	} else if (dump->section == SECTION_HEAP) {
		dump_binaries_process(dump->references, id);
	} else if (dump->section == SECTION_BINARY) {
		keep(&dump->binary, id);
	} else if (dump->section == SECTION_ETS) {
		keep(&dump->ets_owner, id);
		dump->ets_name.is_set = false;
		dump->ets_objects = ROW_NULL;
		dump->ets_words = ROW_NULL;
	}
}

static bool take_memory(struct dump *dump, struct text line)
{
	struct text value;
	struct text key = text_cut(line, ':', &value);
	int64_t bytes;
	bool is_huge;

	if (line.length == 0) {
		return true;
	}

	if (!text_number(text_trim(value), &bytes, &is_huge) || is_huge) {
		return false;
	}

	snapshot_memory(dump->store, dump->snapshot, key, bytes);
	dump->memory_keys++;
	return true;
}

static bool take_area(struct dump *dump, struct text line)
{
	struct text rest;
	struct text name = text_cut(line, ':', &rest);
	struct text used;
	int64_t numbers[2] = { ROW_NULL, ROW_NULL };
	bool is_huge;

	if (line.length == 0) {
		return true;
	}

	if (!text_number(text_word(&rest), &numbers[0], &is_huge) || is_huge) {
		return false;
	}

	used = text_word(&rest);
	if (used.length > 0 && (!text_number(used, &numbers[1], &is_huge) || is_huge)) {
		return false;
	}

	snapshot_area(dump->store, dump->snapshot, name, numbers[0], numbers[1]);
	return true;
}

static bool take_ets(struct dump *dump, struct text line)
{
	struct text value;
	struct text key = text_cut(line, ':', &value);
	bool is_objects = text_is(key, "Objects");
	int64_t number;
	bool is_huge;

	value = text_trim(value);
	if (text_is(key, "Name")) {
		keep(&dump->ets_name, value);
	} else if ((is_objects || text_is(key, "Words")) && text_number(value, &number, &is_huge) &&
			!is_huge) {
		*(is_objects ? &dump->ets_objects : &dump->ets_words) = number;
	}

	return true;
}

static void note_memory(struct dump *dump, bool is_there)
{
	if (!is_there) {
		dump_note(dump, DIAG_NO_MEMORY(dump->diag));
	}
}

static bool take_heap(struct dump *dump, struct text line)
{
	note_memory(dump, dump_binaries_heap_line(dump->references, line));
	return true;
}

/* "1F:AA55…": the size in hexadecimal is before the bytes. */
static bool take_binary(struct dump *dump, struct text line)
{
	int64_t bytes = 0;
	size_t digits = 0;

	for (; digits < line.length && digits < 15; digits++) {
		char c = line.at[digits];
		int digit = c >= '0' && c <= '9'       ? c - '0'
				: c >= 'A' && c <= 'F' ? c - 'A' + 10
				: c >= 'a' && c <= 'f' ? c - 'a' + 10
						       : -1;

		if (digit < 0) {
			break;
		}
		bytes = bytes * 16 + digit;
	}

	if (digits > 0 && digits < line.length && line.at[digits] == ':') {
		dump->binaries++;
		dump->binary_bytes += bytes;
		note_memory(dump,
				dump_binaries_size(
						dump->references, kept_text(&dump->binary), bytes));
	}

	dump->section = SECTION_SKIPPED;
	return true;
}

static bool take_head(struct dump *dump, struct text line)
{
	dump_head_line(dump, line);
	return true;
}

static bool take_process(struct dump *dump, struct text line)
{
	dump_process_line(dump, line);
	return true;
}

static void take_line(struct dump *dump, const struct input_line *line)
{
	/* Whether the line could be read. */
	static bool (*const takes[])(struct dump * dump, struct text line) = {
		[SECTION_HEAD] = take_head,
		[SECTION_MEMORY] = take_memory,
		[SECTION_AREAS] = take_area,
		[SECTION_PROCESS] = take_process,
		[SECTION_ETS] = take_ets,
		[SECTION_HEAP] = take_heap,
		[SECTION_BINARY] = take_binary,
	};
	struct text text = { line->text, line->length };

	if (dump->section == SECTION_ALLOCATOR) {
		dump_allocator_line(dump, line);
	} else if (takes[dump->section] && !takes[dump->section](dump, text)) {
		dump_unreadable(dump, line);
	}
}

static bool ends_dump(struct text line)
{
	return text_is(line, "=end") || text_begins(line, "=abort:CRASH DUMP SIZE LIMIT REACHED");
}

/*
 * A dump that broke off within a line and has another behind it, or one behind a mark of UTF-8:
 * the line ends with the first line of the other one.
 */
static void skip_to_glued(struct input_line *line)
{
	struct text tail = { line->text, line->length };
	size_t at;

	if (tail.length == 0 || tail.at[tail.length - 1] < '0' || tail.at[tail.length - 1] > '9') {
		return;
	}

	if (tail.length > FIRST_LINE_BYTES) {
		tail = text_from(tail, tail.length - FIRST_LINE_BYTES);
	}

	at = text_find(tail, mark);
	if (at < tail.length) {
		tail = text_from(tail, at);
		line->offset_bytes += (uint64_t)(tail.at - line->text);
		line->text = tail.at;
		line->length = tail.length;
	}
}

static enum csc_status read_sections(struct dump *dump)
{
	struct input_line line;
	unsigned int sections_read = 0;

	while (dump->status == CSC_OK && reader_input_line(dump->input, &line)) {
		skip_to_glued(&line);
		if (line.length == 0 || line.text[0] != '=') {
			/* A last line without its end may lack digits. */
			if (dump->section != SECTION_SKIPPED && line.is_ended) {
				take_line(dump, &line);
			} else if (dump->is_open && line.length > 0 && dump->end != DUMP_CUT) {
				note_rest(dump, &line);
			}
			continue;
		}

		/* The last line of a whole dump may lack its end; any other is cut. */
		if (!line.is_ended && !ends_dump((struct text){ line.text, line.length })) {
			continue;
		}

		begin_section(dump, &line);
		if (++sections_read % SECTIONS_PER_CHECK == 0) {
			dump_note(dump, store_rows_check(dump->store, dump->diag));
		}
	}

	if (dump->status == CSC_OK && !dump->has_any && !dump->is_bare) {
		dump->status = DIAG_FAIL(dump->diag,
				"cannot load '%s': it breaks off at offset %llu, within the first line of a "
				"crash dump",
				reader_input_path(dump->input),
				(unsigned long long)reader_input_offset(dump->input));
	}

	end_dump(dump, reader_input_offset(dump->input), reader_input_line_number(dump->input));
	dump_note(dump, store_rows_check(dump->store, dump->diag));
	return dump->status;
}

static void note_capabilities(const struct dump *dump)
{
	struct catalog *catalog = store_catalog(dump->store);
	bool has_allocators = dump->allocators > 0;

	catalog_capability(catalog, "memory", dump->memory_keys > 0,
			dump->memory_keys > 0 ? "the dump has section =memory"
					      : "the dump has no figures in section =memory");
	catalog_capability(catalog, "allocators", has_allocators,
			has_allocators ? "the dump has sections =allocator"
				       : "the dump breaks off before its sections =allocator");
	catalog_capability(catalog, "options", has_allocators,
			has_allocators ? "the allocators' settings are in their sections"
				       : "the dump breaks off before its sections =allocator");
	catalog_capability(catalog, "processes", dump->processes > 0,
			dump->processes > 0 ? "the dump has sections =proc"
					    : "the dump has no section =proc");
	catalog_capability(catalog, "carriers_over_time", false,
			"a dump shows one moment; of the past it has maxima only");
	catalog_capability(catalog, "carrier_identity", false,
			"a dump has sums of carriers, not single ones");
}

static enum csc_status read_dump(
		struct reader_input *input, bool is_bare, struct store *store, struct diag *diag)
{
	struct dump *dump = calloc(1, sizeof(*dump));
	enum csc_status status;

	if (!dump) {
		return DIAG_NO_MEMORY(diag);
	}

	dump->input = input;
	dump->is_bare = is_bare;
	dump->store = store;
	dump->diag = diag;
	dump->references = dump_binaries_open();
	status = dump->references ? read_sections(dump) : DIAG_NO_MEMORY(diag);
	if (status == CSC_OK) {
		note_capabilities(dump);
	}

	dump_binaries_close(dump->references);
	free(dump);
	return status;
}

enum csc_status dump_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	return read_dump(input, false, store, diag);
}

enum csc_status dump_sections_read(
		struct reader_input *input, struct store *store, struct diag *diag)
{
	return read_dump(input, true, store, diag);
}
