/* SPDX-License-Identifier: MIT */
/* The options that a recording is replayed with. */
#include "replay.h"

#include <inttypes.h>

#include "flags.h"

const uint32_t replay_bursts[REPLAYS_MAX] = { REPLAY_BURST, 10, 1000, 30, 300, 3, 3000, 1 };

enum csc_status replay_settle(const struct replay_request *request,
		const struct recording *recording, struct csc_options *ret_options,
		struct diag *diag)
{
	struct recording_facts facts;
	const struct csc_generation *generation = request->generation;
	uint32_t schedulers = request->schedulers;
	struct flags_machine machine;

	recording_facts(recording, &facts);
	if (!generation) {
		generation = csc_generation_find(facts.release);
	}
	if (!schedulers) {
		schedulers = facts.schedulers;
	}
	if (facts.word_bytes && facts.word_bytes != 8) {
		return DIAG_REFUSE(diag, "'%s': words have %" PRIu32 " bytes; 8 can be replayed",
				request->path, facts.word_bytes);
	}
	if (facts.releases > 1 && !request->generation) {
		return DIAG_REFUSE(diag,
				"'%s' has runtime %" PRId64 " with %" PRId64
				" different releases, '%s' first: "
				"record one node at a time, or use --otp=RELEASE",
				request->path, facts.runtime, facts.releases, facts.release);
	}
	if (!generation) {
		return DIAG_REFUSE(diag,
				"'%s' %s%s%s: use --otp=RELEASE with the nearest of 24rc0, 24.0.1, 25, 27, "
				"28 and 29",
				request->path,
				*facts.release ? "is of release '" : "does not record the release",
				facts.release,
				*facts.release ? "', which the core does not know" : "");
	}
	if (!schedulers || schedulers > 1024) {
		return DIAG_REFUSE(diag,
				"'%s' does not record the number of schedulers: use --schedulers=S",
				request->path);
	}
	machine.dirty_schedulers = schedulers;
	csc_options_init(ret_options, generation, 8, schedulers);
	if (recording_options(recording, ret_options, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return flags_take(ret_options, &machine, request->flag_count, request->flags, diag);
}
