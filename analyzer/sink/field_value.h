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
#include "rows.h"
#include "store.h"

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

/*
 * Keeps a field of any type as rows of extra_field, one for each leaf: members
 * of structures are named "field.member", elements of arrays "field[0]".
 */
enum csc_status field_keep(struct store *store, const char *event_table, int64_t event_id,
		const char *name, const bt_field *field, struct diag *diag);

#endif
