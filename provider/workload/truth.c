/* SPDX-License-Identifier: MIT */
/* What the allocators have at known times. */
#include "truth.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "listener.h"

/* Carriers and blocks of an allocator, or of all. */
struct truth_figures {
	uint64_t mbcs;
	uint64_t mbcs_bytes;
	uint64_t sbcs;
	uint64_t sbcs_bytes;
	uint64_t pool;
	uint64_t pool_bytes;
	uint64_t blocks;
	uint64_t blocks_bytes;
	/* Freed objects of fixed size that are kept: included in `blocks`. */
	uint64_t kept;
};

struct truth {
	struct csc_listener listener;
	char *path;
	FILE *out;

	/* The clock; NULL: the system's. */
	const uint64_t *ticks;

	/* Weak: from its begin on. */
	const struct runtime *runtime;

	/* Carriers may have changed since the last line. */
	bool is_touched;
	uint64_t lines;

	/* As written last; element CSC_ALLOCATORS is all. */
	struct truth_figures figures[CSC_ALLOCATORS + 1];
};

static uint64_t truth_time(const struct truth *truth)
{
	struct timespec now;

	if (truth->ticks) {
		return __atomic_load_n(truth->ticks, __ATOMIC_SEQ_CST);
	}
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void truth_read(const struct truth *truth, enum csc_allocator allocator,
		struct truth_figures *ret_figures)
{
	struct csc_statistics sum;
	struct runtime_use use;

	runtime_sum(truth->runtime, allocator, &sum);
	*ret_figures = (struct truth_figures){
		.mbcs = sum.mbcs.carriers.now,
		.mbcs_bytes = sum.mbcs.carriers_bytes.now,
		.sbcs = sum.sbcs.carriers.now,
		.sbcs_bytes = sum.sbcs.carriers_bytes.now,
		.pool = sum.pool_carriers,
		.pool_bytes = sum.pool_carriers_bytes,
		.blocks = sum.mbcs.blocks.now + sum.sbcs.blocks.now + sum.pool_blocks,
		.blocks_bytes = sum.mbcs.blocks_bytes.now + sum.sbcs.blocks_bytes.now +
				sum.pool_blocks_bytes,
	};
	if (allocator == CSC_FIX) {
		runtime_use(truth->runtime, allocator, &use);
		ret_figures->kept = use.kept;
	}
}

static bool truth_has_carriers_of(const struct truth_figures *a, const struct truth_figures *b)
{
	return a->mbcs_bytes == b->mbcs_bytes && a->sbcs_bytes == b->sbcs_bytes &&
			a->pool_bytes == b->pool_bytes && a->mbcs == b->mbcs &&
			a->sbcs == b->sbcs && a->pool == b->pool;
}

static void figures_add(struct truth_figures *sum, const struct truth_figures *more)
{
	sum->mbcs += more->mbcs;
	sum->mbcs_bytes += more->mbcs_bytes;
	sum->sbcs += more->sbcs;
	sum->sbcs_bytes += more->sbcs_bytes;
	sum->pool += more->pool;
	sum->pool_bytes += more->pool_bytes;
	sum->blocks += more->blocks;
	sum->blocks_bytes += more->blocks_bytes;
	sum->kept += more->kept;
}

static bool truth_has(const struct truth *truth, int allocator)
{
	return allocator == CSC_ALLOCATORS ||
			csc_options_has(runtime_options(truth->runtime),
					(enum csc_allocator)allocator);
}

/* What comes before the figures of the workload; those are only known at moments. */
static void truth_begin_line(struct truth *truth, const char *kind, uint64_t time,
		const char *operations, int allocator)
{
	const struct truth_figures *figures = &truth->figures[allocator];

	fprintf(truth->out,
			"%" PRIu64 ",%s,%" PRIu64 ",%s,%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64,
			++truth->lines, kind, time, operations,
			allocator == CSC_ALLOCATORS ? "all" : csc_allocator_infos[allocator].name,
			figures->mbcs, figures->mbcs_bytes, figures->sbcs, figures->sbcs_bytes,
			figures->pool, figures->pool_bytes, figures->blocks, figures->blocks_bytes,
			figures->kept, runtime_cached_bytes(truth->runtime));
}

/* Reads all allocators; true: the carriers of some, which `ret_is_changed` names, have changed. */
static bool truth_refresh(struct truth *truth, bool ret_is_changed[CSC_ALLOCATORS + 1])
{
	struct truth_figures all = { 0 };
	bool is_changed = false;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct truth_figures now;

		ret_is_changed[i] = false;
		if (!truth_has(truth, i)) {
			continue;
		}
		truth_read(truth, (enum csc_allocator)i, &now);
		ret_is_changed[i] = !truth_has_carriers_of(&now, &truth->figures[i]);
		is_changed |= ret_is_changed[i];
		truth->figures[i] = now;
		figures_add(&all, &now);
	}
	ret_is_changed[CSC_ALLOCATORS] = is_changed;
	truth->figures[CSC_ALLOCATORS] = all;
	return is_changed;
}

