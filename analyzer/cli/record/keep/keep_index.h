/*
 * SPDX-License-Identifier: MIT
 *
 * What keepers of a folder wrote into it: its file `.kept` has a line "SIZE TIME_NS NAME" for each
 * file, the oldest first.  Only what is in it, and is as it was written, is ever removed.
 */
#ifndef CSC_KEEP_INDEX_H
#define CSC_KEEP_INDEX_H

/* Adds a file of the folder, which was written to its end. */
void keep_index_add(const char *folder, const char *name);

/* Removes the oldest databases beyond `most`, and their texts.  Those that somebody has changed or
 * removed are only forgotten. */
void keep_index_prune(const char *folder, unsigned int most);

#endif
