/* SPDX-License-Identifier: MIT */
/* A comparison as text, as CSV and as JSON. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static const char *const figure_names[] = { "blocks", "block_bytes", "carriers", "carrier_bytes" };
static const char *const known_names[] = { "exact", "bound", "estimate" };
static const char *const verdict_names[] = { "-", "agrees", "differs" };

static const char *allocator_name(const struct compare_row *row)
{
	return row->allocator < CSC_ALLOCATORS ? csc_allocator_infos[row->allocator].name : "all";
}

/* In per cent of the node's figure, signed; of nothing there is none. */
static bool error_percent(const struct compare_row *row, double *ret_percent)
{
	if (row->node == 0 && row->replayed != 0) {
		return false;
	}
	*ret_percent = row->node ? 100.0 * (double)(row->replayed - row->node) / (double)row->node
				 : 0.0;
	return true;
}

/* From where to where the node's figure agrees, or where the flags lead. */
static void print_range(
		const struct compare_row *row, const struct compare_request *request, FILE *out)
{
	if (row->low == INT64_MIN || row->high == INT64_MAX || row->instance >= 0) {
		return;
	}
	if (request->flag_count > 0) {
		fprintf(out, "    on %d schedules: %" PRId64 " to %" PRId64 "\n",
				request->spread->replays, row->low, row->high);
	} else if (row->verdict == COMPARE_DIFFERS || row->low < row->high) {
		fprintf(out, "    %s %" PRId64 " to %" PRId64,
				row->verdict == COMPARE_DIFFERS ? "outside of" : "within", row->low,
				row->high);
		if (row->tolerance) {
			fprintf(out,
					", of which %" PRId64
					" at each end for what passed while the node was read",
					row->tolerance);
		}
		fputc('\n', out);
	}
}

static void print_text(const struct comparison *comparison, const struct compare_request *request,
		FILE *out)
{
	fprintf(out, "%-13s %4s %-13s %14s %14s %12s %9s  %-8s %s\n", "allocator", "inst", "figure",
			"node", "replayed", "difference", "error", "is", "verdict");
	for (size_t i = 0; i < comparison->count; i++) {
		const struct compare_row *row = &comparison->rows[i];
		char instance[16] = "";
		char error[32] = "-";
		double percent;

		if (row->instance >= 0) {
			snprintf(instance, sizeof(instance), "%" PRId32, row->instance);
		}
		if (error_percent(row, &percent)) {
			snprintf(error, sizeof(error), "%+.2f%%", percent);
		}
		fprintf(out,
				"%-13s %4s %-13s %14" PRId64 " %14" PRId64 " %+12" PRId64
				" %9s  %-8s %s\n",
				allocator_name(row), instance, figure_names[row->figure], row->node,
				row->replayed, row->replayed - row->node, error,
				known_names[row->known], verdict_names[row->verdict]);
		print_range(row, request, out);
		if (row->why[0]) {
			fprintf(out, "    %s\n", row->why);
		}
	}
}

/* Bounds that are none are empty, null in JSON. */
static void print_bound(FILE *out, int64_t bound, const char *none)
{
	if (bound == INT64_MIN || bound == INT64_MAX) {
		fputs(none, out);
	} else {
		fprintf(out, "%" PRId64, bound);
	}
}

static void print_csv(const struct comparison *comparison, FILE *out)
{
	fputs("allocator,instance,figure,node,replayed,difference,error_percent,low,high,is,"
	      "verdict,why\n",
			out);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct compare_row *row = &comparison->rows[i];
		double percent;

		fprintf(out, "%s,", allocator_name(row));
		if (row->instance >= 0) {
			fprintf(out, "%" PRId32, row->instance);
		}
		fprintf(out, ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",", figure_names[row->figure],
				row->node, row->replayed, row->replayed - row->node);
		if (error_percent(row, &percent)) {
			fprintf(out, "%.4f", percent);
		}
		fputc(',', out);
		print_bound(out, row->low, "");
		fputc(',', out);
		print_bound(out, row->high, "");
		/* Sentences of our own have no quotes in them. */
		fprintf(out, ",%s,%s,\"%s\"\n", known_names[row->known],
				row->verdict == COMPARE_NONE ? "" : verdict_names[row->verdict],
				row->why);
	}
}

