/*
 * SPDX-License-Identifier: MIT
 *
 * A stream that shows at its end whether all was written; a file has its name only then, and none
 * before, where the file system can do that: who is killed leaves nothing.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "guard.h"

/* The working file, for the handler; NULL: none. */
static char *volatile unfinished;

/* Leaves no working file behind. */
static void handle(int number)
{
	if (unfinished) {
		(void)unlink(unfinished);
	}

	/* SA_RESETHAND: it has the default action now. */
	(void)raise(number);
}

static void watch_signals(void)
{
	static const int numbers[] = { SIGHUP, SIGINT, SIGTERM };
	struct sigaction action = { 0 };

	action.sa_handler = handle;
	action.sa_flags = (int)SA_RESETHAND;
	(void)sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sigaction before;

		/* Who ignores it, as nohup does, goes on to. */
		if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
			(void)sigaction(numbers[i], &action, NULL);
		}
	}
}

static void remove_working(const struct output *output)
{
	if (output->working_path) {
		(void)unlink(output->working_path);
	}
}

static void forget_paths(struct output *output)
{
	unfinished = NULL;
	free(output->working_path);
	free(output->final_path);
	output->working_path = NULL;
	output->final_path = NULL;
}

/* The names that a file may have for a moment, or until it is whole. */
static bool name_working(struct output *output, unsigned int number)
{
	char *name = NULL;
	int length = asprintf(&name, number == 0 ? "%s.partial-%ld" : "%s.partial-%ld.%u",
			output->final_path, (long)getpid(), number);

	free(output->working_path);
	output->working_path = length < 0 ? NULL : name;
	return output->working_path != NULL;
}

/* A file without a name; -1: the file system, or without /proc nobody, can give it one later. */
static int open_nameless(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	int fd = folder && access("/proc/self/fd", F_OK) == 0
			? open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666)
			: -1;

	free(folder);
	return fd;
}

/* What others put under such a name, or a killed process of this number left, stays. */
static int open_named(struct output *output)
{
	int fd = -1;

	for (unsigned int number = 0; fd < 0 && name_working(output, number); number++) {
		fd = open(output->working_path,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST) {
			break;
		}
	}

	return fd;
}

/* Gives a file that has none the name; -1: see errno. */
static int link_nameless(int fd, const char *name)
{
	char path[48];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* The same, if it has none yet, for a moment: a link replaces no file. */
static enum csc_status link_working(struct output *output, int fd)
{
	int result = -1;

	for (unsigned int number = 0; result != 0 && name_working(output, number); number++) {
		result = link_nameless(fd, output->working_path);
		if (result != 0 && errno != EEXIST) {
			break;
		}
	}

	if (result != 0) {
		free(output->working_path);
		output->working_path = NULL;
		return CSC_ERROR;
	}

	unfinished = output->working_path;
	return CSC_OK;
}

/* Opens a new file beside the one that is meant; `existing` may be NULL. */
static enum csc_status open_working(
		struct output *output, const struct stat *existing, struct diag *diag)
{
	int fd;

	/* A link stays one. */
	output->final_path = existing ? realpath(output->path, NULL) : strdup(output->path);
	if (!output->final_path) {
		return DIAG_NO_MEMORY(diag);
	}

	fd = open_nameless(output->final_path);
	if (fd < 0) {
		/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): output_close() frees it */
		fd = open_named(output);
	}
	if (fd >= 0) {
		unfinished = output->working_path;
		watch_signals();
		if (existing) {
			(void)fchmod(fd, existing->st_mode & 0777);
		}
		output->stream = fdopen(fd, "w");
	}

	if (fd < 0 || !output->stream) {
		enum csc_status status = DIAG_FAIL(
				diag, "cannot write '%s': %s", output->path, strerror(errno));

		if (fd >= 0) {
			(void)close(fd);
			remove_working(output);
		}

		forget_paths(output);
		return status;
	}

	return CSC_OK;
}

