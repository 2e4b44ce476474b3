/*
 * SPDX-License-Identifier: MIT
 *
 * The same components in the same order as babeltrace2's own command makes, so
 * that both give the same database.
 */
#include "load_graph.h"

#include <stdio.h>
#include <string.h>

#include "causes.h"

struct builder {
	const struct load_plan *plan;
	bt_graph *graph;
	const bt_component_filter *muxer;
	uint64_t muxer_ports;
	struct diag *diag;
};

static enum csc_status connect(
		struct builder *builder, const bt_port_output *from, const bt_port_input *to)
{
	if (bt_graph_connect_ports(builder->graph, from, to, NULL) !=
			BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
		return causes_fail(builder->diag, "cannot connect Babeltrace's components", NULL);
	}

	return CSC_OK;
}

/* Appends the paths of all inputs of one group, the first of which is items[at]. */
static enum csc_status list_paths(
		const struct inputs *inputs, size_t at, bt_value *params, struct diag *diag)
{
	const char *group = inputs->items[at].group;
	bt_value *paths = NULL;

	if (bt_value_map_insert_empty_array_entry(params, "inputs", &paths) != 0) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = at; i < inputs->count; i++) {
		const struct input *input = &inputs->items[i];

		if (i != at && (!group || !input->group || strcmp(group, input->group) != 0)) {
			continue;
		}

		if (bt_value_array_append_string_element(paths, input->path) != 0) {
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

static bool was_listed_before(const struct inputs *inputs, size_t at)
{
	const char *group = inputs->items[at].group;

	for (size_t i = 0; group && i < at; i++) {
		if (inputs->items[i].group && strcmp(inputs->items[i].group, group) == 0) {
			return true;
		}
	}

	return false;
}

static enum csc_status add_source(struct builder *builder, size_t at)
{
	const struct load_plan *plan = builder->plan;
	const struct input *input = &plan->inputs->items[at];
	const bt_component_source *source = NULL;
	bt_value *params = bt_value_map_create();
	enum csc_status status;
	char name[32];

	if (!params) {
		return DIAG_NO_MEMORY(builder->diag);
	}

	status = list_paths(plan->inputs, at, params, builder->diag);
	if (status == CSC_OK && input->is_live &&
			bt_value_map_insert_string_entry(
					params, "session-not-found-action", "fail") != 0) {
		status = DIAG_NO_MEMORY(builder->diag);
	}

	(void)snprintf(name, sizeof(name), "source-%zu", at);
	if (status == CSC_OK &&
			bt_graph_add_source_component(builder->graph,
					input->is_live ? plan->classes->live : plan->classes->fs,
					name, params, plan->log_level,
					&source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		status = causes_fail(builder->diag,
				input->is_live ? "cannot listen to" : "cannot load", input->path);
	}

	for (uint64_t i = 0;
			status == CSC_OK && i < bt_component_source_get_output_port_count(source);
			i++) {
		status = connect(builder,
				bt_component_source_borrow_output_port_by_index_const(source, i),
				bt_component_filter_borrow_input_port_by_index_const(
						builder->muxer, builder->muxer_ports++));
	}

	bt_value_put_ref(params);
	return status;
}

static enum csc_status add_trimmer(struct builder *builder, const bt_component_filter **ret_trimmer)
{
	const struct load_plan *plan = builder->plan;
	bt_value *params = bt_value_map_create();
	enum csc_status status = CSC_OK;

	if (!params ||
			(plan->begin &&
					bt_value_map_insert_string_entry(
							params, "begin", plan->begin) != 0) ||
			(plan->end &&
					bt_value_map_insert_string_entry(
							params, "end", plan->end) != 0) ||
			bt_value_map_insert_bool_entry(params, "gmt", plan->is_gmt) != 0) {
		status = DIAG_NO_MEMORY(builder->diag);
	} else if (bt_graph_add_filter_component(builder->graph, plan->classes->trimmer, "trimmer",
				   params, plan->log_level,
				   ret_trimmer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		status = causes_fail(builder->diag, "cannot use the times given", NULL);
	}

	bt_value_put_ref(params);
	return status;
}

static enum csc_status add_sink(struct builder *builder, const bt_component_sink **ret_sink)
{
	const struct load_plan *plan = builder->plan;
	bt_value *params = bt_value_map_create();
	enum csc_status status = CSC_OK;

	if (!params || bt_value_map_insert_string_entry(params, "path", plan->database) != 0 ||
			bt_value_map_insert_bool_entry(params, "force", plan->is_forced) != 0 ||
			bt_value_map_insert_bool_entry(params, "append", plan->is_appending) != 0) {
		status = DIAG_NO_MEMORY(builder->diag);
	} else if (bt_graph_add_sink_component_with_initialize_method_data(builder->graph,
				   plan->classes->sqlite, "sqlite", params, plan->link,
				   plan->log_level, ret_sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		if (plan->link->diag.file) {
			*builder->diag = plan->link->diag;
			causes_clear();
			status = CSC_ERROR;
		} else {
			status = causes_fail(builder->diag, "cannot write", plan->database);
		}
	}

	bt_value_put_ref(params);
	return status;
}

static enum csc_status build(struct builder *builder)
{
	const struct load_plan *plan = builder->plan;
	const bt_component_filter *last;
	const bt_component_sink *sink = NULL;
	enum csc_status status = CSC_OK;

	if (bt_graph_add_filter_component(builder->graph, plan->classes->muxer, "muxer", NULL,
			    plan->log_level, &builder->muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		return causes_fail(builder->diag, "cannot make Babeltrace's muxer", NULL);
	}

	for (size_t i = 0; i < plan->inputs->count && status == CSC_OK; i++) {
		if (!was_listed_before(plan->inputs, i)) {
			status = add_source(builder, i);
		}
	}

	last = builder->muxer;
	if (status == CSC_OK && (plan->begin || plan->end)) {
		const bt_component_filter *trimmer = NULL;

		status = add_trimmer(builder, &trimmer);
		if (status == CSC_OK) {
			status = connect(builder,
					bt_component_filter_borrow_output_port_by_index_const(
							last, 0),
					bt_component_filter_borrow_input_port_by_index_const(
							trimmer, 0));
			last = trimmer;
		}
	}

	if (status == CSC_OK) {
		status = add_sink(builder, &sink);
	}

	if (status == CSC_OK) {
		status = connect(builder,
				bt_component_filter_borrow_output_port_by_index_const(last, 0),
				bt_component_sink_borrow_input_port_by_index_const(sink, 0));
	}

	return status;
}

enum csc_status load_graph_create(
		const struct load_plan *plan, bt_graph **ret_graph, struct diag *diag)
{
	struct builder builder = { .plan = plan, .graph = bt_graph_create(0), .diag = diag };
	enum csc_status status;

	if (!builder.graph) {
		return DIAG_NO_MEMORY(diag);
	}

	if (plan->interrupter &&
			bt_graph_add_interrupter(builder.graph, plan->interrupter) !=
					BT_GRAPH_ADD_INTERRUPTER_STATUS_OK) {
		status = DIAG_NO_MEMORY(diag);
	} else {
		status = build(&builder);
	}

	if (status != CSC_OK) {
		bt_graph_put_ref(builder.graph);
		return status;
	}

	*ret_graph = builder.graph;
	return CSC_OK;
}
