/*
 * SPDX-License-Identifier: MIT
 *
 * A term of Erlang, as text.
 */
#include "keep_start.h"

#include <stdio.h>
#include <stdlib.h>

#include "recorder_name.h"

/* Samples at an alarm are one in so many bytes. */
enum { ALARM_SAMPLE = 65536 };

/* With the map of options that carrierscope_keeper takes. */
void keep_start_call(const struct keep_options *options, const struct keep_ring *ring, int lease_ms,
		char *ret_text, size_t bytes)
{
	char *by = recorder_name();
	size_t length = (size_t)snprintf(ret_text, bytes,
			"start(#{by => \"%s\", token => \"%s\", mark => \"%s\", every => %u, quiet => %u, sample => %llu, rules => #{",
			by ? by : "carrierscope keep", ring->prefix, ring->mark,
			options->snapshot_seconds * 1000, options->quiet_seconds * 1000,
			(unsigned long long)options->sample_bytes);
	const char *comma = "";

	free(by);

	for (int i = 0; i < KEEP_REASONS && length < bytes; i++) {
		if (options->rules[i].is_on) {
			length += (size_t)snprintf(ret_text + length, bytes - length,
					"%s%s => %llu", comma, keep_reason_names[i],
					(unsigned long long)options->rules[i].threshold);
			comma = ", ";
		}
	}
	if (length < bytes) {
		length += (size_t)snprintf(ret_text + length, bytes - length, "}");
	}
	if (options->alarm_sample_seconds > 0 && options->sample_bytes == 0 && length < bytes) {
		length += (size_t)snprintf(ret_text + length, bytes - length,
				", at_alarm => {%d, %u}", ALARM_SAMPLE,
				options->alarm_sample_seconds * 1000);
	}
	if (!ring->is_on_disk && length < bytes) {
		length += (size_t)snprintf(ret_text + length, bytes - length,
				", hours => {%llu, %llu}", (unsigned long long)ring->hours_bytes,
				options->history_seconds * 1000ULL);
		if (length < bytes) {
			length += (size_t)snprintf(ret_text + length, bytes - length,
					", least_ring => %llu",
					(unsigned long long)ring->least_bytes);
		}
	}
	if (length < bytes) {
		(void)snprintf(ret_text + length, bytes - length, "}, %d)", lease_ms);
	}
}
