/* SPDX-License-Identifier: MIT */
/* Workload files: what is refused, and what a run must keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "flags.h"
#include "runterm.h"
#include "workload.h"
#include "workload_random.h"
#include "workload_run.h"

/* A good beginning, of 5 lines. */
#define HEAD                                          \
	"size small uniform 8 100\n"                  \
	"size heap heap 233 2586\n"                   \
	"life short exponential 10\n"                 \
	"source rows db_term size small life short\n" \
	"source heaps heap size heap life short\n"
#define PHASE "phase one operations 10\n"

struct row {
	const char *text;
	/* NULL: the text is good. */
	const char *sentence;
};

static const struct row rows[] = {
	{ HEAD PHASE "make rows 1\n", NULL },
	{ HEAD "# nothing but a comment\n\n" PHASE " make\trows 1 # and more\r\n", NULL },
	{ HEAD "phase one operations 0\n", NULL },
	{ HEAD "schedulers 4\nphase one operations 1 on 2-4 second 5\ngrow heaps 1\n", NULL },
	{ "", "0: the file has no phase" },
	{ "colour red\n", "1: no such line: 'colour'" },
	{ "seed\n", "1: expected 'seed N'" },
	{ "seed 1 2\n", "1: expected 'seed N'" },
	{ "seed x\n", "1: 'x' is not a number from 0 to 18446744073709551615" },
	{ "seed -1\n", "1: '-1' is not a number from 0 to" },
	{ "seed 18446744073709551616\n", "1: '18446744073709551616' is not a number" },
	{ "schedulers 0\n", "1: '0' is not a number from 1 to 1024" },
	{ "schedulers 1025\n", "1: '1025' is not a number from 1 to 1024" },
	{ "burst 0\n", "1: '0' is not a number from 1 to" },
	{ "flags\n", "1: expected 'flags +M...'" },
	{ "size a\n", "1: expected 'size NAME KIND NUMBER...'" },
	{ "size a square 1\n", "1: no such kind of size: 'square'" },
	{ "size a constant 1 2\n", "1: expected 'size NAME constant N'" },
	{ "size a constant 1x\n", "1: '1x' is not a number" },
	{ "size a uniform 9 8\n", "1: '8' is not a number from 9 to" },
	{ "size a uniform 9\n", "1: expected 'size NAME uniform LOW HIGH'" },
	{ "size a lognormal 9 1 1\n", "1: expected 'size NAME lognormal" },
	{ "size a lognormal 9 -1 1 2\n", "1: '-1' is not a number from 0 to 10" },
	{ "size a lognormal nan 1 1 2\n", "1: 'nan' is not a number from 1 to" },
	{ "size a list 8\n", "1: '8' is not BYTES:WEIGHT" },
	{ "size a list 8:0\n", "1: all weights are 0" },
	{ "size a list 8:1 9:-1\n", "1: '9:-1' is not BYTES:WEIGHT" },
	{ "size a zipf 1\n", "1: expected 'size NAME zipf EXPONENT BYTES...'" },
	{ "size a heap 234 300\n", "1: no heap has from 234 to 300 words" },
	{ "size a heap 300 234\n", "1: '234' is not a number from 300 to" },
	{ "size a constant 1\nsize a constant 1\n", "2: the file has two sizes 'a'" },
	{ "size a123456789012345678901234567890123 constant 1\n", "1: the name 'a123" },
	{ "life a\n", "1: expected 'life NAME KIND NUMBER...'" },
	{ "life a long\n", "1: no such kind of life: 'long'" },
	{ "life a forever 1\n", "1: expected 'life NAME forever'" },
	{ "life a phases 0\n", "1: '0' is not a number from 1 to" },
	{ "life a exponential\n", "1: expected 'life NAME operations|exponential|phases N'" },
	{ "life a uniform 5 4\n", "1: '4' is not a number from 5 to" },
	{ "life a forever\nlife a forever\n", "2: the file has two lives 'a'" },
	{ HEAD "source a heap\n", "6: expected 'source NAME TYPE size SIZE" },
	{ HEAD "source a heap life short size heap\n", "6: expected 'source NAME TYPE size" },
	{ HEAD "source a pile size small life short\n", "6: no such type: 'pile'" },
	{ HEAD "source a heap size large life short\n", "6: no such size: 'large'" },
	{ HEAD "source a heap size small life long\n", "6: no such life: 'long'" },
	{ HEAD "source rows heap size small life short\n", "6: the file has two sources 'rows'" },
	{ HEAD "source a heap size fixed life short\n", "6: type 'heap' has no fixed size" },
	{ HEAD "source a proc size small life short\n", "6: type 'proc' has a fixed size" },
	{ HEAD "source a estack size small life short freed-by other\n",
			"6: blocks of temp_alloc are freed by the same scheduler" },
	{ HEAD "source a heap size small life short freed-by me\n", "6: 'me' is not a number" },
	{ HEAD "source a heap size small life short freed-by 2\nphase p operations 0\n",
			"6: there is no scheduler 2" },
	{ HEAD "source a hipe_code size small life short\n", "6: no such type: 'hipe_code'" },
	{ HEAD "make rows 1\n", "6: 'make' comes after a phase" },
	{ HEAD "phase one\n", "6: expected 'phase NAME operations N" },
	{ HEAD "phase one rounds 3\n", "6: expected 'phase NAME operations N" },
	{ HEAD "phase one operations 3 with 4\n", "6: expected 'phase NAME operations N" },
	{ HEAD "phase one operations 3 on 0\nmake rows 1\n", "6: '0' is not a number from 1" },
	{ HEAD "phase one operations 3 on 3-2\nmake rows 1\n", "6: '2' is not a number from 3" },
	{ HEAD "phase one operations 3 on 2\nmake rows 1\n", "6: there is no scheduler 2" },
	{ HEAD "phase one operations 3 second 0\n", "6: '0' is not a number from 1" },
	{ HEAD PHASE, "6: phase 'one' has operations but nothing to do" },
	{ HEAD PHASE "drop rows 1\n", "6: phase 'one' has operations but nothing to do" },
	{ HEAD PHASE "make rows\n", "7: expected 'make|resize|grow SOURCE WEIGHT'" },
	{ HEAD PHASE "make rows 0\n", "7: '0' is not a number from 1 to 1000000" },
	{ HEAD PHASE "make rams 1\n", "7: no such source: 'rams'" },
	{ HEAD PHASE "drop rows\n", "7: expected 'drop SOURCE PERCENT'" },
	{ HEAD PHASE "drop rows 101\n", "7: '101' is not a number from 0 to 100" },
	{ HEAD PHASE "grow rows 1\n", "7: source 'rows' is not a heap" },
	{ HEAD "source p proc size fixed life short\n" PHASE "resize p 1\n",
			"8: source 'p' has a fixed size" },
};

