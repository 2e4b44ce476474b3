/*
 * SPDX-License-Identifier: MIT
 *
 * Sections "=proc:<0.1.0>".
 */
#include "dump_process.h"

#include "dump_state.h"

/* Lines with a number; sizes of heaps are words. */
static const struct text number_keys[PROCESS_NUMBERS] = {
	[PROCESS_MESSAGES] = TEXT_INITIAL("Message queue length"),
	[PROCESS_REDUCTIONS] = TEXT_INITIAL("Reductions"),
	[PROCESS_FRAGMENTS] = TEXT_INITIAL("Number of heap fragments"),
	[PROCESS_FRAGMENT_WORDS] = TEXT_INITIAL("Heap fragment data"),
	[PROCESS_HEAP] = TEXT_INITIAL("Stack+heap"),
	[PROCESS_HEAP_UNUSED] = TEXT_INITIAL("Heap unused"),
	[PROCESS_OLD_HEAP] = TEXT_INITIAL("OldHeap"),
	[PROCESS_OLD_HEAP_UNUSED] = TEXT_INITIAL("OldHeap unused"),
	[PROCESS_BINARIES] = TEXT_INITIAL("BinVHeap"),
	[PROCESS_OLD_BINARIES] = TEXT_INITIAL("OldBinVHeap"),
	[PROCESS_MEMORY] = TEXT_INITIAL("Memory"),
};

static const struct {
	struct text key;
	enum process_text text;
} text_keys[] = {
	{ TEXT_INITIAL("Name"), PROCESS_NAME },
	{ TEXT_INITIAL("Spawned as"), PROCESS_INITIAL_CALL },
	{ TEXT_INITIAL("Last scheduled in for"), PROCESS_CURRENT_CALL },
	{ TEXT_INITIAL("Current call"), PROCESS_CURRENT_CALL },
	{ TEXT_INITIAL("Spawned by"), PROCESS_PARENT },
	{ TEXT_INITIAL("State"), PROCESS_STATE },
};

void dump_process_begin(struct dump *dump, struct text pid)
{
	for (size_t i = 0; i < PROCESS_TEXTS; i++) {
		dump->process_text[i].is_set = false;
		dump->process_text[i].length = 0;
	}

	for (size_t i = 0; i < PROCESS_NUMBERS; i++) {
		dump->process_number[i] = ROW_NULL;
	}

	keep(&dump->process_text[PROCESS_PID], pid);
}

void dump_process_line(struct dump *dump, struct text line)
{
	struct text value;
	struct text key = text_cut(line, ':', &value);
	int64_t number;
	bool is_huge;

	value = text_trim(value);
	for (size_t i = 0; i < PROCESS_NUMBERS; i++) {
		if (text_same(key, number_keys[i])) {
			if (text_number(value, &number, &is_huge) && !is_huge) {
				dump->process_number[i] = number;
			}
			return;
		}
	}

	for (size_t i = 0; i < sizeof(text_keys) / sizeof(text_keys[0]); i++) {
		if (text_same(key, text_keys[i].key)) {
			keep(&dump->process_text[text_keys[i].text], value);
			return;
		}
	}
}

void dump_process_end(struct dump *dump)
{
	struct insert *rows = store_rows(dump->store, "process_sample",
			"id, snapshot_id, line, pid, name, initial_call, current_call, "
			"parent, state, messages, reductions, heap_fragments, "
			"heap_fragment_words, heap_words, heap_unused_words, "
			"old_heap_words, old_heap_unused_words, binary_heap_words, "
			"old_binary_heap_words, memory_bytes");

	insert_integer(rows, ROW_NULL);
	insert_integer(rows, dump->snapshot);
	insert_integer(rows, dump->section_line);
	for (size_t i = 0; i < PROCESS_TEXTS; i++) {
		text_insert(rows, kept_text(&dump->process_text[i]));
	}

	for (size_t i = 0; i < PROCESS_NUMBERS; i++) {
		insert_integer(rows, dump->process_number[i]);
	}

	insert_row(rows);
	dump->processes++;
}
