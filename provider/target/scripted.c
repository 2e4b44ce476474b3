/* SPDX-License-Identifier: MIT */
/* A target whose carriers lie at addresses that are given. */
#include "scripted.h"

#include <stdlib.h>
#include <sys/mman.h>

/* Room for the header of a single-block carrier and its smallest block, in bytes. */
#define SLOT_BYTES 256
/* Room for carriers that start at the highest address, in bytes. */
#define SLACK_BYTES (UINT64_C(64) << 30)
#define BUCKETS 4096
/* No operating system gives more at once. */
#define EXTENT_MAX_BYTES (UINT64_C(1) << 46)
#define EXTENT32_MAX_BYTES (UINT64_C(1) << 31)

struct scripted {
	struct scripted_options options;
	struct csc_memory memory;

	/* Where the window begins, on the host, and its size. */
	void *window;
	uint64_t window_bytes;

	/* Target addresses: where the window and the slots begin. */
	uint64_t first;
	uint64_t slots;

	struct scripted_carrier *carriers;
	size_t serial;
	/* Newest multi-block carrier that lives; base_count: none. */
	size_t last_multi;

	/* What is wrong with the script, and at which serial; NULL: nothing. */
	const char *reason;
	size_t wrong;
	uint64_t out_bytes;
	size_t buckets[BUCKETS];

	struct segment *segments;
};

/* The first wrong thing in the script is what the user must know. */
static void scripted_complain(struct scripted *scripted, size_t serial, const char *reason)
{
	if (!scripted->reason) {
		scripted->reason = reason;
		scripted->wrong = serial;
	}
}

static uint64_t scripted_most_bytes(const struct scripted *scripted)
{
	return scripted->options.word_bytes == 4 ? EXTENT32_MAX_BYTES : EXTENT_MAX_BYTES;
}

/*
 * The pages below the segments.  A fresh segment starts where the script puts the next carrier;
 * what matters is the budget.
 */
static struct csc_extent scripted_map(void *context, uint64_t size_bytes, uint64_t alignment)
{
	struct scripted *scripted = context;
	uint64_t left_bytes = scripted->options.limit_bytes - scripted->out_bytes;

	(void)alignment;
	if (size_bytes > left_bytes || size_bytes > scripted_most_bytes(scripted)) {
		return (struct csc_extent){ 0 };
	}
	if (scripted->serial >= scripted->options.base_count) {
		scripted_complain(scripted, scripted->serial, "is missing");
		return (struct csc_extent){ 0 };
	}
	scripted->out_bytes += size_bytes;
	return (struct csc_extent){
		.address = scripted->options.bases[scripted->serial],
		.size_bytes = size_bytes,
	};
}

static void scripted_unmap(void *context, struct csc_extent extent)
{
	struct scripted *scripted = context;

	scripted->out_bytes -= extent.size_bytes;
}

static struct csc_extent scripted_remap(
		void *context, struct csc_extent extent, uint64_t size_bytes)
{
	struct scripted *scripted = context;
	uint64_t rest_bytes = scripted->out_bytes - extent.size_bytes;

	if (size_bytes > extent.size_bytes &&
			(size_bytes > scripted->options.limit_bytes - rest_bytes ||
					size_bytes > scripted_most_bytes(scripted))) {
		return (struct csc_extent){ 0 };
	}
	scripted->out_bytes = rest_bytes + size_bytes;
	extent.size_bytes = size_bytes;
	return extent;
}

static size_t bucket_of(uint64_t address)
{
	return (size_t)((address >> 8) * UINT64_C(0x9E3779B97F4A7C15) >> 52) % BUCKETS;
}

/* The memory of a multi-block carrier is where it may be, and no other one is there. */
static bool scripted_fits(struct scripted *scripted, size_t serial, uint64_t bytes)
{
	uint64_t base = scripted->options.bases[serial];
	uint64_t offset = base - scripted->first;

	if (base & (scripted->options.segment.unit_bytes - 1)) {
		scripted_complain(scripted, serial, "is no multiple of the carrier unit");
		return false;
	}
	if (offset >= scripted->window_bytes || bytes > scripted->window_bytes - offset) {
		scripted_complain(scripted, serial, "leaves no room for the carrier");
		return false;
	}
	for (size_t i = scripted->last_multi; i < scripted->options.base_count;
			i = scripted->carriers[i].older) {
		const struct scripted_carrier *other = &scripted->carriers[i];

		if (base < other->base + other->extent.size_bytes && other->base < base + bytes) {
			scripted_complain(scripted, serial, "lies in another carrier");
			return false;
		}
	}
	return true;
}

