/*
 * SPDX-License-Identifier: MIT
 *
 * Sections "=allocator:NAME" and "=allocator:NAME[INSTANCE]".  Their lines are brought to
 * the names that the terms of the runtime have, so that both fill the same rows.
 */
#include "dump_allocator.h"

#include <ctype.h>

#include "dump_state.h"

enum { KEY_BYTES = 128 };

/* What dumps and terms name too differently for a rule. */
static const struct {
	struct text line;
	struct text section;
	struct text key;
} special_keys[] = {
	{ TEXT_INITIAL("os mmap size used"), TEXT_INITIAL("os"), TEXT_INITIAL("used") },
	{ TEXT_INITIAL("supercarrier total size"), TEXT_INITIAL("supercarrier"),
			TEXT_INITIAL("total") },
	{ TEXT_INITIAL("supercarrier total sa size"), TEXT_INITIAL("supercarrier"),
			TEXT_INITIAL("total_sa") },
	{ TEXT_INITIAL("supercarrier total sua size"), TEXT_INITIAL("supercarrier"),
			TEXT_INITIAL("total_sua") },
	{ TEXT_INITIAL("supercarrier used size"), TEXT_INITIAL("supercarrier"),
			TEXT_INITIAL("used") },
	{ TEXT_INITIAL("supercarrier used sa size"), TEXT_INITIAL("supercarrier"),
			TEXT_INITIAL("used_sa") },
	{ TEXT_INITIAL("supercarrier used sua size"), TEXT_INITIAL("supercarrier"),
			TEXT_INITIAL("used_sua") },
	{ TEXT_INITIAL("supercarrier used free segs"), TEXT_INITIAL("free_segs"),
			TEXT_INITIAL("used") },
	{ TEXT_INITIAL("supercarrier max free segs"), TEXT_INITIAL("free_segs"),
			TEXT_INITIAL("max") },
	{ TEXT_INITIAL("supercarrier allocated free segs"), TEXT_INITIAL("free_segs"),
			TEXT_INITIAL("allocated") },
	{ TEXT_INITIAL("supercarrier reserved free segs"), TEXT_INITIAL("free_segs"),
			TEXT_INITIAL("reserved") },
	{ TEXT_INITIAL("supercarrier sa free segs"), TEXT_INITIAL("free_segs"),
			TEXT_INITIAL("used_sa") },
	{ TEXT_INITIAL("supercarrier sua free segs"), TEXT_INITIAL("free_segs"),
			TEXT_INITIAL("used_sua") },
	{ TEXT_INITIAL("cached_segments"), TEXT_INITIAL("status"),
			TEXT_INITIAL("cached_segments") },
	{ TEXT_INITIAL("cache_hits"), TEXT_INITIAL("status"), TEXT_INITIAL("cache_hits") },
	{ TEXT_INITIAL("segments"), TEXT_INITIAL("status"), TEXT_INITIAL("segments") },
	{ TEXT_INITIAL("segments_watermark"), TEXT_INITIAL("status"),
			TEXT_INITIAL("segments_watermark") },
	{ TEXT_INITIAL("segments_size"), TEXT_INITIAL("status"), TEXT_INITIAL("segments_size") },
};

/* Lines that are not about memory. */
static const char *const plain_keys[] = { "versions", "version", "memory kind" };

void dump_allocator_begin(struct dump *dump, struct text id)
{
	struct text index;
	struct text name = text_cut(id, '[', &index);
	struct text ignored;
	bool is_huge;

	/* Terms have these two below "erts_mmap". */
	if (text_begins(name, "erts_mmap.")) {
		name = text_from(name, strlen("erts_mmap."));
	}

	keep(&dump->allocator, name);
	if (!text_number(text_cut(index, ']', &ignored), &dump->instance, &is_huge) || is_huge) {
		dump->instance = ROW_NULL;
	}

	dump->allocators++;
}

/* Reads one to three numbers; false: something else is there. */
static bool read_numbers(struct text value, struct instance_stat *stat, bool *ret_has_huge)
{
	int64_t *const numbers[] = { &stat->current, &stat->max_since_last, &stat->max_ever };
	size_t count = 0;

	for (;;) {
		struct text word = text_word(&value);
		bool is_huge;

		if (word.length == 0) {
			return count > 0;
		}

		if (count == 3 || !text_number(word, numbers[count], &is_huge)) {
			return false;
		}

		if (is_huge) {
			*numbers[count] = ROW_NULL;
			*ret_has_huge = true;
		}
		count++;
	}
}

/* "eheap_alloc" in "blocks[eheap_alloc] count" goes to `ret_of`, and is taken out. */
static bool take_brackets(struct text *text, char *buffer, struct text *ret_of)
{
	struct text rest;
	struct text before = text_cut(*text, '[', &rest);
	struct text after;
	struct text of;

	if (before.length == text->length) {
		return true;
	}

	of = text_cut(rest, ']', &after);
	if (of.length == rest.length) {
		return false;
	}

	rest = after;
	if (before.length + rest.length >= KEY_BYTES) {
		return false;
	}

	*ret_of = of;
	if (text_is(rest, " count")) {
		rest.length = 0;
	}

	memcpy(buffer, before.at, before.length);
	memcpy(buffer + before.length, rest.at, rest.length);
	*text = (struct text){ buffer, before.length + rest.length };
	return true;
}

