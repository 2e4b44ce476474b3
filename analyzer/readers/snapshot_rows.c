/*
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_rows.h"

int64_t snapshot_add(struct store *store, const char *kind, int64_t ts_ns, int64_t line)
{
	struct insert *rows = READER_ROW(store, "snapshot",
			"id, source_id, runtime_id, ts_ns, line, kind", row_integer(ROW_NULL),
			row_integer(store_source_id(store)), row_integer(ROW_NULL),
			row_integer(ts_ns), row_integer(line), row_words(kind));

	if (ts_ns != ROW_NULL) {
		catalog_note_time(store_catalog(store), ts_ns);
	}

	return insert_last_id(rows);
}

void snapshot_stat(struct store *store, const struct instance_stat *stat)
{
	READER_ROW(store, "instance_stat",
			"snapshot_id, allocator, instance, section, key, current, "
			"max_since_last, max_ever, of",
			row_integer(stat->snapshot), row_text(stat->allocator),
			row_integer(stat->instance), row_text(stat->section), row_text(stat->key),
			row_integer(stat->current), row_integer(stat->max_since_last),
			row_integer(stat->max_ever), row_text(stat->of));
}

void snapshot_memory(struct store *store, int64_t snapshot, struct text key, int64_t bytes)
{
	READER_ROW(store, "memory_sample", "snapshot_id, key, bytes", row_integer(snapshot),
			row_text(key), row_integer(bytes));
}

void snapshot_option(struct store *store, int64_t snapshot, struct text allocator, int64_t instance,
		struct text name, struct text value)
{
	READER_ROW(store, "allocator_option", "snapshot_id, allocator, instance, name, value",
			row_integer(snapshot), row_text(allocator), row_integer(instance),
			row_text(name), row_text(value));
}

void snapshot_fact(struct store *store, int64_t snapshot, const char *key, struct text value)
{
	READER_ROW(store, "node_fact", "snapshot_id, key, value", row_integer(snapshot),
			row_words(key), row_text(value));
}

void snapshot_area(struct store *store, int64_t snapshot, struct text name, int64_t allocated,
		int64_t used)
{
	READER_ROW(store, "allocated_area", "snapshot_id, name, allocated_bytes, used_bytes",
			row_integer(snapshot), row_text(name), row_integer(allocated),
			row_integer(used));
}

/* The text between `before` and the next `after`; at NULL: there is none. */
static struct text between(struct text text, const char *before, char after)
{
	size_t at = text_find(text, before);
	struct text rest;
	struct text found;

	if (at == text.length) {
		return (struct text){ NULL, 0 };
	}

	found = text_cut(text_from(text, at + strlen(before)), after, &rest);
	return found.length > 0 ? found : (struct text){ NULL, 0 };
}

static void put_found(struct store *store, int64_t snapshot, const char *key, struct text value)
{
	if (value.at) {
		snapshot_fact(store, snapshot, key, value);
	}
}

/*
 * "Erlang/OTP 25 [erts-13.1.5] [source] [64-bit] [smp:2:2] …", and from before 17
 * "Erlang R16B03 (erts-5.10.4) [source] [64-bit] …".  A build for 32 bits has no such mark.
 */
void snapshot_system_version(struct store *store, int64_t snapshot, struct text version)
{
	struct text text = text_trim(version);
	struct text release = between(text, "Erlang/OTP ", ' ');
	struct text erts = between(text, "[erts-", ']');
	struct text bits = TEXT("32");
	struct text ignored;
	size_t at = text_find(text, "-bit]");

	if (!release.at) {
		release = between(text, "Erlang ", ' ');
		erts = between(text, "(erts-", ')');
	}

	if (!release.at) {
		return;
	}

	if (at < text.length && at >= 2) {
		bits = (struct text){ text.at + at - 2, 2 };
	}

	snapshot_fact(store, snapshot, "system_version", text);
	snapshot_fact(store, snapshot, "otp_release", release);
	snapshot_fact(store, snapshot, "word_bits", bits);
	put_found(store, snapshot, "erts_version", erts);
	put_found(store, snapshot, "schedulers",
			text_cut(between(text, "[smp:", ']'), ':', &ignored));
}
