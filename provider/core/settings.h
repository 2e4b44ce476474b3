/* SPDX-License-Identifier: MIT */
/*
 * The options of one allocator, under the names of the runtime's command line.
 */
#ifndef CSC_SETTINGS_H
#define CSC_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "names.h"

/* How free blocks are chosen; `+M<S>as`. */
enum csc_strategy {
	CSC_BF,
	CSC_AOBF,
	CSC_GF,
	CSC_AF,
	CSC_AOFF,
	CSC_AOFFCBF,
	CSC_AOFFCAOBF,
	CSC_AGEFFCAOFF,
	CSC_AGEFFCBF,
	CSC_AGEFFCAOBF,
	CSC_STRATEGIES,
};

/* Bytes, percent and counts as in SOURCES.md 7; unlimited is UINT64_MAX. */
struct csc_settings {
	enum csc_strategy strategy;
	bool ramv;
	bool atags;
	/*
	 * The runtime can change it while it runs, and nothing else of these:
	 * erlang:system_flag(erts_alloc, {Allocator, sbct, Bytes}).  Never with `gf`, whose lists
	 * are made for it: such an instance answers notsup and keeps what it has (so does one that
	 * is asked for less than 4000).  Hence there is no such thing as gf with another sbct than
	 * at its start, and goodfit_init() reads it once.  The other strategies do not look at it:
	 * csc_instance_set_sbct().
	 * Source: OTP 25.2.3, tests/core/live.
	 */
	uint64_t sbct;
	uint64_t asbcst;
	uint64_t rsbcst;
	uint64_t rsbcmt;
	uint64_t rmbcmt;
	uint64_t mmbcs;
	uint64_t mmsbc;
	uint64_t mmmbc;
	uint64_t lmbcs;
	uint64_t smbcs;
	uint64_t mbcgs;
	uint64_t acul;
	uint64_t acful;
	uint64_t acnl;
	uint64_t acfml;
	uint64_t mbsd;

	/* Of all allocators: `+Muycs`, `+Mummc`, `+Musac`. */
	uint64_t ycs;
	uint64_t mmc;
	bool sac;

	/*
	 * No flag, but a patch of a port: multi-block carriers from sys_alloc are smaller by this
	 * many bytes than a multiple of the carrier unit.
	 */
	uint64_t carrier_trim;
};

/*
 * The values every allocator starts from.
 * Source: SOURCES.md 7.1, 7.2.
 */
void csc_settings_init(struct csc_settings *settings);

/* The name as `+M<S>as` takes it; NULL: no such strategy. */
const char *csc_strategy_name(enum csc_strategy strategy);

/* Sets `*ret_strategy`; false: no such name. */
bool csc_strategy_find(const char *name, enum csc_strategy *ret_strategy);

/* The strategy belongs to the address-order and age-order first-fit family. */
bool csc_strategy_is_first_fit(enum csc_strategy strategy);

#endif
