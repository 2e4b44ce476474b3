/*
 * SPDX-License-Identifier: MIT
 *
 * One handler, one flag.
 */
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t has_signal;

/* Borrowed; bt_interrupter_set() only stores a flag. */
static bt_interrupter *volatile watched;

static void handle(int number)
{
	(void)number;
	has_signal = 1;
	if (watched) {
		bt_interrupter_set(watched);
	}
}

void interrupt_watch(bt_interrupter *interrupter)
{
	struct sigaction action = { 0 };

	watched = interrupter;
	action.sa_handler = handle;
	/* The second signal has the default action. */
	action.sa_flags = (int)SA_RESETHAND;
	(void)sigemptyset(&action.sa_mask);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
}

void interrupt_unwatch(void)
{
	watched = NULL;
}

bool interrupt_is_set(void)
{
	return has_signal != 0;
}
