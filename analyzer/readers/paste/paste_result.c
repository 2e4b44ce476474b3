/*
 * SPDX-License-Identifier: MIT
 *
 * Results of recon, and classes of memory that other programs have: each is known by its shape, and
 * by the call before it where several have one.
 */
#include <math.h>
#include <stdio.h>

#include "paste_scan.h"

enum { FUNCTION_BYTES = 96, SUBJECT_BYTES = 160 };

static bool ends_with(struct text text, const char *word)
{
	size_t length = strlen(word);

	return text.length >= length && text_is(text_from(text, text.length - length), word);
}

static bool is_allocator(const struct value *value)
{
	return value && value->kind == VALUE_ATOM && ends_with(value->text, "_alloc");
}

/* {binary_alloc, 4} */
static bool is_place(const struct value *value)
{
	return value && value->kind == VALUE_TUPLE && value->count == 2 &&
			is_allocator(value->first) && value->last->kind == VALUE_INTEGER;
}

/* "recon_alloc:fragmentation", with ",max" where it is of the greatest ever. */
static const char *name_function(
		const struct paste_scan *scan, size_t at, const char *name, char *bytes)
{
	(void)snprintf(bytes, FUNCTION_BYTES, "%s%s", name, scan_is_max(scan, at) ? ", max" : "");
	return bytes;
}

static struct text name_place(const struct value *place, char *bytes)
{
	int length = snprintf(bytes, SUBJECT_BYTES, "%.*s %lld", (int)place->first->text.length,
			place->first->text.at, (long long)place->last->number);

	return (struct text){ bytes, (size_t)(length > 0 ? length : 0) };
}

/* In bytes, or in a unit that is not known: figures with fractions without set_unit(). */
static const char *unit_of(const struct paste_scan *scan, bool has_fractions)
{
	return scan->unit > 0 || !has_fractions ? "bytes" : "?";
}

static double scaled(const struct paste_scan *scan, const struct value *value)
{
	return value->real * (scan->unit > 0 ? scan->unit : 1);
}

static double number_of(const struct value *container, const char *key)
{
	const struct value *value = value_of(container, key);

	return value_is_number(value) ? value->real : -1;
}

/* As the reader of terms knows instances: {{A, I}, [{mbcs, [{blocks_size, B}, …]}, …]}. */
static void give_instance(struct paste_scan *scan, size_t at, const struct value *value)
{
	struct paste_text *text = scan_group(scan, PASTE_TERMS, at);
	double unit = scan->unit > 0 ? scan->unit : 1;

	paste_text_go_to(text,
			scan->first_line + at + value->line - scan->groups[PASTE_TERMS].first_line);
	paste_text_format(text,
			"{{%.*s,%lld},[{mbcs,[{blocks_size,%.0f},{carriers_size,%.0f}]},"
			"{sbcs,[{blocks_size,%.0f},{carriers_size,%.0f}]}]}",
			(int)value->first->first->text.length, value->first->first->text.at,
			(long long)value->first->last->number,
			number_of(value->last, "mbcs_block_size") * unit,
			number_of(value->last, "mbcs_carriers_size") * unit,
			number_of(value->last, "sbcs_block_size") * unit,
			number_of(value->last, "sbcs_carriers_size") * unit);
	scan->groups[PASTE_TERMS].is_changed = true;
}

static bool is_fragment(const struct value *value)
{
	return value->kind == VALUE_TUPLE && value->count == 2 && is_place(value->first) &&
			number_of(value->last, "mbcs_carriers_size") >= 0 &&
			number_of(value->last, "mbcs_block_size") >= 0;
}

