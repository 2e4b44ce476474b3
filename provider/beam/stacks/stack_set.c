/* SPDX-License-Identifier: MIT */
/* Words of a stack, the frames among them, and a table by their hash. */
#include "stack_set.h"

#include <string.h>
#include <sys/mman.h>

#include "fast_local.h"
#include "native_walk.h"
#include "probed_memory.h"

/* Of a long stack so many words of its end, where it grows, and of its begin are read. */
#define TOP_WORDS 768
#define BOTTOM_WORDS 128
#define MOST_WORDS (TOP_WORDS + BOTTOM_WORDS)

/* Longer ones are none. */
#define STACK_MOST_WORDS ((size_t)1 << 32)

/* Places that are looked at for one hash. */
#define PROBES 16

/* Of a function: its module, its name, its arity. */
#define HEADER_WORDS 3

/* Frames that are kept of a process's stack. */
#define KEPT (STACK_INNERMOST + STACK_OUTERMOST)

/* Stacks that a thread remembers. */
#define GUESSES 16

/* Addresses below are none. */
#define LEAST_ADDRESS 4096

_Static_assert((MOST_WORDS + STACK_FRAMES * HEADER_WORDS) * sizeof(uintptr_t) <= PROBED_MOST_BYTES,
		"a sample is read in one call");

struct stack_set {
	uint64_t left_out;
	struct stack stacks[STACKS];
};

static struct stack_set *set;

/* The frames of a stack while it is read. */
struct frames {
	uintptr_t caller;
	uint32_t count;
	uintptr_t last;
	uintptr_t inner[STACK_INNERMOST];
	/* A ring: the outermost so far. */
	uintptr_t outer[STACK_OUTERMOST];
};