static void print_json(const struct comparison *comparison, const struct compare_request *request,
		FILE *out)
{
	fprintf(out, "{\"agrees\":%s,\"schedules\":%d,\"flags\":[",
			!comparison->is_judged		      ? "null"
					: comparison->differs ? "false"
							      : "true",
			request->spread->replays);
	for (int i = 0; i < request->flag_count; i++) {
		fputs(i ? ",\"" : "\"", out);
		for (const char *c = request->flags[i]; *c; c++) {
			if ((unsigned char)*c < ' ' || *c == '"' || *c == '\\') {
				fprintf(out, "\\u%04x", (unsigned int)*c);
			} else {
				fputc(*c, out);
			}
		}
		fputc('"', out);
	}
	fputs("],\"rows\":[", out);
	for (size_t i = 0; i < comparison->count; i++) {
		const struct compare_row *row = &comparison->rows[i];
		double percent;

		fprintf(out, "%s\n{\"allocator\":\"%s\",\"instance\":", i ? "," : "",
				allocator_name(row));
		if (row->instance >= 0) {
			fprintf(out, "%" PRId32, row->instance);
		} else {
			fputs("null", out);
		}
		fprintf(out,
				",\"figure\":\"%s\",\"node\":%" PRId64 ",\"replayed\":%" PRId64
				",\"difference\":%" PRId64 ",\"error_percent\":",
				figure_names[row->figure], row->node, row->replayed,
				row->replayed - row->node);
		if (error_percent(row, &percent)) {
			fprintf(out, "%.4f", percent);
		} else {
			fputs("null", out);
		}
		fputs(",\"low\":", out);
		print_bound(out, row->low, "null");
		fputs(",\"high\":", out);
		print_bound(out, row->high, "null");
		fprintf(out, ",\"is\":\"%s\",\"verdict\":", known_names[row->known]);
		if (row->verdict == COMPARE_NONE) {
			fputs("null", out);
		} else {
			fprintf(out, "\"%s\"", verdict_names[row->verdict]);
		}
		fprintf(out, ",\"why\":\"%s\"}", row->why);
	}
	fputs("]}\n", out);
}

/* What stands between the readings, and what was done with it. */
static void print_notes(const struct compare_request *request, FILE *out)
{
	const struct readings *readings = request->readings;
	const struct player_counts *counts = request->counts;
	int64_t milliseconds = (readings->last.begin_ns - readings->first.begin_ns) / 1000000;

	fprintf(out,
			"%% %" PRId64 ".%03" PRId64 " s between readings %" PRId64 " and %" PRId64
			": %" PRIu64 " calls replayed\n",
			milliseconds / 1000, milliseconds % 1000, readings->first.snapshot,
			readings->last.snapshot, counts->calls);
	fprintf(out, "%% %zu blocks from before were known one by one, %" PRIu64 " of them ended\n",
			request->start->count, counts->unknown);
	if (request->facts->lost_events) {
		fprintf(out, "%% %" PRId64 " events were lost: blocks may differ\n",
				request->facts->lost_events);
	}
	if (request->flag_count > 0) {
		fputs("% with", out);
		for (int i = 0; i < request->flag_count; i++) {
			fprintf(out, " %s", request->flags[i]);
		}
		fputs(": the node ran without, so nothing is judged; the difference is the effect of "
		      "the flags and the error of the replay together\n",
				out);
	} else {
		fprintf(out,
				"%% carriers agree within what %d schedules came to, and what passed "
				"while the node was read: at most a quarter of its figure\n",
				request->spread->replays);
	}
	if (request->wait_ns > 0) {
		fprintf(out,
				"%% blocks that another thread freed waited for their owner for %" PRId64
				".%01" PRId64 " ms on average, as %zu readings show\n",
				request->wait_ns / 1000000, request->wait_ns / 100000 % 10,
				readings->moment_count);
	}
	if (counts->refused) {
		fprintf(out, "%% %" PRIu64 " requests found no memory\n", counts->refused);
	}
}

void compare_print(const struct comparison *comparison, const struct compare_request *request,
		enum compare_format format, FILE *out)
{
	switch (format) {
	case COMPARE_CSV:
		print_csv(comparison, out);
		break;
	case COMPARE_JSON:
		print_json(comparison, request, out);
		break;
	case COMPARE_TEXT:
		print_text(comparison, request, out);
		print_notes(request, out);
		break;
	}
}
