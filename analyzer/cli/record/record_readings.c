/*
 * SPDX-License-Identifier: MIT
 */
#include "record_readings.h"

#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "recorder_name.h"

struct push_order record_readings_order(const struct record_options *options)
{
	return (struct push_order){ .syntax = options->syntax,
		.seconds = options->seconds,
		.snapshots_ms = options->snapshots_ms,
		.is_forced = options->is_forced,
		.by = "a user's shell" };
}

enum csc_status record_readings(
		const struct push_request *request, bool *ret_has_begun, struct diag *diag)
{
	char *by = recorder_name();
	struct push_request named = *request;
	struct push_result result = { 0 };
	enum csc_status status;

	if (!by) {
		return DIAG_NO_MEMORY(diag);
	}
	named.order.by = by;
	status = push_read(&named, &result, diag);
	free(by);
	*ret_has_begun = result.snapshots > 0;
	if (result.lost > 0 && *ret_has_begun) {
		command_print("%llu packets of readings were damaged or did not come", result.lost);
	}
	return status;
}

int record_readings_print(const struct record_options *options)
{
	struct push_order order = record_readings_order(options);
	char *text;
	int printed;

	order.is_pasted = true;
	text = push_expression(&order);
	printed = text ? puts(text) : EOF;

	free(text);
	return printed == EOF ? command_fail(&(struct diag){ 0 }) : EXIT_DONE;
}
