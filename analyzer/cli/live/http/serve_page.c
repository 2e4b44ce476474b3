/*
 * SPDX-License-Identifier: MIT
 *
 * One lock for all that two threads see: what was made, who waits, and the connection to the
 * database that an end interrupts.
 */
#include "serve_page.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "database.h"
#include "index_page.h"
#include "openmetrics.h"
#include "page.h"
#include "serve_clients.h"
#include "top_database.h"

/* What may have changed is made again when it is so many times as old as making it took, and so
 * many seconds at least: pages take less than a tenth of the time. */
enum { AGE_FACTOR = 10, LEAST_AGE_SECONDS = 2 };

enum { TAG_BYTES = 64 };

/* An end waits so long, in steps of so many milliseconds. */
enum { END_MS = 800, STEP_MS = 10 };

/* By which a page is known to be of the file as it is now; zeros: there is none. */
struct file_version {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

/* Most databases at once. */
enum { MOST_FILES = 64 };

/* A database in WAL mode has its last changes in a log beside it. */
struct version {
	struct file_version files[2 * MOST_FILES];
};

/* What was made of one version. */
struct made {
	/* NULL: nothing yet. */
	struct MHD_Response *response;
	unsigned int code;

	/* By which a browser asks whether there is another; of this process and time. */
	char tag[TAG_BYTES];
	struct version version;
	bool is_growing;

	/* On the clock that never stops. */
	int64_t end_ns;
	int64_t cost_ns;
};

struct serve_page {
	enum serve_kind kind;
	struct serve_files files;
	pthread_t maker;
	pthread_mutex_t lock;
	pthread_cond_t is_asked;

	struct made made;
	struct MHD_Connection *waiting[SERVE_CONNECTIONS];
	size_t waiting_count;

	/* While it is read. */
	sqlite3 *db;
	bool is_ended;
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* An empty log is none. */
static struct file_version file_version_of(const char *path)
{
	struct stat file;

	return path && stat(path, &file) == 0 && file.st_size > 0
			? (struct file_version){ file.st_dev, file.st_ino, file.st_size,
				  file.st_mtim }
			: (struct file_version){ 0 };
}

static void read_version(struct serve_files files, struct version *ret_version)
{
	memset(ret_version, 0, sizeof(*ret_version));
	for (size_t i = 0; i < files.count; i++) {
		char *log = NULL;

		ret_version->files[2 * i] = file_version_of(files.paths[i]);
		if (asprintf(&log, "%s-wal", files.paths[i]) >= 0) {
			ret_version->files[2 * i + 1] = file_version_of(log);
			free(log);
		}
	}
}

static bool is_same_file(const struct file_version *one, const struct file_version *other)
{
	return one->device == other->device && one->inode == other->inode &&
			one->size == other->size && one->changed.tv_sec == other->changed.tv_sec &&
			one->changed.tv_nsec == other->changed.tv_nsec;
}

static bool is_same_version(const struct serve_page *page)
{
	struct version now;

	read_version(page->files, &now);
	for (size_t i = 0; i < 2 * page->files.count; i++) {
		if (!is_same_file(&now.files[i], &page->made.version.files[i])) {
			return false;
		}
	}

	return true;
}

/* A growing database is read again as time passes; one that could not be read, too.  `is_poll`: a
 * page asks by itself, which may cost no more than that. */
static bool is_fresh(const struct serve_page *page, bool is_poll)
{
	const struct made *made = &page->made;
	int64_t age = now_ns() - made->end_ns;
	bool is_young = age < AGE_FACTOR * made->cost_ns ||
			age < LEAST_AGE_SECONDS * INT64_C(1000000000);

	if (!made->response || ((made->is_growing || is_poll) && is_young)) {
		return made->response != NULL;
	}

	return is_same_version(page) && (made->code == MHD_HTTP_OK || is_young);
}

/* `refresh`: seconds after which a browser is to ask again, NULL: it is not to. */
static struct MHD_Response *add_headers(
		struct MHD_Response *response, const char *kind, const char *refresh)
{
	if (!response) {
		return NULL;
	}
	(void)MHD_add_response_header(response, "Content-Type", kind);
	(void)MHD_add_response_header(response, "Cache-Control", "no-store");
	(void)MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	(void)MHD_add_response_header(response, "X-Frame-Options", "DENY");
	(void)MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
	(void)MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	/* One request for each connection: a deadline of one is that of the other. */
	(void)MHD_add_response_header(response, "Connection", "close");
	if (refresh) {
		(void)MHD_add_response_header(response, "Refresh", refresh);
	}
	return response;
}

struct MHD_Response *serve_page_sentence(const char *sentence)
{
	return add_headers(MHD_create_response_from_buffer(strlen(sentence), (void *)sentence,
					   MHD_RESPMEM_MUST_COPY),
			"text/plain; charset=utf-8", NULL);
}

/* What an end interrupts from here on; NULL: nothing. */
static void watch(struct serve_page *page, sqlite3 *db)
{
	(void)pthread_mutex_lock(&page->lock);
	page->db = db;
	(void)pthread_mutex_unlock(&page->lock);
}

/* Opens and judges; closed by database_close(). */
static enum csc_status open_file(struct serve_page *page, const char *path, sqlite3 **ret_db,
		bool *ret_is_growing, struct diag *diag)
{
	enum csc_status status = database_open(path, ret_db, diag);

	if (status != CSC_OK) {
		return status;
	}
	watch(page, *ret_db);
	*ret_is_growing = top_database_is_growing(*ret_db) || *ret_is_growing;
	return page_prepare(*ret_db, diag);
}

static void close_file(struct serve_page *page, sqlite3 *db)
{
	watch(page, NULL);
	if (db) {
		database_close(db);
	}
}

static enum csc_status write_page(
		struct serve_page *page, FILE *stream, bool *ret_is_growing, struct diag *diag)
{
	const char *path = page->files.paths[0];
	sqlite3 *db = NULL;
	enum csc_status status = open_file(page, path, &db, ret_is_growing, diag);

