/*
 * SPDX-License-Identifier: MIT
 *
 * By erl_call or by a user's own command, both of which print the term that an expression yields.
 */
#include "node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process.h"

/* A busy node may take a while to hook; beyond this it does not answer. */
enum { ASK_MS = 60000 };

static const char ok[] = "csc-ok";
static const char failed[] = "csc-error ";

/* A command that prints its arguments has not answered: no mark stands in the expression as a
 * whole. */

/* As it stands in a string of Erlang. */
static void put_quoted(FILE *stream, const char *text)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			fputc('\\', stream);
		}
		fputc(*text, stream);
	}
}

/* A new text; NULL: out of memory. */
static char *make_expression(const struct record_node *node, const char *call)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);

	if (!stream) {
		return NULL;
	}
	/* A release in embedded mode loads no module by itself. */
	fputs("try code:add_pathz(\"", stream);
	put_quoted(stream, node->ebin);
	(void)fprintf(stream,
			"\"), [code:load_file(M) || M <- [carrierscope, carrierscope_recorder], not erlang:module_loaded(M)], "
			"carrierscope_recorder:%s catch error:undef -> [$c | \"%sno-module\"] end.\n",
			call, failed + 1);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

static enum csc_status evaluate(const struct record_node *node, char *expression,
		struct process_result *result, struct diag *diag)
{
	if (node->via) {
		char *command = NULL;
		char shell[] = "sh";
		char option[] = "-c";
		enum csc_status status;

		if (asprintf(&command, "%s \"$1\"", node->via) < 0) {
			return DIAG_NO_MEMORY(diag);
		}
		status = process_run((char *[]){ shell, option, command, shell, expression, NULL },
				NULL, ASK_MS, result, diag);
		free(command);
		return status;
	}

	/* A name with a dot in its host is a long one, as for erl. */
	const char *host = strchr(node->name, '@');
	char program[] = "erl_call";
	char *kind = host && strchr(host, '.') ? "-name" : "-sname";
	char evaluates[] = "-e";
	char hidden[] = "-h";
	char own_name[48];

	/* Two programs that ask at the same time need two names. */
	(void)snprintf(own_name, sizeof(own_name), "carrierscope_record_%d", (int)getpid());

	return process_run((char *[]){ program, kind, (char *)node->name, hidden, own_name,
					   evaluates, NULL },
			expression, ASK_MS, result, diag);
}

/* What stands between a mark and the quote that ends the string. */
static void copy_rest(const char *at, char *ret_text)
{
	size_t length = 0;

	while (*at == ' ') {
		at++;
	}
	for (; *at && *at != '"' && length + 1 < NODE_ANSWER_BYTES; at++) {
		/* A quote in it is escaped. */
		at += *at == '\\' && at[1];
		ret_text[length++] = (char)(*at == '\n' ? ' ' : *at);
	}
	ret_text[length] = '\0';
}

static enum csc_status fail_to_ask(
		const struct record_node *node, struct process_result *result, struct diag *diag)
{
	const char *line = process_last_line(result->output);

	if (node->name && strstr(line, "refused")) {
		return DIAG_FAIL(diag,
				"node '%s' refuses the connection: is its cookie that of ~/.erlang.cookie?",
				node->name);
	}
	if (node->name && !*line) {
		return DIAG_FAIL(diag,
				"node '%s' cannot be reached: it is not running, or has no distribution",
				node->name);
	}
	return DIAG_FAIL(diag, "%s '%s' does not answer: %s", node->name ? "node" : "command",
			node->name ? node->name : node->via, *line ? line : "it printed nothing");
}

enum csc_status record_node_ask(const struct record_node *node, const char *call,
		char ret_answer[static NODE_ANSWER_BYTES], struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char *expression = make_expression(node, call);
	enum csc_status status;
	const char *at;

	if (!result || !expression) {
		free(result);
		free(expression);
		return DIAG_NO_MEMORY(diag);
	}
	status = evaluate(node, expression, result, diag);
	if (status != CSC_OK) {
		goto out;
	}
	if ((at = strstr(result->output, ok))) {
		copy_rest(at + strlen(ok), ret_answer);
	} else if ((at = strstr(result->output, failed))) {
		copy_rest(at + strlen(failed), ret_answer);
		status = strcmp(ret_answer, "no-module") == 0
				? DIAG_FAIL(diag, "the node finds no module carrierscope in '%s'; name its folder, as the node sees it, with --ebin",
						  node->ebin)
				: DIAG_FAIL(diag, "the node cannot be recorded: %s", ret_answer);
	} else {
		status = fail_to_ask(node, result, diag);
	}
out:
	free(result);
	free(expression);
	return status;
}
