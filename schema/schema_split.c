/*
 * SPDX-License-Identifier: MIT
 *
 * Splits the SQL files of this folder into what a database of ours has and what is computed to
 *judge one.
 *
 *	csc_schema_split SCHEMA.sql STEPS.c FILE.sql...
 *
 * Statements are read in the order of the files.  CREATE TEMP VIEW and CREATE TEMP TABLE … AS are
 * steps of the judge (judge_steps.h), and are in no file of a user.  Everything else is the schema.
 * A view of the schema may read steps whose names begin with '_': their queries become common table
 * expressions of it.  It runs while we are built.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "judge_steps.h"

enum { STEPS_MAX = JUDGE_STEPS_MAX, NAME_BYTES = 64 };

struct step {
	char name[NAME_BYTES];
	const char *kind;

	/* What stands behind AS, without the semicolon. */
	char *body;

	/* It, or what it reads but the figures, reads table question. */
	bool is_of_moment;

	/* By the number of a step: whether it is read. */
	bool reads[STEPS_MAX];
};

static struct step steps[STEPS_MAX];
static size_t step_count;

static _Noreturn void fail(const char *reason, const char *subject)
{
	fprintf(stderr, "csc_schema_split: %s: %.200s\n", reason, subject);
	exit(EXIT_FAILURE);
}

/* Behind a comment or a string that begins here; else `at` itself. */
static const char *skip_silent(const char *at)
{
	const char *end;

	if (at[0] == '-' && at[1] == '-') {
		return at + strcspn(at, "\n");
	}
	if (at[0] != '\'') {
		return at;
	}

	end = strchr(at + 1, '\'');
	return end ? end + 1 : at + strlen(at);
}

