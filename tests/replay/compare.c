/* SPDX-License-Identifier: MIT */
/* Figures, what they may differ by, and why. */
#include "compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"

/* What passed while the node was read excuses this part of its carriers at most. */
#define TOLERANCE_PART 4

/* Blocks of fix_alloc: of any strategy, and of any release that is known (proc, 824 bytes). */
#define FIX_LEAST_BYTES 40
#define FIX_MOST_BYTES 1024

enum csc_status compare_take_state(
		const struct player *player, struct compare_state *ret_state, struct diag *diag)
{
	const struct runtime *runtime = player_runtime(player);
	struct compare_state state = { .instances = calloc(
						       CSC_ALLOCATORS, sizeof(*state.instances)) };

	if (!state.instances) {
		return DIAG_NO_MEMORY(diag);
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		uint32_t count = csc_options_instances(
				runtime_options(runtime), (enum csc_allocator)i);

		runtime_use(runtime, (enum csc_allocator)i, &state.allocators[i]);
		for (uint32_t index = 0; index < count && index < READING_INSTANCES; index++) {
			runtime_api(runtime)->statistics(
					runtime_instance(runtime, (enum csc_allocator)i, index),
					false, &state.instances[i][index]);
		}
	}
	*ret_state = state;
	return CSC_OK;
}

void compare_finish_state(struct compare_state *state)
{
	free(state->instances);
	*state = (struct compare_state){ 0 };
}

/* The four figures of a reading. */
static void node_figures(const struct reading_figures *figures, bool is_fix, int64_t ret[4])
{
	/* Freed objects that fix_alloc keeps are blocks to it, and none to its callers. */
	ret[COMPARE_BLOCKS] = is_fix ? figures->calls : figures->blocks + figures->single_blocks;
	ret[COMPARE_BLOCK_BYTES] = figures->blocks_bytes + figures->single_blocks_bytes;
	ret[COMPARE_CARRIERS] = figures->carriers + figures->single_carriers;
	ret[COMPARE_CARRIER_BYTES] = figures->carriers_bytes + figures->single_carriers_bytes;
}

static void use_figures(const struct runtime_use *use, int64_t ret[4])
{
	ret[COMPARE_BLOCKS] = (int64_t)(use->blocks - use->kept);
	ret[COMPARE_BLOCK_BYTES] = (int64_t)use->blocks_bytes;
	ret[COMPARE_CARRIERS] = (int64_t)use->carriers;
	ret[COMPARE_CARRIER_BYTES] = (int64_t)use->carriers_bytes;
}

static void instance_figures(const struct csc_statistics *statistics, int64_t ret[4])
{
	ret[COMPARE_BLOCKS] = (int64_t)(statistics->mbcs.blocks.now + statistics->sbcs.blocks.now +
			statistics->pool_blocks);
	ret[COMPARE_BLOCK_BYTES] = (int64_t)(statistics->mbcs.blocks_bytes.now +
			statistics->sbcs.blocks_bytes.now + statistics->pool_blocks_bytes);
	ret[COMPARE_CARRIERS] = (int64_t)(statistics->mbcs.carriers.now +
			statistics->sbcs.carriers.now + statistics->pool_carriers);
	ret[COMPARE_CARRIER_BYTES] = (int64_t)(statistics->mbcs.carriers_bytes.now +
			statistics->sbcs.carriers_bytes.now + statistics->pool_carriers_bytes);
}

