/*
 * SPDX-License-Identifier: MIT
 */
#include "paste_fuzz.h"

#include <stdlib.h>

#include "paste.h"

struct text fuzz_input;

bool paste_recognise(const char *head, size_t length)
{
	(void)head;
	return length > 0;
}

/* A piece that is read without an error has given rows: nothing is loaded as nothing. */
static void read_piece(const struct paste_piece *piece, struct store *store)
{
	struct reader_input *input = NULL;
	struct diag diag = { 0 };
	int64_t before = fuzz_rows();
	enum csc_status status;

	if (piece->text) {
		status = reader_input_from_text("piece", piece->text, piece->length,
				piece->first_line, &input, &diag);
	} else {
		if (piece->from_bytes > piece->to_bytes || piece->to_bytes > fuzz_input.length) {
			abort();
		}
		status = reader_input_from_memory(fuzz_input.at, fuzz_input.length, &input, &diag);
	}
	if (status != CSC_OK) {
		return;
	}

	if (!piece->text) {
		reader_input_part(input, piece->from_bytes, piece->to_bytes, piece->first_line,
				piece->margin);
	}
	if (piece->reader->read(input, store, &diag) == CSC_OK && fuzz_rows() == before) {
		abort();
	}
	reader_input_close(input);
}

enum csc_status paste_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct paste *paste = NULL;

	if (paste_find(input, &paste, diag) != CSC_OK) {
		return CSC_OK;
	}
	for (size_t i = 0; i < paste->count; i++) {
		read_piece(&paste->pieces[i], store);
	}
	(void)paste_write_notes(paste, input, store, diag);
	paste_destroy(paste);
	return CSC_OK;
}
