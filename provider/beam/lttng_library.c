/* SPDX-License-Identifier: MIT */
/* Stands for the two functions of LTTng's library that our code refers to. */
#include "lttng_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <lttng/ust-events.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct lttng_ust_registered_probe *(*real_register)(const struct lttng_ust_probe_desc *desc);
static void (*real_unregister)(struct lttng_ust_registered_probe *probe);

static char missing[400];

static void find(void)
{
	/* It stays: its threads run in it. */
	void *library = dlopen("liblttng-ust.so.1", RTLD_NOW | RTLD_GLOBAL);

	if (library) {
		memcpy(&real_register, &(void *){ dlsym(library, "lttng_ust_probe_register") },
				sizeof(real_register));
		memcpy(&real_unregister, &(void *){ dlsym(library, "lttng_ust_probe_unregister") },
				sizeof(real_unregister));
	}
	if (!real_register || !real_unregister) {
		const char *error = dlerror();

		(void)snprintf(missing, sizeof(missing),
				"LTTng's library is not loaded: %s (Debian: liblttng-ust1, Alpine: lttng-ust), so no block can be recorded",
				error ? error : "it has no lttng_ust_probe_register");
	}
}

bool lttng_library_is_there(void)
{
	(void)pthread_once(&once, find);
	return real_register && real_unregister;
}

const char *lttng_library_missing(void)
{
	return lttng_library_is_there() ? NULL : missing;
}

/* LTTng's inline code ends the process where it gets NULL. */
static char nothing;

struct lttng_ust_registered_probe *lttng_ust_probe_register(const struct lttng_ust_probe_desc *desc)
{
	return lttng_library_is_there() ? real_register(desc) : (void *)&nothing;
}

void lttng_ust_probe_unregister(struct lttng_ust_registered_probe *probe)
{
	if ((void *)probe != &nothing) {
		real_unregister(probe);
	}
}
