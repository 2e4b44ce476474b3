/* SPDX-License-Identifier: MIT */
/*
 * This library as a driver (erl_ddll), whose ports do nothing but run once: each calls a function
 * while a scheduler runs it and no process, and then has the data "x" for its owner.
 */
#ifndef CSC_BEAM_PORT_DRIVER_H
#define CSC_BEAM_PORT_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Names the function, which gets the identifier of the port that runs.  Until then ports of the
 * driver do not start: whoever loads another image of the file as a driver learns nothing.
 */
void port_driver_use(void (*function)(uintptr_t port));

/*
 * The file that is loaded, without ".so": the driver has the name of the file.  NULL: it is not
 * known.  Static storage.
 */
const char *port_driver_file(void);

#endif
