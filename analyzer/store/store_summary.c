/*
 * SPDX-License-Identifier: MIT
 *
 * Writes what was gathered while the events passed: where they came from.  The
 * sums over them are store_sums.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insert.h"
#include "schema_version.h"
#include "store_block_sums.h"
#include "store_db.h"
#include "store_summary.h"
#include "store_sums.h"

#define TEXT_OF_(number) #number
#define TEXT_OF(number) TEXT_OF_(number)

static const char *const severity_names[] = { "info", "notice", "data_loss", "error" };

/* Takes away what an earlier commit of a live load wrote. */
static enum csc_status remove_earlier(struct store *store, struct diag *diag)
{
	static const char *const of_runtime[] = { "thread", "runtime_span", "instance",
		"allocator_use", "carrier_life", "carrier_life_size", "libc_total", "libc_size" };
	static const char *const of_source[] = { "source_capability", "event_count", "load_problem",
		"keyframe", "scope_total", "scope_bucket", "footprint_sample", "runtime",
		"block_span", "block_keyframe", "block_account" };
	static const char *const of_account[] = { "block_keyframe_account", "block_keyframe_size",
		"block_made_size", "block_life" };
	const struct id_bases *bases = &store->bases;
	sqlite3_str *sql = sqlite3_str_new(store->db);
	enum csc_status status;
	char *text;

	sqlite3_str_appendf(
			sql, "DELETE FROM ledger_total WHERE instance_id > %lld;", bases->instance);
	for (size_t i = 0; i < sizeof(of_runtime) / sizeof(of_runtime[0]); i++) {
		sqlite3_str_appendf(sql, "DELETE FROM %s WHERE runtime_id > %lld;", of_runtime[i],
				bases->runtime);
	}

	for (size_t i = 0; i < sizeof(of_account) / sizeof(of_account[0]); i++) {
		sqlite3_str_appendf(sql, "DELETE FROM %s WHERE account_id > %lld;", of_account[i],
				bases->block_account);
	}

	for (size_t i = 0; i < sizeof(of_source) / sizeof(of_source[0]); i++) {
		sqlite3_str_appendf(sql, "DELETE FROM %s WHERE source_id > %lld;", of_source[i],
				bases->source);
	}

	sqlite3_str_appendf(sql,
			"DELETE FROM stream WHERE id > %lld; DELETE FROM trace WHERE id > %lld;"
			"DELETE FROM source WHERE id > %lld",
			bases->stream, bases->trace, bases->source);
	text = sqlite3_str_finish(sql);
	if (!text) {
		return DIAG_NO_MEMORY(diag);
	}

	status = store_execute(store, text, diag);
	sqlite3_free(text);
	return status;
}

static enum csc_status write_meta(struct store *store, struct diag *diag)
{
	const char *const facts[][2] = {
		{ "application", "carrierscope" },
		{ "schema_version", TEXT_OF(SCHEMA_VERSION) },
		{ "documentation", "SELECT * FROM view_doc" },
	};
	struct insert insert;

	insert_open(&insert, store->db, "INSERT OR REPLACE", "meta", "key, value");
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		insert_text(&insert, facts[i][0]);
		insert_text(&insert, facts[i][1]);
		insert_row(&insert);
	}

	return insert_close(&insert, diag);
}

