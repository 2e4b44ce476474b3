/*
 * SPDX-License-Identifier: MIT
 *
 * A table of references by process and address, a list of sizes by address; joined at the end.
 */
#include "dump_binaries.h"

#include <stdlib.h>
#include <string.h>

#include "reader_row.h"

enum { PID_BYTES = 32, FIRST_SLOTS = 4096, MOST_SLOTS = 1 << 21, MOST_SIZES = 1 << 21 };

/* Of a process to a binary: how often, and words of the parts that it refers to. */
struct reference {
	uint64_t address;
	uint32_t process;
	/* 0: the slot is free. */
	uint32_t count;
	int64_t view_words;
};

struct size {
	uint64_t address;
	int64_t bytes;
};

struct process {
	char pid[PID_BYTES];
	bool is_cut;
	int64_t binaries;
	int64_t bytes;
	int64_t references;
	int64_t view_words;
	int64_t whole_words;
	int64_t missing;
};

struct dump_binaries {
	/* A power of two of slots, at most half of them in use; NULL: none yet. */
	struct reference *slots;
	size_t slot_count;
	size_t reference_count;
	struct size *sizes;
	size_t size_count;
	size_t size_room;
	struct process *processes;
	size_t process_count;
	size_t process_room;
	/* The process whose heap is read; it gets its place in the list with its first reference.
	 */
	char pid[PID_BYTES];
	bool is_listed;
};

struct dump_binaries *dump_binaries_open(void)
{
	return calloc(1, sizeof(struct dump_binaries));
}

static void forget(struct dump_binaries *binaries)
{
	free(binaries->slots);
	free(binaries->sizes);
	free(binaries->processes);
	*binaries = (struct dump_binaries){ .slots = NULL };
}

void dump_binaries_close(struct dump_binaries *binaries)
{
	if (binaries) {
		forget(binaries);
		free(binaries);
	}
}

/* Room for one more of a list, doubled; false: there is no memory. */
static bool has_room(void **list, size_t *room, size_t count, size_t element_bytes)
{
	size_t more = *room > 0 ? *room * 2 : FIRST_SLOTS / 16;
	void *moved;

	if (count < *room) {
		return true;
	}
	moved = realloc(*list, more * element_bytes);
	if (!moved) {
		return false;
	}
	*list = moved;
	*room = more;
	return true;
}

/* Hexadecimal digits at the front, taken off; false: there is none, or they do not fit. */
static bool take_hex(struct text *text, uint64_t *ret_number)
{
	uint64_t number = 0;
	size_t digits = 0;

	for (; digits < text->length && digits < 17; digits++) {
		char c = text->at[digits];
		int digit = c >= '0' && c <= '9'       ? c - '0'
				: c >= 'A' && c <= 'F' ? c - 'A' + 10
						       : -1;

		if (digit < 0) {
			break;
		}
		number = number << 4 | (uint64_t)digit;
	}
	*ret_number = number;
	*text = text_from(*text, digits);
	return digits > 0 && digits < 17;
}

static bool take_colon(struct text *text)
{
	if (text->length == 0 || text->at[0] != ':') {
		return false;
	}
	*text = text_from(*text, 1);
	return true;
}

void dump_binaries_process(struct dump_binaries *binaries, struct text pid)
{
	size_t length = pid.length < PID_BYTES - 1 ? pid.length : PID_BYTES - 1;

	memcpy(binaries->pid, pid.at, length);
	binaries->pid[length] = '\0';
	binaries->is_listed = false;
}

/* The process whose heap is read; NULL: there is no memory. */
static struct process *process_of(struct dump_binaries *binaries)
{
	struct process *process;

	if (!binaries->is_listed) {
		if (!has_room((void **)&binaries->processes, &binaries->process_room,
				    binaries->process_count, sizeof(*binaries->processes))) {
			return NULL;
		}
		process = &binaries->processes[binaries->process_count++];
		*process = (struct process){ .is_cut = false };
		memcpy(process->pid, binaries->pid, sizeof(process->pid));
		binaries->is_listed = true;
	}
	return &binaries->processes[binaries->process_count - 1];
}

/* The slot that a reference has or may have; there is a free one. */
static struct reference *slot_of(
		const struct dump_binaries *binaries, uint64_t address, uint32_t process)
{
	uint64_t hash = (address + process) * UINT64_C(0x9E3779B97F4A7C15);
	size_t mask = binaries->slot_count - 1;

	for (size_t i = (size_t)(hash >> 32) & mask;; i = (i + 1) & mask) {
		struct reference *slot = &binaries->slots[i];

		if (slot->count == 0 || (slot->address == address && slot->process == process)) {
			return slot;
		}
	}
}

