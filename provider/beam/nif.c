/* SPDX-License-Identifier: MIT */
/*
 * The native half of module carrierscope, as module carrierscope_nif; carrierscope.erl says what
 * each function means to users.
 *
 * The image stays mapped for good (-z nodelete), and a module that is loaded again from the same
 * file finds its hooks as they were.  From another file comes another image with variables of its
 * own: it is refused while the first one has hooks, and takes over otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include <erl_nif.h>
#include <pthread.h>

#include "announce.h"
#include "current_process.h"
#include "hook.h"
#include "jit.h"
#include "lttng_library.h"
#include "mappings.h"
#include "own_memory.h"
#include "port_driver.h"
#include "provider.h"
#include "sessions.h"
#include "snapshot.h"
#include "stack_terms.h"
#include "stack_way.h"

/* Read by other images of this library: only ever extended at its end, with another number. */
#define LIBRARY_MAGIC UINT64_C(0x4353434245414d01)

struct library {
	uint64_t magic;
	bool (*is_on)(void);
	/* Stops offering events, and starting hooks. */
	void (*retire)(void);
};

static struct {
	pthread_mutex_t control;
	struct emulator emulator;
	struct diag diag;
	bool is_known;
	bool is_retired;

	/* Who is told each second while something is hooked. */
	ErlNifPid waiter;
	bool has_waiter;

	/* Instances of the module that use this image. */
	unsigned int users;
} nif = { .control = PTHREAD_MUTEX_INITIALIZER };

static ERL_NIF_TERM make_text(ErlNifEnv *env, const char *text)
{
	ERL_NIF_TERM term;
	size_t length = strlen(text);

	memcpy(enif_make_new_binary(env, length, &term), text, length);
	return term;
}

/* {error, String}: a binary is printed as its bytes by erl_call. */
static ERL_NIF_TERM make_error(ErlNifEnv *env, const struct diag *diag)
{
	return enif_make_tuple2(env, enif_make_atom(env, "error"),
			enif_make_string(env, diag->text, ERL_NIF_LATIN1));
}

/* A copy of a binary, to be freed; NULL: it is none, or there is no memory. */
static char *copy_text(ErlNifEnv *env, ERL_NIF_TERM term)
{
	ErlNifBinary binary;

	return enif_inspect_binary(env, term, &binary)
			? strndup((const char *)binary.data, binary.size)
			: NULL;
}

/* [{Allocator, Name, Value}] */
static bool get_options(ErlNifEnv *env, ERL_NIF_TERM list, struct announcement *announcement)
{
	ERL_NIF_TERM head;
	unsigned int length;

	if (!enif_get_list_length(env, list, &length)) {
		return false;
	}
	announcement->options = calloc(length + 1U, sizeof(*announcement->options));
	if (!announcement->options) {
		return false;
	}
	while (enif_get_list_cell(env, list, &head, &list)) {
		struct announced_option *option =
				&announcement->options[announcement->option_count];
		const ERL_NIF_TERM *elements;
		unsigned int allocator;
		int arity;

		if (!enif_get_tuple(env, head, &arity, &elements) || arity != 3 ||
				!enif_get_uint(env, elements[0], &allocator)) {
			return false;
		}
		announcement->option_count++;
		option->allocator = (uint8_t)allocator;
		option->name = copy_text(env, elements[1]);
		option->value = copy_text(env, elements[2]);
		if (!option->name || !option->value) {
			return false;
		}
	}
	return true;
}

/* [{Key, Value}] */
static bool get_facts(ErlNifEnv *env, ERL_NIF_TERM list, struct facts *facts)
{
	ERL_NIF_TERM head;
	unsigned int length;

	if (!enif_get_list_length(env, list, &length)) {
		return false;
	}
	facts->list = calloc(length + 1U, sizeof(*facts->list));
	if (!facts->list) {
		return false;
	}
	while (enif_get_list_cell(env, list, &head, &list)) {
		struct fact *fact = &facts->list[facts->count];
		const ERL_NIF_TERM *elements;
		int arity;

		if (!enif_get_tuple(env, head, &arity, &elements) || arity != 2) {
			return false;
		}
		facts->count++;
		fact->key = copy_text(env, elements[0]);
		fact->value = copy_text(env, elements[1]);
		if (!fact->key || !fact->value) {
			return false;
		}
	}
	return true;
}

