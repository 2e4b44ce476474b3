/*
 * SPDX-License-Identifier: MIT
 *
 * What a fleet's server answers, as a table of a report, as a version, and to a push.  The first
 * byte says which; a zero byte ends an answer, and the next request gets what is behind it.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fleet_answer.h"
#include "fleet_schema.h"
#include "push_batch.h"
#include "server.h"

struct server {
	const uint8_t *data;
	size_t size;
};

/* Instead of a server's: the library's server.o is not linked then. */
enum csc_status server_ask(struct server *server, const char *query, const void *body,
		size_t body_bytes, char **ret_answer, struct diag *diag)
{
	size_t length = strnlen((const char *)server->data, server->size);
	char *answer = malloc(length + 1);

	(void)query;
	(void)body;
	(void)body_bytes;
	if (!answer) {
		return DIAG_NO_MEMORY(diag);
	}
	memcpy(answer, server->data, length);
	answer[length] = '\0';
	length += length < server->size;
	server->data += length;
	server->size -= length;
	if (ret_answer) {
		*ret_answer = answer;
	} else {
		free(answer);
	}
	return CSC_OK;
}

int server_error(const struct server *server)
{
	(void)server;
	return 0;
}

const char *server_database(const struct server *server)
{
	(void)server;
	return "fleet";
}

/* By the linker's --wrap: nothing is waited for, nothing printed. */
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *ret_left);
int __wrap_nanosleep(const struct timespec *wanted, struct timespec *ret_left)
{
	(void)wanted;
	(void)ret_left;
	return 0;
}

void __wrap_command_print(const char *format, ...);
void __wrap_command_print(const char *format, ...)
{
	(void)format;
}

static void read_table(struct server *server, struct diag *diag)
{
	sqlite3 *db = NULL;

	if (fleet_answer_open(&db, diag) == CSC_OK) {
		(void)fleet_answer_take(server, db, "answer", "SELECT 1", diag);
		(void)sqlite3_close(db);
	}
}

static void push(struct server *server, struct diag *diag)
{
	struct push_batch batch = { .server = server };
	struct push_rows rows = { .content = 5 };

	row_begin(&rows.tables[PUSH_RECORDING]);
	row_number(&rows.tables[PUSH_RECORDING], 7, 8);
	row_end(&rows.tables[PUSH_RECORDING]);
	if (push_batch_add(&batch, "file", &rows, diag) == CSC_OK) {
		(void)push_batch_send(&batch, diag);
	}
	push_batch_finish(&batch);
	push_rows_finish(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct server server = { data + 1, size - 1 };
	struct diag diag = { 0 };
	int version;

	if (size == 0) {
		return 0;
	}
	switch (data[0]) {
	case 't':
		read_table(&server, &diag);
		break;
	case 'v':
		(void)fleet_check(&server, "address", true, &version, &diag);
		break;
	case 'p':
		push(&server, &diag);
		break;
	default:
		break;
	}
	return 0;
}
