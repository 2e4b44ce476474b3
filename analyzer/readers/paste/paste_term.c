/*
 * SPDX-License-Identifier: MIT
 *
 * Terms in a paste: what the reader of terms knows is given to it as Erlang prints it, whatever
 * language it was in.
 */
#include <ctype.h>
#include <stdio.h>

#include "paste_scan.h"

/* No node has less in all: a total of less is in MB, or the like. */
enum { LEAST_NODE_BYTES = 1000000 };

static const char *const memory_keys[] = { "total", "processes", "processes_used", "system", "atom",
	"atom_used", "binary", "code", "ets", "low", "maximum" };

static bool is_one_of(struct text text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (text_is(text, words[i])) {
			return true;
		}
	}
	return false;
}

static bool is_memory_key(const struct value *key)
{
	return key->kind == VALUE_ATOM &&
			is_one_of(key->text, memory_keys,
					sizeof(memory_keys) / sizeof(memory_keys[0]));
}

/* JSON has no atoms and no tuples: names become atoms, lists that begin with one tuples.
 * NOLINTNEXTLINE(misc-no-recursion): as deep as value_read() allows. */
static void from_json(struct value *value, size_t depth, bool is_in_map)
{
	const struct value *first = value->first;
	bool is_name = value->text.length > 0;

	for (size_t i = 0; value->kind == VALUE_STRING && i < value->text.length; i++) {
		char c = value->text.at[i];

		is_name = is_name && (isalnum((unsigned char)c) || strchr("_@./<>:-", c));
	}
	if (value->kind == VALUE_STRING && is_name) {
		value->kind = VALUE_ATOM;
	}
	if (value->kind < VALUE_TUPLE) {
		return;
	}

	for (struct value *child = value->first; child; child = child->next) {
		from_json(child, depth + 1, value->kind == VALUE_MAP);
	}
	if (value->kind == VALUE_LIST && first && first->next) {
		/* {binary_alloc, 4}, {{binary_alloc, 4}, #{…}} */
		bool has_atom = (first->kind == VALUE_ATOM && first->next->kind != VALUE_ATOM) ||
				(value->count == 2 && first->kind == VALUE_TUPLE &&
						value->last->kind >= VALUE_LIST);
		bool is_numbers = is_in_map && depth >= 3 && value->count > 3;

		for (const struct value *child = value->first; child; child = child->next) {
			is_numbers = is_numbers && child->kind == VALUE_INTEGER;
		}
		/* [128, 0, {…}] of instrument, and its histograms. */
		if (has_atom || is_numbers ||
				(value->count == 3 && first->kind == VALUE_INTEGER &&
						value->last->kind == VALUE_MAP)) {
			value->kind = VALUE_TUPLE;
		}
	}
	/* {"ok": …} */
	if (value->kind == VALUE_MAP && value->count == 2 && value_is_atom(value->first, "ok")) {
		value->kind = VALUE_TUPLE;
	}
}

/* What a term has in it, wherever. */
struct found {
	bool has_memory;
	bool has_instances;
	bool has_scan;
	bool has_version;
	bool has_other_keys;
	bool has_areas;
};

static bool is_instance(const struct value *value)
{
	const struct value *first = value->first;

	if (value->kind == VALUE_MAP) {
		return value_of(value, "instance") &&
				(value_of(value, "mbcs") || value_of(value, "sbcs"));
	}
	if (value->kind != VALUE_TUPLE || value->count < 2) {
		return false;
	}
	if (value_is_atom(first, "instance")) {
		return value->count == 3 && first->next->kind == VALUE_INTEGER &&
				value->last->kind >= VALUE_TUPLE;
	}
	if (value_is_atom(first, "default_mmap") || value_is_atom(first, "literal_mmap")) {
		return first->next->kind == VALUE_LIST;
	}
	/* {{binary_alloc, 0}, [{mbcs, …}]} */
	return value->count == 2 && first->kind == VALUE_TUPLE && first->count == 2 &&
			first->first->kind == VALUE_ATOM &&
			first->first->next->kind == VALUE_INTEGER &&
			(value_of(value->last, "mbcs") || value_of(value->last, "options") ||
					value_of(value->last, "memkind")) &&
			(!value_of(value->last, "mbcs") ||
					!value_is_number(value_of(value->last, "mbcs")));
}