	if (status == CSC_OK) {
		status = page_print(stream, db, path, NULL, diag);
	}
	close_file(page, db);
	return status;
}

/* One that cannot be read has its line all the same. */
static void write_index(struct serve_page *page, FILE *stream, bool *ret_is_growing)
{
	index_page_begin(stream);
	for (size_t i = 0; i < page->files.count; i++) {
		const char *path = page->files.paths[i];
		struct diag diag = { 0 };
		sqlite3 *db = NULL;
		enum csc_status status = open_file(page, path, &db, ret_is_growing, &diag);

		if (status != CSC_OK) {
			command_print("%s", diag.text);
		}
		index_page_add(stream, status == CSC_OK ? db : NULL, path, i + 1);
		close_file(page, db);
	}
	index_page_end(stream);
}

/* Without those that cannot be read. */
static enum csc_status write_metrics(
		struct serve_page *page, FILE *stream, bool *ret_is_growing, struct diag *diag)
{
	struct openmetrics_file files[MOST_FILES];
	size_t count = 0;
	enum csc_status status = CSC_OK;

	for (size_t i = 0; i < page->files.count; i++) {
		const char *path = page->files.paths[i];
		sqlite3 *db = NULL;

		status = open_file(page, path, &db, ret_is_growing, diag);
		watch(page, NULL);
		if (status == CSC_OK) {
			files[count++] = (struct openmetrics_file){ db, path };
		} else if (page->files.count > 1) {
			command_print("%s", diag->text);
		}
		if (status != CSC_OK && db) {
			database_close(db);
		}
	}
	if (count > 0) {
		*diag = (struct diag){ 0 };
		status = openmetrics_print(stream, files, count, diag);
	}
	for (size_t i = 0; i < count; i++) {
		database_close(files[i].db);
	}
	return status;
}

static enum csc_status write_kind(
		struct serve_page *page, FILE *stream, bool *ret_is_growing, struct diag *diag)
{
	switch (page->kind) {
	case SERVE_PAGE:
		return write_page(page, stream, ret_is_growing, diag);
	case SERVE_METRICS:
		return write_metrics(page, stream, ret_is_growing, diag);
	case SERVE_INDEX:
		write_index(page, stream, ret_is_growing);
		break;
	}

	return CSC_OK;
}

/* The type that a client of OpenMetrics asks for; else HTML. */
static const char *content_type(const struct serve_page *page)
{
	return page->kind == SERVE_METRICS
			? "application/openmetrics-text; version=1.0.0; charset=utf-8"
			: "text/html; charset=utf-8";
}

static struct MHD_Response *make_response(
		struct serve_page *page, bool *ret_is_growing, struct diag *diag)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *stream = open_memstream(&text, &bytes);
	struct MHD_Response *response = NULL;
	enum csc_status status = stream ? write_kind(page, stream, ret_is_growing, diag)
					: DIAG_NO_MEMORY(diag);

	if (stream && fclose(stream) != 0 && status == CSC_OK) {
		status = DIAG_NO_MEMORY(diag);
	}
	if (status == CSC_OK) {
		response = add_headers(
				MHD_create_response_from_buffer(bytes, text, MHD_RESPMEM_MUST_FREE),
				content_type(page),
				page->kind == SERVE_INDEX && *ret_is_growing ? "30" : NULL);
	}
	if (!response) {
		free(text);
	}
	return response;
}

static struct made make(struct serve_page *page, struct diag *diag)
{
	struct made made = { .code = MHD_HTTP_OK };
	int64_t begin = now_ns();

	read_version(page->files, &made.version);

