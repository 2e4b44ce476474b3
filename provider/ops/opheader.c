/* SPDX-License-Identifier: MIT */
/* The header lines of an operation file. */
#include "opheader.h"

#include <stdio.h>
#include <string.h>

#include "flag_table.h"

void opheader_init(struct opfile *opfile)
{
	*opfile = (struct opfile){
		.allocator = "test_alloc",
		.word_bytes = 8,
		.page_bytes = 4096,
		.instances = 1,
		.cache_rmcbf = 20,
		.cache_amcbf = UINT64_C(4) << 20,
		.limit_bytes = UINT64_MAX,
	};
	csc_settings_init(&opfile->settings);
}

/* A key whose value is one number. */
struct number_key {
	const char *name;
	/* Offset of a uint64_t or, if `is_short`, a uint32_t in its struct. */
	size_t offset;
	bool is_short;
	uint64_t max;
};

#define KEY(name, member)                                                 \
	{                                                                 \
#name, offsetof(struct opfile, member), false, UINT64_MAX \
	}
#define SHORT_KEY(name, member, max)                              \
	{                                                         \
#name, offsetof(struct opfile, member), true, max \
	}
static const struct number_key header_numbers[] = {
	SHORT_KEY(word, word_bytes, 8),
	KEY(page, page_bytes),
	KEY(carrier_unit, unit_bytes),
	KEY(mbc_header, mbc_header),
	KEY(sbc_header, sbc_header),
	KEY(block_header, block_header),
	KEY(min_block, min_block),
	SHORT_KEY(instances, instances, OPFILE_INSTANCES_MAX),
	SHORT_KEY(first_instance, first_instance, OPFILE_INSTANCES_MAX),
	SHORT_KEY(mseg_cache, cache_slots, UINT32_MAX),
	KEY(mseg_cache_rmcbf, cache_rmcbf),
	KEY(mseg_cache_amcbf, cache_amcbf),
	KEY(ycs, settings.ycs),
	KEY(mmc, settings.mmc),
	{ 0 },
};

/* Keys and options that say how a case was recorded, and nothing that a replay needs. */
static const char *const ignored_keys[] = { "mem_policy", "flag", "given", "versions", NULL };

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++) {
		if (strcmp(name, *names) == 0) {
			return true;
		}
	}
	return false;
}

/* Stores the number of `key` in `target`; `*ret_is_known` says whether there is such a key. */
static enum csc_status take_number(void *target, const struct number_key *keys, const char *name,
		const struct optext_line *line, size_t field, bool *ret_is_known, struct diag *diag)
{
	for (; keys->name; keys++) {
		if (strcmp(keys->name, name) == 0) {
			char *place = (char *)target + keys->offset;
			uint64_t value;

			*ret_is_known = true;
			if (optext_number(line, field, keys->max, &value, diag) != CSC_OK) {
				return CSC_ERROR;
			}
			if (keys->is_short) {
				*(uint32_t *)place = (uint32_t)value;
			} else {
				*(uint64_t *)place = value;
			}
			return CSC_OK;
		}
	}
	*ret_is_known = false;
	return CSC_OK;
}

static enum csc_status take_bool(const struct optext_line *line, size_t field, const char *yes,
		const char *no, bool *ret, struct diag *diag)
{
	const char *value = line->fields[field];

	if (strcmp(value, yes) != 0 && strcmp(value, no) != 0) {
		return optext_fail(line, diag, "'%s' is neither '%s' nor '%s'", value, yes, no);
	}
	*ret = strcmp(value, yes) == 0;
	return CSC_OK;
}

static enum csc_status take_text(
		const struct optext_line *line, char *place, size_t room, struct diag *diag)
{
	if (strlen(line->fields[2]) >= room) {
		return optext_fail(line, diag, "'%s' is too long", line->fields[2]);
	}
	snprintf(place, room, "%s", line->fields[2]);
	return CSC_OK;
}

