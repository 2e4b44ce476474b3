/* SPDX-License-Identifier: MIT */
/*
 * Figures that the node has read of itself, as events.
 */
#ifndef CSC_BEAM_SNAPSHOT_H
#define CSC_BEAM_SNAPSHOT_H

#include <stdbool.h>

#include <erl_nif.h>

/*
 * Tells a list of
 *
 *   {allocator, Number, Name}
 *   {snapshot, Id, UptimeMs}                                begins
 *   {instance, Id, Allocator, Instance, Section, Key, Current, MaxSinceLast, MaxEver}
 *   {memory, Id, Key, Bytes}
 *   {done, Id, Figures}                                     ends
 *
 * Texts are binaries that end in a zero byte.  False: it is something else.
 */
bool snapshot_tell(ErlNifEnv *env, ERL_NIF_TERM list);

#endif
