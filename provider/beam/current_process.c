/* SPDX-License-Identifier: MIT */
/* Trials: from each thread-specific value, through each of its words, to a process. */
#include "current_process.h"

#include "probed_memory.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct current_process current_process;

/* Words of a scheduler's data that are looked at, and ways that are kept. */
#define WORDS 128
#define WAYS 64
#define TRIALS 2

/* Of a pid as it is printed: "<0.268435455.4294967295>"; of a port, up to 2^60. */
#define PID_BYTES 32
#define PORT_BITS 60

static const char unknown_layout[] = "identifiers of processes are laid out in an unknown way";

struct way {
	pthread_key_t key;
	size_t offset;
};

static struct {
	unsigned int trials;
	ERL_NIF_TERM process;
	struct way ways[WAYS];
	size_t way_count;
	/* That of them which is taken; NULL: they lead to several places on one thread. */
	const struct way *way;
	/* Why it is not known; empty: nothing is against it so far. */
	const char *reason;
	char found_by[96];
} search = { .found_by = "off: no process was tried" };

/* The same for ports: places are bytes of a scheduler's data. */
static struct {
	unsigned int trials;
	ERL_NIF_TERM port;
	size_t offsets[WAYS];
	size_t offset_count;
	bool is_checked;
	const char *reason;
	char found_by[96];
} ports = { .found_by = "off: no port was tried" };

/* False: memory that may not be there cannot be read. */
static bool can_probe(void)
{
	if (!probed_memory_open()) {
		search.reason = "there is no file in memory by which to read what may not be there";
		return false;
	}
	return true;
}

static bool read_words(uintptr_t address, uintptr_t *ret_words, size_t count)
{
	return probed_memory_read(&(struct probed_piece){ address, count * sizeof(*ret_words) }, 1,
			ret_words);
}

static bool is_pointer(uintptr_t word)
{
	return word >= 4096 && word % sizeof(uintptr_t) == 0;
}

/* Whether it points to what begins as the process does. */
static bool is_of(uintptr_t pointer, ERL_NIF_TERM process)
{
	uintptr_t pid;

	return is_pointer(pointer) && read_words(pointer, &pid, 1) && pid == process;
}

/* Whether the value leads to the process by the word at the offset. */
static bool leads(uintptr_t value, size_t offset, ERL_NIF_TERM process)
{
	uintptr_t pointer;

	return is_pointer(value) && read_words(value + offset, &pointer, 1) &&
			is_of(pointer, process);
}

/* Where the word is that a way ends at, on this thread. */
static uintptr_t place_of(const struct way *way)
{
	return (uintptr_t)pthread_getspecific(way->key) + way->offset;
}

static void collect_of(pthread_key_t key, ERL_NIF_TERM process)
{
	uintptr_t value = (uintptr_t)pthread_getspecific(key);
	uintptr_t words[WORDS];

	if (!is_pointer(value) || !read_words(value, words, WORDS)) {
		return;
	}
	for (size_t i = 0; i < WORDS && search.way_count < WAYS; i++) {
		if (is_of(words[i], process)) {
			search.ways[search.way_count++] = (struct way){ key, i * sizeof(words[0]) };
		}
	}
}

/* Keys are numbers from 0 on in C libraries of Linux; one that is not in use has no value. */
static void collect(ERL_NIF_TERM process)
{
	search.way_count = 0;
	for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; key++) {
		collect_of(key, process);
	}
}

static void keep(ERL_NIF_TERM process)
{
	size_t kept = 0;

	for (size_t i = 0; i < search.way_count; i++) {
		uintptr_t value = (uintptr_t)pthread_getspecific(search.ways[i].key);

		if (leads(value, search.ways[i].offset, process)) {
			search.ways[kept++] = search.ways[i];
		}
	}
	search.way_count = kept;
}

/*
 * Of ways that lead to the same place, the one that begins first: other keys have parts of the
 * scheduler's data.  NULL: there are several places, or none.
 */
static const struct way *choose(void)
{
	const struct way *best = &search.ways[0];

	for (size_t i = 0; i < search.way_count; i++) {
		const struct way *way = &search.ways[i];

		if (place_of(way) != place_of(best)) {
			return NULL;
		}
		if (way->offset > best->offset) {
			best = way;
		}
	}
	return search.way_count > 0 ? best : NULL;
}

/* Bits of an identifier above its tag. */
static uintptr_t above_tag(ERL_NIF_TERM pid)
{
	enum { TAG_WIDTH = 4 };

	return pid >> TAG_WIDTH << TAG_WIDTH;
}

/*
 * Adds that a bit of an identifier is the bit TO of the field.  Some emulators have further bits
 * above, which repeat others: the lowest one counts.
 */
