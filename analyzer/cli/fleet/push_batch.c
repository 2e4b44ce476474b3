/*
 * SPDX-License-Identifier: MIT
 *
 * One question about all pushes of a batch, one insertion for each table.
 */
#include "push_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"

/* Of all rows of a batch; a push that is larger is one by itself. */
enum { BATCH_BYTES = 4 << 20 };

/*
 * A server knows the order of pushes by the second of its clock: these wait until the last one
 * is a second old.  `ahead_s`: by how much the last one is later than now; below 0: it is not.
 */
static void wait_for_turn(long long ahead_s)
{
	enum { WAIT_MAX_S = 2 };
	const struct timespec wait = { ahead_s + 1, 0 };

	if (ahead_s > WAIT_MAX_S) {
		command_print("warning: the last push came %lld s after the time that this server's clock has; set the clocks of the servers, as until then an earlier push of the same recording counts",
				ahead_s);
	} else if (ahead_s >= 0) {
		(void)nanosleep(&wait, NULL);
	}
}

/* Number of the recording of a row; 0: it breaks off. */
static uint64_t recording_of(const struct row_text *text, size_t row)
{
	const unsigned char *at = (const unsigned char *)text->bytes + text->rows[row];
	const unsigned char *end = (const unsigned char *)text->bytes + text->length;
	uint64_t number = 0;

	if (text->format == ROW_BINARY) {
		for (size_t i = 0; i < sizeof(number) && at + ROW_ROOM_BINARY + i < end; i++) {
			number |= (uint64_t)at[ROW_ROOM_BINARY + i] << (8 * i);
		}
		return number;
	}
	for (at += ROW_ROOM_TSV + 1; at < end && *at >= '0' && *at <= '9'; at++) {
		number = number * 10 + (*at - '0');
	}
	return number;
}

/* As a server has it. */
static uint64_t content_of(const struct push_rows *rows)
{
	return UINT64_C(1) << PUSH_CONTENT_BITS | rows->content;
}

/* "1, 2, ...": the recordings of the batch. */
static void list_recordings(const struct push_batch *batch, FILE *to)
{
	const char *between = "";

	for (size_t i = 0; i < batch->count; i++) {
		const struct row_text *recordings = &batch->pushes[i].rows.tables[PUSH_RECORDING];

		for (size_t j = 0; j < recordings->row_count; j++, between = ", ") {
			(void)fprintf(to, "%s%" PRIu64, between, recording_of(recordings, j));
		}
	}
}

/*
 * Of each push that has a recording of the batch, and is the last that has it: its content, how
 * many of these recordings it has, and how far it is ahead of the server's clock.  By recordings,
 * which table `recording` is sorted by: to look for a content all would be read, and among millions
 * another push has the same.  The caller frees it.  NULL: out of memory.
 */
static char *ask_what_is_there(const struct push_batch *batch)
{
	char *query = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&query, &length);

	if (!to) {
		return NULL;
	}
	(void)fprintf(to,
			"SELECT bitShiftRight(push, %d) AS content, count() AS recordings, max(ahead) AS ahead FROM ("
			"SELECT recording, push, ahead FROM ("
			"SELECT recording, push, toInt64(toUInt32(pushed_at)) - toInt64(toUInt32(now())) AS ahead FROM recording WHERE recording IN (",
			PUSH_ATTEMPT_BITS);
	list_recordings(batch, to);
	fputs(") ORDER BY ahead DESC, push DESC) LIMIT 1 BY recording) GROUP BY content", to);
	return fclose(to) == 0 ? query : NULL;
}

/* Those whose rows count already. */
static void note_there(struct push_batch *batch, uint64_t content, uint64_t recordings)
{
	for (size_t i = 0; i < batch->count; i++) {
		struct batched *push = &batch->pushes[i];

		if (content_of(&push->rows) == content &&
				recordings >= push->rows.tables[PUSH_RECORDING].row_count) {
			push->is_there = true;
		}
	}
}

/* A number that ends with `end`; *at is behind that then. */
static bool read_number(char **at, char end, long long *ret_number)
{
	char *behind = *at;

	errno = 0;
	*ret_number = strtoll(*at, &behind, 10);
	if (behind == *at || *behind != end || errno != 0) {
		return false;
	}
	*at = behind + 1;
	return true;
}

