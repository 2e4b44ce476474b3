/*
 * SPDX-License-Identifier: MIT
 *
 * Preloaded into a program, it kills that program at the n-th time that it changes a file
 * through the calls that SQLite uses: CSC_KILL_AT=n (from 1), as kill -9 would.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static void count(void)
{
	static atomic_long changes;
	const char *text = getenv("CSC_KILL_AT");

	if (text && atomic_fetch_add(&changes, 1) + 1 == strtol(text, NULL, 10)) {
		(void)kill(getpid(), SIGKILL);
	}
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
	static ssize_t (*below)(int, const void *, size_t, off64_t);

	if (!below) {
		*(void **)&below = dlsym(RTLD_NEXT, "pwrite64");
	}

	count();
	return below(fd, bytes, size, offset);
}

int fdatasync(int fd)
{
	static int (*below)(int);

	if (!below) {
		*(void **)&below = dlsym(RTLD_NEXT, "fdatasync");
	}

	count();
	return below(fd);
}

int unlink(const char *path)
{
	static int (*below)(const char *);

	if (!below) {
		*(void **)&below = dlsym(RTLD_NEXT, "unlink");
	}

	count();
	return below(path);
}
