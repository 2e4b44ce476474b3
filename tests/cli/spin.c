/*
 * SPDX-License-Identifier: MIT
 *
 * Preloaded into `carrierscope`, it is a Babeltrace that never comes back: from a query
 * (CSC_SPIN=query) or in the midst of a graph's run (CSC_SPIN=run), where some rows are
 * written already; or one that gives up (CSC_SPIN=abort).  It makes file CSC_SPIN_MARK then.
 */
#include <babeltrace2/babeltrace.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void mark(void)
{
	const char *path = getenv("CSC_SPIN_MARK");

	if (path) {
		(void)close(open(path, O_CREAT | O_WRONLY, 0666));
	}
}

static void spin(void)
{
	static volatile unsigned long rounds;

	mark();
	for (;;) {
		rounds++;
	}
}

static bool is_meant(const char *what)
{
	const char *text = getenv("CSC_SPIN");

	return text && strcmp(text, what) == 0;
}

bt_query_executor_query_status bt_query_executor_query(
		bt_query_executor *executor, const bt_value **result)
{
	static bt_query_executor_query_status (*below)(bt_query_executor *, const bt_value **);

	if (is_meant("query")) {
		spin();
	}

	if (!below) {
		*(void **)&below = dlsym(RTLD_NEXT, "bt_query_executor_query");
	}

	return below(executor, result);
}

bt_graph_run_once_status bt_graph_run_once(bt_graph *graph)
{
	static bt_graph_run_once_status (*below)(bt_graph *);
	static int runs;

	if (++runs > 3 && is_meant("run")) {
		spin();
	}

	if (runs > 3 && is_meant("abort")) {
		mark();
		abort();
	}

	if (!below) {
		*(void **)&below = dlsym(RTLD_NEXT, "bt_graph_run_once");
	}

	return below(graph);
}
