/*
 * SPDX-License-Identifier: MIT
 *
 * Walks fields of any type.
 */
#include "field_value.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	NAME_BYTES = 512,
	MAX_DEPTH = 8,
	/* Elements of one array that are kept. */
	MAX_ELEMENTS = 256,
};

bool field_any_integer(const bt_field *field, int64_t *ret_value)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	return field_integer(field,
			bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER),
			ret_value);
}

#ifdef CSC_HAS_MIP_1
enum { BLOB_BYTES = 64, BLOB_TEXT_BYTES = 2 + 2 * BLOB_BYTES + sizeof("...") };

/* Bytes as 0x..., the first of a long one. */
static void print_blob(const bt_field *field, char *ret_text)
{
	const uint8_t *bytes = bt_field_blob_get_data_const(field);
	uint64_t length = bt_field_blob_get_length(field);
	size_t at = 2;

	memcpy(ret_text, "0x", sizeof("0x"));
	for (uint64_t i = 0; i < length && i < BLOB_BYTES; i++) {
		at += (size_t)snprintf(ret_text + at, BLOB_TEXT_BYTES - at, "%02x", bytes[i]);
	}

	if (length > BLOB_BYTES) {
		memcpy(ret_text + at, "...", sizeof("..."));
	}
}
#endif

const char *field_beyond(int64_t bits, bool is_signed, char *buffer)
{
	if (is_signed && bits == ROW_NULL) {
		return "-9223372036854775808";
	}

	(void)snprintf(buffer, FIELD_BEYOND_BYTES, "%" PRIu64, (uint64_t)bits);
	return buffer;
}

/* Room for a leaf as text. */
#ifdef CSC_HAS_MIP_1
enum { LEAF_BYTES = BLOB_TEXT_BYTES };
#else
enum { LEAF_BYTES = FIELD_BEYOND_BYTES };
#endif

/*
 * Reads a leaf; yields its text, which may be in `buffer`, or NULL: it is in `*ret_value`.  A
 * value that an SQLite integer cannot hold is a text.
 */
static const char *read_leaf(const bt_field *field, struct row_any *ret_value, char *buffer)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	const char *text = NULL;

	ret_value->kind = ANY_NULL;
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		ret_value->kind = ANY_INTEGER;
		if (!field_any_integer(field, &ret_value->as.integer)) {
			text = field_beyond(ret_value->as.integer,
					bt_field_class_type_is(
							type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER),
					buffer);
		}
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		ret_value->kind = ANY_INTEGER;
		ret_value->as.integer = bt_field_bool_get_value(field) == BT_TRUE;
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		uint64_t bits = bt_field_bit_array_get_value_as_integer(field);

		(void)snprintf(buffer, LEAF_BYTES, "0x%" PRIx64, bits);
		text = buffer;
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		ret_value->kind = ANY_REAL;
		ret_value->as.real = bt_field_real_double_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		ret_value->kind = ANY_REAL;
		ret_value->as.real = (double)bt_field_real_single_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		text = field_text(field);
#ifdef CSC_HAS_MIP_1
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_BLOB)) {
		print_blob(field, buffer);
		text = buffer;
#endif
	}

	return text;
}

/* Begins a leaf, or the sentence of a problem; NULL: out of memory. */
static struct packed_leaf *begin_leaf(struct field_leaves *leaves, size_t *ret_at)
{
	struct packing *packing = leaves->packing;

	if (!packing_align(packing)) {
		return NULL;
	}

	*ret_at = packing->length - packing->begin;
	if (leaves->count++ == 0) {
		leaves->first = (uint32_t)*ret_at;
	}

	return packing_add(packing, sizeof(struct packed_leaf));
}

/* Adds the texts of a leaf; a text that is NULL is none. */
static enum csc_status end_leaf(struct field_leaves *leaves, size_t at, const char *name,
		const char *text, struct diag *diag)
{
	struct packing *packing = leaves->packing;
	size_t name_at = name ? packing_add_text(packing, name) : 0;
	size_t text_at = text ? packing_add_text(packing, text) : 0;
	struct packed_leaf *leaf;

	if ((name && name_at == 0) || (text && text_at == 0) || !packing_align(packing)) {
		return DIAG_NO_MEMORY(diag);
	}

	leaf = (struct packed_leaf *)(void *)((char *)packing_record(packing) + at);
	leaf->name = name ? (uint32_t)(name_at - at) : 0;
	leaf->text = text ? (uint32_t)(text_at - at) : 0;
	leaf->bytes = (uint32_t)(packing->length - packing->begin - at);
	return CSC_OK;
}

/* Notes that something is left out. */
static enum csc_status note_cut(struct field_leaves *leaves, struct diag *diag, const char *format,
		...) __attribute__((format(printf, 3, 4)));

