/*
 * SPDX-License-Identifier: MIT
 *
 * The module that is pushed into a node (provider/beam/push), compressed and in base64, as the
 * build made it; empty: it was built without Erlang.
 */
#ifndef CSC_PUSH_MODULE_H
#define CSC_PUSH_MODULE_H

/* For OTP 25 and later; for those before. */
extern const char module_pushed_modern[];
extern const char module_pushed_old[];

/* The first release of the former. */
enum { PUSH_MODERN_RELEASE = 25, PUSH_OLDEST_RELEASE = 22 };

#endif