static void explain(struct compare_row *row, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

static void explain(struct compare_row *row, const char *format, ...)
{
	size_t length = strlen(row->why);
	va_list values;

	if (length > 0) {
		snprintf(row->why + length, sizeof(row->why) - length, "; ");
		length = strlen(row->why);
	}
	va_start(values, format);
	vsnprintf(row->why + length, sizeof(row->why) - length, format, values);
	va_end(values);
}

/* What was lost, or came and went while the node was read. */
static void explain_events(struct compare_row *row, const struct compare_request *request)
{
	const struct reading_window *first = &request->readings->first.windows[row->allocator];
	const struct reading_window *last = &request->readings->last.windows[row->allocator];

	if (request->facts->lost_events > 0) {
		explain(row, "%" PRId64 " events were lost", request->facts->lost_events);
	}
	if (first->events + last->events > 0) {
		explain(row, "%" PRId64 " block events passed while the node read its counters",
				first->events + last->events);
	}
	if (first->queued + last->queued > 0) {
		explain(row, "%" PRId64 " blocks had just been freed by others than made them",
				first->queued + last->queued);
	}
}

/* Within what came and went during both readings. */
static void judge_blocks(struct compare_row *row, const struct compare_request *request)
{
	const struct reading_window *first = &request->readings->first.windows[row->allocator];
	const struct reading_window *last = &request->readings->last.windows[row->allocator];

	row->low = row->replayed + last->blocks_low - first->blocks_high - first->queued;
	row->high = row->replayed + last->blocks_high - first->blocks_low + last->queued;
	row->known = row->low == row->high ? COMPARE_EXACT : COMPARE_BOUND;
	if (row->node != row->replayed) {
		explain_events(row, request);
	}
}

/* Within what sizes that were asked for and sizes of freed blocks allow. */
static void judge_block_bytes(
		struct compare_row *row, const struct compare_request *request, int64_t first_bytes)
{
	const struct start_change *change = &request->start->changes[row->allocator];
	const struct reading_window *first = &request->readings->first.windows[row->allocator];
	const struct reading_window *last = &request->readings->last.windows[row->allocator];

	row->low = first_bytes + change->bytes_low + last->bytes_low - first->bytes_high -
			first->queued_bytes;
	row->high = first_bytes + change->bytes_high + last->bytes_high - first->bytes_low +
			last->queued_bytes;
	row->known = row->low == row->high ? COMPARE_EXACT : COMPARE_BOUND;
	if (row->node != row->replayed) {
		explain(row, "what is left over in a block depends on where it lies");
		explain_events(row, request);
	}
	if (change->unknown > 0) {
		row->known = COMPARE_ESTIMATE;
		row->low = INT64_MIN;
		row->high = INT64_MAX;
		explain(row,
				"the sizes of %" PRId64
				" blocks from before the hook were not recorded",
				change->unknown);
	}
}

/* How many fix_alloc keeps depends on when its timers come. */
static void explain_kept(struct compare_row *row, const struct compare_request *request)
{
	const struct reading_figures *last = &request->readings->last.allocators[CSC_FIX];

	explain(row,
			"freed objects are kept until a timer of the node's comes: %" PRId64
			", and %" PRIu64 " in the replay",
			last->blocks + last->single_blocks - last->calls,
			request->after->allocators[CSC_FIX].kept);
}

/* Objects that fix_alloc keeps have one of its sizes each. */
static void widen_fix(struct compare_row *row, const struct compare_request *request)
{
	const struct reading_figures *first = &request->readings->first.allocators[CSC_FIX];
	const struct reading_figures *last = &request->readings->last.allocators[CSC_FIX];
	int64_t kept_first = first->blocks + first->single_blocks - first->calls;
	int64_t kept_last = last->blocks + last->single_blocks - last->calls;

	row->low += kept_last * FIX_LEAST_BYTES - kept_first * FIX_MOST_BYTES;
	row->high += kept_last * FIX_MOST_BYTES - kept_first * FIX_LEAST_BYTES;
	row->known = COMPARE_BOUND;
	if (row->node != row->replayed) {
		explain_kept(row, request);
	}
}

void compare_widen(struct compare_spread *spread, const struct compare_state *before,
		const struct compare_state *after)
{
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		int64_t from[COMPARE_FIGURES];
		int64_t to[COMPARE_FIGURES];

		use_figures(&before->allocators[i], from);
		use_figures(&after->allocators[i], to);
		for (int k = 0; k < COMPARE_FIGURES; k++) {
			int64_t change = to[k] - from[k];

			if (spread->replays == 0 || change < spread->low[i][k]) {
				spread->low[i][k] = change;
			}
			if (spread->replays == 0 || change > spread->high[i][k]) {
				spread->high[i][k] = change;
			}
		}
	}
	spread->replays++;
}

/* A counter is not negative, whatever was subtracted. */
static int64_t not_below_zero(int64_t figure)
{
	return figure > 0 || figure == INT64_MIN ? figure : 0;
}

