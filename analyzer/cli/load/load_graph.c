/*
 * SPDX-License-Identifier: MIT
 *
 * The same components in the same order as babeltrace2's own command makes, so
 * that both give the same database.
 */
#include "load_graph.h"

#include <stdio.h>
#include <string.h>

#include "bt_error.h"

enum csc_status load_graph_connect(bt_graph *graph, const bt_port_output *from,
		const bt_port_input *to, struct diag *diag)
{
	return bt_graph_connect_ports(graph, from, to, NULL) == BT_GRAPH_CONNECT_PORTS_STATUS_OK
			? CSC_OK
			: bt_error_fail(diag, "cannot connect Babeltrace's components", NULL);
}

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
	return load_graph_connect(builder->graph, from, to, builder->diag);
}

bool load_graph_reads(const struct inputs *inputs, size_t first, size_t at)
{
	const char *group = inputs->items[first].group;

	return at == first ||
			(at > first && group && inputs->items[at].group &&
					strcmp(group, inputs->items[at].group) == 0);
}

/* Appends the paths of all inputs of one group, the first of which is items[at]. */
static enum csc_status list_paths(
		const struct inputs *inputs, size_t at, bt_value *params, struct diag *diag)
{
	bt_value *paths = NULL;

	if (bt_value_map_insert_empty_array_entry(params, "inputs", &paths) != 0) {
		return DIAG_NO_MEMORY(diag);
	}

	for (size_t i = at; i < inputs->count; i++) {
		if (load_graph_reads(inputs, at, i) &&
				bt_value_array_append_string_element(
						paths, inputs->items[i].path) != 0) {
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

/* What a source gets to know; to be put. */
static enum csc_status source_params(
		const struct load_plan *plan, size_t at, bt_value **ret_params, struct diag *diag)
{
	bt_value *params = bt_value_map_create();
	enum csc_status status;

	if (!params) {
		return DIAG_NO_MEMORY(diag);
	}

	status = list_paths(plan->inputs, at, params, diag);
	if (status == CSC_OK && plan->inputs->items[at].is_live &&
			bt_value_map_insert_string_entry(
					params, "session-not-found-action", "fail") != 0) {
		status = DIAG_NO_MEMORY(diag);
	}

	if (status == CSC_OK) {
		*ret_params = params;
	} else {
		bt_value_put_ref(params);
	}

	return status;
}

static enum csc_status add_source(const struct load_plan *plan, bt_graph *graph, size_t at,
		const bt_component_source **ret_source, struct diag *diag)
{
	const struct input *input = &plan->inputs->items[at];
	bt_value *params = NULL;
	enum csc_status status = source_params(plan, at, &params, diag);
	char name[32];

	(void)snprintf(name, sizeof(name), "source-%zu", at);
	if (status == CSC_OK &&
			bt_graph_add_source_component(graph,
					input->is_live ? plan->classes->live : plan->classes->fs,
					name, params, plan->log_level,
					ret_source) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		status = bt_error_fail(diag, input->is_live ? "cannot listen to" : "cannot load",
				input->path);
	}

	bt_value_put_ref(params);
	return status;
}

/* Adds a source and hands all of its streams to the muxer. */
static enum csc_status mux_source(struct builder *builder, size_t at)
{
	const bt_component_source *source = NULL;
	enum csc_status status =
			add_source(builder->plan, builder->graph, at, &source, builder->diag);

	for (uint64_t i = 0;
			status == CSC_OK && i < bt_component_source_get_output_port_count(source);
			i++) {
		status = connect(builder,
				bt_component_source_borrow_output_port_by_index_const(source, i),
				bt_component_filter_borrow_input_port_by_index_const(
						builder->muxer, builder->muxer_ports++));
	}

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
							params, "end", plan->end) != 0)) {
		status = DIAG_NO_MEMORY(builder->diag);
	} else if (bt_graph_add_filter_component(builder->graph, plan->classes->trimmer, "trimmer",
				   params, plan->log_level,
				   ret_trimmer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		status = bt_error_fail(builder->diag, "cannot use the times given", NULL);
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
				   plan->classes->sqlite, "sqlite", params, plan->channel,
				   plan->log_level, ret_sink) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		if (plan->channel->diag.file) {
			*builder->diag = plan->channel->diag;
			bt_error_clear();
			status = CSC_ERROR;
		} else {
			status = bt_error_fail(builder->diag, "cannot write", plan->database);
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
		return bt_error_fail(builder->diag, "cannot make Babeltrace's muxer", NULL);
	}

	for (size_t i = 0; i < plan->inputs->count && status == CSC_OK; i++) {
		if (!was_listed_before(plan->inputs, i)) {
			status = mux_source(builder, i);
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

static bool describe(bt_component_descriptor_set *set, const bt_component_class *class,
		const bt_value *params)
{
	return bt_component_descriptor_set_add_descriptor(set, class, params) ==
			BT_COMPONENT_DESCRIPTOR_SET_ADD_DESCRIPTOR_STATUS_OK;
}

static bool describe_sources(const struct load_plan *plan, bt_component_descriptor_set *set)
{
	const struct bt_classes *classes = plan->classes;
	bool is_described = true;

	for (size_t i = 0; i < plan->inputs->count && is_described; i++) {
		bt_value *params = NULL;
		struct diag ignored = { 0 };

		if (was_listed_before(plan->inputs, i)) {
			continue;
		}

		is_described = source_params(plan, i, &params, &ignored) == CSC_OK &&
				describe(set,
						bt_component_class_source_as_component_class_const(
								plan->inputs->items[i].is_live
										? classes->live
										: classes->fs),
						params);
		bt_value_put_ref(params);
	}

	return is_described;
}

/*
 * The version of messages that all components know, as babeltrace2's own command chooses it:
 * traces in CTF 2 need version 1.  What cannot be asked is 0; its component then reports why.
 */
static uint64_t choose_mip_version(const struct load_plan *plan)
{
	const struct bt_classes *classes = plan->classes;
	bt_component_descriptor_set *set = bt_component_descriptor_set_create();
	uint64_t version = 0;

	if (!set ||
			!describe(set,
					bt_component_class_filter_as_component_class_const(
							classes->muxer),
					NULL) ||
			((plan->begin || plan->end) &&
					!describe(set,
							bt_component_class_filter_as_component_class_const(
									classes->trimmer),
							NULL)) ||
			!describe(set,
					bt_component_class_sink_as_component_class_const(
							classes->sqlite),
					NULL) ||
			!describe_sources(plan, set) ||
			bt_get_greatest_operative_mip_version(set, plan->log_level, &version) !=
					BT_GET_GREATEST_OPERATIVE_MIP_VERSION_STATUS_OK) {
		bt_error_clear();
		version = 0;
	}

	bt_component_descriptor_set_put_ref(set);
	return version;
}

enum csc_status load_graph_begin(
		const struct load_plan *plan, bt_graph **ret_graph, struct diag *diag)
{
	bt_graph *graph = bt_graph_create(choose_mip_version(plan));

	if (!graph) {
		return DIAG_NO_MEMORY(diag);
	}

	*ret_graph = graph;
	return CSC_OK;
}

size_t load_graph_source_count(const struct load_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->inputs->count; i++) {
		count += !was_listed_before(plan->inputs, i);
	}

	return count;
}

enum csc_status load_graph_add_sources(const struct load_plan *plan, bt_graph *graph,
		const bool *wanted, const bt_component_source **ret_sources, size_t *ret_inputs,
		struct diag *diag)
{
	enum csc_status status = CSC_OK;
	size_t count = 0;

	for (size_t i = 0; i < plan->inputs->count && status == CSC_OK; i++) {
		if (!was_listed_before(plan->inputs, i)) {
			ret_inputs[count] = i;
			if (!wanted || wanted[count]) {
				status = add_source(plan, graph, i, &ret_sources[count], diag);
			}
			count++;
		}
	}

	return status;
}

enum csc_status load_graph_create(
		const struct load_plan *plan, bt_graph **ret_graph, struct diag *diag)
{
	struct builder builder = { .plan = plan, .diag = diag };
	enum csc_status status = load_graph_begin(plan, &builder.graph, diag);

	if (status != CSC_OK) {
		return status;
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
