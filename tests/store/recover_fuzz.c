/*
 * SPDX-License-Identifier: MIT
 *
 * A database with bytes changed, with any journal, log and leftovers beside it: reading changes
 * nothing, and neither reading, recovering nor clearing up changes a file of somebody else.
 *
 * Input: a byte of flags (enum beside), then changes of four bytes each: which file and where (a
 * byte and two), and the byte that goes there.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "guard.h"
#include "schema_image.h"
#include "store_file.h"
#include "store_recover.h"

enum beside {
	BESIDE_JOURNAL = 1,
	BESIDE_SUPER = 2,
	BESIDE_LOG = 4,
	BESIDE_LINK = 8,
	BESIDE_PARTIAL = 16,
	BESIDE_INDEX = 32,
};

enum { CHANGE_BYTES = 4, CHANGES_MOST = 200, PAGE = 4096 };

static char folder[] = "/tmp/csc_recover_fuzz_XXXXXX";
static char canary[64];

static void write_file(const char *name, const void *bytes, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd) != 0) {
		abort();
	}
}

static void clear(void)
{
	files_remove_tree(folder);
	if (mkdir(folder, 0700) != 0 || chdir(folder) != 0) {
		abort();
	}

	write_file(canary, "canary", 6);
}

static void remove_folder(void)
{
	files_remove_tree(folder);
	(void)unlink(canary);
}

static void set_up(void)
{
	if (!mkdtemp(folder)) {
		abort();
	}

	(void)snprintf(canary, sizeof(canary), "%s.canary", folder);
	(void)atexit(remove_folder);
}

static void store_number(unsigned char *at, uint32_t number)
{
	for (int i = 0; i < 4; i++) {
		at[i] = (unsigned char)(number >> (24 - 8 * i));
	}
}

/* A journal that puts the first page back, and, of a super-journal, names the canary. */
static size_t make_journal(unsigned char *ret_bytes, const unsigned char *image, bool is_super)
{
	static const unsigned char magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	uint32_t sum = 0;
	size_t size = 512;

	memset(ret_bytes, 0, 512);
	memcpy(ret_bytes, magic, sizeof(magic));
	store_number(ret_bytes + 8, 1);
	store_number(ret_bytes + 16, (uint32_t)(schema_image_bytes / PAGE));
	store_number(ret_bytes + 20, 512);
	store_number(ret_bytes + 24, PAGE);
	for (int at = PAGE - 200; at > 0; at -= 200) {
		sum += image[at];
	}
	store_number(ret_bytes + size, 1);
	memcpy(ret_bytes + size + 4, image, PAGE);
	store_number(ret_bytes + size + 4 + PAGE, sum);
	size += PAGE + 8;
	if (is_super) {
		sum = 0;
		store_number(ret_bytes + size, 0x40000000 / PAGE + 1);
		memcpy(ret_bytes + size + 4, canary, strlen(canary));
		for (const char *at = canary; *at; at++) {
			sum += (unsigned char)*at;
		}
		size += 4 + strlen(canary);
		store_number(ret_bytes + size, (uint32_t)strlen(canary));
		store_number(ret_bytes + size + 4, sum);
		memcpy(ret_bytes + size + 8, magic, sizeof(magic));
		size += 16;
	}

	return size;
}

static void make_files(int flags)
{
	static unsigned char image[4 << 20];
	static unsigned char bytes[3 * PAGE];
	size_t size;

	if (schema_image_bytes > sizeof(image)) {
		abort();
	}
	memcpy(image, schema_image, schema_image_bytes);
	write_file("x.db", image, schema_image_bytes);
	size = make_journal(bytes, image, (flags & BESIDE_SUPER) != 0);
	if (flags & (BESIDE_JOURNAL | BESIDE_SUPER)) {
		write_file("x.db-journal", bytes, size);
	}
	if (flags & BESIDE_LOG) {
		memset(bytes, 0, 32);
		store_number(bytes, 0x377f0682);
		store_number(bytes + 4, 3007000);
		store_number(bytes + 8, PAGE);
		write_file("x.db-wal", bytes, sizeof(bytes));
	}
	if (flags & BESIDE_INDEX) {
		write_file("x.db-shm", image, 32768);
	}
	if (flags & BESIDE_LINK) {
		(void)symlink(canary, "x.db-wal");
		(void)symlink(canary, "x.db-journal");
		(void)symlink(canary, "x.db.partial-4194303");
		(void)symlink(canary, "x.db.salvage-4194303");
	}
	if (flags & BESIDE_PARTIAL) {
		write_file("y.db.partial-4194303", bytes, size);
	}
}

static void change(const uint8_t *at, size_t count)
{
	static const char *const names[] = { "x.db", "x.db-journal", "x.db-wal", "x.db-shm",
		"y.db.partial-4194303" };

	for (; count > 0; count--, at += CHANGE_BYTES) {
		int fd = open(names[at[0] % 5], O_WRONLY | O_NOFOLLOW | O_CLOEXEC);

		if (fd >= 0) {
			(void)!pwrite(fd, at + 3, 1, (off_t)at[1] << 8 | at[2]);
			(void)close(fd);
		}
	}
}

static void check_canary(void)
{
	char text[8] = "";
	int fd = open(canary, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, text, sizeof(text)) != 6 || memcmp(text, "canary", 6) != 0) {
		abort();
	}
	(void)close(fd);
}

static void read_all(void)
{
	struct stat before;
	struct stat after;
	struct diag diag = { 0 };
	sqlite3 *db = NULL;

	if (stat("x.db", &before) != 0) {
		abort();
	}
	if (guard_open("x.db", GUARD_READ, &db, &diag) == CSC_OK) {
		(void)sqlite3_exec(db,
				"SELECT count(*) FROM sqlite_schema; SELECT * FROM source;"
				"SELECT * FROM view_doc; SELECT * FROM figure",
				NULL, NULL, NULL);
		(void)sqlite3_exec(db, "DELETE FROM source", NULL, NULL, NULL);
		(void)sqlite3_close(db);
	}
	if (stat("x.db", &after) != 0 ||
			memcmp(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim)) != 0 ||
			before.st_size != after.st_size) {
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum store_recovery recovery;
	struct diag diag = { 0 };
	size_t count;

	if (size < 1) {
		return 0;
	}
	if (!canary[0]) {
		set_up();
	}

	count = (size - 1) / CHANGE_BYTES;
	clear();
	make_files(data[0]);
	change(data + 1, count < CHANGES_MOST ? count : CHANGES_MOST);
	read_all();
	check_canary();
	(void)store_recover("x.db", &recovery, &diag);
	store_remove_unfinished("x.db", false);
	check_canary();
	read_all();
	return 0;
}
