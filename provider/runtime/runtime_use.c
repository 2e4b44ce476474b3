/* SPDX-License-Identifier: MIT */
/* The figures of all instances of an allocator, as one. */
#include "api.h"
#include "runtime.h"

static void group_sum(struct csc_group_statistics *sum, const struct csc_group_statistics *more)
{
	sum->blocks.now += more->blocks.now;
	sum->blocks_bytes.now += more->blocks_bytes.now;
	sum->carriers.now += more->carriers.now;
	sum->carriers_bytes.now += more->carriers_bytes.now;
}

void runtime_sum(const struct runtime *runtime, enum csc_allocator allocator,
		struct csc_statistics *ret_sum)
{
	uint32_t count = csc_options_instances(runtime_options(runtime), allocator);
	struct csc_statistics sum = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		/* A listener may ask while instances are still being made. */
		struct csc_instance *instance = runtime_instance(runtime, allocator, i);
		struct csc_statistics statistics;

		if (!instance) {
			continue;
		}
		runtime_api(runtime)->statistics(instance, false, &statistics);
		group_sum(&sum.mbcs, &statistics.mbcs);
		group_sum(&sum.sbcs, &statistics.sbcs);
		sum.pool_carriers += statistics.pool_carriers;
		sum.pool_carriers_bytes += statistics.pool_carriers_bytes;
		sum.pool_blocks += statistics.pool_blocks;
		sum.pool_blocks_bytes += statistics.pool_blocks_bytes;
	}
	*ret_sum = sum;
}

void runtime_use(const struct runtime *runtime, enum csc_allocator allocator,
		struct runtime_use *ret_use)
{
	uint32_t count = csc_options_instances(runtime_options(runtime), allocator);
	struct csc_statistics sum;

	runtime_sum(runtime, allocator, &sum);
	*ret_use = (struct runtime_use){
		.blocks = sum.mbcs.blocks.now + sum.sbcs.blocks.now + sum.pool_blocks,
		.blocks_bytes = sum.mbcs.blocks_bytes.now + sum.sbcs.blocks_bytes.now +
				sum.pool_blocks_bytes,
		.carriers = sum.mbcs.carriers.now + sum.sbcs.carriers.now + sum.pool_carriers,
		.carriers_bytes = sum.mbcs.carriers_bytes.now + sum.sbcs.carriers_bytes.now +
				sum.pool_carriers_bytes,
	};
	for (uint32_t i = 0; allocator == CSC_FIX && i < count; i++) {
		struct csc_instance *instance = runtime_instance(runtime, allocator, i);

		for (uint32_t fix = 0; instance && fix < CSC_FIX_TYPES_MAX; fix++) {
			struct csc_fix_statistics list;

			runtime_api(runtime)->fix_statistics(instance, fix, &list);
			ret_use->kept += list.length;
		}
	}
}
