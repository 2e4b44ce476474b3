/* SPDX-License-Identifier: MIT */
/* What the runtime makes of its +M flags, and which ones it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "flag_table.h"
#include "flags.h"

#define ARGUMENTS_MAX 64

/* One row: flags, and what an instance says. */
struct row {
	const char *otp;
	uint32_t schedulers;
	/* Separated by spaces. */
	const char *flags;
	enum csc_allocator allocator;
	uint32_t instance;
	/* "name=value" pairs, separated by spaces. */
	const char *expected;
};

/* Source: SOURCES.md 7.3, 7.4, 14; the numbers are those of its experiments. */
static const struct row rows[] = {
	{ "25", 1, "", CSC_SL, 1, "as=aoffcbf acul=60 mmbcs=131072 rsbcst=80 n=2 safe=0" },
	{ "25", 1, "", CSC_SL, 0, "as=aoffcbf acul=0 acnl=0 safe=1" },
	{ "25", 1, "", CSC_LL, 1, "as=aoffcbf acul=85 mmbcs=2097152 rmbcmt=0 mmsbc=0 n=2" },
	{ "25", 1, "", CSC_EHEAP, 1, "acul=45 mmbcs=524288 rsbcst=50" },
	{ "25", 1, "", CSC_TEMP, 0, "as=gf acul=0 mmbcs=131072 rsbcst=90 rmbcmt=100" },
	{ "25", 1, "", CSC_TEMP, 1, "as=af acul=0 n=2" },
	{ "25", 1, "", CSC_LITERAL, 0, "as=aobf acul=0 mmbcs=1048576 n=1" },
	{ "25", 1, "", CSC_ETS, 0, "mmbcs=0" },
	{ "24rc0", 1, "", CSC_ETS, 0, "mmbcs=131072" },
	{ "25", 1, "", CSC_TEST, 0, "n=0" },
	{ "25", 1, "", CSC_EXEC, 0, "n=0" },
	{ "24rc0", 1, "", CSC_EXEC, 0, "n=1 mmbcs=0 number=10" },
	{ "24rc0", 1, "", CSC_BINARY, 1, "number=11 atags=1" },
	{ "25", 1, "", CSC_BINARY, 1, "number=10" },
	/* Scaling. */
	{ "25", 2, "", CSC_BINARY, 1, "mmbcs=65536 smbcs=524288 lmbcs=5242880 n=3" },
	{ "25", 3, "", CSC_BINARY, 1, "mmbcs=43690 smbcs=349525 lmbcs=5242880" },
	{ "25", 8, "", CSC_BINARY, 1, "mmbcs=32768 smbcs=262144 lmbcs=5242880" },
	{ "25", 8, "+MBmmbcs 100", CSC_BINARY, 1, "mmbcs=102400 smbcs=262144" },
	{ "25", 8, "", CSC_TEMP, 1, "mmbcs=131072 smbcs=1048576 lmbcs=10485760" },
	{ "25", 4, "+MZe true", CSC_TEST, 1, "smbcs=4096 lmbcs=8192 n=5" },
	{ "24rc0", 4, "+MZe true", CSC_TEST, 1, "smbcs=262144 lmbcs=262144 sbct=262144" },
	/* Migration and strategies. */
	{ "24rc0", 1, "+Muacul 0", CSC_SL, 1, "as=gf acul=0" },
	{ "24rc0", 1, "+Muacul 0", CSC_STD, 1, "as=bf" },
	{ "24rc0", 1, "+Muacul 0", CSC_LL, 0, "as=aobf n=1" },
	{ "24rc0", 1, "+Muacul 0", CSC_FIX, 1, "as=aobf n=2" },
	{ "24rc0", 1, "+MBas bf +MBacul 60", CSC_BINARY, 1, "as=aoffcbf acul=60" },
	{ "24rc0", 1, "+MBacul 60 +MBas bf", CSC_BINARY, 1, "as=bf acul=0" },
	{ "25", 1, "+MBas ageffcaoff", CSC_BINARY, 1, "as=ageffcaoff acul=60" },
	{ "25", 1, "+Muas af", CSC_EHEAP, 1, "as=gf acul=0" },
	{ "25", 1, "+MTt false", CSC_TEMP, 0, "as=gf n=1" },
	{ "25", 1, "+Muacnl 0", CSC_EHEAP, 1, "as=aoffcbf acul=0 acnl=0" },
	{ "25", 1, "+MBt false", CSC_BINARY, 0, "n=1 acul=0 as=bf" },
	{ "25", 1, "+MBacul de +MHacul de", CSC_EHEAP, 1, "acul=45" },
	{ "25", 1, "+MBacful de", CSC_BINARY, 1, "acful=40" },
	{ "25", 1, "+MBacful 90", CSC_BINARY, 1, "acful=60" },
	/* Setups. */
	{ "25", 1, "+Mea min", CSC_BINARY, 0, "n=0" },
	{ "25", 1, "+Mea min", CSC_TEMP, 0, "n=2" },
	{ "25", 1, "+Mea min +Mea max", CSC_BINARY, 0, "n=2" },
	{ "25", 1, "+Mea config", CSC_BINARY, 0, "n=1 as=aoffcbf acul=0" },
	{ "25", 1, "+Mea config", CSC_TEMP, 0, "n=1 as=gf" },
	{ "25", 2, "+Mdai 1", CSC_BINARY, 3, "n=4 safe=1 acul=0" },
	/* Grammar. */
	{ "28", 1, "+MEatags code", CSC_ETS, 1, "atags=1" },
	{ "25", 1, "+MBasbf", CSC_BINARY, 1, "as=bf" },
	{ "25", 1, "+MBasbcst 10", CSC_BINARY, 1, "as=aoffcbf asbcst=10240" },
	{ "25", 1, "+MBsbct12x", CSC_BINARY, 1, "sbct=12288" },
	{ "25", 1, "+MBrsbcst 300", CSC_BINARY, 1, "rsbcst=100" },
	{ "25", 1, "+MBmbcgs 0", CSC_BINARY, 1, "mbcgs=1" },
	{ "25", 1, "+MBsbct 18014398509481984", CSC_BINARY, 1, "sbct=18446744073709551615" },
	{ "25", 1, "+Muycs 300 +Mummc 7 +Musac false", CSC_BINARY, 1, "ycs=307200 mmc=7 sac=0" },
	/* What would crash the runtime, but for what is behind it. */
	{ "25", 1, "+Muycs 0 +Musac false", CSC_BINARY, 1, "ycs=0 sac=0" },
	{ "25", 1, "+Muycs 0 +Muycs 1", CSC_BINARY, 1, "ycs=1024 sac=1" },
	{ "25", 1, "+Muycs 18014398509480960", CSC_BINARY, 1, "ycs=18446744073708503040" },
	{ "25", 1, "+MBsbct 64 -- +MQx", CSC_BINARY, 1, "sbct=65536" },
	{ "25", 1, "-MBsbct 64", CSC_BINARY, 1, "sbct=65536" },
	/* As seen by random command lines on 25.2.3. */
	{ "25", 1, "+MBmmmbc 9223372036854775807", CSC_BINARY, 1, "n=2" },
	{ "25", 1, "+MBmbcgs +3 +MBmmsbc -0", CSC_BINARY, 1, "mbcgs=3 mmsbc=0" },
	{ "25", 2, "+Mummbcs 4", CSC_BINARY, 1, "mmbcs=16384" },
	{ "25", 2, "+Mummbcs 4", CSC_ETS, 0, "mmbcs=0" },
	{ "25", 1, "+MEt false", CSC_ETS, 0, "mmbcs=0 n=1" },
	{ "25", 1, "+Mea config", CSC_ETS, 0, "mmbcs=0 n=1" },
	{ "24rc0", 1, "+MEt false", CSC_ETS, 0, "mmbcs=131072 n=1" },
	{ "25", 1, "+MBmmbcs 0", CSC_BINARY, 1, "mmbcs=0" },
	{ "25", 2, "+Mulmbcs 16", CSC_BINARY, 1, "lmbcs=524288 smbcs=524288" },
	{ "25", 2, "+Musmbcs 8192", CSC_BINARY, 1, "lmbcs=8388608 smbcs=8388608" },
	{ "25", 1, "+MBasbcst 18014398509481984", CSC_BINARY, 1, "asbcst=184467440737095516" },
	{ "25", 1, "+MYtp 18014398509481985 +MYtt 2097151", CSC_BINARY, 1, "n=2" },
};

