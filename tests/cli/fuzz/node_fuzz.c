/*
 * SPDX-License-Identifier: MIT
 *
 * What erl_call, or the command of --via, prints of a node's answer; and what is read of it: by
 * `top`, and of a minute for a fleet.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "keep_fleet.h"
#include "node.h"
#include "process.h"
#include "push_minutes.h"
#include "top_node.h"

static const uint8_t *printed;
static size_t printed_bytes;

/* Instead of process_run(), by the linker's --wrap. */
enum csc_status __wrap_process_run(char *const argv[], const char *input, int timeout_ms,
		struct process_result *ret_result, struct diag *diag);
enum csc_status __wrap_process_run(char *const argv[], const char *input, int timeout_ms,
		struct process_result *ret_result, struct diag *diag)
{
	size_t length = printed_bytes < sizeof(ret_result->output) - 1
			? printed_bytes
			: sizeof(ret_result->output) - 1;

	(void)argv;
	(void)input;
	(void)timeout_ms;
	(void)diag;
	memcpy(ret_result->output, printed, length);
	ret_result->output[length] = '\0';
	ret_result->status = 0;
	return CSC_OK;
}

/* Nothing is waited for. */
void __wrap_process_pause(void);
void __wrap_process_pause(void)
{
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct record_node node = { .name = "node", .ebin = "ebin" };
	static char answer[NODE_ANSWER_BYTES];
	static char copy[NODE_ANSWER_BYTES];
	static struct top_reading reading;
	struct keep_fleet fleet = { 0 };
	struct push_minute minute;
	struct diag diag = { 0 };

	printed = data;
	printed_bytes = size;
	if (record_node_ask(&node, "carrierscope_top", "look(1, 1)", answer, &diag) != CSC_OK) {
		if (!diag_is_set(&diag)) {
			abort();
		}
		return 0;
	}
	memcpy(copy, answer, sizeof(copy));
	(void)top_node_parse(copy, &reading, &diag);
	(void)push_minute_read(answer, &minute);
	/* Nothing is known of the node, so that no minute is written. */
	keep_fleet_take(&fleet, answer);
	return 0;
}
