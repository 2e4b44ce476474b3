/* SPDX-License-Identifier: MIT */
/* Pairs of a reading and a replay as CSV. */
#include "follow_csv.h"

#include <inttypes.h>

#include "api.h"

struct csv {
	const struct readings *readings;
	FILE *out;
};

static void write_pair(FILE *out, int64_t node, uint64_t replayed)
{
	fprintf(out, ",%" PRId64 ",%" PRIu64, node, replayed);
}

static void write_line(void *context, const struct follow_pair *pair)
{
	const struct csv *csv = context;
	const struct reading_moment *moments = csv->readings->moments;
	const struct reading_figures *node = pair->node;
	const struct csc_statistics *replayed = pair->replayed;

	fprintf(csv->out, "%" PRId64 ",%s,%" PRIu32,
			(moments[pair->moment].begin_ns - moments[0].begin_ns) / 1000000,
			csc_allocator_infos[pair->allocator].name, pair->instance);
	write_pair(csv->out, node->carriers + node->single_carriers,
			replayed->mbcs.carriers.now + replayed->pool_carriers +
					replayed->sbcs.carriers.now);
	write_pair(csv->out, node->carriers_bytes + node->single_carriers_bytes,
			replayed->mbcs.carriers_bytes.now + replayed->pool_carriers_bytes +
					replayed->sbcs.carriers_bytes.now);
	write_pair(csv->out, node->pool_carriers_bytes, replayed->pool_carriers_bytes);
	write_pair(csv->out, node->blocks_bytes + node->single_blocks_bytes,
			replayed->mbcs.blocks_bytes.now + replayed->pool_blocks_bytes +
					replayed->sbcs.blocks_bytes.now);
	write_pair(csv->out, node->segments_made, replayed->calls[CSC_CALL_MSEG_ALLOC]);
	fputc('\n', csv->out);
}

enum csc_status follow_csv_run(struct player *player, struct recording *recording,
		const struct readings *readings, FILE *out, int64_t *ret_wait_ns, struct diag *diag)
{
	struct csv csv = { readings, out };
	const struct follow_listener listener = { write_line, &csv };

	fputs("ms,allocator,instance,carriers,replayed_carriers,carriers_bytes,"
	      "replayed_carriers_bytes,pool_bytes,replayed_pool_bytes,blocks_bytes,"
	      "replayed_blocks_bytes,segments_made,replayed_segments_made\n",
			out);
	return wait_run_followed(player, recording, readings, &listener, ret_wait_ns, diag);
}
