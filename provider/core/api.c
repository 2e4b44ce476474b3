/* SPDX-License-Identifier: MIT */
/* The core as a table of functions. */
#include "api.h"

#include "instance.h"

#if CSC_WORD_BYTES == 8
const struct csc_api csc_api_word8 = {
#else
const struct csc_api csc_api_word4 = {
#endif
	.word_bytes = CSC_WORD_BYTES,
	.core_bytes = sizeof(struct csc_core),
	.instance_bytes = sizeof(struct csc_instance),
	.core_init = csc_core_init,
	.core_share = csc_core_share,
	.core_progress = csc_core_progress,
	.instance_init = csc_instance_init,
	.alloc = csc_alloc,
	.realloc = csc_realloc,
	.free = csc_free,
	.fix_alloc = csc_fix_alloc,
	.fix_free = csc_fix_free,
	.fix_visit = csc_fix_visit,
	.fix_statistics = csc_fix_statistics,
	.emit_carriers = csc_instance_emit_carriers,
	.set_sbct = csc_instance_set_sbct,
	.drain = csc_instance_drain,
	.keep_carriers = csc_instance_keep_carriers,
	.release = csc_instance_release,
	.statistics = csc_instance_statistics,
	.blocks = csc_instance_blocks,
	.pool_blocks = csc_instance_pool_blocks,
	.carrier_view = csc_carrier_view,
	.block_view = csc_block_view,
	.block_place = csc_block_place,
	.is_valid = csc_instance_is_valid,
};
