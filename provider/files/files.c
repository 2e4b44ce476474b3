/*
 * SPDX-License-Identifier: MIT
 *
 * Making, opening and removing by descriptor, never by a name that may have changed its meaning.
 */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	DEFAULT_MODE = 0600,
	MOST_MODE = 0666,

	/* Folders within each other that are removed. */
	MOST_DEPTH = 32,

	/* Clocks of files and of processes tick apart. */
	CLOCK_SLACK_S = 2,
};

static mode_t mode_of_files = DEFAULT_MODE;

mode_t files_mode(void)
{
	return mode_of_files;
}

mode_t files_folder_mode(void)
{
	return 0700 | (mode_of_files & 0044) | (mode_of_files & 0044) >> 2;
}

void files_set_mode(mode_t mode)
{
	mode_of_files = mode;
}

void files_write_mode(char ret_text[static FILES_MODE_BYTES])
{
	(void)snprintf(ret_text, FILES_MODE_BYTES, "%04o",
			(unsigned int)(mode_of_files & MOST_MODE));
}

bool files_read_mode(const char *text, mode_t *ret_mode)
{
	size_t digits = strspn(text, "01234567");
	unsigned long mode = strtoul(text, NULL, 8);

	if (text[digits] || digits < 3 || digits > 4 || (mode & ~(unsigned long)MOST_MODE) != 0 ||
			(mode & DEFAULT_MODE) != DEFAULT_MODE) {
		return false;
	}

	*ret_mode = (mode_t)mode;
	return true;
}

int files_create(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, DEFAULT_MODE);

	if (fd >= 0) {
		(void)fchmod(fd, mode_of_files);
	}

	return fd;
}

int files_make_folder(const char *path)
{
	if (mkdir(path, 0700) != 0) {
		return -1;
	}

	/* Not followed: it was made just now, and only its owner can change what the name means. */
	return fchmodat(AT_FDCWD, path, files_folder_mode(), 0);
}

bool files_is_own_folder(const char *path, mode_t forbidden)
{
	struct stat folder;

	return lstat(path, &folder) == 0 && S_ISDIR(folder.st_mode) && folder.st_uid == geteuid() &&
			(folder.st_mode & forbidden) == 0;
}

enum csc_status files_use_folder(const char *path, struct diag *diag)
{
	if (files_make_folder(path) == 0) {
		return CSC_OK;
	}
	if (errno == EEXIST && files_is_own_folder(path, FILES_OTHERS_WRITE)) {
		return CSC_OK;
	}

	return errno == EEXIST
			? DIAG_FAIL(diag, "cannot write in '%s': it is no folder of this user's in which nobody else may write; remove it",
					  path)
			: DIAG_FAIL(diag, "cannot make the folder '%s': %s", path, strerror(errno));
}

static const char *why_foreign(const struct stat *file)
{
	if (S_ISLNK(file->st_mode)) {
		return "is a link";
	}
	if (!S_ISREG(file->st_mode)) {
		return "is not a regular file";
	}
	if (file->st_uid != geteuid()) {
		return "belongs to another user";
	}

	return file->st_nlink > 1 ? "has a second name (a hard link)" : NULL;
}

const char *files_why_foreign(const char *path)
{
	struct stat file;

	if (lstat(path, &file) != 0) {
		return errno == ENOENT ? NULL : "cannot be looked at";
	}

	return why_foreign(&file);
}

enum csc_status files_open_own(const char *path, int flags, int *ret_fd, struct diag *diag)
{
	int fd = files_create(path);
	const char *why = NULL;
	struct stat file;

	if (fd >= 0) {
		*ret_fd = fd;
		return CSC_OK;
	}

	if (errno == EEXIST) {
		/* Emptied only when it is known whose it is. */
		fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | (flags & O_APPEND));
		why = fd < 0				? files_why_foreign(path)
				: fstat(fd, &file) != 0 ? "cannot be looked at"
							: why_foreign(&file);
	}

	if (!why && fd >= 0 && (flags & O_TRUNC) && ftruncate(fd, 0) != 0) {
		why = strerror(errno);
	}

	if (why || fd < 0) {
		(void)DIAG_FAIL(diag, "cannot write '%s': %s%s", path, why ? "it " : "",
				why ? why : strerror(errno));
		if (fd >= 0) {
			(void)close(fd);
		}

		return CSC_ERROR;
	}

	*ret_fd = fd;
	return CSC_OK;
}

/* A field of /proc/PID/stat by its number in proc(5), 3 or more; `name_end`: of the second. */
static const char *find_field(const char *name_end, int number)
{
	for (int at = 2; name_end && at < number; at++) {
		name_end = strchr(name_end + 1, ' ');
	}

	return name_end ? name_end + 1 : "";
}

unsigned long long files_process_start(pid_t process)
{
	enum { FIELD_STATE = 3, FIELD_START = 22 };
	char path[64];
	char line[1024] = "";
	const char *name_end;
	char state;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)process);
	file = fopen(path, "re");
	if (!file) {
		return 0;
	}

	/* The name, in parentheses, may hold anything. */
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	(void)fclose(file);
	name_end = strrchr(line, ')');
	state = *find_field(name_end, FIELD_STATE);
	return state == '\0' || state == 'Z' || state == 'X'
			? 0
			: strtoull(find_field(name_end, FIELD_START), NULL, 10);
}

bool files_is_writer_dead(pid_t writer, const struct stat *file)
{
	unsigned long long start = files_process_start(writer);
	long ticks_per_s = sysconf(_SC_CLK_TCK);
	struct timespec now;
	struct timespec up;

	if (start == 0) {
		/* Without /proc nothing is known. */
		return files_process_start(getpid()) != 0;
	}

	if (ticks_per_s <= 0 || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
			clock_gettime(CLOCK_BOOTTIME, &up) != 0) {
		return false;
	}

	return now.tv_sec - up.tv_sec + (time_t)(start / (unsigned long long)ticks_per_s) >
			file->st_mtim.tv_sec + CLOCK_SLACK_S;
}

/* NOLINTNEXTLINE(misc-no-recursion): not deeper than MOST_DEPTH. */
static void remove_at(int folder, const char *name, int depth)
{
	int fd = -1;
	DIR *directory = NULL;
	const struct dirent *entry;

	if (unlinkat(folder, name, 0) == 0 || depth >= MOST_DEPTH) {
		return;
	}

	fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	directory = fd >= 0 ? fdopendir(fd) : NULL;
	while (directory && (entry = readdir(directory))) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			remove_at(fd, entry->d_name, depth + 1);
		}
	}

	if (directory) {
		(void)closedir(directory);
	} else if (fd >= 0) {
		(void)close(fd);
	}

	(void)unlinkat(folder, name, AT_REMOVEDIR);
}

void files_remove_tree(const char *path)
{
	enum { TRIALS = 5 };
	struct stat file;

	/* A process that still writes into it may make one file more. */
	for (int i = 0; i < TRIALS && lstat(path, &file) == 0; i++) {
		remove_at(AT_FDCWD, path, 0);
	}
}
