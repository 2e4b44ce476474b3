/* SPDX-License-Identifier: MIT */
/* What carrierscope_stacks.erl asks the native half about stacks. */
#ifndef CSC_BEAM_STACK_TERMS_H
#define CSC_BEAM_STACK_TERMS_H

#include <stddef.h>

#include <erl_nif.h>

/*
 * PROCESS is the structure of the caller, NULL: it is not found; only where nothing is hooked.
 *
 *   forget                    ok: trials begin
 *   {StackWords, HeapWords}   ok: a trial by the caller
 *   [{Address, Header}]       what a backtrace shows: [{Module, Function, Arity} | undefined]
 *   {lines, [{Address, Header, Line, File}]}
 *                             what a stack trace says of them: whether lines are known from now on
 *   true | false              ok: whether those were right, which ends the trials
 *
 * Anything else is a badarg.
 */
ERL_NIF_TERM stack_terms_try(ErlNifEnv *env, ERL_NIF_TERM argument, const void *process);

/*
 * {Next, LeftOut, Sessions, Sum, [{Id, Frames, [{Address, {Module, Function, Arity} | undefined}],
 * Sum, Place}]}: stacks of places from the one that is given on, a bounded number.  Next is where
 * to go on, 0 at the end; Sessions is another number whenever a session has come or gone.  A sum is
 * {Samples, MadeBytes, LiveBytes, LiveVariance}, in stack_sums.h; the first is that of samples
 * without a stack.
 */
ERL_NIF_TERM stack_terms_list(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[]);

/* Of each function of the stack at a place {Line, File} | undefined, in stack_lines.h. */
ERL_NIF_TERM stack_terms_lines(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[]);

#endif
