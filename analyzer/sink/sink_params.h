/*
 * SPDX-License-Identifier: MIT
 *
 * The parameters of sink.carrierscope.sqlite.
 */
#ifndef CSC_SINK_PARAMS_H
#define CSC_SINK_PARAMS_H

#include <babeltrace2/babeltrace.h>

#include "diag.h"
#include "store.h"

/*
 * Reads the parameters into options; texts are borrowed from `params`.  An
 * unknown or mistyped one is an error that lists those there are.
 */
enum csc_status sink_params_read(
		const bt_value *params, struct store_options *options, struct diag *diag);

#endif