static enum csc_status take_strategy(struct opfile *opfile, const struct optext_line *line,
		size_t field, struct diag *diag)
{
	enum csc_strategy strategy;

	if (!csc_strategy_find(line->fields[field], &strategy)) {
		return optext_fail(line, diag, "no such strategy: '%s'", line->fields[field]);
	}
	if (opfile->has_strategy && opfile->settings.strategy != strategy) {
		return optext_fail(line, diag, "the file names two strategies");
	}
	opfile->settings.strategy = strategy;
	opfile->has_strategy = true;
	return CSC_OK;
}

static enum csc_status take_setup(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	static const char *const names[] = { "private", "global", "thread_preferred",
		"private_fix" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(line->fields[2], names[i]) == 0) {
			opfile->setup = (enum opfile_setup)i;
			return CSC_OK;
		}
	}
	return optext_fail(line, diag, "no such setup: '%s'", line->fields[2]);
}

static enum csc_status take_pool_instances(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	for (size_t i = 2; i < line->field_count; i++) {
		uint64_t index;

		if (optext_number(line, i, OPFILE_INSTANCES_MAX, &index, diag) != CSC_OK) {
			return CSC_ERROR;
		}
		if (index < opfile->first_instance ||
				index - opfile->first_instance >= opfile->instances) {
			return optext_fail(line, diag, "there is no instance %llu",
					(unsigned long long)index);
		}
		opfile->is_pool_instance[index - opfile->first_instance] = true;
	}
	return CSC_OK;
}

