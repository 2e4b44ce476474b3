/*
 * SPDX-License-Identifier: MIT
 *
 * A workload from the figures of a log.
 */
#include "board_load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Weights of a phase are so many for each operation. */
#define SHARES 1e6

/* Where the log has no reading before the failure, the load begins with this share of the end. */
#define START_SHARE 0.85

/* What the heaps that grow have of all processes, most of them, and how often each grows. */
#define GROWING_SHARE 0.8
#define GROWING_MOST 4
#define GROWTHS 12

/* Mean bytes of what comes and goes, and its share of the operations. */
#define BINARY_MEAN 1438.0
#define BINARY_SHARE 0.13
#define HEAP_MEAN_WORDS 2170.0
#define HEAP_SHARE 0.015
#define FRAGMENT_SHARE 0.30
#define PACKET_SHARE 0.53

/* Blocks that stay: a type of the runtime, sizes, their mean, and the share of a kind of memory. */
struct kept {
	const char *name;
	const char *type;
	const char *size;
	double mean_bytes;
	size_t kind;
	double share;
};

#define KIND(member) offsetof(struct board_case, member)

static const struct kept kept[] = {
	{ "modules", "code", "lognormal 3000 1.1 200 120000", 5490, KIND(code), 1 },
	{ "atoms", "atom_text", "lognormal 60 0.6 24 400", 72, KIND(atom), 1 },
	{ "tables", "db_segment", "constant 4096", 4096, KIND(ets), 0.5 },
	{ "terms", "db_term", "lognormal 120 0.9 32 6000", 180, KIND(ets), 0.5 },
	{ "drivers", "driver", "lognormal 400 1.2 32 16000", 815, KIND(other), 0.5 },
	{ "entries", "export_entry", "lognormal 200 1.0 32 16000", 328, KIND(other), 0.5 },
};
#define KEPT (sizeof(kept) / sizeof(kept[0]))

/* Of a kind, when the node ended: the list may be of another moment. */
static double bytes_of(const struct board_case *found, const struct board_load *load, size_t kind)
{
	int64_t bytes;

	memcpy(&bytes, (const char *)found + kind, sizeof(bytes));
	return (double)bytes * load->end_bytes / (double)found->total;
}

static bool is_heap(const struct board_case *found)
{
	return strcmp(found->type, "heap") == 0 || strcmp(found->type, "old_heap") == 0;
}

static double taken_by_system(const struct board *board)
{
	double bytes = 0;

	for (size_t i = 0; i < board->take_count; i++) {
		const struct board_take *take = &board->takes[i];

		if (!take->give_every) {
			bytes += (double)(take->bytes + 2 * (uint64_t)board->word_bytes) *
					(double)take->count;
		}
		for (size_t k = 0; take->give_every && k < i; k++) {
			const struct board_take *given = &board->takes[k];

			if (!given->give_every && strcmp(given->name, take->name) == 0) {
				bytes -= (double)given->bytes * (double)given->count /
						(double)take->give_every;
			}
		}
	}
	return bytes;
}

/* In blocks, when the board had so many bytes in use. */
static double blocks_at(
		const struct board_case *found, const struct board_load *load, int64_t used_bytes)
{
	return (double)found->total * ((double)used_bytes - load->system_bytes) /
			((double)found->memory_used_bytes - load->system_bytes);
}

enum csc_status board_load_plan(const struct board_case *found, const struct board *board,
		struct board_load *ret_load, struct diag *diag)
{
	struct board_load load = { .system_bytes = taken_by_system(board) };
	double least = load.system_bytes + (double)found->total / 2;

	if ((double)found->memory_used_bytes < least || (double)found->used_bytes < least) {
		return DIAG_REFUSE(diag,
				"board '%s' takes %.1f MiB before Erlang starts, and the log has %.1f MiB in "
				"use: give --board the file of the board of this log",
				board->name, load.system_bytes / 1048576.0,
				(double)found->used_bytes / 1048576.0);
	}
	load.end_bytes = blocks_at(found, &load, found->used_bytes);
	load.start_bytes = found->earlier_used_bytes > 0
			? blocks_at(found, &load, found->earlier_used_bytes)
			: 0;
	if (load.start_bytes <= 0 || load.start_bytes > START_SHARE * load.end_bytes) {
		load.start_bytes = START_SHARE * load.end_bytes;
	}
	for (size_t i = 0; i < KEPT; i++) {
		load.start_operations += 1 +
				(uint64_t)(bytes_of(found, &load, kept[i].kind) * kept[i].share *
						load.start_bytes / load.end_bytes /
						kept[i].mean_bytes);
	}
	*ret_load = load;
	return CSC_OK;
}