static bool add_bit(struct process_layout *layout, ERL_NIF_TERM pid, unsigned int to)
{
	uintptr_t bits = above_tag(pid);
	unsigned int rotate;
	size_t i = 0;

	if (bits == 0) {
		return false;
	}
	rotate = ((unsigned int)__builtin_ctzll(bits) - to) & 63;
	while (i < layout->part_count && layout->parts[i].rotate != rotate) {
		i++;
	}
	if (i == PROCESS_PARTS) {
		return false;
	}
	layout->part_count += i == layout->part_count;
	layout->parts[i].rotate = rotate;
	layout->parts[i].mask |= UINT64_C(1) << to;
	return true;
}

/* Adds the bits from TO on that a list of identifiers shows, at most so many. */
static bool add_bits(ErlNifEnv *env, struct process_layout *layout, ERL_NIF_TERM list,
		unsigned int to, unsigned int most)
{
	ERL_NIF_TERM head;
	unsigned int end = to + most;

	while (enif_get_list_cell(env, list, &head, &list)) {
		if (to == end || !add_bit(layout, head, to++)) {
			return false;
		}
	}
	return layout->part_count > 0;
}

static bool is_printed_as(ERL_NIF_TERM term, const char *expected)
{
	char printed[PID_BYTES];

	(void)enif_snprintf(printed, sizeof(printed), "%T", term);
	return strcmp(expected, printed) == 0;
}

/* Whether the layout reads what the emulator prints. */
static bool is_read_right(ERL_NIF_TERM pid)
{
	uint64_t read = current_process_number(pid, &current_process.layout, PROCESS_TAG) - 1;
	char expected[PID_BYTES];

	(void)snprintf(expected, sizeof(expected), "<0.%llu.%llu>",
			(unsigned long long)(read & ((1U << CURRENT_PROCESS_SERIAL) - 1)),
			(unsigned long long)(read >> CURRENT_PROCESS_SERIAL));
	return is_printed_as(pid, expected);
}

static bool is_port_read_right(ERL_NIF_TERM port)
{
	uint64_t read = current_process_number(port, &current_process.port_layout, PORT_TAG) - 1;
	char expected[PID_BYTES];

	(void)snprintf(expected, sizeof(expected), "#Port<0.%llu>", (unsigned long long)read);
	return is_printed_as(port, expected);
}

void current_process_forget(void)
{
	current_process.is_known = false;
	search.trials = 0;
	search.way_count = 0;
	search.way = NULL;
	search.reason = NULL;
	(void)snprintf(search.found_by, sizeof(search.found_by), "off: no process was tried");
	current_process.port_offset = 0;
	ports.trials = 0;
	ports.offset_count = 0;
	ports.is_checked = false;
	ports.reason = NULL;
	(void)snprintf(ports.found_by, sizeof(ports.found_by), "off: no port was tried");
}

static bool are_read_right(ErlNifEnv *env, ERL_NIF_TERM list, bool (*is_right)(ERL_NIF_TERM))
{
	ERL_NIF_TERM head;

	while (enif_get_list_cell(env, list, &head, &list)) {
		if (!is_right(head)) {
			return false;
		}
	}
	return true;
}

void current_process_learn(
		ErlNifEnv *env, ERL_NIF_TERM numbers, ERL_NIF_TERM serials, ERL_NIF_TERM others)
{
	struct process_layout *layout = &current_process.layout;

	*layout = (struct process_layout){ .part_count = 0 };
	if (!add_bits(env, layout, numbers, 0, CURRENT_PROCESS_SERIAL) ||
			!add_bits(env, layout, serials, CURRENT_PROCESS_SERIAL, 32) ||
			!are_read_right(env, numbers, is_read_right) ||
			!are_read_right(env, serials, is_read_right) ||
			!are_read_right(env, others, is_read_right)) {
		search.reason = unknown_layout;
	}
}

void current_process_learn_ports(ErlNifEnv *env, ERL_NIF_TERM numbers, ERL_NIF_TERM others)
{
	struct process_layout *layout = &current_process.port_layout;

	*layout = (struct process_layout){ .part_count = 0 };
	if (!add_bits(env, layout, numbers, 0, PORT_BITS) ||
			!are_read_right(env, numbers, is_port_read_right) ||
			!are_read_right(env, others, is_port_read_right)) {
		ports.reason = "identifiers of ports are laid out in an unknown way";
	}
}

static void try_by(ERL_NIF_TERM own)
{
	if (search.trials == 0) {
		collect(own);
	} else {
		keep(own);
		search.way = choose();
	}
	if (search.trials > 0 && own == search.process) {
		search.reason = "both trials were by the same process";
	} else if (!is_read_right(own)) {
		search.reason = unknown_layout;
	}
	search.process = own;
	search.trials++;
}

void current_process_try(ErlNifEnv *env)
{
	ErlNifPid own;

	if (!enif_self(env, &own)) {
		search.reason = "a trial was by no process";
	} else if (can_probe()) {
		try_by(own.pid);
	}
}

static uintptr_t scheduler_of_way(void)
{
	return (uintptr_t)pthread_getspecific(search.way->key);
}

