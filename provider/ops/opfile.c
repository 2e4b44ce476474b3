/* SPDX-License-Identifier: MIT */
/* An operation file. */
#include "opfile.h"

#include <stdlib.h>
#include <string.h>

#include "opheader.h"
#include "optext.h"

/* A file while it is read. */
struct reader {
	struct opfile *opfile;
	struct diag *diag;
	struct optext_line line;
	struct optext_ids ids;
	size_t base_room;
	size_t op_room;
};

/* Makes room for one more element. */
static enum csc_status make_room(void **array, size_t *room, size_t count, size_t bytes)
{
	if (count < *room) {
		return CSC_OK;
	}

	size_t larger = *room ? *room * 2 : 1024;
	void *moved = realloc(*array, larger * bytes);
	if (!moved) {
		return CSC_NO_MEMORY;
	}
	*array = moved;
	*room = larger;
	return CSC_OK;
}

static enum csc_status read_carrier(struct reader *reader)
{
	struct opfile *opfile = reader->opfile;
	uint64_t max = opfile->word_bytes == 4 ? UINT32_MAX : UINT64_C(1) << 56;
	uint64_t serial;
	uint64_t base;
	void *bases = opfile->bases;

	if (reader->line.field_count != 3) {
		return optext_fail(&reader->line, reader->diag, "a carrier is 'c serial base'");
	}
	if (optext_number(&reader->line, 1, UINT32_MAX, &serial, reader->diag) != CSC_OK ||
			optext_hex(&reader->line, 2, max, &base, reader->diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (serial != opfile->base_count) {
		return optext_fail(&reader->line, reader->diag, "carrier %zu is next, not %llu",
				opfile->base_count, (unsigned long long)serial);
	}
	if (!base) {
		return optext_fail(&reader->line, reader->diag, "no carrier lies at address 0");
	}
	if (make_room(&bases, &reader->base_room, opfile->base_count, sizeof(*opfile->bases)) !=
			CSC_OK) {
		return optext_fail(&reader->line, reader->diag, "no memory for so many carriers");
	}
	opfile->bases = bases;
	opfile->bases[opfile->base_count++] = base;
	return CSC_OK;
}

/* The instance that executes the operation: the last field, if there are several instances. */
static enum csc_status read_instance(struct reader *reader, size_t field, struct opfile_op *op)
{
	const struct opfile *opfile = reader->opfile;
	uint64_t index;

	if (field >= reader->line.field_count) {
		if (opfile->instances > 1) {
			return optext_fail(&reader->line, reader->diag, "the instance is missing");
		}
		return CSC_OK;
	}
	if (optext_number(&reader->line, field, UINT32_MAX, &index, reader->diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (index < opfile->first_instance || index - opfile->first_instance >= opfile->instances) {
		return optext_fail(&reader->line, reader->diag, "there is no instance %llu",
				(unsigned long long)index);
	}
	op->instance = (uint32_t)(index - opfile->first_instance);
	return CSC_OK;
}

static enum csc_status read_block(struct reader *reader, struct opfile_op *op)
{
	uint64_t id;
	bool is_new = false;

	if (optext_number(&reader->line, 1, UINT64_MAX, &id, reader->diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (op->kind != 'a') {
		return optext_ids_find(&reader->ids, id, &op->block)
				? CSC_OK
				: optext_fail(&reader->line, reader->diag,
						  "block %llu was never allocated",
						  (unsigned long long)id);
	}
	if (reader->ids.count >= UINT32_MAX - 1 ||
			optext_ids_enter(&reader->ids, id, &op->block, &is_new) != CSC_OK) {
		return optext_fail(&reader->line, reader->diag, "no memory for so many blocks");
	}
	return is_new ? CSC_OK
		      : optext_fail(&reader->line, reader->diag, "block %llu was allocated before",
					(unsigned long long)id);
}

/* The fields after the letter; the letter is known. */
static enum csc_status read_fields(struct reader *reader, struct opfile_op *op)
{
	const struct opfile *opfile = reader->opfile;
	const struct optext_line *line = &reader->line;
	bool is_fix = opfile->setup == OPFILE_PRIVATE_FIX;
	uint64_t max = is_fix ? opfile->fix_count - 1 : UINT64_MAX;
	size_t most = 1;
	enum csc_status status = CSC_OK;

	switch (op->kind) {
	case 'a':
	case 'r':
		most = 4;
		status = read_block(reader, op);
		if (status == CSC_OK) {
			status = optext_number(line, 2, max, &op->value, reader->diag);
		}
		if (status == CSC_OK) {
			status = read_instance(reader, 3, op);
		}
		break;
	case 'f':
		most = 3;
		status = read_block(reader, op);
		if (status == CSC_OK) {
			status = read_instance(reader, 2, op);
		}
		break;
	case 's':
	case 't':
		most = 2;
		status = optext_number(line, 1, op->kind == 's' ? 1 : 2, &op->value, reader->diag);
		break;
	case 'b':
		most = 2;
		status = optext_number(line, 1, UINT64_MAX, &op->value, reader->diag);
		break;
	default:
		break;
	}
	if (status == CSC_OK && line->field_count > most) {
		return optext_fail(
				line, reader->diag, "'%c' has at most %zu fields", op->kind, most);
	}
	return status;
}

static enum csc_status read_op(struct reader *reader)
{
	struct opfile *opfile = reader->opfile;
	const char *letter = reader->line.fields[0];
	bool is_fix = opfile->setup == OPFILE_PRIVATE_FIX;
	struct opfile_op op = { .kind = letter[0] };
	void *ops = opfile->ops;

	if (strlen(letter) != 1 || !strchr("arfdstb", letter[0])) {
		return optext_fail(&reader->line, reader->diag, "no such operation: '%s'", letter);
	}
	if ((op.kind == 't' && !is_fix) || (op.kind == 'r' && is_fix) ||
			(op.kind == 'd' && opfile->setup != OPFILE_THREAD_PREFERRED)) {
		return optext_fail(&reader->line, reader->diag, "'%c' does not occur in this setup",
				op.kind);
	}
	if (read_fields(reader, &op) != CSC_OK) {
		return CSC_ERROR;
	}
	if (make_room(&ops, &reader->op_room, opfile->op_count, sizeof(op)) != CSC_OK) {
		return optext_fail(&reader->line, reader->diag, "no memory for so many operations");
	}
	opfile->ops = ops;
	opfile->ops[opfile->op_count++] = op;
	return CSC_OK;
}

static enum csc_status read_line(struct reader *reader, char *text)
{
	if (!*text || *text == '#') {
		return CSC_OK;
	}
	if (optext_cut(&reader->line, text, reader->diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (strcmp(reader->line.fields[0], "@") == 0) {
		if (reader->opfile->op_count || reader->opfile->base_count) {
			return optext_fail(&reader->line, reader->diag,
					"header lines come before all others");
		}
		return opheader_take(reader->opfile, &reader->line, reader->diag);
	}
	if (!reader->opfile->op_count && !reader->opfile->base_count &&
			opheader_check(reader->opfile, &reader->line, reader->diag) != CSC_OK) {
		return CSC_ERROR;
	}
	if (strcmp(reader->line.fields[0], "c") == 0) {
		return read_carrier(reader);
	}
	return read_op(reader);
}

enum csc_status opfile_parse(struct opfile *opfile, const char *path, char *text, size_t bytes,
		struct diag *diag)
{
	struct reader reader = {
		.opfile = opfile,
		.diag = diag,
		.line.path = path,
	};
	enum csc_status status = CSC_OK;

	opheader_init(opfile);
	for (char *next = text; status == CSC_OK && next < text + bytes;) {
		char *end = memchr(next, '\n', (size_t)(text + bytes - next));
		char *here = next;

		reader.line.number++;
		end = end ? end : text + bytes;
		*end = 0;
		next = end + 1;
		if (strlen(here) != (size_t)(end - here)) {
			status = optext_fail(&reader.line, diag, "a zero byte in the line");
		} else {
			status = read_line(&reader, here);
		}
	}
	if (status == CSC_OK) {
		status = opheader_check(opfile, &reader.line, diag);
	}
	opfile->block_count = reader.ids.count;
	optext_ids_finish(&reader.ids);
	return status;
}

enum csc_status opfile_read(struct opfile *opfile, const char *path, struct diag *diag)
{
	const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
	char *text = NULL;
	size_t bytes = 0;
	enum csc_status status;

	opheader_init(opfile);
	if (optext_read(path, &text, &bytes, diag) != CSC_OK) {
		return CSC_ERROR;
	}
	status = opfile_parse(opfile, name, text, bytes, diag);
	free(text);
	return status;
}

void opfile_finish(struct opfile *opfile)
{
	free(opfile->bases);
	free(opfile->ops);
	opfile->bases = NULL;
	opfile->ops = NULL;
}