struct refusal {
	const char *otp;
	const char *flags;
	/* The beginning of the sentence. */
	const char *sentence;
};

static const struct refusal refusals[] = {
	{ "25", "+MQx 1", "bad \"+MQx\" parameter" },
	{ "25", "+MBfoo 1", "bad \"+MBfoo\" parameter" },
	{ "25", "+MBas worst", "bad \"+MBas\" value: worst (it takes bf, aobf," },
	{ "25", "+MBas", "bad \"+MBas\" value:  (it takes bf," },
	{ "25", "+MBacul 101", "bad \"+MBacul\" value: 101 (it takes a percentage from 0 to 100" },
	{ "25", "+MTacul 10", "bad \"+MTacul\" parameter: not for temp_alloc" },
	{ "25", "+MIcp B", "bad \"+MIcp\" parameter: not for literal_alloc" },
	{ "25", "+MTe false", "bad \"+MTe\" value: false" },
	{ "25", "+MIt true", "bad \"+MIt\" value: true" },
	{ "25", "+MBsbct -1", "bad \"+MBsbct\" value: -1 (it takes a number from 0 to " },
	{ "25", "+MBsbct 18014398509481985", "bad \"+MBsbct\" value: 18014398509481985" },
	{ "25", "+MBe maybe", "bad \"+MBe\" value: maybe (it takes true or false)" },
	{ "25", "+MBcp Q", "bad \"+MBcp\" value: Q (it takes B, D," },
	{ "24rc0", "+MBcp B", "bad \"+MBcp\" parameter" },
	{ "24rc0", "+MBacful 10", "bad \"+MBacful\" parameter" },
	{ "25", "+MXe true", "bad \"+MXe\" parameter" },
	{ "25", "+MMscmgc 1", "bad \"+MMscmgc\" parameter" },
	{ "25", "+Mit X", "bad \"+Mit\" parameter" },
	{ "24rc0", "+Mdai 1", "bad \"+Mdai\" parameter" },
	{ "25", "+MEatags code", "bad \"+MEatags\" value: code (it takes true or false)" },
	{ "25", "+Mea r11b",
			"bad \"+Mea\" parameter: r11b (it takes min, max or config; with the" },
	{ "28", "+Mea config", "bad \"+Mea\" parameter: config" },
	{ "25", "+Mlpm some", "bad \"+Mlpm\" value: some (it takes all or no)" },
	{ "25", "+MYe false", "bad \"+MYe\" value: false" },
	{ "25", "+S 1", "'+S' is not a +M flag" },
	/* Super carriers: as `erl +MMscs ...` of 25.2.3 refuses to start. */
	{ "25", "+MIscs -1", "bad \"+MIscs\" value: -1" },
	{ "25", "+MIscs x", "bad \"+MIscs\" value: x" },
	{ "25", "+MIscs 17592186044417", "bad \"+MIscs\" value: 17592186044417" },
	{ "25", "+MIscs 17592186044416",
			"erts_mmap: Failed to create super carrier of size 17592186044415 MB" },
	{ "25", "+MIscs 1000000000",
			"erts_mmap: Failed to create super carrier of size 1000000000 MB" },
	{ "25", "+MMscs 1", "erts_mmap: No space for segments in super carrier" },
	{ "25", "+MMscs 4", "erts_mmap: No space for segments in super carrier" },
	{ "25", "+MMscs 512 +MMscrfsd 10000000", "erts_mmap: No space for segments in super" },
	{ "25", "+MBmmmbc 9223372036854775808", "bad \"+MBmmmbc\" value: 9223372036854775808" },
	{ "25", "+MBmmmbc +-1", "bad \"+MBmmmbc\" value: +-1" },
	{ "25", "+MYtp 2097152",
			"bad \"+MYtp\" value: 2097152 (it takes a number from 0 to 2097151" },
	{ "25", "+MYtt 18014398509481983", "bad \"+MYtt\" value: 18014398509481983" },
	{ "25", "+Mea r9c +MHacfml x", "bad \"+MHacfml\" value: x" },
	/* The runtime takes them, and crashes. */
	{ "25", "+Muycs 0",
			"bad \"+Muycs\" value: 0 (it takes a number from 1 to 18014398509480960: with "
			"this one the sizes of carriers from sys_alloc are rounded to nothing, and the "
			"runtime crashes on it unless +Musac is false)" },
	{ "25", "+Musac false +Muycs 00 +Musac true", "bad \"+Muycs\" value: 00 (it takes" },
	{ "25", "+Muycs 18014398509480961", "bad \"+Muycs\" value: 18014398509480961 (it takes" },
	{ "25", "+Muycs 18014398509481984", "bad \"+Muycs\" value: 18014398509481984 (it takes" },
	{ "25", "+MMsco 1", "bad \"+MMsco\" value: 1 (it takes true or false)" },
	{ "25", "+MMscrpm yes", "bad \"+MMscrpm\" value: yes (it takes true or false)" },
};

