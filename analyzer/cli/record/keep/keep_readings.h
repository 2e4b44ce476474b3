/*
 * SPDX-License-Identifier: MIT
 *
 * A keeper of a node that has nothing of ours, or where LTTng is missing: a module is pushed into
 * it, and what it reads lies in parts in the keeper's folder, the newest of them.
 */
#ifndef CSC_KEEP_READINGS_H
#define CSC_KEEP_READINGS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "keep_fleet.h"
#include "keep_options.h"
#include "node.h"
#include "push.h"

struct keep_readings {
	const struct keep_options *options;
	const struct record_node *node;

	/* As it was asked for. */
	const char *shown;

	/* The keeper's folder, absolute, and the folder of its parts. */
	const char *folder;
	const char *trace;
	const volatile sig_atomic_t *is_interrupted;

	/* Gets the minutes of each part, and the alarms. */
	struct keep_fleet *fleet;

	/* What came last could not be judged. */
	bool has_failed;

	/* The rest is keep_readings.c's. */
	int64_t silent_until[KEEP_REASONS];
	unsigned int part;
	unsigned int part_seconds;
	unsigned int parts;
	unsigned int failures;
	bool is_said;

	/* Of the node that is read: the first part of this life, which life it is, and that there
	 * was another one before. */
	unsigned int first_part;
	uint32_t life;
	bool has_life;
	bool is_restarted;

	/* What growth is judged by, from part to part. */
	char history[PUSH_HISTORY_BYTES];
};

/* Whether what was refused can be done without blocks: nobody asked for them, or for parts on disk.
 */
bool keep_readings_can(const struct keep_options *options, const struct diag *why);

/*
 * Until somebody interrupts, or with --once until the node is gone.  At its end nothing is left in
 * the node, and no part.  Errors: the node cannot be read the first time.
 */
enum csc_status keep_readings(struct keep_readings *keeper, struct diag *diag);

#endif
