/* SPDX-License-Identifier: MIT */
/* Those whose speed is compared. */
#include "contestant.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <erl_nif.h>

#include "api.h"
#include "machines.h"

/* A type of test_alloc, and how erts_alc_test starts an allocator. */
#define TYPE_TEST 12
#define ALC_START 0xf03

typedef uintptr_t alc_test_function(uintptr_t operation, uintptr_t a, uintptr_t b, uintptr_t c);
typedef uintptr_t live_alloc_function(uintptr_t type, void *allocator, uintptr_t bytes);
typedef void live_free_function(uintptr_t type, void *allocator, uintptr_t block);

static live_alloc_function *live_alloc;
static live_free_function *live_free;

/* A peer that is loaded. */
struct peer {
	void *(*alloc)(size_t bytes);
	void (*free)(void *block);
};

static uint64_t nobody_alloc(void *context, uint64_t bytes)
{
	(void)bytes;
	return (uint64_t)(uintptr_t)context;
}

static void nobody_free(void *context, uint64_t block)
{
	(void)context;
	(void)block;
}

static uint64_t core_alloc(void *context, uint64_t bytes)
{
	return csc_alloc(context, bytes);
}

static void core_free(void *context, uint64_t block)
{
	csc_free(context, block);
}

static uint64_t core32_alloc(void *context, uint64_t bytes)
{
	return csc_api_word4.alloc(context, bytes);
}

static void core32_free(void *context, uint64_t block)
{
	csc_api_word4.free(context, block);
}

static uint64_t runtime_alloc(void *context, uint64_t bytes)
{
	return live_alloc(TYPE_TEST, context, bytes);
}

static void runtime_free(void *context, uint64_t block)
{
	live_free(TYPE_TEST, context, block);
}

static uint64_t driver_alloc(void *context, uint64_t bytes)
{
	(void)context;
	return (uint64_t)(uintptr_t)enif_alloc(bytes);
}

static void driver_free(void *context, uint64_t block)
{
	(void)context;
	enif_free((void *)(uintptr_t)block);
}

static uint64_t peer_alloc(void *context, uint64_t bytes)
{
	const struct peer *peer = context;

	return (uint64_t)(uintptr_t)peer->alloc(bytes);
}

static void peer_free(void *context, uint64_t block)
{
	const struct peer *peer = context;

	peer->free((void *)(uintptr_t)block);
}

/* Finds a function; it is stored as data, which POSIX allows. */
static bool find(void *library, const char *name, void *ret_function)
{
	void *found = dlsym(library, name);

	if (found) {
		memcpy(ret_function, &found, sizeof(found));
	}
	return found != NULL;
}

static bool prepare_core(struct contestant *contestant, const struct csc_api *api,
		enum csc_strategy strategy)
{
	struct csc_instance_config config = { .type = TYPE_TEST, .is_thread_safe = true };
	static const struct csc_listener nobody_listens;
	struct csc_generation generation = *csc_generation_find("25");
	struct csc_core *core = calloc(1, api->core_bytes);
	struct csc_instance *instance = calloc(1, api->instance_bytes);
	struct csc_instance **table = calloc(2, sizeof(struct csc_instance *));
	const struct csc_memory *memory = NULL;

	if (api->word_bytes == 8) {
		struct linux_target *target = linux_target_create(&machine);

		memory = target ? linux_target_memory(target) : NULL;
	} else {
		struct window *window = window_create(&small);

		generation.unit_bits = 18;
		memory = window ? window_memory(window) : NULL;
	}
	if (!core || !instance || !table || !memory) {
		return false;
	}
	csc_settings_init(&config.settings);
	config.settings.strategy = strategy;
	config.settings.acul = 0;
	if (strategy == CSC_GF) {
		config.settings.mbsd = 3;
	}
	api->core_init(core, &generation, memory, &nobody_listens, table, 2);
	contestant->context = instance;
	contestant->bias = memory->bias;
	return api->instance_init(instance, core, &config);
}

static bool prepare_live(struct contestant *contestant, enum csc_strategy strategy)
{
	static char name[] = "csc_";
	char parameter[40];
	char *parameters[] = { parameter, NULL };
	alc_test_function *alc_test;

	snprintf(parameter, sizeof(parameter), "-tas%s", csc_strategy_name(strategy));
	if (!find(RTLD_DEFAULT, "erts_alc_test", &alc_test) ||
			!find(RTLD_DEFAULT, "erts_alcu_alloc", &live_alloc) ||
			!find(RTLD_DEFAULT, "erts_alcu_free", &live_free)) {
		return false;
	}
	/* Without a lock. */
	uintptr_t allocator = alc_test(ALC_START, (uintptr_t)name, 0, (uintptr_t)parameters);

	contestant->context = (void *)allocator;
	return allocator != 0;
}

static bool prepare_peer(struct contestant *contestant, const char *file, const char *alloc,
		const char *release)
{
	void *library = file ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : RTLD_DEFAULT;
	struct peer *peer = calloc(1, sizeof(*peer));

	contestant->context = peer;
	return peer && (library || !file) && find(library, alloc, &peer->alloc) &&
			find(library, release, &peer->free);
}

size_t contestants_prepare(enum csc_strategy strategy, struct contestant *ret_contestants)
{
	struct contestant *next = ret_contestants;

	*next = (struct contestant){ "loop", nobody_alloc, nobody_free, calloc(1, 8192), 0 };
	next++;
	*next = (struct contestant){ "core", core_alloc, core_free, NULL, 0 };
	next += prepare_core(next, &csc_api_word8, strategy);
	*next = (struct contestant){ "live", runtime_alloc, runtime_free, NULL, 0 };
	next += prepare_live(next, strategy);
	*next = (struct contestant){ "core32", core32_alloc, core32_free, NULL, 0 };
	next += prepare_core(next, &csc_api_word4, strategy);
	*next = (struct contestant){ "enif_alloc", driver_alloc, driver_free, NULL, 0 };
	next++;
	*next = (struct contestant){ "glibc", peer_alloc, peer_free, NULL, 0 };
	next += prepare_peer(next, NULL, "malloc", "free");
	*next = (struct contestant){ "jemalloc", peer_alloc, peer_free, NULL, 0 };
	next += prepare_peer(next, "libjemalloc.so.2", "malloc", "free");
	*next = (struct contestant){ "mimalloc", peer_alloc, peer_free, NULL, 0 };
	next += prepare_peer(next, "libmimalloc.so.2.0", "mi_malloc", "mi_free");
	return (size_t)(next - ret_contestants);
}
