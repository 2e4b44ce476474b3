/*
 * SPDX-License-Identifier: MIT
 *
 * The shapes of the rows of rows.h: which member is which column.
 */
#ifndef CSC_SHAPES_H
#define CSC_SHAPES_H

#include "feed_shape.h"

/* Makes the shapes whose columns come from the event lists; call before any thread starts. */
const struct feed_shape *shape_carrier_event(void);
const struct feed_shape *shape_otp_event(void);

/* The shape of an event with a table of its own; NULL: event_model_core_event(number) has none. */
const struct feed_shape *shape_core_event(size_t number);

/* Events of our own provider, with or without a table of their own. */
enum { SHAPE_CORE_EVENT_MAX = 48 };

extern const struct feed_shape shape_packed_block;
extern const struct feed_shape shape_packed_block_kind;
extern const struct feed_shape shape_packed_block_time;
extern const struct feed_shape shape_unpacked_block;
extern const struct feed_shape shape_block_process;
extern const struct feed_shape shape_extra_field;
extern const struct feed_shape shape_lost_interval;
extern const struct feed_shape shape_ledger;

#endif
