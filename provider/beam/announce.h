/* SPDX-License-Identifier: MIT */
/*
 * What sessions get besides blocks: names, options, facts, and what is hooked.  At the start
 * of a hook, and again to each session that comes while it lasts.
 */
#ifndef CSC_BEAM_ANNOUNCE_H
#define CSC_BEAM_ANNOUNCE_H

#include "facts.h"
#include "hook.h"

/* An option in force; allocator 0: of all.  The strings belong to the list. */
struct announced_option {
	uint8_t allocator;
	char *name;
	char *value;
};

struct announcement {
	char *release;
	struct announced_option *options;
	size_t option_count;
	struct facts facts;

	/* Milliseconds since the node started, when it was hooked. */
	uint64_t uptime_ms;
};

/* Frees what the strings and the list take. */
void announcement_free(struct announcement *announcement);

/*
 * Announces now, and to each session that comes later, on a thread of its own, which calls `beat`
 * each second, whatever is done to the time of day.  Takes what `announcement` has. False: there is
 * no thread; the sentence says why.
 */
bool announce_start(const struct emulator *emulator, struct announcement *announcement,
		void (*beat)(void), struct diag *diag);

/* Emits hook_end, and ends the thread.  Waits a tenth of a second at most. */
void announce_stop(void);

/* Which hook it is, or was last; 0: none was there. */
uint32_t announce_hook_id(void);

#endif
