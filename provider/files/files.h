/*
 * SPDX-License-Identifier: MIT
 *
 * Files and folders that we make, and those that we may remove: what somebody else
 * put there is never followed, written to or removed.
 */
#ifndef CSC_FILES_H
#define CSC_FILES_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "diag.h"

/*
 * Rights of files that hold what was recorded: 0600 until files_set_mode().  Who may read
 * a file may enter a folder; nobody else writes in one.  The umask does not count.  Set before
 * threads begin.
 */
mode_t files_mode(void);
mode_t files_folder_mode(void);
void files_set_mode(mode_t mode);

/* Rights as chmod(1) has them, for a command of ours that is run. */
enum { FILES_MODE_BYTES = 8 };
void files_write_mode(char ret_text[static FILES_MODE_BYTES]);

/* Reads three or four octal digits that at least let the owner read and write, and nobody run. */
bool files_read_mode(const char *text, mode_t *ret_mode);

/* Makes a file that was not there, open for reading and writing.  -1: see errno. */
int files_create(const char *path);

/*
 * Opens a file of ours to write to it, or makes it.  `flags`: 0, O_APPEND or O_TRUNC.
 * Errors: there is something that is a link, no plain file, of another user, or has a
 * second name.
 */
enum csc_status files_open_own(const char *path, int flags, int *ret_fd, struct diag *diag);

/* Makes a folder that was not there.  -1: see errno. */
int files_make_folder(const char *path);

/* Whether this is a folder of the caller's, no link to one, without any of the forbidden rights. */
enum { FILES_OTHERS_WRITE = 0022, FILES_OTHERS_ENTER = 0077 };
bool files_is_own_folder(const char *path, mode_t forbidden);

/*
 * Makes a folder, or uses one that is there.  Errors: it is a link, of another user, or others may
 * write in it.
 */
enum csc_status files_use_folder(const char *path, struct diag *diag);

/*
 * Why what has this name is nothing of ours that may be written to or removed ("is a link");
 * NULL: it is a plain file of the caller's with one name, or there is nothing.
 */
const char *files_why_foreign(const char *path);

/*
 * Whether the process that wrote a file last, whose id its name has, is no more: there is
 * none of this number, it is a zombie, or it began after the file was last changed.
 */
bool files_is_writer_dead(pid_t writer, const struct stat *file);

/*
 * When a process began, in ticks since the machine started, as proc(5) has it; with the
 * process id it names one process.  0: there is none, it is a zombie, or it cannot be seen.
 */
unsigned long long files_process_start(pid_t process);

/* Removes a folder with all in it; links are removed, not followed.  Best effort. */
void files_remove_tree(const char *path);

#endif
