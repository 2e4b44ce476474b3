/* SPDX-License-Identifier: MIT */
/* /proc/self/smaps and smaps_rollup: a line for each mapping, then "Key: N kB" each. */
#include "mappings.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES 200
#define NAME_BYTES 201
#define LINE_BYTES 8192

enum figure { MAPPED, RESIDENT, ANONYMOUS, LAZY_FREE, SWAPPED, FIGURES };

static const char *const keys[FIGURES] = { "Size:", "Rss:", "Anonymous:", "LazyFree:", "Swap:" };

struct mapping {
	char name[NAME_BYTES];
	uint64_t bytes[FIGURES];
};

/* The last one is of all others. */
struct mappings {
	struct mapping list[NAMES + 1];
	size_t count;
	struct mapping *current;
};

static struct mapping *find(struct mappings *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++) {
		if (strncmp(all->list[i].name, name, NAME_BYTES - 1) == 0) {
			return &all->list[i];
		}
	}
	if (all->count == NAMES) {
		name = "others";
	}
	if (all->count <= NAMES) {
		(void)strncpy(all->list[all->count++].name, name, NAME_BYTES - 1);
	}
	return &all->list[all->count - 1];
}

/* "BEGIN-END RIGHTS OFFSET DEVICE INODE   NAME": what stands behind five words. */
static const char *name_of(const char *line)
{
	for (int i = 0; i < 5; i++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return strstr(line, "shm-ust-consumer-") ? "[LTTng]" : line;
}

static void add_line(struct mappings *all, const char *line)
{
	char *end;

	(void)strtoull(line, &end, 16);
	if (end > line && *end == '-') {
		all->current = find(all, name_of(line));
		return;
	}
	for (size_t i = 0; all->current && i < FIGURES; i++) {
		size_t length = strlen(keys[i]);

		if (strncmp(line, keys[i], length) == 0) {
			all->current->bytes[i] += 1024 * strtoull(line + length, NULL, 10);
		}
	}
}

/* Reads whole lines; the rest of one that is cut waits for the next piece. */
static bool add_file(struct mappings *all, int file)
{
	char text[LINE_BYTES];
	size_t kept = 0;

	for (;;) {
		ssize_t length = read(file, text + kept, sizeof(text) - 1 - kept);
		char *line = text;
		char *end;

		if (length <= 0) {
			return length == 0;
		}
		kept += (size_t)length;
		text[kept] = '\0';
		while ((end = strchr(line, '\n')) != NULL) {
			*end = '\0';
			add_line(all, line);
			line = end + 1;
		}
		kept -= (size_t)(line - text);
		if (kept == sizeof(text) - 1) {
			return false;
		}
		memmove(text, line, kept);
	}
}

/* Without control characters, and what is no ASCII as '?': a name of a file may be any bytes. */
static ERL_NIF_TERM make_name(ErlNifEnv *env, const char *name)
{
	size_t size = strlen(name) + 1;
	ERL_NIF_TERM term;
	unsigned char *bytes = enif_make_new_binary(env, size, &term);

	for (size_t i = 0; i + 1 < size; i++) {
		bytes[i] = name[i] >= ' ' && name[i] <= '~' ? (unsigned char)name[i] : '?';
	}
	bytes[size - 1] = '\0';
	return term;
}

static ERL_NIF_TERM make_mapping(ErlNifEnv *env, const struct mapping *mapping)
{
	ERL_NIF_TERM terms[1 + FIGURES];

	terms[0] = make_name(env, mapping->name);
	for (size_t i = 0; i < FIGURES; i++) {
		terms[1 + i] = enif_make_uint64(env, mapping->bytes[i]);
	}
	return enif_make_tuple_from_array(env, terms, 1 + FIGURES);
}

/* What it allocates is no block of the node's. */
ERL_NIF_TERM mappings_read(ErlNifEnv *env, bool is_by_name)
{
	int file = open(is_by_name ? "/proc/self/smaps" : "/proc/self/smaps_rollup",
			O_RDONLY | O_CLOEXEC);
	struct mappings *all = file < 0 ? NULL : calloc(1, sizeof(*all));
	ERL_NIF_TERM list = enif_make_list(env, 0);

	if (all) {
		for (size_t i = add_file(all, file) ? all->count : 0; i > 0; i--) {
			list = enif_make_list_cell(env, make_mapping(env, &all->list[i - 1]), list);
		}
		free(all);
	}
	if (file >= 0) {
		(void)close(file);
	}
	return list;
}