/* Room for one more; *ret_is_full: there are as many as may be. */
static bool grow(struct dump_binaries *binaries, bool *ret_is_full)
{
	struct reference *old = binaries->slots;
	size_t old_count = binaries->slot_count;

	*ret_is_full = false;
	if (old && binaries->reference_count < old_count / 2) {
		return true;
	}
	if (old_count == MOST_SLOTS) {
		*ret_is_full = true;
		return true;
	}
	binaries->slot_count = old ? old_count * 2 : FIRST_SLOTS;
	binaries->slots = calloc(binaries->slot_count, sizeof(*binaries->slots));
	if (!binaries->slots) {
		binaries->slots = old;
		binaries->slot_count = old_count;
		return false;
	}
	for (size_t i = 0; old && i < old_count; i++) {
		if (old[i].count > 0) {
			*slot_of(binaries, old[i].address, old[i].process) = old[i];
		}
	}
	free(old);
	return true;
}

static bool add_reference(struct dump_binaries *binaries, uint64_t address, uint64_t view_bytes)
{
	struct process *process = process_of(binaries);
	struct reference *slot;
	bool is_full;

	if (!process || !grow(binaries, &is_full)) {
		return false;
	}
	slot = slot_of(binaries, address, (uint32_t)(binaries->process_count - 1));
	if ((slot->count == 0 && is_full) || slot->count == UINT32_MAX ||
			view_bytes > INT64_MAX / 4) {
		process->is_cut = true;
		return true;
	}
	binaries->reference_count += slot->count == 0;
	slot->address = address;
	slot->process = (uint32_t)(binaries->process_count - 1);
	slot->count++;
	slot->view_words += (int64_t)(view_bytes / sizeof(uint64_t));
	return true;
}

/* "7F14C175E380:Yc55DD034581C0:0:E9": at that place of the heap, the binary, from byte 0 on, E9
 * bytes. */
bool dump_binaries_heap_line(struct dump_binaries *binaries, struct text line)
{
	uint64_t place;
	uint64_t address;
	uint64_t from;
	uint64_t bytes;

	if (!take_hex(&line, &place) || !take_colon(&line) || !text_begins(line, "Yc")) {
		return true;
	}
	line = text_from(line, 2);
	if (!take_hex(&line, &address) || !take_colon(&line) || !take_hex(&line, &from) ||
			!take_colon(&line) || !take_hex(&line, &bytes)) {
		return true;
	}
	return add_reference(binaries, address, bytes);
}

bool dump_binaries_size(struct dump_binaries *binaries, struct text address, int64_t size_bytes)
{
	uint64_t number;

	if (!take_hex(&address, &number) || binaries->size_count == MOST_SIZES) {
		return true;
	}
	if (!has_room((void **)&binaries->sizes, &binaries->size_room, binaries->size_count,
			    sizeof(*binaries->sizes))) {
		return false;
	}
	binaries->sizes[binaries->size_count++] = (struct size){ number, size_bytes };
	return true;
}

static int compare_sizes(const void *left, const void *right)
{
	const struct size *a = left;
	const struct size *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void add_to_process(struct dump_binaries *binaries, const struct reference *reference)
{
	struct process *process = &binaries->processes[reference->process];
	const struct size key = { reference->address, 0 };
	const struct size *size = binaries->size_count == 0
			? NULL
			: bsearch(&key, binaries->sizes, binaries->size_count,
					  sizeof(*binaries->sizes), compare_sizes);
	int64_t words;

	process->binaries++;
	process->references += reference->count;
	process->view_words += reference->view_words;
	if (!size) {
		process->missing++;
		return;
	}
	if (__builtin_mul_overflow(size->bytes / (int64_t)sizeof(uint64_t),
			    (int64_t)reference->count, &words) ||
			__builtin_add_overflow(
					process->whole_words, words, &process->whole_words) ||
			__builtin_add_overflow(process->bytes, size->bytes, &process->bytes)) {
		process->is_cut = true;
	}
}

void dump_binaries_write(struct dump_binaries *binaries, struct store *store, int64_t snapshot)
{
	if (binaries->size_count > 0) {
		qsort(binaries->sizes, binaries->size_count, sizeof(*binaries->sizes),
				compare_sizes);
	}
	for (size_t i = 0; i < binaries->slot_count; i++) {
		if (binaries->slots[i].count > 0) {
			add_to_process(binaries, &binaries->slots[i]);
		}
	}
	for (size_t i = 0; i < binaries->process_count; i++) {
		const struct process *process = &binaries->processes[i];
		const struct text pid = { process->pid, strlen(process->pid) };

		READER_ROW(store, "process_binaries",
				"snapshot_id, pid, binaries, binary_bytes, binary_references, view_words, "
				"whole_words, is_complete",
				row_integer(snapshot), row_text(pid),
				row_integer(process->binaries), row_integer(process->bytes),
				row_integer(process->references), row_integer(process->view_words),
				row_integer(process->whole_words),
				row_integer(!process->is_cut && process->missing == 0));
	}
	forget(binaries);
}
