/*
 * SPDX-License-Identifier: MIT
 *
 * A node that is named is asked by an erl of our own, which evaluates the same expression on it
 * that a user's command gets.
 */
#include "push.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "process.h"
#include "push_module.h"
#include "readings.h"

enum {
	/* A command may take so long to begin, and a busy node to take a snapshot. */
	BEGIN_MS = 120000,

	/* An erl of our own, or a command, has so long to end by itself. */
	GRACE_MS = 3000,

	/* Names of our own nodes: a node never forgets one. */
	OWN_NAMES = 8,

	/* A shell's, or ours, where there is no such program. */
	STATUS_NOT_FOUND = 127,

	ERL_ARGS = 40,
	OWN_NAME_BYTES = 100,
	SAID_BYTES = 400
};

/* How a run ended. */
enum ending {
	ENDING_NONE,
	ENDING_WHOLE,
	ENDING_REFUSED,

	/* Its release is `release`. */
	ENDING_RELEASE,

	/* The command has a node of its own. */
	ENDING_OWN_NODE,

	/* The command shows values, and not what is printed. */
	ENDING_OWN_OUTPUT,

	/* `said` has why, a word, and the names that epmd knows. */
	ENDING_UNREACHABLE,
	ENDING_NAME_TAKEN,
	ENDING_FAILED_TO_WRITE,
};

struct run {
	const struct push_request *request;
	struct readings readings;
	enum ending ending;
	unsigned long release;
	int64_t begin_ms;

	/* The program's exit status. */
	int status;

	/* The line of somebody else's that says most, and whether one looked like an error of
	 * Elixir, or of Erlang. */
	char said[SAID_BYTES];
	bool is_elixir;
	bool is_erlang;

