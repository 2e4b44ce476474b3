/* SPDX-License-Identifier: MIT */
/*
 * Probes by which profilers of the whole machine see samples, with stacks of their own:
 * otel_memory:alloc(address, bytes, bytes that it stands for) and otel_memory:free(address), as
 * OpenTelemetry's profiler has agreed on.  Each is an instruction that does nothing, and a note in
 * the library's file.
 */
#ifndef CSC_BEAM_HOST_PROBES_H
#define CSC_BEAM_HOST_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef CSC_HAS_SDT
#include <sys/sdt.h>

#define HOST_PROBES true
#define HOST_PROBE_ALLOC(address, bytes, weighted) \
	DTRACE_PROBE3(otel_memory, alloc, address, bytes, weighted)
#define HOST_PROBE_FREE(address) DTRACE_PROBE1(otel_memory, free, address)
#else
#define HOST_PROBES false
#define HOST_PROBE_ALLOC(address, bytes, weighted) ((void)(weighted))
#define HOST_PROBE_FREE(address) ((void)(address))
#endif

#endif
