/* SPDX-License-Identifier: MIT */
/* What a new session is sent: names, options, carriers, blocks. */
#include "carrierscope_tp.h"

#include "lttng_listener_internal.h"

void statedump_name(void *context, const struct csc_name_note *values)
{
	uint8_t allocator_id = (uint8_t)values->allocator;

	(void)context;
	switch (values->kind) {
	case CSC_NAME_ALLOCATOR:
		lttng_ust_tracepoint(
				carrierscope, name_allocator, (uint8_t)values->id, values->name);
		break;
	case CSC_NAME_CLASS:
		lttng_ust_tracepoint(carrierscope, name_class, (uint8_t)values->id, values->name);
		break;
	case CSC_NAME_TYPE:
		lttng_ust_tracepoint(carrierscope, name_type, (uint16_t)values->id,
				(uint8_t)values->class_id, allocator_id, values->name);
		break;
	}
}

void statedump_option(void *context, const struct csc_option_note *values)
{
	(void)context;
	lttng_ust_tracepoint(carrierscope, option, (uint8_t)values->allocator, values->name,
			values->value);
}

static void statedump_blocks(struct lttng_listener *lttng, const struct csc_carrier_note *values)
{
	const struct csc_listener_subject *runtime = lttng->runtime;
	struct csc_carrier_view carrier;
	struct csc_block_view block;
	uint64_t at;

	runtime->api->carrier_view(runtime->core, values->address, &carrier);
	at = values->address + carrier.first;
	do {
		runtime->api->block_view(runtime->core, at, &block);
		if (!block.is_free) {
			lttng_ust_tracepoint(carrierscope, state_block, at + runtime->word_bytes,
					values->address, block.size_bytes,
					(uint8_t)values->allocator, (uint16_t)values->instance);
			lttng->dump_blocks++;
		}
		at += block.size_bytes;
	} while (!block.is_last);
}

void statedump_carrier(struct lttng_listener *lttng, const struct csc_carrier_note *values)
{
	lttng->dump_carriers++;
	lttng_ust_tracepoint(carrierscope, state_carrier, values->address, values->size_bytes,
			(uint8_t)values->allocator, (uint16_t)values->instance,
			(uint16_t)values->origin, (uint8_t)values->kind, (uint8_t)values->source,
			(uint8_t)values->place, values->block_count, values->block_bytes);
	if (lttng_ust_tracepoint_enabled(carrierscope, state_block)) {
		statedump_blocks(lttng, values);
	}
}

void statedump_emit(struct lttng_listener *lttng)
{
	const struct csc_listener_subject *runtime = lttng->runtime;

	lttng->dump_id++;
	lttng->dump_carriers = 0;
	lttng->dump_blocks = 0;
	lttng_ust_tracepoint(carrierscope, state_begin, lttng->dump_id, runtime->release,
			(uint8_t)runtime->word_bytes, runtime->unit_bytes,
			(uint16_t)runtime->schedulers, (uint16_t)runtime->instance_count);
	for (uint32_t i = 0; i < CSC_TYPES_MAX; i++) {
		if (runtime->allocator_names[i]) {
			lttng_ust_tracepoint(carrierscope, name_allocator, (uint8_t)i,
					runtime->allocator_names[i]);
		}
	}
	if (runtime->describe) {
		runtime->describe(runtime->context, &lttng->listener);
	}
	for (uint32_t i = 0; i < runtime->instance_count; i++) {
		if (runtime->instances[i]) {
			runtime->api->emit_carriers(runtime->instances[i]);
		}
	}
	lttng_ust_tracepoint(carrierscope, state_end, lttng->dump_id, lttng->dump_carriers,
			lttng->dump_blocks);
}

/* A snapshot while it is recorded: of which instance, and how many figures so far. */
struct figures {
	uint32_t snapshot_id;
	uint64_t count;
	struct csc_statistics instance;
};

static void figures_one(struct figures *figures, const char *section, const char *key,
		const struct csc_figure *figure)
{
	figures->count++;
	lttng_ust_tracepoint(carrierscope, snapshot_figure, figures->snapshot_id,
			(uint8_t)figures->instance.type, (uint16_t)figures->instance.index, section,
			key, figure->now, figure->max, figure->ever);
}

/* A figure that has no maxima repeats its value. */
static void figures_plain(
		struct figures *figures, const char *section, const char *key, uint64_t value)
{
	const struct csc_figure figure = { .now = value, .max = value, .ever = value };

	figures_one(figures, section, key, &figure);
}

static void figures_group(struct figures *figures, const char *section,
		const struct csc_group_statistics *group)
{
	figures_one(figures, section, "blocks", &group->blocks);
	figures_one(figures, section, "blocks_size", &group->blocks_bytes);
	figures_one(figures, section, "carriers", &group->carriers);
	figures_one(figures, section, "carriers_size", &group->carriers_bytes);
}

void statedump_figures(struct lttng_listener *lttng)
{
	const struct csc_listener_subject *runtime = lttng->runtime;
	struct figures figures = { .snapshot_id = ++lttng->snapshot_id };

	if (!lttng_ust_tracepoint_enabled(carrierscope, snapshot_figure)) {
		return;
	}
	/* A flight recorder may have lost the names. */
	for (uint32_t i = 0; i < CSC_TYPES_MAX; i++) {
		if (runtime->allocator_names[i]) {
			lttng_ust_tracepoint(carrierscope, name_allocator, (uint8_t)i,
					runtime->allocator_names[i]);
		}
	}
	lttng_ust_tracepoint(carrierscope, snapshot_begin, figures.snapshot_id, 0);
	for (uint32_t i = 0; i < runtime->instance_count; i++) {
		const struct csc_statistics *statistics = &figures.instance;

		if (!runtime->instances[i]) {
			continue;
		}
		runtime->api->statistics(runtime->instances[i], false, &figures.instance);
		figures_group(&figures, "mbcs", &statistics->mbcs);
		figures_group(&figures, "sbcs", &statistics->sbcs);
		if (statistics->has_pool) {
			figures_plain(&figures, "mbcs_pool", "blocks", statistics->pool_blocks);
			figures_plain(&figures, "mbcs_pool", "blocks_size",
					statistics->pool_blocks_bytes);
			figures_plain(&figures, "mbcs_pool", "carriers", statistics->pool_carriers);
			figures_plain(&figures, "mbcs_pool", "carriers_size",
					statistics->pool_carriers_bytes);
		}
	}
	lttng_ust_tracepoint(carrierscope, snapshot_end, figures.snapshot_id, figures.count);
}