/* A line of three numbers; *at is behind it then.  False: it is none. */
static bool read_there(
		char **at, uint64_t *ret_content, uint64_t *ret_recordings, long long *ret_ahead)
{
	long long content;
	long long recordings;

	if (!read_number(at, '\t', &content) || !read_number(at, '\t', &recordings) ||
			!read_number(at, '\n', ret_ahead) || content < 0 || recordings < 0) {
		return false;
	}
	*ret_content = (uint64_t)content;
	*ret_recordings = (uint64_t)recordings;
	return true;
}

/* *ret_count: how many are not there. */
static enum csc_status find_there(struct push_batch *batch, size_t *ret_count, struct diag *diag)
{
	char *query = ask_what_is_there(batch);
	char *answer = NULL;
	long long ahead_s = LLONG_MIN;
	enum csc_status status = query
			? server_ask(batch->server, "", query, strlen(query), &answer, diag)
			: DIAG_NO_MEMORY(diag);

	for (char *at = answer; status == CSC_OK && *at;) {
		uint64_t content;
		uint64_t recordings;
		long long ahead;

		if (!read_there(&at, &content, &recordings, &ahead)) {
			status = DIAG_FAIL(diag, "the server does not answer as a fleet does");
			break;
		}
		note_there(batch, content, recordings);
		ahead_s = ahead > ahead_s ? ahead : ahead_s;
	}
	*ret_count = 0;
	for (size_t i = 0; i < batch->count; i++) {
		*ret_count += !batch->pushes[i].is_there;
	}
	if (status == CSC_OK && *ret_count > 0) {
		wait_for_turn(ahead_s);
	}

	free(answer);
	free(query);
	return status;
}

static enum csc_status insert(struct server *server, enum push_table table, enum row_format format,
		const void *bytes, size_t length, struct diag *diag)
{
	char *query = NULL;
	char *answer = NULL;
	enum csc_status status;

	if (asprintf(&query, "INSERT INTO %s (push, %s) FORMAT %s", push_table_name(table),
			    push_table_columns(table),
			    format == ROW_TSV ? "TabSeparated" : "RowBinary") < 0) {
		return DIAG_NO_MEMORY(diag);
	}

	status = server_ask(server, query, bytes, length, &answer, diag);
	/* Who answers an insertion with anything is another, as a page of a proxy, and took
	 * nothing. */
	if (status == CSC_OK && *answer) {
		status = DIAG_FAIL(diag, "the server does not answer an insertion as a fleet does");
	}
	free(answer);
	free(query);
	return status;
}

/* The rows of one table of all pushes that are not there. */
static enum csc_status send_table(
		struct push_batch *batch, enum push_table table, struct diag *diag)
{
	const struct row_text *first = &batch->pushes[0].rows.tables[table];
	enum csc_status status = CSC_OK;
	size_t length = 0;
	char *bytes;

	if (batch->count == 1) {
		return first->length > 0 ? insert(batch->server, table, first->format, first->bytes,
							   first->length, diag)
					 : CSC_OK;
	}
	bytes = malloc(batch->bytes + 1);
	if (!bytes) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; i < batch->count; i++) {
		const struct row_text *text = &batch->pushes[i].rows.tables[table];

		if (!batch->pushes[i].is_there && text->length > 0) {
			memcpy(bytes + length, text->bytes, text->length);
			length += text->length;
		}
	}
	if (length > 0) {
		status = insert(batch->server, table, first->format, bytes, length, diag);
	}

	free(bytes);
	return status;
}

/* How many recordings of the batch the server has with the rows that were sent.  The caller frees
 * it.  NULL: out of memory. */
static char *ask_what_came(const struct push_batch *batch)
{
	char *query = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&query, &length);

	if (!to) {
		return NULL;
	}
	fputs("SELECT uniqExact(recording) FROM recording WHERE recording IN (", to);
	list_recordings(batch, to);
	(void)fprintf(to, ") AND bitShiftRight(push, %d) IN (", PUSH_ATTEMPT_BITS);
	for (size_t i = 0; i < batch->count; i++) {
		(void)fprintf(to, "%s%" PRIu64, i > 0 ? ", " : "",
				content_of(&batch->pushes[i].rows));
	}
	fputs(")", to);
	return fclose(to) == 0 ? query : NULL;
}

/* What answers insertions with nothing may have stored nothing, as a proxy.  A replica that is
 * asked may be some seconds behind the one that took them. */