static enum csc_status write_source(struct store *store, bool is_complete, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	const struct scope_history *history = &store->analysis.history;
	bool has_times = catalog->event_total > 0 || catalog->file.has_times;
	bool has_carriers = store->carrier_ids > 0;
	char hash[17];
	struct insert insert;
	bool is_ok;
	char *folder = catalog_common_folder(catalog, &is_ok);

	if (!is_ok) {
		return DIAG_NO_MEMORY(diag);
	}

	(void)snprintf(hash, sizeof(hash), "%016llx",
			(unsigned long long)(catalog->file.kind ? catalog->file.content_hash
								: store->content_hash));
	insert_open(&insert, store->db, "INSERT", "source",
			"id, kind, path, content_hash, loader, reader, complete, "
			"first_ts_ns, last_ts_ns, events, lost_events, lost_packets, "
			"first_carrier_event_id, last_carrier_event_id, "
			"bucket_origin_ns, bucket_ns");
	insert_integer(&insert, store->bases.source + 1);
	insert_text(&insert, catalog->file.kind ? catalog->file.kind : "ctf");
	insert_text(&insert, catalog->file.kind ? catalog->file.path : folder);
	insert_text(&insert, hash);
	insert_text(&insert, "carrierscope " CSC_VERSION);
	insert_text(&insert, store->loader_name);
	insert_integer(&insert, is_complete && !catalog->file.is_partial);
	insert_integer(&insert, has_times ? catalog->first_ns : ROW_NULL);
	insert_integer(&insert, has_times ? catalog->last_ns : ROW_NULL);
	insert_integer(&insert, catalog->event_total);
	insert_sum(&insert, catalog->lost_events);
	insert_sum(&insert, catalog->lost_packets);
	insert_integer(&insert, has_carriers ? store->bases.carrier_event + 1 : ROW_NULL);
	insert_integer(&insert,
			has_carriers ? store->bases.carrier_event + store->carrier_ids : ROW_NULL);
	insert_integer(&insert, history->has_origin ? history->origin_ns : ROW_NULL);
	insert_integer(&insert, history->has_origin ? INT64_C(1) << history->shift : ROW_NULL);
	insert_row(&insert);
	free(folder);
	return insert_close(&insert, diag);
}

static void write_capability(struct insert *insert, struct store *store, const char *name,
		bool is_available, const char *reason)
{
	insert_integer(insert, store->bases.source + 1);
	insert_text(insert, name);
	insert_integer(insert, is_available);
	insert_text(insert, reason);
	insert_row(insert);
}

static enum csc_status write_capabilities_of_file(struct store *store, struct diag *diag)
{
	const struct catalog_file *file = &store->catalog.file;
	struct insert insert;

	insert_open(&insert, store->db, "INSERT OR REPLACE", "source_capability",
			"source_id, capability, available, reason");
	for (size_t i = 0; i < file->capability_count; i++) {
		write_capability(&insert, store, file->capabilities[i].name,
				file->capabilities[i].is_available, file->capabilities[i].reason);
	}

	return insert_close(&insert, diag);
}

static enum csc_status write_capabilities(struct store *store, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	bool has_carriers = catalog->carrier_events > 0;
	bool has_blocks = catalog->block_events > 0;
	bool has_any = has_carriers || has_blocks || catalog->otp_events > 0;
	bool has_vpid = has_any && catalog->without_vpid == 0;
	bool has_vtid = has_any && catalog->without_vtid == 0;
	bool has_names = has_any && catalog->without_procname == 0;
	struct insert insert;

	if (catalog->file.kind) {
		return write_capabilities_of_file(store, diag);
	}

	insert_open(&insert, store->db, "INSERT", "source_capability",
			"source_id, capability, available, reason");
	write_capability(&insert, store, "carriers", has_carriers,
			has_carriers ? "carrier events were recorded"
				     : "no carrier event: enable 'org_erlang_otp:carrier_*' in an OTP "
				       "built with LTTng");
	write_capability(&insert, store, "blocks", has_blocks,
			has_blocks ? "block events were recorded"
				   : "no block event: OTP's own events cover carriers only");
	write_capability(&insert, store, "runtime", has_vpid,
			has_vpid ? "every event names its process"
				 : "processes cannot be distinguished: record with "
				   "'lttng add-context -u -t vpid' or per-PID buffers");
	write_capability(&insert, store, "thread", has_vtid,
			has_vtid ? "every event names its thread"
				 : "threads are not recorded: record with 'lttng add-context -u -t vtid'");
	write_capability(&insert, store, "thread_name", has_names,
			has_names ? "every event carries the thread's name"
				  : "thread names are not recorded: record with "
				    "'lttng add-context -u -t procname'");
	write_capability(&insert, store, "single_block_end", false,
			"the runtime reports neither the end nor the resizing of a single-block "
			"carrier; see table ledger");
	write_capability(&insert, store, "pool_hit", false,
			"the runtime reports attempts to fetch from the pool, not their success; it is "
			"derived from the next event");
	write_capability(&insert, store, "carrier_identity", false,
			"the runtime reports no carrier address; lives are bounds");
	return insert_close(&insert, diag);
}

