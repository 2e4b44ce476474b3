/* SPDX-License-Identifier: MIT */
/*
 * speech_late: a runtime with carriers and blocks that waits for its listeners.  Says "ready" and
 * reads a line, as often as there are any; after each one it ticks and allocates one block more.
 * At its end: "blocks N bytes B", headers included, as they were at the last tick.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "linux.h"
#include "lttng_listener.h"

#define BLOCKS 1000

static struct csc_core *core;
static struct csc_instance *instance;

int main(void)
{
	struct linux_options options = {
		.mseg_count = 1,
		.segment = { .page_bytes = 4096, .unit_bytes = 16384 },
	};
	struct linux_target *target = linux_target_create(&options);
	const struct csc_api *api = &csc_api_word8;
	struct csc_instance *instances[1] = { NULL };
	struct csc_instance *table[2];
	struct csc_listener *listener = lttng_listener();
	struct csc_instance_config config = { .type = 5, .index = 1, .is_thread_safe = true };
	struct csc_listener_subject runtime = {
		.release = "25",
		.word_bytes = 8,
		.unit_bytes = 16384,
		.schedulers = 1,
		.allocator_names = { [5] = "ll_alloc" },
		.api = api,
		.instances = instances,
		.instance_count = 1,
	};
	struct csc_statistics counted = { .has_pool = false };
	char line[16];

	core = malloc(api->core_bytes);
	instance = malloc(api->instance_bytes);
	if (!target || !core || !instance) {
		return EXIT_FAILURE;
	}
	runtime.core = core;
	csc_settings_init(&config.settings);
	config.settings.mmbcs = 65536;
	api->core_init(core, csc_generation_find("25"), linux_target_memory(target), listener,
			table, 2);
	csc_listener_begin(listener, &runtime);
	if (!api->instance_init(instance, core, &config)) {
		return EXIT_FAILURE;
	}
	instances[0] = instance;
	for (uint64_t i = 0; i < BLOCKS; i++) {
		csc_listener_next_block(listener, 7, 0);
		api->alloc(instance, i % 100 == 0 ? 1000000 : 100 + i);
	}
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		api->statistics(instance, false, &counted);
		csc_listener_tick(listener);
		csc_listener_next_block(listener, 7, 0);
		api->alloc(instance, 100);
		puts("ready");
		fflush(stdout);
	}
	csc_listener_end(listener);
	printf("blocks %" PRIu64 " bytes %" PRIu64 "\n",
			counted.mbcs.blocks.now + counted.sbcs.blocks.now,
			counted.mbcs.blocks_bytes.now + counted.sbcs.blocks_bytes.now);
	/* Like a runtime's, the instance and its carriers live until the process ends. */
	return EXIT_SUCCESS;
}
