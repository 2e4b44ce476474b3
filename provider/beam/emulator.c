/* SPDX-License-Identifier: MIT */
/* Symbols of the emulator, and whether they are what they seem. */
#include "emulator.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <erl_nif.h>

#include "finder/exported.h"
#include "finder/finder.h"

/* What an emulator exports until OTP 28; one that lacks any of these is searched. */
static const char *const symbols[] = { "erts_allctrs", "erts_alc_a2ad", "erts_alc_c2cd",
	"erts_alc_n2t", "erts_alc_n2td", "erts_allctr_thr_spec", "erts_no_schedulers" };

/* An exported object and its size in bytes, which must be whole elements. */
static bool find(const char *name, size_t element, void *ret_address, size_t *ret_count,
		struct diag *diag)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	size_t bytes;

	if (!found) {
		return DIAG_FALSE(diag, "the emulator does not export '%s'", name);
	}
	bytes = exported_bytes(found);
	if (bytes % element != 0 || bytes < 2 * element) {
		return DIAG_FALSE(diag, "the emulator exports '%s' in an unknown size", name);
	}
	memcpy(ret_address, &found, sizeof(found));
	*ret_count = bytes / element;
	return true;
}

static bool find_number(const char *name, uint16_t *ret_number, struct diag *diag)
{
	const uintptr_t *found;
	size_t count;

	if (!dlsym(RTLD_DEFAULT, name)) {
		return DIAG_FALSE(diag, "the emulator does not export '%s'", name);
	}
	/* One word is less than an array. */
	memcpy(&found, &(void *){ dlsym(RTLD_DEFAULT, name) }, sizeof(found));
	count = *found;
	if (count >= UINT16_MAX) {
		return DIAG_FALSE(diag, "the emulator says '%s' is %zu", name, count);
	}
	*ret_number = (uint16_t)count;
	return true;
}

static bool is_name(const char *name)
{
	return name && name[0] >= 'a' && name[0] <= 'z' && strlen(name) < 64;
}

/* Entries 1 to count - 1 of the table, with a name each. */
static bool check_allocators(const struct emulator *emulator, size_t names, struct diag *diag)
{
	if (emulator->entry_count > EMULATOR_ALLOCATORS || names < emulator->entry_count) {
		return DIAG_FALSE(diag, "the emulator has %zu allocators and %zu names for them",
				emulator->entry_count, names);
	}
	for (size_t i = 1; i < emulator->entry_count; i++) {
		const struct emulator_entry *entry = &emulator->entries[i];
		const char *name = emulator->allocator_names[i];
		size_t length = is_name(name) ? strlen(name) : 0;

		if (length < 6 || strcmp(name + length - 6, "_alloc") != 0) {
			return DIAG_FALSE(diag, "allocator %zu of the emulator has no name", i);
		}
		if (!entry->alloc || !entry->realloc || !entry->free) {
			return DIAG_FALSE(diag, "allocator '%s' lacks a function", name);
		}
	}
	return true;
}

static bool check_types(struct emulator *emulator, size_t words, size_t names, struct diag *diag)
{
	size_t count = 1;

	while (count < words && count < names && emulator->type_words[count] != 0) {
		uint32_t word = emulator->type_words[count];
		size_t class_id = word >> 4 & 7;
		size_t allocator = type_allocator(word);

		if (type_number(word) != count || class_id == 0 ||
				class_id >= emulator->class_count || allocator == 0 ||
				allocator >= emulator->entry_count ||
				!is_name(emulator->type_names[count])) {
			return DIAG_FALSE(diag, "block type %zu is numbered in another way", count);
		}
		count++;
	}
	if (count < 2 || count > EMULATOR_TYPES) {
		return DIAG_FALSE(diag, "the emulator has %zu block types", count - 1);
	}
	emulator->type_count = count;
	return true;
}

static bool check_classes(struct emulator *emulator, size_t names, struct diag *diag)
{
	size_t count = 1;

	while (count < names && count < EMULATOR_CLASSES && is_name(emulator->class_names[count])) {
		count++;
	}
	if (count < 2) {
		return DIAG_FALSE(diag, "the emulator has no classes of block types");
	}
	emulator->class_count = count;
	return true;
}

static bool find_sets(struct emulator *emulator, struct diag *diag)
{
	size_t count = 0;

	if (!find("erts_allctr_thr_spec", sizeof(*emulator->specs), &emulator->specs, &count,
			    diag)) {
		return false;
	}
	if (count != emulator->entry_count) {
		return DIAG_FALSE(diag, "the emulator has %zu allocators but %zu sets of instances",
				emulator->entry_count, count);
	}
	return true;
}

static bool check_instances(struct emulator *emulator, struct diag *diag)
{
	const struct emulator_set *specs = emulator->specs;

	emulator->instances_max = 1;
	for (size_t i = 1; i < emulator->entry_count; i++) {
		emulator->instances[i] = 1;
		if (!specs || specs[i].is_enabled != 1) {
			continue;
		}
		if (specs[i].allocator != (int)i || specs[i].count < 1 ||
				specs[i].count >= UINT16_MAX || !specs[i].instances ||
				emulator->entries[i].extra != &specs[i]) {
			return DIAG_FALSE(diag, "instances of '%s' are laid out in another way",
					emulator->allocator_names[i]);
		}
		emulator->instances[i] = (uint16_t)specs[i].count;
		if (emulator->instances[i] > emulator->instances_max) {
			emulator->instances_max = emulator->instances[i];
		}
	}
	return true;
}

