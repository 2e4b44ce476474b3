/* SPDX-License-Identifier: MIT */
/* The line from ticks to ns. */
#include "ticks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* Of the slope. */
#define ONE (UINT64_C(1) << 32)

enum {
	ADJUST_NS = 100 * 1000 * 1000,

	/* A new piece begins so long from now, when everybody knows of it, and meets the clock so
	 * much later. */
	AHEAD_NS = 20 * 1000 * 1000,
	MEET_NS = 200 * 1000 * 1000,

	/* What is farther off has been set, or the machine slept. */
	JUMP_NS = 1000 * 1000,

	/* A slope is measured over this time. */
	FIRST_NS = 4 * 1000 * 1000,
	BASE_NS = 2000 * 1000 * 1000,
	READINGS = 16,
};

struct reading {
	uint64_t ticks;
	uint64_t ns;
};

bool ticks_are_counted;

static struct {
	struct ticks_line pieces;

	/* NULL: there is none. */
	struct ticks_line *copy;

	/* Of one thread: readings that slopes are measured by, and the last one. */
	struct reading base;
	struct reading next_base;
	struct reading last;
} line;

static uint64_t slope_between(const struct reading *from, const struct reading *to)
{
	uint64_t ticks = to->ticks - from->ticks;

	return ticks == 0 ? ONE
			  : (uint64_t)(((unsigned __int128)(to->ns - from->ns) << 32) / ticks);
}

/* Both clocks at one moment: of some trials the one that took least. */
static struct reading read_both(void)
{
	struct reading best = { 0, 0 };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < READINGS; i++) {
		uint64_t before = ticks_after();
		uint64_t ns = ticks_of_clock();
		uint64_t after = ticks_after();

		if (after - before < least) {
			least = after - before;
			best = (struct reading){ before + (after - before) / 2, ns };
		}
	}
	return best;
}

struct ticks_piece ticks_piece_of(uint64_t ticks)
{
	return ticks_are_counted ? ticks_line_piece(&line.pieces, ticks)
				 : (struct ticks_piece){ 0, UINT64_MAX, 0, ONE };
}

uint64_t ticks_to_ns(uint64_t ticks)
{
	const struct ticks_piece piece = ticks_piece_of(ticks);

	return ticks_piece_ns(&piece, ticks);
}

static void put_piece(struct ticks_line *to, const struct line_piece *piece)
{
	to->piece[to->count % LINE_PIECES] = *piece;
	__atomic_store_n(&to->count, to->count + 1, __ATOMIC_RELEASE);
}

static void add_piece(uint64_t ticks, uint64_t ns, uint64_t slope)
{
	const struct line_piece piece = { ticks, ns, slope };

	/* Who finds slots in the file finds their piece there. */
	if (line.copy) {
		put_piece(line.copy, &piece);
	}
	put_piece(&line.pieces, &piece);
}

void ticks_copy_line(struct ticks_line *copy)
{
	line.copy = copy;
	if (copy) {
		*copy = line.pieces;
	}
}

/* The slope of the last piece. */
static uint64_t last_slope(void)
{
	return line.pieces.piece[(line.pieces.count - 1) % LINE_PIECES].slope;
}

/* From the last reading to this one, where the clocks went apart in between, and on from here. */
static void jump(const struct reading *now, uint64_t slope)
{
	uint64_t last_ns = ticks_to_ns(line.last.ticks);
	struct reading last = { line.last.ticks, last_ns };
	uint64_t ns = now->ns > last_ns ? now->ns : last_ns;
	struct reading here = { now->ticks, ns };

	if (now->ticks > last.ticks) {
		add_piece(last.ticks, last.ns, slope_between(&last, &here));
	}
	add_piece(here.ticks, here.ns, slope);
	line.base = here;
	line.next_base = here;
}

void ticks_adjust(void)
{
	struct reading now;
	uint64_t slope;
	uint64_t ns;
	int64_t error_ns;

	if (!ticks_are_counted || ticks_of_clock() - line.last.ns < ADJUST_NS) {
		return;
	}
	now = read_both();
	slope = now.ns - line.base.ns > ADJUST_NS / 2 ? slope_between(&line.base, &now)
						      : last_slope();
	ns = ticks_to_ns(now.ticks);
	error_ns = (int64_t)(now.ns - ns);
	if (now.ticks <= line.last.ticks || error_ns > JUMP_NS || error_ns < -JUMP_NS) {
		jump(&now, last_slope());
	} else {
		uint64_t begin =
				now.ticks + (uint64_t)(((unsigned __int128)AHEAD_NS << 32) / slope);

		add_piece(begin, ticks_to_ns(begin),
				(uint64_t)((int64_t)slope + (int64_t)slope * error_ns / MEET_NS));
		if (now.ns - line.next_base.ns > BASE_NS) {
			line.base = line.next_base;
			line.next_base = now;
		}
	}
	line.last = now;
}

/* Whether the processor has the instruction, and this process may use it. */
static bool may_count(void)
{
#if defined(__x86_64__)
	const unsigned int has_rdtscp = 1U << 27;
	unsigned int eax = 0;
	unsigned int ebx = 0;
	unsigned int ecx = 0;
	unsigned int edx = 0;
	int may = PR_TSC_SIGSEGV;

	return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) && (edx & has_rdtscp) != 0 &&
			prctl(PR_GET_TSC, &may) == 0 && may == PR_TSC_ENABLE;
#else
	return false;
#endif
}

/* Whether Linux itself takes the counter for a clock: it runs evenly, and alike on all processors.
 */
static bool is_clock_source(void)
{
	static const char file_name[] =
			"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	char text[32] = "";
	int file = open(file_name, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);

	if (file >= 0) {
		(void)close(file);
	}
	return length > 0 && strcmp(text, "tsc\n") == 0;
}

const char *ticks_open(void)
{
	const struct timespec pause = { .tv_nsec = FIRST_NS };
	struct reading first;

	ticks_are_counted = may_count() && is_clock_source();
	if (!ticks_are_counted) {
		return "times by the system's clock, which is not made of the processor's counter";
	}
	first = read_both();
	(void)nanosleep(&pause, NULL);
	line.last = read_both();
	line.base = first;
	line.next_base = line.last;
	add_piece(line.last.ticks, line.last.ns, slope_between(&first, &line.last));
	return "times by the processor's counter";
}
