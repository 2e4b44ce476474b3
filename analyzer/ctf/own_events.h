/*
 * SPDX-License-Identifier: MIT
 *
 * The events of provider `carrierscope`, as LTTng numbers them and as TSDL: tp/ has the list.
 */
#ifndef CSC_OWN_EVENTS_H
#define CSC_OWN_EVENTS_H

#include <stddef.h>

struct own_event {
	/* "carrierscope:snapshot_begin" */
	const char *name;

	/* A declaration in each line: "\t\tstring _name;\n", "\t\tuint64_t _bytes;\n". */
	const char *fields;
};

extern const struct own_event own_events[];
extern const size_t own_event_count;

#endif
