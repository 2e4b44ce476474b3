/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_index.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char kept[] = ".kept";
static const char kept_new[] = ".kept.new";

/* Borrowed from a line of the index. */
struct entry {
	int64_t bytes;
	int64_t ts_ns;
	const char *name;
};

static int open_folder(const char *folder)
{
	return open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* An own file that is no link; false: it is none, or not there. */
static bool look_at(int folder, const char *name, struct entry *ret_entry)
{
	struct stat about;

	if (fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode) ||
			about.st_uid != geteuid()) {
		return false;
	}
	*ret_entry = (struct entry){ .bytes = about.st_size,
		.ts_ns = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec,
		.name = name };
	return true;
}

static FILE *open_index(int folder, const char *name, int flags, const char *mode)
{
	int file = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC, 0600);
	FILE *stream = file >= 0 ? fdopen(file, mode) : NULL;

	if (file >= 0 && !stream) {
		(void)close(file);
	}
	return stream;
}

/* To be freed; NULL: there is none. */
static char *read_index(int folder)
{
	struct entry index;
	FILE *file = look_at(folder, kept, &index) ? open_index(folder, kept, O_RDONLY, "r") : NULL;
	char *text = file ? calloc(1, (size_t)index.bytes + 1) : NULL;

	if (text) {
		text[fread(text, 1, (size_t)index.bytes, file)] = '\0';
	}
	if (file) {
		(void)fclose(file);
	}
	return text;
}

/* "SIZE TIME_NS NAME": a name of this folder. */
static bool read_entry(char *line, struct entry *ret_entry)
{
	char *rest = NULL;

	ret_entry->bytes = strtoll(line, &rest, 10);
	ret_entry->ts_ns = strtoll(rest, &rest, 10);
	ret_entry->name = rest + 1;
	return *rest == ' ' && rest[1] != '\0' && rest[1] != '.' && !strchr(rest + 1, '/');
}

static bool is_database(const struct entry *entry)
{
	const char *dot = strrchr(entry->name, '.');

	return dot && strcmp(dot, ".db") == 0;
}

static void write_entry(FILE *file, const struct entry *entry)
{
	(void)fprintf(file, "%" PRId64 " %" PRId64 " %s\n", entry->bytes, entry->ts_ns,
			entry->name);
}

void keep_index_add(const char *folder, const char *name)
{
	int at = open_folder(folder);
	struct entry entry;
	FILE *file = at >= 0 && look_at(at, name, &entry)
			? open_index(at, kept, O_WRONLY | O_CREAT | O_APPEND, "a")
			: NULL;

	if (file) {
		write_entry(file, &entry);
		/* Else it is never removed. */
		(void)fclose(file);
	}
	if (at >= 0) {
		(void)close(at);
	}
}

static unsigned int count_databases(const char *index)
{
	unsigned int count = 0;
	char *copy = strdup(index);
	char *at = copy;
	struct entry entry;

	for (char *line; (line = strsep(&at, "\n"));) {
		count += read_entry(line, &entry) && is_database(&entry);
	}
	free(copy);
	return count;
}

static void remove_entry(int folder, const struct entry *entry)
{
	struct entry there;

	if (look_at(folder, entry->name, &there) && there.bytes == entry->bytes &&
			there.ts_ns == entry->ts_ns) {
		(void)unlinkat(folder, entry->name, 0);
	}
}

/* Up to the database that stays first, with what lies beside those before it. */
static void remove_oldest(int folder, char *index, unsigned int databases, FILE *rest)
{
	struct entry entry;
	bool is_old = true;

	for (char *line; (line = strsep(&index, "\n"));) {
		if (!read_entry(line, &entry)) {
			continue;
		}
		if (is_old && is_database(&entry)) {
			is_old = databases > 0;
			databases -= is_old;
		}
		if (is_old) {
			remove_entry(folder, &entry);
		} else {
			write_entry(rest, &entry);
		}
	}
}

void keep_index_prune(const char *folder, unsigned int most)
{
	int at = open_folder(folder);
	char *index = at >= 0 ? read_index(at) : NULL;
	unsigned int count = index ? count_databases(index) : 0;
	FILE *rest = NULL;

	if (count > most) {
		(void)unlinkat(at, kept_new, 0);
		rest = open_index(at, kept_new, O_WRONLY | O_CREAT | O_EXCL, "w");
	}
	if (rest) {
		remove_oldest(at, index, count - most, rest);
		if (fclose(rest) == 0) {
			(void)renameat(at, kept_new, at, kept);
		}
	}
	free(index);
	if (at >= 0) {
		(void)close(at);
	}
}
