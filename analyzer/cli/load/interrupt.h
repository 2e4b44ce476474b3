/*
 * SPDX-License-Identifier: MIT
 *
 * SIGINT and SIGTERM: the first asks to stop, and a second later the program has ended
 * whatever Babeltrace is doing; the second signal ends it at once.
 */
#ifndef CSC_INTERRUPT_H
#define CSC_INTERRUPT_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* What a program that is ended in the midst of its work leaves, and what it prints. */
struct interrupt_end {
	/*
	 * Called in a thread of its own while others may still be at work: removes what is
	 * not whole, and yields the line to print.  `is_abort`: Babeltrace gave up (SIGABRT).
	 */
	const char *(*clean)(void *data, bool is_abort);
	void *data;
};

/*
 * From here on a signal sets the interrupter; it and `how` are borrowed until
 * interrupt_unwatch(), which has to come within a second after the signal.
 */
void interrupt_watch(bt_interrupter *interrupter, const struct interrupt_end *how);
void interrupt_unwatch(void);

bool interrupt_is_set(void);

#endif
