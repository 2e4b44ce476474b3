/*
 * SPDX-License-Identifier: MIT
 */
#include "recorder_name.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words of the command line, with a blank between them. */
static void put_command(FILE *stream)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t room = 0;
	size_t length = strlen("carrierscope");

	fputs("carrierscope", stream);
	/* The first word is the program. */
	if (file && getdelim(&word, &room, '\0', file) > 0) {
		while (getdelim(&word, &room, '\0', file) > 0 && strcmp(word, "--") != 0) {
			length += 1 + strlen(word);
			if (length > RECORDER_COMMAND_BYTES) {
				fputs(" ...", stream);
				break;
			}
			(void)fprintf(stream, " %s", word);
		}
	}
	free(word);
	if (file) {
		(void)fclose(file);
	}
}

char *recorder_name(void)
{
	const struct passwd *user = getpwuid(geteuid());
	char host[64] = "";
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);

	if (!stream) {
		return NULL;
	}
	(void)gethostname(host, sizeof(host) - 1);
	put_command(stream);
	(void)fprintf(stream, " (OS pid %d of ", (int)getpid());
	if (user) {
		(void)fprintf(stream, "%.32s", user->pw_name);
	} else {
		(void)fprintf(stream, "user %u", (unsigned int)geteuid());
	}
	(void)fprintf(stream, " on %s)", host);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	for (char *at = text; *at; at++) {
		if (*at < ' ' || *at > '~' || strchr("\"\\", *at)) {
			*at = '?';
		}
	}
	return text;
}
