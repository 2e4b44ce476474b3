/*
 * SPDX-License-Identifier: MIT
 *
 * Requests by libcurl.
 */
#include "server.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "growing.h"

enum {
	CONNECT_WAIT_S = 10,
	/* What a report may be, in bytes: a row for each of a million nodes. */
	ANSWER_BYTES_MAX = 256 << 20,
	/* How much of a refusal is repeated. */
	REASON_BYTES_MAX = 300,
	WORD_BYTES = 256,
};

/* Of ClickHouse: a server of its cluster went away while it was asked. */
enum { SOCKET_TIMEOUT = 209, NETWORK_ERROR = 210 };

/* Of HTTP: a proxy's limit. */
enum { TOO_LARGE = 413 };

struct text {
	char *bytes;
	size_t length;
	size_t capacity;
	bool is_too_long;
};

struct server {
	CURL *curl;

	/* Lines of the header: name and password, if there are any. */
	struct curl_slist *header;

	const struct server_options *options;

	/* Without the database. */
	char *base;
	char *database;
	bool is_database_forgotten;
	bool is_skipping_lost;
	int error;
};

bool server_is_name(const char *text)
{
	return *text &&
			strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
			strlen(text);
}

/* Takes a part of an address; the caller frees it by curl_free().  NULL: it has none. */
static char *take_part(CURLU *url, CURLUPart part)
{
	char *text = NULL;

	return curl_url_get(url, part, &text, 0) == CURLUE_OK ? text : NULL;
}

static bool is_loopback(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
			(strncmp(host, "127.", strlen("127.")) == 0 &&
					/* 127.example.org is a name. */
					strspn(host, "0123456789.") == strlen(host));
}

/* What of an address must not be, or must. */
static enum csc_status check_address(CURLU *url, const struct server *server, struct diag *diag)
{
	static const CURLUPart refused[] = { CURLUPART_QUERY, CURLUPART_FRAGMENT };
	char *scheme = take_part(url, CURLUPART_SCHEME);
	char *user = take_part(url, CURLUPART_USER);
	char *password = take_part(url, CURLUPART_PASSWORD);
	char *host = take_part(url, CURLUPART_HOST);
	enum csc_status status = CSC_OK;

	if (user || password) {
		status = DIAG_FAIL(diag,
				"an address may not have a name or password, which other users of this machine could read; use --credentials or the environment");
	} else if (!scheme || (strcmp(scheme, "http") != 0 && strcmp(scheme, "https") != 0)) {
		status = DIAG_FAIL(diag, "'%s' is not an http or https address",
				server->options->address);
	} else if (server->header && strcmp(scheme, "http") == 0 &&
			!is_loopback(host ? host : "")) {
		status = DIAG_FAIL(diag, "'%s' would send the password in clear text; use https",
				server->options->address);
	}

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]) && status == CSC_OK; i++) {
		char *part = take_part(url, refused[i]);

		if (part) {
			status = DIAG_FAIL(diag, "'%s' has more than a host, a port and a database",
					server->options->address);
		}
		curl_free(part);
	}

	if (status == CSC_OK && is_loopback(host ? host : "")) {
		/* No proxy of the environment gets what is for this machine, nor its password. */
		(void)curl_easy_setopt(server->curl, CURLOPT_NOPROXY, "*");
	}

	curl_free(host);
	curl_free(password);
	curl_free(user);
	curl_free(scheme);
	return status;
}

static enum csc_status read_address(struct server *server, struct diag *diag)
{
	CURLU *url = curl_url();
	char *path;
	enum csc_status status;

	if (!url || curl_url_set(url, CURLUPART_URL, server->options->address, 0) != CURLUE_OK) {
		curl_url_cleanup(url);
		return DIAG_FAIL(diag, "'%s' is not an address", server->options->address);
	}

	status = check_address(url, server, diag);
	path = take_part(url, CURLUPART_PATH);
	if (status == CSC_OK && (!path || !server_is_name(path + 1))) {
		status = DIAG_FAIL(diag,
				"'%s' names no database; use http://HOST:8123/DATABASE, of letters, digits and underscores",
				server->options->address);
	}

	if (status == CSC_OK) {
		server->database = strdup(path + 1);
		(void)curl_url_set(url, CURLUPART_PATH, "/", 0);
		server->base = take_part(url, CURLUPART_URL);
		status = server->database && server->base ? CSC_OK : DIAG_NO_MEMORY(diag);
	}

	curl_free(path);
	curl_url_cleanup(url);
	return status;
}

static bool add_header(struct server *server, const char *name, const char *value)
{
	struct curl_slist *longer;
	char *line = NULL;

	if (asprintf(&line, "%s: %s", name, value) < 0) {
		return false;
	}

	longer = curl_slist_append(server->header, line);
	explicit_bzero(line, strlen(line));
	free(line);
	server->header = longer ? longer : server->header;
	return longer != NULL;
}

