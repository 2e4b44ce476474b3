/* SPDX-License-Identifier: MIT */
/* Compares the runtime with the core, and makes differences small. */
#include "shrink.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "oprun.h"
#include "record.h"

/* Copies the line at `text` without its end. */
static void copy_line(char *to, size_t room, const char *text)
{
	size_t length = strcspn(text, "\n");

	snprintf(to, room, "%.*s", (int)(length < room ? length : room - 1),
			*text ? text : "(end)");
}

static enum verdict compare_texts(const char *expected, const char *got, struct comparison *ret)
{
	const char *want = expected;
	const char *have = got;

	for (ret->lines = 0;; ret->lines++) {
		size_t length = strcspn(want, "\n");

		if (length != strcspn(have, "\n") || memcmp(want, have, length) != 0) {
			copy_line(ret->expected, sizeof(ret->expected), want);
			copy_line(ret->got, sizeof(ret->got), have);
			return VERDICT_DIFFERS;
		}
		if (!*want || !*have) {
			return VERDICT_EQUAL;
		}
		want += length + (want[length] == '\n');
		have += length + (have[length] == '\n');
	}
}

static void misreport(struct csc_settings *settings)
{
	settings->rmbcmt = settings->rmbcmt == 50 ? 90 : 50;
	settings->asbcst = settings->asbcst ? 0 : 4145152;
}

enum verdict compare_live(struct drawing *drawing, const struct runtime_shared *shared, bool lie,
		struct comparison *ret_comparison)
{
	struct diag diag = { .file = NULL };
	enum verdict verdict = VERDICT_TROUBLE;
	char *expected = NULL;
	char *got = NULL;
	size_t expected_bytes = 0;
	size_t got_bytes = 0;
	FILE *live = open_memstream(&expected, &expected_bytes);
	FILE *core = open_memstream(&got, &got_bytes);
	bool is_good = live && core &&
			record(&drawing->opfile, shared, drawing->parameters,
					drawing->parameter_count, live, &diag);

	*ret_comparison = (struct comparison){ .lines = 0 };
	if (is_good && lie) {
		misreport(&drawing->opfile.settings);
	}
	/* The core may want more carriers than the runtime made: that shows as a difference. */
	bool is_run = is_good && oprun(&drawing->opfile, core, NULL, &diag) == CSC_OK;

	if (live) {
		fclose(live);
	}
	if (core) {
		fclose(core);
	}
	if (is_good) {
		verdict = compare_texts(expected, got, ret_comparison);
		if (!is_run && verdict == VERDICT_EQUAL) {
			verdict = VERDICT_TROUBLE;
		}
	}
	if (!is_run && diag_is_set(&diag)) {
		copy_line(ret_comparison->got, sizeof(ret_comparison->got), diag.text);
	}
	free(expected);
	free(got);
	return verdict;
}

/* The drawing without the operations from `first` to `end`; false: it no longer differs. */
static bool try_without(struct drawing *drawing, const struct runtime_shared *shared, bool lie,
		size_t first, size_t end)
{
	struct opfile *opfile = &drawing->opfile;
	size_t count = opfile->op_count;
	struct opfile_op *all = malloc(count * sizeof(*all));
	struct comparison comparison;

	if (!all) {
		return false;
	}
	memcpy(all, opfile->ops, count * sizeof(*all));
	memmove(&opfile->ops[first], &opfile->ops[end], (count - end) * sizeof(*all));
	opfile->op_count = count - (end - first);

	bool differs = compare_live(drawing, shared, lie, &comparison) == VERDICT_DIFFERS;
	if (!differs) {
		memcpy(opfile->ops, all, count * sizeof(*all));
		opfile->op_count = count;
	}
	free(all);
	return differs;
}

void shrink(struct drawing *drawing, const struct runtime_shared *shared, bool lie)
{
	struct opfile *opfile = &drawing->opfile;
	size_t piece = opfile->op_count;

	while (piece > 0) {
		bool has_shrunk = false;

		/* From the end: what comes after the difference goes at once. */
		for (size_t end = opfile->op_count; end > 0;) {
			size_t first = end > piece ? end - piece : 0;

			has_shrunk |= try_without(drawing, shared, lie, first, end);
			end = first;
		}
		if (!has_shrunk || piece > 1) {
			piece /= 2;
		}
	}
}

void print_drawing(const struct drawing *drawing, FILE *out)
{
	const struct opfile *opfile = &drawing->opfile;
	const struct csc_settings *s = &opfile->settings;

	fprintf(out, "@ case %s\n@ otp %s\n@ word 8\n@ page 4096\n@ carrier_unit %" PRIu64 "\n",
			opfile->case_name, opfile->otp, opfile->unit_bytes);
	fprintf(out,
			"@ mbc_header %" PRIu64 "\n@ sbc_header %" PRIu64 "\n@ min_block %" PRIu64
			"\n",
			opfile->mbc_header, opfile->sbc_header, opfile->min_block);
	fprintf(out, "@ strategy %s\n@ allocator test_alloc\n@ setup private\n@ mseg_cache 0\n",
			csc_strategy_name(s->strategy));
	fprintf(out, "@ ycs %" PRIu64 "\n@ mmc %" PRIu64 "\n@ sac %s\n", s->ycs, s->mmc,
			s->sac ? "true" : "false");
	for (size_t i = 0; i < drawing->parameter_count; i++) {
		fprintf(out, "@ given %s\n", drawing->parameters[i]);
	}
	fprintf(out, "@ option ramv %s\n@ option atags %s\n", s->ramv ? "true" : "false",
			s->atags ? "true" : "false");
	fprintf(out, "@ option sbct %" PRIu64 "\n@ option asbcst %" PRIu64 "\n", s->sbct,
			s->asbcst);
	fprintf(out, "@ option rsbcst %" PRIu64 "\n@ option rsbcmt %" PRIu64 "\n", s->rsbcst,
			s->rsbcmt);
	fprintf(out, "@ option rmbcmt %" PRIu64 "\n@ option mmbcs %" PRIu64 "\n", s->rmbcmt,
			s->mmbcs);
	fprintf(out, "@ option mmsbc %" PRIu64 "\n@ option mmmbc %" PRIu64 "\n", s->mmsbc,
			s->mmmbc);
	fprintf(out, "@ option lmbcs %" PRIu64 "\n@ option smbcs %" PRIu64 "\n", s->lmbcs,
			s->smbcs);
	fprintf(out, "@ option mbcgs %" PRIu64 "\n@ option mbsd %" PRIu64 "\n", s->mbcgs, s->mbsd);
	for (size_t i = 0; i < opfile->base_count; i++) {
		fprintf(out, "c %zu 0x%" PRIx64 "\n", i, opfile->bases[i]);
	}
	for (size_t i = 0; i < opfile->op_count; i++) {
		const struct opfile_op *op = &opfile->ops[i];

		switch (op->kind) {
		case 'f':
			fprintf(out, "f %" PRIu32 "\n", op->block);
			break;
		case 'b':
		case 's':
			fprintf(out, "%c %" PRIu64 "\n", op->kind, op->value);
			break;
		default:
			fprintf(out, "%c %" PRIu32 " %" PRIu64 "\n", op->kind, op->block,
					op->value);
			break;
		}
	}
}
