/* SPDX-License-Identifier: MIT */
/* Terms to events. */
#include "snapshot.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "carrierscope_tp.h"

#include "facts.h"
#include "rings/rings.h"

#define ELEMENTS 13

/* A row of the list: numbers where it has numbers, texts where it has binaries. */
struct row {
	char kind[16];
	int arity;
	uint64_t number[ELEMENTS];
	const char *text[ELEMENTS];
};

/* A counter of the node may be below zero: its 64 bits. */
static bool get_number(ErlNifEnv *env, ERL_NIF_TERM term, uint64_t *ret_number)
{
	ErlNifSInt64 number;
	ErlNifUInt64 positive;

	if (enif_get_uint64(env, term, &positive)) {
		*ret_number = positive;
		return true;
	}
	if (!enif_get_int64(env, term, &number)) {
		return false;
	}
	*ret_number = (uint64_t)number;
	return true;
}

static bool get_row(ErlNifEnv *env, ERL_NIF_TERM term, struct row *ret_row)
{
	const ERL_NIF_TERM *elements;

	if (!enif_get_tuple(env, term, &ret_row->arity, &elements) || ret_row->arity < 1 ||
			ret_row->arity > ELEMENTS ||
			!enif_get_atom(env, elements[0], ret_row->kind, sizeof(ret_row->kind),
					ERL_NIF_LATIN1)) {
		return false;
	}
	for (int i = 1; i < ret_row->arity; i++) {
		ErlNifBinary binary;

		ret_row->text[i] = NULL;
		ret_row->number[i] = 0;
		if (enif_inspect_binary(env, elements[i], &binary)) {
			if (binary.size == 0 || binary.data[binary.size - 1] != 0) {
				return false;
			}
			ret_row->text[i] = (const char *)binary.data;
		} else if (!get_number(env, elements[i], &ret_row->number[i])) {
			return false;
		}
	}
	return true;
}

static bool is_kind(const struct row *row, const char *kind, int arity)
{
	return row->arity == arity && strcmp(row->kind, kind) == 0;
}

/* The answers of module instrument. */
static bool emit_scan(const struct row *row)
{
	uint32_t id = (uint32_t)row->number[1];

	if (is_kind(row, "bucket", 9) && row->text[3] && row->text[4]) {
		lttng_ust_tracepoint(carrierscope, scan_bucket, id, (uint32_t)row->number[2],
				row->text[3], row->text[4], (uint8_t)row->number[5], row->number[6],
				row->number[7], row->number[8]);
		return true;
	}
	if (is_kind(row, "carrier", 7) && row->text[3]) {
		lttng_ust_tracepoint(carrierscope, scan_carrier, id, (uint32_t)row->number[2],
				row->text[3], (uint8_t)row->number[4], row->number[5],
				row->number[6]);
		return true;
	}
	if (is_kind(row, "carrier_blocks", 6) && row->text[3]) {
		lttng_ust_tracepoint(carrierscope, scan_blocks, id, (uint32_t)row->number[2],
				row->text[3], row->number[4], row->number[5]);
		return true;
	}
	if (is_kind(row, "scan", 7) && row->text[2] && row->text[3]) {
		lttng_ust_tracepoint(carrierscope, scan_begin, id, row->text[2], row->text[3],
				row->number[4], row->number[5], row->number[6]);
		return true;
	}
	return false;
}

