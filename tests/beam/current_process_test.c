/* SPDX-License-Identifier: MIT */
/*
 * How the process that allocates is found: trials on an emulator that is only a key, the data of a
 * scheduler, two processes and two ports, with identifiers laid out as OTP 25 and 27 do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "current_process.h"

#define WORDS 256
#define AT 21
#define PORT_AT 28

/* Cells of a list: an identifier, and the rest. */
struct cell {
	ERL_NIF_TERM head;
	const struct cell *tail;
};

static struct scene {
	uintptr_t (*lay)(uint64_t number, uint64_t serial);
	struct cell cells[4][64];
	const struct cell *lists[4];
	uintptr_t data[WORDS];
	/* First words of processes, and of ports. */
	uintptr_t process[2];
	uintptr_t port[2];
	ERL_NIF_TERM self;
	const void *exported;
	pthread_key_t key;
	pthread_key_t other_key;
} scene;

static uintptr_t lay_25(uint64_t number, uint64_t serial)
{
	return number << 35 | serial << 19 | number << 4 | 3;
}

static uintptr_t lay_27(uint64_t number, uint64_t serial)
{
	return serial << 32 | (number >> 18) << 22 | (number & 0x7fff) << 7 |
			(number >> 15 & 7) << 4 | 3;
}

/* What current_process.c asks of an emulator; an environment is the scene. */
ErlNifPid *enif_self(ErlNifEnv *env, ErlNifPid *pid)
{
	(void)env;
	pid->pid = scene.self;
	return scene.self != 0 ? pid : NULL;
}

int enif_get_list_cell(ErlNifEnv *env, ERL_NIF_TERM term, ERL_NIF_TERM *head, ERL_NIF_TERM *tail)
{
	const struct cell *cell;

	(void)env;
	memcpy(&cell, &term, sizeof(term));
	if (!cell) {
		return 0;
	}
	*head = cell->head;
	*tail = (ERL_NIF_TERM)cell->tail;
	return 1;
}

static uintptr_t lay_port(uint64_t number)
{
	return number << 35 | number << 4 | 7;
}

static void print_port(uintptr_t port, char *out, size_t size)
{
	(void)snprintf(out, size, "#Port<0.%llu>", (unsigned long long)(port >> 35));
}

/* Of the numbers and serials that the lists and processes have. */
static void print(uintptr_t pid, char *out, size_t size)
{
	static const uint64_t serials[] = { 0, 3, 2731 };

	for (size_t i = 0; i < sizeof(serials) / sizeof(serials[0]); i++) {
		for (uint64_t number = 0; number < 32768; number++) {
			if (scene.lay(number, serials[i]) == pid) {
				(void)snprintf(out, size, "<0.%llu.%llu>",
						(unsigned long long)number,
						(unsigned long long)serials[i]);
				return;
			}
		}
	}
	for (unsigned int bit = 0; bit < 32; bit++) {
		if (scene.lay(0, UINT64_C(1) << bit) == pid ||
				scene.lay(UINT64_C(1) << bit, 0) == pid) {
			bool is_serial = scene.lay(0, UINT64_C(1) << bit) == pid;

			(void)snprintf(out, size, "<0.%u.%u>", is_serial ? 0 : 1U << bit,
					is_serial ? 1U << bit : 0);
			return;
		}
	}
	(void)snprintf(out, size, "?");
}

int enif_snprintf(char *out, size_t size, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	assert_string_equal(format, "%T");
	ERL_NIF_TERM term = va_arg(arguments, ERL_NIF_TERM);

	((term & 15) == 7 ? print_port : print)(term, out, size);
	va_end(arguments);
	return 0;
}

/* Exported, as until OTP 28. */
__attribute__((visibility("default"))) const void *erts_get_scheduler_data(void);
const void *erts_get_scheduler_data(void)
{
	return scene.exported;
}

static void list(size_t which, uintptr_t pid)
{
	size_t count = 0;

	while (scene.cells[which][count].head != 0) {
		count++;
	}
	scene.cells[which][count].head = pid;
	if (count > 0) {
		scene.cells[which][count - 1].tail = &scene.cells[which][count];
	}
	scene.lists[which] = scene.cells[which];
}

static int set_scene(void **state)
{
	pthread_key_t key = scene.key;
	pthread_key_t other_key = scene.other_key;

	(void)state;
	scene = (struct scene){ .key = key, .other_key = other_key, .exported = scene.data };
	return pthread_setspecific(key, scene.data) != 0 ||
			pthread_setspecific(other_key, NULL) != 0;
}

