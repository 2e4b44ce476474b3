/*
 * SPDX-License-Identifier: MIT
 *
 * Members to columns, in the order of the tables of schema/.
 */
#include "shapes.h"

#include "block_packer.h"
#include "rows.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Columns of carrier_event before and behind the counters, whose names the list gives. */
enum {
	CARRIER_HEAD = 6,
	CARRIER_TAIL = 3,
	CARRIER_COLUMNS = CARRIER_HEAD + CARRIER_COUNTERS + CARRIER_TAIL,
	/* type, instance and size come before the counters in the list. */
	CARRIER_FIELDS_BEFORE_COUNTERS = 3,
};

static struct feed_column carrier_columns[CARRIER_COLUMNS] = {
	{ "id", FEED_INT64, offsetof(struct carrier_row, id) },
	{ "ts_ns", FEED_INT64, offsetof(struct carrier_row, ts_ns) },
	{ "kind", FEED_INT32, offsetof(struct carrier_row, kind) },
	{ "instance_id", FEED_ID, offsetof(struct carrier_row, instance) },
	{ "thread_id", FEED_ID, offsetof(struct carrier_row, thread) },
	{ "size", FEED_INT64, offsetof(struct carrier_row, size) },
	[CARRIER_HEAD + CARRIER_COUNTERS] = { "class", FEED_INT64,
			offsetof(struct carrier_row, class) },
	{ "class_exact", FEED_INT64, offsetof(struct carrier_row, class_exact) },
	{ "footprint_bytes", FEED_INT64, offsetof(struct carrier_row, footprint_bytes) },
};

static const struct feed_shape carrier_event = {
	.table = "carrier_event",
	.row_size = sizeof(struct carrier_row),
	.column_count = CARRIER_COLUMNS,
	.columns = carrier_columns,
};

const struct feed_shape *shape_carrier_event(void)
{
	const struct event_model *model = event_model_carrier(CARRIER_EVENT_carrier_create);

	for (size_t i = 0; i < CARRIER_COUNTERS; i++) {
		carrier_columns[CARRIER_HEAD + i] = (struct feed_column){
			model->fields[CARRIER_FIELDS_BEFORE_COUNTERS + i].name,
			FEED_INT64,
			offsetof(struct carrier_row, counter) + i * sizeof(int64_t),
		};
	}

	return &carrier_event;
}

enum { OTP_HEAD = 6 };

static struct feed_column otp_columns[OTP_HEAD + OTP_FIELD_MAX] = {
	{ "id", FEED_INT64, offsetof(struct otp_row, id) },
	{ "ts_ns", FEED_INT64, offsetof(struct otp_row, ts_ns) },
	{ "event", FEED_TEXT, offsetof(struct otp_row, event) },
	{ "provider", FEED_TEXT, offsetof(struct otp_row, provider) },
	{ "runtime_id", FEED_ID, offsetof(struct otp_row, runtime) },
	{ "thread_id", FEED_ID, offsetof(struct otp_row, thread) },
};

static struct feed_shape otp_event = {
	.table = "otp_event",
	.row_size = sizeof(struct otp_row),
	.columns = otp_columns,
};

const struct feed_shape *shape_otp_event(void)
{
	size_t count = otp_field_count();

	for (size_t i = 0; i < count; i++) {
		otp_columns[OTP_HEAD + i] = (struct feed_column){
			otp_field_at(i)->name,
			FEED_ANY,
			offsetof(struct otp_row, value) + i * sizeof(struct row_any),
		};
	}

	otp_event.column_count = OTP_HEAD + count;
	return &otp_event;
}

enum { OWN_HEAD = 4 };

static struct feed_column own_columns[SHAPE_CORE_EVENT_MAX][OWN_HEAD + EVENT_MODEL_MAX_FIELDS];
static struct feed_shape own_shapes[SHAPE_CORE_EVENT_MAX];

const struct feed_shape *shape_core_event(size_t number)
{
	static const struct feed_column head[OWN_HEAD] = {
		{ "id", FEED_INT64, offsetof(struct core_event_row, id) },
		{ "ts_ns", FEED_INT64, offsetof(struct core_event_row, ts_ns) },
		{ "runtime_id", FEED_ID, offsetof(struct core_event_row, runtime) },
		{ "thread_id", FEED_ID, offsetof(struct core_event_row, thread) },
	};
	const struct event_model *model = event_model_core_event(number);

	if (!model || model->table != TABLE_CORE_EVENT || number >= SHAPE_CORE_EVENT_MAX) {
		return NULL;
	}

	for (size_t i = 0; i < OWN_HEAD; i++) {
		own_columns[number][i] = head[i];
	}

	for (size_t i = 0; i < model->field_count; i++) {
		own_columns[number][OWN_HEAD + i] = (struct feed_column){
			model->fields[i].name,
			FEED_ANY,
			offsetof(struct core_event_row, value) + i * sizeof(struct row_any),
		};
	}

	own_shapes[number] = (struct feed_shape){
		.table = model->name,
		.row_size = sizeof(struct core_event_row),
		.column_count = OWN_HEAD + model->field_count,
		.columns = own_columns[number],
	};
	return &own_shapes[number];
}

static const struct feed_column packed_columns[] = {
	{ "id", FEED_INT64, offsetof(struct packed_row, id) },
	{ "word", FEED_INT64, offsetof(struct packed_row, word) },
	{ "place", FEED_INT64, offsetof(struct packed_row, place) },
};

const struct feed_shape shape_packed_block = { "packed_block", sizeof(struct packed_row),
	COUNT_OF(packed_columns), .columns = packed_columns, .has_rowid = true };

