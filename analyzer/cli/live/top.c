/*
 * SPDX-License-Identifier: MIT
 *
 * `carrierscope top`: plain codes of ECMA-48, which every terminal has had for decades; on anything
 * else, readings one below the other.
 */
#include <errno.h>
#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "database.h"
#include "left.h"
#include "live.h"
#include "node.h"
#include "note.h"
#include "top_database.h"
#include "top_node.h"
#include "top_screen.h"

enum {
	KEY_NODE = 256,
	KEY_VIA,
	KEY_PID,
	KEY_EBIN,
	KEY_COOKIE,
	KEY_ERL_ARGS,
	KEY_EVERY,
	KEY_COUNT,
	KEY_SORT
};
enum { MOST_SECONDS = 3600 };

struct top_options {
	const char *node;
	const char *via;
	const char *ebin;
	const char *cookie_file;
	const char *erl_args;
	const char *database;
	long pid;
	unsigned int seconds;

	/* 0: without end. */
	unsigned long count;
	enum top_key key;
};

struct top {
	struct top_options options;
	struct top_node node;
	struct note note;
	sqlite3 *db;
	struct top_history *history;
	struct top_screen screen;
	bool is_shown;
	char name[256];
	char ebin[PATH_MAX];
};

static const struct argp_option table[] = {
	{ NULL, 0, NULL, 0, "Which node, if not that of a database:", 1 },
	{ "node", KEY_NODE, "NAME[@HOST]", 0, "a node with distribution, asked by erl_call", 1 },
	{ "via", KEY_VIA, "COMMAND", 0,
			"a node that a shell command evaluates expressions on, such as \"rabbitmqctl eval\"",
			1 },
	{ "pid", KEY_PID, "PID", 0,
			"the node with this process id, by its -name or -sname; of a database, this one of its nodes",
			1 },
	{ "erl-args", KEY_ERL_ARGS, "ARGUMENTS", 0,
			"for the erl that reads a node by its NAME, such as \"-proto_dist inet_tls\"",
			1 },
	{ "cookie-file", KEY_COOKIE, "FILE", 0, "the cookie (default ~/.erlang.cookie)", 1 },
	{ "ebin", KEY_EBIN, "DIR", 0, "folder of module carrierscope as the node sees it", 1 },
	{ NULL, 0, NULL, 0, "How:", 2 },
	{ "sort", KEY_SORT, "KEY", 0, "carriers (default), blocks, use, pool, growth or name", 2 },
	{ "every", KEY_EVERY, "TIME", 0, "time between readings, such as 10s (default 1s)", 2 },
	{ "count", KEY_COUNT, "N", 0,
			"end after N readings; 1: growth between two, of which the second is shown",
			2 },
	COMMAND_OPTION_HELP,
	{ 0 },
};

static const struct command_flag flags[] = {
	COMMAND_VALUE(KEY_NODE, struct top_options, node),
	COMMAND_VALUE(KEY_VIA, struct top_options, via),
	COMMAND_VALUE(KEY_EBIN, struct top_options, ebin),
	COMMAND_VALUE(KEY_COOKIE, struct top_options, cookie_file),
	COMMAND_VALUE(KEY_ERL_ARGS, struct top_options, erl_args),
	{ 0 },
};

/* In the order of enum top_key, and the keys of a keyboard: that of the pool is none. */
static const char *const key_names[] = { "carriers", "blocks", "use", "pool", "growth", "name",
	NULL };
static const char key_letters[] = "cbu gn";

static volatile sig_atomic_t is_ended;
static volatile sig_atomic_t is_resized;

/* What a signal interrupts; NULL: nothing. */
static sqlite3 *volatile asked;

/* Again each second: a statement that begins after an interrupt is not interrupted. */
static void end(int number)
{
	(void)number;
	is_ended = 1;
	if (asked) {
		sqlite3_interrupt(asked);
		(void)alarm(1);
	}
}

static void resize(int number)
{
	(void)number;
	is_resized = 1;
}

static long take_number(
		const struct argp_state *state, const char *option, const char *text, long most)
{
	char *rest;
	long number = strtol(text, &rest, 10);

	if (rest == text || *rest || number < 1 || number > most) {
		command_misuse(state, "'%s %s': a number from 1 to %ld", option, text, most);
	}
	return number;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct top_options *options = state->input;

	switch (key) {
	case KEY_PID:
		options->pid = take_number(state, "--pid", argument, 1L << 30);
		return 0;
	case KEY_EVERY:
		options->seconds = command_take_seconds(state, "--every", argument, MOST_SECONDS);
		return 0;
	case KEY_COUNT:
		options->count = (unsigned long)take_number(state, "--count", argument, 1L << 30);
		return 0;
	case KEY_SORT:
		options->key = (enum top_key)command_take_format(state, key_names, argument);
		return 0;
	case ARGP_KEY_ARG:
		command_take_file(state, "top", argument, &options->database);
		return 0;
	case ARGP_KEY_END:
		if ((options->node != NULL) + (options->via != NULL) + (options->database != NULL) +
						(options->pid != 0 && !options->database) !=
				1) {
			command_misuse(state,
					"one of a database, --node NAME, --via COMMAND and --pid PID is needed");
		}
		if (options->erl_args && (options->via || options->database)) {
			command_misuse(state, "--erl-args takes a node by its NAME");
		}
		return 0;
	default:
		return command_parse_flags(flags, key, argument, state);
	}
}