static bool take_fragmentation(struct paste_scan *scan, size_t at, const struct value *list)
{
	static const char *const keys[] = { "sbcs_usage", "mbcs_usage", "sbcs_block_size",
		"sbcs_carriers_size", "mbcs_block_size", "mbcs_carriers_size" };
	char function[FUNCTION_BYTES];
	char subject[SUBJECT_BYTES];
	bool has_fractions = false;
	bool is_max = scan_is_max(scan, at);

	if (list->kind != VALUE_LIST || !list->first || !is_fragment(list->first)) {
		return false;
	}
	for (const struct value *one = list->first; one; one = one->next) {
		const struct value *size =
				is_fragment(one) ? value_of(one->last, "mbcs_carriers_size") : NULL;

		has_fractions = has_fractions || (size && size->kind == VALUE_FLOAT);
	}

	if (!is_max && (scan->unit > 0 || !has_fractions)) {
		paste_text_go_to(scan_group(scan, PASTE_TERMS, at),
				scan->first_line + at - scan->groups[PASTE_TERMS].first_line);
		paste_text_words(&scan->groups[PASTE_TERMS].text, "[");
		for (const struct value *one = list->first; one; one = one->next) {
			if (is_fragment(one)) {
				if (one != list->first) {
					paste_text_words(&scan->groups[PASTE_TERMS].text, ",");
				}
				give_instance(scan, at, one);
			}
		}
		paste_text_words(&scan->groups[PASTE_TERMS].text, "].\n");
		return true;
	}

	(void)name_function(scan, at, "recon_alloc:fragmentation", function);
	for (const struct value *one = list->first; one; one = one->next) {
		for (size_t i = 0; is_fragment(one) && i < sizeof(keys) / sizeof(keys[0]); i++) {
			const struct value *value = value_of(one->last, keys[i]);

			if (value_is_number(value)) {
				scan_figure(scan, at + one->line, function,
						name_place(one->first, subject), keys[i],
						i < 2 ? value->real : scaled(scan, value),
						i < 2 ? "ratio" : unit_of(scan, has_fractions));
			}
		}
	}
	return true;
}

/* [{binary_alloc, 9432237616}, …], or [{0, 10158080}, …] of allocated_instances. */
static bool take_allocated(struct paste_scan *scan, size_t at, const struct value *list)
{
	bool is_types = list->first && list->first->kind == VALUE_TUPLE &&
			list->first->count == 2 && is_allocator(list->first->first);
	bool is_instances = scan_called(scan, at, "recon_alloc:memory(allocated_instances");
	char function[FUNCTION_BYTES];
	bool has_fractions = false;

	if ((list->kind != VALUE_LIST && list->kind != VALUE_MAP) || (!is_types && !is_instances)) {
		return false;
	}
	for (const struct value *one = list->first; one; one = one->next) {
		if (one->is_cut) {
			continue;
		}
		if (one->kind != VALUE_TUPLE || one->count != 2 || !value_is_number(one->last) ||
				!(is_types ? is_allocator(one->first)
					   : value_is_number(one->first))) {
			return false;
		}
		has_fractions = has_fractions || one->last->kind == VALUE_FLOAT;
	}

	(void)name_function(scan, at,
			is_types ? "recon_alloc:memory(allocated_types)"
				 : "recon_alloc:memory(allocated_instances)",
			function);
	if (list->is_cut) {
		strncat(function, ", shortened", FUNCTION_BYTES - strlen(function) - 1);
	}
	for (const struct value *one = list->first; one; one = one->next) {
		if (!one->is_cut) {
			scan_figure(scan, at + one->line, function, one->first->text, "allocated",
					scaled(scan, one->last), unit_of(scan, has_fractions));
		}
	}
	return list->count > 0;
}

