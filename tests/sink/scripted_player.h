/*
 * SPDX-License-Identifier: MIT
 *
 * The player of a script: where it is, and what the script declared.
 *
 * Each function reads on from where the player is, and ends the process with a
 * sentence where the script has something else.
 */
#ifndef CSC_SCRIPTED_PLAYER_H
#define CSC_SCRIPTED_PLAYER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <babeltrace2/babeltrace.h>

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

/* Ends the process: `what` is wrong here. */
void player_abort(const struct player *player, const char *what);

void player_skip_blanks(struct player *player);

/* Passes over a character; false: another one is here. */
bool player_take(struct player *player, char c);
void player_expect(struct player *player, char c);

/* A word up to a blank or one of `stops`. */
void player_word(struct player *player, char *word, size_t size, const char *stops);

/* The text between quotes; the caller frees it. */
char *player_text(struct player *player);

uint64_t player_unsigned(struct player *player);
int64_t player_signed(struct player *player);
double player_real(struct player *player);

/* A type, or `-` for none. */
bt_field_class *player_type(struct player *player, bt_trace_class *trace_class);

/* A value of a field, or `-` where there is none (NULL). */
void player_value(struct player *player, bt_field *field);

/* What was declared under the name that follows. */
struct scripted_stream *player_find_stream(struct player *player);
struct scripted_class *player_find_class(struct player *player);

/* Does the declaration that `word` begins; false: it begins none. */
bool player_declare(struct player *player, const char *word);

#endif