static void lay(uintptr_t (*function)(uint64_t, uint64_t), unsigned int number_bits,
		unsigned int serial_bits)
{
	scene.lay = function;
	for (unsigned int bit = 0; bit < number_bits; bit++) {
		list(0, function(UINT64_C(1) << bit, 0));
	}
	for (unsigned int bit = 0; bit < serial_bits; bit++) {
		list(1, function(0, UINT64_C(1) << bit));
	}
	list(2, function(21845, 2731));
	scene.process[0] = function(90, 0);
	scene.process[1] = function(32767, 3);
}

/* A trial by a process, which its scheduler runs; the number of it. */
static void run(size_t process)
{
	scene.self = scene.process[process];
	scene.data[AT] = (uintptr_t)&scene.process[process];
}

static void try_both(void)
{
	current_process_forget();
	current_process_learn(NULL, (ERL_NIF_TERM)scene.lists[0], (ERL_NIF_TERM)scene.lists[1],
			(ERL_NIF_TERM)scene.lists[2]);
	run(0);
	current_process_try(NULL);
	run(1);
	current_process_try(NULL);
}

/* A trial by a port, which a scheduler runs for no process. */
static void run_port(size_t port)
{
	scene.data[AT] = 0;
	scene.data[PORT_AT] = (uintptr_t)&scene.port[port];
	current_process_try_port(scene.port[port]);
}

static void end_port(void)
{
	scene.data[PORT_AT] = 0;
	run(1);
	current_process_check_ports();
}

static void lay_ports(void)
{
	lay(lay_25, 15, 13);
	for (unsigned int bit = 0; bit < 28; bit++) {
		list(3, lay_port(UINT64_C(1) << bit));
	}
	scene.port[0] = lay_port(5);
	scene.port[1] = lay_port(70000);
}

static void learn_ports(void)
{
	try_both();
	current_process_learn_ports(NULL, (ERL_NIF_TERM)scene.lists[3], 0);
}

static void ports_are_off(const char *reason)
{
	struct process_memo memo = { 0 };

	current_process_confirm(NULL);
	assert_true(current_process_is_known());
	assert_string_equal(current_process_port_found_by(), reason);
	scene.data[AT] = 0;
	scene.data[PORT_AT] = (uintptr_t)&scene.port[0];
	assert_int_equal(current_process_read(current_process_scheduler(), &memo), 0);
	scene.data[PORT_AT] = 0;
}

static void is_off(const char *reason)
{
	current_process_confirm(NULL);
	assert_string_equal(current_process_found_by(), reason);
	assert_false(current_process_is_known());
	assert_null(current_process_scheduler());
}

static uint64_t read_now(void)
{
	struct process_memo memo = { 0 };

	return current_process_read(current_process_scheduler(), &memo);
}

static void test_the_process_that_runs_is_read(void **state)
{
	(void)state;
	lay(lay_25, 15, 13);
	try_both();
	current_process_confirm(NULL);
	assert_string_equal(current_process_found_by(),
			"two processes and a dirty scheduler agree: byte 168 of a scheduler's data");
	assert_true(current_process_scheduler() == scene.data);
	assert_int_equal(read_now(), 1 + 32767 + (UINT64_C(3) << 28));
	run(0);
	assert_int_equal(read_now(), 1 + 90);
	/* None, no local process, and nobody. */
	scene.process[0] = 0xfffffff3;
	assert_int_equal(read_now(), 0);
	scene.process[0] = 64;
	assert_int_equal(read_now(), 0);
	scene.data[AT] = 0;
	assert_int_equal(read_now(), 0);
	assert_int_equal(current_process_read(NULL, &(struct process_memo){ 0 }), 0);
}

static void test_numbers_may_be_laid_out_in_pieces(void **state)
{
	struct process_memo memo = { 0 };
	uintptr_t process = lay_27((1 << 27) - 5, 7);
	uintptr_t data[WORDS] = { [AT] = (uintptr_t)&process };

	(void)state;
	lay(lay_27, 28, 32);
	try_both();
	current_process_confirm(NULL);
	assert_true(current_process_is_known());
	assert_int_equal(
			current_process_read(data, &memo), 1 + (1 << 27) - 5 + (UINT64_C(7) << 28));
	/* Another process: what was remembered of the last one is not its. */
	process = lay_27(262143, 0);
	assert_int_equal(current_process_read(data, &memo), 1 + 262143);
}

static void test_a_key_of_a_part_of_the_data_is_not_taken(void **state)
{
	(void)state;
	(void)pthread_setspecific(scene.other_key, &scene.data[7]);
	lay(lay_25, 15, 13);
	try_both();
	current_process_confirm(NULL);
	assert_true(current_process_is_known());
	assert_true(current_process_scheduler() == scene.data);
}