/* A name or password is part of a header: no control characters. */
static bool is_word(const char *text)
{
	for (; *text; text++) {
		if (iscntrl((unsigned char)*text)) {
			return false;
		}
	}

	return true;
}

static enum csc_status use_credentials(
		struct server *server, const char *user, const char *password, struct diag *diag)
{
	if (!is_word(user) || !is_word(password)) {
		return DIAG_FAIL(diag, "the name or the password has control characters");
	}

	return add_header(server, "X-ClickHouse-User", user) &&
					add_header(server, "X-ClickHouse-Key", password)
			? CSC_OK
			: DIAG_NO_MEMORY(diag);
}

static enum csc_status read_credentials(struct server *server, const char *path, struct diag *diag)
{
	char user[WORD_BYTES] = "";
	char password[WORD_BYTES] = "";
	struct stat file;
	enum csc_status status;
	FILE *stream = fopen(path, "re");

	if (!stream || fstat(fileno(stream), &file) != 0) {
		status = DIAG_FAIL(diag, "cannot read '%s': %m", path);
	} else if (file.st_mode & (S_IRWXG | S_IRWXO)) {
		status = DIAG_FAIL(
				diag, "other users can read '%s'; use chmod 600 '%s'", path, path);
	} else if (!fgets(user, sizeof(user), stream)) {
		status = DIAG_FAIL(diag, "'%s' has no name and password, a line for each", path);
	} else {
		(void)fgets(password, sizeof(password), stream);
		user[strcspn(user, "\n")] = '\0';
		password[strcspn(password, "\n")] = '\0';
		status = use_credentials(server, user, password, diag);
	}

	explicit_bzero(password, sizeof(password));
	if (stream) {
		(void)fclose(stream);
	}
	return status;
}

static enum csc_status find_credentials(struct server *server, struct diag *diag)
{
	const char *user = getenv("CARRIERSCOPE_FLEET_USER");
	const char *password = getenv("CARRIERSCOPE_FLEET_PASSWORD");

	if (server->options->credentials) {
		return read_credentials(server, server->options->credentials, diag);
	}

	return user ? use_credentials(server, user, password ? password : "", diag) : CSC_OK;
}

static size_t take_answer(char *bytes, size_t size, size_t count, void *input)
{
	struct text *answer = input;
	size_t length = size * count;

	if (answer->length + length > ANSWER_BYTES_MAX ||
			!csc_grow(&answer->bytes, &answer->capacity, answer->length + length + 1,
					1)) {
		answer->is_too_long = true;
		return 0;
	}

	memcpy(answer->bytes + answer->length, bytes, length);
	answer->length += length;
	answer->bytes[answer->length] = '\0';
	return length;
}

static void set_options(struct server *server)
{
	CURL *curl = server->curl;

	(void)curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	/* On a connection that was used before a request that gets no answer is sent twice. */
	(void)curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
	(void)curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	(void)curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_WAIT_S);
	(void)curl_easy_setopt(curl, CURLOPT_TIMEOUT, server->options->timeout_s);
	(void)curl_easy_setopt(curl, CURLOPT_USERAGENT, "carrierscope/" CSC_VERSION);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer);
	(void)curl_easy_setopt(curl, CURLOPT_POST, 1L);
	if (server->options->certificates) {
		(void)curl_easy_setopt(curl, CURLOPT_CAINFO, server->options->certificates);
		(void)curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
	}
}

enum csc_status server_open(
		const struct server_options *options, struct server **ret_server, struct diag *diag)
{
	struct server *server = calloc(1, sizeof(*server));
	enum csc_status status;

	if (!server || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
		free(server);
		return DIAG_NO_MEMORY(diag);
	}

	server->options = options;
	server->curl = curl_easy_init();
	status = server->curl ? find_credentials(server, diag) : DIAG_NO_MEMORY(diag);
	if (status == CSC_OK) {
		status = add_header(server, "Expect", "") ? CSC_OK : DIAG_NO_MEMORY(diag);
	}
	if (status == CSC_OK) {
		status = read_address(server, diag);
	}

	if (status != CSC_OK) {
		server_close(server);
		return status;
	}

	set_options(server);
	*ret_server = server;
	return CSC_OK;
}

void server_close(struct server *server)
{
	if (!server) {
		return;
	}

	curl_slist_free_all(server->header);
	curl_easy_cleanup(server->curl);
	curl_free(server->base);
	free(server->database);
	free(server);
	curl_global_cleanup();
}

const char *server_address(const struct server *server)
{
	return server->options->address;
}

const char *server_database(const struct server *server)
{
	return server->database;
}

