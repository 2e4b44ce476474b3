/* SPDX-License-Identifier: MIT */
/* Does the operations of a file on the live runtime. */
#include "record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct live_carrier {
	struct runtime_carrier carrier;
	size_t serial;
	bool is_main;
	bool was_seen;
};

struct recording {
	struct opfile *opfile;
	struct runtime runtime;
	FILE *out;
	struct diag *diag;

	/* In order of their serials. */
	struct live_carrier *lives;
	size_t live_count;
	size_t live_room;
	size_t base_room;

	/* User addresses by block number; 0: none. */
	uint64_t *users;
};

static struct live_carrier *find_live(struct recording *recording, uint64_t address)
{
	for (size_t i = recording->live_count; i-- > 0;) {
		if (recording->lives[i].carrier.address == address) {
			return &recording->lives[i];
		}
	}
	return NULL;
}

/* Room for one item more than `count`; `items`: the address of a pointer to the array. */
static bool make_room(
		struct recording *recording, void *items, size_t count, size_t *room, size_t bytes)
{
	size_t more = *room * 2 + 64;
	void *old;
	void *grown;

	if (count < *room) {
		return true;
	}
	memcpy(&old, items, sizeof(old));
	grown = realloc(old, more * bytes);
	if (!grown) {
		return DIAG_FALSE(recording->diag, "out of memory");
	}
	memcpy(items, &grown, sizeof(grown));
	*room = more;
	return true;
}

/* Gives the next serial to a carrier. */
static bool enter(struct recording *recording, const struct runtime_carrier *carrier, bool is_main)
{
	struct opfile *opfile = recording->opfile;

	if (!make_room(recording, &recording->lives, recording->live_count, &recording->live_room,
			    sizeof(*recording->lives)) ||
			!make_room(recording, &opfile->bases, opfile->base_count,
					&recording->base_room, sizeof(*opfile->bases))) {
		return false;
	}
	recording->lives[recording->live_count++] = (struct live_carrier){
		.carrier = *carrier,
		.serial = opfile->base_count,
		.is_main = is_main,
		.was_seen = true,
	};
	opfile->bases[opfile->base_count++] = carrier->address;
	return true;
}

static const char *kind_of(const struct live_carrier *live)
{
	if (live->carrier.is_single) {
		return "sbc";
	}
	return live->is_main ? "main" : "mbc";
}

static const char *source_of(const struct live_carrier *live)
{
	return live->carrier.is_mseg ? "mseg" : "sys";
}

/* Prints carriers gone and forgets them. */
static void print_gone(struct recording *recording, size_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < recording->live_count; i++) {
		if (recording->lives[i].was_seen) {
			recording->lives[kept++] = recording->lives[i];
		} else {
			fprintf(recording->out, "- %zu %zu\n", number, recording->lives[i].serial);
		}
	}
	recording->live_count = kept;
}

/*
 * Compares the runtime's carriers with those known and prints what has changed.  `resized` is a
 * single-block carrier that may have got another address, 0: none; `*ret` is where it is now.
 */
static bool print_carriers(
		struct recording *recording, size_t number, uint64_t resized, uint64_t resized_to)
{
	struct live_carrier *moved = resized ? find_live(recording, resized) : NULL;
	uint64_t was_bytes = moved ? moved->carrier.size_bytes : 0;
	size_t first_new;

