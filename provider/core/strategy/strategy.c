/* SPDX-License-Identifier: MIT */
/* Which operations belong to which strategy. */
#include "strategy.h"

#include <stddef.h>

#include "instance.h"
#include "layout.h"

csc_word strategy_min_bytes(enum csc_strategy strategy)
{
	csc_word node;

	switch (strategy) {
	case CSC_BF:
		node = (csc_word)(CSC_WORD_BYTES == 8 ? 56 : 28);
		break;
	case CSC_AOBF:
		node = (csc_word)(CSC_WORD_BYTES == 8 ? 48 : 24);
		break;
	case CSC_GF:
	case CSC_AF:
		node = 4 * BLOCK_HEADER;
		break;
	default:
		node = sizeof(struct node);
		break;
	}
	return word_up8(node + BLOCK_HEADER);
}

const struct strategy_ops *strategy_init(struct csc_instance *instance)
{
	switch (instance->settings.strategy) {
	case CSC_BF:
		return &bestfit_ops;
	case CSC_AOBF:
		return &address_bestfit_ops;
	case CSC_GF:
		goodfit_init(instance);
		return &goodfit_ops;
	case CSC_AF:
		return &afit_ops;
	case CSC_AOFF:
	case CSC_AGEFFCAOFF:
		return &address_firstfit_ops;
	default:
		return &firstfit_ops;
	}
}
