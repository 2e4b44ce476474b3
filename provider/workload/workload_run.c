/* SPDX-License-Identifier: MIT */
/* Running a workload. */
#include "workload_run.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* In turns: whoever comes to hear is noticed after the burst that completes so many operations. */
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
	struct crew *crew;
	const struct crew_report *report;

	/* Atomic: enum shift_gate. */
	uint32_t gate;

	/* Everybody waits for the end and the begin of a phase. */
	pthread_barrier_t barrier;

	/* Atomic: hands that have operations left in this phase. */
	uint32_t busy;

	/* Atomic: the round of thread progress, and who has seen it. */
	uint64_t round;
	uint32_t passed;
};

struct worker {
	/* Weak. */
	struct shift *shift;
	struct hand *hand;
	pthread_t thread;
	uint32_t scheduler;
	/* The last round that it has passed. */
	uint64_t round;
};

static void figures_add(struct hand_figures *sum, const struct hand_figures *more)
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

void crew_figures(const struct crew *crew, struct hand_figures *ret_figures)
{
	*ret_figures = (struct hand_figures){ 0 };
	for (uint32_t i = 1; i <= crew->workload->schedulers; i++) {
		struct hand_figures figures;

		hand_figures(crew->hands[i], &figures);
		figures_add(ret_figures, &figures);
	}
}

/* Everybody is at rest: frees what is left for others and empties all queues. */
static void crew_rest(struct crew *crew)
{
	bool has_worked;

	do {
		has_worked = false;
		for (uint32_t i = 1; i <= crew->workload->schedulers; i++) {
			has_worked |= hand_collect(crew->hands[i]);
		}
		runtime_quiesce(crew->runtime);
	} while (has_worked);
}

static void crew_tell(struct crew *crew, const struct crew_report *report, size_t phase)
{
	struct hand_figures figures;

	crew_rest(crew);
	runtime_listen(crew->runtime);
	runtime_tell_heap(crew->runtime);
	if (report) {
		crew_figures(crew, &figures);
		report->phase(report->context, phase, &figures);
	}
}

static bool crew_is_over(const struct crew *crew)
{
	return __atomic_load_n(&crew->is_over, __ATOMIC_RELAXED);
}

/* Queues are empty here: a session that comes is told of no block that has been freed. */
static void crew_listen(struct crew *crew, uint64_t operations)
{
	crew->since_listen += operations;
	if (crew->since_listen >= LISTEN_AFTER) {
		crew->since_listen = 0;
		runtime_listen(crew->runtime);
	}
}

static uint64_t crew_operations(const struct workload *workload)
{
	uint64_t operations = 0;

	for (size_t i = 0; i < workload->phase_count; i++) {
		const struct workload_phase *phase = &workload->phases[i];

		for (uint32_t hand = 1; hand <= workload->schedulers; hand++) {
			if (hand >= phase->first_scheduler && hand <= phase->last_scheduler) {
				operations += phase->operations;
			}
		}
	}
	return operations;
}

/* Somebody looks at what there is, and whoever has come to hear meanwhile is noticed at once. */
static void crew_show(struct crew *crew, const struct crew_report *report, uint64_t done)
{
	if (report && report->burst &&
			report->burst(report->context, crew, done, crew->operations)) {
		runtime_listen(crew->runtime);
	}
}

/* One burst of each scheduler after the other; between them all threads have passed. */
static void crew_take_turns(struct crew *crew, const struct crew_report *report)
{
	const struct workload *workload = crew->workload;
	uint64_t done = 0;

	crew->operations = crew_operations(workload);
	for (size_t phase = 0; phase < workload->phase_count && !crew_is_over(crew); phase++) {
		bool has_more = true;

		for (uint32_t i = 1; i <= workload->schedulers; i++) {
			hand_begin(crew->hands[i], phase);
		}
		while (has_more) {
			has_more = false;
			for (uint32_t i = 1; i <= workload->schedulers; i++) {
				uint64_t left = hand_left(crew->hands[i]);

				hand_collect(crew->hands[i]);
				has_more |= hand_work(crew->hands[i], workload->burst) > 0;
				done += left - hand_left(crew->hands[i]);
				runtime_round(crew->runtime);
				crew_show(crew, report, done);
				crew_listen(crew, workload->burst);
			}
		}
		if (!crew_is_over(crew)) {
			crew_tell(crew, report, phase);
		}
	}
}

