/*
 * SPDX-License-Identifier: MIT
 *
 * One recorded case: loads its trace and compares what the database says with
 * the independently computed expected.json and with what the node said.
 *
 *	case_test BIN_DIR SQL_DIR CASE
 *
 * BIN_DIR has `carrierscope` and the plugin, SQL_DIR compare.sql and truth.sql;
 * CASE is a folder or a .tar.gz of one.  Exit: 0 equal, 1 not, 2 trouble.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, SHOWN_DIFFERENCES = 20 };

/* Threads that decode; the muxer is used by none of them. */
static char *const all_jobs[] = { "2", "3", "8" };

/* With CSC_CASE_JOBS, for sanitizers, of these only that one. */
static bool is_tried(const char *jobs)
{
	const char *only = getenv("CSC_CASE_JOBS");

	return !only || strcmp(only, jobs) == 0;
}

struct case_run {
	const char *bin_dir;
	const char *sql_dir;
	char work_dir[64];
	char case_dir[PATH_BYTES];
	char *expected;
	int failures;
	int64_t compared;
};

static void die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

static void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vfprintf(stderr, format, arguments);
	va_end(arguments);
	(void)fputc('\n', stderr);
	exit(2);
}

static void join(char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void join(char *path, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(path, PATH_BYTES, format, arguments) >= PATH_BYTES) {
		die("a path is too long");
	}
	va_end(arguments);
}

static void fail(struct case_run *run, const char *format, ...)
		__attribute__((format(printf, 2, 3)));

static void fail(struct case_run *run, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	(void)vprintf(format, arguments);
	va_end(arguments);
	(void)putchar('\n');
	run->failures++;
}

/* Runs a program with its stderr in a file; yields its exit status. */
static int spawn(char *const *arguments, const char *error_file)
{
	posix_spawn_file_actions_t actions;
	extern char **environ;
	int status;
	pid_t pid;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_addopen(
			&actions, 2, error_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ) != 0) {
		die("cannot run '%s'", arguments[0]);
	}

	(void)posix_spawn_file_actions_destroy(&actions);
	if (waitpid(pid, &status, 0) != pid) {
		die("cannot wait for '%s'", arguments[0]);
	}

	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static char *read_file(const char *path, bool is_required)
{
	FILE *file = fopen(path, "rb");
	char *text;
	long size;

	if (!file) {
		if (is_required) {
			die("cannot read '%s': %s", path, strerror(errno));
		}
		return NULL;
	}

	(void)fseek(file, 0, SEEK_END);
	size = ftell(file);
	(void)fseek(file, 0, SEEK_SET);
	text = malloc((size_t)size + 1);
	if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) {
		die("cannot read '%s'", path);
	}

	text[size] = '\0';
	(void)fclose(file);
	return text;
}

static sqlite3 *open_database(const char *path)
{
	sqlite3 *db;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK) {
		die("cannot open '%s': %s", path, sqlite3_errmsg(db));
	}

	return db;
}

static void execute(sqlite3 *db, const char *sql)
{
	char *error = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
		die("%s in: %.200s", error, sql);
	}
}

/* Makes temp.expected(document) of a JSON text, runs a script, and shows the differences. */
static void compare(struct case_run *run, const char *database, const char *json,
		const char *script_name, const char *what)
{
	sqlite3 *db = open_database(database);
	char path[PATH_BYTES];
	sqlite3_stmt *statement;
	char *script;
	int shown = 0;

	execute(db, "CREATE TEMP TABLE expected (document)");
	(void)sqlite3_prepare_v2(db, "INSERT INTO temp.expected VALUES (?)", -1, &statement, NULL);
	(void)sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
	(void)sqlite3_step(statement);
	(void)sqlite3_finalize(statement);
	join(path, "%s/%s", run->sql_dir, script_name);
	script = read_file(path, true);
	execute(db, script);
	free(script);

	if (sqlite3_prepare_v2(db, "SELECT figures FROM compared", -1, &statement, NULL) !=
					SQLITE_OK ||
			sqlite3_step(statement) != SQLITE_ROW) {
		die("%s: %s", script_name, sqlite3_errmsg(db));
	}

	run->compared += sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	(void)sqlite3_prepare_v2(
			db, "SELECT figure, expected, got FROM difference", -1, &statement, NULL);
	while (sqlite3_step(statement) == SQLITE_ROW) {
		if (shown++ < SHOWN_DIFFERENCES) {
			fail(run, "%s: %s: expected %s, got %s", what,
					(const char *)sqlite3_column_text(statement, 0),
					(const char *)sqlite3_column_text(statement, 1),
					(const char *)sqlite3_column_text(statement, 2));
		} else {
			run->failures++;
		}
	}

	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(db);
}

