/*
 * SPDX-License-Identifier: MIT
 *
 * The word that a user may have meant.
 */
#ifndef CSC_NEAREST_H
#define CSC_NEAREST_H

#include <stddef.h>

/*
 * How many letters must be changed, added, left out or swapped with their neighbour to make one
 * word of the other (the restricted distance of Damerau).  Words of more than 63 bytes are far from
 * all.
 */
size_t nearest_distance(const char *one, const char *other);

/*
 * The nearest of a list that NULL ends, the first of equals: one at a distance of 1, or of 2 if the
 * word has more than three letters.  NULL: none is as near.
 */
const char *nearest_word(const char *word, const char *const *words);

#endif
