/* SPDX-License-Identifier: MIT */
/* Tables of frames are searched and executed once for each return address, and remembered. */
#include "native_walk.h"

#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define FRAME_POINTER 6
#define STACK_POINTER 7
#define RETURN_ADDRESS 16
#elif defined(__aarch64__)
#define FRAME_POINTER 29
#define STACK_POINTER 31
#define RETURN_ADDRESS 30
#else
#define FRAME_POINTER UINT_MAX
#define STACK_POINTER UINT_MAX
#define RETURN_ADDRESS UINT_MAX
#endif

#define WORD ((int64_t)sizeof(uintptr_t))

#define OBJECTS 2

/* Frames of C that are walked at most. */
#define DEPTH 64

/* Pointers in tables: relative to where they stand, or to the begin of the table of all; 32 bits.
 */
#define POINTER_RELATIVE 0x1b
#define POINTER_OF_TABLE 0x3b
#define COUNT_PLAIN 0x03

/* A version, the ways of three values, and two values. */
#define HEADER_BYTES 12

/* States that one program remembers at once. */
#define REMEMBERED 8

/* Return addresses that are remembered, and bits of what is remembered of each. */
#define CACHE_BITS 10
#define CACHE_WAYS ((size_t)1 << CACHE_BITS)
#define PLACE_BITS 12
#define PLACE_MOST ((1 << PLACE_BITS) - 1)

struct object {
	/* Code. */
	uintptr_t begin;
	uintptr_t end;
	/* The table of all functions, and the memory in which it and what it points to lie. */
	const uint8_t *header;
	const uint8_t *first;
	const uint8_t *last;
	size_t functions;
};

static struct object objects[OBJECTS];
static bool is_open;

/* Words that were computed: of each address what is left of it behind its place, and a frame. */
static uint64_t cache[CACHE_WAYS];

/* Where the caller's frame is: words, 0 where there is no such place. */
struct frame {
	/* The caller's stack begins so far above the frame or stack pointer. */
	bool is_by_frame_pointer;
	unsigned int size;
	/* Below that begin: the return address, and the caller's frame pointer. */
	unsigned int address_at;
	unsigned int pointer_at;
};

/* The same while a program runs: bytes. */
struct row {
	uint64_t base;
	int64_t size;
	int64_t address_at;
	int64_t pointer_at;
};

/* What is read, until its end; past it there are zeroes, and it is cut. */
struct bytes {
	const uint8_t *at;
	const uint8_t *end;
	bool is_cut;
};

static uint64_t take(struct bytes *bytes, size_t count)
{
	uint64_t value = 0;

	if ((size_t)(bytes->end - bytes->at) < count) {
		bytes->is_cut = true;
		bytes->at = bytes->end;
		return 0;
	}
	/* Little-endian, as both machines are. */
	memcpy(&value, bytes->at, count);
	bytes->at += count;
	return value;
}

/* Seven bits in each byte, the lowest first; those beyond 64 are left out.  RET_BITS: how many. */
static uint64_t take_sevens(struct bytes *bytes, unsigned int *ret_bits)
{
	uint64_t value = 0;
	uint64_t byte;

	*ret_bits = 0;
	do {
		byte = take(bytes, 1);
		value |= *ret_bits < 64 ? (byte & 0x7f) << *ret_bits : 0;
		*ret_bits += 7;
	} while (byte & 0x80);
	return value;
}

static uint64_t take_unsigned(struct bytes *bytes)
{
	unsigned int bits;

	return take_sevens(bytes, &bits);
}

static int64_t take_signed(struct bytes *bytes)
{
	unsigned int bits;
	uint64_t value = take_sevens(bytes, &bits);

	if (bits < 64 && value >> (bits - 1) & 1) {
		value |= ~UINT64_C(0) << bits;
	}
	return (int64_t)value;
}

static void skip(struct bytes *bytes, uint64_t count)
{
	if ((uint64_t)(bytes->end - bytes->at) < count) {
		bytes->is_cut = true;
		count = (uint64_t)(bytes->end - bytes->at);
	}
	bytes->at += count;
}

/* A relative pointer, as an address. */
static uintptr_t take_pointer(struct bytes *bytes)
{
	uintptr_t at = (uintptr_t)bytes->at;

	return at + (uintptr_t)(int64_t)(int32_t)take(bytes, 4);
}

/* What all functions of a compiler's output have in common. */
struct common {
	uint64_t code_unit;
	int64_t data_unit;
	bool has_data;
	struct bytes program;
};