/* {ok, {128, 0, #{…}}}, or {ok, {512, [{…}]}}. */
static bool is_scan(const struct value *value)
{
	const struct value *inner = value->kind == VALUE_TUPLE && value->count == 2 &&
					value_is_atom(value->first, "ok")
			? value->last
			: value;

	if (inner->kind != VALUE_TUPLE || inner->count < 2 || inner->first->kind != VALUE_INTEGER) {
		return false;
	}
	if (inner->count == 3) {
		return inner->first->next->kind == VALUE_INTEGER &&
				inner->last->kind == VALUE_MAP && inner->last->count >= 2 &&
				inner->last->first->next->kind == VALUE_MAP;
	}
	return inner->count == 2 && inner->last->kind == VALUE_LIST && inner->last->count > 0 &&
			inner->last->first->kind == VALUE_TUPLE && inner->last->first->count >= 6;
}

/* Whether all keys are those of erlang:memory(), two at least. */
static bool is_memory(const struct value *value, struct found *found)
{
	size_t known = 0;
	size_t others = 0;
	bool is_map = value->kind == VALUE_MAP;

	if (!is_map && value->kind != VALUE_LIST) {
		return false;
	}
	for (const struct value *child = value->first; child; child = child->next) {
		const struct value *key = is_map ? child : child->first;
		const struct value *number = is_map ? child->next : value_second(child);

		if (!number || (!is_map && !value_is_pair(child))) {
			return false;
		}
		if (is_memory_key(key) && value_is_number(number)) {
			known++;
		} else {
			others++;
		}
		child = is_map ? child->next : child;
	}

	found->has_other_keys = found->has_other_keys || (known >= 2 && others > 0);
	return known >= 2 && others == 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): VALUE_DEPTH ends it */
static void look_into(const struct value *value, struct found *found)
{
	if (value->kind == VALUE_STRING) {
		found->has_version = found->has_version || text_begins(value->text, "Erlang/OTP ");
		return;
	}
	if (value->kind < VALUE_TUPLE) {
		return;
	}
	if (is_memory(value, found)) {
		found->has_memory = true;
		return;
	}
	if (value_is_pair(value) && value_is_atom(value->first, "sys_misc")) {
		found->has_areas = true;
	}
	if (is_instance(value)) {
		found->has_instances = true;
		return;
	}
	if (is_scan(value)) {
		found->has_scan = true;
		return;
	}
	for (const struct value *child = value->first; child; child = child->next) {
		look_into(child, found);
	}
}

/* {glibc, [2,36], Features, Settings} of system_info(allocator). */
static bool is_settings(const struct value *value)
{
	return value->kind == VALUE_TUPLE && value->count == 4 &&
			value->first->kind == VALUE_ATOM && value->last->kind == VALUE_LIST &&
			value->last->count > 0 && value->last->first->kind == VALUE_TUPLE &&
			value_of(value->last, "alloc_util");
}

