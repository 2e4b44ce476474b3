/*
 * SPDX-License-Identifier: MIT
 *
 * The node that is recorded: expressions that it evaluates.
 */
#ifndef CSC_RECORD_NODE_H
#define CSC_RECORD_NODE_H

#include "diag.h"

/* How the node is asked; all borrowed. */
struct record_node {
	/* NAME or NAME@HOST, for erl_call; NULL: by `via`. */
	const char *name;

	/* A shell command that gets the expression as its last argument; NULL: by erl_call. */
	const char *via;

	/* Folder of module carrierscope, as the node sees it. */
	const char *ebin;
};

/* Answers are at most so long, in bytes. */
enum { NODE_ANSWER_BYTES = 1024 };

/*
 * Evaluates CALL of module carrierscope_recorder; what follows "csc-ok" in its answer is copied to
 * ret_answer, without blanks before it.  Errors: the node cannot be asked, lacks the module, or
 * answers with one sentence.
 */
enum csc_status record_node_ask(const struct record_node *node, const char *call,
		char ret_answer[static NODE_ANSWER_BYTES], struct diag *diag);

#endif
