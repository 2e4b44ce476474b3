/* SPDX-License-Identifier: MIT */
/*
 * A workload from nowhere: refused with a sentence, or run as far as a small machine lets it.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "workload.h"
#include "workload_run.h"

/* A text that asks for more is only read. */
#define OPERATIONS_MAX 2000
#define SCHEDULERS_MAX 4
#define MEMORY_BYTES (UINT64_C(64) << 20)

static uint64_t operations_of(const struct workload *workload)
{
	uint64_t operations = 0;

	for (size_t i = 0; i < workload->phase_count; i++) {
		operations += workload->phases[i].operations * workload->schedulers;
	}
	return operations;
}

static void run(const struct workload *workload, const struct csc_generation *generation)
{
	struct runtime_config config = { .limit_bytes = MEMORY_BYTES };
	struct diag diag = { 0 };
	struct scheduler_figures figures = { 0 };
	struct scheduler_failure failure = { 0 };
	struct runtime *runtime;
	uint64_t blocks = 0;

	csc_options_init(&config.options, generation, 8, workload->schedulers);
	csc_options_settle(&config.options);
	runtime = runtime_create(&config, &diag);
	if (!runtime) {
		return;
	}
	workload_run(workload, runtime, false, NULL, &figures, &failure, &diag);
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct runtime_use use;

		runtime_use(runtime, (enum csc_allocator)i, &use);
		blocks += use.blocks - use.kept;
	}
	if (diag_is_set(&diag) || figures.damaged || blocks != (uint64_t)figures.blocks) {
		abort();
	}
	runtime_destroy(runtime);
}

/* Types that no allocator serves come from malloc, which knows no limit here. */
static bool has_plain(const struct workload *workload)
{
	for (size_t i = 0; i < workload->source_count; i++) {
		if (workload->sources[i].kind.type->is_sys) {
			return true;
		}
	}
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const generations[] = { "24rc0", "24.0.1", "25", "28" };
	const struct csc_generation *generation = csc_generation_find(generations[size % 4]);
	struct workload_override override = { 0 };
	struct diag diag = { 0 };
	struct workload *workload;
	char *text = malloc(size + 1);

	if (!text) {
		abort();
	}
	memcpy(text, data, size);
	text[size] = 0;
	workload = workload_parse(text, "workload", generation, &override, &diag);
	free(text);
	if (!workload) {
		if (!diag.text[0]) {
			abort();
		}
		return 0;
	}
	if (workload->schedulers <= SCHEDULERS_MAX && !has_plain(workload) &&
			operations_of(workload) <= OPERATIONS_MAX) {
		run(workload, generation);
	}
	workload_destroy(workload);
	return 0;
}
