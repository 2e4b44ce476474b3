/*
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_rows.h"

int64_t snapshot_add(struct store *store, const char *kind, int64_t ts_ns, int64_t line)
{
	struct insert *rows = store_rows(
			store, "snapshot", "id, source_id, runtime_id, ts_ns, line, kind");

	insert_integer(rows, ROW_NULL);
	insert_integer(rows, store_source_id(store));
	insert_integer(rows, ROW_NULL);
	insert_integer(rows, ts_ns);
	insert_integer(rows, line);
	insert_text(rows, kind);
	insert_row(rows);
	if (ts_ns != ROW_NULL) {
		catalog_note_time(store_catalog(store), ts_ns);
	}

	return insert_last_id(rows);
}

void snapshot_stat(struct store *store, const struct instance_stat *stat)
{
	struct insert *rows = store_rows(store, "instance_stat",
			"snapshot_id, allocator, instance, section, key, current, "
			"max_since_last, max_ever, of");

	insert_integer(rows, stat->snapshot);
	text_insert(rows, stat->allocator);
	insert_integer(rows, stat->instance);
	text_insert(rows, stat->section);
	text_insert(rows, stat->key);
	insert_integer(rows, stat->current);
	insert_integer(rows, stat->max_since_last);
	insert_integer(rows, stat->max_ever);
	text_insert(rows, stat->of);
	insert_row(rows);
}

void snapshot_memory(struct store *store, int64_t snapshot, struct text key, int64_t bytes)
{
	struct insert *rows = store_rows(store, "memory_sample", "snapshot_id, key, bytes");

	insert_integer(rows, snapshot);
	text_insert(rows, key);
	insert_integer(rows, bytes);
	insert_row(rows);
}

void snapshot_option(struct store *store, int64_t snapshot, struct text allocator, int64_t instance,
		struct text name, struct text value)
{
	struct insert *rows = store_rows(
			store, "allocator_option", "snapshot_id, allocator, instance, name, value");

	insert_integer(rows, snapshot);
	text_insert(rows, allocator);
	insert_integer(rows, instance);
	text_insert(rows, name);
	text_insert(rows, value);
	insert_row(rows);
}

void snapshot_fact(struct store *store, int64_t snapshot, const char *key, struct text value)
{
	struct insert *rows = store_rows(store, "node_fact", "snapshot_id, key, value");

	insert_integer(rows, snapshot);
	insert_text(rows, key);
	text_insert(rows, value);
	insert_row(rows);
}

void snapshot_area(struct store *store, int64_t snapshot, struct text name, int64_t allocated,
		int64_t used)
{
	struct insert *rows = store_rows(
			store, "allocated_area", "snapshot_id, name, allocated_bytes, used_bytes");

	insert_integer(rows, snapshot);
	text_insert(rows, name);
	insert_integer(rows, allocated);
	insert_integer(rows, used);
	insert_row(rows);
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
