/*
 * SPDX-License-Identifier: MIT
 *
 * A week as inline SVG: an hour is one unit wide, and nothing of it needs a script or a style of
 * its own.
 */
#include "fleet_week.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "fleet_answer.h"
#include "html.h"
#include "scaled_bytes.h"

enum { HOURS = 168, DAYS = 7, HEIGHT = 100 };

/*
 * Of each node and hour means, least and most of its minutes.  What is usual for a node are nine
 * tenths of its hours but the last 6, if it has a day of them; for its application, the last hours
 * of nine tenths of its nodes, if these are five.
 */
static const char week[] =
		"SELECT node, app, release, hours, carriers, least, most, used, last, has_own, own_low, own_high, peers, peers_low, peers_high, "
		"if(has_own, greatest(greatest(last - own_high, own_low - last), 0) / greatest(own_high, 1), 0) "
		"+ if(peers >= 5, greatest(greatest(last - peers_high, peers_low - last), 0) / greatest(peers_high, 1), 0) AS surprise, "
		"last / greatest(first, 1) AS growth "
		"FROM (SELECT app, n.1 AS node, n.2 AS release, n.3 AS hours, n.4 AS carriers, n.5 AS least, n.6 AS most, n.7 AS used, "
		"n.8 AS last, n.9 AS first, n.10 AS has_own, n.11 AS own_low, n.12 AS own_high, peers, peers_low, peers_high FROM ("
		"SELECT app, count() AS peers, quantileExact(0.1)(last) AS peers_low, quantileExact(0.9)(last) AS peers_high, "
		"groupArray((node, release, hours, carriers, least, most, used, last, first, has_own, own_low, own_high)) AS nodes FROM ("
		"SELECT node, app, release, arrayMap(p -> p.1, points) AS hours, arrayMap(p -> p.2, points) AS carriers, "
		"arrayMap(p -> p.3, points) AS least, arrayMap(p -> p.4, points) AS most, arrayMap(p -> p.5, points) AS used, "
		"carriers[-1] AS last, carriers[1] AS first, length(points) >= 24 AS has_own, "
		"arraySlice(carriers, 1, greatest(toInt64(length(points)) - 6, 1)) AS before, "
		"arrayReduce('quantileExact(0.05)', before) AS own_low, arrayReduce('quantileExact(0.95)', before) AS own_high FROM ("
		"SELECT node, argMax(a, at) AS app, argMax(r, at) AS release, arraySort(p -> p.1, groupArray((x, c, l, m, u))) AS points FROM ("
		"SELECT node, toInt64(intDiv(toUInt32(hour) + 604800 - toUInt32(now()), 3600)) AS x, argMax(app, last_ts) AS a, "
		"argMax(release, last_ts) AS r, max(last_ts) AS at, toInt64(sum(carriers_sum) / sum(carriers_minutes)) AS c, "
		"toInt64(min(carriers_least)) AS l, toInt64(max(carriers_most)) AS m, "
		"if(sum(used_minutes) = 0, toInt64(-1), toInt64(sum(used_sum) / greatest(sum(used_minutes), 1))) AS u FROM alloc_minutes "
		"WHERE hour >= now() - 604800 AND hour <= now() AND allocator = 'all' AND carriers_minutes > 0 "
		"AND (recording, push) GLOBAL IN (SELECT recording, push FROM visible_push) GROUP BY node, x"
		") GROUP BY node)) GROUP BY app) ARRAY JOIN nodes AS n) "
		"ORDER BY surprise DESC, growth DESC, node LIMIT 200";

/* Columns of it. */
enum {
	WEEK_NODE,
	WEEK_APP,
	WEEK_RELEASE,
	WEEK_HOURS,
	WEEK_CARRIERS,
	WEEK_LEAST,
	WEEK_MOST,
	WEEK_USED,
	WEEK_LAST,
	WEEK_HAS_OWN,
	WEEK_OWN_LOW,
	WEEK_OWN_HIGH,
	WEEK_PEERS,
	WEEK_PEERS_LOW,
	WEEK_PEERS_HIGH,
};

/* Bytes of the hours of a node; below 0: not known. */
struct hours {
	double carriers[HOURS];
	double least[HOURS];
	double most[HOURS];
	double used[HOURS];

	/* The most of all. */
	double top;
	int first;
	int last;
};

enum csc_status fleet_week_fetch(struct server *server, sqlite3 *db, struct diag *diag)
{
	return fleet_answer_take(server, db, "node_week", week, diag);
}

/* The next number of "[1,2,3]"; false: there is none. */
static bool take_number(const char **at, double *ret_number)
{
	char *end;

	*at += strspn(*at, "[,");
	*ret_number = strtod(*at, &end);
	if (end == *at) {
		return false;
	}
	*at = end;
	return true;
}

