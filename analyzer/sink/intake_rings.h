/*
 * SPDX-License-Identifier: MIT
 *
 * What lay in the rings of a process when it was killed, behind its last batch.
 */
#ifndef CSC_INTAKE_RINGS_H
#define CSC_INTAKE_RINGS_H

#include "diag.h"

struct intake;

/*
 * When nothing more comes: holds what is found of processes that have not said that they emit no
 * more, which are waited for no longer.  All rings of one go on where the trace ends, or nothing of
 * it is taken, and why is noted.
 */
enum csc_status intake_join_rings(struct intake *intake, struct diag *diag);

#endif
