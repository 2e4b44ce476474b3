/* SPDX-License-Identifier: MIT */
/* The runtime's allocators as a whole. */
#include "runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "listener_pair.h"

struct runtime_lock {
	pthread_mutex_t mutex;
};

/* One instance and the lock of those that have one. */
struct runtime_slot {
	struct csc_instance *instance;
	pthread_mutex_t lock;
	bool has_lock;
};

struct runtime {
	struct runtime_config config;
	struct address_space *space;
	/* Of the build for the target's words. */
	const struct csc_api *api;
	struct csc_core *core;

	/* For the core, when there are threads: one for each handle. */
	struct csc_sync sync;
	struct runtime_lock *locks;
	uint32_t lock_count;

	/* For the core: one for each handle. */
	struct csc_instance **table;

	/* By allocator, `slots_each` for each; vacant where there is no instance. */
	struct runtime_slot *slots;
	uint32_t slots_each;

	/* Of the types of fixed size, in bytes, and what these figures are for a user. */
	uint64_t fix_bytes[CSC_FIX_TYPES_MAX];
	const char *fix_basis;

	/* For the core, when there is a witness. */
	struct listener_pair pair;

	/* For the listener: it and the instances that have been made. */
	struct csc_listener_subject subject;
	struct csc_instance **instances;
	uint32_t instance_count;
};

static struct runtime_slot *runtime_slot(
		const struct runtime *runtime, enum csc_allocator allocator, uint32_t index)
{
	return &runtime->slots[(uint32_t)allocator * runtime->slots_each + index];
}

/* The slot that a scheduler uses; NULL: the allocator is disabled. */
static struct runtime_slot *runtime_pick(
		const struct runtime *runtime, enum csc_allocator allocator, uint32_t scheduler)
{
	bool is_global;
	struct runtime_slot *slot;

	if (allocator >= CSC_ALLOCATORS) {
		return NULL;
	}
	is_global = runtime->config.options.allocators[allocator].threading == CSC_GLOBAL;
	slot = runtime_slot(runtime, allocator, is_global ? 0 : scheduler);
	return slot->instance ? slot : NULL;
}

/* A call is over. */
static void runtime_after(const struct runtime *runtime)
{
	if (runtime->config.witness) {
		csc_listener_tick(runtime->config.witness);
	}
}

static void slot_enter(struct runtime_slot *slot)
{
	if (slot->has_lock) {
		pthread_mutex_lock(&slot->lock);
	}
}

static void slot_leave(struct runtime_slot *slot)
{
	if (slot->has_lock) {
		pthread_mutex_unlock(&slot->lock);
	}
}

static void runtime_enter(void *context, uint32_t id)
{
	struct runtime *runtime = context;

	pthread_mutex_lock(&runtime->locks[id].mutex);
}

static void runtime_leave(void *context, uint32_t id)
{
	struct runtime *runtime = context;

	pthread_mutex_unlock(&runtime->locks[id].mutex);
}

/* Locks that threads share; returns CSC_NO_MEMORY if there is none. */
static enum csc_status runtime_share(struct runtime *runtime, uint32_t count)
{
	runtime->locks = calloc(count, sizeof(*runtime->locks));
	if (!runtime->locks) {
		return CSC_NO_MEMORY;
	}
	for (uint32_t i = 0; i < count; i++) {
		pthread_mutex_init(&runtime->locks[i].mutex, NULL);
	}
	runtime->lock_count = count;
	runtime->sync = (struct csc_sync){ runtime, runtime_enter, runtime_leave };
	runtime->api->core_share(runtime->core, &runtime->sync);
	return CSC_OK;
}

uint64_t runtime_unit_bytes(const struct csc_options *options)
{
	/* Source: SOURCES.md 16.1: with words of 4 bytes the same in all releases. */
	return UINT64_C(1) << (options->word_bytes == 4 ? 18 : options->generation->unit_bits);
}

/* Finds the sizes of the types of fixed size; returns how many there are. */
static uint32_t runtime_size_types(struct runtime *runtime)
{
	const struct csc_options *options = &runtime->config.options;
	const uint64_t *own = runtime->config.fix_bytes;
	const struct fixed_type *types[CSC_FIX_TYPES_MAX];
	uint32_t count = fixed_types_of(options->generation, types);

	runtime->fix_basis = fixed_types_basis(options->generation, options->word_bytes);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bytes = fixed_type_bytes(
				types[i], options->generation, options->word_bytes);

		runtime->fix_bytes[i] = own && own[i] ? own[i] : bytes;
		if (runtime->fix_bytes[i] != bytes) {
			runtime->fix_basis = "exact where the recording has such blocks, "
					     "estimates otherwise";
		}
	}
	return count;
}

