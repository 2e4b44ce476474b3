/*
 * SPDX-License-Identifier: MIT
 *
 * Options of `carrierscope keep`.
 */
#include "keep_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "amount.h"
#include "command.h"
#include "fleet_options.h"
#include "push_labels.h"

enum {
	KEY_NODE = 256,
	KEY_VIA,
	KEY_PID,
	KEY_EBIN,
	KEY_COOKIE,
	KEY_ERL_ARGS,
	KEY_SNAPSHOTS,
	KEY_SAMPLE,
	KEY_ALARM_SAMPLE,
	KEY_HISTORY,
	KEY_MEMORY,
	KEY_ALARM,
	KEY_QUIET,
	KEY_KEEP,
	KEY_ROTATE,
	KEY_ON_ALARM,
	KEY_ONCE,
	KEY_LABEL,
	KEY_SPOOL,
	KEY_PUSH_EVERY,
	KEY_MODE
};

/* LTTng's timer of rotations has 32 bits of microseconds. */
enum {
	LEAST_SAMPLE = 4096,
	MOST_ALARMS = 100000,
	DEFAULT_KEEP_SECONDS = 86400,
	MOST_ROTATE_SECONDS = 4294,
	MOST_TIMER_DAYS = 30,
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Which node:", 1 },
	{ "node", KEY_NODE, "NAME[@HOST]", 0,
			"a node with distribution, asked by erl_call; NAME alone is the same", 1 },
	{ "via", KEY_VIA, "COMMAND", 0,
			"a node that a shell command evaluates expressions on, such as \"rabbitmqctl eval\"",
			1 },
	{ "pid", KEY_PID, "PID", 0, "the node with this process id, by its -name or -sname", 1 },
	{ "erl-args", KEY_ERL_ARGS, "ARGUMENTS", 0,
			"for the erl that reads a node by its NAME, such as \"-proto_dist inet_tls\"",
			1 },
	{ "cookie-file", KEY_COOKIE, "FILE", 0, "the cookie (default ~/.erlang.cookie)", 1 },
	{ "ebin", KEY_EBIN, "DIR", 0, "folder of module carrierscope as the node sees it", 1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "snapshots", KEY_SNAPSHOTS, "TIME", 0, "time between snapshots (default 10s)", 2 },
	{ "sample", KEY_SAMPLE, "BYTES", 0,
			"also record one block in so many bytes, such as 512KiB, all the time; this hooks the node",
			2 },
	{ "sample-at-alarm", KEY_ALARM_SAMPLE, "TIME|off", 0,
			"hook the node at an alarm and record one block in 64 KiB for so long (default 1m)",
			2 },
	{ "history", KEY_HISTORY, "TIME", 0,
			"how long the ring is to hold snapshots (default 4h): those before the last minutes are then further apart",
			2 },
	{ "memory", KEY_MEMORY, "BYTES", 0, "LTTng's buffers in all (default 48MiB)", 2 },
	{ "rotate", KEY_ROTATE, "TIME", 0,
			"record to disk, in parts of this length, such as 10m (at most 71m); default: a ring in memory",
			2 },
	{ NULL, 0, NULL, 0, "Alarms:", 3 },
	{ "alarm", KEY_ALARM, "RULE", 0,
			"'rss>80%' (of what is left for the process), 'cgroup>90%' (of the limit of its control group), 'rss>4GiB', 'growth>256MiB' (in a minute), "
			"'large_heap>256MiB', 'long_gc>1000ms', 'failures>0', or NAME=off; those here are the default, but for 'rss>4GiB'",
			3 },
	{ "quiet", KEY_QUIET, "TIME", 0, "a rule raises no second alarm for so long (default 10m)",
			3 },
	{ "on-alarm", KEY_ON_ALARM, "COMMAND", 0,
			"run this with sh after each alarm; CARRIERSCOPE_DATABASE, _TEXT, _REASON and _NODE are set",
			3 },
	{ NULL, 0, NULL, 0, "Into:", 4 },
	{ "output", 'o', "DIR", 0, "folder for what alarms leave: a database and a text each", 4 },
	COMMAND_OPTION_MODE_IN(KEY_MODE, 4),
	{ "keep", KEY_KEEP, "N|TIME", 0,
			"keep the last N alarms (default 20); with --rotate also how long parts are kept (default 1d)",
			4 },
	{ "once", KEY_ONCE, NULL, 0, "end when the node is gone; default: wait for it to come back",
			4 },
	{ NULL, 0, NULL, 0, "To a fleet, also (carrierscope push):", 5 },
	FLEET_OPTIONS,
	{ "label", KEY_LABEL, "NAME=VALUE", 0, PUSH_LABEL_HELP, 5 },
	{ "push-every", KEY_PUSH_EVERY, "TIME", 0,
			"send minutes so often (default 1h); alarms are sent at once", 5 },
	{ "spool", KEY_SPOOL, "BYTES", 0,
			"what waits in DIR/spool while the server is away (default 64MiB): then the oldest goes",
			5 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE(KEY_NODE, struct keep_options, node),
	COMMAND_VALUE(KEY_VIA, struct keep_options, via),
	COMMAND_VALUE(KEY_EBIN, struct keep_options, ebin),
	COMMAND_VALUE(KEY_COOKIE, struct keep_options, cookie_file),
	COMMAND_VALUE(KEY_ERL_ARGS, struct keep_options, erl_args),
	COMMAND_VALUE(KEY_ON_ALARM, struct keep_options, on_alarm),
	COMMAND_VALUE('o', struct keep_options, folder),
	COMMAND_FLAG(KEY_ONCE, struct keep_options, is_once),
	FLEET_FLAGS(struct keep_options),
	{ 0 },
};

const char *const keep_reason_names[KEEP_REASONS] = { "rss_share", "cgroup_share", "rss", "growth",
	"large_heap", "long_gc", "failures" };

static unsigned int take_time(const struct argp_state *state, const char *option, const char *text)
{
	unsigned int seconds;

	if (!amount_seconds(text, &seconds)) {
		command_misuse(state, "'%s %s': a time such as 10s, 10m, 2h or 1d", option, text);
	}
	return seconds;
}

/* Of timers of the node, which count milliseconds in 32 bits. */
static unsigned int take_timer(const struct argp_state *state, const char *option, const char *text)
{
	unsigned int seconds = take_time(state, option, text);

	if (seconds > MOST_TIMER_DAYS * 86400) {
		command_misuse(state, "'%s %s': at most %dd", option, text, MOST_TIMER_DAYS);
	}
	return seconds;
}

static uint64_t take_bytes(const struct argp_state *state, const char *option, const char *text)
{
	uint64_t bytes;

	if (!amount_bytes(text, &bytes)) {
		command_misuse(state, "'%s %s': a number of bytes, such as 64KiB", option, text);
	}
	return bytes;
}

/* A plain number with a unit that may be left out. */
static bool read_plain(const char *text, const char *unit, uint64_t most, uint64_t *ret_number)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (end == text || strchr(text, '-') || number > most || (*end && strcmp(end, unit) != 0)) {
		return false;
	}
	*ret_number = number;
	return true;
}

