/*
 * SPDX-License-Identifier: MIT
 *
 * What tests of the sink share: a graph with a scripted source, the database
 * that it writes, and pieces of scripts.
 */
#ifndef CSC_SINK_BOARD_H
#define CSC_SINK_BOARD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <babeltrace2/babeltrace.h>
#include <cmocka.h>
#include <sqlite3.h>

#include "scratch.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Pieces of scripts. */
#define CONTEXT "{vpid:i32,vtid:i32,procname:str}"
#define HEAD "type:str,instance:i32,size:u64"
#define COUNTERS                                                                     \
	"mbc_carriers:u64,mbc_carriers_size:u64,mbc_blocks:u64,mbc_blocks_size:u64," \
	"sbc_carriers:u64,sbc_carriers_size:u64,sbc_blocks:u64,sbc_blocks_size:u64"
#define CREATE_CLASS "class create s \"org_erlang_otp:carrier_create\" {" HEAD "," COUNTERS "}\n"
#define CLASSES                                                                        \
	CREATE_CLASS                                                                   \
	"class destroy s \"org_erlang_otp:carrier_destroy\" {" HEAD "," COUNTERS "}\n" \
	"class put s \"org_erlang_otp:carrier_pool_put\" {" HEAD "}\n"                 \
	"class get s \"org_erlang_otp:carrier_pool_get\" {" HEAD "}\n"
#define STREAM "stream s t " CONTEXT "\n"
#define BEGIN "trace t\n" STREAM CLASSES "begin s\n"
#define WHO "{7,8,\"1_scheduler\"}"
#define FIRST "event create 1000 " WHO " {\"eheap_alloc\",1,262144,1,262144,0,0,0,0,0,0}\n"
#define SECOND "event create 2000 " WHO " {\"eheap_alloc\",1,262144,2,524288,9,4096,0,0,0,0}\n"
#define END "end s\n"

struct fixture {
	struct scratch scratch;
	bt_graph *graph;
	sqlite3 *db;
	sqlite3_stmt *rows;

	/* A script made at run time; freed with the fixture. */
	char *script;

	/* What ask() found. */
	char *got;

	/* What Babeltrace reported. */
	char error[8192];
};

/* Setup and teardown of a test. */
int open_fixture(void **state);
int close_fixture(void **state);

#define CASE(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

void close_database(struct fixture *fixture);

/* Adds Babeltrace's error of this thread to `error`. */
void take_error(struct fixture *fixture);

/* Adds the sink and the source, connected; false: the sink refuses, see `error`. */
bool configure(struct fixture *fixture, const char *script, const bt_value *params);

/* The parameters of a load, with a flag or NULL; the caller puts them. */
bt_value *make_params(const char *path, const char *flag);

/* Configures a load that must be accepted. */
void begin_load(struct fixture *fixture, const char *script, const char *flag);

/* Drops the graph, whatever it has done. */
void drop_graph(struct fixture *fixture);

/* Plays a script to its end; false: something failed, see `error`. */
bool load(struct fixture *fixture, const char *script, const char *flag);

/* Opens `fixture->script` for writing; the caller closes it. */
FILE *open_script(struct fixture *fixture);

/* Ends the script and loads it. */
void load_script(struct fixture *fixture, FILE *out);

/* Yields the rows of a query: columns parted by `|`, rows by line ends; valid until the next call.
 */
const char *ask(struct fixture *fixture, const char *sql);

/* The groups of tests, one a file; each yields how many failed. */
int sink_files_tests(void);
int sink_live_tests(void);
int sink_volume_tests(void);
int sink_listed_tests(void);
int sink_batch_tests(void);

#endif
