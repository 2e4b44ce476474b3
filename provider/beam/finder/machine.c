/* SPDX-License-Identifier: MIT */
#include "machine.h"

struct value value_number(uint64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .number = number };
}

struct value value_add(struct value one, struct value other)
{
	if (one.kind == VALUE_UNKNOWN || other.kind == VALUE_UNKNOWN ||
			(one.kind == VALUE_STACK && other.kind == VALUE_STACK)) {
		return (struct value){ .kind = VALUE_UNKNOWN };
	}
	return (struct value){
		.kind = one.kind == VALUE_STACK ? one.kind : other.kind,
		.number = one.number + other.number,
	};
}

struct value value_narrow(struct value value, unsigned int bytes)
{
	if (bytes == 8) {
		return value;
	}
	if (bytes == 4 && value.kind == VALUE_NUMBER) {
		return value_number((uint32_t)value.number);
	}
	return (struct value){ .kind = VALUE_UNKNOWN };
}

static struct value load_stack(const struct machine *machine, int64_t at, unsigned int bytes)
{
	for (size_t i = 0; i < MACHINE_SLOTS; i++) {
		if (machine->slots[i].bytes >= bytes && machine->slots[i].at == at) {
			return value_narrow(machine->slots[i].value, bytes);
		}
	}
	return (struct value){ .kind = VALUE_UNKNOWN };
}

struct value machine_load(const struct machine *machine, const struct image *image,
		struct value address, unsigned int bytes)
{
	uintptr_t at = address.number;
	struct value value;

	if (address.kind == VALUE_STACK) {
		return load_stack(machine, (int64_t)address.number, bytes);
	}
	if (address.kind != VALUE_NUMBER || (bytes != 4 && bytes != 8) ||
			!image_is_readable(image, at, 8)) {
		return (struct value){ .kind = VALUE_UNKNOWN };
	}
	value = value_narrow(value_number(image_word(at)), bytes);
	if (bytes == 8 && image_is_data(image, at, bytes)) {
		value.from = at;
	}
	return value;
}

void machine_store(struct machine *machine, struct value address, struct value value,
		unsigned int bytes)
{
	int64_t at = (int64_t)address.number;
	size_t slot = machine->next_slot;

	if (address.kind != VALUE_STACK) {
		return;
	}
	/* What it covers is gone; its own place is taken again. */
	for (size_t i = 0; i < MACHINE_SLOTS; i++) {
		if (machine->slots[i].bytes > 0 && machine->slots[i].at < at + (int64_t)bytes &&
				at < machine->slots[i].at + (int64_t)machine->slots[i].bytes) {
			machine->slots[i].bytes = 0;
			slot = i;
		}
	}
	if (slot == machine->next_slot) {
		machine->next_slot = (slot + 1) % MACHINE_SLOTS;
	}
	machine->slots[slot].at = at;
	machine->slots[slot].bytes = bytes;
	machine->slots[slot].value = value_narrow(value, bytes);
}