static bool is_symmetric(const struct emulator *emulator, struct diag *diag)
{
	/* The global one, one for each scheduler, and what dirty schedulers have. */
	size_t expected = 1U + emulator->schedulers + emulator->dirty_instances;

	if (emulator->instances_max != 1 && emulator->instances_max != expected) {
		return DIAG_FALSE(diag, "allocators have %u instances, where %zu were expected",
				emulator->instances_max, expected);
	}
	return true;
}

static bool is_exported(void)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		if (!dlsym(RTLD_DEFAULT, symbols[i])) {
			return false;
		}
	}
	return true;
}

static bool find_exported(struct emulator *emulator, struct diag *diag)
{
	size_t allocator_names = 0;
	size_t class_names = 0;
	size_t words = 0;
	size_t type_names = 0;

	if (!find("erts_allctrs", sizeof(*emulator->entries), &emulator->entries,
			    &emulator->entry_count, diag) ||
			!find("erts_alc_a2ad", sizeof(char *), &emulator->allocator_names,
					&allocator_names, diag) ||
			!find("erts_alc_c2cd", sizeof(char *), &emulator->class_names, &class_names,
					diag) ||
			!find("erts_alc_n2t", sizeof(uint32_t), &emulator->type_words, &words,
					diag) ||
			!find("erts_alc_n2td", sizeof(char *), &emulator->type_names, &type_names,
					diag) ||
			!find_number("erts_no_schedulers", &emulator->schedulers, diag) ||
			!check_allocators(emulator, allocator_names, diag) ||
			!check_classes(emulator, class_names, diag) ||
			!check_types(emulator, words, type_names, diag) ||
			!find_sets(emulator, diag) || !check_instances(emulator, diag)) {
		return false;
	}
	/* Instances of dirty schedulers are younger than the rest. */
	return !dlsym(RTLD_DEFAULT, "erts_no_dirty_alloc_instances") ||
			find_number("erts_no_dirty_alloc_instances", &emulator->dirty_instances,
					diag);
}

/* What is exported after all must be what was found. */
static bool agrees(const struct emulator *emulator, struct diag *diag)
{
	const struct {
		const char *name;
		const void *found;
	} objects[] = {
		{ "erts_allctrs", emulator->entries },
		{ "erts_alc_a2ad", emulator->allocator_names },
		{ "erts_alc_c2cd", emulator->class_names },
		{ "erts_alc_n2t", emulator->type_words },
		{ "erts_alc_n2td", emulator->type_names },
		{ "erts_allctr_thr_spec", emulator->specs },
	};

	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
		const void *exported = dlsym(RTLD_DEFAULT, objects[i].name);

		if (exported && objects[i].found && exported != objects[i].found) {
			return DIAG_FALSE(diag,
					"the emulator exports '%s' elsewhere than it was found",
					objects[i].name);
		}
	}
	return true;
}

/* The same of an emulator that hides its symbols; instances that are no scheduler's are dirty
 * ones'. */
static bool find_hidden(struct emulator *emulator, struct diag *diag)
{
	ErlNifSysInfo info;

	enif_system_info(&info, sizeof(info));
	if (info.scheduler_threads < 1 || info.scheduler_threads >= UINT16_MAX) {
		return DIAG_FALSE(diag, "the emulator says it has %d schedulers",
				info.scheduler_threads);
	}
	emulator->schedulers = (uint16_t)info.scheduler_threads;
	if (!finder_find(emulator, diag) || !agrees(emulator, diag) ||
			!check_allocators(emulator, emulator->entry_count, diag) ||
			!check_classes(emulator, emulator->class_count, diag) ||
			!check_types(emulator, emulator->type_count, emulator->type_count, diag) ||
			!check_instances(emulator, diag)) {
		return false;
	}
	if (emulator->instances_max > 1U + emulator->schedulers) {
		emulator->dirty_instances =
				(uint16_t)(emulator->instances_max - 1 - emulator->schedulers);
	}
	return true;
}

bool emulator_find(struct emulator *ret_emulator, struct diag *diag)
{
	struct emulator emulator = { .entries = NULL };
	uintptr_t (*unit)(void);
	void *unit_symbol = dlsym(RTLD_DEFAULT, "erts_mseg_unit_size");

	_Static_assert(sizeof(struct emulator_set) == 24 || sizeof(void *) != 8, "padding");
	if (sizeof(void *) != 8) {
		return DIAG_FALSE(diag, "only emulators of 64 bits are known");
	}
	if (!(is_exported() ? find_exported : find_hidden)(&emulator, diag) ||
			!is_symmetric(&emulator, diag)) {
		return false;
	}
	if (unit_symbol) {
		memcpy(&unit, &unit_symbol, sizeof(unit));
		emulator.unit_bytes = unit();
	}
	*ret_emulator = emulator;
	return true;
}

