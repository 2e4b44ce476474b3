/* SPDX-License-Identifier: MIT */
/* Types of memory, by generation. */
#include "block_types.h"

#include <inttypes.h>
#include <string.h>

/*
 * What block_type.h, the table of 24rc0, has not.
 * Source: SOURCES.md 10.2.
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
 * Objects of fixed size, in bytes, in the order of the runtime's listing; 0: a type that the
 * release does not have. Source: of 24.0-rc0 the recorded cases of its lists; of 25.2.3
 * (erts 13.1.5, x86-64, with the JIT) `fix_types` of its own system_info, which
 * tests/core/live/fix_types.erl compares again. SOURCES.md 18.2 for the order.
 */
static const struct fixed_type fixed_types[] = {
	{ "proc", 824, 776, TYPE_ALL },
	{ "receive_marker_block", 0, 520, TYPE_LATER },
	{ "msg_ref", 40, 40, TYPE_ALL },
	{ "ll_ptimer", 72, 72, TYPE_ALL },
	{ "hl_ptimer", 64, 64, TYPE_ALL },
	{ "bif_timer", 152, 152, TYPE_ALL },
	{ "nsched_magic_ref_entry", 32, 32, TYPE_ALL },
	{ "nsched_pid_ref_entry", 0, 32, TYPE_LATER },
	{ "magic_indirection", 56, 56, TYPE_ALL },
	{ "process_signal_queue_buffers", 0, 8272, TYPE_SINCE_25 },
	{ "sl_thr_q_element", 16, 16, TYPE_ALL },
	{ "monitor", 120, 128, TYPE_ALL },
	{ "link", 88, 48, TYPE_ALL },
	{ "driver_select_data_state", 48, 48, TYPE_ALL },
	{ "enif_select_data_state", 32, 48, TYPE_ALL },
};

static bool is_there(enum type_release release, const struct csc_generation *generation)
{
	if (release == TYPE_ALL) {
		return true;
	}
	if (release == TYPE_SINCE_25) {
		/* Carriers have the extra word since then. */
		return generation->header_extra_words > 0;
	}
	return !generation->has_common_pool;
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
	type = &late_types[number - csc_block_type_count() - 1];
	for (size_t i = 0; i < sizeof(fixed_types) / sizeof(fixed_types[0]); i++) {
		if (strcmp(fixed_types[i].name, type->description) == 0) {
			return is_there(fixed_types[i].release, generation) ? type : NULL;
		}
	}
	return type;
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

uint64_t fixed_type_bytes(const struct fixed_type *type, const struct csc_generation *generation,
		uint32_t word_bytes)
{
	uint64_t bytes = generation->has_common_pool ? type->bytes_24rc0 : type->bytes_25;

	return word_bytes == 8 ? bytes : (bytes / 2 + 3) & ~UINT64_C(3);
}

const char *fixed_types_basis(const struct csc_generation *generation, uint32_t word_bytes)
{
	bool is_old = generation->has_common_pool;

	if (word_bytes != 8) {
		return is_old ? "estimates: half of what OTP 24.0-rc0 has with words of 8 bytes"
			      : "estimates: half of what OTP 25.2.3 has with words of 8 bytes";
	}
	if (is_old) {
		return "exact: measured on OTP 24.0-rc0";
	}
	return strcmp(generation->name, "25") == 0 ? "exact: measured on OTP 25.2.3"
						   : "estimates: those of OTP 25.2.3";
}

void fixed_types_print(const struct csc_generation *generation, uint32_t word_bytes, FILE *out)
{
	const struct fixed_type *types[CSC_FIX_TYPES_MAX];
	uint32_t count = fixed_types_of(generation, types);

	fprintf(out, "%% Objects of fixed size, in bytes (%s):\n%% {fix_types,[",
			fixed_types_basis(generation, word_bytes));
	for (uint32_t i = 0; i < count; i++) {
		fprintf(out, "%s{%s,%" PRIu64 "}", i ? "," : "", types[i]->name,
				fixed_type_bytes(types[i], generation, word_bytes));
	}
	fputs("]}\n", out);
}