bool stack_set_open(void)
{
	void *memory;

	if (set) {
		return true;
	}
	memory = mmap(NULL, sizeof(*set), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	set = memory == MAP_FAILED ? NULL : memory;
	return set;
}

size_t stack_set_region(uintptr_t *ret_begin)
{
	*ret_begin = (uintptr_t)set;
	return set ? sizeof(*set) : 0;
}

uint64_t stack_set_left_out(void)
{
	return set ? __atomic_load_n(&set->left_out, __ATOMIC_RELAXED) : 0;
}

const struct stack *stack_set_get(size_t place)
{
	const struct stack *stack = &set->stacks[place];

	return __atomic_load_n(&stack->is_whole, __ATOMIC_ACQUIRE) ? stack : NULL;
}

/* A word of the stack; END is that of the heap, where no code is. */
static void meet(struct frames *frames, uintptr_t word, uintptr_t heap, uintptr_t end)
{
	if (word % 4 != 0 || word < LEAST_ADDRESS || word == stack_way.bottom ||
			word == frames->last || (word >= heap && word < end)) {
		return;
	}
	frames->last = word;
	if (frames->count < STACK_INNERMOST) {
		frames->inner[frames->count] = word;
	} else {
		frames->outer[(frames->count - STACK_INNERMOST) % STACK_OUTERMOST] = word;
	}
	frames->count++;
}

/* What is read for one sample: words of the stack, and headers of the frames of another that may be
 * equal to it. */
struct sample {
	struct stack_place place;
	size_t count;
	/* NULL: none. */
	const struct stack *other;
	uintptr_t words[MOST_WORDS + STACK_FRAMES * HEADER_WORDS];
};

/* The headers of a stack's frames that have one. */
static size_t add_headers(const struct stack *stack, struct probed_piece *pieces)
{
	size_t count = 0;

	for (size_t i = 0; i < stack->kept; i++) {
		if (stack->frame[i].function.module != 0) {
			pieces[count++] = (struct probed_piece){
				stack->frame[i].function.header,
				HEADER_WORDS * sizeof(uintptr_t),
			};
		}
	}
	return count;
}

/* Whether the code that was there when the stack was met first is there still. */
static bool are_headers_same(const struct stack *stack, const uintptr_t *words)
{
	for (size_t i = 0; i < stack->kept; i++) {
		const struct stack_function *function = &stack->frame[i].function;

		if (function->module == 0) {
			continue;
		}
		if (words[0] != function->module || words[1] != function->name ||
				words[2] != function->arity) {
			return false;
		}
		words += HEADER_WORDS;
	}
	return true;
}

/* In one call; false: it cannot be read, or is no stack. */
static bool read_sample(struct sample *sample)
{
	uintptr_t stop = sample->place.stop;
	uintptr_t end = sample->place.end;
	size_t count = (end - stop) / sizeof(uintptr_t);
	size_t top = count <= MOST_WORDS ? count : TOP_WORDS;
	size_t bottom = count <= MOST_WORDS ? 0 : BOTTOM_WORDS;
	struct probed_piece pieces[2 + STACK_FRAMES] = {
		{ stop, top * sizeof(uintptr_t) },
		{ end - bottom * sizeof(uintptr_t), bottom * sizeof(uintptr_t) },
	};
	size_t piece_count = 2;

	if (sample->other) {
		piece_count += add_headers(sample->other, pieces + piece_count);
	}
	sample->count = top + bottom;
	return probed_memory_read(pieces, piece_count, sample->words) &&
			sample->words[sample->count - 1] == stack_way.bottom;
}

static bool is_stack(const struct stack_place *place)
{
	return place->heap != 0 && place->heap < place->stop && place->stop < place->end &&
			(place->heap | place->stop | place->end) % sizeof(uintptr_t) == 0 &&
			(place->end - place->heap) / sizeof(uintptr_t) <= STACK_MOST_WORDS;
}

static void find_frames(const struct sample *sample, struct frames *ret_frames)
{
	ret_frames->caller = native_walk_caller();
	ret_frames->count = 0;
	ret_frames->last = 0;
	for (size_t i = 0; i < sample->count; i++) {
		meet(ret_frames, sample->words[i], sample->place.heap, sample->place.end);
	}
}

static size_t kept_of(const struct frames *frames)
{
	return frames->count < KEPT ? frames->count : KEPT;
}

/* The frame at a place among those that are kept. */
static uintptr_t address_at(const struct frames *frames, size_t place)
{
	if (place < STACK_INNERMOST) {
		return frames->inner[place];
	}
	return frames->outer[(frames->count - STACK_INNERMOST - (kept_of(frames) - place)) %
			STACK_OUTERMOST];
}

static uint64_t hash_of(const struct frames *frames)
{
	uint64_t hash = kept_of(frames) ^ frames->caller;

	for (size_t i = 0; i < kept_of(frames); i++) {
		hash = (hash ^ address_at(frames, i)) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	return hash;
}

static bool is_of(const struct stack *stack, const struct frames *frames)
{
	size_t kept = kept_of(frames);
	size_t first = stack->kept - kept;

	if (stack->caller != frames->caller || first > 1) {
		return false;
	}
	for (size_t i = 0; i < kept; i++) {
		if (stack->frame[first + i].address != address_at(frames, i)) {
			return false;
		}
	}
	return true;
}

/* The same where its headers were not read with it. */
static bool is_code_same(const struct stack *stack)
{
	struct probed_piece headers[STACK_FRAMES];
	uintptr_t words[STACK_FRAMES * HEADER_WORDS];
	size_t count = add_headers(stack, headers);

	return count == 0 ||
			(probed_memory_read(headers, count, words) &&
					are_headers_same(stack, words));
}

static void fill(struct stack *stack, const struct frames *frames)
{
	/* Most often it is a function of Erlang; else code that many share, or of a library. */
	const struct stack_frame caller = { frames->caller, stack_way_function(frames->caller) };
	uint16_t kept = 0;

	if (caller.function.module != 0) {
		stack->frame[kept++] = caller;
	}
	stack->caller = frames->caller;
	stack->frames = kept + frames->count;
	for (size_t i = 0; i < kept_of(frames); i++) {
		uintptr_t address = address_at(frames, i);

		stack->frame[kept++] = (struct stack_frame){ address, stack_way_function(address) };
	}
	stack->kept = kept;
	__atomic_store_n(&stack->is_whole, true, __ATOMIC_RELEASE);
}

/* A place is somebody's from when it has an id on, which differs from place to place. */
static uint64_t id_of(uint64_t hash, size_t place)
{
	uint64_t id = ((hash ^ place) * UINT64_C(0xBF58476D1CE4E5B9)) >> 1;

	return id > 0 ? id : 1;
}

/* NULL: there is no place for it. */
static const struct stack *find(const struct frames *frames)
{
	uint64_t hash = hash_of(frames);

	for (size_t probe = 0; probe < PROBES; probe++) {
		size_t place = (hash >> (64 - STACK_BITS)) + probe;
		struct stack *stack = &set->stacks[place % STACKS];
		uint64_t none = 0;
		uint64_t id = __atomic_load_n(&stack->id, __ATOMIC_ACQUIRE);

		if (id == 0 &&
				__atomic_compare_exchange_n(&stack->id, &none,
						id_of(hash, place % STACKS), false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			fill(stack, frames);
			return stack;
		}
		/* One that is being written by another thread: the next place, at worst a double.
		 */
		if (__atomic_load_n(&stack->is_whole, __ATOMIC_ACQUIRE) && is_of(stack, frames) &&
				is_code_same(stack)) {
			return stack;
		}
	}
	__atomic_fetch_add(&set->left_out, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* The stack that this thread met last where one was as deep. */
static const struct stack **guess_of(const struct stack_place *place)
{
	static _Thread_local const struct stack *last[GUESSES] FAST_LOCAL;

	return &last[(place->end - place->stop) / sizeof(uintptr_t) % GUESSES];
}

size_t stack_set_place_of(const struct stack *stack)
{
	return (size_t)(stack - set->stacks);
}

const struct stack *stack_set_take(const struct stack_place *place)
{
	struct sample sample;
	struct frames frames;
	const struct stack **guess;

	if (!is_stack(place)) {
		return NULL;
	}
	sample.place = *place;
	guess = guess_of(&sample.place);
	sample.other = *guess;
	if (!read_sample(&sample)) {
		/* It may be the code of the other that is gone. */
		sample.other = NULL;
		if (!*guess || !read_sample(&sample)) {
			return NULL;
		}
	}
	find_frames(&sample, &frames);
	if (!sample.other || !is_of(sample.other, &frames) ||
			!are_headers_same(sample.other, sample.words + sample.count)) {
		*guess = find(&frames);
	}
	return *guess;
}
