/*
 * SPDX-License-Identifier: MIT
 *
 * Carrier events in the mix of a busy node (case mixed-60-short: 30 % create,
 * 28 % destroy, 34 % pool_get, 8 % pool_put).  Every carrier is kept, so that the
 * counters of an instance are those of the carriers it owns, and a reader that
 * reconciles them finds nothing that does not add up.
 */
#include "stream.h"

#include <stdlib.h>

#include "org_erlang_otp.h"

#include "random.h"

#define KIB UINT64_C(1024)

/* Carriers of one instance, and of the pool: full means another is looked for. */
#define OWNED_MAX 64
#define POOL_MAX 128
#define SBC_MAX 8

/* How often another instance is tried before the step is given up. */
#define TRIES 64

struct carrier {
	uint64_t size;
	uint64_t blocks;
	uint64_t blocks_size;

	/* Borrowed: who made it; a carrier that dies in the pool is emitted by its maker. */
	struct instance *maker;
};

struct instance {
	/* Static. */
	const char *type;

	int number;
	unsigned int owned_count;
	struct carrier owned[OWNED_MAX];
	uint64_t sbc_sizes[SBC_MAX];
	struct otp_counters counters;
};

struct node {
	struct random random;
	uint64_t left;

	/* Indices of instances, each as often as it is busy. */
	unsigned short deal[1024];

	unsigned int instance_count;
	struct instance instances[BENCH_ALLOCATORS * BENCH_INSTANCES];
	unsigned int pool_count;
	struct carrier pool[POOL_MAX];
};

bool carrier_stream_is_heard(void)
{
	return lttng_ust_tracepoint_enabled(org_erlang_otp, carrier_create) &&
			lttng_ust_tracepoint_enabled(org_erlang_otp, carrier_pool_get);
}

static uint64_t mbc_size_draw(struct random *random)
{
	static const uint16_t kib[16] = { 256, 256, 256, 256, 256, 256, 256, 256, 256, 256, 256,
		512, 512, 512, 1024, 2048 };

	return kib[random_below(random, 16)] * KIB;
}

/* Blocks came and went unseen: the counters follow, no event says it. */
static void carrier_refill(struct node *node, struct instance *instance, struct carrier *carrier)
{
	const uint64_t block_size = UINT64_C(64) * (1 + random_below(&node->random, 64));
	const uint64_t percent = 1 + random_below(&node->random, 97);

	instance->counters.mbc_blocks -= carrier->blocks;
	instance->counters.mbc_blocks_size -= carrier->blocks_size;
	carrier->blocks = carrier->size * percent / 100 / block_size + 1;
	carrier->blocks_size = carrier->blocks * block_size;
	if (carrier->blocks_size > carrier->size) {
		carrier->blocks = 1;
		carrier->blocks_size = carrier->size - 64;
	}
	instance->counters.mbc_blocks += carrier->blocks;
	instance->counters.mbc_blocks_size += carrier->blocks_size;
}

static void instance_own(struct instance *instance, const struct carrier *carrier)
{
	instance->owned[instance->owned_count++] = *carrier;
	instance->counters.mbc_carriers++;
	instance->counters.mbc_carriers_size += carrier->size;
	instance->counters.mbc_blocks += carrier->blocks;
	instance->counters.mbc_blocks_size += carrier->blocks_size;
}

/* Never the main carrier, which is the first. */
static struct carrier instance_part(struct instance *instance, struct random *random)
{
	const unsigned int at = 1 + random_below(random, instance->owned_count - 1);
	const struct carrier carrier = instance->owned[at];

	instance->owned[at] = instance->owned[--instance->owned_count];
	instance->counters.mbc_carriers--;
	instance->counters.mbc_carriers_size -= carrier.size;
	instance->counters.mbc_blocks -= carrier.blocks;
	instance->counters.mbc_blocks_size -= carrier.blocks_size;
	return carrier;
}

static struct carrier pool_take(struct node *node)
{
	const unsigned int at = random_below(&node->random, node->pool_count);
	const struct carrier carrier = node->pool[at];

	node->pool[at] = node->pool[--node->pool_count];
	return carrier;
}

/* The end of a single-block carrier is never emitted. */
static void sbc_free_some(struct node *node, struct instance *instance)
{
	struct otp_counters *counters = &instance->counters;

	while (counters->sbc_carriers > 0 &&
			(counters->sbc_carriers == SBC_MAX ||
					random_below(&node->random, 8) == 0)) {
		const uint64_t block_size = instance->sbc_sizes[--counters->sbc_carriers];

		counters->sbc_carriers_size -= (block_size + 4095) / 4096 * 4096;
		counters->sbc_blocks_size -= block_size;
		counters->sbc_blocks--;
	}
}

static void emit_create(struct node *node, struct instance *instance, uint64_t size)
{
	lttng_ust_tracepoint(org_erlang_otp, carrier_create, instance->type, instance->number, size,
			&instance->counters);
	node->left--;
}

static void emit_destroy(struct node *node, struct instance *instance, uint64_t size)
{
	lttng_ust_tracepoint(org_erlang_otp, carrier_destroy, instance->type, instance->number,
			size, &instance->counters);
	node->left--;
}