static bool read_threshold(enum keep_reason reason, const char *text, uint64_t *ret_threshold)
{
	switch (reason) {
	case KEEP_RSS_SHARE:
	case KEEP_CGROUP_SHARE:
		return read_plain(text, "%", 100, ret_threshold);
	case KEEP_LONG_GC:
		return read_plain(text, "ms", 3600000, ret_threshold);
	case KEEP_FAILURES:
		return read_plain(text, "", 1U << 30, ret_threshold);
	default:
		return amount_bytes(text, ret_threshold);
	}
}

/* Of a limit, and not an amount. */
static bool is_share(enum keep_reason reason)
{
	return reason == KEEP_RSS_SHARE || reason == KEEP_CGROUP_SHARE;
}

static const char *rule_name(enum keep_reason reason)
{
	return reason == KEEP_RSS_SHARE		      ? "rss"
			: reason == KEEP_CGROUP_SHARE ? "cgroup"
						      : keep_reason_names[reason];
}

/* NAME>THRESHOLD or NAME=off; rss is both a share and an amount. */
static void take_rule(
		const struct argp_state *state, struct keep_options *options, const char *text)
{
	size_t length = strcspn(text, ">=");
	const char *value = text[length] ? text + length + 1 : "";

	for (int i = 0; i < KEEP_REASONS; i++) {
		enum keep_reason reason = (enum keep_reason)i;
		struct keep_rule *rule = &options->rules[i];
		uint64_t threshold = 0;
		const char *name = rule_name(reason);
		bool is_named = strlen(name) == length && strncmp(text, name, length) == 0;

		if (is_named && strcmp(text + length, "=off") == 0) {
			rule->is_on = false;
			/* The next one has the same name. */
			if (reason == KEEP_RSS_SHARE) {
				continue;
			}
			return;
		}
		if (is_named && text[length] == '>' &&
				is_share(reason) == (strchr(value, '%') != NULL) &&
				read_threshold(reason, value, &threshold)) {
			*rule = (struct keep_rule){ true, threshold };
			return;
		}
	}
	command_misuse(state,
			"'--alarm %s': one of 'rss>80%%', 'cgroup>90%%', 'rss>4GiB', 'growth>256MiB', "
			"'large_heap>256MiB', 'long_gc>1000ms', 'failures>0', or NAME=off",
			text);
}

