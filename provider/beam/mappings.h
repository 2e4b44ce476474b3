/* SPDX-License-Identifier: MIT */
/*
 * What is mapped into this process, by name, and how much of it is in memory.
 */
#ifndef CSC_BEAM_MAPPINGS_H
#define CSC_BEAM_MAPPINGS_H

#include <stdbool.h>

#include <erl_nif.h>

/*
 * [{Name, MappedBytes, ResidentBytes, AnonymousBytes, LazyFreeBytes, SwappedBytes}], texts as
 * snapshot.h has them; empty: the system does not say.  Of all together (Linux 4.14 and later),
 * whose name is "[rollup]"; or one of each file, [heap], [stack], and "" for anonymous memory.
 * LTTng's ring buffers are one, "[LTTng]", and what has no place among 200 names is "others".
 *
 * The system walks through all pages in memory: up to 0.1 s for 1.5 GiB (measured).
 */
ERL_NIF_TERM mappings_read(ErlNifEnv *env, bool is_by_name);

#endif