static void test_row(void **state)
{
	const struct row *row = *state;
	struct workload_override override = { 0 };
	struct diag diag = { 0 };
	char *text = strdup(row->text);
	struct workload *workload =
			workload_parse(text, "w", csc_generation_find("25"), &override, &diag);
	char expected[512];
	bool is_good = workload != NULL;

	free(text);
	workload_destroy(workload);
	if (!row->sentence) {
		assert_string_equal(diag.text, "");
		assert_true(is_good);
		return;
	}
	snprintf(expected, sizeof(expected), "w:%s", row->sentence);
	assert_false(is_good);
	if (strncmp(diag.text, expected, strlen(expected)) != 0) {
		fail_msg("expected '%s', got '%s'", expected, diag.text);
	}
}

/* One run of a ready workload. */
struct outcome {
	struct scheduler_figures figures;
	struct address_space_figures space;
	struct runtime_use uses[CSC_ALLOCATORS];
	/* Of the statistics. */
	uint64_t hash;
	/* Utilisation of an allocator after each phase, in thousandths. */
	uint64_t shares[WORKLOAD_PHASES_MAX];
	bool is_good;
};

struct watch {
	struct outcome *outcome;
	struct runtime *runtime;
	enum csc_allocator allocator;
};

static void note_phase(void *context, size_t number, const struct scheduler_figures *figures)
{
	struct watch *watch = context;
	struct runtime_use use;

	(void)figures;
	runtime_use(watch->runtime, watch->allocator, &use);
	if (use.carriers_bytes) {
		watch->outcome->shares[number] = 1000 * use.blocks_bytes / use.carriers_bytes;
	}
}

