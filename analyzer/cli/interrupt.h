/*
 * SPDX-License-Identifier: MIT
 *
 * SIGINT and SIGTERM: the first asks to stop, the second ends the program.
 */
#ifndef CSC_INTERRUPT_H
#define CSC_INTERRUPT_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

/* From here on a signal sets the interrupter, which is borrowed until interrupt_unwatch(). */
void interrupt_watch(bt_interrupter *interrupter);
void interrupt_unwatch(void);

bool interrupt_is_set(void);

#endif