/* A multi-block carrier is emitted before its first block. */
static void step_create(struct node *node, struct instance *instance)
{
	const struct carrier carrier = { mbc_size_draw(&node->random), 0, 0, instance };

	instance_own(instance, &carrier);
	emit_create(node, instance, carrier.size);
	carrier_refill(node, instance, &instance->owned[instance->owned_count - 1]);
}

/* Looks in the pool first; the counters say later whether it found something. */
static void step_grow(struct node *node, struct instance *instance, bool is_fetched)
{
	const uint64_t need = 32 * KIB + UINT64_C(8) * random_below(&node->random, 20000);

	lttng_ust_tracepoint(
			org_erlang_otp, carrier_pool_get, instance->type, instance->number, need);
	node->left--;
	if (is_fetched) {
		const struct carrier carrier = pool_take(node);

		instance_own(instance, &carrier);
	} else if (node->left > 0) {
		step_create(node, instance);
	}
}

static void step_put(struct node *node, struct instance *instance)
{
	const struct carrier carrier = instance_part(instance, &node->random);

	lttng_ust_tracepoint(org_erlang_otp, carrier_pool_put, instance->type, instance->number,
			carrier.size);
	node->left--;
	node->pool[node->pool_count++] = carrier;
}

static void step_destroy(struct node *node, struct instance *instance)
{
	const struct carrier carrier = instance_part(instance, &node->random);

	emit_destroy(node, instance, carrier.size);
}

static void step_destroy_pooled(struct node *node)
{
	const struct carrier carrier = pool_take(node);

	emit_destroy(node, carrier.maker, carrier.size);
}

/* A single-block carrier is emitted after its block; its size is no power of two. */
static void step_create_single(struct node *node, struct instance *instance)
{
	const uint64_t block_size = 513 * KIB + UINT64_C(8) * random_below(&node->random, 60000);
	const uint64_t size = (block_size + 4095) / 4096 * 4096;
	struct otp_counters *counters = &instance->counters;

	instance->sbc_sizes[counters->sbc_carriers++] = block_size;
	counters->sbc_carriers_size += size;
	counters->sbc_blocks++;
	counters->sbc_blocks_size += block_size;
	emit_create(node, instance, size);
}

/* An instance that may still grow, or still part with a carrier; else the last one tried. */
static struct instance *node_pick(struct node *node, bool is_growing)
{
	struct instance *instance = NULL;

	for (unsigned int i = 0; i < TRIES; i++) {
		instance = &node->instances[node->deal[random_below(&node->random, 1024)]];
		if (is_growing ? instance->owned_count < OWNED_MAX : instance->owned_count > 1) {
			break;
		}
	}
	return instance;
}

/* One step of the life of a node; 721 of them make about 1000 events. */
static void node_step(struct node *node)
{
	const uint32_t dice = random_below(&node->random, 721);
	const bool is_growing = dice < 279 + 61 + 25;
	struct instance *instance = node_pick(node, is_growing);

	if (instance->owned_count > 0) {
		carrier_refill(node, instance,
				&instance->owned[random_below(
						&node->random, instance->owned_count)]);
	}
	sbc_free_some(node, instance);
	if (is_growing && instance->owned_count < OWNED_MAX) {
		if (dice < 25) {
			step_create_single(node, instance);
		} else {
			step_grow(node, instance, dice < 25 + 61 && node->pool_count > 0);
		}
	} else if (dice >= 721 - 16 && node->pool_count > 0) {
		step_destroy_pooled(node);
	} else if (instance->owned_count > 1) {
		if (dice >= 721 - 16 - 77 && dice < 721 - 16 && node->pool_count < POOL_MAX) {
			step_put(node, instance);
		} else {
			step_destroy(node, instance);
		}
	}
}

/* Deals the instances of this thread: all of one allocator are equally busy. */
static void node_deal(struct node *node, unsigned int first)
{
	for (unsigned int i = first; i < BENCH_ALLOCATORS * BENCH_INSTANCES; i += BENCH_THREADS) {
		struct instance *instance = &node->instances[node->instance_count];

		instance->type = bench_allocators[i / BENCH_INSTANCES].name;
		instance->number = (int)(i % BENCH_INSTANCES);
		node->instance_count++;
	}
	for (unsigned int slot = 0; slot < 1024; slot++) {
		unsigned int allocator = 0;
		unsigned int mark = random_below(&node->random, 1000);
		unsigned int number;

		while (mark >= bench_allocators[allocator].weight) {
			mark -= bench_allocators[allocator++].weight;
		}
		/* Every BENCH_THREADS-th instance is here, in the same order. */
		number = allocator * BENCH_INSTANCES + random_below(&node->random, BENCH_INSTANCES);
		number /= BENCH_THREADS;
		node->deal[slot] = (unsigned short)(number < node->instance_count ? number : 0);
	}
}

bool carrier_stream_emit(const struct stream *stream)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node) {
		return false;
	}
	node->random.state = stream->seed;
	node->left = stream->count;
	node_deal(node, stream->index);
	for (unsigned int i = 0; i < node->instance_count && node->left > 0; i++) {
		step_create(node, &node->instances[i]);
	}
	while (node->left > 0) {
		node_step(node);
	}
	free(node);
	return true;
}
