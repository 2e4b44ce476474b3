/*
 * SPDX-License-Identifier: MIT
 *
 * The lists of tp/, read as data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event_model.h"
#include "rows.h"

static void test_providers_are_known_by_the_name_before_the_last_colon(void **state)
{
	static const struct {
		const char *full_name;
		enum provider_kind kind;
		const char *name;
	} names[] = {
		{ "org_erlang_otp:carrier_create", PROVIDER_OTP, "carrier_create" },
		{ "com_ericsson_otp:carrier_create", PROVIDER_OTP, "carrier_create" },
		{ "org_erlang_dyntrace:gc_minor_end", PROVIDER_DYNTRACE, "gc_minor_end" },
		{ "com_ericsson_dyntrace:gc_minor_end", PROVIDER_DYNTRACE, "gc_minor_end" },
		{ "carrierscope:block_alloc", PROVIDER_CARRIERSCOPE, "block_alloc" },
		{ "lttng_ust_libc:malloc", PROVIDER_LIBC, "malloc" },
		{ "org_erlang_otp", PROVIDER_OTHER, "org_erlang_otp" },
		{ "org_erlang_otp2:x", PROVIDER_OTHER, "x" },
		{ "org_erlang_ot:x", PROVIDER_OTHER, "x" },
		{ "org_erlang_otp:a:b", PROVIDER_OTHER, "b" },
		{ "org_erlang_otp:", PROVIDER_OTP, "" },
		{ ":x", PROVIDER_OTHER, ":x" },
		{ ":", PROVIDER_OTHER, ":" },
		{ "", PROVIDER_OTHER, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(provider_kind_of(names[i].full_name), names[i].kind);
		assert_string_equal(event_name_of(names[i].full_name), names[i].name);
	}
}

static void test_an_event_is_known_to_its_own_provider_only(void **state)
{
	(void)state;
	assert_non_null(event_model_find(PROVIDER_OTP, "carrier_create"));
	assert_non_null(event_model_find(PROVIDER_OTP, "driver_init"));
	assert_null(event_model_find(PROVIDER_DYNTRACE, "carrier_create"));
	assert_null(event_model_find(PROVIDER_OTHER, "carrier_create"));
	assert_null(event_model_find(PROVIDER_OTP, "carrier_creat"));
	assert_null(event_model_find(PROVIDER_OTP, ""));
	assert_int_equal(event_model_find(PROVIDER_LIBC, "free")->kind, BLOCK_EVENT_free);
}

static void test_events_are_found_by_the_names_of_older_recordings(void **state)
{
	static const char *const names[][2] = { { "carrier_born", "carrier_alloc" },
		{ "carrier_gone", "carrier_free" }, { "carrier_resized", "carrier_realloc" } };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct event_model *model =
				event_model_find(PROVIDER_CARRIERSCOPE, names[i][0]);

		assert_non_null(model);
		assert_string_equal(model->name, names[i][1]);
		assert_null(event_model_find(PROVIDER_OTP, names[i][0]));
	}
}

static void test_carrier_events_have_head_and_counters_in_the_order_of_rows(void **state)
{
	static const char *const names[] = { "type", "instance", "size", "mbc_carriers",
		"mbc_carriers_size", "mbc_blocks", "mbc_blocks_size", "sbc_carriers",
		"sbc_carriers_size", "sbc_blocks", "sbc_blocks_size" };

	(void)state;
	for (int kind = 0; kind < CARRIER_EVENT_COUNT; kind++) {
		const struct event_model *model =
				event_model_carrier((enum carrier_event_kind)kind);

		assert_int_equal(model->kind, kind);
		assert_int_equal(model->field_count,
				kind < CARRIER_EVENT_carrier_pool_put ? 3 + CARRIER_COUNTERS : 3);
		for (size_t i = 0; i < model->field_count; i++) {
			assert_string_equal(model->fields[i].name, names[i]);
			assert_int_equal(model->fields[i].kind,
					i == 0			 ? FIELD_STRING
							: i == 1 ? FIELD_SIGNED
								 : FIELD_UNSIGNED);
		}
	}
}

static void test_columns_of_other_events_are_each_name_once(void **state)
{
	size_t count = otp_field_count();

	(void)state;
	assert_in_range(count, 20, OTP_FIELD_MAX - 1);
	assert_null(otp_field_at(count));
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			assert_string_not_equal(otp_field_at(i)->name, otp_field_at(k)->name);
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_providers_are_known_by_the_name_before_the_last_colon),
		cmocka_unit_test(test_an_event_is_known_to_its_own_provider_only),
		cmocka_unit_test(test_events_are_found_by_the_names_of_older_recordings),
		cmocka_unit_test(test_carrier_events_have_head_and_counters_in_the_order_of_rows),
		cmocka_unit_test(test_columns_of_other_events_are_each_name_once),
	};

	return cmocka_run_group_tests_name("event_model", tests, NULL, NULL);
}
