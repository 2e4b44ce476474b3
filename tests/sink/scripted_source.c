/*
 * SPDX-License-Identifier: MIT
 *
 * The iterator walks the script; declarations are done, messages handed out.
 */
#include "scripted_source.h"

#include <stdlib.h>
#include <string.h>

#include "scripted_player.h"

static bt_message *make_event(struct player *player)
{
	struct scripted_class *class = player_find_class(player);
	const struct scripted_stream *stream = class->stream;
	uint64_t ns = (uint64_t)player_signed(player);
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
	player_value(player, bt_event_borrow_common_context_field(event));
	player_value(player, bt_event_borrow_payload_field(event));
	return message;
}

static bt_message *make_packet(struct player *player)
{
	struct scripted_stream *stream = player_find_stream(player);
	uint64_t ns = player_unsigned(player);

	stream->packet = bt_packet_create(stream->stream);
	return stream->has_clock ? bt_message_packet_beginning_create_with_default_clock_snapshot(
						   player->self, stream->packet, ns)
				 : bt_message_packet_beginning_create(player->self, stream->packet);
}

static bt_message *make_packet_end(struct player *player)
{
	struct scripted_stream *stream = player_find_stream(player);
	uint64_t ns = player_unsigned(player);
	bt_message *message = stream->has_clock
			? bt_message_packet_end_create_with_default_clock_snapshot(
					  player->self, stream->packet, ns)
			: bt_message_packet_end_create(player->self, stream->packet);

	bt_packet_put_ref(stream->packet);
	stream->packet = NULL;
	return message;
}

static bt_message *make_loss(struct player *player, bool is_packets)
{
	const struct scripted_stream *stream = player_find_stream(player);
	uint64_t begin_ns = player_unsigned(player);
	uint64_t end_ns = player_unsigned(player);
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

	player_skip_blanks(player);
	if (!player_take(player, '-')) {
		uint64_t count = player_unsigned(player);

		if (is_packets) {
			bt_message_discarded_packets_set_count(message, count);
		} else {
			bt_message_discarded_events_set_count(message, count);
		}
	}

	return message;
}

static bt_message *make_inactivity(struct player *player)
{
	const struct scripted_stream *stream = player_find_stream(player);
	uint64_t ns = player_unsigned(player);

	return bt_message_message_iterator_inactivity_create(
			player->self, stream->trace->clock, ns);
}

static bt_message *make(struct player *player, const char *word)
{
	if (strcmp(word, "event") == 0) {
		return make_event(player);
	}

	if (strcmp(word, "begin") == 0) {
		return bt_message_stream_beginning_create(
				player->self, player_find_stream(player)->stream);
	}

	if (strcmp(word, "end") == 0) {
		return bt_message_stream_end_create(
				player->self, player_find_stream(player)->stream);
	}

	if (strcmp(word, "packet") == 0) {
		return make_packet(player);
	}

	if (strcmp(word, "endpacket") == 0) {
		return make_packet_end(player);
	}

	if (strcmp(word, "discarded-events") == 0) {
		return make_loss(player, false);
	}

	if (strcmp(word, "discarded-packets") == 0) {
		return make_loss(player, true);
	}

	if (strcmp(word, "inactivity") == 0) {
		return make_inactivity(player);
	}

	player_abort(player, "unknown word");
	return NULL;
}

static void end_line(struct player *player)
{
	player_skip_blanks(player);
	if (*player->at && *player->at != '\n') {
		player_abort(player, "more than the line takes");
	}

	player->at += *player->at == '\n';
	player->line++;
}

static bt_message_iterator_class_next_method_status fail(struct player *player)
{
	char *text = player_text(player);

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

		player_word(player, word, sizeof(word), "");
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

		if (*word && !player_declare(player, word)) {
			messages[(*count)++] = make(player, word);
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