/* "20" is a number of alarms, "1d" a time. */
static void take_keep(
		const struct argp_state *state, struct keep_options *options, const char *text)
{
	uint64_t number;

	if (read_plain(text, "", UINT64_MAX, &number)) {
		if (number == 0 || number > MOST_ALARMS) {
			command_misuse(state,
					"'--keep %s': from 1 to %d alarms, or a time such as 1d",
					text, MOST_ALARMS);
		}
		options->most_alarms = (unsigned int)number;
	} else {
		options->keep_seconds = take_time(state, "--keep", text);
	}
}

static void take_label(
		const struct argp_state *state, struct keep_options *options, const char *text)
{
	struct push_labels labels = { 0 };

	if (!push_labels_take(&labels, text)) {
		command_misuse(state, PUSH_LABEL_MISUSE, text);
	}
	if (options->label_count == KEEP_LABELS) {
		command_misuse(state, "'--label %s': a label is given twice", text);
	}
	options->labels[options->label_count++] = text;
}

static void check(const struct argp_state *state, const struct keep_options *options)
{
	int ways = (options->node != NULL) + (options->via != NULL) + (options->pid != 0);

	if (ways != 1) {
		command_misuse(state,
				ways == 0 ? "which node? NAME, --via COMMAND or --pid PID"
					  : "NAME, --via and --pid exclude each other");
	}
	if (options->erl_args && options->via) {
		command_misuse(state, "--erl-args takes a node by its NAME");
	}
	if (!options->folder || !*options->folder) {
		command_misuse(state, "a folder is needed: --output DIR");
	}
	if (options->label_count > 0 && !options->fleet.server.address) {
		command_misuse(state, "'--label' is for a fleet: --to URL");
	}
	if (options->keep_seconds > 0 && options->rotate_seconds == 0) {
		command_misuse(state,
				"'--keep TIME' is for '--rotate'; without it name a number of alarms");
	}
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct keep_options *options = state->input;
	uint64_t pid;

	switch (key) {
	case ARGP_KEY_ARG:
		if (options->node) {
			command_misuse(state, "one node at a time: '%s' and '%s'", options->node,
					argument);
		}
		options->node = argument;
		return 0;
	case KEY_PID:
		if (!read_plain(argument, "", 1U << 30, &pid) || pid == 0) {
			command_misuse(state, "'--pid %s': a process id", argument);
		}
		options->pid = (pid_t)pid;
		return 0;
	case KEY_SNAPSHOTS:
		options->snapshot_seconds = take_timer(state, "--snapshots", argument);
		return 0;
	case KEY_SAMPLE:
		options->sample_bytes = take_bytes(state, "--sample", argument);
		if (options->sample_bytes < LEAST_SAMPLE) {
			command_misuse(state, "'--sample %s': at least %d bytes", argument,
					LEAST_SAMPLE);
		}
		return 0;
	case KEY_ALARM_SAMPLE:
		options->alarm_sample_seconds = strcmp(argument, "off") == 0
				? 0
				: take_timer(state, "--sample-at-alarm", argument);
		return 0;
	case KEY_HISTORY:
		options->history_seconds = take_time(state, "--history", argument);
		return 0;
	case KEY_MEMORY:
		options->memory_bytes = take_bytes(state, "--memory", argument);
		return 0;
	case KEY_ALARM:
		take_rule(state, options, argument);
		return 0;
	case KEY_QUIET:
		options->quiet_seconds = take_timer(state, "--quiet", argument);
		return 0;
	case KEY_MODE:
		command_take_mode(state, argument);
		return 0;
	case KEY_KEEP:
		take_keep(state, options, argument);
		return 0;
	case KEY_ROTATE:
		options->rotate_seconds = take_time(state, "--rotate", argument);
		if (options->rotate_seconds == 0 || options->rotate_seconds > MOST_ROTATE_SECONDS) {
			command_misuse(state,
					"'--rotate %s': a part is from 1s to 71m long; how long parts are kept is --keep",
					argument);
		}
		return 0;
	case KEY_LABEL:
		take_label(state, options, argument);
		return 0;
	case KEY_SPOOL:
		options->spool_bytes = take_bytes(state, "--spool", argument);
		return 0;
	case KEY_PUSH_EVERY:
		options->push_seconds = take_time(state, "--push-every", argument);
		return 0;
	case FLEET_KEY_TIMEOUT:
		fleet_take_timeout(state, &options->fleet, argument);
		return 0;
	case ARGP_KEY_END:
		check(state, options);
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

void keep_options_read(int argc, char **argv, struct keep_options *ret_options)
{
	*ret_options = (struct keep_options){
		.rules = {
			[KEEP_RSS_SHARE] = { true, 80 },
			[KEEP_CGROUP_SHARE] = { true, 90 },
			[KEEP_GROWTH] = { true, 256 << 20 },
			[KEEP_LARGE_HEAP] = { true, 256 << 20 },
			[KEEP_LONG_GC] = { true, 1000 },
			[KEEP_FAILURES] = { true, 0 },
		},
		.snapshot_seconds = 10,
		.quiet_seconds = 600,
		.alarm_sample_seconds = 60,
		.history_seconds = 4 * 3600,
		.memory_bytes = 48 << 20,
		.most_alarms = 20,
		.fleet = FLEET_DEFAULTS,
		.spool_bytes = 64 << 20,
		.push_seconds = 3600,
	};
	command_read(argc, argv, table, parse, "[NAME[@HOST]]",
			"Records a node all the time, and keeps what there was when something went wrong.\v"
			"A snapshot of the node each 10 s, and OTP's carrier events, go to a ring in memory; nothing "
			"is written to disk until an alarm. At an alarm, or when the node is gone, the ring is loaded and "
			"judged into DIR. So is a ring that a killed keeper left, when the next one starts.\n\n"
			"With --to the node's minutes and its alarms go to a fleet.\n\n"
			"Exit status: 0 ended by a signal or with --once by the end of the node, 1 failed, 2 misuse.",
			ret_options);
	if (ret_options->rotate_seconds > 0 && ret_options->keep_seconds == 0) {
		ret_options->keep_seconds = DEFAULT_KEEP_SECONDS;
	}
}
