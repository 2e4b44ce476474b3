/*
 * SPDX-License-Identifier: MIT
 *
 * The innermost cause is what was wrong; the others are who called whom.
 */
#include "bt_error.h"

#include <babeltrace2/babeltrace.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_noise(const char *word, size_t length)
{
	static const char *const noise[] = { "-addr=", "comp-name=", "status=", "log-level=" };

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
		if (memmem(word, length, noise[i], strlen(noise[i]))) {
			return true;
		}
	}

	return false;
}

/* Cuts "what: a=1, b-addr=0x2, c=3" down to "what: a=1, c=3", in place. */
static void tidy(char *text)
{
	char *details = strstr(text, ": ");
	char *read;
	char *write;

	if (details && strchr(details, '=')) {
		read = details + 2;
		write = details + 2;
		while (*read) {
			char *comma = strstr(read, ", ");
			size_t length = comma ? (size_t)(comma - read) : strlen(read);

			if (!is_noise(read, length)) {
				if (write != details + 2) {
					*write++ = ',';
					*write++ = ' ';
				}
				memmove(write, read, length);
				write += length;
			}
			read += comma ? length + 2 : length;
		}
		*(write == details + 2 ? details : write) = '\0';
	}

	for (size_t length = strlen(text); length > 0 && strchr(".:, \n", text[length - 1]);
			length--) {
		text[length - 1] = '\0';
	}

	if (isupper((unsigned char)text[0]) && islower((unsigned char)text[1])) {
		text[0] = (char)tolower((unsigned char)text[0]);
	}
}

enum csc_status bt_error_fail(struct diag *diag, const char *what, const char *subject)
{
	const bt_error *error = bt_current_thread_take_error();
	char *text = NULL;
	enum csc_status status;

	if (error && bt_error_get_cause_count(error) > 0) {
		text = strdup(bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	}

	if (text) {
		tidy(text);
	}

	if (subject) {
		status = DIAG_FAIL(diag, "%s '%s'%s%s", what, subject, text ? ": " : "",
				text ? text : "");
	} else {
		status = DIAG_FAIL(diag, "%s%s%s", what, text ? ": " : "", text ? text : "");
	}

	free(text);
	if (error) {
		bt_error_release(error);
	}

	return status;
}

void bt_error_clear(void)
{
	bt_current_thread_clear_error();
}