	if (moved) {
		runtime_carrier(resized_to, &moved->carrier);
	}
	for (size_t i = 0; i < recording->live_count; i++) {
		recording->lives[i].was_seen = false;
	}
	first_new = recording->opfile->base_count;
	for (int is_single = 0; is_single <= 1; is_single++) {
		uint64_t at = runtime_first_carrier(&recording->runtime, is_single);

		for (; at; at = runtime_next_carrier(&recording->runtime, at)) {
			struct live_carrier *live = find_live(recording, at);
			struct runtime_carrier carrier;

			runtime_carrier(at, &carrier);
			if (live) {
				live->was_seen = true;
			} else if (!enter(recording, &carrier, number == 0)) {
				return false;
			}
		}
	}
	print_gone(recording, number);
	for (size_t i = 0; i < recording->live_count; i++) {
		struct live_carrier *live = &recording->lives[i];

		if (live->serial >= first_new) {
			fprintf(recording->out, "+ %zu %zu %s %s %" PRIu64 " 0x%" PRIx64 " 0\n",
					number, live->serial, kind_of(live), source_of(live),
					live->carrier.size_bytes, live->carrier.address);
		}
	}
	moved = resized ? find_live(recording, resized_to) : NULL;
	if (moved && moved->carrier.size_bytes != was_bytes) {
		fprintf(recording->out, "~ %zu %zu %" PRIu64 "\n", number, moved->serial,
				moved->carrier.size_bytes);
	}
	return recording->opfile->base_count <= first_new + 1 ||
			DIAG_FALSE(recording->diag, "operation %zu made more than one carrier",
					number);
}

static void print_figure(FILE *out, const struct csc_figure *figure)
{
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, figure->now, figure->max, figure->ever);
}

static void print_group(FILE *out, const char *name, const struct csc_group_statistics *group)
{
	fprintf(out, "%% 0 %s", name);
	print_figure(out, &group->blocks);
	print_figure(out, &group->blocks_bytes);
	print_figure(out, &group->carriers);
	print_figure(out, &group->carriers_bytes);
	fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", group->mseg_carriers,
			group->mseg_carriers_bytes, group->sys_carriers, group->sys_carriers_bytes);
}

static bool print_statistics(struct recording *recording, bool is_new_period)
{
	struct csc_statistics counted;

	if (!runtime_statistics(&recording->runtime, is_new_period, &counted)) {
		return DIAG_FALSE(recording->diag, "the figures of the runtime have another shape");
	}
	print_group(recording->out, "mbcs", &counted.mbcs);
	print_group(recording->out, "sbcs", &counted.sbcs);
	fputs("% 0 calls", recording->out);
	for (int i = 0; i < CSC_CALLS; i++) {
		fprintf(recording->out, " %" PRIu64, counted.calls[i]);
	}
	fputc('\n', recording->out);
	return true;
}

static void print_map(struct recording *recording, size_t number)
{
	fprintf(recording->out, "@ %zu map %zu\n", number, recording->live_count);
	for (size_t i = 0; i < recording->live_count; i++) {
		const struct live_carrier *live = &recording->lives[i];
		uint64_t first = live->carrier.is_single ? recording->runtime.sbc_header
							 : recording->runtime.mbc_header;
		struct runtime_block block = { .size_bytes = 0 };
		char base[32] = "-";

		if (!live->carrier.is_single) {
			snprintf(base, sizeof(base), "0x%" PRIx64, live->carrier.address);
		}
		fprintf(recording->out, "m %zu %s %s %" PRIu64 " %s used 0 0 %" PRIu64 " :",
				live->serial, kind_of(live), source_of(live),
				live->carrier.size_bytes, base, first);
		for (uint64_t at = live->carrier.address + first; !block.is_last;
				at += block.size_bytes) {
			runtime_walk_block(at, &block);
			fprintf(recording->out, " %c%" PRIu64, block.is_free ? 'f' : 'u',
					block.size_bytes);
		}
		fputc('\n', recording->out);
	}
}

static bool print_place(struct recording *recording, size_t number, uint64_t user)
{
	struct runtime_block block;
	const struct live_carrier *live;

	if (!user) {
		fprintf(recording->out, "= %zu NULL\n", number);
		return true;
	}
	runtime_user_block(&recording->runtime, user, &block);
	live = find_live(recording, block.carrier);
	if (!live) {
		return DIAG_FALSE(recording->diag,
				"operation %zu gave a block outside of all carriers", number);
	}
	fprintf(recording->out, "= %zu %zu %" PRIu64 " %" PRIu64 "\n", number, live->serial,
			block.address - block.carrier, block.size_bytes);
	return true;
}

