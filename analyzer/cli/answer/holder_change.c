/*
 * SPDX-License-Identifier: MIT
 *
 * Two lists of holders, sorted by what each is, and merged.  compare.js has the same rules of
 * names.
 */
#include "holder_change.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "html.h"
#include "scaled_bytes.h"
#include "visible.h"

enum { ROWS_SHOWN = 12 };

/* Length of "<0.85.0>", "#Port<0.4>" or "#Ref<0.1.2.3>" at the begin of a text; 0: none is there.
 */
static size_t measure_id(const char *text)
{
	static const char *const begins[] = { "<", "#Port<", "#Ref<" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		size_t length = strlen(begins[i]);
		size_t inner;

		if (strncmp(text, begins[i], length) != 0) {
			continue;
		}
		inner = strspn(text + length, "0123456789.");
		return inner > 0 && text[length + inner] == '>' ? length + inner + 1 : 0;
	}

	return 0;
}

/* Length of ":53422", the port of a client, which differs from run to run; 0: it is none. */
static size_t measure_port(const char *text)
{
	static const long first_of_clients = 32768;
	size_t digits = *text == ':' ? strspn(text + 1, "0123456789") : 0;

	return digits == 5 && strtol(text + 1, NULL, 10) >= first_of_clients ? digits + 1 : 0;
}

/* Without the first `length` bytes. */
static void cut_begin(char *text, size_t length)
{
	memmove(text, text + length, strlen(text + length) + 1);
}

/* " (80 of 118 looked at)", " (rabbit)": what was looked at, and an application. */
static void cut_remark(char *text)
{
	static const char looked[] = " looked at)";
	static const char word[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	size_t length = strlen(text);
	char *open = strrchr(text, '(');
	bool is_looked = length > strlen(looked) &&
			strcmp(text + length - strlen(looked), looked) == 0;
	size_t letters;

	if (!open || open < text + 1 || open[-1] != ' ') {
		return;
	}
	letters = strspn(open + 1, word);

	if (is_looked || (letters > 0 && strcmp(open + 1 + letters, ")") == 0)) {
		open[-1] = '\0';
	}
}

/* "118 processes mod:init/1" is "mod", "3 other tables" is "other tables". */
static void cut_count(char *text)
{
	static const char *const many[] = { "processes ", "process " };
	size_t digits = strspn(text, "0123456789,");
	size_t length;

	if (digits == 0 || text[digits] != ' ') {
		return;
	}
	cut_begin(text, digits + 1);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++) {
		if (strncmp(text, many[i], strlen(many[i])) == 0 &&
				strncmp(text + strlen(many[i]), "of ", 3) != 0) {
			cut_begin(text, strlen(many[i]));
			break;
		}
	}
	length = strlen(text);
	if (length > 7 && strncmp(text + length - 7, ":init/", 6) == 0) {
		text[length - 7] = '\0';
	}
}

char *holder_identity(const char *name)
{
	static const char nameless[] = "processes without a name";
	char *text = malloc(strlen(name) + sizeof(nameless));
	char *to = text;

	if (!text) {
		return NULL;
	}

	while (*name) {
		size_t id = measure_id(name);
		size_t skipped = id > 0 ? id + (name[id] == ' ') : measure_port(name);

		if (skipped > 0) {
			name += skipped;
		} else {
			*to++ = *name++;
		}
	}
	while (to > text && to[-1] == ' ') {
		to--;
	}
	*to = '\0';
	cut_remark(text);
	cut_count(text);
	cut_remark(text);
	if (!*text) {
		memcpy(text, nameless, sizeof(nameless));
	}
	return text;
}

static int compare_identities(const void *left, const void *right)
{
	const struct holder_change *a = left;
	const struct holder_change *b = right;
	int order = (a->place > b->place) - (a->place < b->place);

	order = order != 0 ? order : strcmp(a->name, b->name);
	return order != 0 ? order : strcmp(a->type, b->type);
}

/* At most: one that is not listed may have anything up to the least that is. */
static double measure_change(const struct holder_change *change)
{
	double old = isnan(change->bytes[0]) ? 0 : change->bytes[0];
	double new = isnan(change->bytes[1]) ? 0 : change->bytes[1];

	return fabs(new - old);
}

static int compare_changes(const void *left, const void *right)
{
	const struct holder_change *a = left;
	const struct holder_change *b = right;
	double of_a = measure_change(a);
	double of_b = measure_change(b);

	return of_a != of_b ? (of_a < of_b) - (of_a > of_b) : compare_identities(left, right);
}

static void finish_change(struct holder_change *change)
{
	free(change->name);
	free(change->type);
}

