/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata for a recording of provider `carrierscope` that lost its own.
 *
 * LTTng numbers the events of a provider in the order of its list, those that are enabled;
 * `carrierscope:*` enables them all.  So there are few guesses: all events, alone or beside
 * OTP's carrier events, with each context that an operator adds.  One is taken if it alone
 * decodes every sample to the last bit into values that can be, and if an event is among them
 * whose texts identify it: behind one that is not enabled no event would have its number.
 */
#ifndef CSC_TSDL_OWN_H
#define CSC_TSDL_OWN_H

#include "tsdl_vocabulary.h"

/*
 * `base` may be NULL: metadata that was read in part and declares no stream; its clock is
 * taken.  The text is freed by the caller.
 */
enum tsdl_verdict tsdl_own_prove(const struct ctf_format *format, const struct tsdl *base,
		const struct tsdl_sample *samples, size_t sample_count, char **ret_text);

#endif