/* Numbers of block types; the empty list is all of them. */
static bool get_types(ErlNifEnv *env, ERL_NIF_TERM list, struct hook_options *options)
{
	ERL_NIF_TERM head;

	while (enif_get_list_cell(env, list, &head, &list)) {
		unsigned int type;

		if (!enif_get_uint(env, head, &type) || type >= EMULATOR_TYPES) {
			return false;
		}
		options->types[type / 64] |= UINT64_C(1) << type % 64;
		options->type_count++;
	}
	return enif_is_empty_list(env, list);
}

/* {Allocators, Types, MinBytes, SampleBy, SampleEvery, UptimeMs, Release, Options, Facts,
 * WantsSingle, Stacks, Probes} */
static bool get_order(ErlNifEnv *env, ERL_NIF_TERM term, struct hook_options *options,
		struct announcement *announcement)
{
	const ERL_NIF_TERM *elements;
	ErlNifUInt64 min_bytes;
	ErlNifUInt64 every;
	ErlNifUInt64 uptime_ms;
	unsigned int allocators;
	unsigned int sample_by;
	int arity;

	if (!enif_get_tuple(env, term, &arity, &elements) || arity != 12 ||
			!enif_get_uint(env, elements[0], &allocators) ||
			!get_types(env, elements[1], options) ||
			!enif_get_uint64(env, elements[2], &min_bytes) ||
			!enif_get_uint(env, elements[3], &sample_by) || sample_by > SAMPLE_COUNT ||
			!enif_get_uint64(env, elements[4], &every) ||
			(sample_by != SAMPLE_NONE && every < 2) ||
			!enif_get_uint64(env, elements[5], &uptime_ms)) {
		return false;
	}
	options->allocators = allocators;
	options->min_bytes = min_bytes;
	options->sample_by = (enum sample_by)sample_by;
	options->sample_every = every;
	options->has_stacks = enif_is_identical(elements[10], enif_make_atom(env, "true"));
	options->has_probes = enif_is_identical(elements[11], enif_make_atom(env, "true"));
	options->wants_single = enif_is_identical(elements[9], enif_make_atom(env, "true"));
	announcement->uptime_ms = uptime_ms;
	announcement->release = copy_text(env, elements[6]);
	return announcement->release && get_options(env, elements[7], announcement) &&
			get_facts(env, elements[8], &announcement->facts);
}

/* By the announcer's thread, which nobody waits for under the lock `control` but stop_all(). */
static void beat(void)
{
	ErlNifEnv *env;

	if (pthread_mutex_trylock(&nif.control) != 0) {
		return;
	}
	env = nif.has_waiter ? enif_alloc_env() : NULL;
	if (env) {
		nif.has_waiter = enif_send(NULL, &nif.waiter, env, enif_make_atom(env, "beat"));
		enif_free_env(env);
	}
	pthread_mutex_unlock(&nif.control);
}

/* The process that is sent `beat` each second, from now on and while something is hooked; another
 * one is no longer. */
static ERL_NIF_TERM beats(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	(void)count;
	pthread_mutex_lock(&nif.control);
	nif.has_waiter = enif_get_local_pid(env, arguments[0], &nif.waiter) != 0;
	pthread_mutex_unlock(&nif.control);
	return enif_make_atom(env, "ok");
}