/* A value of a JSON text by its path; NULL if it is not there.  The caller frees it. */
static char *json_value(const char *json, const char *json_path)
{
	sqlite3_stmt *statement;
	sqlite3 *db;
	char *copy = NULL;

	(void)sqlite3_open(":memory:", &db);
	(void)sqlite3_prepare_v2(db, "SELECT json_extract(?, ?)", -1, &statement, NULL);
	(void)sqlite3_bind_text(statement, 1, json, -1, SQLITE_STATIC);
	(void)sqlite3_bind_text(statement, 2, json_path, -1, SQLITE_STATIC);
	if (sqlite3_step(statement) == SQLITE_ROW &&
			sqlite3_column_type(statement, 0) != SQLITE_NULL) {
		copy = strdup((const char *)sqlite3_column_text(statement, 0));
	}

	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(db);
	return copy;
}

static int64_t json_integer(const char *json, const char *json_path, int64_t otherwise)
{
	char *text = json_value(json, json_path);
	int64_t value = text ? strtoll(text, NULL, 10) : otherwise;

	free(text);
	return value;
}

static int64_t query_integer(const char *database, const char *sql)
{
	sqlite3 *db = open_database(database);
	sqlite3_stmt *statement;
	int64_t value;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
			sqlite3_step(statement) != SQLITE_ROW) {
		die("%s: %s", sql, sqlite3_errmsg(db));
	}

	value = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	(void)sqlite3_close(db);
	return value;
}

static int load_with_babeltrace(struct case_run *run, const char *database, const char *errors)
{
	char plugin_path[PATH_BYTES];
	char trace[PATH_BYTES];
	char params[PATH_BYTES];
	char preload[PATH_BYTES];
	char *arguments[] = { "env", preload, "babeltrace2", plugin_path, trace, "-c",
		"sink.carrierscope.sqlite", "-p", params, NULL };
	const char *runtime = getenv("CSC_PRELOAD");

	/* A sanitized plugin needs its runtime in the program that loads it. */
	join(preload, "LD_PRELOAD=%s", runtime ? runtime : "");

	join(plugin_path, "--plugin-path=%s", run->bin_dir);
	join(trace, "%s/trace", run->case_dir);
	join(params, "path=\"%s\"", database);
	return spawn(arguments, errors);
}

/* `option` and `value` may be NULL. */
static int load_with_command(struct case_run *run, const char *database, char *option, char *value,
		const char *errors)
{
	char command[PATH_BYTES];
	char output[PATH_BYTES];
	char trace[PATH_BYTES];
	char *arguments[10] = { command, "load", "-q", "-f", "-o", output, trace, option, value };

	join(command, "%s/carrierscope", run->bin_dir);
	join(output, "%s", database);
	join(trace, "%s/trace", run->case_dir);
	return spawn(arguments, errors);
}

/* All ways of loading must give the same tables, byte for byte. */
static void compare_tables(
		struct case_run *run, const char *left, const char *right, const char *what)
{
	sqlite3 *db = open_database(left);
	char *attach = sqlite3_mprintf("ATTACH %Q AS other", right);
	sqlite3_stmt *tables;

	execute(db, attach);
	sqlite3_free(attach);
	(void)sqlite3_prepare_v2(db,
			"SELECT name FROM main.sqlite_schema WHERE type = 'table' "
			"AND name NOT LIKE 'sqlite_%'",
			-1, &tables, NULL);
	while (sqlite3_step(tables) == SQLITE_ROW) {
		const char *table = (const char *)sqlite3_column_text(tables, 0);
		char *sql = sqlite3_mprintf(
				"SELECT (SELECT count(*) FROM (SELECT * FROM main.%w EXCEPT "
				"SELECT * FROM other.%w)) + (SELECT count(*) FROM (SELECT * FROM "
				"other.%w EXCEPT SELECT * FROM main.%w)) + abs((SELECT count(*) FROM "
				"main.%w) - (SELECT count(*) FROM other.%w))",
				table, table, table, table, table, table);
		sqlite3_stmt *statement;

		if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
				sqlite3_step(statement) != SQLITE_ROW) {
			die("%s: %s", sql, sqlite3_errmsg(db));
		}