/* Places of the scheduler's data that lead to the port, of those that did before. */
static void keep_places(ERL_NIF_TERM port)
{
	size_t kept = 0;

	for (size_t i = 0; i < ports.offset_count; i++) {
		if (leads(scheduler_of_way(), ports.offsets[i], port)) {
			ports.offsets[kept++] = ports.offsets[i];
		}
	}
	ports.offset_count = kept;
}

static void try_by_port(ERL_NIF_TERM port)
{
	uintptr_t process;

	if (ports.trials == 0) {
		ports.offset_count = 0;
		for (size_t i = 1; i < WAYS; i++) {
			ports.offsets[ports.offset_count++] = i * sizeof(uintptr_t);
		}
	} else if (port == ports.port) {
		ports.reason = "both trials were by the same port";
	}
	keep_places(port);
	if (!read_words(scheduler_of_way() + search.way->offset, &process, 1) || process != 0) {
		ports.reason = "a process ran beside the port";
	} else if (!is_port_read_right(port)) {
		ports.reason = "identifiers of ports are laid out in an unknown way";
	}
	ports.port = port;
	ports.trials++;
}

void current_process_try_port(ERL_NIF_TERM port)
{
	if (search.way && can_probe()) {
		try_by_port(port);
	}
}

/* Whether nothing is at the place where a port would be, on this thread. */
static bool has_no_port(void)
{
	uintptr_t word = 1;
	bool is_none;

	if (!search.way || ports.offset_count != 1 || !can_probe()) {
		return false;
	}
	is_none = read_words(scheduler_of_way() + ports.offsets[0], &word, 1) && word == 0;
	return is_none;
}

void current_process_check_ports(void)
{
	ports.is_checked = has_no_port();
}

/* Why ports are not known; NULL: they are. */
static const char *judge_ports(void)
{
	if (!current_process.is_known) {
		return "the process that runs is not found";
	}
	if (ports.reason) {
		return ports.reason;
	}
	if (ports.trials < TRIALS) {
		return "no two ports were tried";
	}
	if (ports.offset_count != 1) {
		return ports.offset_count == 0 ? "nothing leads to the port that runs"
					       : "several places lead to the port that runs";
	}
	return ports.is_checked && has_no_port() ? NULL
						 : "there is something in its place without a port";
}

static void confirm_ports(void)
{
	const char *reason = judge_ports();

	current_process.port_offset = reason ? 0 : ports.offsets[0];
	if (reason) {
		(void)snprintf(ports.found_by, sizeof(ports.found_by), "off: %s", reason);
	} else {
		(void)snprintf(ports.found_by, sizeof(ports.found_by),
				"two ports agree: byte %zu of a scheduler's data",
				ports.offsets[0]);
	}
}

const char *current_process_port_found_by(void)
{
	return ports.found_by;
}

const void *current_process_tried(void)
{
	const void *process = NULL;
	uintptr_t word;

	if (search.way && can_probe()) {
		if (read_words(place_of(search.way), &word, 1)) {
			memcpy(&process, &word, sizeof(process));
		}
	}
	return process;
}

/* Whether an emulator that exports its own way goes the same. */
static bool is_exported_the_same(const void *scheduler)
{
	const void *exported = dlsym(RTLD_DEFAULT, "erts_get_scheduler_data");
	const void *(*get)(void);

	if (!exported) {
		return true;
	}
	memcpy(&get, &exported, sizeof(get));
	return get() == scheduler;
}

/* Why it is not known; NULL: it is. */
static const char *judge(ErlNifEnv *env, const struct way *way)
{
	ErlNifPid own;
	bool is_here;

	if (search.reason) {
		return search.reason;
	}
	if (search.trials < TRIALS) {
		return "no two processes were tried";
	}
	if (!way) {
		return search.way_count == 0
				? "no way leads to the process that runs"
				: "ways to the process that runs lead to several places";
	}
	is_here = enif_self(env, &own) && can_probe();
	if (is_here) {
		is_here = leads((uintptr_t)pthread_getspecific(way->key), way->offset, own.pid);
	}
	if (!is_here) {
		return "a dirty scheduler keeps its process elsewhere";
	}
	return is_exported_the_same(pthread_getspecific(way->key))
			? NULL
			: "the emulator's own function finds other data of a scheduler";
}

static void confirm_process(ErlNifEnv *env)
{
	const struct way *way = search.way;
	const char *reason = judge(env, way);

	current_process.is_known = !reason;
	if (reason) {
		(void)snprintf(search.found_by, sizeof(search.found_by), "off: %s", reason);
		return;
	}
	current_process.key = way->key;
	current_process.offset = way->offset;
	(void)snprintf(search.found_by, sizeof(search.found_by),
			"two processes and a dirty scheduler agree: byte %zu of a scheduler's data",
			current_process.offset);
}

void current_process_confirm(ErlNifEnv *env)
{
	confirm_process(env);
	confirm_ports();
}

const char *current_process_found_by(void)
{
	return search.found_by;
}