void emulator_print_way(const struct emulator_evidence *evidence, char text[EMULATOR_WAY_BYTES])
{
	if (!evidence->is_found) {
		(void)snprintf(text, EMULATOR_WAY_BYTES, "exported symbols");
		return;
	}
	(void)snprintf(text, EMULATOR_WAY_BYTES,
			"searched: %zu functions, %zu sets of instances%s agree",
			evidence->functions, evidence->sets,
			evidence->has_symbol ? " and the symbols of its file" : "");
}

void emulator_put(struct emulator_entry *entry, const struct emulator_entry *functions)
{
	__atomic_store_n(&entry->free, functions->free, __ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->realloc, functions->realloc, __ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->alloc, functions->alloc, __ATOMIC_SEQ_CST);
}

void emulator_put_back(struct emulator_entry *entry, const struct emulator_entry *functions)
{
	__atomic_store_n(&entry->alloc, functions->alloc, __ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->realloc, functions->realloc, __ATOMIC_SEQ_CST);
	__atomic_store_n(&entry->free, functions->free, __ATOMIC_SEQ_CST);
}

static const void *object_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fbase : NULL;
}

bool emulator_is_own(const struct emulator *emulator, size_t allocator)
{
	const struct emulator_entry *entry = &emulator->entries[allocator];
	const void *object = object_of(emulator->entries);
	const void *functions[3];

	memcpy(&functions[0], &entry->alloc, sizeof(void *));
	memcpy(&functions[1], &entry->realloc, sizeof(void *));
	memcpy(&functions[2], &entry->free, sizeof(void *));
	return object && object_of(functions[0]) == object && object_of(functions[1]) == object &&
			object_of(functions[2]) == object;
}

/* Which instance a thread with number n of its kind has; found by comparing with its counters. */
enum thread_kind {
	/* n. */
	THREAD_SCHEDULER,
	/* Those behind the schedulers', in turns. */
	THREAD_DIRTY,
	/* Those behind the schedulers' from n = 2 on. */
	THREAD_AUX,
};

/* Names of threads are N_name until OTP 26 or so, and name_N later. */
static const struct {
	enum thread_kind kind;
	const char *before;
	const char *after;
} thread_names[] = {
	{ THREAD_SCHEDULER, "", "_scheduler" },
	{ THREAD_SCHEDULER, "erts_sched_", "" },
	{ THREAD_DIRTY, "", "_dirty_cpu_scheduler" },
	{ THREAD_DIRTY, "erts_dcpus_", "" },
	{ THREAD_DIRTY, "", "_dirty_io_scheduler" },
	{ THREAD_DIRTY, "erts_dios_", "" },
	{ THREAD_AUX, "", "_aux" },
	{ THREAD_AUX, "erts_aux_", "" },
};

/* What the kernel keeps of a name, without the zero. */
#define THREAD_NAME_BYTES 15

/* The number in a name, which may be cut; 0: it is another name. */
static unsigned long named(const char *name, const char *before, const char *after)
{
	const char *digits = name + strlen(before);
	unsigned long number;
	char *rest;

	if (strncmp(name, before, strlen(before)) != 0 || *digits < '1' || *digits > '9') {
		return 0;
	}
	number = strtoul(digits, &rest, 10);
	if (strcmp(rest, after) == 0) {
		return number;
	}
	return strlen(name) == THREAD_NAME_BYTES && *rest && strncmp(rest, after, strlen(rest)) == 0
			? number
			: 0;
}

/* The calling thread's number among those of its kind; 0: it is of no kind. */
static unsigned long find_thread(enum thread_kind *ret_kind)
{
	char name[THREAD_NAME_BYTES + 1] = "";

	prctl(PR_GET_NAME, (unsigned long)name, 0, 0, 0);
	for (size_t i = 0; i < sizeof(thread_names) / sizeof(thread_names[0]); i++) {
		unsigned long number = named(name, thread_names[i].before, thread_names[i].after);

		if (number > 0) {
			*ret_kind = thread_names[i].kind;
			return number;
		}
	}
	return 0;
}

bool emulator_thread_is_scheduler(void)
{
	enum thread_kind kind;

	return find_thread(&kind) > 0 && kind != THREAD_AUX;
}

uint16_t emulator_thread_instance(const struct emulator *emulator)
{
	unsigned long dirty = emulator->dirty_instances;
	enum thread_kind kind = THREAD_SCHEDULER;
	unsigned long number = find_thread(&kind);

	if (kind == THREAD_SCHEDULER) {
		return number <= emulator->schedulers ? (uint16_t)number : 0;
	}
	if (kind == THREAD_DIRTY && dirty > 0) {
		return (uint16_t)(emulator->schedulers + 1 + (number - 1) % dirty);
	}
	if (kind == THREAD_AUX && number > 1 && number - 1 <= dirty) {
		return (uint16_t)(emulator->schedulers + number - 1);
	}
	return 0;
}