static enum csc_status take(struct csc_options *options, const char *otp, uint32_t schedulers,
		const char *flags, struct diag *diag)
{
	struct flags_machine machine = { .dirty_schedulers = schedulers };
	char text[256];
	char *arguments[ARGUMENTS_MAX];
	int count = 0;

	snprintf(text, sizeof(text), "%s", flags);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		assert_true(count < ARGUMENTS_MAX);
		arguments[count++] = word;
	}
	csc_options_init(options, csc_generation_find(otp), 8, schedulers);
	return flags_take(options, &machine, count, arguments, diag);
}

/* All that rows may ask for, as " name=value name=value ". */
static void describe(
		const struct csc_options *options, const struct row *row, char *text, size_t room)
{
	struct csc_instance_config config;
	const struct csc_settings *s = &config.settings;

	csc_options_config(options, row->allocator, row->instance, &config);
	snprintf(text, room,
			" as=%s acul=%llu acful=%llu acnl=%llu mmbcs=%llu smbcs=%llu lmbcs=%llu "
			"sbct=%llu asbcst=%llu rsbcst=%llu rmbcmt=%llu mmsbc=%llu mbcgs=%llu "
			"atags=%d n=%u safe=%d number=%u ycs=%llu mmc=%llu sac=%d ",
			csc_strategy_name(s->strategy), (unsigned long long)s->acul,
			(unsigned long long)s->acful, (unsigned long long)s->acnl,
			(unsigned long long)s->mmbcs, (unsigned long long)s->smbcs,
			(unsigned long long)s->lmbcs, (unsigned long long)s->sbct,
			(unsigned long long)s->asbcst, (unsigned long long)s->rsbcst,
			(unsigned long long)s->rmbcmt, (unsigned long long)s->mmsbc,
			(unsigned long long)s->mbcgs, s->atags,
			csc_options_instances(options, row->allocator), config.is_thread_safe,
			csc_options_number(options, row->allocator), (unsigned long long)s->ycs,
			(unsigned long long)s->mmc, s->sac);
}