/* Pairs of a list are one level too deep in JSON: {"blocks": [1,2,3]} is {blocks,1,2,3}. */
/* NOLINTNEXTLINE(misc-no-recursion): VALUE_DEPTH ends it */
static void flatten(struct value_arena *arena, struct value *value)
{
	if (value->kind == VALUE_MAP) {
		struct value *key = value->first;
		struct value pairs = *value;
		const struct value *instance = value_of(value, "instance");

		pairs.kind = VALUE_LIST;
		pairs.first = NULL;
		pairs.last = NULL;
		pairs.count = 0;
		while (key && key->next) {
			struct value *number = key->next;
			struct value *next = number->next;
			struct value *pair = value_new(arena, VALUE_TUPLE, key->line);
			bool is_flat = number->kind == VALUE_LIST && number->first &&
					number->first->kind <= VALUE_STRING;

			if (!pair) {
				return;
			}
			flatten(arena, number);
			if (instance != number) {
				value_add(pair, key);
				for (struct value *one = is_flat ? number->first : number; one;) {
					struct value *after = is_flat ? one->next : NULL;

					value_add(pair, one);
					one = after;
				}
				value_add(&pairs, pair);
			}
			key = next;
		}
		if (instance && pairs.count > 0) {
			struct value *list = value_new(arena, VALUE_LIST, value->line);
			struct value *word = value_new(arena, VALUE_ATOM, value->line);
			struct value *number = value_new(arena, VALUE_INTEGER, value->line);

			if (!list || !word || !number) {
				return;
			}
			list->first = pairs.first;
			list->last = pairs.last;
			list->count = pairs.count;
			word->text = TEXT("instance");
			number->text = instance->text;
			number->number = instance->number;
			value->kind = VALUE_TUPLE;
			value->first = NULL;
			value->last = NULL;
			value->count = 0;
			value_add(value, word);
			value_add(value, number);
			value_add(value, list);
			return;
		}
		*value = pairs;
		return;
	}
	for (struct value *child = value->first; value->kind >= VALUE_TUPLE && child;
			child = child->next) {
		flatten(arena, child);
	}
}

static bool has_float(const struct value *value)
{
	for (const struct value *child = value->first; child; child = child->next) {
		const struct value *number =
				value->kind == VALUE_MAP ? child->next : value_second(child);

		if (number && number->kind == VALUE_FLOAT) {
			return true;
		}
		if (value->kind == VALUE_MAP && child->next) {
			child = child->next;
		}
	}
	return false;
}

/* Terms are given on as they are; `is_changed`: not as they stand there. */
static void give(struct paste_scan *scan, size_t at, const struct value *value, bool has_maps,
		bool is_changed)
{
	const char *name = at - scan->context_line <= PASTE_CONTEXT_LINES
			? strstr(scan->context, "system_info({allocator,")
			: NULL;
	struct paste_text *text = scan_group(scan, PASTE_TERMS,
			name && at > scan->context_line ? scan->context_line : at);
	struct paste_group *group = &scan->groups[PASTE_TERMS];

	if (name && at > scan->context_line) {
		const char *end = strchr(name, '}');

		if (end) {
			paste_text_go_to(text,
					scan->first_line + scan->context_line - group->first_line);
			paste_text_format(
					text, "(%.*s)\n", (int)(end + 1 - (name + 12)), name + 12);
			scan->context[0] = '\0';
		}
	}

	group->is_changed = group->is_changed || is_changed;
	paste_text_value(text, value, scan->first_line + at + value->line - group->first_line,
			has_maps);
	paste_text_words(text, ".\n");
}

/* A map as the list of its pairs. */
static const struct value *pairs_of(struct value_arena *arena, const struct value *map)
{
	struct value *list = value_new(arena, VALUE_LIST, map->line);

	for (const struct value *key = map->first; list && key && key->next;
			key = key->next->next) {
		struct value *pair = value_new(arena, VALUE_TUPLE, key->line);
		struct value *first = value_new(arena, key->kind, key->line);
		struct value *second = value_new(arena, key->next->kind, key->next->line);

		if (!pair || !first || !second) {
			return map;
		}
		*first = *key;
		*second = *key->next;
		value_add(pair, first);
		value_add(pair, second);
		value_add(list, pair);
	}
	return list ? list : map;
}

/* Whether figures of erlang:memory() are no bytes: fractions, or less in all than a node has. */
static bool is_divided(const struct value *value)
{
	static const char *const sums[] = { "total", "system" };

	for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		const struct value *sum = value_of(value, sums[i]);

		if (sum && sum->kind == VALUE_INTEGER && sum->number < LEAST_NODE_BYTES) {
			return true;
		}
	}
	return has_float(value);
}