static unsigned int growing_count(const struct board_case *found, const struct board_load *load)
{
	double count = GROWING_SHARE * bytes_of(found, load, KIND(processes)) /
			(double)found->asked_bytes;

	return count < 1.5 ? 1 : count > GROWING_MOST ? GROWING_MOST : (unsigned int)(count + 0.5);
}

/* The process heaps that grow to what could not be had; another block: of its size. */
static void put_wanted(const struct board_case *found, const struct board *board,
		const struct board_load *load, FILE *out)
{
	int64_t words = found->asked_bytes / (int64_t)board->word_bytes;

	if (!is_heap(found)) {
		(void)fprintf(out,
				"size wanted constant %" PRId64 "\nlife wanted exponential 2000\n"
				"source wanted %s size wanted life wanted\n",
				found->asked_bytes, found->type);
		words = 300000;
	}
	(void)fprintf(out, "size growing heap %" PRId64 " %" PRId64 "\n",
			words / 12 > 233 ? words / 12 : 233, words > 466 ? words : 466);
	for (unsigned int i = 0; i < growing_count(found, load); i++) {
		(void)fprintf(out, "source growing%u heap size growing life kept\n", i);
	}
}

/* Of blocks that come and go: as long as makes so many live at a time. */
static void put_life(const char *name, double bytes, double mean_bytes, double share, FILE *out)
{
	double life = bytes / mean_bytes / share;

	(void)fprintf(out, "life %s exponential %.0f\n", name, life > 10 ? life : 10);
}

static void put_sources(const struct board_case *found, const struct board *board,
		const struct board_load *load, FILE *out)
{
	double processes = bytes_of(found, load, KIND(processes));
	double heaps = processes - growing_count(found, load) * (double)found->asked_bytes / 2;

	(void)fputs("schedulers 1\nburst 100\nlife kept forever\n", out);
	for (size_t i = 0; i < KEPT; i++) {
		(void)fprintf(out, "size %s %s\nsource %s %s size %s life kept\n", kept[i].name,
				kept[i].size, kept[i].name, kept[i].type, kept[i].name);
	}
	put_life("heap", heaps > processes / 20 ? heaps : processes / 20,
			HEAP_MEAN_WORDS * board->word_bytes, HEAP_SHARE, out);
	put_life("binary", bytes_of(found, load, KIND(binary)), BINARY_MEAN, BINARY_SHARE, out);
	(void)fputs("size small-heap heap 233 6772\nsource heaps heap size small-heap life heap\n"
		    "source processes proc size fixed life heap\n"
		    "size binary lognormal 700 1.2 64 60000\nsource binaries binary size binary life binary\n"
		    "size fragment lognormal 300 1.0 48 8192\nlife fragment exponential 40\n"
		    "source fragments heap_frag size fragment life fragment\n"
		    "size packet lognormal 150 0.6 48 1514\nlife packet exponential 15\n"
		    "source packets os size packet life packet\n",
			out);
	put_wanted(found, board, load, out);
}

static void put_make(const char *name, double share, FILE *out)
{
	if (share * SHARES >= 1) {
		(void)fprintf(out, "make %s %.0f\n", name, share * SHARES);
	}
}

char *board_load_text(const struct board_case *found, const struct board *board,
		const struct board_load *load, uint64_t seed, uint64_t operations)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out) {
		return NULL;
	}
	(void)fprintf(out, "seed %" PRIu64 "\n", seed);
	put_sources(found, board, load, out);
	(void)fprintf(out, "phase start operations %" PRIu64 "\n", load->start_operations);
	for (size_t i = 0; i < KEPT; i++) {
		put_make(kept[i].name,
				1e-6 +
						bytes_of(found, load, kept[i].kind) *
								kept[i].share / kept[i].mean_bytes /
								1e6,
				out);
	}
	(void)fprintf(out, "phase load operations %" PRIu64 "\n", operations);
	for (size_t i = 0; i < KEPT; i++) {
		put_make(kept[i].name,
				bytes_of(found, load, kept[i].kind) * kept[i].share *
						(1 - load->start_bytes / load->end_bytes) /
						kept[i].mean_bytes / (double)BOARD_LOAD_GROWTH,
				out);
	}
	for (unsigned int i = 0; i < growing_count(found, load); i++) {
		(void)fprintf(out, "grow growing%u %.0f\n", i,
				SHARES * GROWTHS / (double)BOARD_LOAD_GROWTH);
	}
	put_make("wanted", is_heap(found) ? 0 : 1.0 / 3000, out);
	put_make("processes", HEAP_SHARE / 4, out);
	put_make("heaps", HEAP_SHARE, out);
	put_make("binaries", BINARY_SHARE, out);
	put_make("fragments", FRAGMENT_SHARE, out);
	put_make("packets", PACKET_SHARE, out);
	return fclose(out) == 0 ? text : NULL;
}
