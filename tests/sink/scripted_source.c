/*
 * SPDX-License-Identifier: MIT
 *
 * The iterator walks the script; declarations are done, messages handed out.
 */
#include "scripted_source.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_NAMED = 256,
	NAME_BYTES = 32,
};

struct scripted_trace {
	char name[NAME_BYTES];
	bt_trace_class *class;
	bt_trace *trace;
	bt_clock_class *clock;
};

struct scripted_stream {
	char name[NAME_BYTES];
	struct scripted_trace *trace;
	bt_stream_class *class;
	bt_stream *stream;
	bt_packet *packet;
	bool has_clock;
	bool has_packets;
	bool has_loss_clocks;
};

struct scripted_class {
	char name[NAME_BYTES];
	struct scripted_stream *stream;
	bt_event_class *class;
};

struct player {
	/* Borrowed: the script, and where in it the player is. */
	const char *at;
	unsigned int line;
	bt_self_message_iterator *self;

	struct scripted_trace traces[MAX_NAMED];
	size_t trace_count;
	struct scripted_stream streams[MAX_NAMED];
	size_t stream_count;
	struct scripted_class classes[MAX_NAMED];
	size_t class_count;
};

static void give_up(const struct player *player, const char *what)
{
	(void)fprintf(stderr, "script, line %u: %s near '%.40s'\n", player->line, what, player->at);
	abort();
}

static void skip_blanks(struct player *player)
{
	while (*player->at == ' ' || *player->at == '\t') {
		player->at++;
	}
}

static bool take(struct player *player, char c)
{
	if (*player->at != c) {
		return false;
	}

	player->at++;
	return true;
}

static void expect(struct player *player, char c)
{
	if (!take(player, c)) {
		give_up(player, "unexpected character");
	}
}

/* A word up to a blank or one of `stops`. */
static void read_word(struct player *player, char *word, size_t size, const char *stops)
{
	size_t length;

	skip_blanks(player);
	length = strcspn(player->at, " \t\n");
	for (size_t i = 0; i < length; i++) {
		if (strchr(stops, player->at[i])) {
			length = i;
		}
	}

	if (length >= size) {
		give_up(player, "word too long");
	}

	memcpy(word, player->at, length);
	word[length] = '\0';
	player->at += length;
}

/* The text between quotes; the caller frees it. */
static char *read_text(struct player *player)
{
	const char *end;
	char *text;

	skip_blanks(player);
	expect(player, '"');
	end = strchr(player->at, '"');
	if (!end) {
		give_up(player, "text without end");
	}

	text = strndup(player->at, (size_t)(end - player->at));
	player->at = end + 1;
	return text;
}

static uint64_t read_unsigned(struct player *player)
{
	char *end;
	uint64_t value;

	skip_blanks(player);
	value = strtoull(player->at, &end, 0);
	if (end == player->at) {
		give_up(player, "no number");
	}

	player->at = end;
	return value;
}

static int64_t read_signed(struct player *player)
{
	char *end;
	int64_t value;

	skip_blanks(player);
	value = strtoll(player->at, &end, 0);
	if (end == player->at) {
		give_up(player, "no number");
	}

	player->at = end;
	return value;
}

static double read_real(struct player *player)
{
	char *end;
	double value;

	skip_blanks(player);
	value = strtod(player->at, &end);
	player->at = end;
	return value;
}

static bt_field_class *read_type(struct player *player, bt_trace_class *trace_class);

static bt_field_class *read_structure(struct player *player, bt_trace_class *trace_class)
{
	bt_field_class *structure = bt_field_class_structure_create(trace_class);

	/* A comma may stand behind the last member too. */
	while (!take(player, '}')) {
		char name[NAME_BYTES * 4];
		bt_field_class *member;

		read_word(player, name, sizeof(name), ":");
		expect(player, ':');
		member = read_type(player, trace_class);
		if (bt_field_class_structure_append_member(structure, name, member) != 0) {
			give_up(player, "member twice");
		}

		bt_field_class_put_ref(member);
		(void)take(player, ',');
	}

	return structure;
}

