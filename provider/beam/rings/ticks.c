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
	/* Pieces that are remembered: more than 6 s. */
	PIECES = 64,
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

struct piece {
	uint64_t ticks;
	uint64_t ns;

	/* ns a tick, times 2^32. */
	uint64_t slope;
};

struct reading {
	uint64_t ticks;
	uint64_t ns;
};

bool ticks_are_counted;

static struct {
	/* The last one is piece[(count - 1) % PIECES]; older ones are overwritten. */
	struct piece piece[PIECES];
	uint64_t count;

	/* Of one thread: readings that slopes are measured by, and the last one. */
	struct reading base;
	struct reading next_base;
	struct reading last;
} line;

static uint64_t scale(uint64_t ticks, uint64_t slope)
{
	return (uint64_t)((unsigned __int128)ticks * slope >> 32);
}

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

static struct ticks_piece piece_at(uint64_t number, uint64_t until)
{
	const struct piece *piece = &line.piece[number % PIECES];

	return (struct ticks_piece){ piece->ticks, until, piece->ns, piece->slope };
}

struct ticks_piece ticks_piece_of(uint64_t ticks)
{
	uint64_t count = __atomic_load_n(&line.count, __ATOMIC_ACQUIRE);
	uint64_t number = count - 1;
	uint64_t until = UINT64_MAX;
	struct ticks_piece piece;

	if (!ticks_are_counted) {
		return (struct ticks_piece){ 0, UINT64_MAX, 0, ONE };
	}
	/* Two fewer than there are: the oldest may be overwritten meanwhile. */
	while (number > 0 && number + PIECES > count + 1 &&
			ticks < line.piece[number % PIECES].ticks) {
		until = line.piece[number % PIECES].ticks;
		number--;
	}
	piece = piece_at(number, until);
	/* Before what is remembered its line goes on. */
	if (ticks < piece.from) {
		piece.ns -= scale(piece.from - ticks, piece.slope);
		piece.from = ticks;
	}
	return piece;
}

uint64_t ticks_to_ns(uint64_t ticks)
{
	const struct ticks_piece piece = ticks_piece_of(ticks);

	return ticks_piece_ns(&piece, ticks);
}

static void add_piece(uint64_t ticks, uint64_t ns, uint64_t slope)
{
	line.piece[line.count % PIECES] = (struct piece){ ticks, ns, slope };
	__atomic_store_n(&line.count, line.count + 1, __ATOMIC_RELEASE);
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
						      : line.piece[(line.count - 1) % PIECES].slope;
	ns = ticks_to_ns(now.ticks);
	error_ns = (int64_t)(now.ns - ns);
	if (now.ticks <= line.last.ticks || error_ns > JUMP_NS || error_ns < -JUMP_NS) {
		jump(&now, line.piece[(line.count - 1) % PIECES].slope);
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