static void read_hours(sqlite3_stmt *row, struct hours *ret_hours)
{
	double *const to[] = { ret_hours->carriers, ret_hours->least, ret_hours->most,
		ret_hours->used };
	const char *at[4];
	const char *hour = database_text(row, WEEK_HOURS);
	double number;

	*ret_hours = (struct hours){ .first = HOURS };
	for (int k = 0; k < 4; k++) {
		at[k] = database_text(row, WEEK_CARRIERS + k);
		for (int i = 0; i < HOURS; i++) {
			to[k][i] = -1;
		}
	}
	while (take_number(&hour, &number)) {
		/* The hour that has begun counts as the last one that is whole. */
		int i = number < 0 ? -1 : number >= HOURS ? HOURS - 1 : (int)number;

		for (int k = 0; k < 4; k++) {
			double value = -1;

			if (take_number(&at[k], &value) && i >= 0) {
				to[k][i] = value;
				ret_hours->top = value > ret_hours->top ? value : ret_hours->top;
			}
		}
		if (i >= 0) {
			ret_hours->first = i < ret_hours->first ? i : ret_hours->first;
			ret_hours->last = i > ret_hours->last ? i : ret_hours->last;
		}
	}
}

/* Where a number of bytes lies. */
static double height_of(const struct hours *hours, double bytes)
{
	return HEIGHT - (hours->top > 0 ? HEIGHT * bytes / hours->top : 0);
}

/* From 0 to `high`, in one outline for each run of hours in which that is known. */
static void draw_area(
		FILE *stream, const double *high, const struct hours *hours, const char *style)
{
	bool is_open = false;

	(void)fprintf(stream, "<path class=\"%s\" d=\"", style);
	for (int i = 0; i < HOURS; i++) {
		if (high[i] >= 0) {
			if (!is_open) {
				(void)fprintf(stream, "M%d %d", i, (int)HEIGHT);
			}
			(void)fprintf(stream, "V%.3gh1", height_of(hours, high[i]));
		} else if (is_open) {
			(void)fprintf(stream, "V%dz", (int)HEIGHT);
		}
		is_open = high[i] >= 0;
	}
	(void)fprintf(stream, is_open ? "V%dz\"/>" : "\"/>", (int)HEIGHT);
}

/* From the least to the most of each hour. */
static void draw_band(FILE *stream, const struct hours *hours)
{
	fputs("<path class=\"band\" d=\"", stream);
	for (int i = 0; i < HOURS; i++) {
		if (hours->most[i] >= 0) {
			double top = height_of(hours, hours->most[i]);
			double bottom = height_of(hours, hours->least[i]);

			/* What stood still is seen as well. */
			(void)fprintf(stream, "M%d %.3gh1V%.3gh-1z", i, top,
					bottom > top + 1 ? bottom : top + 1);
		}
	}
	fputs("\"/>", stream);
}

static void put_bytes(FILE *stream, double bytes)
{
	char *text = bytes < 0 ? NULL : scaled_bytes(bytes);

	fputs(text ? text : "not known", stream);
	free(text);
}

static void begin_picture(
		FILE *stream, sqlite3_stmt *row, const struct hours *hours, const char *style)
{
	(void)fprintf(stream,
			"<svg class=\"%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"The last 7 days of ",
			style, (int)HOURS, (int)HEIGHT);
	html_text(stream, database_text(row, WEEK_NODE));
	fputs(": carriers from ", stream);
	put_bytes(stream, hours->first < HOURS ? hours->carriers[hours->first] : -1);
	fputs(" to ", stream);
	put_bytes(stream, hours->carriers[hours->last]);
	fputs(", in use at last ", stream);
	put_bytes(stream, hours->used[hours->last]);
	fputs("\">", stream);
}

/* How far a level lies outside of a range, in words; false: it is within. */
static bool put_outside(FILE *stream, double level, double low, double high, const char *range)
{
	static const double noticed = 0.05;
	double above = high > 0 ? level / high - 1 : 0;
	double below = low > 0 ? 1 - level / low : 0;

	if (above >= noticed) {
		(void)fprintf(stream, "%.0f %% above %s", 100 * above, range);
	} else if (below >= noticed) {
		(void)fprintf(stream, "%.0f %% below %s", 100 * below, range);
	}
	return above >= noticed || below >= noticed;
}

static void put_surprise(FILE *stream, sqlite3_stmt *row)
{
	double last = sqlite3_column_double(row, WEEK_LAST);
	bool is_said = sqlite3_column_int(row, WEEK_HAS_OWN) &&
			put_outside(stream, last, sqlite3_column_double(row, WEEK_OWN_LOW),
					sqlite3_column_double(row, WEEK_OWN_HIGH),
					"what is usual for it");

	if (!is_said && sqlite3_column_int(row, WEEK_PEERS) >= 5) {
		is_said = put_outside(stream, last, sqlite3_column_double(row, WEEK_PEERS_LOW),
				sqlite3_column_double(row, WEEK_PEERS_HIGH),
				"the nodes of its application");
	}
	fputs(is_said								? ""
					: sqlite3_column_int(row, WEEK_HAS_OWN) ? "as usual"
										: "too new to say",
			stream);
}

