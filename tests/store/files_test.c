/*
 * SPDX-License-Identifier: MIT
 *
 * What is made and opened is ours, whatever lies there.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "files.h"

static char folder[] = "/tmp/csc_files_test_XXXXXX";

static int enter_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
	struct stat file;

	(void)state;
	files_remove_tree(folder);
	return lstat(folder, &file) != 0 ? 0 : -1;
}

static mode_t mode_of(const char *path)
{
	struct stat file;

	assert_int_equal(stat(path, &file), 0);
	return file.st_mode & 07777;
}

static void test_modes_are_those_asked_for_whatever_the_umask_is(void **state)
{
	mode_t before = umask(0);
	mode_t mode = 0;
	int fd = files_create("default");

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	assert_int_equal(mode_of("default"), 0600);
	assert_int_equal(files_make_folder("folder"), 0);
	assert_int_equal(mode_of("folder"), 0700);
	(void)umask(077);
	assert_true(files_read_mode("0640", &mode));
	files_set_mode(mode);
	fd = files_create("group");
	(void)close(fd);
	assert_int_equal(mode_of("group"), 0640);
	assert_int_equal(files_make_folder("group-folder"), 0);
	assert_int_equal(mode_of("group-folder"), 0750);
	files_set_mode(0600);
	assert_false(files_read_mode("755", &mode));
	assert_false(files_read_mode("444", &mode));
	assert_false(files_read_mode("60", &mode));
	assert_false(files_read_mode("00600", &mode));
	assert_false(files_read_mode("0x180", &mode));
	assert_false(files_read_mode("", &mode));
	(void)umask(before);
}

static void test_what_lies_there_is_not_written_to(void **state)
{
	static const char *const names[] = { "link", "dangling", "hard", "pipe" };
	struct diag diag = { 0 };
	char text[16] = "";
	int fd = files_create("theirs");

	(void)state;
	assert_int_equal(write(fd, "theirs", 6), 6);
	assert_int_equal(symlink("theirs", "link"), 0);
	assert_int_equal(symlink("nothing", "dangling"), 0);
	assert_int_equal(link("theirs", "hard"), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int opened = -1;

		assert_int_equal(files_create(names[i]), -1);
		assert_int_equal(errno, EEXIST);
		memset(&diag, 0, sizeof(diag));
		assert_int_equal(files_open_own(names[i], O_TRUNC, &opened, &diag), CSC_ERROR);
		assert_non_null(strstr(diag.text, names[i]));
	}

	assert_int_equal(access("nothing", F_OK), -1);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	(void)close(fd);
}

static void test_an_own_file_is_emptied_or_appended_to(void **state)
{
	struct diag diag = { 0 };
	char text[16] = "";
	int fd = -1;

	(void)state;
	assert_int_equal(files_open_own("own", 0, &fd, &diag), CSC_OK);
	assert_int_equal(write(fd, "one", 3), 3);
	(void)close(fd);
	assert_int_equal(files_open_own("own", O_APPEND, &fd, &diag), CSC_OK);
	assert_int_equal(write(fd, "two", 3), 3);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "onetwo");
	(void)close(fd);
	assert_int_equal(files_open_own("own", O_TRUNC, &fd, &diag), CSC_OK);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 0);
	(void)close(fd);
}

static void test_a_writer_is_dead_if_gone_a_zombie_or_younger_than_its_file(void **state)
{
	const struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat file;
	pid_t child;

	(void)state;
	(void)close(files_create("new"));
	assert_int_equal(stat("new", &file), 0);
	assert_false(files_is_writer_dead(getpid(), &file));
	assert_true(files_process_start(getpid()) > 0);

	assert_int_equal(utimensat(AT_FDCWD, "new", long_ago, 0), 0);
	assert_int_equal(stat("new", &file), 0);
	assert_true(files_is_writer_dead(getpid(), &file));

	child = fork();
	if (child == 0) {
		_exit(0);
	}
	assert_int_equal(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT), 0);
	assert_true(files_process_start(child) == 0);
	assert_true(files_is_writer_dead(child, &file));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(files_is_writer_dead(child, &file));
}

static void test_a_tree_is_removed_and_what_its_links_lead_to_stays(void **state)
{
	(void)state;
	assert_int_equal(mkdir("kept", 0700), 0);
	(void)close(files_create("kept/file"));
	assert_int_equal(mkdir("tree", 0700), 0);
	assert_int_equal(mkdir("tree/below", 0700), 0);
	assert_int_equal(symlink("../../kept", "tree/below/link"), 0);
	(void)close(files_create("tree/below/file"));
	files_remove_tree("tree");
	assert_int_equal(access("tree", F_OK), -1);
	assert_int_equal(access("kept/file", F_OK), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_modes_are_those_asked_for_whatever_the_umask_is),
		cmocka_unit_test(test_what_lies_there_is_not_written_to),
		cmocka_unit_test(test_an_own_file_is_emptied_or_appended_to),
		cmocka_unit_test(test_a_writer_is_dead_if_gone_a_zombie_or_younger_than_its_file),
		cmocka_unit_test(test_a_tree_is_removed_and_what_its_links_lead_to_stays),
	};

	return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}