/*
 * How far carriers may be off for what passed while the node was read, at the first reading or at
 * the last: those that what passed then can fill, and one more.  No more than a quarter of the
 * node's figure, which would be no agreement any more; of few carriers that is none.
 */
static int64_t reading_tolerance(const struct compare_row *row,
		const struct compare_request *request, int64_t carrier_bytes)
{
	const struct reading_window *windows[] = {
		&request->readings->first.windows[row->allocator],
		&request->readings->last.windows[row->allocator],
	};
	int64_t carriers = 0;
	int64_t tolerance;

	for (int i = 0; i < 2; i++) {
		int64_t bytes = windows[i]->bytes_high - windows[i]->bytes_low +
				windows[i]->queued_bytes;

		if (windows[i]->events + windows[i]->queued > 0) {
			carriers += 1 + (carrier_bytes > 0 ? bytes / carrier_bytes : 0);
		}
	}
	tolerance = row->figure == COMPARE_CARRIERS ? carriers : carriers * carrier_bytes;
	return tolerance < row->node / TOLERANCE_PART ? tolerance : row->node / TOLERANCE_PART;
}

/* What the replays came to, and what passed while the node was read. */
static void judge_carriers(struct compare_row *row, const struct compare_request *request,
		int64_t first, int64_t carrier_bytes)
{
	int64_t least = not_below_zero(first + request->spread->low[row->allocator][row->figure]);
	int64_t most = not_below_zero(first + request->spread->high[row->allocator][row->figure]);
	const struct start_change *change = &request->start->changes[row->allocator];
	const struct reading_figures *last = &request->readings->last.allocators[row->allocator];

	row->known = COMPARE_ESTIMATE;
	row->tolerance = reading_tolerance(row, request, carrier_bytes);
	row->low = least - row->tolerance;
	row->high = most + row->tolerance;
	if (row->node == row->replayed) {
		return;
	}
	if (least < most) {
		explain(row, "on other schedules of %d replays: %" PRId64 " to %" PRId64,
				request->spread->replays, least, most);
	}
	if (request->facts->lost_events > 0) {
		explain(row, "%" PRId64 " events were lost", request->facts->lost_events);
	}
	if (change->foreign > 0) {
		explain(row,
				"%" PRId64 " of %" PRId64
				" blocks went back to another thread's instance, "
				"at a time that is not recorded",
				change->foreign, change->ended);
	}
	if (last->pooled > 0) {
		explain(row, "%" PRId64 " of the node's carriers are in the pool", last->pooled);
	}
	if (row->allocator == CSC_FIX) {
		explain_kept(row, request);
	}
	explain(row, "where carriers and older blocks lie is not recorded");
}

static void judge(struct compare_row *row, const struct compare_request *request, int64_t first,
		int64_t carrier_bytes)
{
	switch (row->figure) {
	case COMPARE_BLOCKS:
		judge_blocks(row, request);
		break;
	case COMPARE_BLOCK_BYTES:
		judge_block_bytes(row, request, first);
		if (row->allocator == CSC_FIX && row->known != COMPARE_ESTIMATE) {
			widen_fix(row, request);
		}
		break;
	default:
		judge_carriers(row, request, first, carrier_bytes);
		break;
	}
	row->low = not_below_zero(row->low);
	if (request->flag_count > 0) {
		/* The node ran without them: where the two differ is what the flags do. */
		row->known = COMPARE_ESTIMATE;
		row->tolerance = 0;
		row->why[0] = 0;
		if (row->figure == COMPARE_CARRIERS || row->figure == COMPARE_CARRIER_BYTES) {
			row->low = not_below_zero(
					first + request->spread->low[row->allocator][row->figure]);
			row->high = not_below_zero(
					first + request->spread->high[row->allocator][row->figure]);
		} else {
			row->low = INT64_MIN;
			row->high = INT64_MAX;
		}
	} else if (row->low != INT64_MIN || row->high != INT64_MAX) {
		row->verdict = row->node < row->low || row->node > row->high ? COMPARE_DIFFERS
									     : COMPARE_AGREES;
	}
}

