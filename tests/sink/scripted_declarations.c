/*
 * SPDX-License-Identifier: MIT
 *
 * Declarations: traces, streams, classes.
 */
#include "scripted_player.h"

#include <stdlib.h>
#include <string.h>

/* Finds what was declared under a name, among elements that begin with it. */
static void *find(struct player *player, void *elements, size_t count, size_t size)
{
	char name[NAME_BYTES];

	player_word(player, name, sizeof(name), "");
	for (size_t i = 0; i < count; i++) {
		char *element = (char *)elements + i * size;

		if (strcmp(element, name) == 0) {
			return element;
		}
	}

	player_abort(player, "nothing of this name");
	return NULL;
}

static struct scripted_trace *find_trace(struct player *player)
{
	return find(player, player->traces, player->trace_count, sizeof(player->traces[0]));
}

struct scripted_stream *player_find_stream(struct player *player)
{
	return find(player, player->streams, player->stream_count, sizeof(player->streams[0]));
}

struct scripted_class *player_find_class(struct player *player)
{
	return find(player, player->classes, player->class_count, sizeof(player->classes[0]));
}

static void declare_trace(struct player *player)
{
	bt_self_component *self = bt_self_message_iterator_borrow_component(player->self);
	struct scripted_trace *trace = &player->traces[player->trace_count++];

	player_word(player, trace->name, sizeof(trace->name), "");
	trace->class = bt_trace_class_create(self);
	trace->trace = bt_trace_create(trace->class);
	trace->clock = bt_clock_class_create(self);
	if (bt_trace_set_name(trace->trace, trace->name) != 0) {
		player_abort(player, "cannot name the trace");
	}
}

static void declare_env(struct player *player)
{
	struct scripted_trace *trace = find_trace(player);
	char key[NAME_BYTES * 2];
	int status;

	player_word(player, key, sizeof(key), "");
	player_skip_blanks(player);
	if (*player->at == '"') {
		char *text = player_text(player);

		status = bt_trace_set_environment_entry_string(trace->trace, key, text);
		free(text);
	} else {
		status = bt_trace_set_environment_entry_integer(
				trace->trace, key, player_signed(player));
	}

	if (status != 0) {
		player_abort(player, "cannot set the entry");
	}
}

static void declare_uuid(struct player *player)
{
	struct scripted_trace *trace = find_trace(player);
	char hex[33];
	uint8_t bytes[16];

	player_word(player, hex, sizeof(hex), "");
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

	player_word(player, stream->name, sizeof(stream->name), "");
	stream->trace = find_trace(player);
	stream->class = bt_stream_class_create(stream->trace->class);
	stream->has_clock = true;
	context = player_type(player, stream->trace->class);
	for (player_skip_blanks(player); *player->at && *player->at != '\n';
			player_skip_blanks(player)) {
		char flag[NAME_BYTES];

		player_word(player, flag, sizeof(flag), "");
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
		player_abort(player, "cannot declare the stream");
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
	struct scripted_stream *stream = player_find_stream(player);
	char *name = player_text(player);

	if (bt_stream_set_name(stream->stream, name) != 0) {
		player_abort(player, "cannot name the stream");
	}

	free(name);
}

static void declare_class(struct player *player)
{
	struct scripted_class *class = &player->classes[player->class_count++];
	bt_field_class *payload;
	char *name;

	player_word(player, class->name, sizeof(class->name), "");
	class->stream = player_find_stream(player);
	class->class = bt_event_class_create(class->stream->class);
	name = player_text(player);
	payload = player_type(player, class->stream->trace->class);
	if (bt_event_class_set_name(class->class, name) != 0 ||
			(payload &&
					bt_event_class_set_payload_field_class(
							class->class, payload) != 0)) {
		player_abort(player, "cannot declare the class");
	}

	bt_field_class_put_ref(payload);
	free(name);
}

bool player_declare(struct player *player, const char *word)
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
				player_abort(player, "too many names");
			}

			declarations[i].declare(player);
			return true;
		}
	}

	return false;
}
