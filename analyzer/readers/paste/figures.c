/*
 * SPDX-License-Identifier: MIT
 */
#include "figures.h"

#include <math.h>
#include <stdlib.h>

#include "snapshot_rows.h"

enum { NUMBER_BYTES = 64 };

/* A number as paste.c writes it; false: there is none, or it is not finite. */
static bool read_number(struct text text, double *ret_number)
{
	char bytes[NUMBER_BYTES];
	char *end;

	if (text.length == 0 || text.length >= sizeof(bytes)) {
		return false;
	}
	memcpy(bytes, text.at, text.length);
	bytes[text.length] = '\0';
	*ret_number = strtod(bytes, &end);
	return *end == '\0' && isfinite(*ret_number);
}

enum csc_status figures_read(struct reader_input *input, struct store *store, struct diag *diag)
{
	struct input_line line;
	int64_t snapshot = 0;
	int64_t figures = 0;
	char function[128] = "";

	while (reader_input_line(input, &line)) {
		struct text rest = { line.text, line.length };
		struct text number = text_cut(rest, '\t', &rest);
		struct text name = text_cut(rest, '\t', &rest);
		struct text subject = text_cut(rest, '\t', &rest);
		struct text key = text_cut(rest, '\t', &rest);
		struct text value = text_cut(rest, '\t', &rest);
		struct text words = text_cut(rest, '\t', &rest);
		int64_t at;
		bool is_huge;
		double real;

		/* The same again is another reading. */
		snapshot = line.length == 0 ? 0 : snapshot;
		if (!text_number(number, &at, &is_huge) || key.length == 0) {
			continue;
		}
		if (snapshot == 0 || name.length >= sizeof(function) || !text_is(name, function)) {
			snapshot = snapshot_add(store, "pasted", ROW_NULL, at);
			name.length = name.length < sizeof(function) ? name.length
								     : sizeof(function) - 1;
			memcpy(function, name.at, name.length);
			function[name.length] = '\0';
		}
		READER_ROW(store, "pasted_figure",
				"snapshot_id, line, function, subject, key, value, words, unit",
				row_integer(snapshot), row_integer(at), row_text(name),
				row_text(subject.length > 0 ? subject : (struct text){ NULL, 0 }),
				row_text(key),
				read_number(value, &real) ? row_real(real) : row_integer(ROW_NULL),
				row_text(value.length > 0 && !read_number(value, &real) ? value
								: words.length > 0
								? words
								: (struct text){ NULL, 0 }),
				row_text(rest.length > 0 ? rest : (struct text){ NULL, 0 }));
		figures++;
	}

	catalog_capability(store_catalog(store), "figures", figures > 0,
			"there are results that a shell or a program printed");
	return store_rows_check(store, diag);
}