/* The single-block carrier of a block; 0: it is in another kind, or there is no block. */
static uint64_t single_of(const struct recording *recording, uint64_t user)
{
	struct runtime_block block;
	struct runtime_carrier carrier;

	if (!user) {
		return 0;
	}
	runtime_user_block(&recording->runtime, user, &block);
	runtime_carrier(block.carrier, &carrier);
	return carrier.is_single ? block.carrier : 0;
}

static bool do_op(struct recording *recording, size_t number, const struct opfile_op *op)
{
	struct runtime *runtime = &recording->runtime;
	uint64_t *place = &recording->users[op->block];
	uint64_t before = 0;
	uint64_t after = 0;
	uint64_t user = 0;

	switch (op->kind) {
	case 'a':
		user = *place = runtime_alloc(runtime, op->value);
		break;
	case 'r':
		before = runtime->settings.ramv ? 0 : single_of(recording, *place);
		user = runtime_realloc(runtime, *place, op->value);
		*place = user ? user : *place;
		after = single_of(recording, user);
		break;
	case 'f':
		if (*place) {
			runtime_free(runtime, *place);
		}
		*place = 0;
		break;
	case 'b':
		fprintf(recording->out, "= %zu %s\n", number,
				runtime_set_sbct(runtime, op->value) ? "ok" : "notsup");
		break;
	default:
		break;
	}
	if (!print_carriers(recording, number, before && after ? before : 0, after)) {
		return false;
	}
	if (op->kind == 'a' || op->kind == 'r') {
		return print_place(recording, number, user);
	}
	if (op->kind == 's') {
		print_map(recording, number);
		return print_statistics(recording, op->value == 1);
	}
	return true;
}

/* What the runtime says of itself goes into the header. */
static void fill_header(struct recording *recording)
{
	struct opfile *opfile = recording->opfile;
	const struct runtime *runtime = &recording->runtime;

	snprintf(opfile->otp, sizeof(opfile->otp), "%s", runtime->release);
	strcpy(opfile->allocator, "test_alloc");
	opfile->setup = OPFILE_PRIVATE;
	opfile->word_bytes = 8;
	opfile->page_bytes = 4096;
	opfile->unit_bytes = runtime->unit_bytes;
	opfile->mbc_header = runtime->mbc_header;
	opfile->sbc_header = runtime->sbc_header;
	opfile->block_header = 8;
	opfile->min_block = runtime->min_block;
	opfile->instances = 1;
	opfile->limit_bytes = UINT64_MAX;
	opfile->settings = runtime->settings;
	opfile->has_strategy = true;
	opfile->base_count = 0;
	free(opfile->bases);
	opfile->bases = NULL;
}

bool record(struct opfile *opfile, const struct runtime_shared *shared,
		char (*parameters)[RUNTIME_PARAMETER_BYTES], size_t count, FILE *out,
		struct diag *diag)
{
	struct recording recording = { .opfile = opfile, .out = out, .diag = diag };
	bool is_good;

	if (!runtime_start(&recording.runtime, shared, parameters, count, diag)) {
		return false;
	}
	fill_header(&recording);
	recording.users = calloc(opfile->block_count + 1, sizeof(*recording.users));
	is_good = recording.users && print_carriers(&recording, 0, 0, 0) &&
			print_statistics(&recording, false);
	for (size_t i = 0; is_good && i < opfile->op_count; i++) {
		is_good = do_op(&recording, i + 1, &opfile->ops[i]);
	}
	if (recording.users) {
		for (size_t i = 0; i < opfile->block_count; i++) {
			if (recording.users[i]) {
				runtime_free(&recording.runtime, recording.users[i]);
			}
		}
	}
	runtime_stop(&recording.runtime);
	fprintf(out, ". %zu\n", opfile->op_count);
	free(recording.users);
	free(recording.lives);
	return is_good;
}
