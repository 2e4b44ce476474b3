/*
 * SPDX-License-Identifier: MIT
 *
 * What a user knows of a recording and it does not have itself.
 */
#ifndef CSC_PUSH_LABELS_H
#define CSC_PUSH_LABELS_H

#include <stdbool.h>

/* NULL: what the recording says; all borrowed. */
struct push_labels {
	const char *app;
	const char *release;
	const char *flags;
	const char *node;

	/* Where the page of the recording lies: an address or a path. */
	const char *page;
};

/* What --help says of an option --label. */
#define PUSH_LABEL_HELP \
	"app, release, flags, node or page (where the HTML report lies), as often as there are"

/* What a misuse says of a text that is none. */
#define PUSH_LABEL_MISUSE "'%s' is not a label; use app=, release=, flags=, node= or page="

/* Takes "NAME=VALUE"; false: there is no such label. */
bool push_labels_take(struct push_labels *labels, const char *text);

#endif