static uint64_t hash_of(const struct runtime *runtime)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	runterm_print(runtime, out);
	fclose(out);
	for (size_t i = 0; i < bytes; i++) {
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	}
	free(text);
	return hash;
}

static void run(const char *name, const char *otp, uint64_t scale_percent, bool is_threaded,
		enum csc_allocator allocator, struct outcome *ret_outcome)
{
	const struct csc_generation *generation = csc_generation_find(otp);
	struct workload_override override = { .scale_percent = scale_percent };
	struct flags_machine machine = { 0 };
	struct runtime_config config = { .is_threaded = is_threaded };
	struct diag diag = { 0 };
	struct scheduler_failure failure;
	struct workload *workload;
	struct watch watch = { .outcome = ret_outcome, .allocator = allocator };
	struct workload_run_report report = { &watch, note_phase, NULL, NULL };
	char path[512];

	*ret_outcome = (struct outcome){ 0 };
	snprintf(path, sizeof(path), "%s/%s.workload", CSC_WORKLOADS_DIR, name);
	workload = workload_read(path, generation, &override, &diag);
	if (!workload) {
		fail_msg("%s", diag.text);
		return;
	}
	csc_options_init(&config.options, generation, 8, workload->schedulers);
	assert_int_equal(flags_take(&config.options, &machine, (int)workload->flag_count,
					 workload->flags, &diag),
			CSC_OK);
	watch.runtime = runtime_create(&config, &diag);
	assert_non_null(watch.runtime);
	ret_outcome->is_good = workload_run(workload, watch.runtime, is_threaded, &report,
					       &ret_outcome->figures, &failure, &diag) == CSC_OK;
	runtime_address_space(watch.runtime, &ret_outcome->space);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		runtime_use(watch.runtime, (enum csc_allocator)i, &ret_outcome->uses[i]);
	}
	ret_outcome->hash = hash_of(watch.runtime);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		for (uint32_t k = 0; k <= workload->schedulers; k++) {
			const struct csc_instance *instance =
					runtime_instance(watch.runtime, (enum csc_allocator)i, k);

			assert_true(!instance || csc_instance_is_valid(instance));
		}
	}
	runtime_destroy(watch.runtime);
	workload_destroy(workload);
}

/* Every block and every byte of carriers is accounted for. */
static void expect_conservation(const struct outcome *outcome, bool has_common_pool)
{
	uint64_t blocks = 0;
	uint64_t carriers_bytes = 0;

	assert_true(outcome->is_good);
	assert_int_equal(outcome->figures.damaged, 0);
	assert_int_equal(outcome->figures.allocs - outcome->figures.frees, outcome->figures.blocks);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		const struct runtime_use *use = &outcome->uses[i];

		blocks += use->blocks - use->kept;
		carriers_bytes += use->carriers_bytes;
		if (!has_common_pool) {
			assert_int_equal(use->blocks - use->kept,
					outcome->figures.allocator_blocks[i]);
		}
	}
	assert_int_equal(blocks, outcome->figures.blocks);
	assert_int_equal(carriers_bytes, outcome->space.bytes);
}

static const char *const ready[] = { "ets-churn", "fragmentation", "heap-growth", "large-binaries",
	"load-peak", "mixed-service" };
#define READY (sizeof(ready) / sizeof(ready[0]))

static void test_figures_are_exact(void **state)
{
	static const char *const releases[] = { "24rc0", "24.0.1", "25", "28" };
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < READY; i++) {
		for (size_t k = 0; k < sizeof(releases) / sizeof(releases[0]); k++) {
			run(ready[i], releases[k], 10, false, CSC_TEMP, &outcome);
			expect_conservation(&outcome, k == 0);
		}
	}
}

static void test_same_seed_gives_same_figures(void **state)
{
	struct outcome first;
	struct outcome second;

	(void)state;
	for (size_t i = 0; i < READY; i++) {
		/* Something else in the address space moves nothing. */
		void *ballast = malloc(i * 100000 + 7);

		run(ready[i], "25", 20, false, CSC_TEMP, &first);
		free(ballast);
		run(ready[i], "25", 20, false, CSC_TEMP, &second);
		assert_int_equal(first.hash, second.hash);
		assert_int_equal(first.space.peak_bytes, second.space.peak_bytes);
	}
}

