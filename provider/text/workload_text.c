/* SPDX-License-Identifier: MIT */
/* A line of a workload file. */
#include "workload_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optext.h"

/* Sizes beyond this are refused, in bytes: no machine has them. */
#define BYTES_MAX (UINT64_C(1) << 48)

char *words_read(const char *path, struct diag *diag)
{
	char *text = NULL;
	size_t bytes = 0;

	if (optext_read(path, &text, &bytes, diag) != CSC_OK) {
		return NULL;
	}
	if (memchr(text, 0, bytes)) {
		(void)DIAG_FAIL(diag, "%s:1: the file is not text", path);
		free(text);
		return NULL;
	}
	return text;
}

enum csc_status words_cut(struct words *words, char *text)
{
	char *rest = NULL;

	text[strcspn(text, "#")] = 0;
	words->count = 0;
	for (char *word = strtok_r(text, " \t\r", &rest); word;
			word = strtok_r(NULL, " \t\r", &rest)) {
		if (words->count == WORDS_MAX) {
			return words_fail(words, "the line has more than %d words", WORDS_MAX);
		}
		words->words[words->count++] = word;
	}
	return CSC_OK;
}

enum csc_status words_fail(const struct words *words, const char *format, ...)
{
	char sentence[400];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(sentence, sizeof(sentence), format, arguments);
	va_end(arguments);
	return DIAG_FAIL(words->diag, "%s:%zu: %s", words->path, words->line, sentence);
}

enum csc_status words_expect(
		const struct words *words, size_t least, size_t most, const char *usage)
{
	if (words->count >= least && words->count <= most) {
		return CSC_OK;
	}
	return words_fail(words, "expected '%s'", usage);
}

static bool text_number(const char *text, uint64_t least, uint64_t most, uint64_t *ret_value)
{
	char *end = NULL;
	uint64_t value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || value < least || value > most) {
		return false;
	}
	*ret_value = value;
	return true;
}

static bool text_real(const char *text, double least, double most, double *ret_value)
{
	char *end = NULL;
	double value = strtod(text, &end);

	if (!isdigit((unsigned char)*text) || *end || !(value >= least && value <= most)) {
		return false;
	}
	*ret_value = value;
	return true;
}

enum csc_status words_number(const struct words *words, size_t index, uint64_t least, uint64_t most,
		uint64_t *ret_value)
{
	return text_number(words->words[index], least, most, ret_value)
			? CSC_OK
			: words_fail(words, "'%s' is not a number from %" PRIu64 " to %" PRIu64,
					  words->words[index], least, most);
}

enum csc_status words_real(const struct words *words, size_t index, double least, double most,
		double *ret_value)
{
	return text_real(words->words[index], least, most, ret_value)
			? CSC_OK
			: words_fail(words, "'%s' is not a number from %g to %g",
					  words->words[index], least, most);
}

enum csc_status words_pair(
		const struct words *words, size_t index, uint64_t *ret_bytes, double *ret_weight)
{
	char *word = words->words[index];
	char *colon = strchr(word, ':');
	bool is_good = false;

	if (colon) {
		*colon = 0;
		is_good = text_number(word, 0, BYTES_MAX, ret_bytes) &&
				text_real(colon + 1, 0, 1e12, ret_weight);
		*colon = ':';
	}
	return is_good ? CSC_OK : words_fail(words, "'%s' is not BYTES:WEIGHT", word);
}

enum csc_status words_name(const struct words *words, size_t index, char *ret_name, size_t room)
{
	const char *word = words->words[index];
	size_t length = strlen(word);

	if (length >= room) {
		return words_fail(words, "the name '%s' has more than %zu characters", word,
				room - 1);
	}
	memcpy(ret_name, word, length + 1);
	return CSC_OK;
}