static enum csc_status check_what_came(const struct push_batch *batch, struct diag *diag)
{
	enum { FIRST_PAUSE_MS = 100, TRIES = 6 };
	char *query = ask_what_came(batch);
	enum csc_status status = query ? CSC_OK : DIAG_NO_MEMORY(diag);
	long long wanted = 0;
	long long came = -1;

	for (size_t i = 0; i < batch->count; i++) {
		wanted += (long long)batch->pushes[i].rows.tables[PUSH_RECORDING].row_count;
	}
	for (int i = 0; i < TRIES && status == CSC_OK && came < wanted; i++) {
		const long ms = (long)FIRST_PAUSE_MS << i;
		const struct timespec pause = { ms / 1000, ms % 1000 * 1000000 };
		char *answer = NULL;
		char *at;

		if (i > 0) {
			(void)nanosleep(&pause, NULL);
		}
		status = server_ask(batch->server, "", query, strlen(query), &answer, diag);
		at = answer;
		if (status == CSC_OK && !read_number(&at, '\n', &came)) {
			status = DIAG_FAIL(diag, "the server does not answer as a fleet does");
		}
		free(answer);
	}
	if (status == CSC_OK && came < wanted) {
		status = DIAG_FAIL(diag,
				"the server took the rows without an error, but has only %lld of %lld recordings; push them again",
				came, wanted);
	}
	free(query);
	return status;
}

enum csc_status push_batch_send(struct push_batch *batch, struct diag *diag)
{
	size_t count = 0;
	enum csc_status status = batch->count > 0 ? find_there(batch, &count, diag) : CSC_OK;

	for (size_t i = 0; i < batch->count; i++) {
		push_rows_sign(&batch->pushes[i].rows);
	}
	/* Once all other rows are there, the recordings make them visible. */
	for (int i = 0; i < PUSH_TABLES && status == CSC_OK && count > 0; i++) {
		status = send_table(batch, (enum push_table)i, diag);
	}
	if (status == CSC_OK && count > 0) {
		status = check_what_came(batch, diag);
	}
	for (size_t i = 0; i < batch->count && status == CSC_OK; i++) {
		command_print("'%s': %s", batch->pushes[i].file,
				batch->pushes[i].is_there ? "is there already; nothing was sent"
							  : "sent");
	}
	push_batch_finish(batch);
	return status;
}

/* Whether two pushes have a recording in common. */
static bool is_shared(const struct row_text *one, const struct row_text *other)
{
	for (size_t i = 0; i < one->row_count; i++) {
		uint64_t recording = recording_of(one, i);

		for (size_t j = 0; j < other->row_count; j++) {
			if (recording_of(other, j) == recording) {
				return true;
			}
		}
	}
	return false;
}

/* Whether a push fits into the batch. */
static bool fits(const struct push_batch *batch, const struct push_rows *rows, size_t bytes)
{
	bool does_fit = batch->count < BATCH_PUSHES && batch->bytes + bytes <= BATCH_BYTES;

	for (size_t i = 0; i < batch->count && does_fit; i++) {
		const struct push_rows *other = &batch->pushes[i].rows;

		does_fit = other->tables[PUSH_RECORDING].format ==
						rows->tables[PUSH_RECORDING].format &&
				!is_shared(&other->tables[PUSH_RECORDING],
						&rows->tables[PUSH_RECORDING]);
	}
	return does_fit;
}

enum csc_status push_batch_add(struct push_batch *batch, const char *file, struct push_rows *rows,
		struct diag *diag)
{
	size_t bytes = 0;

	for (int i = 0; i < PUSH_TABLES; i++) {
		bytes += rows->tables[i].length;
	}
	if (batch->count > 0 && !fits(batch, rows, bytes)) {
		enum csc_status status = push_batch_send(batch, diag);

		if (status != CSC_OK) {
			return status;
		}
	}
	batch->pushes[batch->count++] = (struct batched){ .file = file, .rows = *rows };
	batch->bytes += bytes;
	*rows = (struct push_rows){ 0 };
	return CSC_OK;
}

void push_batch_finish(struct push_batch *batch)
{
	for (size_t i = 0; i < batch->count; i++) {
		push_rows_finish(&batch->pushes[i].rows);
	}
	batch->count = 0;
	batch->bytes = 0;
}