		if (sqlite3_column_int64(statement, 0) != 0) {
			fail(run, "table '%s': babeltrace2 and %s differ in %lld rows", table, what,
					(long long)sqlite3_column_int64(statement, 0));
		}

		run->compared++;
		(void)sqlite3_finalize(statement);
		sqlite3_free(sql);
	}

	(void)sqlite3_finalize(tables);
	(void)sqlite3_close(db);
}

/* What the node said at each snapshot, against a load that ends there. */
static void compare_with_node(struct case_run *run)
{
	char path[PATH_BYTES];
	char database[PATH_BYTES];
	char errors[PATH_BYTES];
	char *json;

	join(path, "%s/gt-compare.json", run->case_dir);
	json = read_file(path, false);
	if (!json) {
		return;
	}

	join(database, "%s/moment.db", run->work_dir);
	join(errors, "%s/errors", run->work_dir);
	for (int i = 0;; i++) {
		char json_path[64];
		char *snapshot;
		char *end;

		(void)snprintf(json_path, sizeof(json_path), "$.snapshots[%d]", i);
		snapshot = json_value(json, json_path);
		if (!snapshot) {
			break;
		}

		end = json_value(snapshot, "$.t_start_ns");
		if (end) {
			char *what = json_value(snapshot, "$.snapshot");

			if (load_with_command(run, database, "--end", end, errors) == 0) {
				compare(run, database, snapshot, "truth.sql", what ? what : "");
			} else {
				fail(run, "load --end %s failed", end);
			}
			free(what);
		}

		free(end);
		free(snapshot);
	}

	free(json);
}

static bool folder_has(const char *folder, const char *prefix)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	bool is_there = false;

	while (dir && (entry = readdir(dir))) {
		is_there = is_there || strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
	}

	if (dir) {
		(void)closedir(dir);
	}

	return is_there;
}

/* Several threads refuse a trace in the words of one, which are those of `text`. */
static void check_refused_by_all(struct case_run *run, const char *database, const char *text)
{
	char errors[PATH_BYTES];

	join(errors, "%s/errors-of-all", run->work_dir);
	for (size_t i = 0; i < sizeof(all_jobs) / sizeof(all_jobs[0]); i++) {
		if (!is_tried(all_jobs[i])) {
			continue;
		}

		int status = load_with_command(run, database, "--jobs", all_jobs[i], errors);
		char *words = read_file(errors, true);

		if (status != 1 || strcmp(words, text) != 0) {
			fail(run, "load --jobs %s of a damaged trace: exit %d, %s", all_jobs[i],
					status, words);
		}
		free(words);
	}
}

/* A trace that babeltrace2 refuses: a clear error and no file; --salvage reads what is sound. */
static void check_damaged(struct case_run *run)
{
	char database[PATH_BYTES];
	char errors[PATH_BYTES];
	int64_t delivered = json_integer(run->expected, "$.events_read_before_error", 0);
	int64_t last_ns = json_integer(run->expected, "$.last_ts_ns", 0);
	char sql[256];
	char *text;
	int status;

	join(database, "%s/damaged.db", run->work_dir);
	join(errors, "%s/errors", run->work_dir);
	if (load_with_babeltrace(run, database, errors) == 0) {
		fail(run, "babeltrace2 took a damaged trace");
	}

	status = load_with_command(run, database, NULL, NULL, errors);
	text = read_file(errors, true);
	(void)printf("carrierscope load: exit %d, %s", status, text);
	if (status != 1) {
		fail(run, "load of a damaged trace: exit %d, not 1", status);
	}

	check_refused_by_all(run, database, text);

	if (!strchr(text, '\n') || strchr(text, '\n')[1] != '\0' || !strstr(text, run->case_dir)) {
		fail(run, "not one line that names what is damaged: %s", text);
	}

	free(text);
	if (folder_has(run->work_dir, "damaged.db")) {
		fail(run, "a failed load left a file behind");
	}

	status = load_with_command(run, database, "--salvage", NULL, errors);
	text = read_file(errors, true);
	(void)printf("carrierscope load --salvage: exit %d, %s\n", status, text);
	free(text);
	if (status == 0) {
		(void)printf("salvaged %lld events; babeltrace2 alone delivered %lld\n",
				(long long)query_integer(database, "SELECT events FROM source"),
				(long long)delivered);
		/* In a packet that breaks off, the event in which the damage begins is not sound.
		 */
		(void)snprintf(sql, sizeof(sql),
				"SELECT (SELECT count(*) FROM carrier_event WHERE ts_ns <= %" PRId64
				") + (SELECT count(*) FROM lost_interval "
				"WHERE cause = 'packet_undecodable')",
				last_ns);
		if (query_integer(database, sql) < delivered) {
			fail(run, "salvage has fewer events than babeltrace2 delivered before it broke off");
		}

		if (query_integer(database,
				    "SELECT count(*) FROM load_problem WHERE severity <> 'info'") ==
				0) {
			fail(run, "salvage stored no problem");
		}
	} else if (delivered > 0) {
		fail(run, "salvage gave up where babeltrace2 delivered %lld events",
				(long long)delivered);
	} else if (status != 1 || folder_has(run->work_dir, "damaged.db")) {
		fail(run, "salvage of a hopeless trace: exit %d, or a file is left", status);
	}

	run->compared += 4;
}