void fleet_week_strip(FILE *stream, sqlite3_stmt *row, int place)
{
	struct hours hours;

	read_hours(row, &hours);
	(void)fprintf(stream, "<tr><td><a href=\"#node-%d\">", place);
	html_text(stream, database_text(row, WEEK_NODE));
	fputs("</a></td><td>", stream);
	begin_picture(stream, row, &hours, "strip");
	draw_area(stream, hours.carriers, &hours, "all");
	draw_area(stream, hours.used, &hours, "used");
	fputs("</svg></td><td class=\"n\">", stream);
	put_bytes(stream, sqlite3_column_double(row, WEEK_LAST));
	fputs("</td><td class=\"how\">", stream);
	put_surprise(stream, row);
	fputs("</td><td>", stream);
	html_text(stream, database_text(row, WEEK_APP));
	fputs("</td><td>", stream);
	html_text(stream, database_text(row, WEEK_RELEASE));
	fputs("</td></tr>\n", stream);
}

/* What the colours are. */
static void put_key(FILE *stream)
{
	static const char *const keys[][2] = {
		{ "all", "carriers, the mean of an hour" },
		{ "band", "least to most of its minutes" },
		{ "used", "in use" },
		{ "usual", "what is usual for it" },
	};

	fputs("<p class=\"key\">", stream);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		(void)fprintf(stream,
				"<i><svg viewBox=\"0 0 1 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect class=\"%s\" width=\"1\" height=\"1\"/></svg></i>%s",
				keys[i][0], keys[i][1]);
	}
	fputs("</p>\n", stream);
}

/* A day of a node: means and the most of its hours. */
static void put_day(FILE *stream, const struct hours *hours, int day)
{
	double carriers = 0;
	double used = 0;
	double most = -1;
	int known = 0;
	int known_used = 0;

	for (int i = 24 * day; i < 24 * (day + 1); i++) {
		if (hours->carriers[i] >= 0) {
			carriers += hours->carriers[i];
			known++;
			most = hours->most[i] > most ? hours->most[i] : most;
		}
		if (hours->used[i] >= 0) {
			used += hours->used[i];
			known_used++;
		}
	}

	if (day == DAYS - 1) {
		fputs("<tr><td class=\"when\">the last 24 hours</td><td class=\"n\">", stream);
	} else {
		(void)fprintf(stream,
				"<tr><td class=\"when\">%d to %d days ago</td><td class=\"n\">",
				DAYS - day, DAYS - day - 1);
	}
	put_bytes(stream, known > 0 ? carriers / known : -1);
	fputs("</td><td class=\"n\">", stream);
	put_bytes(stream, most);
	fputs("</td><td class=\"n\">", stream);
	put_bytes(stream, known_used > 0 ? used / known_used : -1);
	fputs("</td></tr>\n", stream);
}

void fleet_week_page(FILE *stream, sqlite3_stmt *row)
{
	struct hours hours;

	read_hours(row, &hours);
	fputs("<p>At last ", stream);
	put_bytes(stream, sqlite3_column_double(row, WEEK_LAST));
	fputs(" in carriers, ", stream);
	put_surprise(stream, row);
	fputs(".</p>\n", stream);
	begin_picture(stream, row, &hours, "week");
	draw_area(stream, hours.carriers, &hours, "all");
	draw_area(stream, hours.used, &hours, "used");
	draw_band(stream, &hours);
	if (sqlite3_column_int(row, WEEK_HAS_OWN)) {
		double top = height_of(&hours, sqlite3_column_double(row, WEEK_OWN_HIGH));

		(void)fprintf(stream,
				"<rect class=\"usual\" width=\"%d\" y=\"%.1f\" height=\"%.1f\"/>",
				(int)HOURS, top,
				height_of(&hours, sqlite3_column_double(row, WEEK_OWN_LOW)) - top);
	}
	fputs("</svg>\n<p class=\"ends\"><span>7 days ago</span><span>the highest is ", stream);
	put_bytes(stream, hours.top);
	fputs("</span><span>now</span></p>\n", stream);
	put_key(stream);
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Its days\"><table><thead><tr><th scope=\"col\">when</th><th scope=\"col\" class=\"n\">carriers</th>"
	      "<th scope=\"col\" class=\"n\">most of a minute</th><th scope=\"col\" class=\"n\">in use</th></tr></thead>\n<tbody>\n",
			stream);
	for (int day = 0; day < DAYS; day++) {
		put_day(stream, &hours, day);
	}
	fputs("</tbody></table></div>\n", stream);
}