/* One entry of the table: its bytes behind the length; an empty one cannot be read. */
static struct bytes entry_at(const struct object *object, const uint8_t *at)
{
	struct bytes entry = { at, object->last, false };
	uint64_t length;

	if (at < object->first || at >= object->last) {
		return (struct bytes){ at, at, true };
	}
	length = take(&entry, 4);
	/* One of 64 bits is not to be expected. */
	if (length == UINT32_MAX || length > (uint64_t)(entry.end - entry.at)) {
		return (struct bytes){ at, at, true };
	}
	entry.end = entry.at + length;
	return entry;
}

static bool read_common(const struct object *object, const uint8_t *at, struct common *ret_common)
{
	struct bytes entry = entry_at(object, at);
	uint64_t id = take(&entry, 4);
	uint64_t version = take(&entry, 1);
	const char *ways = (const char *)entry.at;
	uint64_t length = 0;
	uint64_t return_address;
	bool is_relative = false;

	while (take(&entry, 1) != 0) {
		length++;
	}
	ret_common->code_unit = take_unsigned(&entry);
	ret_common->data_unit = take_signed(&entry);
	return_address = version == 1 ? take(&entry, 1) : take_unsigned(&entry);
	ret_common->has_data = length > 0 && ways[0] == 'z';
	if (ret_common->has_data) {
		uint64_t data = take_unsigned(&entry);
		struct bytes values = entry;

		skip(&entry, data);
		values.end = entry.at;
		for (uint64_t i = 1; i < length; i++) {
			switch (ways[i]) {
			case 'R':
				is_relative = take(&values, 1) == POINTER_RELATIVE;
				break;
			case 'L':
				skip(&values, 1);
				break;
			case 'P':
				/* Of 32 bits, or nothing behind it is found. */
				skip(&values, 5);
				break;
			case 'B':
				break;
			default:
				return false;
			}
		}
		entry.is_cut = entry.is_cut || values.is_cut;
	}
	ret_common->program = entry;
	return id == 0 && (version == 1 || version == 3) && return_address == RETURN_ADDRESS &&
			is_relative && !entry.is_cut;
}

/* The place of a register's value; others than both are of no interest. */
static void put_place(struct row *row, uint64_t number, int64_t place)
{
	if (number == RETURN_ADDRESS) {
		row->address_at = place;
	} else if (number == FRAME_POINTER) {
		row->pointer_at = place;
	}
}

/* Of instructions with operands that only other registers may have; false: it is of one that
 * counts, or unknown. */
static bool skip_other(struct bytes *program, uint64_t instruction)
{
	uint64_t number;

	switch (instruction) {
	case 0x2d: /* Return addresses are signed: taken off where they are read. */
		return true;
	case 0x2e: /* Bytes of arguments. */
		(void)take_unsigned(program);
		return true;
	case 0x09: /* In another register. */
	case 0x14: /* A value at an offset. */
	case 0x15:
		number = take_unsigned(program);
		(void)take_unsigned(program);
		return number != RETURN_ADDRESS && number != FRAME_POINTER;
	case 0x10: /* By an expression. */
	case 0x16:
		number = take_unsigned(program);
		skip(program, take_unsigned(program));
		return number != RETURN_ADDRESS && number != FRAME_POINTER;
	default:
		return false;
	}
}

/* Runs a program until the address; the row of a function's begin is INITIAL.  False: it has what
 * is not understood. */
static bool run(const struct common *common, struct bytes program, const struct row *initial,
		uintptr_t at, uintptr_t until, struct row *row)
{
	struct row rows[REMEMBERED];
	size_t remembered = 0;
	uint64_t number;

	while (program.at < program.end && at <= until) {
		uint64_t instruction = take(&program, 1);
		uint64_t low = instruction & 0x3f;

		switch (instruction >> 6 ? instruction & 0xc0 : instruction) {
		case 0x40: /* The address advances. */
			at += low * common->code_unit;
			break;
		case 0x02:
		case 0x03:
		case 0x04:
			at += take(&program, (size_t)1 << (instruction - 2)) * common->code_unit;
			break;
		case 0x80: /* A register is at an offset. */
			put_place(row, low, (int64_t)take_unsigned(&program) * common->data_unit);
			break;
		case 0x05:
			number = take_unsigned(&program);
			put_place(row, number,
					(int64_t)take_unsigned(&program) * common->data_unit);
			break;
		case 0x11:
			number = take_unsigned(&program);
			put_place(row, number, take_signed(&program) * common->data_unit);
			break;
		case 0xc0: /* It is where it was at the begin. */
		case 0x06:
			number = instruction == 0x06 ? take_unsigned(&program) : low;
			put_place(row, number,
					number == RETURN_ADDRESS ? initial->address_at
								 : initial->pointer_at);
			break;
		case 0x07: /* Undefined, or the caller's value. */
		case 0x08:
			put_place(row, take_unsigned(&program), 0);
			break;
		case 0x0a: /* All is remembered, or as it was remembered. */
			if (remembered == REMEMBERED) {
				return false;
			}
			rows[remembered++] = *row;
			break;
		case 0x0b:
			if (remembered == 0) {
				return false;
			}
			*row = rows[--remembered];
			break;
		case 0x0c: /* The caller's stack. */
			row->base = take_unsigned(&program);
			row->size = (int64_t)take_unsigned(&program);
			break;
		case 0x12:
			row->base = take_unsigned(&program);
			row->size = take_signed(&program) * common->data_unit;
			break;
		case 0x0d:
			row->base = take_unsigned(&program);
			break;
		case 0x0e:
			row->size = (int64_t)take_unsigned(&program);
			break;
		case 0x13:
			row->size = take_signed(&program) * common->data_unit;
			break;
		case 0x00:
			break;
		default:
			if (!skip_other(&program, instruction)) {
				return false;
			}
		}
	}
	return !program.is_cut;
}

