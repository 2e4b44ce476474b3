/*
 * SPDX-License-Identifier: MIT
 *
 * The module is a variable, so that Elixir needs no second coat of base64 around it.
 */
#include "push_expression.h"

#include <stdio.h>
#include <stdlib.h>

#include "push_module.h"

/*
 * Variable B is the module.  A purge takes 40 bytes for each process of the node: of many, the
 * module is only deleted. A registered name keeps a second one away; it goes with this process. A
 * node that starts only to evaluate this is not the one that is meant.  Where what is printed goes
 * to the node's own output, as by `eval` of relx, nothing is: only the value is seen.
 */
static const char core[] =
		"try register(carrierscope_pusher, self()) of true -> "
		"try {list_to_integer(erlang:system_info(otp_release)), node(), element(1, erlang:statistics(wall_clock)), "
		"not %s andalso lists:member(group_leader(), [G || {_, G} <- [{user, whereis(user)} | [process_info(P, group_leader) || P <- [whereis(rex)], is_pid(P)]]])} of "
		"{_, nonode@nohost, Age, _} when Age < 10000 -> io:put_chars(\"csp-own-node\\n\"); "
		"{_, _, _, true} -> csp_own_output; "
		"{Release, _, _, _} when Release < %d; Release >= %d -> io:put_chars([\"csp-release \", integer_to_list(Release), 10]); "
		"_ -> code:purge(carrierscope_pushed), "
		"{module, M} = code:load_binary(carrierscope_pushed, \"carrierscope_pushed\", zlib:gunzip(base64:decode(B))), "
		"try M:run(#{ms => %u, seconds => %u, watch => %u, force => %s, rules => #{%s}, quiet => %u, history => %s, by => \"%s\"}) after code:delete(M), "
		"erlang:system_info(process_count) > 25000 orelse code:purge(M) end "
		"after catch unregister(carrierscope_pusher) end "
		"catch error:badarg -> io:put_chars([\"csp-error another carrierscope reads this node, from \", "
		"try atom_to_list(node(element(2, process_info(whereis(carrierscope_pusher), group_leader)))) catch _:_ -> \"a node that is gone\" end, 10]) "
		"end";

/* Beyond any release. */
enum { NO_RELEASE = 1000 };

/* A text of a string of Erlang: what could end it, or is not ASCII, is '?'. */
static void clean(char *text)
{
	for (; *text; text++) {
		if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\') {
			*text = '?';
		}
	}
}

static char *make_core(const struct push_order *order)
{
	char by[200];
	char *text = NULL;

	(void)snprintf(by, sizeof(by), "%s", order->by);
	clean(by);
	return asprintf(&text, core, order->is_pasted ? "true" : "false",
			       order->is_old ? PUSH_OLDEST_RELEASE : PUSH_MODERN_RELEASE,
			       order->is_old ? PUSH_MODERN_RELEASE : NO_RELEASE,
			       order->snapshots_ms, order->seconds, order->watched,
			       order->is_forced ? "true" : "false",
			       order->rules ? order->rules : "", order->quiet_ms,
			       order->history && *order->history ? order->history : "[]", by) < 0
			? NULL
			: text;
}

/* A new text in base64; NULL: out of memory. */
static char *encode(const char *text)
{
	static const char digits[] =
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *encoded = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&encoded, &bytes);

	while (stream && *text) {
		unsigned int group = 0;
		int count = 0;

		for (int i = 0; i < 3; i++) {
			count += *text != '\0';
			group = group << 8 | (unsigned char)*text;
			text += *text != '\0';
		}
		for (int i = 0; i < 4; i++) {
			fputc(i <= count ? digits[group >> (18 - 6 * i) & 63] : '=', stream);
		}
	}
	if (!stream || fclose(stream) != 0) {
		free(encoded);
		return NULL;
	}
	return encoded;
}

static char *make_elixir(const char *erlang, const char *module)
{
	char *encoded = encode(erlang);
	char *text = NULL;

	if (encoded &&
			asprintf(&text,
					"{:ok, t, _} = :erl_scan.string(:erlang.binary_to_list(:base64.decode(\"%s\"))); "
					"{:ok, f} = :erl_parse.parse_exprs(t); "
					"{:value, v, _} = :erl_eval.exprs(f, [{:B, \"%s\"}]); v",
					encoded, module) < 0) {
		text = NULL;
	}
	free(encoded);
	return text;
}

char *push_expression(const struct push_order *order)
{
	const char *module = order->is_old ? module_pushed_old : module_pushed_modern;
	char *erlang = make_core(order);
	char *text = NULL;

	if (!erlang) {
		return NULL;
	}
	if (order->syntax == PUSH_ELIXIR) {
		char *ended = NULL;

		if (asprintf(&ended, "%s.", erlang) >= 0) {
			text = make_elixir(ended, module);
			free(ended);
		}
	} else if (asprintf(&text, "B = \"%s\", %s.", module, erlang) < 0) {
		text = NULL;
	}
	free(erlang);
	return text;
}