static void truth_note(struct truth *truth, const char *kind)
{
	bool is_changed[CSC_ALLOCATORS + 1];
	uint64_t time = truth_time(truth);

	if (!truth_refresh(truth, is_changed)) {
		return;
	}
	for (int i = 0; i <= CSC_ALLOCATORS; i++) {
		if (is_changed[i]) {
			truth_begin_line(truth, kind, time, "", i);
			fputs(",,\n", truth->out);
		}
	}
}

static void truth_on_event(struct truth *truth)
{
	truth->is_touched = true;
	if (truth->runtime) {
		truth_note(truth, "event");
	}
}

static void truth_carrier(void *context, enum csc_event event, const struct csc_otp_carrier *values)
{
	(void)event;
	(void)values;
	truth_on_event(context);
}

static void truth_pool(void *context, enum csc_event event, const struct csc_otp_pool *values)
{
	(void)event;
	(void)values;
	truth_on_event(context);
}

static void truth_carrier_note(
		void *context, enum csc_event event, const struct csc_carrier_note *values)
{
	(void)event;
	(void)values;
	truth_on_event(context);
}

static void truth_begin(void *context, const struct csc_listener_subject *runtime)
{
	struct truth *truth = context;

	truth->runtime = runtime->context;
}

/* A call is over: what the last event of it came before. */
static void truth_tick(void *context)
{
	struct truth *truth = context;

	if (truth->is_touched) {
		truth->is_touched = false;
		truth_note(truth, "call");
	}
}

static enum csc_status truth_open_clock(struct truth *truth, const char *path, struct diag *diag)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *memory = MAP_FAILED;

	if (file >= 0 && fstat(file, &status) == 0 && status.st_size >= (off_t)sizeof(uint64_t)) {
		memory = mmap(NULL, sizeof(uint64_t), PROT_READ, MAP_SHARED, file, 0);
	}
	if (file >= 0) {
		close(file);
	}
	if (memory == MAP_FAILED) {
		return DIAG_FAIL(diag, "cannot read a clock of 8 bytes from '%s'", path);
	}
	truth->ticks = memory;
	return CSC_OK;
}

struct truth *truth_open(const char *path, const char *clock_path, struct diag *diag)
{
	struct truth *truth = calloc(1, sizeof(*truth));

	if (!truth) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	truth->listener = (struct csc_listener){
		.context = truth,
		.enabled = CSC_EVENT_BIT(CSC_EVENT_CARRIER_CREATE) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_DESTROY) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_POOL_PUT) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_POOL_GET) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_ALLOC) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_FREE) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_REALLOC) |
				CSC_EVENT_BIT(CSC_EVENT_CARRIER_MOVED),
		.carrier = truth_carrier,
		.pool = truth_pool,
		.note = truth_carrier_note,
		.begin = truth_begin,
		.tick = truth_tick,
	};
	truth->path = strdup(path);
	truth->out = fopen(path, "w");
	if (!truth->path || !truth->out) {
		(void)DIAG_FAIL(diag, "cannot write '%s': %s", path, strerror(errno));
	} else if (!clock_path || truth_open_clock(truth, clock_path, diag) == CSC_OK) {
		fputs("line,kind,time,operations,allocator,mbcs,mbcs_bytes,sbcs,sbcs_bytes,pool,"
		      "pool_bytes,blocks,blocks_bytes,kept,cached_bytes,asked_blocks,asked_bytes\n",
				truth->out);
		return truth;
	}
	truth_close(truth, diag);
	return NULL;
}

struct csc_listener *truth_listener(struct truth *truth)
{
	return &truth->listener;
}

void truth_moment(struct truth *truth, const char *kind, uint64_t operations,
		const struct scheduler_figures *figures)
{
	bool is_changed[CSC_ALLOCATORS + 1];
	uint64_t time = truth_time(truth);
	char number[24];

	truth_refresh(truth, is_changed);
	snprintf(number, sizeof(number), "%" PRIu64, operations);
	for (int i = 0; i <= CSC_ALLOCATORS; i++) {
		bool is_all = i == CSC_ALLOCATORS;

		if (truth_has(truth, i)) {
			truth_begin_line(truth, kind, time, number, i);
			fprintf(truth->out, ",%" PRId64 ",%" PRId64 "\n",
					is_all ? figures->blocks : figures->allocator_blocks[i],
					is_all ? figures->blocks_bytes
					       : figures->allocator_bytes[i]);
		}
	}
	fflush(truth->out);
}

enum csc_status truth_close(struct truth *truth, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	if (!truth) {
		return CSC_OK;
	}
	if (truth->out && (ferror(truth->out) | fclose(truth->out))) {
		status = DIAG_FAIL(diag, "cannot write '%s'", truth->path);
	}
	if (truth->ticks) {
		munmap((void *)truth->ticks, sizeof(*truth->ticks));
	}
	free(truth->path);
	free(truth);
	return status;
}
