/*
 * SPDX-License-Identifier: MIT
 *
 * A parser by recursive descent; a type it does not know ends the reading.
 */
#include "tsdl_type.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH_MAX = 32,
	FIELDS_MAX = 512,
};

void *tsdl_take(struct tsdl *t, size_t byte_count)
{
	void *memory = tsdl_pool_take(&t->pool, byte_count);

	if (!memory) {
		t->is_out_of_memory = true;
	}
	return memory;
}

bool tsdl_is_at(const struct tsdl *t, const char *text)
{
	return t->at->kind != TSDL_TOKEN_TEXT && strcmp(t->at->text, text) == 0;
}

bool tsdl_accept(struct tsdl *t, const char *text)
{
	if (t->at->kind == TSDL_TOKEN_END || !tsdl_is_at(t, text)) {
		return false;
	}
	t->at++;
	return true;
}

const char *tsdl_accept_kind(struct tsdl *t, enum tsdl_token_kind kind)
{
	return t->at->kind == kind ? t->at++->text : NULL;
}

bool tsdl_accept_number(struct tsdl *t, int64_t *ret_value)
{
	bool is_negative = tsdl_accept(t, "-");
	const char *text = tsdl_accept_kind(t, TSDL_TOKEN_NUMBER);
	uint64_t value;

	if (!text) {
		return false;
	}
	value = strtoull(text, NULL, 0);
	*ret_value = (int64_t)(is_negative ? 0 - value : value);
	return true;
}

/* Passes the rest of a statement, blocks inside it too; stands behind its `;`. */
bool tsdl_pass_statement(struct tsdl *t)
{
	unsigned int depth = 0;

	for (; t->at->kind != TSDL_TOKEN_END; t->at++) {
		if (tsdl_is_at(t, "{")) {
			depth++;
		} else if (tsdl_is_at(t, "}")) {
			if (depth == 0) {
				return false;
			}
			depth--;
		} else if (depth == 0 && tsdl_is_at(t, ";")) {
			t->at++;
			return true;
		}
	}
	return false;
}

static const struct tsdl_type *name_find(const struct tsdl *t, const char *text)
{
	for (const struct type_name *name = t->names; name; name = name->next) {
		if (strcmp(name->text, text) == 0) {
			return name->type;
		}
	}
	return NULL;
}

bool tsdl_name_add(struct tsdl *t, const char *text, const struct tsdl_type *type)
{
	struct type_name *name = tsdl_take(t, sizeof(*name));

	if (!name) {
		return false;
	}
	*name = (struct type_name){ .text = text, .type = type, .next = t->names };
	t->names = name;
	return true;
}

/* Joins two words by a blank; `front` may be empty. */
char *tsdl_text_join(struct tsdl *t, const char *front, const char *back)
{
	size_t front_length = strlen(front);
	char *text = tsdl_take(t, front_length + strlen(back) + 2);

	if (text) {
		memcpy(text, front, front_length); // NOLINT(bugprone-not-null-terminated-result):
						   // goes on below
		if (front_length > 0) {
			text[front_length++] = ' ';
		}
		memcpy(text + front_length, back, strlen(back) + 1);
	}
	return text;
}

/* The attributes of an integer, a float or a string, braces included. */
static bool attributes_parse(struct tsdl *t, struct tsdl_type *type)
{
	uint64_t float_bits = 0;

	if (!tsdl_accept(t, "{")) {
		return type->kind == TSDL_STRING;
	}
	while (!tsdl_accept(t, "}")) {
		const char *key = tsdl_accept_kind(t, TSDL_TOKEN_WORD);
		int64_t number = 0;

		if (!key || !tsdl_accept(t, "=")) {
			return false;
		}
		if (t->at->kind == TSDL_TOKEN_NUMBER) {
			number = (int64_t)strtoull(t->at->text, NULL, 0);
		}
		if (strcmp(key, "size") == 0) {
			type->size_bits = (uint64_t)number;
		} else if (strcmp(key, "align") == 0) {
			type->align_bits = (uint64_t)number;
		} else if (strcmp(key, "exp_dig") == 0 || strcmp(key, "mant_dig") == 0) {
			float_bits += (uint64_t)number;
		} else if (strcmp(key, "signed") == 0) {
			type->is_signed = tsdl_is_at(t, "true") || number == 1;
		} else if (strcmp(key, "map") == 0) {
			type->is_clock = tsdl_is_at(t, "clock");
		} else if (strcmp(key, "byte_order") == 0 && !tsdl_is_at(t, "native")) {
			type->is_big_endian = tsdl_is_at(t, "be") || tsdl_is_at(t, "network");
		}
		if (!tsdl_pass_statement(t)) {
			return false;
		}
	}
	if (type->kind == TSDL_FLOAT) {
		type->size_bits = float_bits;
	}
	return type->kind == TSDL_STRING || (type->size_bits > 0 && type->size_bits <= 64);
}

