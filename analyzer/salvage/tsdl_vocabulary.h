/*
 * SPDX-License-Identifier: MIT
 *
 * Metadata for a trace that lost its own, made from the list of the carrier
 * events and proved by the packets themselves.
 */
#ifndef CSC_TSDL_VOCABULARY_H
#define CSC_TSDL_VOCABULARY_H

#include "ctf_packet.h"
#include "tsdl.h"

/* One whole packet to prove metadata with. */
struct tsdl_sample {
	struct ctf_packet packet;
	uint8_t *bytes;
};

enum tsdl_verdict {
	/* One guess explains the packets. */
	TSDL_PROVED,

	/* None does: these are not OTP's carrier events alone, or not so written. */
	TSDL_REFUTED,

	/* Several do, and nothing shows which is true. */
	TSDL_UNDECIDED,
	TSDL_NO_MEMORY,
};

/*
 * Makes metadata that explains the samples.
 *
 * base: NULL, or metadata that was read in part.  When it declares streams, its
 * text (base_text, base_bytes) is kept and only events are added; otherwise its
 * clock alone is used.  The text is freed by the caller.
 */
enum tsdl_verdict tsdl_vocabulary_prove(const struct ctf_format *format, const struct tsdl *base,
		const char *base_text, size_t base_bytes, const struct tsdl_sample *samples,
		size_t sample_count, char **ret_text);

/* Number of the samples that the metadata explains to the last bit. */
size_t tsdl_samples_explained(const struct tsdl *tsdl, const struct ctf_format *format,
		const struct tsdl_sample *samples, size_t sample_count);

#endif
