/* SPDX-License-Identifier: MIT */
/* The driver's callbacks.  A timer of 0 ms runs a port for nobody. */
#include "port_driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <erl_driver.h>

static struct {
	void (*function)(uintptr_t port);
	char file[PATH_MAX];
} driver;

void port_driver_use(void (*function)(uintptr_t port))
{
	driver.function = function;
}

const char *port_driver_file(void)
{
	static const char suffix[] = ".so";
	Dl_info info;
	size_t length;

	if (dladdr(&driver, &info) == 0 || !info.dli_fname) {
		return NULL;
	}
	length = strlen(info.dli_fname);
	if (length < sizeof(suffix) || length >= sizeof(driver.file) ||
			strcmp(info.dli_fname + length - strlen(suffix), suffix) != 0) {
		return NULL;
	}
	(void)snprintf(driver.file, sizeof(driver.file), "%.*s", (int)(length - strlen(suffix)),
			info.dli_fname);
	return driver.file;
}

/* A type of erl_driver.h. NOLINTNEXTLINE(readability-non-const-parameter) */
static ErlDrvData start(ErlDrvPort port, char *command)
{
	(void)command;
	if (!driver.function || driver_set_timer(port, 0) != 0) {
		return ERL_DRV_ERROR_GENERAL;
	}
	return (ErlDrvData)port;
}

static void timeout(ErlDrvData data)
{
	ErlDrvPort port = (ErlDrvPort)data;
	char done[] = "x";

	driver.function(driver_mk_port(port));
	(void)driver_output(port, done, 1);
}

/* Found by erl_ddll under the name of the file. */
DRIVER_INIT(carrierscope_nif)
{
	static ErlDrvEntry entry = {
		.start = start,
		.timeout = timeout,
		.extended_marker = (int)ERL_DRV_EXTENDED_MARKER,
		.major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
		.minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
		.driver_flags = ERL_DRV_FLAG_USE_PORT_LOCKING,
	};
	const char *file = port_driver_file();
	char *slash = strrchr(driver.file, '/');

	if (!file) {
		return NULL;
	}
	entry.driver_name = slash ? slash + 1 : driver.file;
	return &entry;
}
