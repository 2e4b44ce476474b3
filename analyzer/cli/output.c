/*
 * SPDX-License-Identifier: MIT
 *
 * A stream that shows at its end whether all was written; a file has its name only then.
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

static void forget_paths(struct output *output)
{
	unfinished = NULL;
	free(output->working_path);
	free(output->final_path);
	output->working_path = NULL;
	output->final_path = NULL;
}

/* Opens a new file beside the one that is meant; `existing` may be NULL. */
static enum csc_status open_working(
		struct output *output, const struct stat *existing, struct diag *diag)
{
	int fd;

	/* A link stays one. */
	output->final_path = existing ? realpath(output->path, NULL) : strdup(output->path);
	if (!output->final_path ||
			asprintf(&output->working_path, "%s.partial-%ld", output->final_path,
					(long)getpid()) < 0) {
		output->working_path = NULL;
		forget_paths(output);
		return DIAG_NO_MEMORY(diag);
	}

	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): output_close() frees it */
	fd = open(output->working_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
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
			(void)unlink(output->working_path);
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

/* Gives the working file its name. */
static enum csc_status publish(const struct output *output, struct diag *diag)
{
	int result;

	if (output->is_forced) {
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

	if (fclose(output->stream) != 0 && !has_failed) {
		status = DIAG_FAIL(diag, "cannot write '%s': %s", output->path, strerror(errno));
	}

	if (output->working_path) {
		if (status == CSC_OK && is_whole) {
			status = publish(output, diag);
		}

		if (status != CSC_OK || !is_whole) {
			(void)unlink(output->working_path);
		}

		forget_paths(output);
	}

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