/* Makes one instance. */
static enum csc_status runtime_add(struct runtime *runtime, enum csc_allocator allocator,
		uint32_t index, struct diag *diag)
{
	const struct csc_options *options = &runtime->config.options;
	struct runtime_slot *slot = runtime_slot(runtime, allocator, index);
	struct csc_instance_config config;

	csc_options_config(options, allocator, index, &config);
	if (allocator == CSC_FIX) {
		config.fix_count = runtime_size_types(runtime);
		memcpy(config.fix_bytes, runtime->fix_bytes, sizeof(config.fix_bytes));
	}
	slot->instance = calloc(1, runtime->api->instance_bytes);
	if (!slot->instance) {
		return DIAG_NO_MEMORY(diag);
	}
	slot->has_lock = runtime->config.is_threaded && (index == 0 || index > options->schedulers);
	if (slot->has_lock) {
		pthread_mutex_init(&slot->lock, NULL);
	}
	if (!runtime->api->instance_init(slot->instance, runtime->core, &config)) {
		return DIAG_FAIL(diag, "Failed to create main carrier for %s",
				csc_allocator_infos[allocator].name);
	}
	runtime->instances[runtime->instance_count++] = slot->instance;
	return CSC_OK;
}

/* In the order in which the runtime starts its allocators. */
static enum csc_status runtime_fill(struct runtime *runtime, struct diag *diag)
{
	static const enum csc_allocator order[] = { CSC_TEMP, CSC_SL, CSC_STD, CSC_LL, CSC_EHEAP,
		CSC_BINARY, CSC_ETS, CSC_DRIVER, CSC_FIX, CSC_LITERAL, CSC_EXEC, CSC_TEST };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint32_t count = csc_options_instances(&runtime->config.options, order[i]);

		for (uint32_t index = 0; index < count; index++) {
			if (runtime_add(runtime, order[i], index, diag) != CSC_OK) {
				return CSC_ERROR;
			}
		}
	}
	return CSC_OK;
}

static void runtime_describe(void *context, struct csc_listener *listener)
{
	const struct runtime *runtime = context;

	describe_runtime(&runtime->config.options, listener);
}

/* The listener gets to know the runtime before its first carrier. */
static void runtime_introduce(struct runtime *runtime)
{
	const struct csc_options *options = &runtime->config.options;

	runtime->subject = (struct csc_listener_subject){
		.release = options->generation->name,
		.word_bytes = options->word_bytes,
		.unit_bytes = runtime_unit_bytes(options),
		.schedulers = options->schedulers,
		.api = runtime->api,
		.core = runtime->core,
		.instances = runtime->instances,
		.context = runtime,
		.describe = runtime_describe,
	};
	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		runtime->subject.instance_count +=
				csc_options_instances(options, (enum csc_allocator)i);
	}
	describe_allocators(options, runtime->subject.allocator_names);
	csc_listener_begin(runtime->config.listener, &runtime->subject);
	if (runtime->config.witness) {
		csc_listener_begin(runtime->config.witness, &runtime->subject);
		listener_pair_refresh(&runtime->pair);
	}
}

struct runtime *runtime_create(const struct runtime_config *config, struct diag *diag)
{
	const struct csc_options *options = &config->options;
	struct runtime *runtime = calloc(1, sizeof(*runtime));
	uint32_t room;

	if (!runtime) {
		(void)DIAG_NO_MEMORY(diag);
		return NULL;
	}
	runtime->config = *config;
	runtime->slots_each = options->schedulers + 1 + options->dirty_instances;
	room = runtime->slots_each * CSC_ALLOCATORS + 1;
	runtime->slots = calloc(room, sizeof(*runtime->slots));
	runtime->table = calloc(room, sizeof(struct csc_instance *));
	runtime->instances = calloc(room, sizeof(struct csc_instance *));
	runtime->api = csc_api_find(options->word_bytes);
	runtime->core = calloc(1, runtime->api->core_bytes);
	if (!runtime->slots || !runtime->table || !runtime->instances || !runtime->core) {
		(void)DIAG_NO_MEMORY(diag);
	} else if (config->board) {
		runtime->space = address_space_create_board(config->board,
				runtime_unit_bytes(options), config->limit_bytes, diag);
	} else {
		runtime->space = address_space_create(options, config->limit_bytes,
				config->has_mapped_malloc, config->without_contents, diag);
	}
	if (!runtime->space) {
		runtime_destroy(runtime);
		return NULL;
	}
	if (config->witness) {
		listener_pair_init(&runtime->pair, config->witness, config->listener);
	}
	runtime->api->core_init(runtime->core, options->generation,
			address_space_memory(runtime->space),
			config->witness ? &runtime->pair.listener : config->listener,
			runtime->table, room);
	if (config->is_threaded && runtime_share(runtime, room) != CSC_OK) {
		(void)DIAG_NO_MEMORY(diag);
	}
	runtime_introduce(runtime);
	runtime_emit_heap(runtime);
	if (diag_is_set(diag) || runtime_fill(runtime, diag) != CSC_OK) {
		runtime_destroy(runtime);
		return NULL;
	}
	runtime_emit_heap(runtime);
	return runtime;
}

