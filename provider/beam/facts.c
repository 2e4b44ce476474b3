/* SPDX-License-Identifier: MIT */
/* Facts to events. */
#include "facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "carrierscope_tp.h"

void facts_free(struct facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		free(facts->list[i].key);
		free(facts->list[i].value);
	}
	free(facts->list);
	*facts = (struct facts){ .list = NULL };
}

void fact_emit(const char *key, const char *value)
{
	lttng_ust_tracepoint(carrierscope, runtime_fact, key, value);
}

static void emit_number(const char *key, int name)
{
	long number = sysconf(name);
	char text[24];

	if (number > 0) {
		(void)snprintf(text, sizeof(text), "%ld", number);
		fact_emit(key, text);
	}
}

void facts_emit(const struct facts *facts)
{
	struct utsname system;

	for (size_t i = 0; i < facts->count; i++) {
		fact_emit(facts->list[i].key, facts->list[i].value);
	}
	if (uname(&system) == 0) {
		fact_emit("kernel_release", system.release);
	}
	emit_number("cpus_online", _SC_NPROCESSORS_ONLN);
	emit_number("cpus_possible", _SC_NPROCESSORS_CONF);
}