	struct diag *diag;
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void show(const struct run *run)
{
	unsigned int most = run->request->order.seconds;
	unsigned int seconds = (unsigned int)((now_ms() - run->begin_ms) / 1000);

	if (run->request->is_on_tty) {
		(void)fprintf(stderr, "\r%u s of %u s, %llu readings\033[K",
				seconds > most ? most : seconds, most,
				(unsigned long long)run->readings.snapshots);
		(void)fflush(stderr);
	}
}

/* It becomes a part of an expression: numbers, and the word unknown. */
static void take_history(const struct run *run, const char *text)
{
	size_t length = strlen(text);

	if (run->request->history && length < PUSH_HISTORY_BYTES &&
			strspn(text, "[0123456789-,unkow]") == length) {
		memcpy(run->request->history, text, length + 1);
	}
}

/* False: nothing of ours follows. */
static bool take_other(struct run *run, const char *line)
{
	static const char release[] = "csp-release ";
	static const char answer[] = "csp-top ";
	static const char thinned[] = "csp-thinned ";
	static const char alarm[] = "csp-alarm ";
	static const char history[] = "csp-history ";
	static const char unreachable[] = "csp-unreachable ";

	if (run->request->answer && strncmp(line, answer, strlen(answer)) == 0) {
		run->request->answer(run->request->context, line + strlen(answer));
	} else if (run->request->alarm && strncmp(line, alarm, strlen(alarm)) == 0) {
		int64_t begin = now_ms();

		run->request->alarm(run->request->context, line + strlen(alarm));
		/* Meanwhile the node waits. */
		run->begin_ms += now_ms() - begin;
	} else if (strncmp(line, history, strlen(history)) == 0) {
		take_history(run, line + strlen(history));
	} else if (strncmp(line, thinned, strlen(thinned)) == 0) {
		command_print("the node has little memory for a reading: %lu holders of each kind are listed",
				strtoul(line + strlen(thinned), NULL, 10));
	} else if (strncmp(line, release, strlen(release)) == 0) {
		run->release = strtoul(line + strlen(release), NULL, 10);
		run->ending = ENDING_RELEASE;
	} else if (strcmp(line, "csp-own-node") == 0) {
		run->ending = ENDING_OWN_NODE;
	} else if (strstr(line, "csp_own_output") && !strstr(line, "carrierscope_pushed")) {
		run->ending = ENDING_OWN_OUTPUT;
	} else if (strncmp(line, unreachable, strlen(unreachable)) == 0) {
		(void)snprintf(run->said, sizeof(run->said), "%s", line + strlen(unreachable));
		run->ending = ENDING_UNREACHABLE;
	} else if (strstr(line, "seems to be in use by another")) {
		run->ending = ENDING_NAME_TAKEN;
	} else if (line[strspn(line, " \t\r")] && !run->is_elixir) {
		/* What follows an error of Elixir is where it was. */
		(void)snprintf(run->said, sizeof(run->said), "%s", line);
		run->is_elixir |= strstr(line, "** (") != NULL;
		run->is_erlang |= strstr(line, "syntax error before") ||
				strstr(line, "illegal character");
	}
	return run->ending == ENDING_NONE;
}

static bool take(void *context, const char *line, size_t length)
{
	struct run *run = context;
	enum readings_line kind;

	if (readings_take(&run->readings, line, length, &kind, run->diag) != CSC_OK) {
		run->ending = ENDING_FAILED_TO_WRITE;
		return false;
	}
	switch (kind) {
	case READINGS_PACKET:
		show(run);
		if (run->request->turn) {
			run->request->turn(run->request->context, run->readings.node);
		}
		return true;
	case READINGS_END:
		run->ending = ENDING_WHOLE;
		return false;
	case READINGS_REFUSED:
		run->ending = ENDING_REFUSED;
		return false;
	case READINGS_DAMAGED:
	case READINGS_FOREIGN:
		return true;
	default:
		return take_other(run, line);
	}
}

static bool is_large(const struct run *run)
{
	return run->request->most_bytes > 0 && run->readings.bytes >= run->request->most_bytes;
}

/* Interrupted, large enough, or the node has had all its time. */
static bool is_over(void *context)
{
	const struct run *run = context;

	return *run->request->is_interrupted || is_large(run) ||
			now_ms() - run->begin_ms >
			BEGIN_MS + 1000 * (int64_t)run->request->order.seconds;
}

static void read_by_command(struct run *run, char *expression)
{
	const struct process_reader reader = { run, take, is_over };
	char *command = NULL;
	char shell[] = "sh";
	char option[] = "-c";

	if (asprintf(&command, "%s \"$1\"", run->request->node->via) < 0) {
		return;
	}
	(void)process_stream((char *[]){ shell, option, command, shell, expression, NULL }, &reader,
			GRACE_MS, &run->status, run->diag);
	free(command);
}

/* Evaluates on a node what stands behind -extra; the name of a node without a host is of this one.
 * A signal ends it at once, by which the node knows that it can let others read it. */
static const char helper[] =
		"os:set_signal(sigterm, default), [Name, Text] = init:get_plain_arguments(), "
		"Node = list_to_atom(case lists:member($@, Name) of true -> Name; "
		"false -> Name ++ [$@ | lists:nthtail(length(lists:takewhile(fun(C) -> C =/= $@ end, atom_to_list(node()))) + 1, atom_to_list(node()))] end), "
		"case net_kernel:connect_node(Node) of true -> "
		"{ok, Tokens, _} = erl_scan:string(Text), {ok, Forms} = erl_parse:parse_exprs(Tokens), "
		"case rpc:call(Node, erl_eval, exprs, [Forms, []]) of {badrpc, Why} -> io:format(\"~0P~n\", [Why, 12]); _ -> ok end; "
		"_ -> [Own, Host] = string:split(atom_to_list(Node), [$@]), "
		"io:put_chars([\"csp-unreachable \", case net_adm:names(list_to_atom(Host)) of "
		"{ok, Known} -> Names = [N || {N, _} <- Known, not lists:prefix(\"carrierscope_push_\", N)], "
		"case lists:member(Own, Names) of true -> \"cookie\"; false -> [\"name \", lists:join(\", \", Names)] end; "
		"{error, econnrefused} -> \"epmd\"; {error, address} -> case inet:getaddr(Host, inet) of {ok, _} -> \"epmd\"; _ -> \"host\" end; "
		"{error, _} -> \"host\" end, 10]) end, halt().";

/* Words of `text`, which is changed, behind those of argv. */
static size_t add_words(char *argv[], size_t count, char *text)
{
	for (char *word = text ? strtok(text, " ") : NULL; word && count < ERL_ARGS;
			word = strtok(NULL, " ")) {
		argv[count++] = word;
	}
	return count;
}

/* erl would make a cookie where there is none. */
static bool has_cookie(const struct push_request *request)
{
	const char *home = *request->node->home ? request->node->home : getenv("HOME");
	char *path = NULL;
	bool has_one;

	if (request->node->erl_args && strstr(request->node->erl_args, "-setcookie")) {
		return true;
	}
	has_one = asprintf(&path, "%s/.erlang.cookie", home ? home : "") >= 0 &&
			access(path, R_OK) == 0;
	free(path);
	return has_one;
}

/* A long name has a host with a domain, which this one need not have. */
static void name_own(char ret_name[static OWN_NAME_BYTES], bool is_long, int own)
{
	char host[65] = "";

	if (is_long && gethostname(host, sizeof(host) - 1) == 0) {
		(void)snprintf(ret_name, OWN_NAME_BYTES, "carrierscope_push_%d@%s%s", own, host,
				strchr(host, '.') ? "" : ".invalid");
	} else {
		(void)snprintf(ret_name, OWN_NAME_BYTES, "carrierscope_push_%d", own);
	}
}

static void read_by_name(struct run *run, char *expression, int own)
{
	const struct process_reader reader = { run, take, is_over };
	const struct record_node *node = run->request->node;
	const char *host = strchr(node->name, '@');
	char home[sizeof(node->home) + 8];
	char name[OWN_NAME_BYTES];
	char *more = run->request->node->erl_args ? strdup(run->request->node->erl_args) : NULL;
	char *argv[ERL_ARGS + 24] = { NULL };
	char *fixed[] = { "erl", "-noinput", "-hidden", "-boot", "no_dot_erlang", "-start_epmd",
		"false", "-kernel", "logger_level", "none", "-connect_all", "false",
		host && strchr(host, '.') ? "-name" : "-sname", name };
	size_t count = 0;

	name_own(name, host && strchr(host, '.'), own);
	(void)snprintf(home, sizeof(home), "HOME=%s", node->home);
	argv[count++] = "env";
	argv[count++] = "ERL_CRASH_DUMP_BYTES=0";
	if (*node->home) {
		argv[count++] = home;
	}
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		argv[count++] = fixed[i];
	}
	count = add_words(argv, count, more);
	argv[count++] = "-eval";
	argv[count++] = (char *)helper;
	argv[count++] = "-extra";
	argv[count++] = (char *)node->name;
	argv[count++] = expression;
	(void)process_stream(argv, &reader, GRACE_MS, &run->status, run->diag);
	free(more);
}

