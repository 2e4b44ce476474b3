/*
 * SPDX-License-Identifier: MIT
 *
 * Which counters a row of the ledger explains.
 */
#ifndef CSC_TEST_LEDGER_SIDE_H
#define CSC_TEST_LEDGER_SIDE_H

#include "rows.h"

enum ledger_side { SIDE_MBC, SIDE_SBC, SIDE_NONE };

static inline enum ledger_side ledger_side_of(const struct ledger_row *row)
{
	switch ((enum ledger_kind)row->kind) {
	case LEDGER_POOL_FETCH:
	case LEDGER_BASE_MBC:
	case LEDGER_UNEXPLAINED_MBC:
		return SIDE_MBC;
	case LEDGER_SBC_FREE:
	case LEDGER_SBC_RESIZE:
	case LEDGER_BASE_SBC:
	case LEDGER_UNEXPLAINED_SBC:
		return SIDE_SBC;
	case LEDGER_FOREIGN_ADOPTION:
	case LEDGER_RESURRECTION:
	case LEDGER_KINDS:
		break;
	}

	return SIDE_NONE;
}

#endif