static bool add_change(struct holder_changes *changes, sqlite3_stmt *row, int which)
{
	struct holder_change *last;

	/* Room for twice as many where it is full. */
	if ((changes->count & (changes->count - 1)) == 0) {
		size_t room = changes->count > 0 ? 2 * changes->count : 1;
		void *list = reallocarray(changes->list, room, sizeof(*changes->list));

		if (!list) {
			return false;
		}
		changes->list = list;
	}

	last = &changes->list[changes->count++];
	*last = (struct holder_change){ .place = sqlite3_column_int64(row, 0),
		.type = strdup(database_text(row, 1)),
		.name = holder_identity(database_text(row, 2)),
		.bytes = { (double)NAN, (double)NAN },
		.bytes_per_s = { (double)NAN, (double)NAN } };
	last->bytes[which] = sqlite3_column_double(row, 3);
	if (sqlite3_column_type(row, 4) != SQLITE_NULL) {
		last->bytes_per_s[which] = sqlite3_column_double(row, 4);
	}
	return last->name && last->type;
}

/* Adds what each holder of a database has. */
static enum csc_status read_holders(
		sqlite3 *db, int which, struct holder_changes *changes, struct diag *diag)
{
	static const char sql[] =
			"SELECT dense_rank() OVER (ORDER BY h.source_id, h.runtime_id, h.snapshot_id), h.type, h.process, h.bytes, "
			"(SELECT max(g.bytes_per_s) FROM growth AS g WHERE g.allocator = h.allocator AND g.runtime_id IS h.runtime_id "
			"AND (g.who = h.process OR (g.kind = 'group' AND instr(h.process, ' ' || g.who) > 0))) "
			"FROM page_holder AS h WHERE h.kind <> 'temporary'";
	sqlite3_stmt *rows = NULL;
	int result = SQLITE_DONE;
	enum csc_status status = database_prepare(db, sqlite3_mprintf("%s", sql), &rows, diag);

	while (status == CSC_OK && (result = sqlite3_step(rows)) == SQLITE_ROW) {
		if (!add_change(changes, rows, which)) {
			status = DIAG_NO_MEMORY(diag);
		}
	}
	if (status == CSC_OK) {
		status = database_check(db, result, diag);
	}

	(void)sqlite3_finalize(rows);
	return status;
}

/* What is not known adds nothing. */
static void add_known(double *sum, double more)
{
	if (isnan(*sum)) {
		*sum = more;
	} else if (!isnan(more)) {
		*sum += more;
	}
}

/* Rows of one holder become one. */
static void merge_rows(struct holder_changes *changes)
{
	size_t kept = 0;

	for (size_t i = 0; i < changes->count; i++) {
		struct holder_change *row = &changes->list[i];
		struct holder_change *last = kept > 0 ? &changes->list[kept - 1] : NULL;

		if (!last || compare_identities(last, row) != 0) {
			changes->list[kept++] = *row;
			continue;
		}
		for (int which = 0; which < 2; which++) {
			add_known(&last->bytes[which], row->bytes[which]);
			add_known(&last->bytes_per_s[which], row->bytes_per_s[which]);
		}
		finish_change(row);
	}

	changes->count = kept;
}

static void drop_noise(struct holder_changes *changes, double tolerance, double least_bytes)
{
	size_t kept = 0;

	for (size_t i = 0; i < changes->count; i++) {
		struct holder_change *row = &changes->list[i];
		double change = measure_change(row);

		if (change >= least_bytes &&
				change > tolerance * fmax(row->bytes[0], row->bytes[1])) {
			changes->list[kept++] = *row;
		} else {
			finish_change(row);
		}
	}

	changes->count = kept;
}

enum csc_status holder_changes_read(sqlite3 *old_db, sqlite3 *new_db, double tolerance,
		double least_bytes, struct holder_changes *ret_changes, struct diag *diag)
{
	enum csc_status status = read_holders(old_db, 0, ret_changes, diag);
	size_t of_old = ret_changes->count;

	if (status == CSC_OK) {
		status = read_holders(new_db, 1, ret_changes, diag);
	}
	if (status == CSC_OK && (of_old == 0) != (of_old == ret_changes->count)) {
		holder_changes_finish(ret_changes);
		ret_changes->is_of_one = true;
	}
	if (status == CSC_OK && ret_changes->count > 0) {
		qsort(ret_changes->list, ret_changes->count, sizeof(*ret_changes->list),
				compare_identities);
		merge_rows(ret_changes);
		drop_noise(ret_changes, tolerance, least_bytes);
		qsort(ret_changes->list, ret_changes->count, sizeof(*ret_changes->list),
				compare_changes);
	}

	return status;
}