/* Finds memory inside a larger term, and classes of others. */
/* NOLINTNEXTLINE(misc-no-recursion): VALUE_DEPTH ends it */
static bool give_parts(struct paste_scan *scan, size_t at, const struct value *value)
{
	struct found found = { 0 };
	bool is_taken;

	if (value->kind < VALUE_TUPLE) {
		return false;
	}
	if (is_memory(value, &found)) {
		if (is_divided(value)) {
			scan_refuse(scan, at + value->line,
					"a result of erlang:memory() that was divided, so that its unit is not known",
					"erl> erlang:memory().");
			return true;
		}
		give(scan, at, value, false, true);
		return true;
	}
	if (paste_result(scan, at + value->line,
			    value->kind == VALUE_MAP ? pairs_of(scan->arena, value) : value)) {
		return true;
	}

	is_taken = false;
	for (const struct value *child = value->first; child; child = child->next) {
		is_taken = give_parts(scan, at, child) || is_taken;
	}
	return is_taken;
}

static bool take_term(struct paste_scan *scan, size_t at, struct value_result *result)
{
	struct value *value = result->value;
	struct found found = { 0 };
	/* What breaks off is left to the reader of terms, unless it is of another language. */
	bool is_changed = result->is_json || result->is_elixir ||
			(value->is_cut && !result->is_broken && !result->is_at_end);

	for (size_t i = at; i <= at + result->lines && i < scan->line_count; i++) {
		is_changed = is_changed || scan->lines[i].has_prefix;
	}
	/* [["total", 1], …] */
	if (value->kind == VALUE_LIST && value->first && value->first->kind == VALUE_LIST &&
			value->first->count == 2 && value->first->first->kind == VALUE_STRING) {
		result->is_json = true;
		is_changed = true;
	}
	if (result->is_json) {
		from_json(value, 0, false);
	}
	look_into(value, &found);
	if (found.has_instances || found.has_scan || found.has_areas || is_settings(value)) {
		if (result->is_json && !found.has_scan) {
			flatten(scan->arena, value);
		}
		give(scan, at, value, found.has_scan, is_changed);
		return true;
	}
	if (found.has_memory && !found.has_other_keys && is_memory(value, &found) &&
			!is_divided(value)) {
		give(scan, at, value, false, is_changed || value->kind == VALUE_MAP);
		return true;
	}
	if (give_parts(scan, at, value)) {
		return true;
	}
	/* erlang:memory([total]): one key alone. */
	if (value->kind == VALUE_LIST && value->count == 1 &&
			scan_called(scan, at, "erlang:memory(") && value_is_pair(value->first) &&
			is_memory_key(value->first->first)) {
		give(scan, at, value, false, true);
		return true;
	}
	return false;
}

/* A result that is a number: erlang:memory(binary), recon_alloc:memory(used). */
static size_t take_number(struct paste_scan *scan, size_t at)
{
	struct text line = text_trim(scan_line(scan, at));
	char term[PASTE_CONTEXT_BYTES + 96];
	struct value_result result;
	struct text key;
	int length;

	if (line.length == 0 || line.length > 64 || !isdigit((unsigned char)line.at[0]) ||
			at == scan->context_line ||
			!(scan_called(scan, at, "erlang:memory(") ||
					scan_called(scan, at, "recon_alloc:memory("))) {
		return 0;
	}

	key = text_from((struct text){ scan->context, strlen(scan->context) },
			strcspn(scan->context, "(") + 1);
	key.length = strcspn(key.at, ",)");
	length = snprintf(term, sizeof(term), "[{%.*s,%.*s}]", (int)key.length, key.at,
			(int)line.length, line.at);
	if (length < 0 || (size_t)length >= sizeof(term)) {
		return 0;
	}

	value_arena_reset(scan->arena);
	result = value_read(scan->arena, (struct text){ term, (size_t)length });
	if (!result.value || result.is_broken || result.is_at_end ||
			!value_is_number(value_second(result.value->first))) {
		return 0;
	}
	if (scan->context[0] == 'r') {
		return paste_result(scan, at, result.value) ? 1 : 0;
	}
	if (!is_memory_key(result.value->first->first) || is_divided(result.value)) {
		return 0;
	}
	give(scan, at, result.value, false, true);
	return 1;
}

