/*
 * SPDX-License-Identifier: MIT
 *
 * Values of Babeltrace's fields.
 */
#ifndef CSC_FIELD_VALUE_H
#define CSC_FIELD_VALUE_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "packing.h"
#include "rows.h"

/*
 * Reads an integer of either sign.  False: it is 2^63 or more, or INT64_MIN;
 * `*ret_value` then holds its 64 bits.
 */
static inline bool field_integer(const bt_field *field, bool is_signed, int64_t *ret_value)
{
	if (is_signed) {
		*ret_value = bt_field_integer_signed_get_value(field);
		return *ret_value != ROW_NULL;
	}

	*ret_value = (int64_t)bt_field_integer_unsigned_get_value(field);
	return *ret_value >= 0;
}

/*
 * A text, until the field has another.  Babeltrace (2.0.4) reads an empty one without writing its
 * end, so that the bytes are those of the text before.
 */
static inline const char *field_text(const bt_field *field)
{
	return bt_field_string_get_length(field) > 0 ? bt_field_string_get_value(field) : "";
}

/* The same when the sign is to be asked of the field. */
bool field_any_integer(const bt_field *field, int64_t *ret_value);

/* Leaves of fields, in the record of `packing` that was begun. */
struct field_leaves {
	struct packing *packing;

	/* Offset of the first from the begin of the record. */
	uint32_t first;
	uint32_t count;
};

/*
 * Packs a field of any type as leaves: members of structures are named "field.member", elements
 * of arrays "field[0]".
 */
enum csc_status field_pack(struct field_leaves *leaves, const char *name, const bt_field *field,
		struct diag *diag);

enum { FIELD_BEYOND_BYTES = 32 };

/* The text of an integer that SQLite cannot hold, in `buffer` or static. */
const char *field_beyond(int64_t bits, bool is_signed, char *buffer);

#endif
