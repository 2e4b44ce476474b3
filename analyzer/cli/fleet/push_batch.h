/*
 * SPDX-License-Identifier: MIT
 *
 * Pushes on their way to a server: several at once, as each insertion costs a server the same
 * again.
 */
#ifndef CSC_PUSH_BATCH_H
#define CSC_PUSH_BATCH_H

#include <stddef.h>

#include "diag.h"
#include "push_table.h"
#include "server.h"

/* Of how many pushes a batch is; of some hundred weeks a server takes no insertion. */
enum { BATCH_PUSHES = 32 };

struct push_batch {
	struct server *server;
	size_t count;

	/* Of all rows. */
	size_t bytes;
	struct batched {
		/* Borrowed. */
		const char *file;
		struct push_rows rows;

		/* The server has it. */
		bool is_there;
	} pushes[BATCH_PUSHES];
};

/*
 * Takes the rows of a push of `file`; those before it are sent first when all would be too many, or
 * when they have a recording of it, whose last push counts.  Errors: those of push_batch_send().
 */
enum csc_status push_batch_add(struct push_batch *batch, const char *file, struct push_rows *rows,
		struct diag *diag);

/*
 * Sends what the server does not have yet, and prints a line for each push.  Errors: those of
 * server_ask(); of each push all is visible then, or nothing.
 */
enum csc_status push_batch_send(struct push_batch *batch, struct diag *diag);

/* Forgets what was not sent. */
void push_batch_finish(struct push_batch *batch);

#endif
