/*
 * SPDX-License-Identifier: MIT
 *
 * Tables of our own events, from the lists of tp/: what a tracer writes has the same names here.
 *
 *	csc_event_tables TEMPLATE.sql.in OUTPUT.sql
 *
 * A line `CREATE EVENT TABLE name;` of the template becomes the table of event `name`, and the docs
 * of the columns that all events have.  Other lines stay.  It runs while we are built.  Of the
 * figures of a heap (tp/heap_figures.h) are made:
 *
 *	CREATE HEAP TABLE name;      a table of those that a board prints
 *	INSERT HEAP DOCS name;       their docs
 *	INSERT ALL HEAP DOCS name;   these, and those of what nothing prints
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_figures.h"
#include "read_lists.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct field {
	const char *name;
	const char *type;
};

struct event {
	const char *name;
	const struct field *fields;
	size_t field_count;
};

#define lttng_ust_field_integer(type, name, source) { #name, "INTEGER" },
#define lttng_ust_field_integer_hex(type, name, source) { #name, "INTEGER" },
#define csc_field_counter(name) { #name, "INTEGER" },
#define csc_field_added(name, source) { #name, "INTEGER" },
#define lttng_ust_field_string(name, source) { #name, "TEXT" },

#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args)
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields) \
	static const struct field name##_fields[] = { fields };
#include "carrierscope_events.inc"
#undef LTTNG_UST_TRACEPOINT_EVENT_CLASS
#undef LTTNG_UST_TRACEPOINT_EVENT_INSTANCE

#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class, provider, name, args) \
	{ #name, class##_fields, COUNT_OF(class##_fields) },
static const struct event events[] = {
#include "carrierscope_events.inc"
};

/* NULL: there is no such event. */
static const struct event *event_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		if (strcmp(events[i].name, name) == 0) {
			return &events[i];
		}
	}

	return NULL;
}

static void print_table(FILE *out, const struct event *event)
{
	static const char *const docs[] = {
		"'id', 'id', 'label', 'A larger one of the same source is never earlier'",
		"'ts_ns', 'ns', 'exact', 'When it was recorded, since the Unix epoch'",
		"'runtime_id', 'id', 'label', 'runtime.id'",
		"'thread_id', 'id', 'label', 'thread.id'",
	};

	fprintf(out,
			"CREATE TABLE \"%s\" (\n  id INTEGER PRIMARY KEY,\n  ts_ns INTEGER,\n"
			"  runtime_id INTEGER,\n  thread_id INTEGER",
			event->name);
	for (size_t i = 0; i < event->field_count; i++) {
		fprintf(out, ",\n  \"%s\" %s", event->fields[i].name, event->fields[i].type);
	}

	fputs("\n) STRICT;\nINSERT INTO view_doc VALUES\n", out);
	for (size_t i = 0; i < COUNT_OF(docs); i++) {
		fprintf(out, "  ('%s', %s)%s\n", event->name, docs[i],
				i + 1 < COUNT_OF(docs) ? "," : ";");
	}
}

/* A figure of tp/heap_figures.h. */
struct figure {
	const char *name;
	const char *unit;
	const char *meaning;
};

#define FIGURE(name, line, unit, meaning) { #name, unit, meaning },
static const struct figure figures[] = { HEAP_FIGURES(FIGURE) };

#define ONE(name, line, unit, meaning) PRINTED_##name,
enum { HEAP_PRINTED(ONE) PRINTED };

static void print_heap_table(FILE *out, const char *name)
{
	fprintf(out, "CREATE TABLE %s (\n  snapshot_id INTEGER PRIMARY KEY REFERENCES snapshot(id)",
			name);
	for (size_t i = 0; i < PRINTED; i++) {
		fprintf(out, ",\n  %s INTEGER NOT NULL", figures[i].name);
	}

	fputs("\n) STRICT;\n", out);
}

static void print_heap_docs(FILE *out, const char *name, size_t count)
{
	fputs("INSERT INTO view_doc VALUES\n", out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "  ('%s', '%s', '%s', 'exact', '%s')%s\n", name, figures[i].name,
				figures[i].unit, figures[i].meaning, i + 1 < count ? "," : ";");
	}
}

enum verb { CREATE_EVENT, CREATE_HEAP, INSERT_HEAP, INSERT_ALL_HEAP, VERBS };

/* False: the line names an event that no list has. */
static bool expand_line(FILE *out, const char *line)
{
	static const char *const verbs[VERBS] = { "CREATE EVENT TABLE ", "CREATE HEAP TABLE ",
		"INSERT HEAP DOCS ", "INSERT ALL HEAP DOCS " };
	int verb = 0;
	char name[64] = "";
	const struct event *event;

	while (verb < VERBS && strncmp(line, verbs[verb], strlen(verbs[verb])) != 0) {
		verb++;
	}

	if (verb < VERBS) {
		line += strlen(verbs[verb]);
		(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(line, ";\n"), line);
	}

	switch (verb) {
	case CREATE_EVENT:
		event = event_find(name);
		if (!event) {
			fprintf(stderr, "csc_event_tables: no list of tp/ has event %s\n", name);
			return false;
		}

		print_table(out, event);
		break;
	case CREATE_HEAP:
		print_heap_table(out, name);
		break;
	case INSERT_HEAP:
		print_heap_docs(out, name, PRINTED);
		break;
	case INSERT_ALL_HEAP:
		print_heap_docs(out, name, COUNT_OF(figures));
		break;
	default:
		fputs(line, out);
		break;
	}

	return true;
}

static bool expand_template(FILE *in, FILE *out)
{
	char line[4096];

	while (fgets(line, sizeof(line), in)) {
		if (!expand_line(out, line)) {
			return false;
		}
	}

	return !ferror(in);
}

int main(int argc, char **argv)
{
	FILE *in = argc == 3 ? fopen(argv[1], "r") : NULL;
	FILE *out = in ? fopen(argv[2], "w") : NULL;
	bool is_done;

	if (!out) {
		fprintf(stderr, "csc_event_tables: cannot open the template or the output\n");
		return EXIT_FAILURE;
	}

	is_done = expand_template(in, out);
	fclose(in);
	return fclose(out) == 0 && is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
