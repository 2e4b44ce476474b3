/* SPDX-License-Identifier: MIT */
/* Types of memory, by generation. */
#include "types.h"

#include <string.h>

/*
 * What block_type.h, the table of 24rc0, has not.
 * Source: facts/allocator-core.md 10, "Type changes".
 */
static const struct csc_block_type late_types[] = {
	{ "RECV_MARK_BLK", "receive_marker_block", CSC_CLASS_PROCESS, false, CSC_FIX },
	{ "PREF_NSCHED_ENT", "nsched_pid_ref_entry", CSC_CLASS_SYSTEM, false, CSC_FIX },
	{ "SIGQ_BUFFERS", "process_signal_queue_buffers", CSC_CLASS_PROCESS, false, CSC_FIX },
	{ "PREF_ENT", "pid_ref_entry", CSC_CLASS_SYSTEM, false, CSC_STD },
	{ "PREF_TAB_BKTS", "pid_ref_table_buckets", CSC_CLASS_SYSTEM, false, CSC_STD },
	{ "PREF_TAB", "pid_ref_table", CSC_CLASS_SYSTEM, false, CSC_LL },
	{ "MAP_TRAP", "map_bif_trap_state", CSC_CLASS_PROCESS, false, CSC_SL },
	{ "CATCHES", "catches", CSC_CLASS_CODE, false, CSC_LL },
	{ "MONITOR_TAG", "monitor_tag", CSC_CLASS_PROCESS, false, CSC_STD },
	{ "ALIAS", "alias", CSC_CLASS_PROCESS, false, CSC_STD },
	{ "BLOCK_PTHR_DATA", "block_poll_thread_data", CSC_CLASS_SYSTEM, false, CSC_LL },
};

/*
 * Objects of fixed size, in bytes, in the order of the runtime's listing.
 * Source: facts/allocator-core.md 9, measured on 24rc0; facts/interfaces.md 2.3 for the order.
 * Differs: the four marked ones were never measured; their sizes are assumed.
 */
static const struct fixed_type fixed_types[] = {
	{ "proc", 824, TYPE_ALL },
	/* Assumed. */
	{ "receive_marker_block", 64, TYPE_LATER },
	{ "msg_ref", 40, TYPE_ALL },
	{ "ll_ptimer", 72, TYPE_ALL },
	{ "hl_ptimer", 64, TYPE_ALL },
	{ "bif_timer", 152, TYPE_ALL },
	{ "nsched_magic_ref_entry", 32, TYPE_ALL },
	/* Assumed. */
	{ "nsched_pid_ref_entry", 40, TYPE_LATER },
	/* Assumed. */
	{ "magic_indirection", 48, TYPE_ALL },
	/* Assumed. */
	{ "process_signal_queue_buffers", 256, TYPE_LATER },
	{ "sl_thr_q_element", 16, TYPE_ALL },
	{ "monitor", 120, TYPE_ALL },
	{ "link", 88, TYPE_ALL },
	{ "driver_select_data_state", 48, TYPE_ALL },
	{ "enif_select_data_state", 32, TYPE_ALL },
};

static bool is_there(enum type_release release, const struct csc_generation *generation)
{
	if (release == TYPE_ALL) {
		return true;
	}
	return generation->has_common_pool ? release == TYPE_24RC0 : release == TYPE_LATER;
}

uint32_t memory_type_count(void)
{
	return csc_block_type_count() + sizeof(late_types) / sizeof(late_types[0]);
}

const struct csc_block_type *memory_type_at(
		uint32_t number, const struct csc_generation *generation)
{
	const struct csc_block_type *type = csc_block_type_at(number);

	if (type) {
		return generation->has_common_pool || strncmp(type->name, "HIPE_", 5) != 0 ? type
											   : NULL;
	}
	if (!number || number > memory_type_count() || generation->has_common_pool) {
		return NULL;
	}
	return &late_types[number - csc_block_type_count() - 1];
}

uint32_t memory_type_find(const char *description, const struct csc_generation *generation)
{
	for (uint32_t i = 1; i <= memory_type_count(); i++) {
		const struct csc_block_type *type = memory_type_at(i, generation);

		if (type && strcmp(type->description, description) == 0) {
			return i;
		}
	}
	return 0;
}

uint32_t fixed_types_of(const struct csc_generation *generation,
		const struct fixed_type *ret_types[CSC_FIX_TYPES_MAX])
{
	uint32_t count = 0;

	for (size_t i = 0; i < sizeof(fixed_types) / sizeof(fixed_types[0]); i++) {
		if (is_there(fixed_types[i].release, generation)) {
			ret_types[count++] = &fixed_types[i];
		}
	}
	return count;
}
