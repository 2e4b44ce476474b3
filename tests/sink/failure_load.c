/*
 * SPDX-License-Identifier: MIT
 */
#include "failure_load.h"

#include <stdint.h>

#include <babeltrace2/babeltrace.h>

#include "fault_vfs.h"
#include "intake.h"
#include "scripted_source.h"
#include "store.h"

enum { MAX_MESSAGES = 64 };

/* The messages of a source, made once. */
static bt_message_iterator *iterator;
static const bt_message *messages[MAX_MESSAGES];
static size_t message_count;

/* A batch: two blocks, at 60 and at 61. */
#define RECORDS "\x01\x01\x08\x04\x02\x3d\x05\x65\x05\x02\x03"

static const char script[] =
		"trace t\nenv t vpid 5\nenv t hostname \"node\"\nenv t procname \"beam.smp\"\n"
		"env t tracer_name \"lttng-ust\"\nenv t tracer_major 2\nenv t tracer_minor 13\n"
		"env t trace_name \"n\"\nenv t tracer_buffering_scheme \"uid\"\n"
		"env t trace_creation_datetime \"x\"\nuuid t 00112233445566778899aabbccddeeff\n"
		"stream s t {vpid:i32,vtid:i32,procname:str} packets losses lossclocks\n"
		"name s \"/x/y/ch_0\"\n"
		"class create s \"org_erlang_otp:carrier_create\" {type:str,instance:i32,size:u64,"
		"mbc_carriers:u64,mbc_carriers_size:u64,mbc_blocks:u64,mbc_blocks_size:u64,"
		"sbc_carriers:u64,sbc_carriers_size:u64,sbc_blocks:u64,sbc_blocks_size:u64,new:str}\n"
		"class put s \"org_erlang_otp:carrier_pool_put\" {type:str,instance:i32,size:u64}\n"
		"class get s \"org_erlang_otp:carrier_pool_get\" {type:str,instance:i32,size:u64}\n"
		"class out s \"org_erlang_otp:driver_output\" {pid:str,port:str,driver:str,bytes:u64}\n"
		"class new s \"org_erlang_otp:new\" {a:[2x{b:u8}]}\n"
		"class malloc s \"lttng_ust_libc:malloc\" {size:u64,ptr:u64}\n"
		"class batch s \"carrierscope:block_batch\" {ring:u32,thread:u32,ordinal:u64,"
		"first_ns:u64,last_ns:u64,horizon_ns:u64,records:u32,lost:u64,payload:str}\n"
		"class other s \"x:y\" -\n"
		"begin s\npacket s 1\n"
		"event create 10 {7,7,\"beam.smp\"} {\"eheap_alloc\",1,100,1,100,0,0,0,0,0,0,\"n\"}\n"
		"event create 20 {7,8,\"one\"} {\"eheap_alloc\",1,200,2,300,0,0,0,0,0,0,\"n\"}\n"
		"event put 30 {7,8,\"one\"} {\"eheap_alloc\",1,200}\n"
		"event get 40 {7,8,\"two\"} {\"ets_alloc\",2,10}\n"
		"event create 50 {7,8,\"two\"} {\"ets_alloc\",2,200,1,200,0,0,1,600,0,0,\"n\"}\n"
		"event out 60 {7,8,\"two\"} {\"p\",\"q\",\"d\",18446744073709551615}\n"
		"event new 70 {7,8,\"two\"} {[{1},{2}]}\n"
		"event malloc 80 {9,9,\"three\"} {100,4096}\n"
		"event put 85 {7,8,\"one\"} {\"eheap_alloc\",1,18446744073709551615}\n"
		/* Two records that come late; then of nine two, behind a gap. */
		"event batch 86 {7,8,\"two\"} {0,8,0,60,61,61,2,0,\"" RECORDS "\"}\n"
		"event batch 87 {7,8,\"two\"} {0,20,3,60,61,70,9,4,\"" RECORDS "\"}\n"
		"event put 88 {7,20,\"six\"} {\"eheap_alloc\",1,200}\n"
		"event other 90 {7,8,\"two\"} -\n"
		"endpacket s 95\ndiscarded-events s 95 99 18446744073709551614\n"
		"discarded-packets s 95 99 2\nend s\n";

static bt_graph_simple_sink_component_initialize_func_status keep_iterator(
		bt_message_iterator *upstream, void *data)
{
	(void)data;
	iterator = upstream;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_INITIALIZE_FUNC_STATUS_OK;
}

static bt_graph_simple_sink_component_consume_func_status keep_messages(
		bt_message_iterator *upstream, void *data)
{
	bt_message_array_const batch;
	uint64_t count;
	bt_message_iterator_next_status status = bt_message_iterator_next(upstream, &batch, &count);

	(void)data;
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK) {
		return (bt_graph_simple_sink_component_consume_func_status)(int)status;
	}

	for (uint64_t i = 0; i < count; i++) {
		messages[message_count++] = batch[i];
	}

	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static bt_graph *graph;

int failure_load_begin(void **state)
{
	const bt_component_class_source *source_class = scripted_source_create();
	const bt_component_source *source;
	const bt_component_sink *sink;

	(void)state;
	graph = bt_graph_create(0);
	if (!source_class || !graph ||
			bt_graph_add_source_component_with_initialize_method_data(graph,
					source_class, "source", NULL, (void *)(uintptr_t)script,
					BT_LOGGING_LEVEL_NONE, &source) ||
			bt_graph_add_simple_sink_component(graph, "sink", keep_iterator,
					keep_messages, NULL, NULL, &sink) ||
			bt_graph_connect_ports(graph,
					bt_component_source_borrow_output_port_by_index_const(
							source, 0),
					bt_component_sink_borrow_input_port_by_index_const(sink, 0),
					NULL) ||
			bt_graph_run(graph)) {
		return -1;
	}

	bt_component_class_source_put_ref(source_class);
	return fault_vfs_install() ? 0 : -1;
}

int failure_load_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < message_count; i++) {
		bt_message_put_ref(messages[i]);
	}

	bt_graph_put_ref(graph);
	return 0;
}

enum csc_status failure_load(const char *path, enum situation situation, struct diag *diag)
{
	const struct store_options options = {
		.path = path,
		.is_forced = situation == SITUATION_FORCE,
		.is_appending = situation == SITUATION_APPEND,
		.loader_name = "test",
		.vfs = FAULT_VFS,
	};
	struct store *store = NULL;
	struct intake *intake = NULL;
	enum csc_status status = store_open(&options, &store, diag);

	if (status == CSC_OK) {
		status = intake_create(store, NULL, 0, false, &intake, diag);
	}

	for (size_t i = 0; i < message_count && status == CSC_OK; i++) {
		status = intake_take(intake, messages[i], diag);
		if (i == message_count / 2 && situation == SITUATION_LIVE && status == CSC_OK) {
			status = store_go_live(store, diag);
		}
	}

	if (status == CSC_OK) {
		status = intake_end(intake, diag);
	}

	if (status == CSC_OK) {
		status = store_close(store, true, diag);
	} else {
		store_destroy(store);
	}

	intake_destroy(intake);
	return status;
}
