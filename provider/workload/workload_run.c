/* SPDX-License-Identifier: MIT */
/* Running a workload. */
#include "workload_run.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* In turns: a new listener is noticed after the burst that completes so many operations. */
#define LISTEN_AFTER 64

/* Nobody begins before all threads are there. */
enum shift_gate {
	GATE_SHUT,
	GATE_OPEN,
	GATE_CANCELLED,
};

/* A run with threads. */
struct shift {
	/* Weak. */
	struct workload_run *run;
	const struct workload_run_report *report;

	/* Atomic: enum shift_gate. */
	uint32_t gate;

	/* Everybody waits for the end and the begin of a phase. */
	pthread_barrier_t barrier;

	/* Atomic: schedulers that have operations left in this phase. */
	uint32_t busy;

	/* Atomic: the round of thread progress, and who has seen it. */
	uint64_t round;
	uint32_t passed;
};

struct worker {
	/* Weak. */
	struct shift *shift;
	struct scheduler *scheduler;
	pthread_t thread;
	uint32_t number;
	/* The last round that it has passed. */
	uint64_t round;
};

static void figures_add(struct scheduler_figures *sum, const struct scheduler_figures *more)
{
	sum->allocs += more->allocs;
	sum->reallocs += more->reallocs;
	sum->frees += more->frees;
	sum->blocks += more->blocks;
	sum->blocks_bytes += more->blocks_bytes;
	sum->damaged += more->damaged;
	sum->refused += more->refused;
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		sum->allocator_blocks[i] += more->allocator_blocks[i];
		sum->allocator_bytes[i] += more->allocator_bytes[i];
	}
}

void workload_run_figures(const struct workload_run *run, struct scheduler_figures *ret_figures)
{
	*ret_figures = (struct scheduler_figures){ 0 };
	for (uint32_t i = 1; i <= run->workload->schedulers; i++) {
		struct scheduler_figures figures;

		scheduler_figures(run->schedulers[i], &figures);
		figures_add(ret_figures, &figures);
	}
}

/* Everybody is at rest: frees what is left for others and empties all queues. */
static void run_rest(struct workload_run *run)
{
	bool has_worked;

	do {
		has_worked = false;
		for (uint32_t i = 1; i <= run->workload->schedulers; i++) {
			has_worked |= scheduler_collect(run->schedulers[i]);
		}
		runtime_quiesce(run->runtime);
	} while (has_worked);
}

static void run_report_phase(
		struct workload_run *run, const struct workload_run_report *report, size_t phase)
{
	struct scheduler_figures figures;

	run_rest(run);
	runtime_listen(run->runtime);
	runtime_emit_heap(run->runtime);
	if (report) {
		workload_run_figures(run, &figures);
		report->phase(report->context, phase, &figures);
	}
}

static bool run_is_over(const struct workload_run *run)
{
	return __atomic_load_n(&run->is_over, __ATOMIC_RELAXED);
}

/* Queues are empty here: a new session is sent no block that has been freed. */
static void run_listen(struct workload_run *run, uint64_t operations)
{
	run->since_listen += operations;
	if (run->since_listen >= LISTEN_AFTER) {
		run->since_listen = 0;
		runtime_listen(run->runtime);
	}
}

static uint64_t run_operations(const struct workload *workload)
{
	uint64_t operations = 0;

	for (size_t i = 0; i < workload->phase_count; i++) {
		const struct workload_phase *phase = &workload->phases[i];

		for (uint32_t number = 1; number <= workload->schedulers; number++) {
			if (number >= phase->first_scheduler && number <= phase->last_scheduler) {
				operations += phase->operations;
			}
		}
	}
	return operations;
}

/* Looks at what there is; a listener that came meanwhile is noticed at once. */
static void run_report_burst(
		struct workload_run *run, const struct workload_run_report *report, uint64_t done)
{
	if (report && report->burst && report->burst(report->context, run, done, run->operations)) {
		runtime_listen(run->runtime);
	}
}

/* One burst of each scheduler after the other; between them all threads have passed. */
static void run_take_turns(struct workload_run *run, const struct workload_run_report *report)
{
	const struct workload *workload = run->workload;
	uint64_t done = 0;

	run->operations = run_operations(workload);
	for (size_t phase = 0; phase < workload->phase_count && !run_is_over(run); phase++) {
		bool has_more = true;

		for (uint32_t i = 1; i <= workload->schedulers; i++) {
			scheduler_begin(run->schedulers[i], phase);
		}
		while (has_more) {
			has_more = false;
			for (uint32_t i = 1; i <= workload->schedulers; i++) {
				uint64_t left = scheduler_left(run->schedulers[i]);

				scheduler_collect(run->schedulers[i]);
				has_more |= scheduler_work(run->schedulers[i], workload->burst) > 0;
				done += left - scheduler_left(run->schedulers[i]);
				runtime_round(run->runtime);
				run_report_burst(run, report, done);
				run_listen(run, workload->burst);
			}
		}
		if (!run_is_over(run)) {
			run_report_phase(run, report, phase);
		}
	}
}