static void add_allocator(struct comparison *comparison, const struct compare_request *request,
		enum csc_allocator allocator)
{
	int64_t first[4];
	int64_t node[4];
	int64_t before[4];
	int64_t after[4];
	int64_t one;

	node_figures(&request->readings->first.allocators[allocator], allocator == CSC_FIX, first);
	node_figures(&request->readings->last.allocators[allocator], allocator == CSC_FIX, node);
	use_figures(&request->before->allocators[allocator], before);
	use_figures(&request->after->allocators[allocator], after);
	one = node[COMPARE_CARRIERS] ? node[COMPARE_CARRIER_BYTES] / node[COMPARE_CARRIERS] : 0;
	for (int i = 0; i < COMPARE_FIGURES; i++) {
		struct compare_row *row = &comparison->rows[comparison->count++];

		*row = (struct compare_row){
			.allocator = allocator,
			.instance = -1,
			.figure = (enum compare_figure)i,
			.node = node[i],
			.replayed = not_below_zero(first[i] + after[i] - before[i]),
		};
		judge(row, request, first[i], one);
		comparison->is_judged |= row->verdict != COMPARE_NONE;
		comparison->differs |= row->verdict == COMPARE_DIFFERS;
	}
}

/* Carriers and blocks move between instances at times that are not recorded: no verdict. */
static void add_instances(struct comparison *comparison, const struct compare_request *request,
		enum csc_allocator allocator, uint32_t count)
{
	for (uint32_t index = 0; index < count; index++) {
		int64_t first[4];
		int64_t node[4];
		int64_t before[4];
		int64_t after[4];

		node_figures(&request->readings->first.instances[allocator][index], false, first);
		node_figures(&request->readings->last.instances[allocator][index], false, node);
		instance_figures(&request->before->instances[allocator][index], before);
		instance_figures(&request->after->instances[allocator][index], after);
		for (int i = 0; i < COMPARE_FIGURES; i++) {
			comparison->rows[comparison->count++] = (struct compare_row){
				.allocator = allocator,
				.instance = (int32_t)index,
				.figure = (enum compare_figure)i,
				.known = COMPARE_ESTIMATE,
				.node = node[i],
				.replayed = not_below_zero(first[i] + after[i] - before[i]),
				.low = INT64_MIN,
				.high = INT64_MAX,
			};
		}
	}
}

static void add_sum(struct comparison *comparison, size_t count)
{
	for (int i = 0; i < COMPARE_FIGURES; i++) {
		struct compare_row sum = { .allocator = CSC_ALLOCATORS,
			.instance = -1,
			.figure = (enum compare_figure)i };

		for (size_t k = 0; k < count; k++) {
			const struct compare_row *row = &comparison->rows[k];

			if (row->instance < 0 && row->figure == sum.figure) {
				sum.node += row->node;
				sum.replayed += row->replayed;
				sum.known = row->known > sum.known ? row->known : sum.known;
			}
		}
		sum.low = INT64_MIN;
		sum.high = INT64_MAX;
		comparison->rows[comparison->count++] = sum;
	}
}

enum csc_status compare_rows(const struct compare_request *request,
		struct comparison *ret_comparison, struct diag *diag)
{
	struct comparison comparison = { 0 };
	size_t room = COMPARE_FIGURES;
	size_t count;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		room += COMPARE_FIGURES *
				(1 +
						(size_t)csc_options_instances(request->options,
								(enum csc_allocator)i));
	}
	comparison.rows = calloc(room, sizeof(*comparison.rows));
	if (!comparison.rows) {
		return DIAG_NO_MEMORY(diag);
	}
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		uint32_t instances = csc_options_instances(request->options, (enum csc_allocator)i);

		if ((request->readings->allocators >> i & 1) == 0 || instances == 0) {
			continue;
		}
		add_allocator(&comparison, request, (enum csc_allocator)i);
		if (request->has_instances) {
			add_instances(&comparison, request, (enum csc_allocator)i,
					instances < READING_INSTANCES ? instances
								      : READING_INSTANCES);
		}
	}
	count = comparison.count;
	add_sum(&comparison, count);
	*ret_comparison = comparison;
	return CSC_OK;
}

void compare_finish(struct comparison *comparison)
{
	free(comparison->rows);
	*comparison = (struct comparison){ 0 };
}
