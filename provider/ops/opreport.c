/* SPDX-License-Identifier: MIT */
/* What the core says during one operation. */
#include "opreport.h"

#include <inttypes.h>
#include <stdlib.h>

enum csc_status opreport_init(struct opreport *report, FILE *out, const struct scripted *scripted,
		const char *allocator, bool has_events, size_t serial_count)
{
	*report = (struct opreport){
		.out = out,
		.scripted = scripted,
		.allocator = allocator,
		.has_events = has_events,
		.serial_count = serial_count,
		.lives = calloc(serial_count + 1, sizeof(*report->lives)),
	};
	return report->lives ? CSC_OK : CSC_NO_MEMORY;
}

void opreport_finish(struct opreport *report)
{
	free(report->events);
	free(report->changes);
	free(report->lives);
}

static struct report_event *report_add_event(struct opreport *report)
{
	if (report->event_count == report->event_room) {
		size_t room = report->event_room ? report->event_room * 2 : 64;
		void *moved = realloc(report->events, room * sizeof(*report->events));

		if (!moved) {
			report->has_failed = true;
			return NULL;
		}
		report->events = moved;
		report->event_room = room;
	}
	return &report->events[report->event_count++];
}

static void report_carrier(
		void *context, enum csc_event event, const struct csc_otp_carrier *values)
{
	struct report_event *added = report_add_event(context);

	if (added) {
		*added = (struct report_event){
			.event = event,
			.instance = values->instance,
			.carrier = *values,
			.size_bytes = values->size_bytes,
		};
	}
}

static void report_pool(void *context, enum csc_event event, const struct csc_otp_pool *values)
{
	struct report_event *added = report_add_event(context);

	if (added) {
		*added = (struct report_event){
			.event = event,
			.instance = values->instance,
			.size_bytes = values->size_bytes,
		};
	}
}

/* Keeps the table of living carriers. */
static void report_follow(struct opreport *report, size_t serial, enum csc_event event,
		const struct csc_carrier_note *note)
{
	struct report_live *live = &report->lives[serial];
	bool is_live = event != CSC_EVENT_CARRIER_FREE;

	report->live_count += (size_t)is_live - (size_t)live->is_live;
	if (event != CSC_EVENT_CARRIER_ALLOC) {
		live->is_live = is_live;
		live->size_bytes = note->size_bytes;
		return;
	}
	*live = (struct report_live){
		.is_live = true,
		.address = note->address,
		.size_bytes = note->size_bytes,
		.kind = note->kind,
	};
}

static void report_note(void *context, enum csc_event event, const struct csc_carrier_note *values)
{
	struct opreport *report = context;
	size_t serial = scripted_serial(report->scripted, values->address);

	if (event == CSC_EVENT_CARRIER_REALLOC &&
			report->lives[serial].size_bytes == values->size_bytes) {
		return;
	}
	if (report->change_count == report->change_room) {
		size_t room = report->change_room ? report->change_room * 2 : 64;
		void *moved = realloc(report->changes, room * sizeof(*report->changes));

		if (!moved) {
			report->has_failed = true;
			return;
		}
		report->changes = moved;
		report->change_room = room;
	}
	report->changes[report->change_count++] = (struct report_change){
		.event = event,
		.serial = serial,
		.note = *values,
	};
	report_follow(report, serial, event, values);
}

struct csc_listener opreport_listener(struct opreport *report)
{
	struct csc_listener listener = {
		.context = report,
		.enabled = CSC_EVENT_BIT(CSC_EVENT_CARRIER_ALLOC) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_FREE) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_REALLOC),
		.carrier = report_carrier,
		.pool = report_pool,
		.note = report_note,
	};

	if (report->has_events) {
		listener.enabled |= CSC_EVENT_BIT(CSC_EVENT_CARRIER_CREATE) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_DESTROY) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_POOL_PUT) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_POOL_GET);
	}
	return listener;
}

const char *opreport_kind(enum csc_carrier_kind kind)
{
	static const char *const names[] = { "main", "mbc", "sbc" };

	return names[kind];
}

const char *opreport_source(enum csc_carrier_source source)
{
	return source == CSC_SOURCE_MSEG ? "mseg" : "sys";
}

static void report_print_event(
		const struct opreport *report, size_t number, const struct report_event *event)
{
	static const char *const names[] = { "carrier_create", "carrier_destroy",
		"carrier_pool_put", "carrier_pool_get" };
	const struct csc_otp_carrier *carrier = &event->carrier;

	fprintf(report->out, "! %zu %s %s %" PRIu32 " %" PRIu64, number, names[event->event],
			report->allocator, event->instance, event->size_bytes);
	if (event->event == CSC_EVENT_CARRIER_CREATE || event->event == CSC_EVENT_CARRIER_DESTROY) {
		fprintf(report->out,
				" %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
				" %" PRIu64 " %" PRIu64 " %" PRIu64,
				carrier->mbc_carriers, carrier->mbc_carriers_size,
				carrier->mbc_blocks, carrier->mbc_blocks_size,
				carrier->sbc_carriers, carrier->sbc_carriers_size,
				carrier->sbc_blocks, carrier->sbc_blocks_size);
	}
	fputc('\n', report->out);
}

static void report_print_events(const struct opreport *report, size_t number, bool is_grouped)
{
	uint32_t instances = 1;

	if (is_grouped) {
		for (size_t i = 0; i < report->event_count; i++) {
			if (report->events[i].instance >= instances) {
				instances = report->events[i].instance + 1;
			}
		}
	}
	for (uint32_t instance = 0; instance < instances; instance++) {
		for (size_t i = 0; i < report->event_count; i++) {
			if (!is_grouped || report->events[i].instance == instance) {
				report_print_event(report, number, &report->events[i]);
			}
		}
	}
}

static int report_by_serial(const void *a, const void *b)
{
	const struct report_change *one = a;
	const struct report_change *two = b;

	return (one->serial > two->serial) - (one->serial < two->serial);
}

static void report_print_change(
		const struct opreport *report, size_t number, const struct report_change *change)
{
	const struct csc_carrier_note *note = &change->note;

	switch (change->event) {
	case CSC_EVENT_CARRIER_FREE:
		fprintf(report->out, "- %zu %zu\n", number, change->serial);
		break;
	case CSC_EVENT_CARRIER_ALLOC:
		fprintf(report->out, "+ %zu %zu %s %s %" PRIu64 " 0x%" PRIx64 " %" PRIu32 "\n",
				number, change->serial, opreport_kind(note->kind),
				opreport_source(note->source), note->size_bytes,
				scripted_base(report->scripted, change->serial), note->instance);
		break;
	default:
		fprintf(report->out, "~ %zu %zu %" PRIu64 "\n", number, change->serial,
				note->size_bytes);
		break;
	}
}

void opreport_print(struct opreport *report, size_t number, bool is_grouped)
{
	static const enum csc_event order[] = { CSC_EVENT_CARRIER_FREE, CSC_EVENT_CARRIER_ALLOC,
		CSC_EVENT_CARRIER_REALLOC };

	report_print_events(report, number, is_grouped);
	if (report->change_count > 1) {
		qsort(report->changes, report->change_count, sizeof(*report->changes),
				report_by_serial);
	}
	for (size_t i = 0; report->change_count && i < sizeof(order) / sizeof(order[0]); i++) {
		for (size_t k = 0; k < report->change_count; k++) {
			if (report->changes[k].event == order[i]) {
				report_print_change(report, number, &report->changes[k]);
			}
		}
	}
	report->event_count = 0;
	report->change_count = 0;
}
