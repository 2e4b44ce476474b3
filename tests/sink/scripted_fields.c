/*
 * SPDX-License-Identifier: MIT
 *
 * Types and values of fields.
 */
#include "scripted_player.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bt_field_class *read_type(struct player *player, bt_trace_class *trace_class);

static bt_field_class *read_structure(struct player *player, bt_trace_class *trace_class)
{
	bt_field_class *structure = bt_field_class_structure_create(trace_class);

	/* A comma may stand behind the last member too. */
	while (!player_take(player, '}')) {
		char name[NAME_BYTES * 4];
		bt_field_class *member;

		player_word(player, name, sizeof(name), ":");
		player_expect(player, ':');
		member = read_type(player, trace_class);
		if (bt_field_class_structure_append_member(structure, name, member) != 0) {
			player_abort(player, "member twice");
		}

		bt_field_class_put_ref(member);
		(void)player_take(player, ',');
	}

	return structure;
}

static bt_field_class *read_array(struct player *player, bt_trace_class *trace_class)
{
	bool is_static = isdigit((unsigned char)*player->at) != 0;
	uint64_t length = is_static ? player_unsigned(player) : 0;
	bt_field_class *element;
	bt_field_class *array;

	player_expect(player, 'x');
	element = read_type(player, trace_class);
	player_expect(player, ']');
	array = is_static ? bt_field_class_array_static_create(trace_class, element, length)
			  : bt_field_class_array_dynamic_create(trace_class, element, NULL);
	bt_field_class_put_ref(element);
	return array;
}

static bt_field_class *read_variant(struct player *player, bt_trace_class *trace_class)
{
	bt_field_class *variant = bt_field_class_variant_create(trace_class, NULL);
	char name[2] = "a";

	do {
		bt_field_class *option = read_type(player, trace_class);

		if (bt_field_class_variant_without_selector_append_option(variant, name, option) !=
				0) {
			player_abort(player, "option twice");
		}

		bt_field_class_put_ref(option);
		name[0]++;
	} while (player_take(player, '|'));

	player_expect(player, '>');
	return variant;
}

static bt_field_class *read_option(struct player *player, bt_trace_class *trace_class)
{
	bt_field_class *inner = read_type(player, trace_class);
	bt_field_class *option = bt_field_class_option_without_selector_create(trace_class, inner);

	bt_field_class_put_ref(inner);
	return option;
}

static bt_field_class *read_number_type(struct player *player, bt_trace_class *trace_class)
{
	char word[NAME_BYTES];
	bt_field_class *class = NULL;

	player_word(player, word, sizeof(word), ",:{}[]<>|");
	if (strcmp(word, "str") == 0) {
		return bt_field_class_string_create(trace_class);
	}

	if (strcmp(word, "bool") == 0) {
		return bt_field_class_bool_create(trace_class);
	}

	if (strcmp(word, "f32") == 0) {
		return bt_field_class_real_single_precision_create(trace_class);
	}

	if (strcmp(word, "f64") == 0) {
		return bt_field_class_real_double_precision_create(trace_class);
	}

	if (strncmp(word, "bits", 4) == 0) {
		return bt_field_class_bit_array_create(trace_class, strtoull(word + 4, NULL, 10));
	}

	switch (word[0]) {
	case 'u':
		class = bt_field_class_integer_unsigned_create(trace_class);
		break;
	case 'i':
		class = bt_field_class_integer_signed_create(trace_class);
		break;
	case 'e':
		class = bt_field_class_enumeration_unsigned_create(trace_class);
		break;
	default:
		player_abort(player, "unknown type");
	}

	bt_field_class_integer_set_field_value_range(class, strtoull(word + 1, NULL, 10));
	return class;
}

static bt_field_class *read_type(struct player *player, bt_trace_class *trace_class)
{
	if (player_take(player, '{')) {
		return read_structure(player, trace_class);
	}

	if (player_take(player, '[')) {
		return read_array(player, trace_class);
	}

	if (player_take(player, '?')) {
		return read_option(player, trace_class);
	}

	if (player_take(player, '<')) {
		return read_variant(player, trace_class);
	}

	return read_number_type(player, trace_class);
}

bt_field_class *player_type(struct player *player, bt_trace_class *trace_class)
{
	player_skip_blanks(player);
	return player_take(player, '-') ? NULL : read_type(player, trace_class);
}

static void read_value(struct player *player, bt_field *field);

/* Values with commas between them. */
static void read_list(struct player *player, bt_field *field, uint64_t count,
		bt_field *(*borrow)(bt_field *field, uint64_t index))
{
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0) {
			player_expect(player, ',');
		}

		read_value(player, borrow(field, i));
	}
}

static void read_members(struct player *player, bt_field *field)
{
	player_expect(player, '{');
	read_list(player, field,
			bt_field_class_structure_get_member_count(
					bt_field_borrow_class_const(field)),
			bt_field_structure_borrow_member_field_by_index);
	player_expect(player, '}');
}

static uint64_t count_elements(const char *at)
{
	uint64_t commas = 0;
	bool is_text = false;
	int depth = 0;

	if (*at == ']') {
		return 0;
	}

	for (; depth > 0 || *at != ']'; at++) {
		is_text ^= *at == '"';
		depth += !is_text && (*at == '[' || *at == '{');
		depth -= !is_text && (*at == ']' || *at == '}');
		commas += !is_text && depth == 0 && *at == ',';
	}

	return commas + 1;
}

static void read_elements(struct player *player, bt_field *field)
{
	uint64_t count;

	player_expect(player, '[');
	count = count_elements(player->at);
	if (bt_field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STATIC_ARRAY &&
			bt_field_array_dynamic_set_length(field, count) != 0) {
		player_abort(player, "array too long");
	}

	read_list(player, field, count, bt_field_array_borrow_element_field_by_index);
	player_expect(player, ']');
}

static void read_string(struct player *player, bt_field *field)
{
	char *text = player_text(player);

	if (bt_field_string_set_value(field, text) != 0) {
		player_abort(player, "text too long");
	}

	free(text);
}

static void read_choice(struct player *player, bt_field *field)
{
	uint64_t option = player_unsigned(player);

	player_expect(player, ':');
	if (bt_field_variant_select_option_by_index(field, option) != 0) {
		player_abort(player, "no such option");
	}

	read_value(player, bt_field_variant_borrow_selected_option_field(field));
}

static void read_value(struct player *player, bt_field *field)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (type == BT_FIELD_CLASS_TYPE_STRUCTURE) {
		read_members(player, field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
		read_elements(player, field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
		bool is_there = !player_take(player, '-');

		bt_field_option_set_has_field(field, is_there);
		if (is_there) {
			read_value(player, bt_field_option_borrow_field(field));
		}
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		read_choice(player, field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		read_string(player, field);
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		bt_field_bool_set_value(field, player_unsigned(player) != 0);
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		bt_field_bit_array_set_value_as_integer(field, player_unsigned(player));
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		bt_field_real_single_precision_set_value(field, (float)player_real(player));
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		bt_field_real_double_precision_set_value(field, player_real(player));
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		bt_field_integer_signed_set_value(field, player_signed(player));
	} else {
		bt_field_integer_unsigned_set_value(field, player_unsigned(player));
	}
}

void player_value(struct player *player, bt_field *field)
{
	player_skip_blanks(player);
	if (field) {
		read_value(player, field);
	} else {
		player_expect(player, '-');
	}
}
