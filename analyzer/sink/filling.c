/*
 * SPDX-License-Identifier: MIT
 */
#include "filling.h"

#include <babeltrace2/babeltrace.h>
#include <stdio.h>

#include "judge.h"

/* Stores what was lost before Babeltrace could read it. */
static enum csc_status take_losses(struct filling *filling, struct diag *diag)
{
	enum csc_status status = CSC_OK;

	for (size_t i = 0; filling->channel && i < filling->channel->loss_count && status == CSC_OK;
			i++) {
		const struct sink_loss *loss = &filling->channel->losses[i];

		status = store_begin_event(filling->store, diag);
		if (status == CSC_OK && loss->file) {
			struct lost_row *row = store_lost_row(filling->store, -1);

			row->begin_ns = loss->begin_ns;
			row->end_ns = loss->end_ns;
			row->events = loss->events;
			row->packets = loss->packets;
			row->offset_bytes = loss->offset_bytes;
			row->length_bytes = loss->length_bytes;
			if (loss->packets != ROW_NULL) {
				catalog_count(&store_catalog(filling->store)->lost_packets,
						(uint64_t)loss->packets);
			}

			if (loss->events != ROW_NULL) {
				catalog_count(&store_catalog(filling->store)->lost_events,
						(uint64_t)loss->events);
			}

			if (!store_text(filling->store, loss->cause, &row->cause) ||
					!store_text(filling->store, loss->file, &row->file)) {
				return DIAG_NO_MEMORY(diag);
			}
		}

		if (status == CSC_OK) {
			status = store_problem(filling->store, loss->cause, loss->severity, 1, diag,
					"%s", loss->sentence);
		}
	}

	return status;
}

enum csc_status filling_open(struct filling *filling, const struct store_options *options,
		struct load_channel *channel, struct diag *diag)
{
	struct store_options named = *options;
	enum csc_status status;
	char reader[64];

	(void)snprintf(reader, sizeof(reader), "babeltrace2 %u.%u.%u", bt_version_get_major(),
			bt_version_get_minor(), bt_version_get_patch());
	named.loader_name = reader;
	named.judge = judge_store;
	filling->channel = channel;
	status = store_open(&named, &filling->store, diag);
	if (status == CSC_OK) {
		status = intake_create(filling->store, channel ? channel->paths : NULL,
				channel ? channel->path_count : 0, channel && channel->takes_rings,
				&filling->intake, diag);
	}

	return status == CSC_OK ? take_losses(filling, diag) : status;
}

void filling_report(const struct filling *filling)
{
	const struct catalog *catalog;

	if (!filling->channel || !filling->store) {
		return;
	}

	catalog = store_catalog(filling->store);
	filling->channel->events = catalog->event_total;
	filling->channel->lost_events = catalog->lost_events;
	filling->channel->lost_packets = catalog->lost_packets;
	filling->channel->problems = store_problem_count(filling->store, SEVERITY_INFO);
	filling->channel->serious_problems =
			store_problem_count(filling->store, SEVERITY_DATA_LOSS);
}

enum csc_status filling_close(struct filling *filling, bool is_complete, struct diag *diag)
{
	enum csc_status status = intake_end(filling->intake, diag);

	filling_report(filling);
	if (filling->channel) {
		filling->channel->rows_phase = store_elapsed(filling->store);
	}

	if (status == CSC_OK) {
		status = store_close(filling->store, is_complete, diag);
	} else {
		store_destroy(filling->store);
	}

	filling->store = NULL;
	return status;
}

void filling_destroy(struct filling *filling)
{
	intake_destroy(filling->intake);
	store_destroy(filling->store);
	*filling = (struct filling){ 0 };
}