/* The entry of the last function that begins at the address or before; NULL: there is none. */
static const uint8_t *find_entry(const struct object *object, uintptr_t address)
{
	const int32_t *table = (const int32_t *)(const void *)(object->header + HEADER_BYTES);
	intptr_t wanted = (intptr_t)(address - (uintptr_t)object->header);
	size_t low = 0;
	size_t high = object->functions;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table[2 * middle] <= wanted) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	return low == 0 ? NULL : object->header + table[2 * low - 1];
}

/* Bytes as words; false: they are none, or too many to be remembered. */
static bool get_words(int64_t bytes, unsigned int *ret_words)
{
	*ret_words = (unsigned int)(bytes / WORD);
	return bytes >= 0 && bytes % WORD == 0 && bytes / WORD <= PLACE_MOST;
}

/* Of the function that will be returned to at the address; size 0: not known. */
static struct frame compute(const struct object *object, uintptr_t address)
{
	struct row row = { .base = UINT_MAX };
	struct row initial;
	struct frame frame = { .size = 0 };
	struct common common;
	/* A call may be a function's last instruction. */
	uintptr_t until = address - 1;
	const uint8_t *at = find_entry(object, until);
	struct bytes entry = at ? entry_at(object, at) : (struct bytes){ NULL, NULL, true };
	const uint8_t *back = entry.at;
	uint64_t distance = take(&entry, 4);
	uintptr_t begin = take_pointer(&entry);
	uint64_t length = take(&entry, 4);

	if (entry.is_cut || distance == 0 || distance > (uint64_t)(back - object->first) ||
			!read_common(object, back - distance, &common) || until < begin ||
			until - begin >= length) {
		return frame;
	}
	if (common.has_data) {
		skip(&entry, take_unsigned(&entry));
	}
	if (!run(&common, common.program, &row, begin, UINTPTR_MAX, &row)) {
		return frame;
	}
	initial = row;
	if (entry.is_cut || !run(&common, entry, &initial, begin, until, &row) ||
			(row.base != FRAME_POINTER && row.base != STACK_POINTER) ||
			row.address_at == 0 || !get_words(-row.address_at, &frame.address_at) ||
			!get_words(-row.pointer_at, &frame.pointer_at) ||
			!get_words(row.size, &frame.size)) {
		return (struct frame){ .size = 0 };
	}
	frame.is_by_frame_pointer = row.base == FRAME_POINTER;
	return frame;
}

static uint64_t pack(struct frame frame)
{
	return (uint64_t)frame.is_by_frame_pointer << (3 * PLACE_BITS) |
			(uint64_t)frame.size << (2 * PLACE_BITS) |
			(uint64_t)frame.address_at << PLACE_BITS | frame.pointer_at;
}

static struct frame unpack(uint64_t packed)
{
	return (struct frame){
		packed >> (3 * PLACE_BITS) & 1,
		(unsigned int)(packed >> (2 * PLACE_BITS)) & PLACE_MOST,
		(unsigned int)(packed >> PLACE_BITS) & PLACE_MOST,
		(unsigned int)packed & PLACE_MOST,
	};
}

/* The same, remembered.  A word of the cache has the frame, and above it the object and what of the
 * address is not said by its place; an entry that is not written yet is that of no address. */