/* "mseg carriers size" to "mseg_alloc_carriers_size"; 0: it has bytes that no key has. */
static size_t make_key(struct text words, char *ret_key)
{
	static const char mseg[] = "mseg carriers";
	static const char mseg_term[] = "mseg_alloc carriers";
	size_t length = 0;

	if (text_begins(words, mseg)) {
		memcpy(ret_key, mseg_term, sizeof(mseg_term) - 1);
		length = sizeof(mseg_term) - 1;
		words = text_from(words, sizeof(mseg) - 1);
	}

	memcpy(ret_key + length, words.at, words.length);
	length += words.length;
	for (size_t i = 0; i < length; i++) {
		if (ret_key[i] == ' ') {
			ret_key[i] = '_';
		} else if (!isalnum((unsigned char)ret_key[i]) && ret_key[i] != '_') {
			return 0;
		}
	}

	return length;
}

/* A figure that is 0 and always was, of another allocator's blocks: dumps have them all, terms
 * none. */
static bool is_empty(const struct instance_stat *stat)
{
	return stat->of.at && stat->current == 0 &&
			(stat->max_ever == 0 || stat->max_ever == ROW_NULL) &&
			!(stat->of.length == stat->allocator.length &&
					memcmp(stat->of.at, stat->allocator.at, stat->of.length) ==
							0);
}

/* "mbcs carriers size: 1 2 3", "eheap_alloc calls: 7", "segments: 1 2 3" */
static bool take_figure(struct dump *dump, struct text name, struct instance_stat *stat)
{
	char buffer[KEY_BYTES];
	char key[KEY_BYTES + 16];
	struct text words;
	const struct text calls = TEXT(" calls");

	for (size_t i = 0; i < sizeof(special_keys) / sizeof(special_keys[0]); i++) {
		if (text_same(name, special_keys[i].line)) {
			stat->section = special_keys[i].section;
			stat->key = special_keys[i].key;
			snapshot_stat(dump->store, stat);
			return true;
		}
	}

	if (name.length > calls.length &&
			text_same(text_from(name, name.length - calls.length), calls)) {
		stat->section = TEXT("calls");
		stat->key = (struct text){ name.at, name.length - calls.length };
		snapshot_stat(dump->store, stat);
		return true;
	}

	stat->section = text_cut(name, ' ', &words);
	if (!snapshot_is_carriers(stat->section) || words.length == 0 ||
			words.length >= KEY_BYTES || !take_brackets(&words, buffer, &stat->of)) {
		return false;
	}

	stat->key = (struct text){ key, make_key(words, key) };
	if (stat->key.length == 0) {
		return false;
	}

	if (!is_empty(stat)) {
		snapshot_stat(dump->store, stat);
	}

	return true;
}

/* "fix type: proc 4656 4656": allocated and used. */
static bool take_fix_type(struct dump *dump, struct text value, struct instance_stat *stat)
{
	struct instance_stat used = *stat;
	bool has_huge = false;

	stat->key = text_word(&value);
	if (stat->key.length == 0 || !read_numbers(value, stat, &has_huge)) {
		return false;
	}

	used.key = stat->key;
	used.section = TEXT("fix_types_used");
	used.current = stat->max_since_last;
	stat->section = TEXT("fix_types");
	stat->max_since_last = ROW_NULL;
	snapshot_stat(dump->store, stat);
	snapshot_stat(dump->store, &used);
	return true;
}

void dump_allocator_line(struct dump *dump, const struct input_line *line)
{
	struct text value;
	struct text name = text_cut((struct text){ line->text, line->length }, ':', &value);
	struct instance_stat stat = {
		.snapshot = dump->snapshot,
		.allocator = kept_text(&dump->allocator),
		.instance = dump->instance,
		.current = ROW_NULL,
		.max_since_last = ROW_NULL,
		.max_ever = ROW_NULL,
	};
	bool has_huge = false;

	value = text_trim(value);
	if (line->length == 0) {
		return;
	}

	if (text_begins(name, "option ") && value.length > 0) {
		snapshot_option(dump->store, dump->snapshot, stat.allocator, stat.instance,
				text_trim(text_from(name, strlen("option "))), value);
		return;
	}

	for (size_t i = 0; i < sizeof(plain_keys) / sizeof(plain_keys[0]); i++) {
		if (text_is(name, plain_keys[i])) {
			return;
		}
	}

	if (text_is(name, "fix type") ? !take_fix_type(dump, value, &stat)
				      : !read_numbers(value, &stat, &has_huge) ||
							!take_figure(dump, name, &stat)) {
		dump_unreadable(dump, line);
	} else if (has_huge && stat.section.at && snapshot_is_carriers(stat.section)) {
		/* Elsewhere 2^64 - 1 means "never": segments_watermark. */
		dump_impossible(dump, line);
	}
}
