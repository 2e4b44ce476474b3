/* SPDX-License-Identifier: MIT */
/*
 * Figures that the node has read of itself, as events.
 */
#ifndef CSC_BEAM_SNAPSHOT_H
#define CSC_BEAM_SNAPSHOT_H

#include <stdbool.h>

#include <erl_nif.h>

/*
 * Emits a list of
 *
 *   {allocator, Number, Name}
 *   {fact, Key, Value}
 *   {option, Allocator, Name, Value}                        as the +M flags name it; 0: of all
 *   {alarm, Reason, Value, Threshold, Detail}
 *   {snapshot, Id, UptimeMs}                                begins, after the facts of the system
 *   {instance, Id, Allocator, Instance, Section, Key, Current, MaxSinceLast, MaxEver}
 *   {memory, Id, Key, Bytes}
 *   {scan, Id, Kind, Rule, HistogramStart, UnscannedBytes, Follow}    an answer of instrument
 *   {carrier, Id, Carrier, Allocator, InPool, Bytes, UnscannedBytes}
 *   {carrier_blocks, Id, Carrier, Allocator, Blocks, Bytes}
 *   {bucket, Id, Carrier, Origin, Type, Bucket, FromBytes, ToBytes, Blocks}
 *   {named, Pid, Name, Label, InitialCall, CurrentFunction, Application, Ancestors}
 *   {process, Id, Pid, MemoryBytes, HeapBytes, Messages, Binaries, BinaryBytes, BinariesBy,
 *      UsedBytes, SurvivedBytes, MinorGcs, Reductions}
 *   {binary, Id, Pid, Address, Bytes, References}
 *   {group, Id, InitialCall, Processes, HeapBytes, Messages, BinaryBytes,
 *      UsedBytes, SurvivedBytes, MinorGcs, Reductions}
 *   {table, Id, Table, Name, Owner, Kind, Objects, Bytes}
 *   {port, Id, Port, Name, Owner, Peer, Bytes, QueueBytes}
 *   {holders, Id, Processes, Seen, Tables, Seen, Bytes, Ports, Seen, Binaries, BinaryBytes}
 *   {mapping, Id, Name, MappedBytes, ResidentBytes, AnonymousBytes}
 *   {function, Id, Allocator, Type, Origin, Kind, Application, Blocks, LeastBytes, MostBytes}
 *   {functions, Id, Instances, Seen, Origins, UnscannedBytes}
 *   {done, Id, Figures}                                     ends
 *
 * To the figures comes os_resident, where there is /proc: bytes of this process that are
 * in memory, as the system says at the end.  The caller's figures of memory are those of
 * erlang:memory/0, jit_debug, jit.h, and those of own_memory.h.
 *
 * A number below zero, as some counters of a node are, is recorded as its 64 bits.
 *
 * Texts are binaries that end in a zero byte.  False: it is something else.
 */
bool snapshot_emit(ErlNifEnv *env, ERL_NIF_TERM list);

#endif