static bt_field_class *read_array(struct player *player, bt_trace_class *trace_class)
{
	bool is_static = isdigit((unsigned char)*player->at) != 0;
	uint64_t length = is_static ? read_unsigned(player) : 0;
	bt_field_class *element;
	bt_field_class *array;

	expect(player, 'x');
	element = read_type(player, trace_class);
	expect(player, ']');
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
			give_up(player, "option twice");
		}

		bt_field_class_put_ref(option);
		name[0]++;
	} while (take(player, '|'));

	expect(player, '>');
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

	read_word(player, word, sizeof(word), ",:{}[]<>|");
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
		give_up(player, "unknown type");
	}

	bt_field_class_integer_set_field_value_range(class, strtoull(word + 1, NULL, 10));
	return class;
}

static bt_field_class *read_type(struct player *player, bt_trace_class *trace_class)
{
	if (take(player, '{')) {
		return read_structure(player, trace_class);
	}

	if (take(player, '[')) {
		return read_array(player, trace_class);
	}

	if (take(player, '?')) {
		return read_option(player, trace_class);
	}

	if (take(player, '<')) {
		return read_variant(player, trace_class);
	}

	return read_number_type(player, trace_class);
}

/* A type, or `-` for none. */
static bt_field_class *read_optional_type(struct player *player, bt_trace_class *trace_class)
{
	skip_blanks(player);
	return take(player, '-') ? NULL : read_type(player, trace_class);
}

static void read_value(struct player *player, bt_field *field);

static void read_members(struct player *player, bt_field *field)
{
	uint64_t count = bt_field_class_structure_get_member_count(
			bt_field_borrow_class_const(field));

	expect(player, '{');
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0) {
			expect(player, ',');
		}

		read_value(player, bt_field_structure_borrow_member_field_by_index(field, i));
	}

	expect(player, '}');
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

	expect(player, '[');
	count = count_elements(player->at);
	if (bt_field_get_class_type(field) != BT_FIELD_CLASS_TYPE_STATIC_ARRAY &&
			bt_field_array_dynamic_set_length(field, count) != 0) {
		give_up(player, "array too long");
	}

	for (uint64_t i = 0; i < count; i++) {
		if (i > 0) {
			expect(player, ',');
		}

		read_value(player, bt_field_array_borrow_element_field_by_index(field, i));
	}

	expect(player, ']');
}

static void read_string(struct player *player, bt_field *field)
{
	char *text = read_text(player);

	if (bt_field_string_set_value(field, text) != 0) {
		give_up(player, "text too long");
	}

	free(text);
}

