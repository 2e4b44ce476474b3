/*
 * SPDX-License-Identifier: MIT
 */
#include "keep_alarm.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value of a rule with its unit. */
static void put_value(char *ret_text, size_t bytes, const char *reason, const char *number)
{
	unsigned long long value = strtoull(number, NULL, 10);

	if (strcmp(reason, "rss_share") == 0 || strcmp(reason, "cgroup_share") == 0) {
		(void)snprintf(ret_text, bytes, "%llu %%", value);
	} else if (strcmp(reason, "long_gc") == 0) {
		(void)snprintf(ret_text, bytes, "%llu ms", value);
	} else if (strcmp(reason, "failures") == 0) {
		(void)snprintf(ret_text, bytes, "%llu", value);
	} else {
		(void)snprintf(ret_text, bytes, "%.1f MiB", (double)value / 1048576);
	}
}

void keep_alarm_read(char *answer, const char *node, struct keep_alarm *ret_alarm)
{
	char *words[7];
	char empty[] = "";
	char *at = answer;
	char value[40];
	char threshold[40];

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		words[i] = at ? strsep(&at, " ") : empty;
	}
	put_value(value, sizeof(value), words[4], words[5]);
	put_value(threshold, sizeof(threshold), words[4], words[6]);
	(void)snprintf(ret_alarm->sentence, sizeof(ret_alarm->sentence),
			"alarm of %s: %s is %s, more than %s%s%s", node, words[4], value, threshold,
			at && *at ? ", in " : "", at ? at : "");
	(void)snprintf(ret_alarm->reason, sizeof(ret_alarm->reason), "%s", words[4]);
}
