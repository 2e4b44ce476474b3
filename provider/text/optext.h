/* SPDX-License-Identifier: MIT */
/*
 * The text of an operation file: lines, fields, numbers, and the ids of blocks.
 */
#ifndef CSC_OPTEXT_H
#define CSC_OPTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "diag.h"

/* Fields in a line that are looked at. */
#define OPTEXT_FIELDS 64

/* A line that was cut into fields, in place. */
struct optext_line {
	/* Static. */
	const char *path;
	size_t number;
	char *fields[OPTEXT_FIELDS];
	size_t field_count;
};

/* Reads a whole file into memory that the caller frees; `*ret_text` ends with 0. */
enum csc_status optext_read(
		const char *path, char **ret_text, size_t *ret_bytes, struct diag *diag);

/* Cuts `text` into fields at single spaces; two spaces and too many fields are errors. */
enum csc_status optext_cut(struct optext_line *line, char *text, struct diag *diag);

/* A decimal number up to `max`, or (base 16) one with 0x. */
enum csc_status optext_number(const struct optext_line *line, size_t field, uint64_t max,
		uint64_t *ret, struct diag *diag);
enum csc_status optext_hex(const struct optext_line *line, size_t field, uint64_t max,
		uint64_t *ret, struct diag *diag);

/* Returns CSC_ERROR, with "file:line: sentence". */
enum csc_status optext_fail(const struct optext_line *line, struct diag *diag, const char *format,
		...) __attribute__((format(printf, 3, 4)));

/* From ids, as the file has them, to dense numbers. */
struct optext_ids {
	uint64_t *keys;
	/* Number + 1; 0: vacant. */
	uint32_t *numbers;
	size_t room;
	size_t count;
};

/* Enters `id`; `*ret_is_new`: it was unknown.  Returns CSC_NO_MEMORY if there is none. */
enum csc_status optext_ids_enter(
		struct optext_ids *ids, uint64_t id, uint32_t *ret_number, bool *ret_is_new);
/* False: unknown. */
bool optext_ids_find(const struct optext_ids *ids, uint64_t id, uint32_t *ret_number);
void optext_ids_finish(struct optext_ids *ids);

#endif