/* [{used, N}], made of recon_alloc:memory(used) and its number. */
static bool take_amount(struct paste_scan *scan, size_t at, const struct value *list)
{
	static const char *const keys[] = { "used", "allocated", "unused", "usage" };
	const struct value *pair = list->first;
	char function[FUNCTION_BYTES];

	if (list->kind != VALUE_LIST || list->count != 1 || !value_is_pair(pair) ||
			!value_is_number(pair->last) ||
			!scan_called(scan, at, "recon_alloc:memory(")) {
		return false;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (text_is(pair->first->text, keys[i])) {
			scan_figure(scan, at,
					name_function(scan, at, "recon_alloc:memory", function),
					TEXT(""), keys[i],
					i == 3 ? pair->last->real : scaled(scan, pair->last),
					i == 3 ? "ratio"
					       : unit_of(scan, pair->last->kind == VALUE_FLOAT));
			return true;
		}
	}
	return false;
}

/* [{{instance, 2}, [{hit_rate, R}, {hits, H}, {calls, C}]}, …] */
static bool take_cache(struct paste_scan *scan, size_t at, const struct value *list)
{
	static const char *const keys[] = { "hit_rate", "hits", "calls" };
	bool is_taken = false;

	for (const struct value *one = list->kind == VALUE_LIST ? list->first : NULL; one;
			one = one->next) {
		double calls;
		double hits;

		if (one->kind != VALUE_TUPLE || one->count != 2 ||
				one->first->kind != VALUE_TUPLE ||
				!value_is_atom(one->first->first, "instance") ||
				number_of(one->last, "calls") < 0 ||
				number_of(one->last, "hits") < 0) {
			continue;
		}
		calls = number_of(one->last, "calls");
		hits = number_of(one->last, "hits");
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			double value = i == 0 ? (calls > 0 ? hits / calls : 1)
					      : number_of(one->last, keys[i]);

			scan_figure(scan, at + one->line, "recon_alloc:cache_hit_rates",
					one->first->last->text, keys[i], value,
					i == 0 ? "ratio" : "count");
		}
		is_taken = true;
	}
	return is_taken;
}

/* [{binary_alloc, [{mbcs, 1088.1}, {sbcs, 1200040.0}]}, …] */
static bool take_sizes(struct paste_scan *scan, size_t at, const struct value *list)
{
	char function[FUNCTION_BYTES];
	bool is_taken = false;

	for (const struct value *one = list->kind == VALUE_LIST ? list->first : NULL; one;
			one = one->next) {
		static const char *const keys[] = { "mbcs", "sbcs" };

		if (one->kind != VALUE_TUPLE || one->count != 2 || !is_allocator(one->first) ||
				number_of(one->last, "mbcs") < 0) {
			continue;
		}
		for (size_t i = 0; i < 2; i++) {
			const struct value *size = value_of(one->last, keys[i]);

			if (value_is_number(size)) {
				scan_figure(scan, at + one->line,
						name_function(scan, at,
								"recon_alloc:average_block_sizes",
								function),
						one->first->text, keys[i], scaled(scan, size),
						"bytes");
			}
		}
		is_taken = true;
	}
	return is_taken;
}

/* [{{binary_alloc, 1}, 0.0078}, …], `infinity` where only single-block carriers have blocks. */
static bool take_ratio(struct paste_scan *scan, size_t at, const struct value *list)
{
	char function[FUNCTION_BYTES];
	char subject[SUBJECT_BYTES];
	bool is_taken = false;

	for (const struct value *one = list->kind == VALUE_LIST ? list->first : NULL; one;
			one = one->next) {
		if (one->kind != VALUE_TUPLE || one->count != 2 || !is_place(one->first)) {
			continue;
		}
		(void)name_function(scan, at, "recon_alloc:sbcs_to_mbcs", function);
		if (value_is_number(one->last)) {
			scan_figure(scan, at + one->line, function, name_place(one->first, subject),
					"ratio", one->last->real, "ratio");
		} else if (value_is_atom(one->last, "infinity")) {
			scan_figure(scan, at + one->line, function, name_place(one->first, subject),
					"ratio", INFINITY, "ratio");
		} else {
			continue;
		}
		is_taken = true;
	}
	return is_taken;
}

static bool is_pid(const struct value *value)
{
	return value && value->kind == VALUE_IDENTIFIER &&
			(text_begins(value->text, "<") || text_begins(value->text, "#PID<"));
}

