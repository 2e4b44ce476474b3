/*
 * SPDX-License-Identifier: MIT
 *
 * A stream that tells at its end whether all was written.
 */
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

enum csc_status target_open(
		const char *path, bool is_forced, struct target *ret_target, struct diag *diag)
{
	struct target target = { .stream = stdout };
	struct stat file;

	if (path && strcmp(path, "-") != 0) {
		target.path = path;
		target.is_new = stat(path, &file) != 0;
		if (!target.is_new && S_ISREG(file.st_mode) && !is_forced) {
			return DIAG_FAIL(diag,
					"cannot write '%s': it exists; use --force to replace it",
					path);
		}

		target.stream = fopen(path, "we");
		if (!target.stream) {
			return DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
		}
	}

	*ret_target = target;
	return CSC_OK;
}

enum csc_status target_close(struct target *target, struct diag *diag)
{
	bool has_failed = ferror(target->stream) != 0;

	errno = 0;
	has_failed = fflush(target->stream) != 0 || has_failed;
	if (!target->path) {
		if (!has_failed) {
			return CSC_OK;
		}

		if (errno == EPIPE) {
			/* Nobody listens: go quietly. */
			_exit(EXIT_FAILED);
		}

		clearerr(stdout);
		return DIAG_FAIL(diag, "cannot write standard output: %s",
				strerror(errno ? errno : EIO));
	}

	if (has_failed) {
		(void)DIAG_FAIL(diag, "cannot write '%s': %s", target->path,
				strerror(errno ? errno : EIO));
	}

	if (fclose(target->stream) != 0 && !has_failed) {
		has_failed = true;
		(void)DIAG_FAIL(diag, "cannot write '%s': %s", target->path, strerror(errno));
	}

	if (has_failed && target->is_new) {
		(void)unlink(target->path);
	}

	return has_failed ? CSC_ERROR : CSC_OK;
}
