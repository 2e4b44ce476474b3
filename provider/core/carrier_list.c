/* SPDX-License-Identifier: MIT */
/* Lists of carriers, and the figures of those in them. */
#include "internal.h"

void carrier_list_append(const struct csc_core *core, struct carrier_list *list, csc_word address)
{
	struct carrier *carrier = carrier_at(core, address);

	CSC_ASSERT(!list->first == !list->last && list->last != address);
	carrier->next = 0;
	carrier->prev = list->last;
	if (list->last) {
		carrier_at(core, list->last)->next = address;
	} else {
		list->first = address;
	}
	list->last = address;
}

void carrier_list_remove(const struct csc_core *core, struct carrier_list *list, csc_word address)
{
	struct carrier *carrier = carrier_at(core, address);

	CSC_ASSERT(carrier->prev ? carrier_at(core, carrier->prev)->next == address
				 : list->first == address);
	CSC_ASSERT(carrier->next ? carrier_at(core, carrier->next)->prev == address
				 : list->last == address);
	if (carrier->prev) {
		carrier_at(core, carrier->prev)->next = carrier->next;
	} else {
		list->first = carrier->next;
	}
	if (carrier->next) {
		carrier_at(core, carrier->next)->prev = carrier->prev;
	} else {
		list->last = carrier->prev;
	}
}

void group_add_carrier(
		struct carrier_group *group, enum csc_carrier_source source, csc_word size_bytes)
{
	struct tally *tally = source == CSC_SOURCE_MSEG ? &group->mseg : &group->sys;

	tally->count++;
	tally->bytes += size_bytes;

	uint64_t count = group->mseg.count + group->sys.count;
	uint64_t bytes = group->mseg.bytes + group->sys.bytes;
	if (count > group->max.count) {
		group->max.count = count;
	}
	if (bytes > group->max.bytes) {
		group->max.bytes = bytes;
	}
}

void group_take_carrier(
		struct carrier_group *group, enum csc_carrier_source source, csc_word size_bytes)
{
	struct tally *tally = source == CSC_SOURCE_MSEG ? &group->mseg : &group->sys;

	CSC_ASSERT(tally->count > 0 && tally->bytes >= size_bytes);
	tally->count--;
	tally->bytes -= size_bytes;
}

static void carrier_sum_blocks(const struct csc_instance *instance,
		const struct carrier_group *group, struct tally *ret_sum)
{
	*ret_sum = (struct tally){ 0 };
	for (uint32_t i = 0; i <= instance->core->types; i++) {
		ret_sum->count += group->blocks[i].now.count;
		ret_sum->bytes += group->blocks[i].now.bytes;
	}
}

void emit_carrier(struct csc_instance *instance, enum csc_event event, csc_word size_bytes)
{
	const struct csc_listener *listener = instance->core->listener;
	struct tally multi;
	struct tally single;

	carrier_sum_blocks(instance, &instance->mbc, &multi);
	carrier_sum_blocks(instance, &instance->sbc, &single);
	listener->carrier(listener->context, event,
			&(struct csc_otp_carrier){
					.allocator = instance->type,
					.instance = instance->index,
					.size_bytes = size_bytes,
					.mbc_carriers = instance->mbc.mseg.count +
							instance->mbc.sys.count,
					.mbc_carriers_size = instance->mbc.mseg.bytes +
							instance->mbc.sys.bytes,
					.mbc_blocks = multi.count,
					.mbc_blocks_size = multi.bytes,
					.sbc_carriers = instance->sbc.mseg.count +
							instance->sbc.sys.count,
					.sbc_carriers_size = instance->sbc.mseg.bytes +
							instance->sbc.sys.bytes,
					.sbc_blocks = single.count,
					.sbc_blocks_size = single.bytes,
			});
}