/* Hooks and announces; both or nothing. */
static bool start_all(const struct hook_options *options, struct announcement *announcement,
		struct diag *diag)
{
	if (nif.is_retired) {
		return DIAG_FALSE(diag, "another library of carrierscope has taken over");
	}
	if (!nif.is_known) {
		*diag = nif.diag;
		return false;
	}
	if (!hook_prepare(&nif.emulator, options, diag) ||
			!announce_start(&nif.emulator, announcement, beat, diag)) {
		return false;
	}
	hook_start();
	return true;
}

static ERL_NIF_TERM start(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	struct hook_options options = { .allocators = 0 };
	struct announcement announcement = { .release = NULL };
	struct diag diag = { .file = NULL };
	bool is_started;

	(void)count;
	if (!get_order(env, arguments[0], &options, &announcement)) {
		announcement_free(&announcement);
		(void)DIAG_FALSE(&diag,
				"there is no memory for the options, or they are not of this version");
		return make_error(env, &diag);
	}
	if (!lttng_library_is_there()) {
		announcement_free(&announcement);
		(void)DIAG_FALSE(&diag, "%s", lttng_library_missing());
		return make_error(env, &diag);
	}
	pthread_mutex_lock(&nif.control);
	if (!hook_is_on()) {
		current_process_confirm(env);
	}
	is_started = start_all(&options, &announcement, &diag);
	pthread_mutex_unlock(&nif.control);
	announcement_free(&announcement);
	return is_started ? enif_make_atom(env, "ok") : make_error(env, &diag);
}

/*
 * Identifiers of numbers, of serials, and others: the first of two trials by processes.  Empty
 * lists: the second.
 */
static ERL_NIF_TERM try_process(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	(void)count;
	/* Who holds it, on a dirty scheduler, may take long. */
	if (pthread_mutex_trylock(&nif.control) == 0) {
		if (!hook_is_on() && !enif_is_empty_list(env, arguments[0])) {
			current_process_forget();
			current_process_learn(env, arguments[0], arguments[1], arguments[2]);
		}
		if (!hook_is_on()) {
			current_process_try(env);
		}
		pthread_mutex_unlock(&nif.control);
	}
	return enif_make_atom(env, "ok");
}

/* By a port of our driver. */
static void try_running_port(uintptr_t port)
{
	if (pthread_mutex_trylock(&nif.control) == 0) {
		if (!hook_is_on()) {
			current_process_try_port(port);
		}
		pthread_mutex_unlock(&nif.control);
	}
}

/*
 * Identifiers of numbers, and others: trials by ports may begin, of the driver in the file that is
 * answered (without ".so"); undefined: there is none.  Empty lists: they are over.
 */
static ERL_NIF_TERM try_port(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	const char *file = port_driver_file();

	(void)count;
	if (pthread_mutex_trylock(&nif.control) == 0) {
		if (!hook_is_on() && enif_is_empty_list(env, arguments[0])) {
			current_process_check_ports();
		} else if (!hook_is_on()) {
			current_process_learn_ports(env, arguments[0], arguments[1]);
			port_driver_use(try_running_port);
		}
		pthread_mutex_unlock(&nif.control);
	}
	return file ? make_text(env, file) : enif_make_atom(env, "undefined");
}

/* Under the lock. */
static void stop_all(void)
{
	if (hook_is_on()) {
		hook_stop();
		announce_stop();
	}
}

static ERL_NIF_TERM stop(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	struct diag diag = { .file = NULL };
	bool was_on;

	(void)count;
	(void)arguments;
	pthread_mutex_lock(&nif.control);
	was_on = hook_is_on();
	stop_all();
	pthread_mutex_unlock(&nif.control);
	if (!was_on) {
		(void)DIAG_FALSE(&diag, "nothing is hooked");
		return make_error(env, &diag);
	}
	return enif_make_atom(env, "ok");
}

/*
 * {IsOn, HookId, Allocators, Types, MinBytes, SampleBy, Every, Allocs, Frees, Reallocs, Failures,
 * Untracked, TableFoundBy, ProcessFoundBy, PortFoundBy, IsHeard, HasLibrary, HasBatches, EventsWhy,
 * Lost, StackFoundBy}
 */
