/*
 * SPDX-License-Identifier: MIT
 *
 * Three parameters in a table.
 */
#include "sink_params.h"

#include <string.h>

#define VALID "valid: path (string, required), force (boolean), append (boolean)"

struct reading {
	struct store_options *options;
	struct diag *diag;
	enum csc_status status;
};

static bt_bool is_boolean(const bt_value *value)
{
	return bt_value_is_bool(value);
}

static bt_value_map_foreach_entry_const_func_status read_entry(
		const char *key, const bt_value *value, void *data)
{
	struct reading *reading = data;
	bool *flag = NULL;

	if (strcmp(key, "path") == 0) {
		if (bt_value_is_string(value)) {
			reading->options->path = bt_value_string_get(value);
			return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
		}

		reading->status = DIAG_FAIL(
				reading->diag, "parameter 'path' is not a string; " VALID);
		return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_INTERRUPT;
	}

	if (strcmp(key, "force") == 0) {
		flag = &reading->options->is_forced;
	} else if (strcmp(key, "append") == 0) {
		flag = &reading->options->is_appending;
	}

	if (!flag) {
		reading->status = DIAG_FAIL(reading->diag, "unknown parameter '%s'; " VALID, key);
	} else if (!is_boolean(value)) {
		reading->status = DIAG_FAIL(
				reading->diag, "parameter '%s' is not a boolean; " VALID, key);
	} else {
		*flag = bt_value_bool_get(value) == BT_TRUE;
		return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
	}

	return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_INTERRUPT;
}

enum csc_status sink_params_read(
		const bt_value *params, struct store_options *options, struct diag *diag)
{
	struct reading reading = { options, diag, CSC_OK };

	(void)bt_value_map_foreach_entry_const(params, read_entry, &reading);
	if (reading.status != CSC_OK) {
		return reading.status;
	}

	if (!options->path || !*options->path) {
		return DIAG_FAIL(diag, "parameter 'path' is missing; " VALID);
	}

	if (options->is_forced && options->is_appending) {
		return DIAG_FAIL(diag, "parameters 'force' and 'append' exclude each other");
	}

	return CSC_OK;
}