void holder_changes_finish(struct holder_changes *changes)
{
	for (size_t i = 0; i < changes->count; i++) {
		finish_change(&changes->list[i]);
	}
	free(changes->list);
	*changes = (struct holder_changes){ 0 };
}

static const char of_one[] = "Who holds memory is known of one recording alone.";

enum { AMOUNTS = 5 };
static const char *const heads[AMOUNTS] = { "old", "new", "change", "grew before", "grows now" };

/* "12.50 MiB", with a sign where it is a change, "/s" where it is a rate; "-": not known. */
static void name_amount(char text[48], double bytes, bool has_sign, const char *per)
{
	char *amount = isnan(bytes) ? NULL : scaled_bytes(fabs(bytes));

	(void)snprintf(text, 48, "%s%s%s",
			!amount || !has_sign	    ? ""
					: bytes < 0 ? "-"
						    : "+",
			amount ? amount : "-", amount ? per : "");
	free(amount);
}

static void name_amounts(char texts[AMOUNTS][48], const struct holder_change *change)
{
	name_amount(texts[0], change->bytes[0], false, "");
	name_amount(texts[1], change->bytes[1], false, "");
	name_amount(texts[2], change->bytes[1] - change->bytes[0], true, "");
	name_amount(texts[3], change->bytes_per_s[0], true, "/s");
	name_amount(texts[4], change->bytes_per_s[1], true, "/s");
}

static void print_who(FILE *stream, const struct holder_change *change,
		void (*put)(FILE *stream, const char *text))
{
	put(stream, change->name);
	(void)fprintf(stream, ", %s", *change->type ? "" : "type not recorded");
	put(stream, change->type);
	if (change->place > 1) {
		(void)fprintf(stream, ", runtime %lld", (long long)change->place);
	}
}

static void put_visible(FILE *stream, const char *text)
{
	visible_print(stream, text, VISIBLE_CELL);
}

void holder_changes_print(FILE *stream, const struct holder_changes *changes, bool has_rates)
{
	const int amounts = has_rates ? AMOUNTS : AMOUNTS - 2;

	if (changes->is_of_one) {
		(void)fprintf(stream, "%s\n", of_one);
	}
	if (changes->count == 0) {
		return;
	}

	for (int i = 0; i < amounts; i++) {
		(void)fprintf(stream, "%12s ", heads[i]);
	}
	fputs(" who holds it\n", stream);
	for (size_t i = 0; i < changes->count && i < ROWS_SHOWN; i++) {
		char texts[AMOUNTS][48];

		name_amounts(texts, &changes->list[i]);
		for (int k = 0; k < amounts; k++) {
			(void)fprintf(stream, "%12s ", texts[k]);
		}
		fputc(' ', stream);
		print_who(stream, &changes->list[i], put_visible);
		fputc('\n', stream);
	}
	if (changes->count > ROWS_SHOWN) {
		(void)fprintf(stream, "%zu more.\n", changes->count - ROWS_SHOWN);
	}
}

void holder_changes_write(FILE *stream, const struct holder_changes *changes, bool has_rates)
{
	const int amounts = has_rates ? AMOUNTS : AMOUNTS - 2;

	if (changes->count == 0) {
		(void)fprintf(stream, "<p class=\"note\">%s</p>\n",
				changes->is_of_one ? of_one
						   : "No holder differs by more than noise.");
		return;
	}

	fputs("<details open id=\"holder-changes\"><summary>Holders as a table</summary>\n"
	      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Holders that changed\"><table><thead><tr>"
	      "<th scope=\"col\">who holds it</th>",
			stream);
	for (int i = 0; i < amounts; i++) {
		(void)fprintf(stream, "<th scope=\"col\" class=\"n\">%s</th>", heads[i]);
	}
	fputs("</tr></thead>\n<tbody>\n", stream);
	for (size_t i = 0; i < changes->count && i < ROWS_SHOWN; i++) {
		char texts[AMOUNTS][48];

		name_amounts(texts, &changes->list[i]);
		fputs("<tr><td>", stream);
		print_who(stream, &changes->list[i], html_text);
		fputs("</td>", stream);
		for (int k = 0; k < amounts; k++) {
			(void)fprintf(stream, "<td class=\"n\">%s</td>", texts[k]);
		}
		fputs("</tr>\n", stream);
	}
	fputs("</tbody></table></div>\n", stream);
	if (changes->count > ROWS_SHOWN) {
		(void)fprintf(stream, "<p class=\"note\">%zu more.</p>\n",
				changes->count - ROWS_SHOWN);
	}
	fputs("</details>\n", stream);
}