void server_forget_database(struct server *server, bool is_forgotten)
{
	server->is_database_forgotten = is_forgotten;
}

void server_skip_lost(struct server *server, bool is_skipped)
{
	server->is_skipping_lost = is_skipped;
}

bool server_is_skipping_lost(const struct server *server)
{
	return server->is_skipping_lost;
}

int server_error(const struct server *server)
{
	return server->error;
}

/* A question about many recordings names each of them. */
#define LARGE_QUERIES "&max_query_size=268435456&max_ast_elements=10000000"

/* The address with the query; the caller frees it. */
static char *make_address(const struct server *server, const char *query)
{
	char *escaped = curl_easy_escape(server->curl, query, 0);
	char *address = NULL;

	if (escaped &&
			asprintf(&address,
					"%s?wait_end_of_query=1&insert_distributed_sync=1&skip_unavailable_shards=%d" LARGE_QUERIES
					"%s%s&query=%s",
					server->base, server->is_skipping_lost,
					server->is_database_forgotten ? "" : "&database=",
					server->is_database_forgotten ? "" : server->database,
					escaped) < 0) {
		address = NULL;
	}

	curl_free(escaped);
	return address;
}

/* ClickHouse's own: "Code: 60, e.displayText() = DB::Exception: …" or "Code: 60. DB::Exception: …".
 */
static int read_code(const char *answer)
{
	const char *at = answer ? strstr(answer, "Code: ") : NULL;

	return at ? (int)strtol(at + strlen("Code: "), NULL, 10) : 0;
}

static enum csc_status refuse(struct server *server, CURLcode code, const struct text *answer,
		const char *error, struct diag *diag)
{
	const char *why = answer->bytes ? answer->bytes : "";
	long http = 0;

	if (answer->is_too_long) {
		return DIAG_FAIL(diag, "'%s' answers more than %d MiB", server->options->address,
				ANSWER_BYTES_MAX >> 20);
	}
	if (code == CURLE_OPERATION_TIMEDOUT) {
		return DIAG_FAIL(diag, "'%s' did not answer in time (%ld s)",
				server->options->address, server->options->timeout_s);
	}
	if (code != CURLE_OK) {
		return DIAG_FAIL(diag, "cannot reach '%s': %s", server->options->address,
				*error ? error : curl_easy_strerror(code));
	}

	(void)curl_easy_getinfo(server->curl, CURLINFO_RESPONSE_CODE, &http);
	server->error = read_code(why);
	if (server->error == SOCKET_TIMEOUT || server->error == NETWORK_ERROR) {
		server->error = SERVER_UNREACHABLE;
	}
	if (server->error == 0 && http == TOO_LARGE) {
		return DIAG_FAIL(diag,
				"'%s' takes no request as large as this one (status %d): raise the limit of the proxy before the server, such as nginx's client_max_body_size, to 8 MiB or more",
				server->options->address, TOO_LARGE);
	}
	if (server->error == 0) {
		return DIAG_FAIL(diag,
				"'%s' does not answer as a ClickHouse server: it answers with status %ld",
				server->options->address, http);
	}

	if (server->error == SERVER_UNREACHABLE) {
		return DIAG_FAIL(diag, "'%s' refused: a server of its cluster cannot be reached",
				server->options->address);
	}

	return DIAG_FAIL(diag, "'%s' refused: %.*s", server->options->address,
			(int)strnlen(why, REASON_BYTES_MAX), why);
}

static CURLcode post(struct server *server, const char *address, const void *body,
		size_t body_bytes, char *error, struct text *answer)
{
	CURL *curl = server->curl;

	(void)curl_easy_setopt(curl, CURLOPT_URL, address);
	(void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, server->header);
	(void)curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, error);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
	(void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body_bytes);
	(void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body ? body : "");
	return curl_easy_perform(curl);
}

enum csc_status server_ask(struct server *server, const char *query, const void *body,
		size_t body_bytes, char **ret_answer, struct diag *diag)
{
	char error[CURL_ERROR_SIZE] = "";
	struct text answer = { 0 };
	enum csc_status status = CSC_OK;
	char *address = make_address(server, query);
	CURLcode code;
	long http = 0;

	server->error = 0;
	if (!address) {
		return DIAG_NO_MEMORY(diag);
	}

	code = post(server, address, body, body_bytes, error, &answer);
	(void)curl_easy_getinfo(server->curl, CURLINFO_RESPONSE_CODE, &http);
	if (code != CURLE_OK || http != 200) {
		status = refuse(server, code, &answer, error, diag);
	} else if (ret_answer) {
		*ret_answer = answer.bytes ? answer.bytes : strdup("");
		answer.bytes = NULL;
		status = *ret_answer ? CSC_OK : DIAG_NO_MEMORY(diag);
	}

	free(answer.bytes);
	free(address);
	return status;
}
