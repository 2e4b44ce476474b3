/*
 * SPDX-License-Identifier: MIT
 *
 * The stack of open containers.
 */
#include "term.h"

#include <stdio.h>
#include <stdlib.h>

enum csc_status terms_start(struct terms *terms, struct diag *diag)
{
	for (size_t i = 0; i < TERM_DEPTH; i++) {
		terms->frames[i].items = malloc(TERM_ITEMS * sizeof(*terms->frames[i].items));
		if (!terms->frames[i].items) {
			terms_finish(terms);
			return DIAG_NO_MEMORY(diag);
		}
	}

	return CSC_OK;
}

void terms_finish(struct terms *terms)
{
	for (size_t i = 0; i < TERM_DEPTH; i++) {
		free(terms->frames[i].items);
		terms->frames[i].items = NULL;
	}
}

bool term_open(struct terms *terms, enum term_kind kind)
{
	struct term_frame *frame;

	if (terms->depth == TERM_DEPTH) {
		return false;
	}

	frame = &terms->frames[terms->depth++];
	frame->kind = kind;
	frame->count = 0;
	return true;
}

/* Adds an element to the innermost container. */
static void add(struct terms *terms, const struct term_item *item)
{
	struct term_frame *frame = &terms->frames[terms->depth - 1];

	if (frame->kind == TERM_MAP) {
		if (frame->count % 2 == 0) {
			frame->items[0] = *item;
		}
	} else if (frame->count < TERM_ITEMS) {
		frame->items[frame->count] = *item;
	}

	frame->count++;
}

void term_scalar(struct terms *terms, const struct term_item *item)
{
	if (terms->depth > 0) {
		add(terms, item);
	} else {
		terms->scalar(terms->data, item);
	}
}

/* What is left of a container in the one around it. */
static struct term_item summary(const struct term_frame *frame)
{
	struct term_item item = { .kind = frame->kind };
	const struct term_item *items = frame->items;

	if (frame->kind != TERM_TUPLE || frame->count < 2 || items[0].kind != TERM_ATOM) {
		return item;
	}

	if (frame->count == 2 && items[1].kind == TERM_INTEGER) {
		item = items[0];
		item.kind = TERM_TUPLE;
		item.number = items[1].number;
		item.is_huge = items[1].is_huge;
	} else if (frame->count == 3 && items[1].kind == TERM_ATOM &&
			items[2].kind == TERM_INTEGER) {
		int length = snprintf(item.text, sizeof(item.text), "%.*s:%.*s/%lld",
				(int)items[0].length, items[0].text, (int)items[1].length,
				items[1].text, (long long)items[2].number);

		item.length = length < (int)sizeof(item.text) ? (size_t)length
							      : sizeof(item.text) - 1;
	}

	return item;
}

bool term_close(struct terms *terms, enum term_kind kind)
{
	const struct term_frame *frame;
	struct term_item item;

	if (terms->depth == 0 || terms->frames[terms->depth - 1].kind != kind) {
		return false;
	}

	frame = &terms->frames[terms->depth - 1];
	terms->close(terms->data, frame);
	item = summary(frame);
	terms->depth--;
	if (terms->depth > 0) {
		add(terms, &item);
	}

	return true;
}
