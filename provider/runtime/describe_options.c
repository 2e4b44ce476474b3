/* SPDX-License-Identifier: MIT */
/* Options in force. */
#include "describe_options.h"

#include <inttypes.h>
#include <stdio.h>

#include "listener.h"

static void tell_text(struct csc_listener *listener, uint32_t allocator, const char *name,
		const char *value)
{
	csc_listener_option(listener,
			&(struct csc_option_note){
					.allocator = allocator, .name = name, .value = value });
}

void tell_number(
		struct csc_listener *listener, uint32_t allocator, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	tell_text(listener, allocator, name, text);
}

void tell_settings(struct csc_listener *listener, uint32_t allocator,
		const struct csc_settings *settings)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "sbct", settings->sbct },
		{ "asbcst", settings->asbcst },
		{ "rsbcst", settings->rsbcst },
		{ "rsbcmt", settings->rsbcmt },
		{ "rmbcmt", settings->rmbcmt },
		{ "mmbcs", settings->mmbcs },
		{ "mmsbc", settings->mmsbc },
		{ "mmmbc", settings->mmmbc },
		{ "lmbcs", settings->lmbcs },
		{ "smbcs", settings->smbcs },
		{ "mbcgs", settings->mbcgs },
		{ "acul", settings->acul },
		{ "acful", settings->acful },
		{ "acnl", settings->acnl },
		{ "acfml", settings->acfml },
		{ "mbsd", settings->mbsd },
	};

	tell_text(listener, allocator, "as", csc_strategy_name(settings->strategy));
	tell_text(listener, allocator, "ramv", settings->ramv ? "true" : "false");
	tell_text(listener, allocator, "atags", settings->atags ? "true" : "false");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		tell_number(listener, allocator, numbers[i].name, numbers[i].value);
	}
}

void tell_common_settings(struct csc_listener *listener, const struct csc_settings *settings)
{
	tell_number(listener, 0, "ycs", settings->ycs);
	tell_number(listener, 0, "mmc", settings->mmc);
	tell_text(listener, 0, "sac", settings->sac ? "true" : "false");
}
