/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_left.h"

#include <string.h>
#include <unistd.h>

#include "command.h"
#include "keep_folder.h"
#include "left.h"

struct folder_case {
	const struct keep_case *kept;
	bool has_failed;
};

/* What cannot be loaded is of no use later, unless the disk was full. */
static bool judge(struct note *note, const struct keep_case *kept)
{
	struct keep_case found = *kept;
	struct diag diag = { 0 };
	enum csc_status status;

	found.trace = note->trace;
	found.node = note->node;
	found.reason = "left";
	found.sentence = "what a keeper that was killed left in its ring";
	status = keep_judge(&found, &diag);
	if (status != CSC_OK) {
		command_print("%s: nothing is kept: %s", found.sentence, diag.text);
	}
	if (status == CSC_OK || keep_folder_has_room(note->target)) {
		/* Parts on disk have their time. */
		if (note->kind == NOTE_KEEPS_PARTS) {
			note_end(note);
		} else {
			left_remove(note);
		}
	}
	return status == CSC_OK;
}

static bool is_kept(const struct note *note)
{
	return (note->kind == NOTE_KEEPS_RING || note->kind == NOTE_KEEPS_PARTS) &&
			left_has_trace(note);
}

static void judge_of_folder(struct note *note, void *context)
{
	struct folder_case *asked = context;

	if (is_kept(note) && strcmp(note->target, asked->kept->folder) == 0) {
		asked->has_failed |= !judge(note, asked->kept);
	}
}

bool keep_left_judge_all(const struct keep_case *kept)
{
	struct folder_case asked = { .kept = kept };

	note_each_dead(judge_of_folder, &asked);
	return !asked.has_failed;
}

bool keep_left_judge(struct note *note)
{
	const struct keep_case kept = { .folder = note->target };
	struct keep_folder folder;
	struct keep_ring ring = { 0 };
	struct diag diag = { 0 };
	bool is_judged;

	if (!is_kept(note)) {
		return true;
	}
	if (keep_folder_open(note->target, &ring, &folder, &diag) != CSC_OK) {
		command_print("%s", diag.text);
		return false;
	}
	is_judged = judge(note, &kept);
	(void)close(folder.lock);
	return is_judged;
}