static const char *skip_blank(const char *at)
{
	for (;;) {
		const char *behind = at + strspn(at, " \t\n");

		if (*behind == '-') {
			behind = skip_silent(behind);
		}
		if (behind == at) {
			return at;
		}
		at = behind;
	}
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The first word from *at on, which then stands behind it; depth counts brackets.  False: none. */
static bool read_word(const char **at, char *ret_word, int *depth)
{
	while (**at) {
		const char *begin = *at;

		if (is_letter(*begin)) {
			while (is_letter(**at)) {
				(*at)++;
			}
			(void)snprintf(ret_word, NAME_BYTES, "%.*s", (int)(*at - begin), begin);
			return true;
		}

		*depth += (*begin == '(') - (*begin == ')');
		*at = skip_silent(begin);
		*at += *at == begin;
	}

	return false;
}

/* The next table or view that a query reads: the name behind FROM or JOIN.  False: none. */
static bool read_source(const char **at, char *ret_name)
{
	char verb[NAME_BYTES];
	int depth = 0;

	while (read_word(at, verb, &depth)) {
		if (strcmp(verb, "FROM") == 0 || strcmp(verb, "JOIN") == 0) {
			return read_word(at, ret_name, &depth);
		}
	}

	return false;
}

/* Behind the words, which are blank-separated; NULL: the text does not begin so. */
static const char *skip_words(const char *at, const char *words)
{
	size_t length = strlen(words);

	return strncmp(at, words, length) == 0 ? at + length : NULL;
}

static struct step *step_find(const char *name)
{
	for (size_t i = step_count; i-- > 0;) {
		if (strcmp(steps[i].name, name) == 0) {
			return &steps[i];
		}
	}

	return NULL;
}

/* Adds a step of which `at` is "name AS query;". */
static struct step *step_add(const char *kind, const char *at)
{
	struct step *step = &steps[step_count];
	char word[NAME_BYTES];
	const char *text;
	int depth = 0;

	if (step_count == STEPS_MAX || !read_word(&at, step->name, &depth)) {
		fail("too many steps, or one without a name", at);
	}
	if (!(text = skip_words(at, " AS"))) {
		fail("not of the form CREATE … name AS", step->name);
	}

	step->kind = kind;
	step->body = strdup(text);
	*strrchr(step->body, ';') = '\0';
	text = step->body;
	while (read_source(&text, word)) {
		struct step *read = step_find(word);

		if (read) {
			step->reads[read - steps] = true;
			step->is_of_moment = step->is_of_moment ||
					(read->is_of_moment && strcmp(word, "figure") != 0);
		} else if (strcmp(word, "question") == 0) {
			step->is_of_moment = true;
		} else if (*word == '_') {
			fail("a step is read that does not stand before", word);
		}
	}

	step_count++;
	return step;
}

/* Marks the private steps that a step reads, and those that these read. */
/* NOLINTNEXTLINE(misc-no-recursion): a step reads only steps before it. */
static void mark_private(const struct step *step, bool *marks)
{
	for (size_t i = 0; i < step_count; i++) {
		if (step->reads[i] && !marks[i] && steps[i].name[0] == '_') {
			marks[i] = true;
			mark_private(&steps[i], marks);
		}
	}
}

/* Whether a query has a common table expression of this name: "name AS (" or "name(…) AS". */
static bool is_part(const char *text, const char *name)
{
	char word[NAME_BYTES];
	int depth = 0;

	while (read_word(&text, word, &depth)) {
		const char *at = skip_blank(text);

		if (strcmp(word, name) != 0) {
			continue;
		}
		if (*at == '(') {
			at = skip_blank(at + strcspn(at, ")") + 1);
		}
		if ((at = skip_words(at, "AS ")) &&
				(*at == '(' || skip_words(at, "MATERIALIZED") ||
						skip_words(at, "NOT "))) {
			return true;
		}
	}

	return false;
}

/* Whether an inlined query reads a table of this name. */
static bool is_read_inside(const char *name, const bool *marks)
{
	char source[NAME_BYTES];

	for (size_t i = 0; i < step_count; i++) {
		const char *text = marks[i] ? steps[i].body : "";

		while (read_source(&text, source)) {
			if (strcmp(source, name) == 0 && !is_part(steps[i].body, name)) {
				return true;
			}
		}
	}

	return false;
}

/*
 * Common table expressions see each other: one of the view, "name AS (…)" outside of all brackets,
 * must not have the name of a table that an inlined query reads.
 */
static void check_names(const struct step *view, const bool *marks)
{
	const char *at = view->body;
	char name[NAME_BYTES] = "";
	char word[NAME_BYTES];
	int depth = 0;

	while (read_word(&at, word, &depth) && !(depth == 0 && strcmp(word, "SELECT") == 0)) {
		if (depth == 0 && strcmp(word, "AS") == 0 && is_read_inside(name, marks)) {
			fail("an expression of a view has the name of a table that a private one reads",
					name);
		}
		if (depth == 0) {
			(void)snprintf(name, sizeof(name), "%s", word);
		}
	}
}

/* A view as the file of a user has it. */
static void print_view(FILE *out, const struct step *view)
{
	bool marks[STEPS_MAX] = { false };
	const char *query = skip_blank(view->body);
	const char *with = skip_words(query, "WITH ");
	const char *separator;
	bool has_private = false;

	mark_private(view, marks);
	fprintf(out, "CREATE VIEW %s AS", view->name);
	for (size_t i = 0; i < step_count; i++) {
		has_private = has_private || marks[i];
	}
	if (!has_private) {
		fprintf(out, "%s;\n", view->body);
		return;
	}

	check_names(view, marks);
	separator = with && skip_words(with, "RECURSIVE ") ? "\nWITH RECURSIVE" : "\nWITH";
	for (size_t i = 0; i < step_count; i++) {
		if (marks[i]) {
			fprintf(out, "%s %s AS NOT MATERIALIZED (%s)", separator, steps[i].name,
					steps[i].body);
			separator = ",\n";
		}
	}

	if (with) {
		const char *behind = skip_words(with, "RECURSIVE ");

		fprintf(out, ",\n%s;\n", behind ? behind : with);
	} else {
		fprintf(out, "\n%s;\n", query);
	}
}

/* Who changes a result makes it one that is not ours. */
static void print_triggers(FILE *out, const char *table)
{
	static const char *const verbs[] = { "INSERT", "UPDATE", "DELETE" };

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		fprintf(out, "CREATE TRIGGER judgement_%s_%s AFTER %s ON %s BEGIN DELETE FROM judgement; END;\n",
				table, verbs[i], verbs[i], table);
	}
}