/* Between two bursts: aux work, and a step of thread progress. */
static void worker_pass(struct worker *worker)
{
	struct shift *shift = worker->shift;
	struct runtime *runtime = shift->run->runtime;
	uint64_t round = __atomic_load_n(&shift->round, __ATOMIC_ACQUIRE);

	scheduler_collect(worker->scheduler);
	runtime_aux(runtime, worker->number);
	if (worker->number == 1) {
		runtime_aux(runtime, 0);
	}
	if (worker->round == round) {
		return;
	}
	worker->round = round;
	if (__atomic_add_fetch(&shift->passed, 1, __ATOMIC_ACQ_REL) ==
			shift->run->workload->schedulers) {
		__atomic_store_n(&shift->passed, 0, __ATOMIC_RELAXED);
		runtime_progress(runtime);
		__atomic_store_n(&shift->round, round + 1, __ATOMIC_RELEASE);
	}
}

static void worker_phase(struct worker *worker, size_t phase)
{
	struct shift *shift = worker->shift;
	uint64_t burst = shift->run->workload->burst;

	scheduler_begin(worker->scheduler, phase);
	while (scheduler_work(worker->scheduler, burst)) {
		worker_pass(worker);
	}
	__atomic_sub_fetch(&shift->busy, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&shift->busy, __ATOMIC_ACQUIRE)) {
		worker_pass(worker);
		sched_yield();
	}
}

static void *worker_run(void *argument)
{
	struct worker *worker = argument;
	struct shift *shift = worker->shift;
	uint32_t gate;

	while (!(gate = __atomic_load_n(&shift->gate, __ATOMIC_ACQUIRE))) {
		sched_yield();
	}
	for (size_t phase = 0; gate == GATE_OPEN && phase < shift->run->workload->phase_count;
			phase++) {
		worker_phase(worker, phase);
		pthread_barrier_wait(&shift->barrier);
		if (worker->number == 1) {
			__atomic_store_n(&shift->busy, shift->run->workload->schedulers,
					__ATOMIC_RELAXED);
			if (!run_is_over(shift->run)) {
				run_report_phase(shift->run, shift->report, phase);
			}
		}
		pthread_barrier_wait(&shift->barrier);
	}
	return NULL;
}

/* Returns CSC_ERROR if not all threads could be started: then nobody has run. */
static enum csc_status shift_start(struct shift *shift, struct worker *workers, struct diag *diag)
{
	uint32_t schedulers = shift->run->workload->schedulers;

	uint32_t started = 0;

	while (started < schedulers) {
		struct worker *worker = &workers[started];

		*worker = (struct worker){
			.shift = shift,
			.scheduler = shift->run->schedulers[started + 1],
			.number = started + 1,
		};
		if (pthread_create(&worker->thread, NULL, worker_run, worker) != 0) {
			(void)DIAG_FAIL(diag, "cannot start thread %u", started + 1);
			break;
		}
		started++;
	}
	__atomic_store_n(&shift->gate, started == schedulers ? GATE_OPEN : GATE_CANCELLED,
			__ATOMIC_RELEASE);
	for (uint32_t i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
	}
	return started == schedulers ? CSC_OK : CSC_ERROR;
}

static enum csc_status run_work_together(struct workload_run *run,
		const struct workload_run_report *report, struct diag *diag)
{
	uint32_t schedulers = run->workload->schedulers;
	struct worker *workers = calloc(schedulers, sizeof(*workers));
	struct shift shift = {
		.run = run,
		.report = report,
		.busy = schedulers,
		.round = 1,
	};
	enum csc_status status;

	if (!workers) {
		return DIAG_NO_MEMORY(diag);
	}
	pthread_barrier_init(&shift.barrier, NULL, schedulers);
	status = shift_start(&shift, workers, diag);
	pthread_barrier_destroy(&shift.barrier);
	free(workers);
	return status;
}

static enum csc_status run_fill(struct workload_run *run, struct diag *diag)
{
	uint32_t schedulers = run->workload->schedulers;

	run->schedulers = calloc(schedulers + 1, sizeof(struct scheduler *));
	for (uint32_t i = 1; run->schedulers && i <= schedulers; i++) {
		run->schedulers[i] = scheduler_create(run, i);
		if (!run->schedulers[i]) {
			return DIAG_NO_MEMORY(diag);
		}
	}
	return run->schedulers ? CSC_OK : DIAG_NO_MEMORY(diag);
}

/* What the first scheduler that failed could not have. */
static bool run_has_failed(const struct workload_run *run, struct scheduler_failure *ret_failure)
{
	for (uint32_t i = 1; i <= run->workload->schedulers; i++) {
		scheduler_failure(run->schedulers[i], ret_failure);
		if (ret_failure->kind) {
			return true;
		}
	}
	return false;
}

enum csc_status workload_run(const struct workload *workload, struct runtime *runtime,
		bool is_threaded, const struct workload_run_report *report,
		struct scheduler_figures *ret_figures, struct scheduler_failure *ret_failure,
		struct diag *diag)
{
	struct workload_run run = { .workload = workload, .runtime = runtime };
	enum csc_status status = run_fill(&run, diag);

	*ret_failure = (struct scheduler_failure){ 0 };
	if (status == CSC_OK && is_threaded) {
		status = run_work_together(&run, report, diag);
	} else if (status == CSC_OK) {
		run_take_turns(&run, report);
	}
	if (status == CSC_OK) {
		run_rest(&run);
		workload_run_figures(&run, ret_figures);
		status = run_has_failed(&run, ret_failure) ? CSC_ERROR : CSC_OK;
		if (report && report->end) {
			report->end(report->context, &run);
		}
	}
	for (uint32_t i = 1; run.schedulers && i <= workload->schedulers; i++) {
		scheduler_destroy(run.schedulers[i]);
	}
	free(run.schedulers);
	return status;
}
