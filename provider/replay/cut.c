/* SPDX-License-Identifier: MIT */
/* Parts of decoded calls, and where a replay of them is. */
#include <stdlib.h>
#include <string.h>

#include "decoded_internal.h"
#include "recording_internal.h"

/* Where the steps of a part begin; the last ends with the recording. */
static size_t part_at(const struct decoded *decoded, uint32_t part, uint32_t parts)
{
	return decoded->whole.count / parts * part + decoded->whole.count % parts * part / parts;
}

/* While the steps before a part are looked through. */
struct cutter {
	const struct decoded *decoded;
	size_t count;

	/* By slot: 1 + the step that made what is in it at last; 0: nothing. */
	uint32_t *maker;
	/* By slot of the start: 1 + the step that ended what was in it; 0: none. */
	uint32_t *ender;
};

static void end_slot(struct cutter *cutter, uint32_t slot, size_t step)
{
	if (slot > NO_BLOCK && slot <= cutter->decoded->start_slots && !cutter->maker[slot] &&
			!cutter->ender[slot]) {
		cutter->ender[slot] = (uint32_t)step + 1;
	}
	cutter->maker[slot] = 0;
}

static void find_survivors(struct cutter *cutter)
{
	for (size_t i = 0; i < cutter->count; i++) {
		const struct packed_step *step = &cutter->decoded->whole.steps[i];

		if (step->kind > RECORDING_REALLOC) {
			continue;
		}
		end_slot(cutter, step->ended, i);
		end_slot(cutter, step->other_ended, i);
		if (step->kind == RECORDING_FREE || step->ended == 0) {
			end_slot(cutter, step->made, i);
		}
		if (step->kind != RECORDING_FREE) {
			cutter->maker[step->made] = (uint32_t)i + 1;
		}
	}
}

/* What has ended, then what has survived, all when the part begins; returns how many steps. */
static size_t copy_survivors(const struct cutter *cutter, struct packed_step *ret_steps)
{
	const struct packed_step *steps = cutter->decoded->whole.steps;
	int64_t ts_ns = steps[cutter->count].ts_ns;
	size_t copied = 0;

	for (uint32_t slot = NO_BLOCK + 1; slot <= cutter->decoded->start_slots; slot++) {
		if (cutter->ender[slot]) {
			ret_steps[copied] = steps[cutter->ender[slot] - 1];
			ret_steps[copied].kind = RECORDING_FREE;
			ret_steps[copied].ended = ret_steps[copied].made = slot;
			ret_steps[copied].other_ended = 0;
			ret_steps[copied++].ts_ns = ts_ns;
		}
	}
	for (size_t i = 0; i < cutter->count; i++) {
		if ((steps[i].kind == RECORDING_ALLOC || steps[i].kind == RECORDING_REALLOC) &&
				cutter->maker[steps[i].made] == (uint32_t)i + 1) {
			ret_steps[copied] = steps[i];
			ret_steps[copied].kind = RECORDING_ALLOC;
			ret_steps[copied].is_new = 0;
			ret_steps[copied].ended = ret_steps[copied].other_ended = 0;
			ret_steps[copied++].ts_ns = ts_ns;
		}
	}
	return copied;
}

enum csc_status recording_cut(struct recording *recording, uint32_t part, uint32_t parts,
		uint64_t memory_bytes, struct diag *diag)
{
	struct decoded *decoded = recording->decoded;
	size_t from = part_at(decoded, part, parts);
	size_t to = part_at(decoded, part + 1, parts);
	struct cutter cutter = {
		.decoded = decoded,
		.count = from < to ? from : 0,
		.maker = calloc((size_t)decoded->slots + 1, sizeof(*cutter.maker)),
		.ender = calloc((size_t)decoded->slots + 1, sizeof(*cutter.ender)),
	};
	enum csc_status status = CSC_ERROR;

	decoded_unmap(&decoded->part);
	if (!cutter.maker || !cutter.ender) {
		(void)DIAG_NO_MEMORY(diag);
	} else {
		/* No more survive than were made, or ended. */
		status = decoded_make_room(
				&decoded->part, to + decoded->start_slots, memory_bytes, diag);
	}
	if (status == CSC_OK) {
		find_survivors(&cutter);
		decoded->part.count =
				cutter.count ? copy_survivors(&cutter, decoded->part.steps) : 0;
		memcpy(decoded->part.steps + decoded->part.count, decoded->whole.steps + from,
				(to - from) * sizeof(*decoded->part.steps));
		decoded->part.count += to - from;
	}
	free(cutter.maker);
	free(cutter.ender);
	return status;
}

void recording_choose_cut(struct recording *recording, bool is_cut)
{
	recording->decoded->now = is_cut ? recording->decoded->part : recording->decoded->whole;
	recording->decoded->at = 0;
}

uint64_t recording_position(const struct recording *recording)
{
	return recording->decoded->at;
}

int64_t recording_now(const struct recording *recording)
{
	const struct decoded *decoded = recording->decoded;
	size_t at = decoded->at > 0 ? decoded->at - 1 : 0;

	return at < decoded->now.count ? decoded->now.steps[at].ts_ns : 0;
}

void recording_span(const struct recording *recording, struct recording_span *ret_span)
{
	const struct step_list *now = &recording->decoded->now;

	*ret_span = (struct recording_span){
		.steps = now->count,
		.first_ns = now->count ? now->steps[0].ts_ns : 0,
		.last_ns = now->count ? now->steps[now->count - 1].ts_ns : 0,
	};
}
