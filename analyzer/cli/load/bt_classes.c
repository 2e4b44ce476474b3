/*
 * SPDX-License-Identifier: MIT
 *
 * Two plugins of Babeltrace's, one of ours.
 */
#include "bt_classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bt_error.h"

enum { PATH_BYTES = 4096 };

static const char plugin_file[] = "babeltrace-plugin-carrierscope.so";

static enum csc_status find_plugin(
		const char *name, const bt_plugin **ret_plugin, struct diag *diag)
{
	if (bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, ret_plugin) !=
			BT_PLUGIN_FIND_STATUS_OK) {
		return bt_error_fail(diag, "cannot find Babeltrace's plugin", name);
	}

	return CSC_OK;
}

/* Takes the plugin out of a file; CSC_OK and no plugin when there is no such file. */
static enum csc_status find_in_file(
		const char *path, const bt_plugin **ret_plugin, struct diag *diag)
{
	const bt_plugin_set *plugins = NULL;

	if (access(path, R_OK) != 0) {
		return CSC_OK;
	}

	if (bt_plugin_find_all_from_file(path, BT_TRUE, &plugins) !=
			BT_PLUGIN_FIND_ALL_FROM_FILE_STATUS_OK) {
		return bt_error_fail(diag, "cannot load the plugin", path);
	}

	*ret_plugin = bt_plugin_set_borrow_plugin_by_index_const(plugins, 0);
	bt_plugin_get_ref(*ret_plugin);
	bt_plugin_set_put_ref(plugins);
	return CSC_OK;
}

static enum csc_status find_own(const bt_plugin **ret_plugin, struct diag *diag)
{
	const char *named = getenv("CARRIERSCOPE_PLUGIN_DIR");
	char program[PATH_BYTES] = "";
	char path[2 * PATH_BYTES];
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *slash;
	enum csc_status status = CSC_OK;

	if (named && *named) {
		(void)snprintf(path, sizeof(path), "%s/%s", named, plugin_file);
		if (access(path, R_OK) != 0) {
			return DIAG_FAIL(diag, "cannot find the plugin '%s'", path);
		}

		return find_in_file(path, ret_plugin, diag);
	}

	program[length > 0 ? length : 0] = '\0';
	slash = strrchr(program, '/');
	if (slash) {
		*slash = '\0';
		(void)snprintf(path, sizeof(path), "%s/%s", program, plugin_file);
		status = find_in_file(path, ret_plugin, diag);
		if (status == CSC_OK && !*ret_plugin) {
			(void)snprintf(path, sizeof(path), "%s/%s/%s", program,
					CSC_PLUGIN_FROM_PROGRAM, plugin_file);
			status = find_in_file(path, ret_plugin, diag);
		}
	}

	if (status == CSC_OK && !*ret_plugin) {
		status = find_plugin("carrierscope", ret_plugin, diag);
	}

	return status;
}

enum csc_status bt_classes_find(struct bt_classes *ret_classes, struct diag *diag)
{
	struct bt_classes classes = { 0 };
	enum csc_status status = find_plugin("ctf", &classes.ctf, diag);

	if (status == CSC_OK) {
		status = find_plugin("utils", &classes.utils, diag);
	}

	if (status == CSC_OK) {
		status = find_own(&classes.carrierscope, diag);
	}

	if (status == CSC_OK) {
		classes.fs = bt_plugin_borrow_source_component_class_by_name_const(
				classes.ctf, "fs");
		classes.live = bt_plugin_borrow_source_component_class_by_name_const(
				classes.ctf, "lttng-live");
		classes.muxer = bt_plugin_borrow_filter_component_class_by_name_const(
				classes.utils, "muxer");
		classes.trimmer = bt_plugin_borrow_filter_component_class_by_name_const(
				classes.utils, "trimmer");
		classes.sqlite = bt_plugin_borrow_sink_component_class_by_name_const(
				classes.carrierscope, "sqlite");
		if (!classes.fs || !classes.live || !classes.muxer || !classes.trimmer ||
				!classes.sqlite) {
			status = DIAG_FAIL(diag, "Babeltrace's plugins lack a component class");
		}
	}

	if (status != CSC_OK) {
		bt_classes_put(&classes);
		return status;
	}

	*ret_classes = classes;
	return CSC_OK;
}

void bt_classes_put(struct bt_classes *classes)
{
	bt_plugin_put_ref(classes->ctf);
	bt_plugin_put_ref(classes->utils);
	bt_plugin_put_ref(classes->carrierscope);
	*classes = (struct bt_classes){ 0 };
}
