/*
 * SPDX-License-Identifier: MIT
 *
 * What a keeper recorded that was killed.
 */
#ifndef CSC_KEEP_LEFT_H
#define CSC_KEEP_LEFT_H

#include <stdbool.h>

#include "keep_judge.h"
#include "note.h"

/* Judges what killed keepers of the case's folder left in it; the trace of the case is not used.
 * False: something could not be judged, which is said. */
bool keep_left_judge_all(const struct keep_case *kept);

/* The same of one killed keeper, unless a keeper uses its folder, which judges it. */
bool keep_left_judge(struct note *note);

#endif
