/* SPDX-License-Identifier: MIT */
/*
 * The file of the rings.  Its pages are reserved before they are written, so that a /dev/shm that
 * is full later does no harm.  A lock of the process on it says that the process lives: the system
 * takes it away, and a child has none.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "rings_state.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

#define TMPFS_MAGIC 0x01021994

/* Files of processes that are dead are left to who loads their traces for so long. */
enum { LEFT_NS_PER_S = 1000000000, LEFT_S = 60 };

struct rings rings = { .mutex = PTHREAD_MUTEX_INITIALIZER };

static struct {
	/* -1: none. */
	int file;
	bool was_tried;
	const char *why;
	char name[sizeof(RING_FILE_FOLDER) + sizeof(RING_FILE_PREFIX) + 40];
} share = { .file = -1 };

bool rings_are_of_parent(void)
{
	return !__atomic_load_n(&rings.control->is_open, __ATOMIC_RELAXED);
}

static struct flock lock_of_all(short type)
{
	return (struct flock){ .l_type = type, .l_whence = SEEK_SET };
}

/* Whether a file is of this user, and of a process that has been dead for a while. */
static bool is_stale(int file)
{
	struct flock lock = lock_of_all(F_WRLCK);
	struct ring_file head = { .magic = 0 };
	struct stat about;
	uint64_t now_ns = ticks_of_clock();

	/* Not by fstat(), which the C library has made anew (old_glibc.h). */
	if (syscall(SYS_fstat, file, &about) != 0 || !S_ISREG(about.st_mode) ||
			about.st_uid != geteuid() || fcntl(file, F_GETLK, &lock) != 0 ||
			lock.l_type != F_UNLCK) {
		return false;
	}
	return pread(file, &head, sizeof(head), 0) != (ssize_t)sizeof(head) || head.is_open == 0 ||
			head.horizon_ns > now_ns ||
			now_ns - head.horizon_ns > (uint64_t)LEFT_S * LEFT_NS_PER_S;
}