static void split_statement(FILE *out, const char *sql)
{
	const char *verb = skip_blank(sql);
	const struct step *step;
	const char *at;

	if ((at = skip_words(verb, "CREATE TEMP VIEW "))) {
		(void)step_add("JUDGE_VIEW", at);
	} else if ((at = skip_words(verb, "CREATE TEMP TABLE ")) &&
			skip_words(at + strcspn(at, " "), " AS")) {
		step = step_add(*at == '_' ? "JUDGE_TABLE" : "JUDGE_RESULT", at);
		if (*at != '_') {
			print_triggers(out, step->name);
		}
	} else if ((at = skip_words(verb, "CREATE VIEW "))) {
		print_view(out, step_add("JUDGE_PUBLIC", at));
	} else {
		fputs(sql, out);
	}
}

/* Reads a file and splits it; a statement ends where SQLite says so. */
static void split_file(FILE *out, const char *path)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	char *sql = NULL;
	size_t size = 0;
	FILE *statement = open_memstream(&sql, &size);

	if (!file || !statement) {
		fail("cannot open", path);
	}

	while (getline(&line, &room, file) >= 0) {
		fputs(line, statement);
		fflush(statement);
		if (strchr(line, ';') && sqlite3_complete(sql)) {
			split_statement(out, sql);
			rewind(statement);
			fflush(statement);
			sql[0] = '\0';
			fclose(statement);
			free(sql);
			statement = open_memstream(&sql, &size);
			if (!statement) {
				fail("cannot read", path);
			}
		}
	}

	fclose(statement);
	if (*skip_blank(sql)) {
		fail("a statement does not end", sql);
	}
	free(sql);
	free(line);
	fclose(file);
}

static void print_string(FILE *out, const char *text)
{
	fputs("\n\t\t\"", out);
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n\"\n\t\t\"", out);
		} else if (*text == '"' || *text == '\\') {
			fprintf(out, "\\%c", *text);
		} else {
			fputc(*text, out);
		}
	}
	fputs("\"", out);
}

static void print_steps(FILE *out)
{
	fputs("/* Made by csc_schema_split. */\n#include \"judge_steps.h\"\n\n", out);
	for (size_t i = 0; i < step_count; i++) {
		fprintf(out, "static const short reads_%zu[] = { ", i);
		for (size_t j = 0; j < i; j++) {
			if (steps[i].reads[j]) {
				fprintf(out, "%zu, ", j);
			}
		}
		fputs("-1 };\n", out);
	}

	fputs("\nconst struct judge_step judge_steps[] = {\n", out);
	for (size_t i = 0; i < step_count; i++) {
		fprintf(out, "\t{ \"%s\", %s, %s, reads_%zu,", steps[i].name, steps[i].kind,
				steps[i].is_of_moment ? "true" : "false", i);
		print_string(out, steps[i].body);
		fputs(" },\n", out);
	}
	fprintf(out, "};\n\nconst size_t judge_step_count = %zu;\n", step_count);
}

int main(int argc, char **argv)
{
	FILE *schema = argc > 3 ? fopen(argv[1], "w") : NULL;
	FILE *code = schema ? fopen(argv[2], "w") : NULL;

	if (!code) {
		fail("cannot write", argc > 1 ? argv[1] : "nothing");
	}

	for (int i = 3; i < argc; i++) {
		split_file(schema, argv[i]);
	}

	print_steps(code);
	for (size_t i = 0; i < step_count; i++) {
		free(steps[i].body);
	}
	return fclose(code) == 0 && fclose(schema) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
