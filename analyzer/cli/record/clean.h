/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope record --clean`.
 */
#ifndef CSC_RECORD_CLEAN_H
#define CSC_RECORD_CLEAN_H

/* Ends what killed recorders left, and judges what they recorded; yields an exit status. */
int record_clean(void);

#endif