static void read_choice(struct player *player, bt_field *field)
{
	uint64_t option = read_unsigned(player);

	expect(player, ':');
	if (bt_field_variant_select_option_by_index(field, option) != 0) {
		give_up(player, "no such option");
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
		bool is_there = !take(player, '-');

		bt_field_option_set_has_field(field, is_there);
		if (is_there) {
			read_value(player, bt_field_option_borrow_field(field));
		}
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		read_choice(player, field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		read_string(player, field);
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		bt_field_bool_set_value(field, read_unsigned(player) != 0);
	} else if (type == BT_FIELD_CLASS_TYPE_BIT_ARRAY) {
		bt_field_bit_array_set_value_as_integer(field, read_unsigned(player));
	} else if (type == BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL) {
		bt_field_real_single_precision_set_value(field, (float)read_real(player));
	} else if (type == BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL) {
		bt_field_real_double_precision_set_value(field, read_real(player));
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		bt_field_integer_signed_set_value(field, read_signed(player));
	} else {
		bt_field_integer_unsigned_set_value(field, read_unsigned(player));
	}
}

/* A value, or `-` where there is no field. */
static void read_optional_value(struct player *player, bt_field *field)
{
	skip_blanks(player);
	if (field) {
		read_value(player, field);
	} else {
		expect(player, '-');
	}
}

/* Finds what was declared under a name, among elements that begin with it. */
static void *find(struct player *player, void *elements, size_t count, size_t size)
{
	char name[NAME_BYTES];

	read_word(player, name, sizeof(name), "");
	for (size_t i = 0; i < count; i++) {
		char *element = (char *)elements + i * size;

		if (strcmp(element, name) == 0) {
			return element;
		}
	}

	give_up(player, "nothing of this name");
	return NULL;
}

static struct scripted_trace *find_trace(struct player *player)
{
	return find(player, player->traces, player->trace_count, sizeof(player->traces[0]));
}

static struct scripted_stream *find_stream(struct player *player)
{
	return find(player, player->streams, player->stream_count, sizeof(player->streams[0]));
}

static struct scripted_class *find_class(struct player *player)
{
	return find(player, player->classes, player->class_count, sizeof(player->classes[0]));
}

static void declare_trace(struct player *player)
{
	bt_self_component *self = bt_self_message_iterator_borrow_component(player->self);
	struct scripted_trace *trace = &player->traces[player->trace_count++];

	read_word(player, trace->name, sizeof(trace->name), "");
	trace->class = bt_trace_class_create(self);
	trace->trace = bt_trace_create(trace->class);
	trace->clock = bt_clock_class_create(self);
	if (bt_trace_set_name(trace->trace, trace->name) != 0) {
		give_up(player, "cannot name the trace");
	}
}

static void declare_env(struct player *player)
{
	struct scripted_trace *trace = find_trace(player);
	char key[NAME_BYTES * 2];
	int status;

	read_word(player, key, sizeof(key), "");
	skip_blanks(player);
	if (*player->at == '"') {
		char *text = read_text(player);

		status = bt_trace_set_environment_entry_string(trace->trace, key, text);
		free(text);
	} else {
		status = bt_trace_set_environment_entry_integer(
				trace->trace, key, read_signed(player));
	}

	if (status != 0) {
		give_up(player, "cannot set the entry");
	}
}

static void declare_uuid(struct player *player)
{
	struct scripted_trace *trace = find_trace(player);
	char hex[33];
	uint8_t bytes[16];

	read_word(player, hex, sizeof(hex), "");
	for (size_t i = 0; i < sizeof(bytes); i++) {
		char digits[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}

	bt_trace_set_uuid(trace->trace, bytes);
}

static void declare_stream(struct player *player)
{
	struct scripted_stream *stream = &player->streams[player->stream_count++];
	bool has_losses = false;
	bt_field_class *context;

	read_word(player, stream->name, sizeof(stream->name), "");
	stream->trace = find_trace(player);
	stream->class = bt_stream_class_create(stream->trace->class);
	stream->has_clock = true;
	context = read_optional_type(player, stream->trace->class);
	for (skip_blanks(player); *player->at && *player->at != '\n'; skip_blanks(player)) {
		char flag[NAME_BYTES];

		read_word(player, flag, sizeof(flag), "");
		stream->has_clock &= strcmp(flag, "noclock") != 0;
		stream->has_packets |= strcmp(flag, "packets") == 0;
		has_losses |= strcmp(flag, "losses") == 0;
		stream->has_loss_clocks |= strcmp(flag, "lossclocks") == 0;
	}

	if ((stream->has_clock &&
			    bt_stream_class_set_default_clock_class(
					    stream->class, stream->trace->clock) != 0) ||
			(context &&
					bt_stream_class_set_event_common_context_field_class(
							stream->class, context) != 0)) {
		give_up(player, "cannot declare the stream");
	}

	bt_stream_class_set_supports_packets(stream->class, stream->has_packets,
			stream->has_packets && stream->has_clock,
			stream->has_packets && stream->has_clock);
	bt_stream_class_set_supports_discarded_events(stream->class,
			has_losses || stream->has_loss_clocks, stream->has_loss_clocks);
	if (stream->has_packets) {
		bt_stream_class_set_supports_discarded_packets(stream->class,
				has_losses || stream->has_loss_clocks, stream->has_loss_clocks);
	}

	bt_field_class_put_ref(context);
	stream->stream = bt_stream_create(stream->class, stream->trace->trace);
}

static void declare_name(struct player *player)
{
	struct scripted_stream *stream = find_stream(player);
	char *name = read_text(player);

	if (bt_stream_set_name(stream->stream, name) != 0) {
		give_up(player, "cannot name the stream");
	}

	free(name);
}

static void declare_class(struct player *player)
{
	struct scripted_class *class = &player->classes[player->class_count++];
	bt_field_class *payload;
	char *name;

	read_word(player, class->name, sizeof(class->name), "");
	class->stream = find_stream(player);
	class->class = bt_event_class_create(class->stream->class);
	name = read_text(player);
	payload = read_optional_type(player, class->stream->trace->class);
	if (bt_event_class_set_name(class->class, name) != 0 ||
			(payload &&
					bt_event_class_set_payload_field_class(
							class->class, payload) != 0)) {
		give_up(player, "cannot declare the class");
	}

	bt_field_class_put_ref(payload);
	free(name);
}

static bt_message *say_event(struct player *player)
{
	struct scripted_class *class = find_class(player);
	const struct scripted_stream *stream = class->stream;
	uint64_t ns = (uint64_t)read_signed(player);
	bt_message *message;
	bt_event *event;

	if (stream->has_packets && stream->has_clock) {
		message = bt_message_event_create_with_packet_and_default_clock_snapshot(
				player->self, class->class, stream->packet, ns);
	} else if (stream->has_packets) {
		message = bt_message_event_create_with_packet(
				player->self, class->class, stream->packet);
	} else if (stream->has_clock) {
		message = bt_message_event_create_with_default_clock_snapshot(
				player->self, class->class, stream->stream, ns);
	} else {
		message = bt_message_event_create(player->self, class->class, stream->stream);
	}

	event = bt_message_event_borrow_event(message);
	read_optional_value(player, bt_event_borrow_common_context_field(event));
	read_optional_value(player, bt_event_borrow_payload_field(event));
	return message;
}

static bt_message *say_packet(struct player *player)
{
	struct scripted_stream *stream = find_stream(player);
	uint64_t ns = read_unsigned(player);

	stream->packet = bt_packet_create(stream->stream);
	return stream->has_clock ? bt_message_packet_beginning_create_with_default_clock_snapshot(
						   player->self, stream->packet, ns)
				 : bt_message_packet_beginning_create(player->self, stream->packet);
}

static bt_message *say_packet_end(struct player *player)
{
	struct scripted_stream *stream = find_stream(player);
	uint64_t ns = read_unsigned(player);
	bt_message *message = stream->has_clock
			? bt_message_packet_end_create_with_default_clock_snapshot(
					  player->self, stream->packet, ns)
			: bt_message_packet_end_create(player->self, stream->packet);

	bt_packet_put_ref(stream->packet);
	stream->packet = NULL;
	return message;
}

static bt_message *say_loss(struct player *player, bool is_packets)
{
	const struct scripted_stream *stream = find_stream(player);
	uint64_t begin_ns = read_unsigned(player);
	uint64_t end_ns = read_unsigned(player);
	bt_message *message;

	if (is_packets) {
		message = stream->has_loss_clocks
				? bt_message_discarded_packets_create_with_default_clock_snapshots(
						  player->self, stream->stream, begin_ns, end_ns)
				: bt_message_discarded_packets_create(player->self, stream->stream);
	} else {
		message = stream->has_loss_clocks
				? bt_message_discarded_events_create_with_default_clock_snapshots(
						  player->self, stream->stream, begin_ns, end_ns)
				: bt_message_discarded_events_create(player->self, stream->stream);
	}

	skip_blanks(player);
	if (!take(player, '-')) {
		uint64_t count = read_unsigned(player);

		if (is_packets) {
			bt_message_discarded_packets_set_count(message, count);
		} else {
			bt_message_discarded_events_set_count(message, count);
		}
	}

	return message;
}

static bt_message *say_inactivity(struct player *player)
{
	const struct scripted_stream *stream = find_stream(player);
	uint64_t ns = read_unsigned(player);

	return bt_message_message_iterator_inactivity_create(
			player->self, stream->trace->clock, ns);
}

/* Does a declaration; false: the word is none. */
static bool declare(struct player *player, const char *word)
{
	static const struct {
		const char *word;
		void (*declare)(struct player *player);
	} declarations[] = {
		{ "trace", declare_trace },
		{ "env", declare_env },
		{ "uuid", declare_uuid },
		{ "stream", declare_stream },
		{ "name", declare_name },
		{ "class", declare_class },
	};

	for (size_t i = 0; i < sizeof(declarations) / sizeof(declarations[0]); i++) {
		if (strcmp(word, declarations[i].word) == 0) {
			if (player->trace_count == MAX_NAMED || player->stream_count == MAX_NAMED ||
					player->class_count == MAX_NAMED) {
				give_up(player, "too many names");
			}

			declarations[i].declare(player);
			return true;
		}
	}

	return false;
}

static bt_message *say(struct player *player, const char *word)
{
	if (strcmp(word, "event") == 0) {
		return say_event(player);
	}

	if (strcmp(word, "begin") == 0) {
		return bt_message_stream_beginning_create(
				player->self, find_stream(player)->stream);
	}

	if (strcmp(word, "end") == 0) {
		return bt_message_stream_end_create(player->self, find_stream(player)->stream);
	}

	if (strcmp(word, "packet") == 0) {
		return say_packet(player);
	}

	if (strcmp(word, "endpacket") == 0) {
		return say_packet_end(player);
	}

	if (strcmp(word, "discarded-events") == 0) {
		return say_loss(player, false);
	}

	if (strcmp(word, "discarded-packets") == 0) {
		return say_loss(player, true);
	}

	if (strcmp(word, "inactivity") == 0) {
		return say_inactivity(player);
	}

	give_up(player, "unknown word");
	return NULL;
}

static void end_line(struct player *player)
{
	skip_blanks(player);
	if (*player->at && *player->at != '\n') {
		give_up(player, "more than the line takes");
	}

	player->at += *player->at == '\n';
	player->line++;
}

static bt_message_iterator_class_next_method_status fail(struct player *player)
{
	char *text = read_text(player);

	(void)bt_current_thread_error_append_cause_from_message_iterator(
			player->self, __FILE__, __LINE__, "%s", text);
	free(text);
	return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_ERROR;
}

static bt_message_iterator_class_next_method_status play(bt_self_message_iterator *self,
		bt_message_array_const messages, uint64_t capacity, uint64_t *count)
{
	struct player *player = bt_self_message_iterator_get_data(self);

	*count = 0;
	while (*player->at && *count < capacity) {
		const char *line = player->at;
		char word[NAME_BYTES];

		if (*player->at == '#') {
			player->at += strcspn(player->at, "\n");
			end_line(player);
			continue;
		}

		read_word(player, word, sizeof(word), "");
		if (strcmp(word, "again") == 0 || strcmp(word, "error") == 0) {
			/* What came before is handed out first. */
			if (*count > 0) {
				player->at = line;
				return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK;
			}

			if (word[0] == 'e') {
				return fail(player);
			}

			end_line(player);
			return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN;
		}

		if (*word && !declare(player, word)) {
			messages[(*count)++] = say(player, word);
		}

		end_line(player);
	}

	return *count > 0 ? BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_OK
			  : BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_END;
}

static bt_component_class_initialize_method_status initialize_source(
		bt_self_component_source *self_source,
		bt_self_component_source_configuration *configuration, const bt_value *params,
		void *script)
{
	bt_self_component *self = bt_self_component_source_as_self_component(self_source);

	(void)configuration;
	(void)params;
	bt_self_component_set_data(self, script);
	return (bt_component_class_initialize_method_status)(int)
			bt_self_component_source_add_output_port(self_source, "out", NULL, NULL);
}

static bt_message_iterator_class_initialize_method_status initialize_player(
		bt_self_message_iterator *self,
		bt_self_message_iterator_configuration *configuration,
		bt_self_component_port_output *port)
{
	struct player *player = calloc(1, sizeof(*player));

	(void)configuration;
	(void)port;
	if (!player) {
		return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}

	player->self = self;
	player->line = 1;
	player->at = bt_self_component_get_data(bt_self_message_iterator_borrow_component(self));
	bt_self_message_iterator_set_data(self, player);
	return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static void finalize_player(bt_self_message_iterator *self)
{
	struct player *player = bt_self_message_iterator_get_data(self);

	for (size_t i = 0; i < player->class_count; i++) {
		bt_event_class_put_ref(player->classes[i].class);
	}

	for (size_t i = 0; i < player->stream_count; i++) {
		bt_packet_put_ref(player->streams[i].packet);
		bt_stream_put_ref(player->streams[i].stream);
		bt_stream_class_put_ref(player->streams[i].class);
	}

	for (size_t i = 0; i < player->trace_count; i++) {
		bt_trace_put_ref(player->traces[i].trace);
		bt_clock_class_put_ref(player->traces[i].clock);
		bt_trace_class_put_ref(player->traces[i].class);
	}

	free(player);
}

const bt_component_class_source *scripted_source_create(void)
{
	bt_message_iterator_class *iterator = bt_message_iterator_class_create(play);
	bt_component_class_source *class = NULL;

	if (iterator &&
			bt_message_iterator_class_set_initialize_method(
					iterator, initialize_player) == 0 &&
			bt_message_iterator_class_set_finalize_method(iterator, finalize_player) ==
					0) {
		class = bt_component_class_source_create("scripted", iterator);
	}

	if (class &&
			bt_component_class_source_set_initialize_method(class, initialize_source) !=
					0) {
		bt_component_class_source_put_ref(class);
		class = NULL;
	}

	bt_message_iterator_class_put_ref(iterator);
	return class;
}