static ERL_NIF_TERM info(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	const struct hook_options *options = hook_options();
	struct hook_counts counts;
	char way[EMULATOR_WAY_BYTES] = "";

	(void)count;
	(void)arguments;
	hook_counts(&counts);
	if (nif.is_known) {
		emulator_print_way(&nif.emulator.evidence, way);
	}
	const ERL_NIF_TERM terms[] = {
		enif_make_atom(env, hook_is_on() ? "true" : "false"),
		enif_make_uint(env, announce_hook_id()),
		enif_make_uint(env, options->allocators),
		enif_make_uint(env, options->type_count),
		enif_make_uint64(env, options->min_bytes),
		enif_make_uint(env, options->sample_by),
		enif_make_uint64(env, options->sample_every),
		enif_make_uint64(env, counts.allocs),
		enif_make_uint64(env, counts.frees),
		enif_make_uint64(env, counts.reallocs),
		enif_make_uint64(env, counts.failures),
		enif_make_uint64(env, counts.untracked),
		enif_make_string(env, way, ERL_NIF_LATIN1),
		enif_make_string(env, current_process_found_by(), ERL_NIF_LATIN1),
		enif_make_string(env, current_process_port_found_by(), ERL_NIF_LATIN1),
		enif_make_atom(env, sessions_are_there() ? "true" : "false"),
		enif_make_atom(env, lttng_library_is_there() ? "true" : "false"),
		enif_make_atom(env, hook_has_rings() ? "true" : "false"),
		enif_make_string(env,
				lttng_library_is_there() ? hook_events_why()
							 : lttng_library_missing(),
				ERL_NIF_LATIN1),
		enif_make_uint64(env, counts.lost),
		enif_make_string(env, stack_way_found_by(), ERL_NIF_LATIN1),
	};
	return enif_make_tuple_from_array(env, terms, sizeof(terms) / sizeof(terms[0]));
}

/* {ok, [{Number, Allocator}], [{Number, Type, Allocator}]} */
static ERL_NIF_TERM names(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	const struct emulator *emulator = &nif.emulator;
	ERL_NIF_TERM allocators = enif_make_list(env, 0);
	ERL_NIF_TERM types = enif_make_list(env, 0);

	(void)count;
	(void)arguments;
	if (!nif.is_known) {
		return make_error(env, &nif.diag);
	}
	for (size_t i = emulator->entry_count - 1; i > 0; i--) {
		ERL_NIF_TERM name = enif_make_atom(env, emulator->allocator_names[i]);

		allocators = enif_make_list_cell(env,
				enif_make_tuple2(env, enif_make_uint(env, (unsigned int)i), name),
				allocators);
	}
	for (size_t i = emulator->type_count - 1; i > 0; i--) {
		size_t allocator = type_allocator(emulator->type_words[i]);

		types = enif_make_list_cell(env,
				enif_make_tuple3(env, enif_make_uint(env, (unsigned int)i),
						make_text(env, emulator->type_names[i]),
						enif_make_atom(env,
								emulator->allocator_names
										[allocator])),
				types);
	}
	return enif_make_tuple3(env, enif_make_atom(env, "ok"), allocators, types);
}

/* See stack_terms.h; busy: what is hooked is not tried. */
static ERL_NIF_TERM try_stack(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	ERL_NIF_TERM answer = enif_make_atom(env, "busy");

	(void)count;
	if (pthread_mutex_trylock(&nif.control) == 0) {
		if (!hook_is_on()) {
			answer = stack_terms_try(env, arguments[0], current_process_tried());
		}
		pthread_mutex_unlock(&nif.control);
	}
	return answer;
}

static ERL_NIF_TERM emit(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	(void)count;
	return snapshot_emit(env, arguments[0]) ? enif_make_atom(env, "ok") : enif_make_badarg(env);
}

