/*
 * SPDX-License-Identifier: MIT
 *
 * Options that both commands share.
 */
#include "source_options.h"

#include "amount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t source_number(const struct argp_state *state, const char *name, const char *text,
		uint64_t least, uint64_t most)
{
	char *end;
	unsigned long long number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || end == text || *end || strchr(text, '-') || number < least || number > most) {
		command_misuse(state, "invalid value '%s' for %s: a number from %llu to %llu", text,
				name, (unsigned long long)least, (unsigned long long)most);
	}
	return number;
}

/* A plain number is MiB, as it was before there were units. */
static uint64_t read_memory(const struct argp_state *state, const char *text)
{
	uint64_t bytes;

	if (text[strspn(text, "0123456789")] == '\0') {
		return source_number(state, "--memory", text, 1, UINT32_MAX) << 20;
	}
	if (!amount_bytes(text, &bytes)) {
		command_misuse(state, "'--memory %s': a size such as 512MiB; a plain number is MiB",
				text);
	}
	return bytes;
}

bool source_parse(struct sweep_request *request, int key, const char *argument,
		const struct argp_state *state)
{
	switch (key) {
	case KEY_RUNTIME:
		request->runtime =
				(int64_t)source_number(state, "--runtime", argument, 1, INT64_MAX);
		return true;
	case KEY_OTP:
		request->generation = csc_generation_find(argument);
		if (!request->generation) {
			command_misuse(state,
					"unknown release '%s'; use 24rc0, 24.0.1, 25, 27, 28 or 29",
					argument);
		}
		return true;
	case KEY_SCHEDULERS:
		request->schedulers =
				(uint32_t)source_number(state, "--schedulers", argument, 1, 1024);
		return true;
	case ARGP_KEY_END:
		if (!request->path) {
			command_misuse(state, "no FILE given");
		}
		return true;
	case KEY_MEMORY:
		request->budget_bytes = read_memory(state, argument);
		return true;
	case 'j':
		request->workers = (uint32_t)source_number(state, "--jobs", argument, 1, 256);
		return true;
	default:
		return false;
	}
}

uint64_t source_max_mappings(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
	char line[32] = "";
	uint64_t number = 0;

	if (file) {
		if (fgets(line, sizeof(line), file)) {
			number = strtoull(line, NULL, 10);
		}
		(void)fclose(file);
	}
	return number;
}

int source_fail(const struct diag *diag)
{
	int status = command_fail(diag);

	return diag->is_refusal ? EXIT_LOSS : status;
}