/* One run, of a module and a syntax. */
static void read_once(struct run *run, const struct push_order *order)
{
	char *expression = push_expression(order);

	run->is_elixir = false;
	run->is_erlang = false;
	for (int own = 0; expression && own < OWN_NAMES; own++) {
		run->ending = ENDING_NONE;
		run->begin_ms = now_ms();
		*run->said = '\0';
		if (run->request->node->via) {
			read_by_command(run, expression);
		} else {
			read_by_name(run, expression, own);
		}
		if (run->ending != ENDING_NAME_TAKEN) {
			break;
		}
	}
	free(expression);
}

/* A release of mix evaluates Elixir on a running node by `rpc`; what is called eval elsewhere is
 * Erlang's. */
static enum push_syntax first_syntax(const struct push_request *request)
{
	const char *via = request->node->via;
	const char *last = via ? strrchr(via, ' ') : NULL;

	if (request->order.syntax != PUSH_AUTO) {
		return request->order.syntax;
	}
	return last && strcmp(last, " rpc") == 0 ? PUSH_ELIXIR : PUSH_ERLANG;
}

/* By what epmd says of it. */
static enum csc_status fail_to_reach(const struct run *run, struct diag *diag)
{
	const struct record_node *node = run->request->node;
	const char *names = strncmp(run->said, "name ", 5) == 0 ? run->said + 5 : "";

	if (strcmp(run->said, "cookie") == 0) {
		return DIAG_FAIL(diag,
				"node '%s' cannot be reached: it is there, but its cookie is not that of %s%s, or it wants TLS (--erl-args)",
				node->name, *node->home ? "--cookie-file" : "~/.erlang.cookie",
				*node->home ? "" : "; name its file with --cookie-file");
	}
	if (strcmp(run->said, "host") == 0) {
		return DIAG_FAIL(diag,
				"node '%s' cannot be reached: its host is not known here, or does not answer; run this there, or name a command that does (--via)",
				node->name);
	}
	return DIAG_FAIL(diag,
			"node '%s' cannot be reached: %s%s%s; a node without distribution is asked by a command of its own (--via)",
			node->name,
			*run->said != 'n'
					? "no epmd answers on its host, so no node there has distribution"
					: "epmd of its host knows no such node",
			*names ? ", but " : "", names);
}

/* What a command made of the expression instead of evaluating it; NULL: it seems to have got it. */
static const char *misuse_of(const char *said)
{
	if (strstr(said, "yntax error: ") || strstr(said, "unexpected token")) {
		return "a shell in it reads the expression: it has to pass its last argument as it is, such as by \"$1\"";
	}
	return strstr(said, "carrierscope_pushed")
			? "it prints the expression, and does not evaluate it"
			: NULL;
}