static void test_flags_are_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct csc_options options;
		struct diag diag = { 0 };
		char text[512];
		char expected[256];

		if (take(&options, rows[i].otp, rows[i].schedulers, rows[i].flags, &diag) !=
				CSC_OK) {
			fail_msg("row %zu, '%s': %s", i, rows[i].flags, diag.text);
		}
		describe(&options, &rows[i], text, sizeof(text));
		snprintf(expected, sizeof(expected), "%s", rows[i].expected);
		for (char *pair = strtok(expected, " "); pair; pair = strtok(NULL, " ")) {
			char padded[64];

			snprintf(padded, sizeof(padded), " %s ", pair);
			if (!strstr(text, padded)) {
				fail_msg("row %zu, '%s': expected %s, got%s", i, rows[i].flags,
						pair, text);
			}
		}
	}
}

static void test_bad_flags_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		const char *expected = refusals[i].sentence;
		struct csc_options options;
		struct diag diag = { 0 };

		if (take(&options, refusals[i].otp, 1, refusals[i].flags, &diag) == CSC_OK) {
			fail_msg("'%s' was taken", refusals[i].flags);
		}
		if (strncmp(diag.text, expected, strlen(expected)) != 0) {
			fail_msg("'%s': expected '%s', got '%s'", refusals[i].flags, expected,
					diag.text);
		}
	}
}

/* What is recorded of the options makes the same options of others. */
static void test_recorded_options_are_read_back(void **state)
{
	const char *given =
			"+Muycs 3 +Mummc 7 +Musac false +MMamcbf 9 +MMmcs 31 +MMscs 0 +MMsco false "
			"+MHe true +MHcp @ +MHas bf +MHramv true +MHatags true +MHsbct 65 "
			"+MHrsbcst 300 +MHmbcgs 0 +MHacnl 5 +MHmbsd 0";
	struct csc_options from;
	struct csc_options to;
	struct diag diag = { 0 };
	size_t recorded = 0;

	(void)state;
	assert_int_equal(take(&from, "25", 2, given, &diag), CSC_OK);
	assert_int_equal(take(&to, "25", 2, "", &diag), CSC_OK);
	assert_int_equal(from.mcs, 30);
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		const void *base = flag_base(flag, &from, CSC_EHEAP);
		void *target = flag_base(flag, &to, CSC_EHEAP);
		char text[24];
		char again[24];

		if (!flag->option) {
			continue;
		}
		flag_print(flag, base, text);
		assert_true(flag_scan(flag, target, text));
		flag_print(flag, target, again);
		assert_string_equal(again, text);
		recorded++;
	}
	assert_int_equal(recorded, 32);
	assert_int_equal(to.allocators[CSC_EHEAP].settings.rsbcst, 100);
	assert_int_equal(to.allocators[CSC_EHEAP].settings.mbsd, 1);
	assert_false(to.sco);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flags_are_taken),
		cmocka_unit_test(test_bad_flags_are_refused),
		cmocka_unit_test(test_recorded_options_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
