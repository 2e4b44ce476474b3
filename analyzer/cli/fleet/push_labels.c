/*
 * SPDX-License-Identifier: MIT
 */
#include "push_labels.h"

#include <stddef.h>
#include <string.h>

bool push_labels_take(struct push_labels *labels, const char *text)
{
	const struct {
		const char *name;
		const char **value;
	} known[] = { { "app", &labels->app }, { "release", &labels->release },
		{ "flags", &labels->flags }, { "node", &labels->node }, { "page", &labels->page } };
	size_t length = strcspn(text, "=");

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].name) == length && strncmp(known[i].name, text, length) == 0 &&
				text[length] == '=') {
			*known[i].value = text + length + 1;
			return true;
		}
	}
	return false;
}
