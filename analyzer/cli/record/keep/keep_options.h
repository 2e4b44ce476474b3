/*
 * SPDX-License-Identifier: MIT
 *
 * What the user asked `carrierscope keep` for.
 */
#ifndef CSC_KEEP_OPTIONS_H
#define CSC_KEEP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fleet_options.h"

/* Reasons for an alarm, as carrierscope_keeper.erl names them. */
enum keep_reason {
	KEEP_RSS_SHARE,
	KEEP_CGROUP_SHARE,
	KEEP_RSS,
	KEEP_GROWTH,
	KEEP_LARGE_HEAP,
	KEEP_LONG_GC,
	KEEP_FAILURES,
	KEEP_REASONS
};
extern const char *const keep_reason_names[KEEP_REASONS];

struct keep_rule {
	bool is_on;

	/* Percent, bytes, milliseconds or a number. */
	uint64_t threshold;
};

/* As many labels as a fleet knows, each once. */
enum { KEEP_LABELS = 5 };

struct keep_options {
	/* Which node: one of these; borrowed. */
	const char *node;
	const char *via;
	pid_t pid;
	const char *ebin;
	const char *cookie_file;
	const char *erl_args;

	/* Where alarms are kept; borrowed. */
	const char *folder;

	/* A shell command; borrowed, NULL: none. */
	const char *on_alarm;
	struct keep_rule rules[KEEP_REASONS];

	/* Between snapshots, and while a rule is silent after it raised an alarm. */
	unsigned int snapshot_seconds;
	unsigned int quiet_seconds;

	/* One block in so many bytes; 0: none. */
	uint64_t sample_bytes;

	/* At an alarm one in ALARM_SAMPLE bytes is sampled for so long; 0: never. */
	unsigned int alarm_sample_seconds;

	/* Snapshots of so long are in the ring at least. */
	unsigned int history_seconds;

	/* Bytes of LTTng's buffers in all. */
	uint64_t memory_bytes;

	/* How many alarms are kept. */
	unsigned int most_alarms;

	/* 0: a ring in memory; else so long is each part of the recording on disk, which is kept
	 * for keep_seconds. */
	unsigned int rotate_seconds;
	unsigned int keep_seconds;

	/* A fleet; no address: none.  Labels as push takes them, borrowed. */
	struct fleet_options fleet;
	const char *labels[KEEP_LABELS];
	unsigned int label_count;
	uint64_t spool_bytes;
	unsigned int push_seconds;

	/* It ends when the node is gone. */
	bool is_once;
};

/* Reads the arguments; ends the program on --help and on a misuse. */
void keep_options_read(int argc, char **argv, struct keep_options *ret_options);

#endif
