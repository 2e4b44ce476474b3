/*
 * SPDX-License-Identifier: MIT
 *
 * What lay in the rings of a process when it was killed, behind its last batch.
 */
#ifndef CSC_INTAKE_RINGS_H
#define CSC_INTAKE_RINGS_H

#include "diag.h"

struct held_process;
struct intake;

/*
 * Holds what is found of a process that has not said that it emits no more, and ends its waiting.
 * All of its rings go on where the trace ends, or nothing is taken, and why is noted.
 */
enum csc_status intake_join_rings(
		struct intake *intake, struct held_process *process, struct diag *diag);

#endif
