/*
 * SPDX-License-Identifier: MIT
 *
 * A page that `carrierscope serve` answers with: made by a thread of its own, once for each version
 * of its databases, while others are answered.
 */
#ifndef CSC_SERVE_PAGE_H
#define CSC_SERVE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <microhttpd.h>

#include "diag.h"

struct serve_page;

enum serve_kind {
	/* The page of one database. */
	SERVE_PAGE,

	/* A line for each of several. */
	SERVE_INDEX,

	/* OpenMetrics of all. */
	SERVE_METRICS,
};

/* Databases, borrowed until serve_page_end(). */
struct serve_files {
	const char *const *paths;
	size_t count;
};

enum csc_status serve_page_start(enum serve_kind kind, struct serve_files files,
		struct serve_page **ret_page, struct diag *diag);

/*
 * Answers with the page, or why there is none.  A page that must be made first suspends the
 * connection: it is asked for again when the page is there, and then `has_waited`.
 * *ret_is_waiting: it was.
 */
enum MHD_Result serve_page_answer(struct serve_page *page, struct MHD_Connection *connection,
		bool has_waited, bool *ret_is_waiting);

/* An answer of one sentence, which MHD_queue_response() takes; NULL: out of memory. */
struct MHD_Response *serve_page_sentence(const char *sentence);

/*
 * Ends its making, and resumes who waits.  False: it does not end in time, which the end of the
 * process has to do.
 */
bool serve_page_end(struct serve_page *page);

/* Once no connection is left. */
void serve_page_free(struct serve_page *page);

#endif
