/*
 * SPDX-License-Identifier: MIT
 *
 * Ring buffers of recorders and keepers, for machines of 1 to 4096 processors: never more than the
 * budget.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "buffers.h"

static const uint64_t MIB = 1 << 20;

static bool is_power_of_two(uint64_t number)
{
	return number > 0 && (number & (number - 1)) == 0;
}

/* Bytes of one ring; sub-buffers are what LTTng takes. */
static uint64_t sound_bytes(const struct ring_size *size, unsigned int processors)
{
	assert_true(is_power_of_two(size->subbuffer_bytes) && size->subbuffer_bytes >= 4096);
	assert_true(is_power_of_two(size->subbuffers));
	assert_int_equal(buffers_bytes(size, processors),
			size->subbuffer_bytes * (size->subbuffers + 1) * processors);
	return buffers_bytes(size, processors);
}

/* The least memory that a refusal names. */
static uint64_t named_least(const struct diag *diag)
{
	unsigned long long kib = 0;
	const char *at = strstr(diag->text, "at least ");

	assert_non_null(at);
	assert_int_equal(sscanf(at, "at least %llu KiB, by --memory", &kib), 1);
	return kib * 1024;
}

static void keepers_keep_their_budget(void **state)
{
	(void)state;
	for (unsigned int processors = 1; processors <= 4096; processors++) {
		for (uint64_t memory = MIB; memory <= 1024 * MIB; memory = memory * 3 / 2) {
			for (int samples = 0; samples < 2; samples++) {
				struct keeper_rings rings = { .hours = { 0 } };
				struct diag diag = { 0 };
				uint64_t sum;

				if (buffers_for_keeper(memory, processors, samples, &rings,
						    &diag) != CSC_OK) {
					assert_int_equal(buffers_for_keeper(named_least(&diag),
									 processors, samples,
									 &rings, &diag),
							CSC_OK);
					continue;
				}
				sum = sound_bytes(&rings.state, processors) +
						sound_bytes(&rings.hours, processors) +
						sound_bytes(&rings.recent, processors);
				sum += samples ? sound_bytes(&rings.samples, processors) : 0;
				assert_true(sum <= memory && sum * 2 > memory);
			}
		}
	}
}

static void recordings_keep_their_budget(void **state)
{
	(void)state;
	for (unsigned int processors = 1; processors <= 4096; processors++) {
		for (uint64_t memory = MIB; memory <= 1024 * MIB; memory = memory * 3 / 2) {
			struct ring_size size = { 0 };
			struct diag diag = { 0 };

			if (buffers_for_recording(memory, processors, &size, &diag) == CSC_OK) {
				assert_true(sound_bytes(&size, processors) <= memory);
				assert_true(size.subbuffer_bytes >= 65536);
			} else {
				assert_int_equal(named_least(&diag),
						buffers_least_for_recording(processors));
				assert_int_equal(buffers_for_recording(buffers_least_for_recording(
										       processors),
								 processors, &size, &diag),
						CSC_OK);
			}
		}
	}
}

/* The defaults of `keep` and `record`. */
static void defaults_are_enough(void **state)
{
	const unsigned int machines[] = { 1, 2, 16, 64, 96, 128, 240 };
	struct keeper_rings rings;
	struct ring_size size;
	struct diag diag = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		assert_int_equal(buffers_for_keeper(48 * MIB, machines[i], true, &rings, &diag),
				CSC_OK);
	}
	assert_int_equal(buffers_for_recording(32 * MIB, 64, &size, &diag), CSC_OK);
	assert_int_equal(buffers_bytes(&size, 64), 20 * MIB);
}

/* A snapshot is written on one processor, and has to stay whole while the next one is written.  On
 * a machine of 64 it has some 100 KiB, with the instances of all schedulers as one.
 */
static void snapshots_of_many_processors_fit(void **state)
{
	const unsigned int machines[] = { 2, 4, 16, 24, 32, 48, 64 };
	struct keeper_rings rings;
	struct diag diag = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		assert_int_equal(buffers_for_keeper(48 * MIB, machines[i], true, &rings, &diag),
				CSC_OK);
		assert_true(buffers_held(&rings.hours) >= 200 * 1024);
		assert_true(buffers_held(&rings.recent) >= 200 * 1024);
	}
}

static void processors_are_those_of_the_kernel(void **state)
{
	(void)state;
	assert_int_equal(buffers_count_listed("0-63\n"), 64);
	assert_int_equal(buffers_count_listed("0\n"), 1);
	assert_int_equal(buffers_count_listed("0-3,8-239"), 240);
	assert_int_equal(buffers_count_listed("0,2\n"), 3);
	assert_int_equal(buffers_count_listed(""), 0);
	assert_int_equal(buffers_count_listed("\n"), 0);
	assert_int_equal(buffers_count_listed("none"), 0);
	assert_int_equal(buffers_count_listed("0-99999999999999999999"), 0);
	assert_true(buffers_processors() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keepers_keep_their_budget),
		cmocka_unit_test(recordings_keep_their_budget),
		cmocka_unit_test(defaults_are_enough),
		cmocka_unit_test(snapshots_of_many_processors_fit),
		cmocka_unit_test(processors_are_those_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