/* Bytes, or undefined. */
static ERL_NIF_TERM jit_debug(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	uint64_t bytes = 0;

	(void)count;
	(void)arguments;
	return jit_debug_bytes(&bytes) ? enif_make_uint64(env, bytes)
				       : enif_make_atom(env, "undefined");
}

/* [{Key, Bytes}] */
static ERL_NIF_TERM own_memory(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	ERL_NIF_TERM list = enif_make_list(env, 0);
	struct own_memory memory;
	struct {
		const char *key;
		uint64_t bytes;
	} figures[3] = { { NULL, 0 } };
	size_t figure_count = 0;

	(void)count;
	(void)arguments;
	if (!own_memory_read(&memory)) {
		return list;
	}
	figures[figure_count].key = "own_tables";
	figures[figure_count++].bytes = memory.tables;
	figures[figure_count].key = "own_buffers_mapped";
	figures[figure_count++].bytes = memory.buffers_mapped;
	if (memory.has_buffers) {
		figures[figure_count].key = "own_buffers";
		figures[figure_count++].bytes = memory.buffers;
	}
	for (size_t i = 0; i < figure_count; i++) {
		list = enif_make_list_cell(env,
				enif_make_tuple2(env, enif_make_atom(env, figures[i].key),
						enif_make_uint64(env, figures[i].bytes)),
				list);
	}
	return list;
}

/* Of all mappings together, or by name. */
static ERL_NIF_TERM mappings(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	(void)count;
	return mappings_read(env, enif_is_identical(arguments[0], enif_make_atom(env, "true")));
}

static void retire(void)
{
	pthread_mutex_lock(&nif.control);
	nif.is_retired = true;
	provider_close();
	pthread_mutex_unlock(&nif.control);
}

static struct library library = {
	.magic = LIBRARY_MAGIC,
	.is_on = hook_is_on,
	.retire = retire,
};

static void use(void **ret_private)
{
	pthread_mutex_lock(&nif.control);
	nif.users++;
	nif.is_retired = false;
	provider_open();
	if (!nif.is_known) {
		nif.is_known = emulator_find(&nif.emulator, &nif.diag);
	}
	pthread_mutex_unlock(&nif.control);
	*ret_private = &library;
}

static int load(ErlNifEnv *env, void **ret_private, ERL_NIF_TERM argument)
{
	(void)env;
	(void)argument;
	use(ret_private);
	return 0;
}

static int upgrade(ErlNifEnv *env, void **ret_private, void **old_private, ERL_NIF_TERM argument)
{
	const struct library *other = *old_private;

	(void)env;
	(void)argument;
	if (other != &library) {
		if (!other || other->magic != LIBRARY_MAGIC || other->is_on()) {
			return 1;
		}
		other->retire();
	}
	use(ret_private);
	return 0;
}

/* The last user goes: nobody could unhook afterwards. */
static void unload(ErlNifEnv *env, void *private)
{
	(void)env;
	(void)private;
	pthread_mutex_lock(&nif.control);
	if (--nif.users == 0) {
		stop_all();
		provider_close();
	}
	pthread_mutex_unlock(&nif.control);
}

static ErlNifFunc functions[] = {
	{ "start", 1, start, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "stop", 0, stop, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "info", 0, info, 0 },
	{ "names", 0, names, 0 },
	{ "emit", 1, emit, 0 },
	{ "jit_debug", 0, jit_debug, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "own_memory", 0, own_memory, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "mappings", 1, mappings, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "beats", 1, beats, ERL_NIF_DIRTY_JOB_IO_BOUND },
	{ "try_process", 3, try_process, 0 },
	{ "try_port", 2, try_port, 0 },
	{ "try_stack", 1, try_stack, 0 },
	{ "stacks", 1, stack_terms_list, 0 },
	{ "stack_lines", 1, stack_terms_lines, 0 },
};

ERL_NIF_INIT(carrierscope_nif, functions, load, NULL, upgrade, unload)