static void remove_stale(void)
{
	int folder = open(RING_FILE_FOLDER, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = folder < 0 ? NULL : fdopendir(folder);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		int file;

		if (strncmp(entry->d_name, RING_FILE_PREFIX, strlen(RING_FILE_PREFIX)) != 0) {
			continue;
		}
		file = openat(folder, entry->d_name,
				O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (file < 0) {
			continue;
		}
		if (is_stale(file)) {
			(void)unlinkat(folder, entry->d_name, 0);
		}
		(void)close(file);
	}
	if (directory) {
		(void)closedir(directory);
	} else if (folder >= 0) {
		(void)close(folder);
	}
}

/* Writing behind such a limit would be the end of the process. */
static bool is_limited(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
			(limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes);
}

static uint64_t ring_bytes(void)
{
	return rings.bytes - RING_HEAD_BYTES;
}

static off_t place_of(const struct ring *ring)
{
	return RING_PAGE_BYTES + (off_t)((ring->number - 1) * ring_bytes());
}

/* NULL: share.file is open and named. */
static const char *open_file(uint64_t bytes)
{
	struct flock lock = lock_of_all(F_WRLCK);
	struct statfs about;

	if (sysconf(_SC_PAGESIZE) != RING_PAGE_BYTES) {
		return "pages have another size than 4096 bytes";
	}
	if (statfs(RING_FILE_FOLDER, &about) != 0 || about.f_type != TMPFS_MAGIC) {
		return "there is no " RING_FILE_FOLDER " in memory";
	}
	if (is_limited(bytes)) {
		return "the size of files is limited (RLIMIT_FSIZE)";
	}
	(void)snprintf(share.name, sizeof(share.name), "%s/%s%d-%llu", RING_FILE_FOLDER,
			RING_FILE_PREFIX, (int)getpid(), (unsigned long long)ticks_of_clock());
	share.file = open(share.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (share.file < 0) {
		return "no file can be made in " RING_FILE_FOLDER;
	}
	if (fcntl(share.file, F_SETLK, &lock) != 0 || ftruncate(share.file, (off_t)bytes) != 0 ||
			fallocate(share.file, 0, 0, RING_PAGE_BYTES) != 0) {
		return RING_FILE_FOLDER " is full";
	}
	return NULL;
}

static const char *make_file(void)
{
	const char *why = open_file(RING_PAGE_BYTES + RINGS_MOST * ring_bytes());
	struct ring_file *file = MAP_FAILED;

	if (!why) {
		file = mmap(NULL, RING_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, share.file,
				0);
	}
	if (file == MAP_FAILED) {
		if (share.file >= 0) {
			(void)unlink(share.name);
			(void)close(share.file);
			share.file = -1;
		}
		return why ? why : "the file in " RING_FILE_FOLDER " cannot be mapped";
	}
	file->version = RING_FILE_VERSION;
	file->pid = (uint32_t)getpid();
	file->slots = rings.options.slots;
	file->ring_bytes = ring_bytes();
	__atomic_store_n(&file->magic, RING_FILE_MAGIC, __ATOMIC_RELEASE);
	rings.file = file;
	return NULL;
}

const char *rings_make_file(void)
{
	if (!share.was_tried) {
		share.was_tried = true;
		remove_stale();
		share.why = make_file();
	}
	return share.why;
}

/* Others have their files in that folder as well, LTTng its buffers: half of it is for them. */
static bool has_room(uint64_t bytes)
{
	struct statfs about;

	return fstatfs(share.file, &about) == 0 &&
			(about.f_blocks == 0 ||
					about.f_bavail > about.f_blocks / 2 +
									bytes / (uint64_t)about.f_bsize);
}

bool rings_reserve(const struct ring *ring, uint64_t slots)
{
	uint64_t bytes = RING_PAGE_BYTES + slots * sizeof(struct ring_slot);
	int result;

	if (share.file < 0 || !has_room(bytes)) {
		return false;
	}
	do {
		result = fallocate(share.file, 0, place_of(ring), (off_t)bytes);
	} while (result != 0 && errno == EINTR);
	return result == 0;
}

bool rings_share(struct ring *ring, uint64_t slots)
{
	if (!rings_reserve(ring, slots)) {
		return false;
	}
	if (mmap((char *)ring + RING_HEAD_BYTES, ring_bytes(), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_FIXED, share.file, place_of(ring)) == MAP_FAILED) {
		return false;
	}
	ring->is_shared = true;
	ring_page(ring)->is_shared = 1;
	return true;
}

bool rings_unshare(struct ring *ring)
{
	struct ring_page page = *ring_page(ring);
	char *memory = (char *)ring + RING_HEAD_BYTES;

	if (mmap(memory, ring_bytes(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			    0) == MAP_FAILED) {
		return false;
	}
	(void)madvise(memory, ring_bytes(), MADV_WIPEONFORK);
	__atomic_fetch_add(&rings.file->unshared, 1, __ATOMIC_RELAXED);
	page.is_shared = 0;
	*ring_page(ring) = page;
	ring->is_shared = false;
	return true;
}

void rings_release(struct ring *ring)
{
	uint64_t bytes = (ring->own.mask + 1) * sizeof(struct ring_slot);

	if (!ring->is_shared) {
		(void)madvise(ring_slot_at(ring, 0), bytes, MADV_DONTNEED);
	} else if (mmap(ring_slot_at(ring, 0), rings.bytes - RING_SLOTS_AT, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
				   0) != MAP_FAILED) {
		/* Whoever writes now after all needs no page of a file that may be full. */
		(void)fallocate(share.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				place_of(ring) + RING_PAGE_BYTES, (off_t)bytes);
	}
}

void rings_end(void)
{
	if (rings.control && !rings_are_of_parent() && rings.file) {
		__atomic_store_n(&rings.file->is_open, 0, __ATOMIC_RELEASE);
		(void)unlink(share.name);
	}
}
