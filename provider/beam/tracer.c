/* SPDX-License-Identifier: MIT */
/*
 * The native half of module carrierscope_tracer, an erl_tracer: what the runtime's trace flags
 * report, as the events of OTP's own LTTng tracer.
 *
 * Fields and how they are cut are those of OTP: 16 bytes for a pid, 20 for a port, 256 for all
 * else, the final zero included.  Collections: need and reclaimed, the sizes of the heap blocks,
 * in words.
 */
#include <string.h>

#include <erl_nif.h>

#include "org_erlang_dyntrace.h"

#include "provider.h"

#define PID_BYTES 16
#define PORT_BYTES 20
#define TERM_BYTES 256

#define IS_WANTED(event) \
	(CMM_LOAD_SHARED(lttng_ust_tracepoint_org_erlang_dyntrace___##event.state) != 0)
#define EMIT(event, ...) lttng_ust_tracepoint(org_erlang_dyntrace, event, __VA_ARGS__)

/* Words of the runtime: tags of what it traces, and keys of what it says to them. */
static struct {
	ERL_NIF_TERM spawn;
	ERL_NIF_TERM exit;
	ERL_NIF_TERM link;
	ERL_NIF_TERM unlink;
	ERL_NIF_TERM getting_linked;
	ERL_NIF_TERM getting_unlinked;
	ERL_NIF_TERM register_;
	ERL_NIF_TERM unregister;
	ERL_NIF_TERM open;
	ERL_NIF_TERM closed;
	ERL_NIF_TERM in;
	ERL_NIF_TERM out;
	ERL_NIF_TERM in_exiting;
	ERL_NIF_TERM out_exiting;
	ERL_NIF_TERM out_exited;
	ERL_NIF_TERM send;
	ERL_NIF_TERM send_to_non_existing_process;
	ERL_NIF_TERM receive;
	ERL_NIF_TERM call;
	ERL_NIF_TERM return_from;
	ERL_NIF_TERM exception_from;
	ERL_NIF_TERM gc_minor_start;
	ERL_NIF_TERM gc_minor_end;
	ERL_NIF_TERM gc_major_start;
	ERL_NIF_TERM gc_major_end;
	ERL_NIF_TERM trace_status;
	ERL_NIF_TERM trace;
	ERL_NIF_TERM discard;
	ERL_NIF_TERM ok;
	ERL_NIF_TERM extra;
	ERL_NIF_TERM wordsize;
	ERL_NIF_TERM heap_block_size;
	ERL_NIF_TERM old_heap_block_size;
} atom;

static const struct {
	ERL_NIF_TERM *term;
	const char *text;
} vocabulary[] = {
	{ &atom.spawn, "spawn" },
	{ &atom.exit, "exit" },
	{ &atom.link, "link" },
	{ &atom.unlink, "unlink" },
	{ &atom.getting_linked, "getting_linked" },
	{ &atom.getting_unlinked, "getting_unlinked" },
	{ &atom.register_, "register" },
	{ &atom.unregister, "unregister" },
	{ &atom.open, "open" },
	{ &atom.closed, "closed" },
	{ &atom.in, "in" },
	{ &atom.out, "out" },
	{ &atom.in_exiting, "in_exiting" },
	{ &atom.out_exiting, "out_exiting" },
	{ &atom.out_exited, "out_exited" },
	{ &atom.send, "send" },
	{ &atom.send_to_non_existing_process, "send_to_non_existing_process" },
	{ &atom.receive, "receive" },
	{ &atom.call, "call" },
	{ &atom.return_from, "return_from" },
	{ &atom.exception_from, "exception_from" },
	{ &atom.gc_minor_start, "gc_minor_start" },
	{ &atom.gc_minor_end, "gc_minor_end" },
	{ &atom.gc_major_start, "gc_major_start" },
	{ &atom.gc_major_end, "gc_major_end" },
	{ &atom.trace_status, "trace_status" },
	{ &atom.trace, "trace" },
	{ &atom.discard, "discard" },
	{ &atom.ok, "ok" },
	{ &atom.extra, "extra" },
	{ &atom.wordsize, "wordsize" },
	{ &atom.heap_block_size, "heap_block_size" },
	{ &atom.old_heap_block_size, "old_heap_block_size" },
};

/* A term as text, cut where OTP cuts it. */
struct text {
	char of[TERM_BYTES];
};

static void print(ErlNifEnv *env, ERL_NIF_TERM term, struct text *ret_text)
{
	size_t bytes = enif_is_pid(env, term)	  ? PID_BYTES
			: enif_is_port(env, term) ? PORT_BYTES
						  : TERM_BYTES;

	enif_snprintf(ret_text->of, bytes, "%T", term);
}

/* {Module, Function, Arity or Arguments} as module:function/arity; anything else: undefined. */
static void print_entry(ErlNifEnv *env, ERL_NIF_TERM term, struct text *ret_text)
{
	const ERL_NIF_TERM *elements;
	unsigned int arity;
	int count;

	if (!enif_get_tuple(env, term, &count, &elements) || count != 3 ||
			(!enif_get_uint(env, elements[2], &arity) &&
					!enif_get_list_length(env, elements[2], &arity))) {
		strcpy(ret_text->of, "undefined");
		return;
	}
	enif_snprintf(ret_text->of, TERM_BYTES, "%T:%T/%u", elements[0], elements[1], arity);
}

/* What the options of a trace call have besides; an empty list if they have nothing. */
static ERL_NIF_TERM get_extra(ErlNifEnv *env, ERL_NIF_TERM options)
{
	ERL_NIF_TERM extra;

	return enif_get_map_value(env, options, atom.extra, &extra) ? extra
								    : enif_make_list(env, 0);
}

static ERL_NIF_TERM enabled(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	ERL_NIF_TERM tag = arguments[0];
	bool is_port = enif_is_port(env, arguments[2]);
	bool is_wanted = tag == atom.trace_status;

	(void)count;
	if (tag == atom.in || tag == atom.out || tag == atom.in_exiting ||
			tag == atom.out_exiting || tag == atom.out_exited) {
		is_wanted = is_port ? IS_WANTED(port_scheduled) : IS_WANTED(process_scheduled);
	} else if (tag == atom.send || tag == atom.send_to_non_existing_process) {
		is_wanted = IS_WANTED(message_send);
	} else if (tag == atom.receive) {
		is_wanted = IS_WANTED(message_receive);
	} else if (tag == atom.call) {
		is_wanted = IS_WANTED(function_call);
	} else if (tag == atom.return_from) {
		is_wanted = IS_WANTED(function_return);
	} else if (tag == atom.exception_from) {
		is_wanted = IS_WANTED(function_exception);
	} else if (tag == atom.gc_minor_start) {
		is_wanted = IS_WANTED(gc_minor_start);
	} else if (tag == atom.gc_minor_end) {
		is_wanted = IS_WANTED(gc_minor_end);
	} else if (tag == atom.gc_major_start) {
		is_wanted = IS_WANTED(gc_major_start);
	} else if (tag == atom.gc_major_end) {
		is_wanted = IS_WANTED(gc_major_end);
	} else if (tag == atom.spawn) {
		is_wanted = IS_WANTED(process_spawn);
	} else if (tag == atom.exit) {
		is_wanted = IS_WANTED(process_exit);
	} else if (tag == atom.register_ || tag == atom.unregister) {
		is_wanted = IS_WANTED(process_register);
	} else if (tag == atom.link || tag == atom.unlink || tag == atom.getting_linked ||
			tag == atom.getting_unlinked) {
		is_wanted = is_port ? IS_WANTED(port_link) : IS_WANTED(process_link);
	} else if (tag == atom.open) {
		is_wanted = IS_WANTED(port_open);
	} else if (tag == atom.closed) {
		is_wanted = IS_WANTED(port_exit);
	}
	return is_wanted ? atom.trace : atom.discard;
}

/* A call of trace/5, its tracee printed. */
struct report {
	ErlNifEnv *env;
	ERL_NIF_TERM tag;
	ERL_NIF_TERM term;
	ERL_NIF_TERM extra;
	bool is_port;
	struct text tracee;
};

static bool emit_scheduled(const struct report *report)
{
	struct text entry;
	struct text type;

	if (report->tag != atom.in && report->tag != atom.out && report->tag != atom.in_exiting &&
			report->tag != atom.out_exiting && report->tag != atom.out_exited) {
		return false;
	}
	print(report->env, report->tag, &type);
	if (report->is_port) {
		print(report->env, report->term, &entry);
		EMIT(port_scheduled, report->tracee.of, entry.of, type.of);
	} else {
		print_entry(report->env, report->term, &entry);
		EMIT(process_scheduled, report->tracee.of, entry.of, type.of);
	}
	return true;
}

static bool emit_message(const struct report *report)
{
	struct text message;
	struct text to;

	if (report->tag == atom.send || report->tag == atom.send_to_non_existing_process) {
		print(report->env, report->term, &message);
		print(report->env, report->extra, &to);
		EMIT(message_send, report->tracee.of, to.of, message.of);
		return true;
	}
	if (report->tag == atom.receive) {
		print(report->env, report->term, &message);
		EMIT(message_receive, report->tracee.of, message.of);
		return true;
	}
	return false;
}

static bool emit_function(const struct report *report)
{
	const ERL_NIF_TERM *elements;
	struct text class = { "" };
	struct text entry;
	int count;

	if (report->tag != atom.call && report->tag != atom.return_from &&
			report->tag != atom.exception_from) {
		return false;
	}
	print_entry(report->env, report->term, &entry);
	if (report->tag == atom.call) {
		EMIT(function_call, report->tracee.of, entry.of, 0);
	} else if (report->tag == atom.return_from) {
		EMIT(function_return, report->tracee.of, entry.of, 0);
	} else {
		if (enif_get_tuple(report->env, report->extra, &count, &elements) && count > 0) {
			print(report->env, elements[0], &class);
		}
		EMIT(function_exception, report->tracee.of, entry.of, class.of);
	}
	return true;
}

/* A number of words in the list of a collection; 0 if it is not there. */
static unsigned long get_words(ErlNifEnv *env, ERL_NIF_TERM list, ERL_NIF_TERM key)
{
	const ERL_NIF_TERM *elements;
	ERL_NIF_TERM head;
	unsigned long words;
	int count;

	while (enif_get_list_cell(env, list, &head, &list)) {
		if (enif_get_tuple(env, head, &count, &elements) && count == 2 &&
				elements[0] == key && enif_get_ulong(env, elements[1], &words)) {
			return words;
		}
	}
	return 0;
}

static bool emit_collection(const struct report *report)
{
	unsigned long words = get_words(report->env, report->term, atom.wordsize);
	unsigned long heap = get_words(report->env, report->term, atom.heap_block_size);
	unsigned long old_heap = get_words(report->env, report->term, atom.old_heap_block_size);

	if (report->tag == atom.gc_minor_start) {
		EMIT(gc_minor_start, report->tracee.of, words, heap, old_heap);
	} else if (report->tag == atom.gc_minor_end) {
		EMIT(gc_minor_end, report->tracee.of, words, heap, old_heap);
	} else if (report->tag == atom.gc_major_start) {
		EMIT(gc_major_start, report->tracee.of, words, heap, old_heap);
	} else if (report->tag == atom.gc_major_end) {
		EMIT(gc_major_end, report->tracee.of, words, heap, old_heap);
	} else {
		return false;
	}
	return true;
}

/* A link that the tracee gets is one that the other makes. */
static bool emit_link(const struct report *report)
{
	bool is_from = report->tag == atom.link || report->tag == atom.unlink;
	bool is_to = report->tag == atom.getting_linked || report->tag == atom.getting_unlinked;
	const char *type = report->tag == atom.link || report->tag == atom.getting_linked
			? "link"
			: "unlink";
	struct text other;

	if (!is_from && !is_to) {
		return false;
	}
	print(report->env, report->term, &other);
	if (report->is_port) {
		EMIT(port_link, is_from ? report->tracee.of : other.of,
				is_from ? other.of : report->tracee.of, type);
	} else {
		EMIT(process_link, is_from ? report->tracee.of : other.of,
				is_from ? other.of : report->tracee.of, type);
	}
	return true;
}

static void emit_life(const struct report *report)
{
	struct text term;
	struct text extra;

	print(report->env, report->term, &term);
	if (report->tag == atom.spawn) {
		print_entry(report->env, report->extra, &extra);
		EMIT(process_spawn, term.of, report->tracee.of, extra.of);
	} else if (report->tag == atom.exit) {
		EMIT(process_exit, report->tracee.of, term.of);
	} else if (report->tag == atom.register_) {
		EMIT(process_register, report->tracee.of, term.of, "register");
	} else if (report->tag == atom.unregister) {
		EMIT(process_register, report->tracee.of, term.of, "unregister");
	} else if (report->tag == atom.open) {
		print(report->env, report->extra, &extra);
		EMIT(port_open, term.of, extra.of, report->tracee.of);
	} else if (report->tag == atom.closed) {
		EMIT(port_exit, report->tracee.of, term.of);
	}
}

static ERL_NIF_TERM trace(ErlNifEnv *env, int count, const ERL_NIF_TERM arguments[])
{
	struct report report = {
		.env = env,
		.tag = arguments[0],
		.term = arguments[3],
		.extra = get_extra(env, arguments[4]),
		.is_port = enif_is_port(env, arguments[2]),
	};

	(void)count;
	print(env, arguments[2], &report.tracee);
	if (!emit_scheduled(&report) && !emit_message(&report) && !emit_function(&report) &&
			!emit_collection(&report) && !emit_link(&report)) {
		emit_life(&report);
	}
	return atom.ok;
}

/* Instances of the module that use this image, counted under the runtime's own lock. */
static unsigned int users;

static int load(ErlNifEnv *env, void **ret_private, ERL_NIF_TERM argument)
{
	(void)argument;
	for (size_t i = 0; i < sizeof(vocabulary) / sizeof(vocabulary[0]); i++) {
		*vocabulary[i].term = enif_make_atom(env, vocabulary[i].text);
	}
	provider_open();
	users++;
	*ret_private = &users;
	return 0;
}

/* From the same file only: another image would emit everything a second time. */
static int upgrade(ErlNifEnv *env, void **ret_private, void **old_private, ERL_NIF_TERM argument)
{
	return *old_private == &users ? load(env, ret_private, argument) : 1;
}

static void unload(ErlNifEnv *env, void *private)
{
	(void)env;
	(void)private;
	if (--users == 0) {
		provider_close();
	}
}

static ErlNifFunc functions[] = {
	{ "enabled", 3, enabled, 0 },
	{ "trace", 5, trace, 0 },
};

ERL_NIF_INIT(carrierscope_tracer, functions, load, NULL, upgrade, unload)
