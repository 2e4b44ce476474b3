/*
 * SPDX-License-Identifier: MIT
 *
 * Bounds of lives in constant memory a group.
 */
#include "lives.h"

#include <assert.h>

static int bucket_of(int64_t span_ns)
{
	return span_ns <= 0 ? 0 : 64 - __builtin_clzll((unsigned long long)span_ns);
}

static void count_to(struct life_group *group, int64_t ts_ns)
{
	__int128 more;

	if (ts_ns <= group->counted_to_ns) {
		return;
	}

	more = (__int128)group->alive * (ts_ns - group->counted_to_ns);
	group->counted_to_ns = ts_ns;
	group->carrier_ns = more > INT64_MAX - group->carrier_ns
			? INT64_MAX
			: group->carrier_ns + (int64_t)more;
}

void life_create(struct life_group *group, int64_t ts_ns)
{
	count_to(group, ts_ns);
	if (group->alive++ == 0) {
		group->oldest_ns = ts_ns;
	}

	group->youngest_ns = ts_ns;
	group->creates++;
}

bool life_end(struct life_group *group, int64_t since_ns, int64_t ts_ns,
		struct life_histogram *histogram)
{
	assert(group->alive >= 0);
	count_to(group, ts_ns);
	if (group->alive == 0) {
		group->unmatched_destroys++;
		return false;
	}

	group->alive--;
	group->destroys++;
	histogram->at_least[bucket_of(since_ns - group->youngest_ns)]++;
	histogram->at_most[group->is_open ? LIFE_UNKNOWN + 1
					  : bucket_of(ts_ns - group->oldest_ns)]++;
	return true;
}

void life_close(struct life_group *group, int64_t end_ns)
{
	count_to(group, end_ns);
}
