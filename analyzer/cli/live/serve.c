/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope serve`: the page of `report --format html` over HTTP, of databases as they are now,
 * and their metrics.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "database.h"
#include "live.h"
#include "page.h"
#include "serve_host.h"
#include "visible.h"

#ifdef CSC_HAS_HTTP
#include "serve_clients.h"
#include "serve_page.h"
#endif

enum { KEY_PORT = 256, KEY_ADDRESS };
enum { DEFAULT_PORT = 8642, SILENT_SECONDS = 60 };

struct serve_options {
	/* argc of them are enough. */
	const char **databases;
	size_t count;

	/* `open`: in a browser. */
	bool is_opened;
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
		options->databases[options->count++] = argument;
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "a database is needed");
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

#ifdef CSC_HAS_HTTP

struct server {
	/* Of each database, then the index and the metrics. */
	struct serve_page **pages;
	size_t count;
	struct serve_clients *clients;
};

enum { INDEX_AND_METRICS = 2 };

/* The page of a URL: / is the index of several, /1/ the first of them; NULL: there is none. */
static struct serve_page *find_page(const struct server *server, const char *url)
{
	size_t count = server->count - INDEX_AND_METRICS;
	unsigned long number;
	char *end;

	if (strcmp(url, "/") == 0) {
		return server->pages[count == 1 ? 0 : count];
	}
	if (strcmp(url, "/metrics") == 0) {
		return server->pages[count + 1];
	}
	if (url[1] < '1' || url[1] > '9') {
		return NULL;
	}
	number = strtoul(url + 1, &end, 10);
	return strcmp(end, "/") == 0 && number <= count ? server->pages[number - 1] : NULL;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned int code,
		const char *header, const char *value, const char *sentence)
{
	struct MHD_Response *response = serve_page_sentence(sentence);
	enum MHD_Result result;

	if (!response) {
		return MHD_NO;
	}
	if (header) {
		(void)MHD_add_response_header(response, header, value);
	}
	result = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return result;
}

/* *ret_is_waiting: the answer comes later. */
static enum MHD_Result answer(struct server *server, struct MHD_Connection *connection,
		const char *url, const char *method, void **request, bool *ret_is_waiting)
{
	static int waited;
	struct serve_page *page = find_page(server, url);
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
	bool has_waited = *request == &waited;

	if (!has_waited && !serve_clients_admit(server->clients, connection)) {
		return refuse(connection, MHD_HTTP_SERVICE_UNAVAILABLE, "Retry-After", "5",
				"Too many clients wait for this page: try again in some seconds.\n");
	}
	if (!host || !serve_is_numeric_host(host)) {
		return refuse(connection, MHD_HTTP_FORBIDDEN, NULL, NULL,
				"This name is not one of this machine: use its numeric address or localhost.\n");
	}
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "Allow", "GET, HEAD",
				"The database is only read.\n");
	}
	if (!page) {
		return refuse(connection, MHD_HTTP_NOT_FOUND, NULL, NULL,
				"There is / with the page or a list of pages, and /metrics.\n");
	}
	*request = &waited;
	return serve_page_answer(page, connection, has_waited, ret_is_waiting);
}

/* The first call has the headers, the next ones what is sent behind them, the last nothing; after
 * a wait there is one more. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
		const char *method, const char *version, const char *upload, size_t *upload_bytes,
		void **request)
{
	static int seen;
	struct server *server = context;
	bool is_waiting = false;
	enum MHD_Result result;

	(void)version;
	(void)upload;
	if (!*request || *upload_bytes > 0) {
		*request = &seen;
		*upload_bytes = 0;
		return MHD_YES;
	}
	result = answer(server, connection, url, method, request, &is_waiting);
	if (!is_waiting) {
		serve_clients_answered(server->clients, connection);
	}
	return result;
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

static enum csc_status start(const struct serve_options *options, struct server *server,
		struct MHD_Daemon **ret_daemon, struct diag *diag)
{
	union address address;
	enum csc_status status = read_address(options, &address, diag);
	unsigned int kind = MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME |
			(status == CSC_OK && address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0U);

	if (status != CSC_OK) {
		return status;
	}
	errno = 0;
	*ret_daemon = MHD_start_daemon(kind, options->port, NULL, NULL, handle, server,
			MHD_OPTION_SOCK_ADDR, &address.any, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned int)SERVE_CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
			(unsigned int)SILENT_SECONDS, MHD_OPTION_NOTIFY_CONNECTION,
			serve_clients_notify, server->clients, MHD_OPTION_END);
	return *ret_daemon ? CSC_OK
			   : DIAG_FAIL(diag, "cannot listen on %s port %u: %s", options->address,
					     options->port,
					     errno ? strerror(errno) : "no reason is known");
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* Where there is a display; the program is not waited for. */
static void open_browser(const char *url)
{
	char program[] = "xdg-open";
	char *argv[] = { program, (char *)url, NULL };
	pid_t pid;

	if ((is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) &&
			posix_spawnp(&pid, program, NULL, NULL, argv, environ) != 0) {
		command_print("cannot start 'xdg-open': open the page by hand");
	}
}

static void print_url(const struct serve_options *options, struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
	bool is_six = strchr(options->address, ':') != NULL;
	char url[128];

	(void)snprintf(url, sizeof(url), "http://%s%s%s:%u/", is_six ? "[" : "", options->address,
			is_six ? "]" : "", info ? info->port : options->port);
	if (options->count == 1) {
		visible_print(stdout, options->databases[0], VISIBLE_CELL);
	} else {
		(void)printf("%zu databases", options->count);
	}
	(void)printf(" on %s (metrics: %smetrics); Ctrl-C stops\n", url, url);
	(void)fflush(stdout);
	if (options->is_opened) {
		open_browser(url);
	}
}

static void block_signals(sigset_t *ret_ends)
{
	(void)sigemptyset(ret_ends);
	(void)sigaddset(ret_ends, SIGINT);
	(void)sigaddset(ret_ends, SIGTERM);
	(void)sigaddset(ret_ends, SIGHUP);
	/* A shell has interrupts ignored in what it runs in the background. */
	(void)signal(SIGINT, SIG_DFL);
	(void)signal(SIGHUP, SIG_DFL);
	(void)sigprocmask(SIG_BLOCK, ret_ends, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static enum csc_status start_pages(
		const struct serve_options *options, struct server *server, struct diag *diag)
{
	const struct serve_files all = { options->databases, options->count };
	enum csc_status status = CSC_OK;

	server->pages = calloc(options->count + INDEX_AND_METRICS, sizeof(struct serve_page *));
	if (!server->pages) {
		return DIAG_NO_MEMORY(diag);
	}
	for (size_t i = 0; status == CSC_OK && i < options->count + INDEX_AND_METRICS; i++) {
		bool is_one = i < options->count;
		enum serve_kind kind = is_one	      ? SERVE_PAGE
				: i == options->count ? SERVE_INDEX
						      : SERVE_METRICS;

		status = serve_page_start(kind,
				is_one ? (struct serve_files){ options->databases + i, 1 } : all,
				&server->pages[i], diag);
		server->count += status == CSC_OK;
	}

	return status;
}

/* False: one does not end in time. */
static bool end_pages(struct server *server)
{
	bool has_ended = true;

	for (size_t i = 0; i < server->count; i++) {
		has_ended = serve_page_end(server->pages[i]) && has_ended;
	}

	return has_ended;
}

static void free_pages(struct server *server)
{
	for (size_t i = 0; i < server->count; i++) {
		serve_page_free(server->pages[i]);
	}
	free(server->pages);
}

/* Until a signal. */
static enum csc_status serve_until_signal(
		const struct serve_options *options, struct server *server, struct diag *diag)
{
	const struct timespec second = { .tv_sec = 1 };
	struct MHD_Daemon *daemon = NULL;
	sigset_t ends;
	enum csc_status status;

	block_signals(&ends);
	status = start_pages(options, server, diag);
	if (status == CSC_OK) {
		status = start(options, server, &daemon, diag);
	}
	if (status == CSC_OK) {
		print_url(options, daemon);
		while (sigtimedwait(&ends, NULL, &second) < 0) {
			serve_clients_expire(server->clients);
		}
	}
	if (!end_pages(server)) {
		/* Nothing is written that could be half. */
		_exit(EXIT_DONE);
	}
	if (daemon) {
		MHD_stop_daemon(daemon);
	}
	free_pages(server);
	return status;
}

static enum csc_status serve(const struct serve_options *options, struct diag *diag)
{
	struct server server = { 0 };
	enum csc_status status = page_check(diag);

	/* What cannot be read is said before anyone asks. */
	for (size_t i = 0; status == CSC_OK && i < options->count; i++) {
		sqlite3 *db = NULL;

		status = database_open(options->databases[i], &db, diag);
		if (status == CSC_OK) {
			database_close(db);
		}
	}
	if (status != CSC_OK) {
		return status;
	}
	server.clients = serve_clients_create();
	status = server.clients ? serve_until_signal(options, &server, diag) : DIAG_NO_MEMORY(diag);
	serve_clients_free(server.clients);
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

static int run(int argc, char **argv, bool is_opened)
{
	struct serve_options options = { .address = "127.0.0.1",
		.port = DEFAULT_PORT,
		.is_opened = is_opened,
		.databases = calloc((size_t)argc + 1, sizeof(char *)) };
	struct diag diag = { 0 };
	int status;

	if (!options.databases) {
		return command_fail(&diag);
	}
	command_read(argc, argv, table, parse, "FILE...",
			is_opened ? "Serve databases as 'carrierscope serve' does, and open them in a browser.\v"
				    "Without a display it prints where they are."
				  : "Serve the page of each database FILE to a browser on this machine, "
				    "and /metrics for Prometheus.\v"
				    "Of several there is a list. A page asks each 2 s for what has changed, and keeps what is chosen on it. "
				    "Pages take less than a tenth of the time. Nothing is written. A request must name the machine as localhost or by a number: no page from "
				    "elsewhere can read it.",
			&options);
	status = serve(&options, &diag) == CSC_OK ? EXIT_DONE : command_fail(&diag);
	free(options.databases);
	return status;
}

int command_serve(int argc, char **argv)
{
	return run(argc, argv, false);
}

int command_open(int argc, char **argv)
{
	return run(argc, argv, true);
}