/* Keeps the list of living multi-block carriers. */
static void scripted_chain(struct scripted *scripted, size_t serial)
{
	struct scripted_carrier *carrier = &scripted->carriers[serial];

	carrier->is_multi = true;
	carrier->older = scripted->last_multi;
	carrier->newer = scripted->options.base_count;
	if (carrier->older < scripted->options.base_count) {
		scripted->carriers[carrier->older].newer = serial;
	}
	scripted->last_multi = serial;
}

static void scripted_unchain(struct scripted *scripted, const struct scripted_carrier *carrier)
{
	if (!carrier->is_multi) {
		return;
	}
	if (carrier->newer < scripted->options.base_count) {
		scripted->carriers[carrier->newer].older = carrier->older;
	} else {
		scripted->last_multi = carrier->older;
	}
	if (carrier->older < scripted->options.base_count) {
		scripted->carriers[carrier->older].newer = carrier->newer;
	}
}

/* Gives the next serial to a new carrier whose memory was had; returns it as the core sees it. */
static struct csc_extent scripted_enter(
		struct scripted *scripted, struct csc_extent extent, bool is_multi)
{
	size_t serial = scripted->serial;

	if (!extent.address) {
		return extent;
	}
	if (serial >= scripted->options.base_count) {
		scripted_complain(scripted, scripted->serial, "is missing");
		return (struct csc_extent){ 0 };
	}

	struct scripted_carrier *carrier = &scripted->carriers[serial];
	carrier->base = scripted->options.bases[serial];
	carrier->extent = extent;
	carrier->address = is_multi ? carrier->base : scripted->slots + serial * SLOT_BYTES;
	if (is_multi) {
		if (!scripted_fits(scripted, serial, extent.size_bytes)) {
			return (struct csc_extent){ 0 };
		}
		scripted_chain(scripted, serial);
	}

	size_t bucket = bucket_of(carrier->address);
	carrier->next = scripted->buckets[bucket];
	scripted->buckets[bucket] = serial;
	scripted->serial++;
	return (struct csc_extent){
		.address = carrier->address,
		.size_bytes = extent.size_bytes,
	};
}

size_t scripted_serial(const struct scripted *scripted, uint64_t address)
{
	size_t serial = scripted->buckets[bucket_of(address)];

	/* The newest comes first: an address that was used again means its last carrier. */
	while (serial < scripted->options.base_count &&
			scripted->carriers[serial].address != address) {
		serial = scripted->carriers[serial].next;
	}
	return serial;
}

static struct scripted_carrier *scripted_find(struct scripted *scripted, uint64_t address)
{
	return &scripted->carriers[scripted_serial(scripted, address)];
}

static struct csc_extent scripted_mseg_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, bool is_powered)
{
	struct scripted *scripted = context;
	struct csc_extent extent = segment_alloc(&scripted->segments[mseg], size_bytes, is_powered);

	return scripted_enter(scripted, extent, is_powered);
}

static void scripted_mseg_dealloc(
		void *context, uint32_t mseg, struct csc_extent extent, bool is_powered)
{
	struct scripted *scripted = context;
	struct scripted_carrier *carrier = scripted_find(scripted, extent.address);

	scripted_unchain(scripted, carrier);
	segment_dealloc(&scripted->segments[mseg], carrier->extent, is_powered);
}

static struct csc_extent scripted_mseg_realloc(void *context, uint32_t mseg,
		struct csc_extent extent, uint64_t size_bytes, struct csc_shrink shrink)
{
	struct scripted *scripted = context;
	struct scripted_carrier *carrier = scripted_find(scripted, extent.address);
	struct csc_extent now = segment_realloc(
			&scripted->segments[mseg], carrier->extent, size_bytes, shrink);

	if (!now.address) {
		return now;
	}
	carrier->extent = now;
	return (struct csc_extent){ .address = extent.address, .size_bytes = now.size_bytes };
}

static uint64_t scripted_mseg_segments(void *context, uint32_t mseg)
{
	struct scripted *scripted = context;

	return scripted->segments[mseg].counters.segments;
}

static struct csc_extent scripted_sys_alloc(
		void *context, uint32_t mseg, uint64_t size_bytes, uint64_t alignment)
{
	struct csc_extent extent = scripted_map(context, size_bytes, alignment);

	(void)mseg;
	return scripted_enter(context, extent, alignment != 0);
}