void runtime_destroy(struct runtime *runtime)
{
	if (!runtime) {
		return;
	}
	if (runtime->subject.api) {
		csc_listener_end(runtime->config.listener);
	}
	for (uint32_t i = 0; runtime->slots && i < runtime->slots_each * CSC_ALLOCATORS; i++) {
		if (runtime->slots[i].has_lock) {
			pthread_mutex_destroy(&runtime->slots[i].lock);
		}
		free(runtime->slots[i].instance);
	}
	for (uint32_t i = 0; i < runtime->lock_count; i++) {
		pthread_mutex_destroy(&runtime->locks[i].mutex);
	}
	address_space_destroy(runtime->space);
	free(runtime->core);
	free(runtime->locks);
	free(runtime->slots);
	free(runtime->table);
	free(runtime->instances);
	free(runtime);
}

bool runtime_kind_find(const struct csc_generation *generation, uint32_t word_bytes,
		const char *name, struct runtime_kind *ret_kind)
{
	/* All that is not the runtime: the system, drivers of its own, its network. */
	static const struct csc_block_type os = { "OS", "os", CSC_CLASS_SYSTEM, true,
		CSC_ALLOCATORS };
	uint32_t id = memory_type_find(name, generation);
	const struct csc_block_type *type = memory_type_at(id, generation);
	const struct fixed_type *types[CSC_FIX_TYPES_MAX];
	uint32_t count = fixed_types_of(generation, types);

	if (strcmp(name, os.description) == 0) {
		*ret_kind = (struct runtime_kind){ .type = &os, .fix = -1, .is_os = true };
		return true;
	}
	if (!type) {
		return false;
	}
	*ret_kind = (struct runtime_kind){ .type = type, .id = id, .fix = -1 };
	for (uint32_t i = 0; i < count && type->allocator == CSC_FIX; i++) {
		if (strcmp(types[i]->name, name) == 0) {
			ret_kind->fix = (int32_t)i;
			ret_kind->fix_bytes = fixed_type_bytes(types[i], generation, word_bytes);
		}
	}
	return true;
}

bool runtime_serves(const struct runtime *runtime, const struct runtime_kind *kind)
{
	enum csc_allocator allocator = memory_type_allocator(kind->type);

	return allocator < CSC_ALLOCATORS &&
			csc_options_instances(&runtime->config.options, allocator) > 0;
}

uint64_t runtime_alloc(struct runtime *runtime, uint32_t scheduler, const struct runtime_kind *kind,
		uint64_t bytes)
{
	struct runtime_slot *slot =
			runtime_pick(runtime, memory_type_allocator(kind->type), scheduler);
	uint64_t block;

	if (!slot) {
		return address_space_plain(runtime->space, 0, bytes ? bytes : 1, !kind->is_os);
	}
	csc_listener_next_block(runtime->config.listener, kind->id, 0);
	slot_enter(slot);
	if (kind->fix >= 0) {
		block = runtime->api->fix_alloc(slot->instance, (uint32_t)kind->fix);
	} else {
		block = runtime->api->alloc(slot->instance, bytes);
	}
	slot_leave(slot);
	runtime_after(runtime);
	return block;
}

uint64_t runtime_realloc(struct runtime *runtime, uint32_t scheduler,
		const struct runtime_kind *kind, uint64_t block, uint64_t old_bytes, uint64_t bytes)
{
	struct runtime_slot *slot =
			runtime_pick(runtime, memory_type_allocator(kind->type), scheduler);
	uint64_t now;

	if (!slot) {
		return address_space_plain(runtime->space, block, bytes ? bytes : 1, !kind->is_os);
	}
	csc_listener_next_block(runtime->config.listener, kind->id, old_bytes);
	slot_enter(slot);
	now = runtime->api->realloc(slot->instance, block, bytes);
	slot_leave(slot);
	runtime_after(runtime);
	return now;
}