static struct frame frame_of(size_t number, uintptr_t address)
{
	uintptr_t offset = address - objects[number].begin;
	uint64_t *word = &cache[offset % CACHE_WAYS];
	uint64_t key = (uint64_t)(offset / CACHE_WAYS) * OBJECTS + number + 1;
	uint64_t found = __atomic_load_n(word, __ATOMIC_RELAXED);
	struct frame frame;

	if (found >> (3 * PLACE_BITS + 1) == key) {
		return unpack(found);
	}
	frame = compute(&objects[number], address);
	__atomic_store_n(word, key << (3 * PLACE_BITS + 1) | pack(frame), __ATOMIC_RELAXED);
	return frame;
}

/* OBJECTS: in none. */
static size_t object_of(uintptr_t address)
{
	size_t number = 0;

	while (number < OBJECTS &&
			(address < objects[number].begin || address >= objects[number].end)) {
		number++;
	}
	return number;
}

/* Without the signature that machines of arm64 may add. */
static uintptr_t without_signature(uintptr_t address)
{
#if defined(__aarch64__)
	register uintptr_t bare __asm__("x30") = address;

	__asm__("hint #7" : "+r"(bare));
	return bare;
#else
	return address;
#endif
}

__attribute__((noinline)) uintptr_t native_walk_caller(void)
{
	uintptr_t address = without_signature((uintptr_t)__builtin_return_address(0));
	const uintptr_t *pointer = __builtin_frame_address(0);
	uintptr_t frame_pointer = *pointer;
	uintptr_t stack = (uintptr_t)__builtin_dwarf_cfa();

	for (size_t depth = 0; is_open && depth < DEPTH; depth++) {
		size_t number = object_of(address);
		struct frame frame;
		uintptr_t base;
		const uintptr_t *top;

		if (number == OBJECTS) {
			return address;
		}
		frame = frame_of(number, address);
		base = frame.is_by_frame_pointer ? frame_pointer : stack;
		/* No further away than a frame is large: a wrong frame pointer is not followed. */
		if (frame.size == 0 || base < stack ||
				base - stack > PLACE_MOST * sizeof(uintptr_t)) {
			return 0;
		}
		stack = base + frame.size * sizeof(uintptr_t);
		memcpy(&top, &stack, sizeof(top));
		address = without_signature(*(top - frame.address_at));
		frame_pointer = frame.pointer_at > 0 ? *(top - frame.pointer_at) : frame_pointer;
	}
	return 0;
}

/* One of both is searched for by an address in its code. */
struct search {
	uintptr_t address;
	struct object found;
};

static int look(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *search = data;
	struct object object = { .begin = 0 };
	uintptr_t header = 0;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_GNU_EH_FRAME) {
			header = begin;
		} else if (part->p_type == PT_LOAD && part->p_flags & PF_X &&
				search->address - begin < part->p_memsz) {
			object.begin = begin;
			object.end = begin + part->p_memsz;
		}
	}
	for (size_t i = 0; i < info->dlpi_phnum && object.begin != 0; i++) {
		const ElfW(Phdr) *part = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && header - begin < part->p_filesz) {
			memcpy(&object.first, &begin, sizeof(begin));
			memcpy(&object.header, &header, sizeof(header));
			object.last = object.first + part->p_filesz;
			search->found = object;
		}
	}
	return object.begin != 0;
}

static bool find_object(uintptr_t address, struct object *ret_object)
{
	struct search search = { .address = address };
	struct bytes header;

	(void)dl_iterate_phdr(look, &search);
	*ret_object = search.found;
	header = (struct bytes){ search.found.header, search.found.last, !search.found.header };
	if (header.is_cut || take(&header, 1) != 1 || take(&header, 1) != POINTER_RELATIVE ||
			take(&header, 1) != COUNT_PLAIN || take(&header, 1) != POINTER_OF_TABLE) {
		return false;
	}
	(void)take_pointer(&header);
	ret_object->functions = take(&header, 4);
	/* Offsets in what is remembered have what is left of a word's bits. */
	return !header.is_cut &&
			ret_object->functions <=
			(size_t)(header.end - header.at) / (2 * sizeof(int32_t)) &&
			(ret_object->end - ret_object->begin) / CACHE_WAYS <
			(UINT64_C(1) << (63 - 3 * PLACE_BITS)) / OBJECTS - 1;
}

bool native_walk_open(uintptr_t in_emulator)
{
	memset(cache, 0, sizeof(cache));
	is_open = RETURN_ADDRESS != UINT_MAX && find_object(in_emulator, &objects[0]) &&
			find_object((uintptr_t)native_walk_open, &objects[1]);
	return is_open;
}
