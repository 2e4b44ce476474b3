/*
 * SPDX-License-Identifier: MIT
 *
 * The node that is recorded: expressions that it evaluates.
 */
#ifndef CSC_RECORD_NODE_H
#define CSC_RECORD_NODE_H

#include <stddef.h>
#include <sys/types.h>

#include "diag.h"
#include "note.h"

/* How the node is asked; all borrowed. */
struct record_node {
	/* NAME or NAME@HOST, for erl_call; NULL: by `via`. */
	const char *name;

	/* A shell command that gets the expression as its last argument; NULL: by erl_call. */
	const char *via;

	/* More arguments of the erl that reads a node by its name, as for TLS; NULL: none. erl_call
	 * takes none of them, so the node is not asked by it. */
	const char *erl_args;

	/* Folder of module carrierscope, as the node sees it. */
	const char *ebin;

	/* A folder with the cookie, see record_node_use_cookie(); empty: the home of the user. */
	char home[420];
};

/* Answers are at most so long, in bytes. */
enum { NODE_ANSWER_BYTES = 8192 };

/*
 * Evaluates CALL of a module of ours; what follows "csc-ok" in its answer is copied to
 * ret_answer, without blanks before it.  Errors: the node cannot be asked, lacks the module, or
 * answers with one sentence.
 */
enum csc_status record_node_ask(const struct record_node *node, const char *module,
		const char *call, char ret_answer[static NODE_ANSWER_BYTES], struct diag *diag);

/*
 * Takes the cookie from a file, not from ~/.erlang.cookie.  It never stands in a command line. What
 * that needs ends with the note.  Errors: the file cannot be read, there is no note.
 */
enum csc_status record_node_use_cookie(struct record_node *node, const char *file,
		const struct note *note, struct diag *diag);

/* The name of a node by the arguments of its process (-name, -sname).  Errors: it has none. */
enum csc_status record_node_of_process(pid_t pid, char *ret_name, size_t bytes, struct diag *diag);

/* The folder of the modules that belong to this program; empty: they are not installed. */
void record_node_find_ebin(char *ret_ebin, size_t bytes);

#endif
