/* SPDX-License-Identifier: MIT */
/* The options of one allocator. */
#include "settings.h"

#include <stddef.h>
#include <string.h>

#include "word.h"

/* In the order of enum csc_strategy. */
static const char *const strategy_names[CSC_STRATEGIES] = {
	"bf",
	"aobf",
	"gf",
	"af",
	"aoff",
	"aoffcbf",
	"aoffcaobf",
	"ageffcaoff",
	"ageffcbf",
	"ageffcaobf",
};

void csc_settings_init(struct csc_settings *settings)
{
	*settings = (struct csc_settings){
		.strategy = CSC_GF,
		.sbct = UINT64_C(512) * 1024,
		/* Sic: 2 * 1024 * 2024. */
		.asbcst = 4145152,
		.rsbcst = 20,
		.rsbcmt = 80,
		.rmbcmt = 50,
		.mmbcs = UINT64_C(1024) * 1024,
		.mmsbc = 256,
		.mmmbc = UINT64_MAX,
		.lmbcs = UINT64_C(10) * 1024 * 1024,
		.smbcs = UINT64_C(1024) * 1024,
		.mbcgs = 10,
		.acnl = 1000,
		.mbsd = 3,
		.ycs = UINT64_C(1024) * 1024,
		.mmc = UINT64_MAX,
		.sac = true,
	};
}

const char *csc_strategy_name(enum csc_strategy strategy)
{
	return (unsigned int)strategy < CSC_STRATEGIES ? strategy_names[strategy] : NULL;
}

bool csc_strategy_find(const char *name, enum csc_strategy *ret_strategy)
{
	for (int i = 0; i < CSC_STRATEGIES; i++) {
		if (strcmp(name, strategy_names[i]) == 0) {
			*ret_strategy = (enum csc_strategy)i;
			return true;
		}
	}
	return false;
}

bool csc_strategy_is_first_fit(enum csc_strategy strategy)
{
	return strategy >= CSC_AOFF && strategy < CSC_STRATEGIES;
}
