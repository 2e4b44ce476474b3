/*
 * SPDX-License-Identifier: MIT
 */
#include "nearest.h"

#include <stdint.h>
#include <string.h>

enum { MOST_LETTERS = 63, SHORT_WORD = 3 };

static size_t least(size_t one, size_t other)
{
	return one < other ? one : other;
}

size_t nearest_distance(const char *one, const char *other)
{
	/* Of the first i letters of one from the first k of the other. */
	size_t from[MOST_LETTERS + 1][MOST_LETTERS + 1];
	size_t rows = strlen(one);
	size_t columns = strlen(other);

	if (rows > MOST_LETTERS || columns > MOST_LETTERS) {
		return SIZE_MAX;
	}

	for (size_t i = 0; i <= rows; i++) {
		for (size_t k = 0; k <= columns; k++) {
			if (i == 0 || k == 0) {
				from[i][k] = i + k;
				continue;
			}

			from[i][k] = least(least(from[i - 1][k], from[i][k - 1]) + 1,
					from[i - 1][k - 1] + (one[i - 1] != other[k - 1]));
			if (i > 1 && k > 1 && one[i - 1] == other[k - 2] &&
					one[i - 2] == other[k - 1]) {
				from[i][k] = least(from[i][k], from[i - 2][k - 2] + 1);
			}
		}
	}

	return from[rows][columns];
}

const char *nearest_word(const char *word, const char *const *words)
{
	size_t limit = strlen(word) > SHORT_WORD ? 2 : 1;
	const char *nearest = NULL;

	for (; *words; words++) {
		size_t distance = nearest_distance(word, *words);

		if (distance <= limit) {
			nearest = *words;
			limit = distance - (distance > 0);
			if (distance <= 1) {
				break;
			}
		}
	}

	return nearest;
}