static const struct feed_column kind_columns[] = {
	{ "id", FEED_INT64, offsetof(struct packed_kind_row, id) },
	{ "thread_id", FEED_INT64, offsetof(struct packed_kind_row, key.thread) },
	{ "type_id", FEED_INT64, offsetof(struct packed_kind_row, key.type) },
	{ "allocator_id", FEED_INT64, offsetof(struct packed_kind_row, key.allocator) },
	{ "instance", FEED_INT64, offsetof(struct packed_kind_row, key.instance) },
	{ "process", FEED_INT64, offsetof(struct packed_kind_row, key.process) },
	{ "zone", FEED_INT64, offsetof(struct packed_kind_row, key.zone) },
};

const struct feed_shape shape_packed_block_kind = { "packed_block_kind",
	sizeof(struct packed_kind_row), COUNT_OF(kind_columns), .columns = kind_columns };

static const struct feed_column time_columns[] = {
	{ "from_id", FEED_INT64, offsetof(struct packed_time_row, from_id) },
	{ "ts_ns", FEED_INT64, offsetof(struct packed_time_row, ts_ns) },
};

const struct feed_shape shape_packed_block_time = { "packed_block_time",
	sizeof(struct packed_time_row), COUNT_OF(time_columns), .columns = time_columns };

static const struct feed_column unpacked_columns[] = {
	{ "block_event_id", FEED_INT64, offsetof(struct block_row, id) },
	{ "ts_ns", FEED_INT64, offsetof(struct block_row, ts_ns) },
	{ "op", FEED_INT32, offsetof(struct block_row, op) },
	{ "thread_id", FEED_ID, offsetof(struct block_row, thread) },
	{ "address", FEED_INT64, offsetof(struct block_row, address) },
	{ "size", FEED_INT64, offsetof(struct block_row, size) },
	{ "type_id", FEED_INT64, offsetof(struct block_row, type_id) },
	{ "allocator_id", FEED_INT64, offsetof(struct block_row, allocator_id) },
	{ "instance", FEED_INT64, offsetof(struct block_row, instance) },
	{ "ended_id", FEED_INT64, offsetof(struct block_row, ended_id) },
	{ "process", FEED_INT64, offsetof(struct block_row, process) },
};

const struct feed_shape shape_unpacked_block = { "unpacked_block", sizeof(struct block_row),
	COUNT_OF(unpacked_columns), .columns = unpacked_columns };

static const struct feed_column process_columns[] = {
	{ "thread_id", FEED_ID, offsetof(struct process_row, thread) },
	{ "from_id", FEED_INT64, offsetof(struct process_row, from_id) },
	{ "pid", FEED_TEXT, offsetof(struct process_row, pid) },
};

const struct feed_shape shape_block_process = { "block_process", sizeof(struct process_row),
	COUNT_OF(process_columns), .columns = process_columns };

static const struct feed_column extra_columns[] = {
	{ "event_table", FEED_TEXT, offsetof(struct extra_row, event_table) },
	{ "event_id", FEED_INT64, offsetof(struct extra_row, event_id) },
	{ "field", FEED_TEXT, offsetof(struct extra_row, field) },
	{ "value", FEED_ANY, offsetof(struct extra_row, value) },
};

const struct feed_shape shape_extra_field = { "extra_field", sizeof(struct extra_row),
	COUNT_OF(extra_columns), .columns = extra_columns };

static const struct feed_column lost_columns[] = {
	{ "id", FEED_INT64, offsetof(struct lost_row, id) },
	{ "source_id", FEED_INT64, offsetof(struct lost_row, source_id) },
	{ "stream_id", FEED_INT64, offsetof(struct lost_row, stream_id) },
	{ "cause", FEED_TEXT, offsetof(struct lost_row, cause) },
	{ "begin_ns", FEED_INT64, offsetof(struct lost_row, begin_ns) },
	{ "end_ns", FEED_INT64, offsetof(struct lost_row, end_ns) },
	{ "events", FEED_INT64, offsetof(struct lost_row, events) },
	{ "packets", FEED_INT64, offsetof(struct lost_row, packets) },
	{ "file", FEED_TEXT, offsetof(struct lost_row, file) },
	{ "offset_bytes", FEED_INT64, offsetof(struct lost_row, offset_bytes) },
	{ "length_bytes", FEED_INT64, offsetof(struct lost_row, length_bytes) },
};

const struct feed_shape shape_lost_interval = { "lost_interval", sizeof(struct lost_row),
	COUNT_OF(lost_columns), .columns = lost_columns };

static const struct feed_column ledger_columns[] = {
	{ "id", FEED_INT64, offsetof(struct ledger_row, id) },
	{ "event_id", FEED_INT64, offsetof(struct ledger_row, event_id) },
	{ "instance_id", FEED_INT64, offsetof(struct ledger_row, instance_id) },
	{ "kind", FEED_INT32, offsetof(struct ledger_row, kind) },
	{ "carriers_min", FEED_INT64, offsetof(struct ledger_row, carriers_min) },
	{ "carriers_max", FEED_INT64, offsetof(struct ledger_row, carriers_max) },
	{ "bytes_min", FEED_INT64, offsetof(struct ledger_row, bytes_min) },
	{ "bytes_max", FEED_INT64, offsetof(struct ledger_row, bytes_max) },
};

const struct feed_shape shape_ledger = { "ledger", sizeof(struct ledger_row),
	COUNT_OF(ledger_columns), .columns = ledger_columns };