/* Bytes of this process that are in memory; without a call of the allocators.  0: nobody says. */
static uint64_t resident_bytes(void)
{
	char text[128];
	int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
	const char *second;

	if (file >= 0) {
		(void)close(file);
	}
	if (length <= 0) {
		return 0;
	}

	text[length] = '\0';
	second = strchr(text, ' ');
	return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static void emit_end(uint32_t id, uint64_t figures)
{
	uint64_t bytes = resident_bytes();

	if (bytes > 0) {
		lttng_ust_tracepoint(carrierscope, snapshot_memory, id, "os_resident", bytes);
		figures++;
	}
	lttng_ust_tracepoint(carrierscope, snapshot_end, id, figures);
}

/* Processes, and what each refers to. */
static bool emit_process(const struct row *row)
{
	uint32_t id = (uint32_t)row->number[1];

	if (is_kind(row, "named", 8) && row->text[1] && row->text[2] && row->text[3] &&
			row->text[4] && row->text[5] && row->text[6] && row->text[7]) {
		lttng_ust_tracepoint(carrierscope, process_name, row->text[1], row->text[2],
				row->text[3], row->text[4], row->text[5], row->text[6],
				row->text[7]);
		return true;
	}
	if (is_kind(row, "process", 13) && row->text[2]) {
		lttng_ust_tracepoint(carrierscope, snapshot_process, id, row->text[2],
				row->number[3], row->number[4], row->number[5], row->number[6],
				row->number[7], (uint8_t)row->number[8], row->number + 9);
		return true;
	}
	if (is_kind(row, "group", 11) && row->text[2]) {
		lttng_ust_tracepoint(carrierscope, snapshot_process_group, id, row->text[2],
				row->number[3], row->number[4], row->number[5], row->number[6],
				row->number[7], row->number[8], row->number[9], row->number[10]);
		return true;
	}
	if (is_kind(row, "binary", 6) && row->text[2]) {
		lttng_ust_tracepoint(carrierscope, snapshot_binary, id, row->text[2],
				row->number[3], row->number[4], row->number[5]);
		return true;
	}
	return false;
}

/* Who holds the memory, but for processes. */
static bool emit_holder(const struct row *row)
{
	uint32_t id = (uint32_t)row->number[1];

	if (is_kind(row, "table", 8) && row->text[2] && row->text[3] && row->text[4] &&
			row->text[5]) {
		lttng_ust_tracepoint(carrierscope, snapshot_table, id, row->text[2], row->text[3],
				row->text[4], row->text[5], row->number[6], row->number[7]);
		return true;
	}
	if (is_kind(row, "port", 8) && row->text[2] && row->text[3] && row->text[4] &&
			row->text[5]) {
		lttng_ust_tracepoint(carrierscope, snapshot_port, id, row->text[2], row->text[3],
				row->text[4], row->text[5], row->number[6], row->number[7]);
		return true;
	}
	if (is_kind(row, "mapping", 6) && row->text[2]) {
		lttng_ust_tracepoint(carrierscope, snapshot_mapping, id, row->text[2],
				row->number[3], row->number[4], row->number[5]);
		return true;
	}
	if (is_kind(row, "holders", 11)) {
		lttng_ust_tracepoint(carrierscope, snapshot_holders, id, row->number[2],
				row->number[3], row->number[4], row->number[5], row->number[6],
				row->number[7], row->number[8], row->number[9], row->number[10]);
		return true;
	}
	return false;
}

/* Functions that made blocks. */
static bool emit_function(const struct row *row)
{
	uint32_t id = (uint32_t)row->number[1];

	if (is_kind(row, "function", 10) && row->text[2] && row->text[3] && row->text[4] &&
			row->text[6]) {
		lttng_ust_tracepoint(carrierscope, snapshot_function, id, row->text[2],
				row->text[3], row->text[4], (uint8_t)row->number[5], row->text[6],
				row->number[7], row->number[8], row->number[9]);
		return true;
	}
	if (is_kind(row, "functions", 6)) {
		lttng_ust_tracepoint(carrierscope, snapshot_functions, id, row->number[2],
				row->number[3], row->number[4], row->number[5]);
		return true;
	}
	return false;
}

/* A function on the stack of a sample. */
static bool emit_frame(const struct row *row)
{
	if (is_kind(row, "frame", 10) && row->text[5] && row->text[6] && row->text[8] &&
			row->text[9]) {
		lttng_ust_tracepoint(carrierscope, stack_frame, row->number[1],
				(uint16_t)row->number[2], (uint32_t)row->number[3], row->number[4],
				row->text[5], row->text[6], (uint8_t)row->number[7], row->text[8],
				row->text[9]);
		return true;
	}
	return false;
}

static bool emit_row(const struct row *row)
{
	const struct facts none = { .list = NULL };
	uint32_t id = (uint32_t)row->number[1];

	if (is_kind(row, "instance", 9) && row->text[4] && row->text[5]) {
		lttng_ust_tracepoint(carrierscope, snapshot_figure, id, (uint8_t)row->number[2],
				(uint16_t)row->number[3], row->text[4], row->text[5],
				row->number[6], row->number[7], row->number[8]);
		return true;
	}
	if (is_kind(row, "memory", 4) && row->text[2]) {
		lttng_ust_tracepoint(
				carrierscope, snapshot_memory, id, row->text[2], row->number[3]);
		return true;
	}
	if (is_kind(row, "allocator", 3) && row->text[2]) {
		lttng_ust_tracepoint(carrierscope, name_allocator, (uint8_t)id, row->text[2]);
		return true;
	}
	if (is_kind(row, "option", 4) && row->text[2] && row->text[3]) {
		lttng_ust_tracepoint(carrierscope, option, (uint8_t)id, row->text[2], row->text[3]);
		return true;
	}
	if (is_kind(row, "alarm", 5) && row->text[1] && row->text[4]) {
		lttng_ust_tracepoint(carrierscope, alarm, row->text[1], row->number[2],
				row->number[3], row->text[4]);
		return true;
	}
	if (is_kind(row, "fact", 3) && row->text[1] && row->text[2]) {
		fact_emit(row->text[1], row->text[2]);
		return true;
	}
	if (is_kind(row, "snapshot", 3)) {
		rings_nudge();
		facts_emit(&none);
		lttng_ust_tracepoint(carrierscope, snapshot_begin, id, row->number[2]);
		return true;
	}
	if (is_kind(row, "done", 3)) {
		rings_nudge();
		emit_end(id, row->number[2]);
		return true;
	}
	return emit_scan(row) || emit_process(row) || emit_holder(row) || emit_function(row) ||
			emit_frame(row);
}

bool snapshot_emit(ErlNifEnv *env, ERL_NIF_TERM list)
{
	ERL_NIF_TERM head;

	while (enif_get_list_cell(env, list, &head, &list)) {
		struct row row;

		if (!get_row(env, head, &row) || !emit_row(&row)) {
			return false;
		}
	}
	return enif_is_empty_list(env, list);
}
