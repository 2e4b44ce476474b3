/*
 * SPDX-License-Identifier: MIT
 *
 * The eight counters that open what carrier_create and carrier_destroy tell of
 * an allocator instance.  LTTng takes at most ten arguments an event, so they
 * travel as one.
 */
#ifndef CSC_OTP_COUNTERS_H
#define CSC_OTP_COUNTERS_H

/* Counts are of carriers or blocks; sizes are bytes.  unsigned long, as in OTP. */
struct otp_counters {
	unsigned long mbc_carriers;
	unsigned long mbc_carriers_size;
	unsigned long mbc_blocks;
	unsigned long mbc_blocks_size;
	unsigned long sbc_carriers;
	unsigned long sbc_carriers_size;
	unsigned long sbc_blocks;
	unsigned long sbc_blocks_size;
};

#endif