	made.response = make_response(page, &made.is_growing, diag);
	if (!made.response) {
		made.code = MHD_HTTP_INTERNAL_SERVER_ERROR;
		made.is_growing = false;
		made.response = serve_page_sentence(
				"The database cannot be read; the program that serves it has the reason.\n");
	}
	made.end_ns = now_ns();
	made.cost_ns = made.end_ns - begin;
	if (made.code == MHD_HTTP_OK && page->kind == SERVE_PAGE) {
		(void)snprintf(made.tag, sizeof(made.tag), "\"carrierscope-%ld-%lld\"",
				(long)getpid(), (long long)made.end_ns);
		(void)MHD_add_response_header(made.response, "ETag", made.tag);
	}
	return made;
}

static void resume(struct serve_page *page)
{
	for (size_t i = 0; i < page->waiting_count; i++) {
		MHD_resume_connection(page->waiting[i]);
	}
	page->waiting_count = 0;
}

static void *make_pages(void *data)
{
	struct serve_page *page = data;

	(void)pthread_mutex_lock(&page->lock);
	while (!page->is_ended) {
		struct MHD_Response *before = page->made.response;
		struct diag diag = { 0 };
		struct made made;

		if (page->waiting_count == 0) {
			(void)pthread_cond_wait(&page->is_asked, &page->lock);
			continue;
		}
		(void)pthread_mutex_unlock(&page->lock);
		made = make(page, &diag);
		(void)pthread_mutex_lock(&page->lock);
		if (made.code != MHD_HTTP_OK && !page->is_ended) {
			command_print("%s", diag.text);
		}
		page->made = made;
		/* Those who still get it keep it. */
		if (before) {
			MHD_destroy_response(before);
		}
		resume(page);
	}
	resume(page);
	(void)pthread_mutex_unlock(&page->lock);
	return NULL;
}

enum csc_status serve_page_start(enum serve_kind kind, struct serve_files files,
		struct serve_page **ret_page, struct diag *diag)
{
	struct serve_page *page;

	if (files.count > MOST_FILES) {
		return DIAG_FAIL(
				diag, "%zu databases at once: %d at most", files.count, MOST_FILES);
	}
	page = calloc(1, sizeof(*page));

	if (!page) {
		return DIAG_NO_MEMORY(diag);
	}
	page->kind = kind;
	page->files = files;
	(void)pthread_mutex_init(&page->lock, NULL);
	(void)pthread_cond_init(&page->is_asked, NULL);
	if (pthread_create(&page->maker, NULL, make_pages, page) != 0) {
		free(page);
		return DIAG_FAIL(diag, "cannot start a thread");
	}
	*ret_page = page;
	return CSC_OK;
}

/* With the lock. */
static bool wait_for_page(struct serve_page *page, struct MHD_Connection *connection)
{
	if (page->waiting_count == SERVE_CONNECTIONS) {
		return false;
	}
	MHD_suspend_connection(connection);
	page->waiting[page->waiting_count++] = connection;
	(void)pthread_cond_signal(&page->is_asked);
	return true;
}

/* It has what was made. */
static enum MHD_Result answer_unchanged(struct MHD_Connection *connection, const char *tag)
{
	struct MHD_Response *response = add_headers(
			MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT),
			"text/html; charset=utf-8", NULL);
	enum MHD_Result result = MHD_NO;

	if (response) {
		(void)MHD_add_response_header(response, "ETag", tag);
		result = MHD_queue_response(connection, MHD_HTTP_NOT_MODIFIED, response);
		MHD_destroy_response(response);
	}
	return result;
}

enum MHD_Result serve_page_answer(struct serve_page *page, struct MHD_Connection *connection,
		bool has_waited, bool *ret_is_waiting)
{
	const char *tag = MHD_lookup_connection_value(
			connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
	enum MHD_Result result = MHD_NO;

	*ret_is_waiting = false;
	(void)pthread_mutex_lock(&page->lock);
	if (!page->is_ended && !has_waited && !is_fresh(page, tag != NULL)) {
		*ret_is_waiting = wait_for_page(page, connection);
		result = *ret_is_waiting ? MHD_YES : MHD_NO;
	} else if (tag && *page->made.tag && strcmp(tag, page->made.tag) == 0) {
		result = answer_unchanged(connection, tag);
	} else if (page->made.response) {
		result = MHD_queue_response(connection, page->made.code, page->made.response);
	}
	(void)pthread_mutex_unlock(&page->lock);
	return result;
}

bool serve_page_end(struct serve_page *page)
{
	bool has_ended = false;

	(void)pthread_mutex_lock(&page->lock);
	page->is_ended = true;
	(void)pthread_cond_signal(&page->is_asked);
	(void)pthread_mutex_unlock(&page->lock);
	/* Again and again: what begins after an interrupt is not interrupted. */
	for (int ms = 0; !has_ended && ms < END_MS; ms += STEP_MS) {
		struct timespec until;

		(void)pthread_mutex_lock(&page->lock);
		if (page->db) {
			sqlite3_interrupt(page->db);
		}
		(void)pthread_mutex_unlock(&page->lock);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += STEP_MS * 1000000L;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		has_ended = pthread_timedjoin_np(page->maker, NULL, &until) == 0;
	}
	return has_ended;
}

void serve_page_free(struct serve_page *page)
{
	if (page->made.response) {
		MHD_destroy_response(page->made.response);
	}
	(void)pthread_cond_destroy(&page->is_asked);
	(void)pthread_mutex_destroy(&page->lock);
	free(page);
}