/* Between two bursts: aux work, and a step of thread progress. */
static void worker_pass(struct worker *worker)
{
	struct shift *shift = worker->shift;
	struct runtime *runtime = shift->crew->runtime;
	uint64_t round = __atomic_load_n(&shift->round, __ATOMIC_ACQUIRE);

	hand_collect(worker->hand);
	runtime_aux(runtime, worker->scheduler);
	if (worker->scheduler == 1) {
		runtime_aux(runtime, 0);
	}
	if (worker->round == round) {
		return;
	}
	worker->round = round;
	if (__atomic_add_fetch(&shift->passed, 1, __ATOMIC_ACQ_REL) ==
			shift->crew->workload->schedulers) {
		__atomic_store_n(&shift->passed, 0, __ATOMIC_RELAXED);
		runtime_progress(runtime);
		__atomic_store_n(&shift->round, round + 1, __ATOMIC_RELEASE);
	}
}

static void worker_phase(struct worker *worker, size_t phase)
{
	struct shift *shift = worker->shift;
	uint64_t burst = shift->crew->workload->burst;

	hand_begin(worker->hand, phase);
	while (hand_work(worker->hand, burst)) {
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
	for (size_t phase = 0; gate == GATE_OPEN && phase < shift->crew->workload->phase_count;
			phase++) {
		worker_phase(worker, phase);
		pthread_barrier_wait(&shift->barrier);
		if (worker->scheduler == 1) {
			__atomic_store_n(&shift->busy, shift->crew->workload->schedulers,
					__ATOMIC_RELAXED);
			if (!crew_is_over(shift->crew)) {
				crew_tell(shift->crew, shift->report, phase);
			}
		}
		pthread_barrier_wait(&shift->barrier);
	}
	return NULL;
}

/* False: not all threads could be started, and nobody has run. */
static bool shift_start(struct shift *shift, struct worker *workers, struct diag *diag)
{
	uint32_t schedulers = shift->crew->workload->schedulers;

	uint32_t started = 0;

	while (started < schedulers) {
		struct worker *worker = &workers[started];

		*worker = (struct worker){
			.shift = shift,
			.hand = shift->crew->hands[started + 1],
			.scheduler = started + 1,
		};
		if (pthread_create(&worker->thread, NULL, worker_run, worker) != 0) {
			(void)DIAG_FALSE(diag, "cannot start thread %u", started + 1);
			break;
		}
		started++;
	}
	__atomic_store_n(&shift->gate, started == schedulers ? GATE_OPEN : GATE_CANCELLED,
			__ATOMIC_RELEASE);
	for (uint32_t i = 0; i < started; i++) {
		pthread_join(workers[i].thread, NULL);
	}
	return started == schedulers;
}

static bool crew_work_together(
		struct crew *crew, const struct crew_report *report, struct diag *diag)
{
	uint32_t schedulers = crew->workload->schedulers;
	struct worker *workers = calloc(schedulers, sizeof(*workers));
	struct shift shift = {
		.crew = crew,
		.report = report,
		.busy = schedulers,
		.round = 1,
	};
	bool is_good;

	if (!workers) {
		return DIAG_FALSE(diag, "no memory");
	}
	pthread_barrier_init(&shift.barrier, NULL, schedulers);
	is_good = shift_start(&shift, workers, diag);
	pthread_barrier_destroy(&shift.barrier);
	free(workers);
	return is_good;
}

static bool crew_fill(struct crew *crew, struct diag *diag)
{
	uint32_t schedulers = crew->workload->schedulers;

	crew->hands = calloc(schedulers + 1, sizeof(struct hand *));
	for (uint32_t i = 1; crew->hands && i <= schedulers; i++) {
		crew->hands[i] = hand_create(crew, i);
		if (!crew->hands[i]) {
			return DIAG_FALSE(diag, "no memory");
		}
	}
	return crew->hands || DIAG_FALSE(diag, "no memory");
}

/* What the first scheduler that failed could not have. */
static bool crew_has_failed(const struct crew *crew, struct hand_failure *ret_failure)
{
	for (uint32_t i = 1; i <= crew->workload->schedulers; i++) {
		hand_failure(crew->hands[i], ret_failure);
		if (ret_failure->kind) {
			return true;
		}
	}
	return false;
}

bool crew_run(const struct workload *workload, struct runtime *runtime, bool is_threaded,
		const struct crew_report *report, struct hand_figures *ret_figures,
		struct hand_failure *ret_failure, struct diag *diag)
{
	struct crew crew = { .workload = workload, .runtime = runtime };
	bool is_good = crew_fill(&crew, diag);

	*ret_failure = (struct hand_failure){ 0 };
	if (is_good && is_threaded) {
		is_good = crew_work_together(&crew, report, diag);
	} else if (is_good) {
		crew_take_turns(&crew, report);
	}
	if (is_good) {
		crew_rest(&crew);
		crew_figures(&crew, ret_figures);
		is_good = !crew_has_failed(&crew, ret_failure);
		if (report && report->end) {
			report->end(report->context, &crew);
		}
	}
	for (uint32_t i = 1; crew.hands && i <= workload->schedulers; i++) {
		hand_destroy(crew.hands[i]);
	}
	free(crew.hands);
	return is_good;
}
