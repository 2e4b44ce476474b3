/*
 * SPDX-License-Identifier: MIT
 *
 * What a stream lacks at its end.
 */
#ifndef CSC_INTAKE_ENDS_H
#define CSC_INTAKE_ENDS_H

#include "diag.h"

struct intake;

/*
 * When nothing more comes: notes streams of files that end before the others of their channel, and
 * those that have nothing.  A process that is killed within an event leaves it half written;
 * LTTng's consumer then delivers neither that sub-buffer of that processor nor a later one, and
 * says nothing.
 */
enum csc_status intake_note_ends(struct intake *intake, struct diag *diag);

#endif
