/*
 * SPDX-License-Identifier: MIT
 */
#include "next_command.h"

#include <ctype.h>
#include <string.h>

#include "database.h"
#include "topics.h"

/* A file's name as a shell takes it. */
static char *shell_word(const char *path)
{
	static const char plain[] =
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+@%:,=-";
	const char *folder = *path == '-' ? "./" : "";
	sqlite3_str *word = sqlite3_str_new(NULL);

	if (path[strspn(path, plain)] == '\0') {
		sqlite3_str_appendf(word, "%s%s", folder, path);
	} else {
		sqlite3_str_appendf(word, "'%s", folder);
		for (; *path; path++) {
			sqlite3_str_appendf(word, *path == '\'' ? "'\\''" : "%.1s", path);
		}
		sqlite3_str_appendall(word, "'");
	}

	return sqlite3_str_finish(word);
}

/* The first command of a text that needs nothing but FILE, up to that word; 0: there is none. */
static size_t find_command(const char **text)
{
	static const char program[] = "carrierscope ";
	static const char file[] = " FILE";

	for (const char *at = strstr(*text, program); at; at = strstr(at + 1, program)) {
		size_t length = 0;

		/* Words of small letters, as a report's name. */
		while (islower((unsigned char)at[length]) || at[length] == '_' ||
				(at[length] == ' ' && islower((unsigned char)at[length + 1]))) {
			length++;
		}
		if (strncmp(at + length, file, sizeof(file) - 1) == 0 &&
				!strchr("abcdefghijklmnopqrstuvwxyz-",
						at[length + sizeof(file) - 1]) &&
				strncmp(at + length + sizeof(file) - 1, " -", 2) != 0) {
			*text = at;
			return length;
		}
	}

	return 0;
}

/* Whether a command prints something; an empty report is no next step. */
static bool is_worth(sqlite3 *db, const char *command)
{
	static const char report[] = "carrierscope report ";
	size_t length = sizeof(report) - 1;

	return strncmp(command, report, length) != 0 || topics_has_rows(db, command + length);
}

bool next_command_is_worth(sqlite3 *db, const char *text)
{
	const char *at = text;
	size_t length = find_command(&at);
	char *command = length > 0 ? sqlite3_mprintf("%.*s", (int)length, at) : NULL;
	bool result = !command || is_worth(db, command);

	sqlite3_free(command);
	return result;
}

/* Where no finding has a step. */
static const char *usual_next(sqlite3 *db)
{
	static const char *const commands[] = { "carrierscope report holders",
		"carrierscope report dump", "carrierscope report flags",
		"carrierscope report pasted", "carrierscope report figures" };

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (is_worth(db, commands[i])) {
			return commands[i];
		}
	}

	return "carrierscope report summary";
}

/* The command of the worst finding that has one for this file; NULL: there is none. */
static enum csc_status find_step(sqlite3 *db, char **ret_command, struct diag *diag)
{
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db,
			sqlite3_mprintf("SELECT next_step FROM finding_next WHERE next_step IS NOT NULL "
					"ORDER BY rank, at_stake_bytes DESC LIMIT 20"),
			&rows, diag);

	*ret_command = NULL;
	while (status == CSC_OK && !*ret_command && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		const char *text = database_text(rows, 0);
		size_t length = find_command(&text);

		if (length > 0 && next_command_is_worth(db, text)) {
			*ret_command = sqlite3_mprintf("%.*s", (int)length, text);
		}
	}

	(void)sqlite3_finalize(rows);
	return status == CSC_OK && result != SQLITE_ROW ? database_check(db, result, diag) : status;
}

enum csc_status next_command(sqlite3 *db, const char *path, char **ret_command, struct diag *diag)
{
	char *file = shell_word(path);
	char *command = NULL;
	enum csc_status status = find_step(db, &command, diag);

	*ret_command = NULL;
	if (status == CSC_OK) {
		*ret_command = sqlite3_mprintf(
				"%s %s", command ? command : usual_next(db), file ? file : path);
		status = *ret_command ? CSC_OK : DIAG_NO_MEMORY(diag);
	}

	sqlite3_free(command);
	sqlite3_free(file);
	return status;
}

char *next_command_fill(const char *text, const char *path)
{
	static const char word[] = " FILE";
	const size_t length = sizeof(word) - 1;
	char *file = shell_word(path);
	sqlite3_str *filled = sqlite3_str_new(NULL);
	const char *at;

	while ((at = strstr(text, word))) {
		bool is_word = !isalnum((unsigned char)at[length]) && at[length] != '_';

		sqlite3_str_append(filled, text, (int)(at - text) + 1);
		sqlite3_str_appendall(filled, is_word && file ? file : word + 1);
		text = at + length;
	}
	sqlite3_str_appendall(filled, text);
	sqlite3_free(file);
	return sqlite3_str_finish(filled);
}