enum csc_status output_open(const char *path, bool is_forced, const char *input,
		struct output *ret_output, struct diag *diag)
{
	struct output output = { .stream = stdout, .is_forced = is_forced };
	enum csc_status status = CSC_OK;

	if (path && strcmp(path, "-") != 0) {
		struct stat file;
		struct stat read;
		struct stat link;
		bool is_there = stat(path, &file) == 0;

		output.path = path;
		if (!is_there && !is_forced && lstat(path, &link) == 0) {
			return DIAG_FAIL(diag,
					"cannot write '%s': it is a link that leads nowhere; remove it, or use --force to replace it",
					path);
		}

		if (is_there && input && stat(input, &read) == 0 && read.st_dev == file.st_dev &&
				read.st_ino == file.st_ino) {
			return DIAG_FAIL(diag, "cannot write '%s': it is the database to read",
					path);
		}

		if (is_there && S_ISREG(file.st_mode) && !is_forced) {
			return DIAG_FAIL(diag,
					"cannot write '%s': it exists; use --force to replace it",
					path);
		}

		if (!is_there || S_ISREG(file.st_mode)) {
			status = open_working(&output, is_there ? &file : NULL, diag);
		} else if (!(output.stream = fopen(path, "we"))) {
			status = DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
		}
	}

	if (status == CSC_OK) {
		*ret_output = output;
	}

	return status;
}

/* Gives the file, which is still open, its name. */
static enum csc_status publish(struct output *output, int fd, struct diag *diag)
{
	int result;

	if (!output->working_path && !output->is_forced) {
		result = link_nameless(fd, output->final_path);
	} else if (!output->working_path && link_working(output, fd) != CSC_OK) {
		result = -1;
	} else if (output->is_forced) {
		result = rename(output->working_path, output->final_path);
	} else {
		result = renameat2(AT_FDCWD, output->working_path, AT_FDCWD, output->final_path,
				RENAME_NOREPLACE);
		if (result != 0 && errno == EINVAL) {
			/* A file system that cannot check: it was not there when we began. */
			result = rename(output->working_path, output->final_path);
		}
	}

	return result == 0
			? CSC_OK
			: DIAG_FAIL(diag, "cannot write '%s': %s", output->path, strerror(errno));
}

/* Gives a file its name if it is whole. */
static enum csc_status close_output(struct output *output, bool is_whole, struct diag *diag)
{
	bool has_failed = ferror(output->stream) != 0;
	int fd;
	enum csc_status status = CSC_OK;

	errno = 0;
	has_failed = fflush(output->stream) != 0 || has_failed;
	if (!output->path) {
		if (!has_failed) {
			return CSC_OK;
		}

		if (errno == EPIPE) {
			/* Nobody listens: go quietly. */
			_exit(EXIT_FAILED);
		}

		clearerr(stdout);
		return DIAG_FAIL(diag, "cannot write standard output: %s",
				errno ? strerror(errno) : "not all of it was taken");
	}

	if (has_failed) {
		status = DIAG_FAIL(diag, "cannot write '%s': %s", output->path,
				errno ? strerror(errno) : "not all of it was taken");
	}

	/* Closed before it has its name: what has no room some file systems say only then. */
	fd = dup(fileno(output->stream));
	if ((fclose(output->stream) != 0 || fd < 0) && !has_failed) {
		status = DIAG_FAIL(diag, "cannot write '%s': %s", output->path, strerror(errno));
	}

	if (output->final_path && status == CSC_OK && is_whole) {
		status = publish(output, fd, diag);
	}

	if (status != CSC_OK || !is_whole) {
		remove_working(output);
	}

	if (fd >= 0) {
		(void)close(fd);
	}

	forget_paths(output);

	return status;
}

enum csc_status output_close(struct output *output, enum csc_status status, struct diag *diag)
{
	enum csc_status closed;

	if (status == CSC_OK && guard_has_ended()) {
		status = DIAG_FAIL(diag, "cannot read the database: " GUARD_ENDED);
	}

	closed = close_output(output, status == CSC_OK, diag);

	return status == CSC_OK ? closed : status;
}
