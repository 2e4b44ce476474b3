/* SPDX-License-Identifier: MIT */
/*
 * Keeps the two builds of the core apart, so that one program can hold both: with 8-byte words
 * the public names are as written, with 4-byte words they are reached through csc_api_word4
 * (api.h).
 */
#ifndef CSC_NAMES_H
#define CSC_NAMES_H

#if defined(CSC_WORD_BYTES) && CSC_WORD_BYTES == 4

#define CSC_NAME(name) csc32_##name

#define csc_alloc CSC_NAME(alloc)
#define csc_block_place CSC_NAME(block_place)
#define csc_block_type_at CSC_NAME(block_type_at)
#define csc_block_type_count CSC_NAME(block_type_count)
#define csc_block_type_find CSC_NAME(block_type_find)
#define csc_block_type_word CSC_NAME(block_type_word)
#define csc_block_view CSC_NAME(block_view)
#define csc_carrier_view CSC_NAME(carrier_view)
#define csc_core_init CSC_NAME(core_init)
#define csc_core_progress CSC_NAME(core_progress)
#define csc_core_share CSC_NAME(core_share)
#define csc_fix_alloc CSC_NAME(fix_alloc)
#define csc_fix_free CSC_NAME(fix_free)
#define csc_fix_statistics CSC_NAME(fix_statistics)
#define csc_fix_visit CSC_NAME(fix_visit)
#define csc_free CSC_NAME(free)
#define csc_generation_find CSC_NAME(generation_find)
#define csc_instance_blocks CSC_NAME(instance_blocks)
#define csc_instance_pool_blocks CSC_NAME(instance_pool_blocks)
#define csc_instance_bytes CSC_NAME(instance_bytes)
#define csc_instance_drain CSC_NAME(instance_drain)
#define csc_instance_init CSC_NAME(instance_init)
#define csc_instance_is_valid CSC_NAME(instance_is_valid)
#define csc_instance_keep_carriers CSC_NAME(instance_keep_carriers)
#define csc_instance_release CSC_NAME(instance_release)
#define csc_instance_set_sbct CSC_NAME(instance_set_sbct)
#define csc_instance_statistics CSC_NAME(instance_statistics)
#define csc_allocator_infos CSC_NAME(allocator_infos)
#define csc_instance_emit_carriers CSC_NAME(instance_emit_carriers)
#define csc_options_config CSC_NAME(options_config)
#define csc_options_descriptors CSC_NAME(options_descriptors)
#define csc_options_descriptors_bytes CSC_NAME(options_descriptors_bytes)
#define csc_options_forbid_migration CSC_NAME(options_forbid_migration)
#define csc_options_has CSC_NAME(options_has)
#define csc_options_init CSC_NAME(options_init)
#define csc_options_instances CSC_NAME(options_instances)
#define csc_options_max CSC_NAME(options_max)
#define csc_options_number CSC_NAME(options_number)
#define csc_options_settle CSC_NAME(options_settle)
#define csc_realloc CSC_NAME(realloc)
#define csc_settings_init CSC_NAME(settings_init)
#define csc_strategy_find CSC_NAME(strategy_find)
#define csc_strategy_is_first_fit CSC_NAME(strategy_is_first_fit)
#define csc_strategy_name CSC_NAME(strategy_name)

#else
#define CSC_NAME(name) csc64_##name
#endif

#endif
