/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope serve`: the page of `report --format html` over HTTP, of a database as it is now.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "database.h"
#include "page.h"
#include "serve_host.h"
#include "top_database.h"
#include "visible.h"

#ifdef CSC_HAS_HTTP
#include <microhttpd.h>
#endif

enum { KEY_PORT = 256, KEY_ADDRESS };
enum { DEFAULT_PORT = 8642, MOST_CONNECTIONS = 16, IDLE_SECONDS = 60 };

/* A page is made again when it is so many times as old as making it took, and so many seconds at
 * least. */
enum { AGE_FACTOR = 20, LEAST_AGE_SECONDS = 5 };

struct serve_options {
	const char *database;
	const char *address;
	uint16_t port;
};

static const struct argp_option table[] = {
	{ "port", KEY_PORT, "PORT", 0, "default 8642; 0: one that is free", 0 },
	{ "address", KEY_ADDRESS, "ADDRESS", 0,
			"listen on this address of the machine, such as 0.0.0.0: anyone who reaches it can read the database "
			"(default 127.0.0.1)",
			0 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE(KEY_ADDRESS, struct serve_options, address),
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct serve_options *options = state->input;
	char *end;
	long port;

	switch (key) {
	case KEY_PORT:
		port = strtol(argument, &end, 10);
		if (end == argument || *end || port < 0 || port > UINT16_MAX) {
			command_misuse(state, "'--port %s': a number from 0 to %d", argument,
					UINT16_MAX);
		}
		options->port = (uint16_t)port;
		return 0;
	case ARGP_KEY_ARG:
		command_take_file(state, "serve", argument, &options->database);
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "a database is needed");
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

#ifdef CSC_HAS_HTTP

/* The page as it was last made. */
struct page {
	const char *database;
	char *text;
	size_t bytes;
	bool is_growing;

	/* The file that it was made of; another one may have its name by now. */
	struct stat file;

	/* On the clock that never stops. */
	int64_t made_ns;
	int64_t cost_ns;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static enum csc_status write_page(struct page *page, FILE *stream, struct diag *diag)
{
	sqlite3 *db = NULL;
	enum csc_status status = database_open(page->database, &db, diag);

	if (status != CSC_OK) {
		return status;
	}
	page->is_growing = top_database_is_growing(db);
	status = page_prepare(db, diag);
	if (status == CSC_OK) {
		status = page_print(stream, db, page->database, NULL, diag);
	}
	(void)sqlite3_close(db);
	return status;
}

static bool is_same_file(const struct page *page)
{
	struct stat file;

	return stat(page->database, &file) == 0 && file.st_dev == page->file.st_dev &&
			file.st_ino == page->file.st_ino && file.st_size == page->file.st_size &&
			file.st_mtim.tv_sec == page->file.st_mtim.tv_sec &&
			file.st_mtim.tv_nsec == page->file.st_mtim.tv_nsec;
}

/* A database that is complete changes only if it is replaced, or appended to. */
static bool is_fresh(const struct page *page)
{
	int64_t age = now_ns() - page->made_ns;

	return page->text &&
			(page->is_growing ? age < AGE_FACTOR * page->cost_ns ||
									age < LEAST_AGE_SECONDS * INT64_C(1000000000)
					  : is_same_file(page));
}

static enum csc_status make_page(struct page *page, struct diag *diag)
{
	char *text = NULL;
	size_t bytes = 0;
	int64_t begin = now_ns();
	struct stat file = { 0 };
	FILE *stream;
	enum csc_status status;

	if (is_fresh(page)) {
		return CSC_OK;
	}
	(void)stat(page->database, &file);
	stream = open_memstream(&text, &bytes);
	if (!stream) {
		return DIAG_NO_MEMORY(diag);
	}
	status = write_page(page, stream, diag);
	if (fclose(stream) != 0 && status == CSC_OK) {
		status = DIAG_NO_MEMORY(diag);
	}
	if (status != CSC_OK) {
		free(text);
		return status;
	}
	free(page->text);
	page->text = text;
	page->bytes = bytes;
	page->file = file;
	page->made_ns = now_ns();
	page->cost_ns = page->made_ns - begin;
	return CSC_OK;
}

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned int code,
		const char *kind, const char *text, size_t bytes, bool is_growing)
{
	char *copy = malloc(bytes + 1);
	struct MHD_Response *response = NULL;
	enum MHD_Result result;

	if (copy) {
		memcpy(copy, text, bytes);
		response = MHD_create_response_from_buffer(bytes, copy, MHD_RESPMEM_MUST_FREE);
	}
	if (!response) {
		free(copy);
		return MHD_NO;
	}
	(void)MHD_add_response_header(response, "Content-Type", kind);
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "X-Frame-Options", "DENY");
	(void)MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	(void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED) {
		(void)MHD_add_response_header(response, "Allow", "GET, HEAD");
	}
	if (is_growing) {
		(void)MHD_add_response_header(response, "Refresh", "30");
	}
	result = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result refuse(
		struct MHD_Connection *connection, unsigned int code, const char *sentence)
{
	return answer(connection, code, "text/plain; charset=utf-8", sentence, strlen(sentence),
			false);
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
		const char *method, const char *version, const char *upload, size_t *upload_bytes,
		void **request)
{
	static int seen;
	struct page *page = context;
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	struct diag diag = { 0 };

	(void)version;
	(void)upload;
	/* The first call has the headers, the second the end of the request. */
	if (*request != &seen) {
		*request = &seen;
		return MHD_YES;
	}
	*upload_bytes = 0;
	if (!host || !serve_is_numeric_host(host)) {
		return refuse(connection, MHD_HTTP_FORBIDDEN,
				"This name is not one of this machine: use its numeric address or localhost.\n");
	}
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				"The database is only read.\n");
	}
	if (strcmp(url, "/") != 0) {
		return refuse(connection, MHD_HTTP_NOT_FOUND, "There is one page here: /\n");
	}
	if (make_page(page, &diag) != CSC_OK) {
		command_print("%s", diag.text);
		return refuse(connection, MHD_HTTP_INTERNAL_SERVER_ERROR,
				"The database cannot be read; the program that serves it has the reason.\n");
	}
	return answer(connection, MHD_HTTP_OK, "text/html; charset=utf-8", page->text, page->bytes,
			page->is_growing);
}

union address {
	struct sockaddr any;
	struct sockaddr_in four;
	struct sockaddr_in6 six;
};

static enum csc_status read_address(
		const struct serve_options *options, union address *ret_address, struct diag *diag)
{
	memset(ret_address, 0, sizeof(*ret_address));
	if (inet_pton(AF_INET, options->address, &ret_address->four.sin_addr) == 1) {
		ret_address->four.sin_family = AF_INET;
		ret_address->four.sin_port = htons(options->port);
	} else if (inet_pton(AF_INET6, options->address, &ret_address->six.sin6_addr) == 1) {
		ret_address->six.sin6_family = AF_INET6;
		ret_address->six.sin6_port = htons(options->port);
	} else {
		return DIAG_FAIL(diag, "'%s' is not an address such as 127.0.0.1 or ::1",
				options->address);
	}
	return CSC_OK;
}

static enum csc_status start(const struct serve_options *options, struct page *page,
		struct MHD_Daemon **ret_daemon, struct diag *diag)
{
	union address address;
	enum csc_status status = read_address(options, &address, diag);
	unsigned int kind = MHD_USE_INTERNAL_POLLING_THREAD |
			(status == CSC_OK && address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0U);

	if (status != CSC_OK) {
		return status;
	}
	errno = 0;
	*ret_daemon = MHD_start_daemon(kind, options->port, NULL, NULL, handle, page,
			MHD_OPTION_SOCK_ADDR, &address.any, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned int)MOST_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
			(unsigned int)IDLE_SECONDS, MHD_OPTION_END);
	return *ret_daemon ? CSC_OK
			   : DIAG_FAIL(diag, "cannot listen on %s port %u: %s", options->address,
					     options->port,
					     errno ? strerror(errno) : "no reason is known");
}

static void print_url(const struct serve_options *options, struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
	bool is_six = strchr(options->address, ':') != NULL;

	visible_print(stdout, options->database, VISIBLE_CELL);
	(void)printf(" is shown on http://%s%s%s:%u/ until an interrupt\n", is_six ? "[" : "",
			options->address, is_six ? "]" : "", info ? info->port : options->port);
	(void)fflush(stdout);
}

static enum csc_status serve(const struct serve_options *options, struct diag *diag)
{
	struct page page = { .database = options->database };
	struct MHD_Daemon *daemon = NULL;
	sqlite3 *db = NULL;
	sigset_t ends;
	int number;
	enum csc_status status = page_check(diag);

	/* What cannot be read is said before anyone asks. */
	if (status == CSC_OK) {
		status = database_open(options->database, &db, diag);
		(void)sqlite3_close(db);
	}
	(void)sigemptyset(&ends);
	(void)sigaddset(&ends, SIGINT);
	(void)sigaddset(&ends, SIGTERM);
	(void)sigaddset(&ends, SIGHUP);
	/* A shell has interrupts ignored in what it runs in the background. */
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	(void)sigprocmask(SIG_BLOCK, &ends, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
	if (status == CSC_OK) {
		status = start(options, &page, &daemon, diag);
	}
	if (status == CSC_OK) {
		print_url(options, daemon);
		(void)sigwait(&ends, &number);
		MHD_stop_daemon(daemon);
	}
	free(page.text);
	return status;
}

#else

static enum csc_status serve(const struct serve_options *options, struct diag *diag)
{
	(void)options;
	return DIAG_FAIL(diag,
			"this program was built without libmicrohttpd; use 'carrierscope report --format html'");
}

#endif

int command_serve(int argc, char **argv)
{
	struct serve_options options = { .address = "127.0.0.1", .port = DEFAULT_PORT };
	struct diag diag = { 0 };

	command_read(argc, argv, table, parse, "FILE",
			"Serve the page of 'carrierscope report --format html' of the database FILE to a browser on this machine.\v"
			"A database that grows is read again as time passes, and the page refreshes itself. Nothing is written. "
			"Requests that name the machine by anything but localhost or a numeric address are refused, so that no page "
			"from elsewhere can read it.",
			&options);
	return serve(&options, &diag) == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
