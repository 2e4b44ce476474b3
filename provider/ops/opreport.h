/* SPDX-License-Identifier: MIT */
/*
 * What the core says during one operation, collected and printed in the order of the format:
 * events, carriers gone, carriers new, carriers resized.
 */
#ifndef CSC_OPREPORT_H
#define CSC_OPREPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "emit.h"
#include "scripted.h"

/* One event of OTP's. */
struct report_event {
	enum csc_event event;
	uint32_t instance;
	struct csc_otp_carrier carrier;
	uint64_t size_bytes;
};

/* Something that happened to a carrier. */
struct report_change {
	enum csc_event event;
	size_t serial;
	struct csc_carrier_note note;
};

/* A carrier that lives. */
struct report_live {
	bool is_live;
	uint64_t address;
	uint64_t size_bytes;
	enum csc_carrier_kind kind;
};

struct opreport {
	/* Weak. */
	FILE *out;
	const struct scripted *scripted;
	const char *allocator;

	bool has_events;
	bool has_failed;

	struct report_event *events;
	size_t event_count;
	size_t event_room;

	struct report_change *changes;
	size_t change_count;
	size_t change_room;

	/* By serial. */
	struct report_live *lives;
	size_t serial_count;
	size_t live_count;
};

/* Returns CSC_NO_MEMORY if there is none. */
enum csc_status opreport_init(struct opreport *report, FILE *out, const struct scripted *scripted,
		const char *allocator, bool has_events, size_t serial_count);
void opreport_finish(struct opreport *report);

/* The listener that fills `report`. */
struct csc_listener opreport_listener(struct opreport *report);

/*
 * Prints what was collected under operation `number` and forgets it.  `is_grouped`: events in the
 * order of instances.
 */
void opreport_print(struct opreport *report, size_t number, bool is_grouped);

const char *opreport_kind(enum csc_carrier_kind kind);
const char *opreport_source(enum csc_carrier_source source);

#endif