static void test_doubt_leaves_it_off(void **state)
{
	uintptr_t *second = &scene.data[AT + 3];

	(void)state;
	lay(lay_25, 15, 13);
	current_process_forget();
	is_off("off: no two processes were tried");

	try_both();
	scene.exported = scene.process;
	is_off("off: the emulator's own function finds other data of a scheduler");

	scene.exported = scene.data;
	try_both();
	scene.data[AT] = 0;
	is_off("off: a dirty scheduler keeps its process elsewhere");

	try_both();
	run(1);
	current_process_try(NULL);
	is_off("off: both trials were by the same process");

	/* A second place that always has the same. */
	current_process_forget();
	run(0);
	*second = scene.data[AT];
	current_process_try(NULL);
	run(1);
	*second = scene.data[AT];
	current_process_try(NULL);
	is_off("off: ways to the process that runs lead to several places");

	*second = 0;
	current_process_forget();
	run(0);
	current_process_try(NULL);
	scene.self = scene.process[1];
	current_process_try(NULL);
	is_off("off: no way leads to the process that runs");
}

static void test_the_port_that_runs_is_read(void **state)
{
	(void)state;
	lay_ports();
	learn_ports();
	run_port(0);
	run_port(1);
	end_port();
	current_process_confirm(NULL);
	assert_string_equal(current_process_port_found_by(),
			"two ports agree: byte 224 of a scheduler's data");
	assert_int_equal(read_now(), 1 + 32767 + (UINT64_C(3) << 28));
	/* The process is the one that allocates, where both run. */
	scene.data[PORT_AT] = (uintptr_t)&scene.port[1];
	assert_int_equal(read_now(), 1 + 32767 + (UINT64_C(3) << 28));
	scene.data[AT] = 0;
	assert_int_equal(read_now(), (UINT64_C(1) << 62) + 1 + 70000);
	/* What is no port, and none. */
	scene.port[1] = lay_25(9, 0);
	assert_int_equal(read_now(), 0);
	scene.data[PORT_AT] = 0;
	assert_int_equal(read_now(), 0);
}

static void test_doubt_leaves_ports_off(void **state)
{
	uintptr_t *second = &scene.data[PORT_AT + 4];

	(void)state;
	lay_ports();
	learn_ports();
	ports_are_off("off: no two ports were tried");

	learn_ports();
	run_port(0);
	run_port(0);
	end_port();
	ports_are_off("off: both trials were by the same port");

	/* A second place that always has the same. */
	learn_ports();
	*second = (uintptr_t)&scene.port[0];
	run_port(0);
	*second = (uintptr_t)&scene.port[1];
	run_port(1);
	end_port();
	ports_are_off("off: several places lead to the port that runs");
	*second = 0;

	learn_ports();
	run_port(0);
	scene.data[PORT_AT] = 0;
	current_process_try_port(scene.port[1]);
	end_port();
	ports_are_off("off: nothing leads to the port that runs");

	/* The last port stays where it was. */
	learn_ports();
	run_port(0);
	run_port(1);
	current_process_check_ports();
	run(1);
	ports_are_off("off: there is something in its place without a port");

	learn_ports();
	run_port(0);
	scene.data[PORT_AT] = (uintptr_t)&scene.port[1];
	run(1);
	current_process_try_port(scene.port[1]);
	end_port();
	ports_are_off("off: a process ran beside the port");

	/* Number 2 printed as it is not laid out. */
	scene.cells[3][1].head = scene.cells[3][2].head;
	learn_ports();
	run_port(0);
	run_port(1);
	end_port();
	ports_are_off("off: identifiers of ports are laid out in an unknown way");
}

static void test_an_unknown_layout_leaves_it_off(void **state)
{
	(void)state;
	lay(lay_25, 15, 13);
	/* Number 2 printed as it is not laid out. */
	scene.cells[0][1].head = scene.cells[0][2].head;
	try_both();
	is_off("off: identifiers of processes are laid out in an unknown way");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_process_that_runs_is_read, set_scene),
		cmocka_unit_test_setup(test_numbers_may_be_laid_out_in_pieces, set_scene),
		cmocka_unit_test_setup(test_a_key_of_a_part_of_the_data_is_not_taken, set_scene),
		cmocka_unit_test_setup(test_doubt_leaves_it_off, set_scene),
		cmocka_unit_test_setup(test_an_unknown_layout_leaves_it_off, set_scene),
		cmocka_unit_test_setup(test_the_port_that_runs_is_read, set_scene),
		cmocka_unit_test_setup(test_doubt_leaves_ports_off, set_scene),
	};

	if (pthread_key_create(&scene.key, NULL) != 0 ||
			pthread_key_create(&scene.other_key, NULL) != 0) {
		return 1;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