static void test_threads_keep_the_figures(void **state)
{
	struct outcome outcome;

	(void)state;
	for (size_t i = 0; i < READY; i++) {
		run(ready[i], "25", 10, true, CSC_TEMP, &outcome);
		expect_conservation(&outcome, false);
		run(ready[i], "24rc0", 10, true, CSC_TEMP, &outcome);
		expect_conservation(&outcome, true);
	}
}

/* A whole load of binaries on OTP 25. */
static void run_binaries(const char *name, struct outcome *ret_outcome)
{
	run(name, "25", 100, false, CSC_BINARY, ret_outcome);
	expect_conservation(ret_outcome, false);
}

/* Source: SOURCES.md 20.2: 93 % at the peak, 22 % now. */
static void test_fragmentation_leaves_22_percent(void **state)
{
	struct outcome outcome;

	(void)state;
	run_binaries("fragmentation", &outcome);
	assert_in_range(outcome.shares[0], 910, 960);
	assert_in_range(outcome.shares[1], 170, 220);
	assert_in_range(outcome.shares[2], 200, 240);
}

/* Source: SOURCES.md 20.1: most memory is in single-block carriers. */
static void test_large_binaries_use_their_carriers(void **state)
{
	struct outcome outcome;

	(void)state;
	run_binaries("large-binaries", &outcome);
	assert_in_range(outcome.shares[1], 840, 930);
	assert_in_range(outcome.uses[CSC_BINARY].carriers, 500, 1200);
}

static void test_distributions_keep_their_bounds(void **state)
{
	static const struct workload_size sizes[] = {
		{ .kind = SIZE_UNIFORM, .low = 0, .high = 7 },
		{ .kind = SIZE_UNIFORM, .low = 5, .high = 5 },
		{ .kind = SIZE_LOGNORMAL, .low = 16, .high = 4096, .median = 200, .sigma = 9 },
		{ .kind = SIZE_LIST,
				.low = 8,
				.high = 9,
				.values = { 8, 9 },
				.weights = { 1, 4 },
				.value_count = 2 },
	};
	struct chance chance;
	uint64_t eights = 0;

	(void)state;
	chance_init(&chance, 1, 1);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int k = 0; k < 10000; k++) {
			uint64_t bytes = workload_size_draw(&sizes[i], &chance);

			assert_in_range(bytes, sizes[i].low, sizes[i].high);
			eights += i == 3 && bytes == 8;
		}
	}
	/* A quarter. */
	assert_in_range(eights, 2300, 2700);
}

static void test_heaps_grow_along_the_steps(void **state)
{
	struct workload_size size = { .kind = SIZE_HEAP, .word_bytes = 8, .low = 233, .high = 610 };

	(void)state;
	assert_int_equal(workload_heap_next(&size, 233 * 8), 376 * 8);
	assert_int_equal(workload_heap_next(&size, 376 * 8), 610 * 8);
	assert_int_equal(workload_heap_next(&size, 610 * 8), 0);
}

/* workload_test [threads]: with the argument only what has threads, for the sanitizer of these. */
int main(int argc, char **argv)
{
	static const struct CMUnitTest threaded[] = {
		cmocka_unit_test(test_threads_keep_the_figures),
	};
	static struct CMUnitTest row_tests[sizeof(rows) / sizeof(rows[0])];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures_are_exact),
		cmocka_unit_test(test_same_seed_gives_same_figures),
		cmocka_unit_test(test_threads_keep_the_figures),
		cmocka_unit_test(test_fragmentation_leaves_22_percent),
		cmocka_unit_test(test_large_binaries_use_their_carriers),
		cmocka_unit_test(test_distributions_keep_their_bounds),
		cmocka_unit_test(test_heaps_grow_along_the_steps),
	};
	int failures;

	if (argc == 2 && strcmp(argv[1], "threads") == 0) {
		return cmocka_run_group_tests_name("threads", threaded, NULL, NULL);
	}

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		row_tests[i] = (struct CMUnitTest){
			.name = rows[i].sentence ? rows[i].sentence : "a good file",
			.test_func = test_row,
			.initial_state = (void *)(uintptr_t)&rows[i],
		};
	}
	failures = cmocka_run_group_tests_name("lines", row_tests, NULL, NULL);
	return failures + cmocka_run_group_tests_name("runs", tests, NULL, NULL);
}
