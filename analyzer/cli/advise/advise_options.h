/*
 * SPDX-License-Identifier: MIT
 *
 * What `carrierscope advise` was asked for.
 */
#ifndef CSC_ADVISE_OPTIONS_H
#define CSC_ADVISE_OPTIONS_H

#include "advice.h"
#include "sweep_rows.h"

/* Sets of the user's own. */
enum { ADVISE_OWN_MAX = 32, ADVISE_PARTS_MAX = 4096, ADVISE_VERIFY_MAX = 64 };

enum advise_format { ADVISE_TABLE, ADVISE_JSON };

struct advise_options {
	struct sweep_request request;

	/* Recordings with the advised flags; borrowed. */
	const char *verify[ADVISE_VERIFY_MAX];
	size_t verify_count;
	const char *flags_path;

	/* The board that the log is of; NULL: it is no log. */
	const char *board;
	uint32_t letters;
	unsigned int budget_seconds;
	int objective;
	int target;
	int format;

	/* A share of the search for this machine, 1 to `shards`, into `output`; 0: all of it. */
	uint32_t shard;
	uint32_t shards;
	const char *output;

	/* Files of shares, if they are to be merged, or recordings with the flags of FILE;
	 * borrowed. */
	bool is_merge;
	const char *parts[ADVISE_PARTS_MAX];
	size_t part_count;
};

/* The user's own sets of flags; owned. */
struct advise_own {
	char *lines[ADVISE_OWN_MAX];
	size_t count;
};

/*
 * Searches, prints what was found in the format, and keeps it in the database; yields the exit
 * status.
 */
int advise_search(const struct advise_options *options, struct sweep *sweep,
		const struct advise_own *own);

/* Replays the share and writes it to the output; yields the exit status. */
int advise_shard(const struct advise_options *options, struct sweep *sweep,
		const struct advise_own *own);

/* Copies the shares into the recording's database; CSC_ERROR also if one is missing: `diag`. */
enum csc_status advise_merge(
		const struct advise_options *options, struct sweep *sweep, struct diag *diag);

/* Finds the recording that the first of the parts names, if no other is given. */
enum csc_status advise_find_recording(struct advise_options *options, struct diag *diag);

/* What a search asks for; `file` keeps its replays, NULL: none are kept. */
struct search_request advise_request(const struct advise_options *options,
		const struct advise_own *own, struct sweep_file *file);

/* Ctrl-C ends the search from now on; whether it has. */
void advise_catch_interrupt(void);
bool advise_is_interrupted(void);

#endif