/* [{<0.1.0>, -5580, [name, {current_function, {M, F, A}}, …]}, …] of bin_leak and proc_count. */
static bool take_processes(struct paste_scan *scan, size_t at, const struct value *list)
{
	bool is_leak = scan_called(scan, at, "recon:bin_leak(");
	bool is_queue = scan_called(scan, at, "recon:proc_count(message_queue_len");
	char function[FUNCTION_BYTES] = "recon:proc_count";
	bool is_taken = false;

	if (is_leak) {
		(void)snprintf(function, sizeof(function), "recon:bin_leak");
	} else if (scan_called(scan, at, "recon:proc_count(") ||
			scan_called(scan, at, "recon:proc_window(")) {
		(void)snprintf(function, sizeof(function), "%.*s", (int)strcspn(scan->context, ","),
				scan->context);
		strncat(function, ")", sizeof(function) - strlen(function) - 1);
	}

	for (const struct value *one = list->kind == VALUE_LIST ? list->first : NULL; one;
			one = one->next) {
		const struct value *number = value_second(one);
		const struct value *facts = number ? number->next : NULL;
		char subject[SUBJECT_BYTES];

		if (one->kind != VALUE_TUPLE || one->count != 3 || !number || !facts ||
				!is_pid(one->first) || number->kind != VALUE_INTEGER ||
				facts->kind != VALUE_LIST) {
			continue;
		}
		(void)snprintf(subject, sizeof(subject), "%.*s%s%.*s", (int)one->first->text.length,
				one->first->text.at,
				facts->first && facts->first->kind == VALUE_ATOM ? " " : "",
				facts->first && facts->first->kind == VALUE_ATOM
						? (int)facts->first->text.length
						: 0,
				facts->first ? facts->first->text.at : "");
		scan_figure(scan, at + one->line, function,
				(struct text){ subject, strlen(subject) },
				is_leak			   ? "binaries"
						: is_queue ? "messages"
							   : "value",
				(double)number->number, is_leak || is_queue ? "count" : "");
		is_taken = true;
	}
	return is_taken;
}

/* [{meta, …}, {memory_used, [{memory, N}, {message_queue_len, N}, …]}, …] of recon:info(), and
 * [{registered_name, …}, …, {message_queue_len, N}, {total_heap_size, N}, …] of process_info(). */
static bool take_info(struct paste_scan *scan, size_t at, const struct value *list)
{
	bool is_flat = number_of(list, "message_queue_len") >= 0 &&
			number_of(list, "total_heap_size") >= 0;
	const struct value *used = is_flat ? list : value_of(list, "memory_used");
	const struct value *meta = is_flat ? list : value_of(list, "meta");
	const struct value *name = meta ? value_of(meta, "registered_name") : NULL;
	static const struct {
		const char *key;
		const char *unit;
	} keys[] = { { "memory", "bytes" }, { "message_queue_len", "count" },
		{ "heap_size", "words" }, { "total_heap_size", "words" } };
	bool is_taken = false;

	for (size_t i = 0; used && i < sizeof(keys) / sizeof(keys[0]); i++) {
		double value = number_of(used, keys[i].key);

		if (value >= 0) {
			scan_figure(scan, at, is_flat ? "process_info" : "recon:info",
					name && name->kind == VALUE_ATOM ? name->text
									 : TEXT("the process"),
					keys[i].key, value, keys[i].unit);
			is_taken = true;
		}
	}
	return is_taken;
}

/* [{321536631, sessions, <0.812.0>}, …], or [{sessions, 321536631}, …]: words of tables, as our
 * texts ask for them. */
