/* SPDX-License-Identifier: MIT */
/*
 * What the caller of the core sends its listener beside the core's own events: the names of the
 * ids in them, the options in force, what a block is for, and when nobody is inside the core.
 *
 * All functions take a listener that may be NULL: nobody.
 */
#ifndef CSC_LISTENER_H
#define CSC_LISTENER_H

#include "api.h"
#include "emit.h"

enum csc_name_kind {
	CSC_NAME_ALLOCATOR,
	CSC_NAME_CLASS,
	CSC_NAME_TYPE,
};

/* The name of one id. */
struct csc_name_note {
	enum csc_name_kind kind;
	uint32_t id;
	/* Of a type: its class and its allocator. */
	uint32_t class_id;
	uint32_t allocator;
	/* Borrowed. */
	const char *name;
};

/* One option in force. */
struct csc_option_note {
	/* 0: of all allocators. */
	uint32_t allocator;
	/* Borrowed: the name as in the runtime's flags, and its value as text. */
	const char *name;
	const char *value;
};

/* What a runtime does between calls, without which the same calls do not have the same result. */
enum csc_work {
	/* All threads have passed a point, and have done their aux work. */
	CSC_WORK_ROUND,
	/* A scheduler's aux work found something to do. */
	CSC_WORK_AUX,
	/* A second has passed for a scheduler. */
	CSC_WORK_SECOND,
};

/* A runtime that is being run. */
struct csc_listener_subject {
	/* Static: "25". */
	const char *release;
	uint32_t word_bytes;
	uint64_t unit_bytes;
	uint32_t schedulers;

	/* Borrowed: "ets_alloc" by allocator number; NULL: no such allocator. */
	const char *allocator_names[CSC_TYPES_MAX];

	/* Static. */
	const struct csc_api *api;

	/* Borrowed: the instances; NULL: not made yet. */
	struct csc_instance *const *instances;
	uint32_t instance_count;
	/* Weak. */
	const struct csc_core *core;

	/* Sends `listener` the classes, types and options of `context`; NULL: there are none. */
	void *context;
	void (*describe)(void *context, struct csc_listener *listener);
};

/*
 * A runtime begins: after csc_core_init() and before the first instance is made, since main
 * carriers are emitted already.  `runtime` is borrowed until csc_listener_end().
 */
static inline void csc_listener_begin(
		struct csc_listener *listener, const struct csc_listener_subject *runtime)
{
	if (listener && listener->begin) {
		listener->begin(listener->context, runtime);
	}
}

/*
 * A safe point: no thread is inside the core.  Here a listener takes note of new sessions,
 * changes what it wants, and sends latecomers what is there.  What is enabled between two
 * ticks is recorded from the second one on.
 */
static inline void csc_listener_tick(struct csc_listener *listener)
{
	if (listener && listener->tick) {
		listener->tick(listener->context);
	}
}

/* Before somebody looks at what was recorded: the listener emits what it has kept back.  The next
 * call is a tick. */
static inline void csc_listener_rest(struct csc_listener *listener)
{
	if (listener && listener->rest) {
		listener->rest(listener->context);
	}
}

static inline void csc_listener_end(struct csc_listener *listener)
{
	if (listener && listener->end) {
		listener->end(listener->context);
	}
}

/* What heap_state is about: see csc_heap_note. */
struct csc_heap_request {
	const struct csc_listener *listener;
	uint64_t asked_bytes;
	uint64_t alignment;
};

static inline void csc_listener_receive_heap(void *context, const struct heap_figures *figures)
{
	const struct csc_heap_request *request = context;

	request->listener->heap(request->listener->context, CSC_EVENT_HEAP_STATE,
			&(struct csc_heap_note){
					.asked_bytes = request->asked_bytes,
					.alignment = request->alignment,
					.figures = figures,
			});
}

/*
 * How the heap below is, if the event is wanted and the heap known.  `asked_bytes`: what it has
 * just refused; 0: somebody looks.
 */
static inline void csc_listener_heap(const struct csc_listener *listener,
		const struct csc_memory *memory, uint64_t asked_bytes, uint64_t alignment)
{
	struct csc_heap_request request = { listener, asked_bytes, alignment };

	if (listener && memory->heap_state &&
			(__atomic_load_n(&listener->enabled, __ATOMIC_RELAXED) &
					CSC_EVENT_BIT(CSC_EVENT_HEAP_STATE))) {
		memory->heap_state(memory->context, csc_listener_receive_heap, &request);
	}
}

#define CSC_BLOCK_EVENTS                                                              \
	(CSC_EVENT_BIT(CSC_EVENT_BLOCK_ALLOC) | CSC_EVENT_BIT(CSC_EVENT_BLOCK_FREE) | \
			CSC_EVENT_BIT(CSC_EVENT_BLOCK_REALLOC) |                      \
			CSC_EVENT_BIT(CSC_EVENT_ALLOC_FAILURE))

/*
 * What the next calls of this thread to the core are about, which the core does not know: the type
 * of the block, and of a block that is freed the bytes that were asked for.
 */
static inline void csc_listener_next_block(
		struct csc_listener *listener, uint32_t type, uint64_t size_bytes)
{
	if (listener && listener->next_block &&
			__builtin_expect((__atomic_load_n(&listener->enabled, __ATOMIC_RELAXED) &
							 CSC_BLOCK_EVENTS) != 0,
					0)) {
		listener->next_block(listener->context, type, size_bytes);
	}
}

static inline void csc_listener_name(
		struct csc_listener *listener, const struct csc_name_note *values)
{
	if (listener && listener->name) {
		listener->name(listener->context, values);
	}
}

static inline void csc_listener_work(
		struct csc_listener *listener, enum csc_work kind, uint32_t scheduler)
{
	if (listener && listener->work) {
		listener->work(listener->context, (uint32_t)kind, scheduler);
	}
}

static inline void csc_listener_option(
		struct csc_listener *listener, const struct csc_option_note *values)
{
	if (listener && listener->option) {
		listener->option(listener->context, values);
	}
}

#endif
