/* SPDX-License-Identifier: MIT */
/*
 * player LIBRARY: plays an emulator as far as a library of NIFs needs one to be loaded and to
 * answer info/0 and names/0.  Prints `loaded`, and what they answer, one value a line.
 *
 * Exit status 1: it cannot be loaded, or asks for what is not played.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <erl_nif.h>

#define PLAYED __attribute__((visibility("default")))
#define VALUES 256
#define VALUE_BYTES 512

/* A term is a place in here. */
static char values[VALUES][VALUE_BYTES];
static size_t count;

static ERL_NIF_TERM make(const char *format, ...)
{
	va_list arguments;

	if (count == VALUES) {
		exit(1);
	}
	va_start(arguments, format);
	(void)vsnprintf(values[count], VALUE_BYTES, format, arguments);
	va_end(arguments);
	return (ERL_NIF_TERM)count++;
}

PLAYED ERL_NIF_TERM enif_make_atom(ErlNifEnv *env, const char *name)
{
	(void)env;
	return make("%s", name);
}

PLAYED ERL_NIF_TERM enif_make_string(ErlNifEnv *env, const char *text, ErlNifCharEncoding encoding)
{
	(void)env;
	(void)encoding;
	return make("\"%s\"", text);
}

PLAYED ERL_NIF_TERM enif_make_uint(ErlNifEnv *env, unsigned int number)
{
	(void)env;
	return make("%u", number);
}

PLAYED ERL_NIF_TERM enif_make_ulong(ErlNifEnv *env, unsigned long number)
{
	(void)env;
	return make("%lu", number);
}

static ERL_NIF_TERM print_all(const ERL_NIF_TERM terms[], unsigned int length)
{
	for (unsigned int i = 0; i < length; i++) {
		printf("%s\n", values[terms[i]]);
	}
	return 0;
}

PLAYED ERL_NIF_TERM enif_make_tuple_from_array(
		ErlNifEnv *env, const ERL_NIF_TERM terms[], unsigned int length)
{
	(void)env;
	return print_all(terms, length);
}

PLAYED ERL_NIF_TERM enif_make_tuple(ErlNifEnv *env, unsigned int length, ...)
{
	ERL_NIF_TERM terms[VALUES];
	va_list arguments;

	(void)env;
	va_start(arguments, length);
	for (unsigned int i = 0; i < length && i < VALUES; i++) {
		terms[i] = va_arg(arguments, ERL_NIF_TERM);
	}
	va_end(arguments);
	return print_all(terms, length);
}

PLAYED ERL_NIF_TERM enif_make_list(ErlNifEnv *env, unsigned int length, ...)
{
	(void)env;
	(void)length;
	return make("[]");
}

PLAYED void *enif_alloc(size_t bytes)
{
	return malloc(bytes);
}

PLAYED void enif_free(void *block)
{
	free(block);
}

PLAYED void enif_system_info(ErlNifSysInfo *info, size_t bytes)
{
	memset(info, 0, bytes);
	info->scheduler_threads = 2;
}

static void call(const ErlNifEntry *entry, const char *name)
{
	for (int i = 0; i < entry->num_of_funcs; i++) {
		if (strcmp(entry->funcs[i].name, name) == 0) {
			printf("%s:\n", name);
			(void)entry->funcs[i].fptr(NULL, 0, NULL);
			return;
		}
	}
	exit(1);
}

int main(int argc, char **argv)
{
	void *library = argc == 2 ? dlopen(argv[1], RTLD_LAZY) : NULL;
	ErlNifEntry *(*init)(void) = NULL;
	const ErlNifEntry *entry;
	void *private = NULL;

	if (library) {
		memcpy(&init, &(void *){ dlsym(library, "nif_init") }, sizeof(init));
	}
	if (!init) {
		fprintf(stderr, "not loaded: %s\n", dlerror());
		return 1;
	}
	entry = init();
	if (entry->load(NULL, &private, 0) != 0) {
		fprintf(stderr, "its load refuses\n");
		return 1;
	}
	printf("loaded %s\n", entry->name);
	call(entry, "info");
	call(entry, "names");
	return 0;
}
