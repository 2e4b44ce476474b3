/*
 * SPDX-License-Identifier: MIT
 *
 * What a process of ours leaves if it is killed, written down before it makes any of it: a file
 * ~/.carrierscope/MARK, beside LTTng's own folder ($LTTNG_HOME), else in /tmp/.carrierscope-UID.
 * Its process locks it as long as it lives, and removes it at its end.
 */
#ifndef CSC_NOTE_H
#define CSC_NOTE_H

#include <stdbool.h>
#include <sys/types.h>

#include "mark.h"

enum { NOTE_PATH_BYTES = 400 };

enum note_kind {
	/* Nothing but the note and its home. */
	NOTE_ASKS = 'a',
	NOTE_RECORDS = 'r',

	/* A keeper with its ring in memory; with parts on disk. */
	NOTE_KEEPS_RING = 'k',
	NOTE_KEEPS_PARTS = 'p'
};

struct note {
	char kind;
	char mark[MARK_BYTES];
	/* As it was asked for. */
	char node[256];

	/* The database that is to be made, or the keeper's folder; absolute. */
	char target[NOTE_PATH_BYTES];

	/* The trace that is left, if there is one; absolute. */
	char trace[NOTE_PATH_BYTES];

	/* The note's file, empty: it is not written; locked, -1: it is not. */
	char path[NOTE_PATH_BYTES];
	int lock;
};

/*
 * Writes the note of this process; its kind and what follows from it are filled in, except the
 * mark, which is set.  Without a folder there is no note; the recording goes on.
 */
void note_begin(struct note *note);

/* A folder for files that only a program of ours reads, which ends with the note; it is not made
 * yet.  False: there is no note. */
bool note_home(const struct note *note, char *ret_path, size_t bytes);

/* Removes it. */
void note_end_home(const struct note *note);

/* All is ended: removes the note, its home, and the folder of notes if it is empty. */
void note_end(struct note *note);

/* Visits each note of a dead process, locked; one that somebody else visits is waited for, for 10 s
 * at most, and left out then.  `visit` may end it. */
void note_each_dead(void (*visit)(struct note *note, void *context), void *context);

#endif