/* "Erlang/OTP 25 [erts-…]", as a shell prints it when it starts. */
static size_t take_version(struct paste_scan *scan, size_t at)
{
	struct text line = scan_line(scan, at);
	size_t found = text_find(line, "Erlang/OTP ");

	if (found == line.length || text_find(line, "[erts-") == line.length || found > 24) {
		return 0;
	}
	paste_text_go_to(scan_group(scan, PASTE_TERMS, at),
			scan->first_line + at - scan->groups[PASTE_TERMS].first_line);
	paste_text_words(&scan->groups[PASTE_TERMS].text, "\"");
	for (; found < line.length && line.at[found] != '"'; found++) {
		if (line.at[found] != '\\') {
			paste_text_add(&scan->groups[PASTE_TERMS].text,
					(struct text){ line.at + found, 1 });
		}
	}
	paste_text_words(&scan->groups[PASTE_TERMS].text, "\".\n");
	return 1;
}

/* Why the term ends before it should. */
static void note_end(struct paste_scan *scan, size_t at, const struct value_result *result)
{
	if (result->is_too_deep) {
		scan_note(scan, "term_too_deep", true,
				"line %llu has more than %d brackets in each other; the rest of it was left out",
				scan_number(scan, at), VALUE_DEPTH);
	} else if (result->is_broken) {
		scan_note(scan, "term_unreadable", true,
				"line %llu: what is there is no part of the term that begins on line %llu; the "
				"rest of that term was left out",
				scan_number(scan, at + result->lines), scan_number(scan, at));
	} else if (result->is_at_end) {
		scan_note(scan, "term_cut", true,
				"the text ends within a term that begins on line %llu; what is before was loaded",
				scan_number(scan, at));
	} else if (result->value->is_cut) {
		scan_note(scan, "term_shortened", true,
				"the term that begins on line %llu has \"...\" in it: something is missing",
				scan_number(scan, at));
	}
}

/* Whether digits stand on both sides of the end of a line, where the term breaks off. */
static bool is_wrapped(struct text text, size_t used)
{
	size_t before = used;

	if (used >= text.length || !isdigit((unsigned char)text.at[used])) {
		return false;
	}
	while (before > 0 && isspace((unsigned char)text.at[before - 1])) {
		before--;
	}
	return before > 0 && before < used && isdigit((unsigned char)text.at[before - 1]);
}

size_t paste_term_line(struct paste_scan *scan, size_t at)
{
	struct text line = scan_line(scan, at);
	size_t column = 0;
	size_t call = at == scan->context_line && scan->context[0] != '\0' ? 1 : 0;
	size_t taken = take_number(scan, at);

	if (taken == 0 && scan_may_have(scan, at, "Erlang/OTP ")) {
		taken = take_version(scan, at);
	}
	if (taken > 0 || (!scan->lines[at].may_be_term && !scan_called(scan, at, ""))) {
		return taken;
	}

	while (column < line.length) {
		struct value_result result;
		char c = line.at[column];

		/* In the parentheses of a call is no result. */
		if (call > 0 && c == '(') {
			size_t depth = 0;

			do {
				depth += line.at[column] == '(';
				depth -= line.at[column] == ')';
				column++;
			} while (column < line.length && depth > 0);
			continue;
		}
		if (c != '{' && c != '[' && c != '#' && c != '%') {
			column++;
			continue;
		}

		value_arena_reset(scan->arena);
		result = value_read(scan->arena, scan_rest(scan, at, column));
		if (result.has_failed) {
			scan->has_failed = true;
			return 1;
		}
		if (!result.value) {
			column++;
			continue;
		}
		if (take_term(scan, at, &result)) {
			note_end(scan, at, &result);
			return result.lines + 1;
		}
		if (result.is_broken && is_wrapped(scan_rest(scan, at, column), result.used)) {
			scan_refuse(scan, at + result.lines,
					"the rest of a number that is wrapped over two lines",
					"erl> io:columns(), or the same in a wider window");
		}
		/* What was read and is nothing is not read again. */
		for (size_t i = 0; i < result.lines; i++) {
			scan_skip(scan, at + i);
		}
		if (result.lines > 0) {
			return result.lines;
		}
		column += result.used > 0 ? result.used : 1;
	}
	return 0;
}
