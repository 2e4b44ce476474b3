/*
 * SPDX-License-Identifier: MIT
 *
 * By erl_call or by a user's own command, both of which print the term that an expression yields.
 */
#include "node.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process.h"

/* A busy node may take a while to hook; beyond this it does not answer. */
enum { ASK_MS = 120000 };

/* How often a connection is tried, process_pause() apart: nothing was evaluated yet. */
enum { CONNECT_TRIES = 5 };

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
static char *make_expression(const struct record_node *node, const char *module, const char *call)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);

	if (!stream) {
		return NULL;
	}
	/* A release in embedded mode loads no module by itself; who asks at the same time loads it
	 * once. */
	fputs("try code:add_pathz(\"", stream);
	put_quoted(stream, node->ebin);
	(void)fprintf(stream,
			"\"), code:ensure_modules_loaded([carrierscope, carrierscope_holders, %s]), "
			"%s:%s catch error:undef -> [$c | \"%sno-module\"] end.\n",
			module, module, call, failed + 1);
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
	char environment[] = "env";
	char home[sizeof(node->home) + 8];
	char own_name[48];
	static unsigned int calls;

	/* A node refuses a name that it still takes for connected: another program's, or that of
	 * our last call, whose end a busy node sees late.  It never forgets a name, so there are
	 * few. */
	(void)snprintf(own_name, sizeof(own_name), "carrierscope_record_%d_%u",
			(int)getpid() % 4096, calls++ % 8);

	(void)snprintf(home, sizeof(home), "HOME=%s", node->home);

	char *argv[] = { environment, home, program, kind, (char *)node->name, hidden, own_name,
		evaluates, NULL };

	return process_run(*node->home ? argv : argv + 2, expression, ASK_MS, result, diag);
}

/* What stands between a mark and the quote that ends the string, or the last of several: a long one
 * is printed in pieces. */
static void copy_rest(const char *at, char *ret_text)
{
	size_t length = 0;

	while (*at == ' ') {
		at++;
	}
	for (; *at && length + 1 < NODE_ANSWER_BYTES; at++) {
		if (*at == '"') {
			at += 1 + strspn(at + 1, " \t\r\n");
			if (*at != '"') {
				break;
			}
			continue;
		}
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
				"node '%s' refuses the connection: is its cookie that of ~/.erlang.cookie? Name another file with --cookie-file",
				node->name);
	}
	if (node->name && strstr(result->output, "cookie file")) {
		return DIAG_FAIL(diag,
				"there is no cookie in ~/.erlang.cookie; name its file with --cookie-file");
	}
	if (node->name && strstr(line, "gethostbyname")) {
		return DIAG_FAIL(diag, "the host of node '%s' is not known", node->name);
	}
	if (node->name && strstr(line, "failed to connect")) {
		return DIAG_FAIL(diag,
				"node '%s' cannot be reached: it is not running, or its cookie is not that of %s",
				node->name,
				*node->home ? "--cookie-file"
					    : "~/.erlang.cookie; name its file with --cookie-file");
	}
	if (node->name && !*line) {
		return DIAG_FAIL(diag,
				"node '%s' cannot be reached: it is not running, or has no distribution",
				node->name);
	}
	if (node->via && strstr(result->output, "** (")) {
		return DIAG_REFUSE(diag,
				"command '%s' evaluates Elixir, and what hooks a node is Erlang: name one that evaluates Erlang, or use --node",
				node->via);
	}
	return DIAG_FAIL(diag, "%s '%s' does not answer: %s", node->name ? "node" : "command",
			node->name ? node->name : node->via, *line ? line : "it printed nothing");
}

static enum csc_status fail_late(const struct record_node *node, struct diag *diag)
{
	*diag = (struct diag){ 0 };
	return node->name
			? DIAG_FAIL(diag, "node '%s' did not answer within %d s: it is stopped, hangs, or its schedulers have no time for it",
					  node->name, ASK_MS / 1000)
			: DIAG_FAIL(diag, "command '%s' did not answer within %d s", node->via,
					  ASK_MS / 1000);
}