/* Of the terminal; 80 x 24 where it does not answer. */
static void measure(struct top_screen *screen)
{
	struct winsize size = { 0 };

	is_resized = 0;
	screen->columns = 80;
	screen->rows = screen->is_terminal ? 24 : 0;
	if (screen->is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
			size.ws_row > 0 && size.ws_col > 0) {
		screen->columns = size.ws_col;
		screen->rows = size.ws_row;
	}
}

static enum csc_status take_reading(
		struct top *top, struct top_reading *ret_reading, struct diag *diag)
{
	return top->db ? top_database_read(top->db, top->options.pid, TOP_LAST, ret_reading, diag)
		       : top_node_read(&top->node, top->options.seconds * 1000, ret_reading, diag);
}

/* CPU of this process and of those that it ran, in nanoseconds. */
static int64_t used_ns(void)
{
	return (int64_t)clock() * (1000000000 / CLOCKS_PER_SEC);
}

/* The same key again leads back. */
static void turn(struct top_screen *screen, enum top_view view)
{
	screen->view = screen->view == view ? TOP_VIEW_ALL : view;
}

static void take_key(struct top *top, char key)
{
	struct top_screen *screen = &top->screen;
	const char *letter;

	switch (key) {
	case 'h':
		turn(screen, TOP_VIEW_HOLDERS);
		break;
	case 'a':
		turn(screen, TOP_VIEW_ALLOCATORS);
		break;
	case '?':
		turn(screen, TOP_VIEW_HELP);
		break;
	case 'i':
		screen->chosen = screen->view == TOP_VIEW_ONE ? screen->chosen + 1 : 0;
		screen->view = TOP_VIEW_ONE;
		break;
	case 'p':
		screen->is_paused = !screen->is_paused;
		break;
	case 'r':
		top_history_clear(top->history);
		break;
	default:
		letter = key > ' ' ? strchr(key_letters, key) : NULL;
		if (letter) {
			top->options.key = (enum top_key)(letter - key_letters);
		}
		break;
	}
}

/* What came from a keyboard; false: it ends. */
static bool take_keys(struct top *top)
{
	char keys[16];
	ssize_t count = read(STDIN_FILENO, keys, sizeof(keys));

	for (ssize_t i = 0; i < count; i++) {
		if (keys[i] == 'q' || keys[i] == 4) {
			return false;
		}
		take_key(top, keys[i]);
	}
	return count > 0;
}

/* Until `ms` are over and it is not paused; keys redraw at once.  False: it is to end. */
static bool wait_ms(struct top *top, struct top_reading *reading, int64_t ms)
{
	struct timespec begin;
	struct timespec now;
	int64_t left = ms;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	while ((left > 0 || top->screen.is_paused) && !is_ended) {
		struct pollfd keyboard = { .fd = STDIN_FILENO, .events = POLLIN };
		int ready = poll(&keyboard, top->screen.is_terminal ? 1 : 0,
				left > 0 ? (int)left : -1);

		if (ready > 0 && !take_keys(top)) {
			return false;
		}
		if (is_resized) {
			measure(&top->screen);
		}
		if (ready != 0 && top->screen.is_terminal) {
			top_reading_sort(reading, top->options.key);
			top_screen_print(stdout, &top->screen, reading);
		}
		clock_gettime(CLOCK_MONOTONIC, &now);
		left = ms - (now.tv_sec - begin.tv_sec) * 1000 -
				(now.tv_nsec - begin.tv_nsec) / 1000000;
	}
	return !is_ended;
}

/* A database whose reading takes long is read less often: a hundredth of a CPU at most. */
static int64_t pause_ms(const struct top *top, int64_t reading_ns)
{
	int64_t least = (int64_t)top->options.seconds * 1000;
	int64_t wanted = reading_ns / 10000;
	int64_t most = MOST_SECONDS * INT64_C(1000);

	return top->db && wanted > least ? (wanted < most ? wanted : most) : least;
}

/* One reading of a node shows no growth: there is one before it. */
static enum csc_status read_before(struct top *top, bool *ret_goes_on, struct diag *diag)
{
	struct top_reading reading;
	enum csc_status status = take_reading(top, &reading, diag);

	if (status == CSC_OK) {
		top_history_add(top->history, &reading);
		*ret_goes_on = wait_ms(top, &reading, pause_ms(top, 0));
	}
	return status;
}

static enum csc_status show(struct top *top, struct diag *diag)
{
	struct top_reading reading;
	bool goes_on = true;

	if (top->options.count == 1 && !top->db) {
		enum csc_status status = read_before(top, &goes_on, diag);

		if (status != CSC_OK) {
			return status;
		}
	}