static enum csc_status take_fix_type(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	uint64_t index;
	uint64_t bytes;

	if (optext_number(line, 2, CSC_FIX_TYPES_MAX - 1, &index, diag) != CSC_OK ||
			optext_number(line, 4, UINT32_MAX, &bytes, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (index != opfile->fix_count) {
		return optext_fail(line, diag, "fix type %u is next", opfile->fix_count);
	}
	opfile->fix_bytes[opfile->fix_count++] = bytes;
	return CSC_OK;
}

static enum csc_status take_option(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	const char *name = line->fields[2];

	if (line->field_count != 4) {
		return optext_fail(line, diag, "an option has a name and a value");
	}
	for (const struct flag *flag = flag_table; flag->name; flag++) {
		void *place = (char *)&opfile->settings + flag->offset;

		if (!flag_is_each(flag) || strcmp(flag->name, name) != 0) {
			continue;
		}
		if (flag->place != FLAG_IN_SETTINGS) {
			return CSC_OK;
		}
		if (flag->kind == FLAG_STRATEGY) {
			return take_strategy(opfile, line, 3, diag);
		}
		if (strcmp(flag_unit(flag), "word") == 0) {
			return take_bool(line, 3, "true", "false", place, diag);
		}
		return optext_number(line, 3, UINT64_MAX, place, diag);
	}
	return optext_fail(line, diag, "no such option: '%s'", name);
}

static enum csc_status take_limit(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	if (strcmp(line->fields[2], "none") == 0) {
		opfile->limit_bytes = UINT64_MAX;
		return CSC_OK;
	}
	return optext_number(line, 2, UINT64_MAX, &opfile->limit_bytes, diag);
}

enum csc_status opheader_take(
		struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	const char *key = line->field_count > 1 ? line->fields[1] : "";
	bool is_known;

	if (is_one_of(key, ignored_keys)) {
		return CSC_OK;
	}
	if (line->field_count < 3) {
		return optext_fail(line, diag, "a header line is '@ key value'");
	}
	if (strcmp(key, "option") == 0) {
		return take_option(opfile, line, diag);
	}
	if (strcmp(key, "fix_type") == 0) {
		return take_fix_type(opfile, line, diag);
	}
	if (strcmp(key, "pool_instances") == 0) {
		return take_pool_instances(opfile, line, diag);
	}
	if (line->field_count != 3) {
		return optext_fail(line, diag, "'%s' has one value", key);
	}
	if (strcmp(key, "case") == 0) {
		return take_text(line, opfile->case_name, sizeof(opfile->case_name), diag);
	}
	if (strcmp(key, "otp") == 0) {
		return take_text(line, opfile->otp, sizeof(opfile->otp), diag);
	}
	if (strcmp(key, "allocator") == 0) {
		return take_text(line, opfile->allocator, sizeof(opfile->allocator), diag);
	}
	if (strcmp(key, "strategy") == 0) {
		return take_strategy(opfile, line, 2, diag);
	}
	if (strcmp(key, "setup") == 0) {
		return take_setup(opfile, line, diag);
	}
	if (strcmp(key, "pool") == 0) {
		return take_bool(line, 2, "on", "off", &opfile->has_pool, diag);
	}
	if (strcmp(key, "events") == 0) {
		return take_bool(line, 2, "yes", "no", &opfile->has_events, diag);
	}
	if (strcmp(key, "sac") == 0) {
		return take_bool(line, 2, "true", "false", &opfile->settings.sac, diag);
	}
	if (strcmp(key, "mem_limit") == 0) {
		return take_limit(opfile, line, diag);
	}
	if (take_number(opfile, header_numbers, key, line, 2, &is_known, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	return is_known ? CSC_OK : optext_fail(line, diag, "no such key: '%s'", key);
}

static bool is_power(uint64_t value)
{
	return value && !(value & (value - 1));
}

/* The sizes of the build, where the file gives them. */
static enum csc_status check_sizes(
		const struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	uint64_t least = opfile->word_bytes == 8 ? 40 : 24;

	if (csc_strategy_is_first_fit(opfile->settings.strategy)) {
		least = opfile->word_bytes == 8 ? 64 : 40;
	} else if (opfile->settings.strategy == CSC_BF) {
		least = opfile->word_bytes == 8 ? 64 : 32;
	} else if (opfile->settings.strategy == CSC_AOBF) {
		least = opfile->word_bytes == 8 ? 56 : 32;
	}
	if (opfile->min_block &&
			(opfile->min_block < least || opfile->min_block % 8 ||
					opfile->min_block > 4096)) {
		return optext_fail(line, diag, "no block of this strategy has %llu bytes",
				(unsigned long long)opfile->min_block);
	}
	if (opfile->mbc_header &&
			(opfile->mbc_header > 4096 ||
					(opfile->mbc_header + opfile->word_bytes) % 8)) {
		return optext_fail(line, diag, "no carrier header has %llu bytes",
				(unsigned long long)opfile->mbc_header);
	}
	if (opfile->block_header && opfile->block_header != opfile->word_bytes) {
		return optext_fail(line, diag, "a block header is one word");
	}
	if (opfile->sbc_header && opfile->sbc_header != (opfile->word_bytes == 8 ? 32 : 20)) {
		return optext_fail(line, diag, "the header of a single-block carrier has %d bytes",
				opfile->word_bytes == 8 ? 32 : 20);
	}
	return CSC_OK;
}

enum csc_status opheader_check(
		const struct opfile *opfile, const struct optext_line *line, struct diag *diag)
{
	if (!opfile->has_strategy) {
		return optext_fail(line, diag, "the file names no strategy");
	}
	if (opfile->word_bytes != 8 && opfile->word_bytes != 4) {
		return optext_fail(line, diag, "a word has 4 or 8 bytes");
	}
	if (!is_power(opfile->page_bytes) || opfile->page_bytes < 512) {
		return optext_fail(line, diag, "the page size is a power of two");
	}
	if (opfile->unit_bytes && opfile->unit_bytes != 262144 &&
			(opfile->unit_bytes != 16384 || opfile->word_bytes == 4)) {
		return optext_fail(line, diag, "the carrier unit is %s bytes",
				opfile->word_bytes == 4 ? "262144" : "262144 or 16384");
	}
	if (check_sizes(opfile, line, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (!opfile->instances) {
		return optext_fail(line, diag, "there is at least one instance");
	}
	if (opfile->setup != OPFILE_THREAD_PREFERRED && opfile->instances > 1) {
		return optext_fail(line, diag, "this setup has one instance");
	}
	if (opfile->setup == OPFILE_PRIVATE_FIX && !opfile->fix_count) {
		return optext_fail(line, diag, "the file has no fix types");
	}
	if (opfile->has_pool && !csc_strategy_is_first_fit(opfile->settings.strategy)) {
		return optext_fail(line, diag, "carriers of '%s' do not migrate",
				csc_strategy_name(opfile->settings.strategy));
	}
	return CSC_OK;
}
