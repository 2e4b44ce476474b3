/*
 * SPDX-License-Identifier: MIT
 *
 * What a node evaluates: it loads the pushed module, lets it run, and deletes it.
 */
#ifndef CSC_PUSH_EXPRESSION_H
#define CSC_PUSH_EXPRESSION_H

#include <stdbool.h>

enum push_syntax { PUSH_AUTO, PUSH_ERLANG, PUSH_ELIXIR };

struct push_order {
	enum push_syntax syntax;

	/* Of the releases before PUSH_MODERN_RELEASE. */
	bool is_old;

	unsigned int seconds;
	unsigned int snapshots_ms;

	/* So many holders, for `carrierscope top`; 0: snapshots. */
	unsigned int watched;

	/* Also where little memory is free. */
	bool is_forced;

	/* Of alarms: pairs of a map of Erlang; borrowed, NULL: none.  A rule that raised one is
	 * silent for so long. */
	const char *rules;
	unsigned int quiet_ms;

	/* What an earlier run gave back in push_request.history; borrowed, NULL: none. */
	const char *history;

	/* Evaluated by a person, who sees the node's own output. */
	bool is_pasted;

	/* Who asks; borrowed. */
	const char *by;
};

/* One line of that syntax, PUSH_AUTO as PUSH_ERLANG; the caller frees it.  NULL: out of memory. */
char *push_expression(const struct push_order *order);

#endif
