/*
 * SPDX-License-Identifier: MIT
 *
 * The rows of the event tables, as they travel from the reader's thread to the
 * writer's, in batches.  Plain values; texts lie in the batch's arena.
 */
#ifndef CSC_ROWS_H
#define CSC_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event_model.h"

/* In an integer member of a row: SQL NULL.  No field can have this value (see intake.h). */
#define ROW_NULL INT64_MIN

/* A text in the arena of the row's batch; `offset` ROW_NO_TEXT is SQL NULL. */
struct row_text {
	uint32_t offset;
	uint32_t length;
};
#define ROW_NO_TEXT UINT32_MAX

/* Severities of load_problem, mildest first. */
enum severity {
	SEVERITY_INFO,
	SEVERITY_NOTICE,
	SEVERITY_DATA_LOSS,
	SEVERITY_ERROR,
};

/* The eight counters of a create or destroy, in the order of the event list. */
enum carrier_counter {
	MBC_CARRIERS,
	MBC_CARRIERS_SIZE,
	MBC_BLOCKS,
	MBC_BLOCKS_SIZE,
	SBC_CARRIERS,
	SBC_CARRIERS_SIZE,
	SBC_BLOCKS,
	SBC_BLOCKS_SIZE,
	CARRIER_COUNTERS,
};

/* carrier_event_class in schema/events/events.sql. */
enum carrier_class {
	CLASS_MULTI_BLOCK,
	CLASS_SINGLE_BLOCK,
	CLASS_OWNED,
	CLASS_POOLED,
};

struct carrier_row {
	int64_t id;
	int64_t ts_ns;
	int64_t size;

	/* ROW_NULL in a put or get. */
	int64_t counter[CARRIER_COUNTERS];

	/* Filled by the writer: enum carrier_class or ROW_NULL; 1, 0 or ROW_NULL; bytes. */
	int64_t class;
	int64_t class_exact;
	int64_t footprint_bytes;

	/* enum carrier_event_kind. */
	int32_t kind;

	/* Numbers from 0 (thread: -1 if not known); in the table they are ids. */
	int32_t instance;
	int32_t thread;

	/* Whose instance it is, and its number there; not in the table. */
	int32_t runtime;
	int32_t allocator;
	int32_t instance_number;
};

/* block_event_op in schema/events/events.sql. */
enum block_op {
	BLOCK_ALLOC,
	BLOCK_FREE,
	BLOCK_REALLOC,
};

struct block_row {
	int64_t id;
	int64_t ts_ns;
	int64_t address;
	int64_t size;
	int64_t type_id;
	int64_t allocator_id;
	int64_t instance;
	int32_t thread;
	int32_t op;

	/* Filled by the writer: id of the row whose block ends here. */
	int64_t ended_id;

	/* Field `process` of the event; ROW_NULL: not known. */
	int64_t process;

	/*
	 * Not in the table.  is_libc: to be counted in libc_total.  is_realloc_free: the first of
	 * the two rows of a reallocation.  Filled by the writer: size of the block that ends here;
	 * whether it ends only because another is made at its address.
	 */
	int64_t old_address;
	int64_t ended_size;
	int32_t runtime;
	bool is_libc;
	bool is_realloc_free;
	bool is_reuse;
};

/* From a row of block_event on, a thread runs this Erlang process; ROW_NO_TEXT: none. */
struct process_row {
	int64_t from_id;
	int32_t thread;
	struct row_text pid;
};

/* A value whose type is known at run time only. */
struct row_any {
	enum {
		ANY_NULL,
		ANY_INTEGER,
		ANY_REAL,
		ANY_TEXT,
	} kind;
	union {
		int64_t integer;
		double real;
		struct row_text text;
	} as;
};

struct otp_row {
	int64_t id;
	int64_t ts_ns;
	struct row_text event;
	struct row_text provider;
	int32_t runtime;
	int32_t thread;
	struct row_any value[OTP_FIELD_MAX];
};

/* An event with a table of its own. */
struct core_event_row {
	int64_t id;
	int64_t ts_ns;
	int32_t runtime;
	int32_t thread;

	/* Number of its model: event_model_core_event(). */
	int32_t event;
	struct row_any value[EVENT_MODEL_MAX_FIELDS];
};

struct extra_row {
	int64_t event_id;
	struct row_text event_table;
	struct row_text field;
	struct row_any value;
};

struct lost_row {
	int64_t id;
	int64_t source_id;

	/* ROW_NULL: a stream that could not be opened. */
	int64_t stream_id;
	struct row_text cause;
	int64_t begin_ns;
	int64_t end_ns;
	int64_t events;
	int64_t packets;
	struct row_text file;
	int64_t offset_bytes;
	int64_t length_bytes;
};

/* ledger_kind in schema/events/events.sql. */
enum ledger_kind {
	LEDGER_POOL_FETCH,
	LEDGER_SBC_FREE,
	LEDGER_SBC_RESIZE,
	LEDGER_FOREIGN_ADOPTION,
	LEDGER_RESURRECTION,
	LEDGER_BASE_MBC,
	LEDGER_BASE_SBC,
	LEDGER_UNEXPLAINED_MBC,
	LEDGER_UNEXPLAINED_SBC,
	LEDGER_KINDS,
};

struct ledger_row {
	int64_t id;
	int64_t event_id;
	int64_t instance_id;
	int64_t carriers_min;
	int64_t carriers_max;
	int64_t bytes_min;
	int64_t bytes_max;
	int32_t kind;
};

#endif
