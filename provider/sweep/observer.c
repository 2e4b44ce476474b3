/* SPDX-License-Identifier: MIT */
/* Carriers, their sums over time, and the requests that made them. */
#include "observer.h"

#include <string.h>

static uint64_t bucket_ns(const struct observer *observer)
{
	return (uint64_t)(observer->span.last_ns - observer->span.first_ns) / SWEEP_SAMPLES + 1;
}

/* Bytes of blocks, of all allocators. */
static uint64_t blocks_bytes(const struct observer *observer)
{
	uint64_t bytes = 0;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct runtime_use use;

		runtime_use(player_runtime(observer->player), (enum csc_allocator)i, &use);
		bytes += use.blocks_bytes;
	}
	return bytes;
}

static void note_held(struct observer *observer)
{
	struct sweep_figure *all = &observer->result->figures[SWEEP_ALL];
	uint64_t bytes = observer->bytes[SWEEP_ALL] +
			runtime_cached_bytes(player_runtime(observer->player));

	if (!observer->has_super_carrier || bytes > observer->held_bytes) {
		observer->held_bytes = bytes;
	}
	if (observer->held_bytes > all->held_peak_bytes) {
		all->held_peak_bytes = observer->held_bytes;
	}
}

static void note_most(struct observer *observer)
{
	struct sweep_result *result = observer->result;
	uint64_t *most = result->most[observer->bucket];

	for (int i = 0; i < SWEEP_ROWS; i++) {
		struct sweep_figure *figure = &result->figures[i];

		if (observer->bytes[i] > most[i]) {
			most[i] = observer->bytes[i];
		}
		if (observer->bytes[i] > figure->peak_bytes) {
			figure->peak_bytes = observer->bytes[i];
			if (i == SWEEP_ALL) {
				result->peak_step = recording_position(observer->recording);
			}
		}
		if (observer->mappings[i] > figure->mappings) {
			figure->mappings = observer->mappings[i];
		}
	}
}

/* Time has passed: what is there now was there until then. */
static void pass(struct observer *observer, int64_t ts_ns)
{
	uint64_t width = bucket_ns(observer);
	uint32_t bucket = observer->bucket;

	if (ts_ns <= observer->last_ns) {
		return;
	}
	for (int i = 0; i < SWEEP_ROWS; i++) {
		observer->product[i] +=
				(double)observer->bytes[i] * (double)(ts_ns - observer->last_ns);
	}
	observer->held_product +=
			(double)observer->held_bytes * (double)(ts_ns - observer->last_ns);
	observer->last_ns = ts_ns;
	while (bucket + 1 < SWEEP_SAMPLES &&
			(uint64_t)(ts_ns - observer->span.first_ns) >= (bucket + 1) * width) {
		bucket++;
		memcpy(observer->result->most[bucket], observer->bytes, sizeof(observer->bytes));
		observer->result->blocks_bytes[bucket] =
				observer->result->blocks_bytes[observer->bucket];
	}
	if (bucket != observer->bucket) {
		observer->result->blocks_bytes[bucket] = blocks_bytes(observer);
		observer->bucket = bucket;
	}
}

static void add(uint64_t *numbers, enum csc_allocator allocator, int64_t change)
{
	numbers[allocator] += (uint64_t)change;
	numbers[SWEEP_ALL] += (uint64_t)change;
}

static void hear(void *context, enum csc_event event, const struct csc_os_note *note)
{
	struct observer *observer = context;
	enum csc_allocator allocator = note->allocator < CSC_TYPES_MAX
			? observer->allocators[note->allocator]
			: CSC_ALLOCATORS;
	bool is_free = note->call == CSC_CALL_MSEG_DEALLOC || note->call == CSC_CALL_SYS_FREE;

	(void)event;
	if (allocator == CSC_ALLOCATORS) {
		return;
	}
	if (observer->player) {
		pass(observer, recording_now(observer->recording));
		observer->result->figures[allocator].calls++;
		observer->result->figures[SWEEP_ALL].calls++;
	}
	if (is_free) {
		add(observer->bytes, allocator, -(int64_t)note->old_bytes);
		add(observer->mappings, allocator, -1);
	} else if (note->address) {
		add(observer->bytes, allocator, (int64_t)(note->size_bytes - note->old_bytes));
		add(observer->mappings, allocator, note->old_address ? 0 : 1);
	}
	if (observer->player) {
		note_most(observer);
		note_held(observer);
	}
}

void observer_init(struct observer *observer, const struct recording *recording,
		const struct csc_options *options, struct sweep_result *result)
{
	*observer = (struct observer){
		.listener = { .context = observer,
				.enabled = CSC_EVENT_BIT(CSC_EVENT_OS_REQUEST),
				.os = hear },
		.recording = recording,
		.result = result,
		.has_super_carrier = options->scs > 0,
	};
	recording_span(recording, &observer->span);
	observer->last_ns = observer->span.first_ns;
	for (int i = 0; i < CSC_TYPES_MAX; i++) {
		observer->allocators[i] = CSC_ALLOCATORS;
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		if (csc_options_has(options, (enum csc_allocator)i)) {
			observer->allocators[csc_options_number(options, (enum csc_allocator)i)] =
					(enum csc_allocator)i;
		}
	}
}

void observer_start(struct observer *observer, const struct player *player)
{
	observer->player = player;
	observer->result->blocks_bytes[0] = blocks_bytes(observer);
	note_most(observer);
	note_held(observer);
}

void observer_finish(struct observer *observer)
{
	double span_ns = (double)(observer->span.last_ns - observer->span.first_ns);

	pass(observer, observer->span.last_ns);
	for (int i = 0; i < SWEEP_ROWS; i++) {
		struct sweep_figure *figure = &observer->result->figures[i];

		figure->end_bytes = observer->bytes[i];
		figure->average_bytes = span_ns > 0 ? observer->product[i] / span_ns
						    : (double)observer->bytes[i];
	}
	note_held(observer);
	observer->result->figures[SWEEP_ALL].held_end_bytes = observer->held_bytes;
	observer->result->figures[SWEEP_ALL].held_average_bytes = span_ns > 0
			? observer->held_product / span_ns
			: (double)observer->held_bytes;
	observer->result->end_blocks_bytes = blocks_bytes(observer);
	observer->player = NULL;
}
