/*
 * SPDX-License-Identifier: MIT
 *
 * The last alarm, as the node answers it.
 */
#ifndef CSC_KEEP_ALARM_H
#define CSC_KEEP_ALARM_H

struct keep_alarm {
	char reason[24];
	char sentence[512];
};

/* "ALARMS SAMPLED SNAPSHOTS RESIDENT REASON VALUE THRESHOLD DETAIL"; the answer is changed. */
void keep_alarm_read(char *answer, const char *node, struct keep_alarm *ret_alarm);

#endif
