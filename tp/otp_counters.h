/*
 * SPDX-License-Identifier: MIT
 *
 * The eight counters of an allocator instance that open carrier_create and carrier_destroy.  LTTng
 * takes at most ten arguments an event, so they travel as one.
 */
#ifndef CSC_OTP_COUNTERS_H
#define CSC_OTP_COUNTERS_H

/* In OTP's order.  Counts are of carriers or blocks; every *_size is bytes. */
/* clang-format off */
#define OTP_COUNTERS(X) \
	X(mbc_carriers) \
	X(mbc_carriers_size) \
	X(mbc_blocks) \
	X(mbc_blocks_size) \
	X(sbc_carriers) \
	X(sbc_carriers_size) \
	X(sbc_blocks) \
	X(sbc_blocks_size)
/* clang-format on */

/* unsigned long, as in OTP. */
#define OTP_COUNTER_MEMBER(name) unsigned long name;
struct otp_counters {
	OTP_COUNTERS(OTP_COUNTER_MEMBER)
};
#undef OTP_COUNTER_MEMBER

#endif