void runtime_free(struct runtime *runtime, uint32_t scheduler, const struct runtime_kind *kind,
		uint64_t block, uint64_t old_bytes)
{
	struct runtime_slot *slot =
			runtime_pick(runtime, memory_type_allocator(kind->type), scheduler);

	if (!slot) {
		address_space_plain(runtime->space, block, 0, !kind->is_os);
		return;
	}
	csc_listener_next_block(runtime->config.listener, kind->id, old_bytes);
	slot_enter(slot);
	if (kind->fix >= 0) {
		runtime->api->fix_free(slot->instance, (uint32_t)kind->fix, block);
	} else {
		runtime->api->free(slot->instance, block);
	}
	slot_leave(slot);
	runtime_after(runtime);
}

static bool runtime_work_off(struct runtime *runtime, uint32_t scheduler)
{
	bool has_worked = false;

	for (int i = 0; i < CSC_ALLOCATORS; i++) {
		struct runtime_slot *slot = runtime_slot(runtime, (enum csc_allocator)i, scheduler);

		if (slot->instance) {
			slot_enter(slot);
			has_worked |= runtime->api->drain(slot->instance);
			runtime->api->release(slot->instance);
			slot_leave(slot);
		}
	}
	runtime_after(runtime);
	return has_worked;
}

bool runtime_aux(struct runtime *runtime, uint32_t scheduler)
{
	bool has_worked = runtime_work_off(runtime, scheduler);

	if (has_worked) {
		csc_listener_work(runtime->config.listener, CSC_WORK_AUX, scheduler);
	}
	return has_worked;
}

void runtime_tick(struct runtime *runtime, uint32_t scheduler)
{
	struct runtime_slot *fix = runtime_slot(runtime, CSC_FIX, scheduler);
	enum csc_fix_visit visit = CSC_FIX_TICK;

	if (fix->instance) {
		slot_enter(fix);
		while (runtime->api->fix_visit(fix->instance, visit)) {
			visit = CSC_FIX_CONTINUE;
		}
		slot_leave(fix);
		runtime_after(runtime);
	}
	address_space_tick(runtime->space, scheduler);
	csc_listener_work(runtime->config.listener, CSC_WORK_SECOND, scheduler);
}

void runtime_progress(struct runtime *runtime)
{
	runtime->api->core_progress(runtime->core);
}

bool runtime_round(struct runtime *runtime)
{
	bool has_worked = false;

	runtime_progress(runtime);
	for (uint32_t i = 0; i < runtime->slots_each; i++) {
		has_worked |= runtime_work_off(runtime, i);
	}
	csc_listener_work(runtime->config.listener, CSC_WORK_ROUND, 0);
	return has_worked;
}

void runtime_quiesce(struct runtime *runtime)
{
	bool has_worked;

	do {
		has_worked = runtime_round(runtime);
	} while (has_worked);
}

void runtime_listen(struct runtime *runtime)
{
	csc_listener_tick(runtime->config.listener);
	if (runtime->config.witness) {
		listener_pair_refresh(&runtime->pair);
	}
}

void runtime_emit_heap(struct runtime *runtime)
{
	csc_listener_heap(runtime->config.listener, address_space_memory(runtime->space), 0, 0);
}

uint64_t runtime_fix_bytes(const struct runtime *runtime, uint32_t type)
{
	return runtime->fix_bytes[type];
}

const char *runtime_fix_basis(const struct runtime *runtime)
{
	return runtime->fix_basis;
}

const struct csc_api *runtime_api(const struct runtime *runtime)
{
	return runtime->api;
}

void *runtime_at(const struct runtime *runtime, uint64_t address)
{
	return address_space_at(runtime->space, address);
}

const struct rtems_heap *runtime_heap(const struct runtime *runtime)
{
	return address_space_heap(runtime->space);
}

const struct csc_options *runtime_options(const struct runtime *runtime)
{
	return &runtime->config.options;
}

struct csc_instance *runtime_instance(
		const struct runtime *runtime, enum csc_allocator allocator, uint32_t index)
{
	return index < runtime->slots_each ? runtime_slot(runtime, allocator, index)->instance
					   : NULL;
}

uint64_t runtime_cached_bytes(const struct runtime *runtime)
{
	return address_space_cached_bytes(runtime->space);
}

const uint64_t *runtime_carriers_bytes(const struct runtime *runtime)
{
	return address_space_bytes(runtime->space);
}

void runtime_address_space(const struct runtime *runtime, struct address_space_figures *ret_figures)
{
	address_space_figures(runtime->space, ret_figures);
}
