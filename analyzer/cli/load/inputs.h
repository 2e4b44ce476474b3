/*
 * SPDX-License-Identifier: MIT
 *
 * What the user named, as traces and groups of traces.
 */
#ifndef CSC_INPUTS_H
#define CSC_INPUTS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stddef.h>

#include "diag.h"

struct input {
	/* A directory with metadata, or the URL of a live session. */
	char *path;

	/* Chunks of one trace have the same; NULL: stands alone. */
	char *group;

	bool is_live;
};

struct inputs {
	struct input *items;
	size_t count;
};

/* "net://host/host/HOSTNAME/SESSION" and its kin. */
bool input_is_url(const char *text);

/*
 * Adds the traces in or below a directory, by name, or the live session of a URL.
 * Warns of directories below that cannot be read.  A signal ends it early, without
 * an error.
 * Errors: there is none; `text` is something else.
 */
enum csc_status inputs_find(struct inputs *inputs, const char *text, struct diag *diag);

/* Adds one trace directory. */
enum csc_status inputs_add(struct inputs *inputs, const char *path, struct diag *diag);

/*
 * Looks at the metadata of each trace for what Babeltrace would read without end, or not to
 * its end.  Errors: it is there; the sentence names file and byte.
 */
enum csc_status inputs_check(const struct inputs *inputs, struct diag *diag);

/* Asks src.ctf.fs which traces belong together.  Errors: it cannot read one. */
enum csc_status inputs_group(
		struct inputs *inputs, const bt_component_class_source *fs, struct diag *diag);

/* All zeroes is fine. */
void inputs_finish(struct inputs *inputs);

#endif