enum csc_status record_node_ask(const struct record_node *node, const char *module,
		const char *call, char ret_answer[static NODE_ANSWER_BYTES], struct diag *diag)
{
	struct process_result *result = malloc(sizeof(*result));
	char *expression = make_expression(node, module, call);
	enum csc_status status;
	const char *at;

	if (!result || !expression) {
		status = DIAG_NO_MEMORY(diag);
		goto out;
	}
	if (!node->via && node->erl_args) {
		status = DIAG_REFUSE(
				diag, "erl_call, which would hook the node, takes no --erl-args");
		goto out;
	}
	for (int tries = 1;; tries++) {
		result->is_late = false;
		status = evaluate(node, expression, result, diag);
		if (status != CSC_OK) {
			status = result->is_late ? fail_late(node, diag) : status;
			goto out;
		}
		if (tries == CONNECT_TRIES || !strstr(result->output, "failed to connect")) {
			break;
		}
		process_pause();
	}
	if ((at = strstr(result->output, ok))) {
		copy_rest(at + strlen(ok), ret_answer);
	} else if ((at = strstr(result->output, failed))) {
		copy_rest(at + strlen(failed), ret_answer);
		status = strcmp(ret_answer, "no-module") == 0
				? DIAG_REFUSE(diag,
						  "the node finds no module carrierscope in '%s'; name its folder, as the node sees it, with --ebin",
						  node->ebin)
				: strstr(ret_answer, " is not loaded: ")
				? DIAG_REFUSE(diag, "the node cannot be recorded: %s", ret_answer)
				: DIAG_FAIL(diag, "the node cannot be recorded: %s", ret_answer);
	} else {
		status = fail_to_ask(node, result, diag);
	}
out:
	free(result);
	free(expression);
	return status;
}

enum csc_status record_node_use_cookie(struct record_node *node, const char *file,
		const struct note *note, struct diag *diag)
{
	char name[sizeof(node->home) + 20];
	char *real = realpath(file, NULL);
	enum csc_status status = CSC_OK;

	if (!real || access(real, R_OK) != 0) {
		status = DIAG_FAIL(diag, "cannot read the cookie '%s': %s", file, strerror(errno));
		free(real);
		return status;
	}
	/* erl_call looks for a file of this name in the home of its user. */
	if (!note_home(note, node->home, sizeof(node->home)) || mkdir(node->home, 0700) != 0) {
		node->home[0] = '\0';
		status = DIAG_FAIL(diag,
				"cannot make a folder for the cookie in this user's home, or in '/tmp'");
	} else {
		(void)snprintf(name, sizeof(name), "%s/.erlang.cookie", node->home);
		if (symlink(real, name) != 0) {
			status = DIAG_FAIL(diag, "cannot make '%s': %s", name, strerror(errno));
		}
	}
	free(real);
	return status;
}

enum csc_status record_node_of_process(pid_t pid, char *ret_name, size_t bytes, struct diag *diag)
{
	char path[64];
	char *word = NULL;
	size_t room = 0;
	bool is_next = false;
	bool is_found = false;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "r");
	if (!file) {
		return DIAG_FAIL(diag, "there is no process %d", (int)pid);
	}
	while (!is_found && getdelim(&word, &room, '\0', file) > 0) {
		if (is_next && strlen(word) < bytes) {
			(void)snprintf(ret_name, bytes, "%s", word);
			is_found = true;
		}
		is_next = strcmp(word, "-sname") == 0 || strcmp(word, "-name") == 0;
	}
	free(word);
	(void)fclose(file);
	return is_found ? CSC_OK
			: DIAG_FAIL(diag, "process %d has no -name or -sname, so it cannot be asked; use --via",
					  (int)pid);
}

/* `program`/../... as it is installed, or as it lies in a build folder. */
void record_node_find_ebin(char *ret_ebin, size_t bytes)
{
	static const char *const places[] = { CSC_EBIN_FROM_PROGRAM, "../provider/beam/ebin" };
	char program[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
	char *slash;

	*ret_ebin = '\0';
	if (length <= 0 || (size_t)length >= sizeof(program)) {
		return;
	}
	program[length] = '\0';
	slash = strrchr(program, '/');
	if (slash) {
		*slash = '\0';
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *file = NULL;
		char *real = NULL;

		if (asprintf(&file, "%s/%s/carrierscope_recorder.beam", program, places[i]) >= 0) {
			real = realpath(file, NULL);
			free(file);
		}
		if (real && strlen(real) < bytes) {
			(void)snprintf(ret_ebin, bytes, "%s", real);
			*strrchr(ret_ebin, '/') = '\0';
			free(real);
			return;
		}
		free(real);
	}
}
