/*
 * SPDX-License-Identifier: MIT
 */
#include "packing.h"

#include <assert.h>
#include <string.h>

#include "growing.h"

enum { ALIGNMENT = 8 };

void *packing_add(struct packing *packing, size_t size)
{
	char *added;

	if (!csc_grow(&packing->bytes, &packing->capacity, packing->length + size, 1)) {
		return NULL;
	}

	assert(packing->bytes);
	added = packing->bytes + packing->length;
	memset(added, 0, size);
	packing->length += size;
	return added;
}

void *packing_begin(struct packing *packing, size_t size)
{
	assert(packing->length % ALIGNMENT == 0 && size >= sizeof(struct packed));
	packing->begin = packing->length;
	return packing_add(packing, size);
}

size_t packing_add_text(struct packing *packing, const char *text)
{
	size_t size = strlen(text) + 1;
	size_t offset = packing->length - packing->begin;

	if (!csc_grow(&packing->bytes, &packing->capacity, packing->length + size, 1)) {
		return 0;
	}

	assert(packing->bytes);
	memcpy(packing->bytes + packing->length, text, size);
	packing->length += size;
	return offset;
}

bool packing_align(struct packing *packing)
{
	size_t over = packing->length % ALIGNMENT;

	return over == 0 || packing_add(packing, ALIGNMENT - over);
}

bool packing_end(struct packing *packing)
{
	struct packed *record;

	if (!packing_align(packing)) {
		return false;
	}

	record = packing_record(packing);
	record->bytes = (uint32_t)(packing->length - packing->begin);
	return true;
}