static const struct tsdl_type *scalar_parse(struct tsdl *t, enum tsdl_kind kind)
{
	struct tsdl_type *type = tsdl_take(t, sizeof(*type));

	if (!type) {
		return NULL;
	}
	type->kind = kind;
	type->is_big_endian = t->is_big_endian;
	if (!attributes_parse(t, type)) {
		return NULL;
	}
	if (type->align_bits == 0) {
		type->align_bits = type->size_bits % 8 == 0 ? 8 : 1;
	}
	return type;
}

/* The lengths behind a field's name, innermost last. */
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static const struct tsdl_type *array_parse(struct tsdl *t, const struct tsdl_type *element)
{
	struct tsdl_type *type;

	if (!tsdl_accept(t, "[")) {
		return element;
	}
	type = tsdl_take(t, sizeof(*type));
	if (!type) {
		return NULL;
	}
	type->align_bits = element->align_bits;
	if (t->at->kind == TSDL_TOKEN_NUMBER) {
		type->kind = TSDL_ARRAY;
		type->length = strtoull(t->at++->text, NULL, 0);
	} else {
		type->kind = TSDL_SEQUENCE;
		/* Of a dotted path the last word is the field. */
		do {
			type->reference = tsdl_accept_kind(t, TSDL_TOKEN_WORD);
		} while (tsdl_accept(t, "."));
	}
	if ((type->kind == TSDL_SEQUENCE && !type->reference) || !tsdl_accept(t, "]")) {
		return NULL;
	}
	t->depth++;
	type->element = t->depth < DEPTH_MAX ? array_parse(t, element) : NULL;
	t->depth--;
	return type->element ? type : NULL;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool fields_parse(struct tsdl *t, struct tsdl_type *type)
{
	struct tsdl_field fields[FIELDS_MAX];

	while (!tsdl_accept(t, "}")) {
		struct tsdl_field *field = &fields[type->field_count];

		if (type->field_count == FIELDS_MAX) {
			return false;
		}
		field->type = tsdl_type_parse(t);
		field->name = field->type ? tsdl_accept_kind(t, TSDL_TOKEN_WORD) : NULL;
		if (!field->name) {
			return false;
		}
		field->type = array_parse(t, field->type);
		if (!field->type || !tsdl_accept(t, ";")) {
			return false;
		}
		if (type->kind == TSDL_STRUCT && field->type->align_bits > type->align_bits) {
			type->align_bits = field->type->align_bits;
		}
		type->field_count++;
	}
	type->fields = tsdl_take(t, (type->field_count + 1) * sizeof(*fields));
	if (!type->fields) {
		return false;
	}
	memcpy(type->fields, fields, type->field_count * sizeof(*fields));
	return true;
}

/* Behind the word `struct` or `variant`. */
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static const struct tsdl_type *compound_parse(struct tsdl *t, enum tsdl_kind kind)
{
	const char *word = tsdl_accept_kind(t, TSDL_TOKEN_WORD);
	const char *name = tsdl_text_join(
			t, kind == TSDL_STRUCT ? "struct" : "variant", word ? word : "");
	struct tsdl_type *type = tsdl_take(t, sizeof(*type));
	int64_t align;

	if (!name || !type) {
		return NULL;
	}
	type->kind = kind;
	type->align_bits = 1;
	if (kind == TSDL_VARIANT && tsdl_accept(t, "<")) {
		do {
			type->reference = tsdl_accept_kind(t, TSDL_TOKEN_WORD);
		} while (tsdl_accept(t, "."));
		if (!type->reference || !tsdl_accept(t, ">")) {
			return NULL;
		}
	}
	if (!tsdl_accept(t, "{")) {
		return kind == TSDL_STRUCT && word ? name_find(t, name) : NULL;
	}
	if (!fields_parse(t, type)) {
		return NULL;
	}
	if (tsdl_accept(t, "align")) {
		if (!tsdl_accept(t, "(") || !tsdl_accept_number(t, &align) ||
				!tsdl_accept(t, ")")) {
			return NULL;
		}
		if (align > 0 && (uint64_t)align > type->align_bits) {
			type->align_bits = (uint64_t)align;
		}
	}
	if (word && !tsdl_name_add(t, name, type)) {
		return NULL;
	}
	return type;
}

static bool labels_parse(struct tsdl *t, struct tsdl_type *type)
{
	struct tsdl_label labels[FIELDS_MAX];
	int64_t next = 0;

	while (!tsdl_accept(t, "}")) {
		struct tsdl_label *label = &labels[type->label_count];

		if (type->label_count == FIELDS_MAX || t->at->kind == TSDL_TOKEN_END) {
			return false;
		}
		label->name = t->at++->text;
		label->low = next;
		if (tsdl_accept(t, "=") && !tsdl_accept_number(t, &label->low)) {
			return false;
		}
		label->high = label->low;
		if (tsdl_accept(t, "...") && !tsdl_accept_number(t, &label->high)) {
			return false;
		}
		next = (int64_t)((uint64_t)label->high + 1);
		type->label_count++;
		(void)tsdl_accept(t, ",");
	}
	type->labels = tsdl_take(t, (type->label_count + 1) * sizeof(*labels));
	if (!type->labels) {
		return false;
	}
	memcpy((void *)type->labels, labels, type->label_count * sizeof(*labels));
	return true;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static const struct tsdl_type *enum_parse(struct tsdl *t)
{
	const char *word = tsdl_accept_kind(t, TSDL_TOKEN_WORD);
	const char *name = tsdl_text_join(t, "enum", word ? word : "");
	const struct tsdl_type *container;
	struct tsdl_type *type = tsdl_take(t, sizeof(*type));

	if (!name || !type) {
		return NULL;
	}
	if (!tsdl_is_at(t, ":") && !tsdl_is_at(t, "{")) {
		return name_find(t, name);
	}
	container = tsdl_accept(t, ":") ? tsdl_type_parse(t) : name_find(t, "int");
	if (!container || container->kind != TSDL_INTEGER || !tsdl_accept(t, "{")) {
		return NULL;
	}
	*type = *container;
	if (!labels_parse(t, type) || (word && !tsdl_name_add(t, name, type))) {
		return NULL;
	}
	return type;
}

/* The longest run of words that names a type. */
static const struct tsdl_type *alias_parse(struct tsdl *t)
{
	const struct tsdl_type *type = NULL;
	const struct tsdl_token *behind = t->at;
	const char *text = "";

	for (const struct tsdl_token *at = t->at; at->kind == TSDL_TOKEN_WORD; at++) {
		text = tsdl_text_join(t, text, at->text);
		if (!text) {
			return NULL;
		}
		if (name_find(t, text)) {
			type = name_find(t, text);
			behind = at + 1;
		}
	}
	t->at = behind;
	return type;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
const struct tsdl_type *tsdl_type_parse(struct tsdl *t)
{
	const struct tsdl_type *type;

	if (t->depth == DEPTH_MAX) {
		return NULL;
	}
	t->depth++;
	if (tsdl_accept(t, "integer")) {
		type = scalar_parse(t, TSDL_INTEGER);
	} else if (tsdl_accept(t, "floating_point")) {
		type = scalar_parse(t, TSDL_FLOAT);
	} else if (tsdl_accept(t, "string")) {
		type = scalar_parse(t, TSDL_STRING);
	} else if (tsdl_accept(t, "struct")) {
		type = compound_parse(t, TSDL_STRUCT);
	} else if (tsdl_accept(t, "variant")) {
		type = compound_parse(t, TSDL_VARIANT);
	} else if (tsdl_accept(t, "enum")) {
		type = enum_parse(t);
	} else {
		type = alias_parse(t);
	}
	t->depth--;
	return type;
}