static enum csc_status judge(const struct run *run, struct diag *diag)
{
	const struct record_node *node = run->request->node;
	const char *kind = node->via ? "command" : "node";
	const char *name = node->via ? node->via : node->name;

	switch (run->ending) {
	case ENDING_WHOLE:
		return CSC_OK;
	case ENDING_FAILED_TO_WRITE:
		return CSC_ERROR;
	case ENDING_REFUSED:
		return DIAG_FAIL(diag, "the node cannot be read: %s", run->readings.sentence);
	case ENDING_RELEASE:
		return DIAG_FAIL(diag, "the node has OTP %lu; readings are of OTP %d and later",
				run->release, PUSH_OLDEST_RELEASE);
	case ENDING_OWN_NODE:
		return DIAG_FAIL(diag,
				"command '%s' starts a node of its own, as 'bin/APP eval' of a mix release does; name one that asks the running node, such as 'bin/APP rpc'",
				name);
	case ENDING_OWN_OUTPUT:
		return DIAG_FAIL(diag,
				"command '%s' shows values alone, as 'bin/APP eval' of relx does, and not what the node prints; read it by its name: carrierscope record NAME --readings --cookie-file FILE",
				name);
	case ENDING_UNREACHABLE:
		return fail_to_reach(run, diag);
	case ENDING_NAME_TAKEN:
		return DIAG_FAIL(diag,
				"%d others read nodes from this machine now; try again later",
				OWN_NAMES);
	default:
		break;
	}
	if ((*run->request->is_interrupted || is_large(run)) && run->readings.snapshots > 0) {
		return CSC_OK;
	}
	if (run->readings.snapshots > 0) {
		return DIAG_FAIL(diag, "%s '%s' ended early: what it printed until then is judged",
				kind, name);
	}
	if (diag->text[0]) {
		return CSC_ERROR;
	}
	if (!node->via && run->status == STATUS_NOT_FOUND) {
		return DIAG_FAIL(diag, "'erl' cannot be run; is it installed?");
	}
	if (strstr(run->said, "must be accessible by owner only")) {
		return DIAG_FAIL(diag,
				"the cookie of --cookie-file has to be readable by its owner alone (chmod 400)");
	}
	if (strstr(run->said, "register/listen error")) {
		return DIAG_FAIL(diag,
				"node '%s' cannot be reached: no epmd answers on this host, so no node here has distribution; for one elsewhere start it (epmd -daemon), or name a command (--via)",
				name);
	}
	if (node->via && misuse_of(run->said)) {
		return DIAG_FAIL(diag, "%s '%s' gave no reading: %s", kind, name,
				misuse_of(run->said));
	}
	return DIAG_FAIL(diag, "%s '%s' gave no reading: %s", kind, name,
			*run->said ? run->said : "it printed nothing");
}

enum csc_status push_read(const struct push_request *request, struct push_result *ret_result,
		struct diag *diag)
{
	struct run run = { .request = request, .diag = diag };
	struct push_order order = request->order;
	enum csc_status status;

	if (!*module_pushed_modern) {
		return DIAG_FAIL(diag,
				"this carrierscope was built without Erlang, so it has nothing to push into a node");
	}
	if (!request->node->via && !has_cookie(request)) {
		return DIAG_FAIL(diag,
				"there is no cookie in ~/.erlang.cookie; name its file with --cookie-file");
	}
	order.syntax = first_syntax(request);
	readings_begin(&run.readings, request->trace);
	read_once(&run, &order);
	if (request->order.syntax == PUSH_AUTO && request->node->via && run.ending == ENDING_NONE &&
			run.readings.packets == 0 && (run.is_elixir || run.is_erlang)) {
		order.syntax = run.is_elixir ? PUSH_ELIXIR : PUSH_ERLANG;
		read_once(&run, &order);
	}
	if (run.ending == ENDING_RELEASE && run.release >= PUSH_OLDEST_RELEASE &&
			run.release < PUSH_MODERN_RELEASE) {
		order.is_old = true;
		read_once(&run, &order);
	}
	if (request->is_on_tty) {
		fputc('\n', stderr);
	}
	status = judge(&run, diag);
	*ret_result = (struct push_result){ .snapshots = run.readings.snapshots,
		.lost = run.readings.damaged + run.readings.missing };
	return readings_end(&run.readings, diag) == CSC_OK ? status : CSC_ERROR;
}