static bool take_tables(struct paste_scan *scan, size_t at, const struct value *list)
{
	bool is_taken = false;

	if (list->kind != VALUE_LIST || at - scan->context_line > PASTE_CONTEXT_LINES ||
			!strstr(scan->context, "ets:info(") || !strstr(scan->context, "memory)")) {
		return false;
	}

	for (const struct value *one = list->first; one; one = one->next) {
		const struct value *name = NULL;
		const struct value *words = NULL;

		for (const struct value *part = one->kind == VALUE_TUPLE ? one->first : NULL; part;
				part = part->next) {
			words = !words && part->kind == VALUE_INTEGER ? part : words;
			name = !name && part->kind == VALUE_ATOM ? part : name;
		}
		if (name && words) {
			scan_figure(scan, at + one->line, "ets:info(memory)", name->text, "value",
					(double)words->number, "words");
			is_taken = true;
		}
	}
	return is_taken;
}

/* Classes that RabbitMQ has beside, or instead of, those of erlang:memory(). */
static bool is_class(struct text key)
{
	static const char *const words[] = { "connection_readers", "connection_writers",
		"connection_channels", "connection_other", "queue_procs", "queue_slave_procs",
		"quorum_queue_procs", "stream_queue_procs", "plugins", "other_proc", "mgmt_db",
		"msg_index", "other_ets", "other_system", "allocated_unused",
		"reserved_unallocated", "quorum_ets", "metadata_store", "mnesia", "metrics" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (text_is(key, words[i])) {
			return true;
		}
	}
	return false;
}

/* [{total, N}, {connection_readers, N}, …] of rabbitmqctl status. */
static bool take_classes(struct paste_scan *scan, size_t at, const struct value *list)
{
	bool is_map = list->kind == VALUE_MAP;
	size_t classes = 0;

	for (const struct value *one = list->first; one; one = one->next) {
		const struct value *key = is_map ? one : one->first;

		classes += key && key->kind == VALUE_ATOM && is_class(key->text);
		one = is_map && one->next ? one->next : one;
	}
	if (classes < 2 || (!is_map && list->kind != VALUE_LIST)) {
		return false;
	}

	for (const struct value *one = list->first; one; one = one->next) {
		const struct value *key = is_map ? one : one->first;
		const struct value *number = is_map ? one->next : value_second(one);

		if (key && key->kind == VALUE_ATOM && value_is_number(number)) {
			scan_figure(scan, at + key->line, "rabbitmqctl status", key->text, "class",
					number->real, "bytes");
		} else if (key && number && key->kind == VALUE_ATOM &&
				text_is(key->text, "total")) {
			/* {total, [{erlang, N}, {rss, N}, {allocated, N}]} since 3.7. */
			for (const struct value *part = number->first; part; part = part->next) {
				const struct value *name =
						number->kind == VALUE_MAP ? part : part->first;
				const struct value *bytes = number->kind == VALUE_MAP
						? part->next
						: value_second(part);

				if (name && bytes && value_is_number(bytes)) {
					scan_figure(scan, at + part->line, "rabbitmqctl status",
							name->text, "total", bytes->real, "bytes");
				}
				part = number->kind == VALUE_MAP && part->next ? part->next : part;
			}
		}
		one = is_map && one->next ? one->next : one;
	}
	return true;
}

bool paste_result(struct paste_scan *scan, size_t at, const struct value *value)
{
	static bool (*const takes[])(struct paste_scan * scan, size_t at,
			const struct value *value) = { take_amount, take_fragmentation,
		take_allocated, take_cache, take_sizes, take_ratio, take_processes, take_info,
		take_tables, take_classes };

	for (size_t i = 0; value->kind >= VALUE_LIST && i < sizeof(takes) / sizeof(takes[0]); i++) {
		size_t before = scan->groups[PASTE_FIGURES].text.length;

		if (takes[i](scan, at, value)) {
			/* An empty line ends a result. */
			if (scan->groups[PASTE_FIGURES].text.length > before) {
				paste_text_words(&scan->groups[PASTE_FIGURES].text, "\n");
			}
			return true;
		}
	}
	return false;
}
