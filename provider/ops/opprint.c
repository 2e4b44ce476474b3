/* SPDX-License-Identifier: MIT */
/* The lines of a result that show a state: snapshots, figures, places of blocks. */
#include <inttypes.h>

#include "oprun_internal.h"

static void run_print_figure(FILE *out, const struct csc_figure *figure)
{
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, figure->now, figure->max, figure->ever);
}

static void run_print_group(FILE *out, uint32_t index, const char *name,
		const struct csc_group_statistics *group)
{
	fprintf(out, "%% %" PRIu32 " %s", index, name);
	run_print_figure(out, &group->blocks);
	run_print_figure(out, &group->blocks_bytes);
	run_print_figure(out, &group->carriers);
	run_print_figure(out, &group->carriers_bytes);
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", group->mseg_carriers,
			group->mseg_carriers_bytes, group->sys_carriers, group->sys_carriers_bytes);
}

void opprint_statistics(struct run *run, bool is_new_period)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		uint32_t index = run->opfile->first_instance + i;
		struct csc_statistics statistics;

		run->api->statistics(run->instances[i], is_new_period, &statistics);
		run_print_group(run->out, index, "mbcs", &statistics.mbcs);
		run_print_group(run->out, index, "sbcs", &statistics.sbcs);
		if (statistics.has_pool) {
			fprintf(run->out,
					"%% %" PRIu32 " pool %" PRIu64 " %" PRIu64 " %" PRIu64
					" %" PRIu64 "\n",
					index, statistics.pool_carriers,
					statistics.pool_carriers_bytes, statistics.pool_blocks,
					statistics.pool_blocks_bytes);
		}
		fprintf(run->out, "%% %" PRIu32 " calls", index);
		for (int k = 0; k < CSC_CALLS; k++) {
			fprintf(run->out, " %" PRIu64, statistics.calls[k]);
		}
		fputc('\n', run->out);
	}
}

void opprint_pool_counters(struct run *run)
{
	for (uint32_t i = 0; i < run->opfile->instances; i++) {
		struct csc_statistics statistics;

		run->api->statistics(run->instances[i], false, &statistics);
		if (!statistics.has_pool) {
			continue;
		}
		fprintf(run->out, "%% %" PRIu32 " poolcnt", run->opfile->first_instance + i);
		for (int k = 0; k < CSC_POOL_COUNTERS; k++) {
			fprintf(run->out, " %" PRIu64, statistics.pool_counters[k]);
		}
		fputc('\n', run->out);
	}
}

static void run_print_carrier(struct run *run, size_t serial)
{
	static const char *const places[] = { "used", "pool", "pend" };
	uint64_t address = run->report.lives[serial].address;
	struct csc_carrier_view view;
	struct csc_block_view block;
	char base[32] = "-";

	run->api->carrier_view(run->core, address, &view);
	if (view.kind != CSC_CARRIER_SBC) {
		snprintf(base, sizeof(base), "0x%" PRIx64, scripted_base(run->scripted, serial));
	}
	fprintf(run->out, "m %zu %s %s %" PRIu64 " %s %s %" PRIu32 " %" PRIu32 " %" PRIu64 " :",
			serial, opreport_kind(view.kind), opreport_source(view.source),
			view.size_bytes, base, places[view.place], view.owner, view.origin,
			view.first);
	address += view.first;
	do {
		run->api->block_view(run->core, address, &block);
		fprintf(run->out, " %c%" PRIu64, block.is_free ? 'f' : 'u', block.size_bytes);
		address += block.size_bytes;
	} while (!block.is_last);
	fputc('\n', run->out);
}

void opprint_snapshot(struct run *run, size_t number, bool is_new_period)
{
	fprintf(run->out, "@ %zu map %zu\n", number, run->report.live_count);
	for (size_t i = 0; i < run->report.serial_count; i++) {
		if (run->report.lives[i].is_live) {
			run_print_carrier(run, i);
		}
	}
	opprint_statistics(run, is_new_period);
}

void opprint_block(struct run *run, size_t number, uint64_t user)
{
	struct csc_block_place place;

	if (!user) {
		fprintf(run->out, "= %zu NULL\n", number);
		return;
	}
	run->api->block_place(run->core, user, &place);
	fprintf(run->out, "= %zu %zu %" PRIu64 " %" PRIu64 "\n", number,
			scripted_serial(run->scripted, place.carrier), place.offset,
			place.size_bytes);
}

void opprint_fixes(struct run *run, size_t number)
{
	for (uint32_t i = 0; i < run->opfile->fix_count; i++) {
		struct csc_fix_statistics *was = &run->fixes[i];
		struct csc_fix_statistics now;

		run->api->fix_statistics(run->instances[0], i, &now);
		if (now.allocated != was->allocated || now.used != was->used ||
				now.length != was->length) {
			fprintf(run->out, "F %zu %" PRIu32 " %" PRId64 " %" PRId64 " %" PRIu64 "\n",
					number, i, now.allocated, now.used, now.length);
			*was = now;
		}
	}
}