static enum csc_status write_origins(struct store *store, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT", "trace",
			"id, source_id, uuid, name, hostname, tracer, buffering, "
			"word_bits, created");
	for (size_t i = 0; i < catalog->trace_count; i++) {
		const struct catalog_trace *trace = &catalog->traces[i];

		insert_integer(&insert, store->bases.trace + (int64_t)i + 1);
		insert_integer(&insert, store->bases.source + 1);
		insert_text(&insert, trace->uuid);
		insert_text(&insert, trace->name);
		insert_text(&insert, trace->hostname);
		insert_text(&insert, trace->tracer);
		insert_text(&insert, trace->buffering);
		insert_integer(&insert, trace->word_bits ? trace->word_bits : ROW_NULL);
		insert_text(&insert, trace->created);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT", "stream", "id, trace_id, name, packets, events");
	for (size_t i = 0; i < catalog->stream_count; i++) {
		const struct catalog_stream *stream = &catalog->streams[i];

		insert_integer(&insert, store->bases.stream + (int64_t)i + 1);
		insert_integer(&insert, store->bases.trace + stream->trace + 1);
		insert_text(&insert, stream->name);
		insert_integer(&insert, stream->packets);
		insert_integer(&insert, stream->events);
		insert_row(&insert);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

/* The first and the last event of each process, by those of its threads. */
static enum csc_status write_runtime_spans(struct store *store, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	struct span {
		int64_t first_ns;
		int64_t last_ns;
		bool is_known;
	} *spans = calloc(catalog->runtimes.count + 1, sizeof(*spans));
	struct insert insert;

	if (!spans) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = 0; i < catalog->threads.count; i++) {
		const struct catalog_thread *thread = &catalog->thread_counts[i];
		struct span *span = &spans[catalog->threads.entries[i].a];

		if (thread->events == 0) {
			continue;
		}

		if (!span->is_known || thread->first_ns < span->first_ns) {
			span->first_ns = thread->first_ns;
		}

		if (!span->is_known || thread->last_ns > span->last_ns) {
			span->last_ns = thread->last_ns;
		}

		span->is_known = true;
	}

	insert_open(&insert, store->db, "INSERT", "runtime_span",
			"runtime_id, first_ts_ns, last_ts_ns");
	for (size_t i = 0; i < catalog->runtimes.count; i++) {
		if (spans[i].is_known) {
			insert_integer(&insert, store->bases.runtime + (int64_t)i + 1);
			insert_integer(&insert, spans[i].first_ns);
			insert_integer(&insert, spans[i].last_ns);
			insert_row(&insert);
		}
	}

	free(spans);
	return insert_close(&insert, diag);
}

static enum csc_status write_processes(struct store *store, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT", "runtime",
			"id, source_id, hostname, vpid, procname");
	for (size_t i = 0; i < catalog->runtimes.count; i++) {
		const struct numbering_entry *entry = &catalog->runtimes.entries[i];

		insert_integer(&insert, store->bases.runtime + (int64_t)i + 1);
		insert_integer(&insert, store->bases.source + 1);
		insert_text(&insert, entry->text);
		insert_integer(&insert, entry->a);
		insert_text(&insert,
				i < catalog->runtime_name_count ? catalog->runtime_names[i] : NULL);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	if (status == CSC_OK) {
		status = write_runtime_spans(store, diag);
	}
	insert_open(&insert, store->db, "INSERT", "thread",
			"id, runtime_id, vtid, procname, carrier_events, events");
	for (size_t i = 0; i < catalog->threads.count; i++) {
		const struct numbering_entry *entry = &catalog->threads.entries[i];

		insert_integer(&insert, store->bases.thread + (int64_t)i + 1);
		insert_integer(&insert, store->bases.runtime + entry->a + 1);
		insert_integer(&insert, entry->b);
		insert_text(&insert, entry->text);
		insert_integer(&insert, catalog->thread_counts[i].carrier_events);
		insert_integer(&insert, catalog->thread_counts[i].events);
		insert_row(&insert);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

static enum csc_status write_names(struct store *store, struct diag *diag)
{
	const struct catalog *catalog = &store->catalog;
	struct insert insert;
	enum csc_status status;

	insert_open(&insert, store->db, "INSERT OR IGNORE", "carrier_event_kind", "id, name");
	for (int kind = 0; kind < CARRIER_EVENT_COUNT; kind++) {
		insert_integer(&insert, kind);
		insert_text(&insert, event_model_carrier((enum carrier_event_kind)kind)->name);
		insert_row(&insert);
	}

	status = insert_close(&insert, diag);
	insert_open(&insert, store->db, "INSERT OR IGNORE", "allocator", "id, name");
	for (size_t i = 0; i < catalog->allocators.count; i++) {
		insert_integer(&insert, ROW_NULL);
		insert_text(&insert, catalog->allocators.entries[i].text);
		insert_row(&insert);
	}

	if (insert_close(&insert, diag) != CSC_OK) {
		status = CSC_ERROR;
	}

	insert_open(&insert, store->db, "INSERT", "event_count",
			"source_id, provider, event, events");
	for (size_t i = 0; i < catalog->events.count; i++) {
		const char *full_name = catalog->events.entries[i].text;
		const char *name = event_name_of(full_name);
		char *provider = strndup(
				full_name, name > full_name ? (size_t)(name - full_name - 1) : 0);

		if (!provider) {
			insert.result = SQLITE_NOMEM;
		}

		insert_integer(&insert, store->bases.source + 1);
		insert_text(&insert, provider);
		insert_text(&insert, name);
		insert_integer(&insert, catalog->event_counts[i].events);
		insert_row(&insert);
		free(provider);
	}

	return insert_close(&insert, diag) == CSC_OK ? status : CSC_ERROR;
}

static enum csc_status write_problems(struct store *store, struct diag *diag)
{
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", "load_problem",
			"id, source_id, name, severity, count, sentence");
	for (size_t i = 0; i < store->problem_count; i++) {
		const struct problem *problem = &store->problems[i];

		insert_integer(&insert, store->bases.problem + (int64_t)i + 1);
		insert_integer(&insert, store->bases.source + 1);
		insert_text(&insert, problem->name);
		insert_text(&insert, severity_names[problem->severity]);
		insert_integer(&insert, problem->count);
		insert_text(&insert, problem->sentence);
		insert_row(&insert);
	}

	return insert_close(&insert, diag);
}

static enum csc_status write_keyframes(struct store *store, struct diag *diag)
{
	struct insert insert;

	insert_open(&insert, store->db, "INSERT", "keyframe", "source_id, carrier_event_id, ts_ns");
	for (size_t i = 0; i < store->keyframe_count; i++) {
		insert_integer(&insert, store->bases.source + 1);
		insert_integer(&insert, store->keyframes[i].id);
		insert_integer(&insert, store->keyframes[i].ts_ns);
		insert_row(&insert);
	}

	return insert_close(&insert, diag);
}

enum csc_status store_write_summary(struct store *store, bool is_complete, struct diag *diag)
{
	static enum csc_status (*const parts[])(struct store *, struct diag *) = {
		write_capabilities,
		write_origins,
		write_processes,
		write_names,
		write_problems,
		write_keyframes,
		store_write_sums,
	};
	enum csc_status status = remove_earlier(store, diag);

	if (status == CSC_OK) {
		status = write_meta(store, diag);
	}
	if (status == CSC_OK) {
		status = write_source(store, is_complete, diag);
	}
	for (size_t i = 0; status == CSC_OK && i < sizeof(parts) / sizeof(parts[0]); i++) {
		status = parts[i](store, diag);
	}

	return status;
}
