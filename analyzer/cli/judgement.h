/*
 * SPDX-License-Identifier: MIT
 *
 * What is asked many times is computed once: figures, verdicts, findings.
 */
#ifndef CSC_JUDGEMENT_H
#define CSC_JUDGEMENT_H

#include <sqlite3.h>
#include <stdbool.h>

#include "diag.h"

/* What is computed before. */
enum judgement {
	/* Nothing: views see temporary tables of this connection. */
	JUDGEMENT_NONE,
	/* The figures, also of the moment that table temp.question asks about. */
	JUDGEMENT_MOMENT,
	/* Verdicts, from the figures of the file; if its source still grows, from those of now. */
	JUDGEMENT_VERDICT,
	/* Also findings and the waterfall, which are asked for more than once. */
	JUDGEMENT_OVERVIEW,
	/* Also holders, which a page asks for more than once. */
	JUDGEMENT_PAGE,
};

/*
 * Makes temporary tables of what is computed before, and temporary views of all others, so that
 * what this connection asks by name reads these.  `sql` is what will be asked, or the name of a
 * view, NULL: anything; what it is not made of is left out.  Nothing is written to the file.
 */
enum csc_status judgement_prepare(
		sqlite3 *db, enum judgement what, const char *sql, struct diag *diag);

/* After JUDGEMENT_OVERVIEW: also holders, for a view that reads them.  Once. */
enum csc_status judgement_add_holders(sqlite3 *db, const char *view, struct diag *diag);

#endif