static enum csc_status note_cut(
		struct field_leaves *leaves, struct diag *diag, const char *format, ...)
{
	va_list arguments;
	char *sentence;
	size_t at;
	int length;
	enum csc_status status;

	va_start(arguments, format);
	length = vasprintf(&sentence, format, arguments);
	va_end(arguments);
	if (length < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	status = begin_leaf(leaves, &at) ? end_leaf(leaves, at, NULL, sentence, diag)
					 : DIAG_NO_MEMORY(diag);
	free(sentence);
	return status;
}

/* Packs one leaf. */
static enum csc_status pack_leaf(struct field_leaves *leaves, const char *name,
		const bt_field *field, struct diag *diag)
{
	struct row_any value;
	char buffer[LEAF_BYTES];
	const char *text = read_leaf(field, &value, buffer);
	size_t at;
	struct packed_leaf *leaf = begin_leaf(leaves, &at);

	if (!leaf) {
		return DIAG_NO_MEMORY(diag);
	}

	leaf->kind = text ? ANY_TEXT : value.kind;
	if (leaf->kind == ANY_REAL) {
		leaf->as.real = value.as.real;
	} else if (leaf->kind == ANY_INTEGER) {
		leaf->as.integer = value.as.integer;
	}

	return end_leaf(leaves, at, name, text, diag);
}

static enum csc_status pack(struct field_leaves *leaves, const char *name, const bt_field *field,
		int depth, struct diag *diag);

static bool is_compound(bt_field_class_type type)
{
	return type == BT_FIELD_CLASS_TYPE_STRUCTURE ||
			bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY) ||
			bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION) ||
			bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT);
}

// NOLINTNEXTLINE(misc-no-recursion): ends at MAX_DEPTH
static enum csc_status pack_members(struct field_leaves *leaves, const char *name,
		const bt_field *field, int depth, struct diag *diag)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t count = bt_field_class_structure_get_member_count(class);
	enum csc_status status = CSC_OK;

	for (uint64_t i = 0; i < count && status == CSC_OK; i++) {
		const bt_field_class_structure_member *member =
				bt_field_class_structure_borrow_member_by_index_const(class, i);
		char member_name[NAME_BYTES];

		(void)snprintf(member_name, sizeof(member_name), "%s.%s", name,
				bt_field_class_structure_member_get_name(member));
		status = pack(leaves, member_name,
				bt_field_structure_borrow_member_field_by_index_const(field, i),
				depth + 1, diag);
	}

	return status;
}

// NOLINTNEXTLINE(misc-no-recursion): ends at MAX_DEPTH
static enum csc_status pack_elements(struct field_leaves *leaves, const char *name,
		const bt_field *field, int depth, struct diag *diag)
{
	uint64_t count = bt_field_array_get_length(field);
	enum csc_status status = CSC_OK;

	for (uint64_t i = 0; i < count && i < MAX_ELEMENTS && status == CSC_OK; i++) {
		char element_name[NAME_BYTES];

		(void)snprintf(element_name, sizeof(element_name), "%s[%" PRIu64 "]", name, i);
		status = pack(leaves, element_name,
				bt_field_array_borrow_element_field_by_index_const(field, i),
				depth + 1, diag);
	}

	if (count > MAX_ELEMENTS && status == CSC_OK) {
		status = note_cut(leaves, diag,
				"field '%s' has %" PRIu64 " elements; the first %d are kept", name,
				count, MAX_ELEMENTS);
	}

	return status;
}

/* Recursion ends at MAX_DEPTH. */
// NOLINTNEXTLINE(misc-no-recursion)
static enum csc_status pack(struct field_leaves *leaves, const char *name, const bt_field *field,
		int depth, struct diag *diag)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (depth < MAX_DEPTH && type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		return pack_members(leaves, name, field, depth, diag);
	}

	if (depth < MAX_DEPTH && bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
		return pack_elements(leaves, name, field, depth, diag);
	}

	if (depth < MAX_DEPTH && bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		const bt_field *inner = bt_field_option_borrow_field_const(field);

		return inner ? pack(leaves, name, inner, depth + 1, diag) : CSC_OK;
	}

	if (depth < MAX_DEPTH && bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		return pack(leaves, name,
				bt_field_variant_borrow_selected_option_field_const(field),
				depth + 1, diag);
	}

	if (depth == MAX_DEPTH && is_compound(type)) {
		enum csc_status status = note_cut(leaves, diag,
				"field '%s' is nested deeper than %d; it is kept as NULL", name,
				MAX_DEPTH);

		if (status != CSC_OK) {
			return status;
		}
	}

	return pack_leaf(leaves, name, field, diag);
}

enum csc_status field_pack(struct field_leaves *leaves, const char *name, const bt_field *field,
		struct diag *diag)
{
	return pack(leaves, name, field, 0, diag);
}