static void scripted_sys_free(void *context, struct csc_extent extent)
{
	scripted_unchain(context, scripted_find(context, extent.address));
	scripted_unmap(context, extent);
}

static struct csc_extent scripted_sys_realloc(
		void *context, uint32_t mseg, struct csc_extent extent, uint64_t size_bytes)
{
	struct scripted *scripted = context;
	struct csc_extent now = scripted_remap(context, extent, size_bytes);

	(void)mseg;
	if (now.address) {
		scripted_find(scripted, extent.address)->extent = now;
	}
	return now;
}

/* Reserves the window over all scripted addresses and the slots behind it. */
static enum csc_status scripted_reserve(struct scripted *scripted, struct diag *diag)
{
	const struct scripted_options *options = &scripted->options;
	uint64_t slot_bytes = (uint64_t)options->base_count * SLOT_BYTES;
	uint64_t slack = SLACK_BYTES;

	scripted->first = options->base_count ? UINT64_MAX : 0;
	for (size_t i = 0; i < options->base_count; i++) {
		uint64_t base = options->bases[i] & ~(uint64_t)4095;

		scripted->first = base < scripted->first ? base : scripted->first;
		scripted->slots = base > scripted->slots ? base : scripted->slots;
	}
	if (options->word_bytes == 4) {
		/* The slots lie where a target of 32 bits has no carriers: at the top. */
		scripted->first = 0;
		scripted->slots = (UINT64_C(1) << 32) - slot_bytes;
		slack = 0;
	}
	scripted->slots += slack;
	scripted->window_bytes = scripted->slots - scripted->first;
	scripted->window = mmap(NULL, scripted->window_bytes + slot_bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (scripted->window == MAP_FAILED) {
		scripted->window = NULL;
		return DIAG_FAIL(diag, "cannot reserve address space for the carriers");
	}
	return CSC_OK;
}

static enum csc_status scripted_prepare_segments(struct scripted *scripted, struct diag *diag)
{
	struct segment_pages pages = {
		.context = scripted,
		.map = scripted_map,
		.unmap = scripted_unmap,
		.remap = scripted_remap,
	};
	uint32_t count = scripted->options.mseg_count;

	scripted->segments = calloc(count, sizeof(*scripted->segments));
	if (!scripted->segments) {
		return DIAG_NO_MEMORY(diag);
	}
	for (uint32_t i = 0; i < count; i++) {
		segment_init(&scripted->segments[i], &scripted->options.segment, &pages);
	}
	return CSC_OK;
}

struct scripted *scripted_create(const struct scripted_options *options, struct diag *diag)
{
	struct scripted *scripted = calloc(1, sizeof(*scripted));

	if (!scripted) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	scripted->options = *options;
	scripted->carriers = calloc(options->base_count + 1, sizeof(*scripted->carriers));
	if (!scripted->carriers) {
		(void)DIAG_NO_MEMORY(diag);
	}
	if (!scripted->carriers || scripted_prepare_segments(scripted, diag) != CSC_OK ||
			scripted_reserve(scripted, diag) != CSC_OK) {
		scripted_destroy(scripted);
		return NULL;
	}
	scripted->last_multi = options->base_count;
	for (size_t i = 0; i < BUCKETS; i++) {
		scripted->buckets[i] = options->base_count;
	}
	scripted->memory = (struct csc_memory){
		.context = scripted,
		.bias = (uint64_t)(uintptr_t)scripted->window - scripted->first,
		.page_bytes = options->segment.page_bytes,
		.has_mseg = true,
		CSC_MEMORY_MSEG(scripted),
		CSC_MEMORY_SYS(scripted),
	};
	return scripted;
}

void scripted_destroy(struct scripted *scripted)
{
	if (!scripted) {
		return;
	}
	if (scripted->window) {
		munmap(scripted->window,
				scripted->window_bytes +
						(uint64_t)scripted->options.base_count *
								SLOT_BYTES);
	}
	free(scripted->segments);
	free(scripted->carriers);
	free(scripted);
}

const struct csc_memory *scripted_memory(struct scripted *scripted)
{
	return &scripted->memory;
}

const char *scripted_problem(const struct scripted *scripted, size_t *ret_serial)
{
	*ret_serial = scripted->wrong;
	return scripted->reason;
}

uint64_t scripted_base(const struct scripted *scripted, size_t serial)
{
	return scripted->carriers[serial].base;
}