static void check_sound(struct case_run *run)
{
	char database[PATH_BYTES];
	char second[PATH_BYTES];
	char errors[PATH_BYTES];
	int status;

	join(database, "%s/babeltrace.db", run->work_dir);
	join(second, "%s/command.db", run->work_dir);
	join(errors, "%s/errors", run->work_dir);
	status = load_with_babeltrace(run, database, errors);
	if (status != 0) {
		fail(run, "babeltrace2: exit %d", status);
		return;
	}

	compare(run, database, run->expected, "compare.sql", "expected");
	status = load_with_command(run, second, NULL, NULL, errors);
	if (status != 0) {
		fail(run, "carrierscope load: exit %d", status);
		return;
	}

	compare_tables(run, database, second, "carrierscope load");
	for (size_t i = 0; i < sizeof(all_jobs) / sizeof(all_jobs[0]); i++) {
		char what[64];

		if (!is_tried(all_jobs[i])) {
			continue;
		}

		(void)snprintf(what, sizeof(what), "carrierscope load --jobs %s", all_jobs[i]);
		status = load_with_command(run, second, "--jobs", all_jobs[i], errors);
		if (status != 0) {
			fail(run, "%s: exit %d", what, status);
		} else {
			compare_tables(run, database, second, what);
		}
	}

	compare_with_node(run);
}

/* Finds the folder with expected.json: CASE itself, or what its archive holds. */
static void unpack(struct case_run *run, const char *name)
{
	char errors[PATH_BYTES];
	char *arguments[] = { "tar", "xzf", (char *)name, "-C", run->work_dir, NULL };
	struct stat status;
	const struct dirent *entry;
	DIR *dir;

	if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) {
		join(run->case_dir, "%s", name);
		return;
	}

	join(errors, "%s/errors", run->work_dir);
	if (spawn(arguments, errors) != 0) {
		die("cannot unpack '%s'", name);
	}

	dir = opendir(run->work_dir);
	while (dir && (entry = readdir(dir))) {
		char path[PATH_BYTES];

		join(path, "%s/%s/expected.json", run->work_dir, entry->d_name);
		if (entry->d_name[0] != '.' && access(path, R_OK) == 0) {
			join(run->case_dir, "%s/%s", run->work_dir, entry->d_name);
		}
	}

	if (dir) {
		(void)closedir(dir);
	}

	if (!run->case_dir[0]) {
		die("'%s' has no expected.json", name);
	}
}

int main(int argc, char **argv)
{
	struct case_run run = { .work_dir = "/tmp/carrierscope-case-XXXXXX" };
	char *arguments[] = { "rm", "-rf", run.work_dir, NULL };
	char path[PATH_BYTES];

	if (argc != 4 || !mkdtemp(run.work_dir)) {
		die("usage: case_test BIN_DIR SQL_DIR CASE");
	}

	run.bin_dir = argv[1];
	run.sql_dir = argv[2];
	unpack(&run, argv[3]);
	join(path, "%s/expected.json", run.case_dir);
	run.expected = read_file(path, true);
	if (json_integer(run.expected, "$.babeltrace2_cli.exit_status", 0) == 0) {
		check_sound(&run);
	} else {
		check_damaged(&run);
	}

	free(run.expected);
	(void)printf("%lld figures compared, %d not as expected\n", (long long)run.compared,
			run.failures);
	(void)spawn(arguments, "/dev/null");
	return run.failures == 0 && run.compared > 0 ? 0 : 1;
}
