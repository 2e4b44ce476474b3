/*
 * SPDX-License-Identifier: MIT
 *
 * Snapshots that terms fill, and what was wrong.
 */
#include "terms_snapshot.h"

#include <string.h>

void terms_note(struct terms_reader *reader, enum csc_status status)
{
	if (reader->status == CSC_OK) {
		reader->status = status;
	}
}

void terms_name_set(struct terms_name *name, struct text text)
{
	name->length = text.length < sizeof(name->bytes) ? text.length : sizeof(name->bytes);
	if (name->length > 0) {
		memcpy(name->bytes, text.at, name->length);
	}
}

int64_t terms_snapshot_of(struct terms_reader *reader, enum terms_class class, struct text what,
		int64_t instance)
{
	struct terms_snapshot *open = &reader->open[class];
	char name[TERMS_NAME_BYTES];
	size_t length = what.length < sizeof(name) - 1 ? what.length : sizeof(name) - 1;
	size_t known = open->seen.count;
	int32_t number;

	memcpy(name, what.at, length);
	name[length] = '\0';
	number = numbering_find(&open->seen, instance, 0, name);
	if (number >= 0 && (size_t)number < known) {
		numbering_finish(&open->seen);
		open->seen = (struct numbering){ 0 };
		number = numbering_find(&open->seen, instance, 0, name);
		open->id = 0;
	}

	if (number < 0) {
		terms_note(reader, DIAG_NO_MEMORY(reader->diag));
	}

	if (open->id == 0) {
		bool is_recon = reader->terms.depth > 1 &&
				reader->terms.frames[0].kind == TERM_TUPLE &&
				reader->terms.frames[1].kind == TERM_LIST;

		open->id = snapshot_add(reader->store,
				class == CLASS_SIZES	   ? "allocator_sizes"
						: is_recon ? "recon"
							   : "system_info",
				ROW_NULL, reader->term_line);
	}

	return open->id;
}
