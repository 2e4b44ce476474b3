/*
 * SPDX-License-Identifier: MIT
 *
 * Words and numbers of a script.
 */
#include "scripted_player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void player_abort(const struct player *player, const char *what)
{
	(void)fprintf(stderr, "script, line %u: %s near '%.40s'\n", player->line, what, player->at);
	abort();
}

void player_skip_blanks(struct player *player)
{
	while (*player->at == ' ' || *player->at == '\t') {
		player->at++;
	}
}

bool player_take(struct player *player, char c)
{
	if (*player->at != c) {
		return false;
	}

	player->at++;
	return true;
}

void player_expect(struct player *player, char c)
{
	if (!player_take(player, c)) {
		player_abort(player, "unexpected character");
	}
}

void player_word(struct player *player, char *word, size_t size, const char *stops)
{
	size_t length;

	player_skip_blanks(player);
	length = strcspn(player->at, " \t\n");
	for (size_t i = 0; i < length; i++) {
		if (strchr(stops, player->at[i])) {
			length = i;
		}
	}

	if (length >= size) {
		player_abort(player, "word too long");
	}

	memcpy(word, player->at, length);
	word[length] = '\0';
	player->at += length;
}

char *player_text(struct player *player)
{
	const char *end;
	char *text;

	player_skip_blanks(player);
	player_expect(player, '"');
	end = strchr(player->at, '"');
	if (!end) {
		player_abort(player, "text without end");
	}

	text = strndup(player->at, (size_t)(end - player->at));
	player->at = end + 1;
	return text;
}

/* Goes on behind a number. */
static void end_number(struct player *player, const char *end)
{
	if (end == player->at) {
		player_abort(player, "no number");
	}

	player->at = end;
}

uint64_t player_unsigned(struct player *player)
{
	char *end;
	uint64_t value;

	player_skip_blanks(player);
	value = strtoull(player->at, &end, 0);
	end_number(player, end);
	return value;
}

int64_t player_signed(struct player *player)
{
	char *end;
	int64_t value;

	player_skip_blanks(player);
	value = strtoll(player->at, &end, 0);
	end_number(player, end);
	return value;
}

double player_real(struct player *player)
{
	char *end;
	double value;

	player_skip_blanks(player);
	value = strtod(player->at, &end);
	player->at = end;
	return value;
}
