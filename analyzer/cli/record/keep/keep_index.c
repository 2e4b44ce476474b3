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

#include "files.h"

/* Longer than a folder of keep_ring.h with a name of ours. */
enum { NAME_BYTES = 512 };

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

/* A file of this user's with no other name; NULL: it is none, or cannot be made. */
static FILE *open_index(const char *folder, const char *name, int flags, const char *mode)
{
	char path[NAME_BYTES];
	struct diag ignored = { 0 };
	FILE *stream = NULL;
	int file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (files_open_own(path, flags, &file, &ignored) == CSC_OK) {
		stream = fdopen(file, mode);
		if (!stream) {
			(void)close(file);
		}
	}
	return stream;
}

/* To be freed; NULL: there is none. */
static char *read_index(const char *folder)
{
	FILE *file = open_index(folder, kept, 0, "r");
	char *text = NULL;
	size_t room = 0;

	if (file && getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = NULL;
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
	FILE *file = at >= 0 && look_at(at, name, &entry) ? open_index(folder, kept, O_APPEND, "a")
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
	char *index = at >= 0 ? read_index(folder) : NULL;
	unsigned int count = index ? count_databases(index) : 0;
	FILE *rest = NULL;

	if (count > most) {
		rest = open_index(folder, kept_new, O_TRUNC, "w");
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
