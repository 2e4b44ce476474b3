/*
 * SPDX-License-Identifier: MIT
 *
 * For those who read the lists of events without LTTng.  A reader defines what a class, an instance
 * and a field are to it, each time before it includes a list:
 *
 *	LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)
 *	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args)
 *	lttng_ust_field_...(type, name, source)
 */
#ifndef CSC_READ_LISTS_H
#define CSC_READ_LISTS_H

/* As in LTTng: such an event is the only one of a class of the same name. */
#define LTTNG_UST_TRACEPOINT_EVENT(provider, name, args, fields)                            \
	LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, LTTNG_UST_TP_FIELDS(fields)) \
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(provider, name, provider, name, args)

#define LTTNG_UST_TP_ARGS(...)
#define LTTNG_UST_TP_FIELDS(...) __VA_ARGS__
#define LTTNG_UST_TRACEPOINT_LOGLEVEL(provider, name, level)

#endif
