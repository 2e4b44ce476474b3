/*
 * SPDX-License-Identifier: MIT
 *
 * Where the component classes of the loading graph come from.
 */
#ifndef CSC_BT_CLASSES_H
#define CSC_BT_CLASSES_H

#include <babeltrace2/babeltrace.h>

#include "diag.h"

struct bt_classes {
	const bt_plugin *ctf;
	const bt_plugin *utils;
	const bt_plugin *carrierscope;

	/* Borrowed from the plugins. */
	const bt_component_class_source *fs;
	const bt_component_class_source *live;
	const bt_component_class_filter *muxer;
	const bt_component_class_filter *trimmer;
	const bt_component_class_sink *sqlite;
};

/*
 * Finds all.  Our own plugin is looked for in $CARRIERSCOPE_PLUGIN_DIR, beside
 * the program, where it is installed relative to the program, and where
 * babeltrace2 looks.
 */
enum csc_status bt_classes_find(struct bt_classes *ret_classes, struct diag *diag);

/* All zeroes is fine. */
void bt_classes_put(struct bt_classes *classes);

#endif