	for (unsigned long i = 0;
			goes_on && !is_ended && (top->options.count == 0 || i < top->options.count);
			i++) {
		int64_t begin = used_ns();
		enum csc_status status = take_reading(top, &reading, diag);

		if (is_ended) {
			break;
		}
		if (status != CSC_OK) {
			return status;
		}
		top_history_add(top->history, &reading);
		top_reading_sort(&reading, top->options.key);
		if (i > 0 && !top->screen.is_terminal) {
			putchar('\n');
		}
		top_screen_print(stdout, &top->screen, &reading);
		top->is_shown = true;
		if (top->options.count == 0 && top->db && !top->screen.is_terminal &&
				!top_database_is_growing(top->db)) {
			break;
		}
		goes_on = i + 1 == top->options.count ||
				wait_ms(top, &reading, pause_ms(top, used_ns() - begin));
	}
	return CSC_OK;
}

/* How it was. */
static struct termios before;

/* As a signal's handler may, too. */
static void restore_terminal(void)
{
	static const char shown[] = "\033[?25h\033[?1049l";

	(void)!write(STDOUT_FILENO, shown, sizeof(shown) - 1);
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static enum csc_status show_on_terminal(struct top *top, struct diag *diag)
{
	struct termios raw;
	enum csc_status status;

	if (tcgetattr(STDIN_FILENO, &before) != 0) {
		return DIAG_FAIL(diag, "cannot read keys: %s", strerror(errno));
	}
	raw = before;
	raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
	database_before_end(restore_terminal);
	fputs("\033[?1049h\033[?25l\033[2J", stdout);
	status = show(top, diag);
	(void)fflush(stdout);
	database_before_end(NULL);
	restore_terminal();
	return status;
}

static bool is_terminal(void)
{
	const char *kind = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && strcmp(kind, "dumb") != 0;
}

/* What is asked; growth is known at once where the database has a minute of snapshots. */
static enum csc_status open_source(struct top *top, struct diag *diag)
{
	const struct top_options *options = &top->options;
	struct diag ignored = { 0 };
	struct top_reading reading;
	enum csc_status status = CSC_OK;

	if (options->database) {
		status = database_open(options->database, &top->db, diag);
		asked = top->db;
		if (status == CSC_OK &&
				top_database_read(top->db, options->pid, TOP_MINUTE_BEFORE,
						&reading, &ignored) == CSC_OK) {
			top_history_add(top->history, &reading);
		}
		return status;
	}
	record_node_find_ebin(top->ebin, sizeof(top->ebin));
	top->node.node.via = options->via;
	top->node.node.name = options->node;
	top->node.node.erl_args = options->erl_args;
	top->node.node.ebin = options->ebin ? options->ebin : top->ebin;
	(void)left_end();
	left_say(NULL);
	if (options->cookie_file) {
		top->note.kind = NOTE_ASKS;
		note_begin(&top->note);
		status = record_node_use_cookie(
				&top->node.node, options->cookie_file, &top->note, diag);
	}
	if (status == CSC_OK && options->pid) {
		status = record_node_of_process(
				(pid_t)options->pid, top->name, sizeof(top->name), diag);
		top->node.node.name = top->name;
	}
	return status;
}

int command_top(int argc, char **argv)
{
	static struct top top;
	const struct sigaction ends = { .sa_handler = end };
	const struct sigaction resizes = { .sa_handler = resize };
	struct diag diag = { 0 };
	enum csc_status status;

	top.options.seconds = 1;
	command_read(argc, argv, table, parse, "[FILE]",
			"Show what the allocators of a running node hold, how much of it is in use, and who holds it; "
			"or the same of a database, also of one that still grows.\v"
			"On a terminal it is refreshed, and keys sort it; otherwise each reading is plain text. "
			"Growth is that of the last minute. Nothing is hooked.",
			&top.options);
	top.history = top_history_create();
	if (!top.history) {
		(void)DIAG_NO_MEMORY(&diag);
		return command_fail(&diag);
	}
	(void)sigaction(SIGINT, &ends, NULL);
	(void)sigaction(SIGTERM, &ends, NULL);
	(void)sigaction(SIGHUP, &ends, NULL);
	(void)sigaction(SIGALRM, &ends, NULL);
	(void)sigaction(SIGWINCH, &resizes, NULL);
	top.screen.is_terminal = is_terminal() && top.options.count == 0;
	top.screen.is_utf8 = setlocale(LC_CTYPE, "") && strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	measure(&top.screen);
	status = open_source(&top, &diag);
	if (status == CSC_OK) {
		status = top.screen.is_terminal ? show_on_terminal(&top, &diag) : show(&top, &diag);
	}
	top_node_end(&top.node);
	note_end(&top.note);
	asked = NULL;
	(void)sqlite3_close(top.db);
	free(top.history);
	if (is_ended && !top.is_shown) {
		return EXIT_INTERRUPTED;
	}
	return status == CSC_OK ? EXIT_DONE : command_fail(&diag);
}
