/*
 * SPDX-License-Identifier: MIT
 */
#include "failing_memory.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <sqlite3.h>

/* Allocations left until one fails; 0: none will. */
static atomic_long left[FAILING_MEMORIES];
static atomic_bool has_struck[FAILING_MEMORIES];

static bool is_turn(enum failing_memory memory)
{
	if (atomic_load(&left[memory]) <= 0 || atomic_fetch_sub(&left[memory], 1) != 1) {
		return false;
	}

	atomic_store(&has_struck[memory], true);
	return true;
}

/* What a function is, and what the linker calls instead of it. */
#define WRAPPED(type, name, ...)         \
	type __real_##name(__VA_ARGS__); \
	type __wrap_##name(__VA_ARGS__)

WRAPPED(void *, malloc, size_t size);
WRAPPED(void *, calloc, size_t count, size_t size);
WRAPPED(void *, realloc, void *old, size_t size);
WRAPPED(char *, strdup, const char *text);
WRAPPED(char *, strndup, const char *text, size_t length);
WRAPPED(int, vasprintf, char **ret_text, const char *format, va_list arguments);
int __wrap_asprintf(char **ret_text, const char *format, ...);

void *__wrap_malloc(size_t size)
{
	return is_turn(FAILING_OURS) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_turn(FAILING_OURS) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return is_turn(FAILING_OURS) ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
	return is_turn(FAILING_OURS) ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
	return is_turn(FAILING_OURS) ? NULL : __real_strndup(text, length);
}

/* What a failing one leaves in `ret_text` is not defined. */
int __wrap_vasprintf(char **ret_text, const char *format, va_list arguments)
{
	if (is_turn(FAILING_OURS)) {
		*ret_text = (char *)(uintptr_t)1;
		return -1;
	}

	return __real_vasprintf(ret_text, format, arguments);
}

int __wrap_asprintf(char **ret_text, const char *format, ...)
{
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = __wrap_vasprintf(ret_text, format, arguments);
	va_end(arguments);
	return length;
}

static sqlite3_mem_methods sqlite_memory;

static void *sqlite_allocate(int size)
{
	return is_turn(FAILING_SQLITE) ? NULL : sqlite_memory.xMalloc(size);
}

static void *sqlite_reallocate(void *old, int size)
{
	return is_turn(FAILING_SQLITE) ? NULL : sqlite_memory.xRealloc(old, size);
}

bool failing_memory_install(void)
{
	sqlite3_mem_methods ours;

	if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory) != SQLITE_OK) {
		return false;
	}

	ours = sqlite_memory;
	ours.xMalloc = sqlite_allocate;
	ours.xRealloc = sqlite_reallocate;
	/* Without lookaside, else small blocks would come from a pool of their own. */
	return sqlite3_config(SQLITE_CONFIG_MALLOC, &ours) == SQLITE_OK &&
			sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK;
}

void failing_memory_arm(enum failing_memory memory, long n)
{
	atomic_store(&has_struck[memory], false);
	atomic_store(&left[memory], n);
}

void failing_memory_disarm(void)
{
	for (int memory = 0; memory < FAILING_MEMORIES; memory++) {
		atomic_store(&left[memory], 0);
	}
}

bool failing_memory_has_struck(enum failing_memory memory)
{
	return atomic_load(&has_struck[memory]);
}
