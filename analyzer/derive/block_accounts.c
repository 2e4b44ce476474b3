/*
 * SPDX-License-Identifier: MIT
 *
 * Accounts by type, allocator, class and process.
 */
#include "block_accounts.h"

#include <stdlib.h>
#include <string.h>

#include "growing.h"

enum { FIRST_SLOTS = 1024, NO_CLASS = 0 };

/* 0 for 0 and less, else 1 + floor(log2(value)). */
static unsigned int power_of(int64_t value)
{
	return value <= 0 ? 0 : 64 - (unsigned int)__builtin_clzll((uint64_t)value);
}

static void tally_add(struct block_tally *tally, int64_t bytes)
{
	tally->count++;
	tally->bytes += bytes;
}

static void tally_drop(struct block_tally *tally, int64_t bytes)
{
	tally->count--;
	tally->bytes -= bytes;
}

static size_t slot_of(const struct block_accounts *accounts, const struct block_account *wanted)
{
	uint64_t hash = ((uint64_t)(uint32_t)wanted->type_id << 32 | (uint32_t)wanted->runtime) *
			UINT64_C(0x9e3779b97f4a7c15);
	size_t slot;

	hash ^= (uint64_t)(uint32_t)wanted->allocator_id << 8 | (uint64_t)wanted->scope;
	hash = (hash ^ (uint64_t)(uint32_t)wanted->class_id << 16) * UINT64_C(0xbf58476d1ce4e5b9);
	slot = (size_t)(hash >> 24) & (accounts->slot_count - 1);
	while (accounts->slots[slot] != 0) {
		const struct block_account *found = &accounts->accounts[accounts->slots[slot] - 1];

		if (found->scope == wanted->scope && found->runtime == wanted->runtime &&
				found->allocator_id == wanted->allocator_id &&
				found->type_id == wanted->type_id &&
				(found->scope != BLOCK_SCOPE_CLASS ||
						found->class_id == wanted->class_id)) {
			break;
		}
		slot = (slot + 1) & (accounts->slot_count - 1);
	}

	return slot;
}

static bool grow_slots(struct block_accounts *accounts)
{
	size_t slot_count = accounts->slot_count ? accounts->slot_count * 2 : FIRST_SLOTS;
	uint32_t *slots;

	if (accounts->count * 2 < accounts->slot_count) {
		return true;
	}

	slots = calloc(slot_count, sizeof(*slots));
	if (!slots) {
		return false;
	}

	free(accounts->slots);
	accounts->slots = slots;
	accounts->slot_count = slot_count;
	for (size_t i = 0; i < accounts->count; i++) {
		struct block_account key = accounts->accounts[i];

		/* The class of a type's account may change and is no part of its key. */
		if (key.scope == BLOCK_SCOPE_TYPE) {
			key.class_id = NO_CLASS;
		}
		slots[slot_of(accounts, &key)] = (uint32_t)i + 1;
	}

	return true;
}

/* Finds or adds an account.  False: out of memory. */
static bool find(struct block_accounts *accounts, const struct block_account *wanted,
		uint32_t *ret_account)
{
	struct block_account *account;
	size_t slot;

	if (!grow_slots(accounts)) {
		return false;
	}

	slot = slot_of(accounts, wanted);
	if (accounts->slots[slot] != 0) {
		*ret_account = accounts->slots[slot] - 1;
		return true;
	}

	if (!csc_grow(&accounts->accounts, &accounts->room, accounts->count + 1,
			    sizeof(*accounts->accounts))) {
		return false;
	}

	account = &accounts->accounts[accounts->count];
	*account = *wanted;
	if (account->scope == BLOCK_SCOPE_TYPE) {
		account->detail = calloc(1, sizeof(*account->detail));
		if (!account->detail) {
			return false;
		}
		accounts->type_count++;
	}

	*ret_account = (uint32_t)accounts->count++;
	accounts->slots[slot] = *ret_account + 1;
	return true;
}

static int32_t class_of(const struct block_accounts *accounts, int32_t type_id)
{
	return type_id >= 0 && type_id <= UINT16_MAX && accounts->class_of[type_id]
			? accounts->class_of[type_id] - 1
			: NO_CLASS;
}

/* Links the account of a type with those that it counts for. */
static bool link_type(struct block_accounts *accounts, uint32_t number)
{
	const struct block_account type = accounts->accounts[number];
	struct block_account wanted = {
		.runtime = type.runtime,
		.allocator_id = type.allocator_id,
		.type_id = -1,
		.class_id = -1,
	};
	uint32_t allocator;
	uint32_t class;
	uint32_t total;

	wanted.scope = BLOCK_SCOPE_ALLOCATOR;
	if (!find(accounts, &wanted, &allocator)) {
		return false;
	}

	wanted.scope = BLOCK_SCOPE_CLASS;
	wanted.allocator_id = -1;
	wanted.class_id = class_of(accounts, type.type_id);
	if (!find(accounts, &wanted, &class)) {
		return false;
	}

	wanted.scope = BLOCK_SCOPE_RUNTIME;
	wanted.class_id = -1;
	if (!find(accounts, &wanted, &total)) {
		return false;
	}

	accounts->accounts[number].allocator = allocator;
	accounts->accounts[number].class = class;
	accounts->accounts[number].total = total;
	accounts->accounts[number].class_id = accounts->accounts[class].class_id;
	return true;
}

/* The account of a type that was not met lately. */
static bool find_type(struct block_accounts *accounts, int32_t runtime, int32_t allocator_id,
		int32_t type_id, uint32_t *ret_account)
{
	struct block_account wanted = {
		.scope = BLOCK_SCOPE_TYPE,
		.runtime = runtime,
		.allocator_id = allocator_id,
		.type_id = type_id,
		.class_id = NO_CLASS,
	};
	size_t before = accounts->count;

	if (!grow_slots(accounts)) {
		return false;
	}

	if (accounts->type_count >= BLOCK_TYPES &&
			accounts->slots[slot_of(accounts, &wanted)] == 0) {
		accounts->has_folded = true;
		wanted.type_id = -1;
	}

	return find(accounts, &wanted, ret_account) &&
			(accounts->count == before || link_type(accounts, *ret_account));
}

bool block_accounts_find(
		struct block_accounts *accounts, const struct block_row *row, uint32_t *ret_account)
{
	int32_t allocator_id = row->allocator_id == ROW_NULL ? -1 : (int32_t)row->allocator_id;
	int32_t type_id = row->type_id == ROW_NULL ? -1 : (int32_t)row->type_id;
	uint32_t *recent = &accounts->recent[(uint32_t)type_id % BLOCK_RECENT];

	if (*recent != 0) {
		const struct block_account *last = &accounts->accounts[*recent - 1];

		if (last->type_id == type_id && last->allocator_id == allocator_id &&
				last->runtime == row->runtime) {
			*ret_account = *recent - 1;
			return true;
		}
	}

	if (!find_type(accounts, row->runtime, allocator_id, type_id, ret_account)) {
		return false;
	}

	*recent = *ret_account + 1;
	return true;
}

static void raise(struct block_account *account, const struct block_row *row)
{
	if (account->live.count > account->recent_blocks) {
		account->recent_blocks = account->live.count;
		if (account->live.count > account->most_blocks.value) {
			account->most_blocks = (struct block_peak){ account->live.count, row->ts_ns,
				row->id };
		}
	}
	if (account->live.bytes > account->recent_bytes) {
		account->recent_bytes = account->live.bytes;
		if (account->live.bytes > account->most_bytes.value) {
			account->most_bytes = (struct block_peak){ account->live.bytes, row->ts_ns,
				row->id };
		}
	}
}

static void move_live(struct block_account *from, struct block_account *to,
		const struct block_account *type)
{
	const struct block_row nowhere = { .ts_ns = ROW_NULL, .id = ROW_NULL };

	from->live.count -= type->live.count;
	from->live.bytes -= type->live.bytes;
	to->live.count += type->live.count;
	to->live.bytes += type->live.bytes;
	raise(to, &nowhere);
}

bool block_accounts_classify(struct block_accounts *accounts, int64_t type_id, int64_t class_id)
{
	size_t count = accounts->count;

	if (type_id < 0 || type_id > UINT16_MAX || class_id < 0 || class_id >= UINT16_MAX ||
			accounts->class_of[type_id] == class_id + 1) {
		return true;
	}

	accounts->class_of[type_id] = (uint16_t)(class_id + 1);
	for (size_t i = 0; i < count; i++) {
		uint32_t from = accounts->accounts[i].class;

		if (accounts->accounts[i].scope != BLOCK_SCOPE_TYPE ||
				accounts->accounts[i].type_id != type_id) {
			continue;
		}
		if (!link_type(accounts, (uint32_t)i)) {
			return false;
		}
		move_live(&accounts->accounts[from],
				&accounts->accounts[accounts->accounts[i].class],
				&accounts->accounts[i]);
	}

	return true;
}

void block_accounts_make(
		struct block_accounts *accounts, uint32_t account, const struct block_row *row)
{
	struct block_account *type = &accounts->accounts[account];
	struct block_account *const all[] = { type, &accounts->accounts[type->allocator],
		&accounts->accounts[type->class], &accounts->accounts[type->total] };
	unsigned int power = power_of(row->size);

	tally_add(&type->detail->made[power], row->size);
	tally_add(&type->detail->live[power], row->size);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tally_add(&all[i]->made, row->size);
		tally_add(&all[i]->live, row->size);
		all[i]->resized += row->op == BLOCK_REALLOC;
		raise(all[i], row);
	}
}

void block_accounts_end(struct block_accounts *accounts, uint32_t account, enum block_end end,
		int64_t size, int64_t life_ns)
{
	struct block_account *type = &accounts->accounts[account];
	struct block_account *const all[] = { type, &accounts->accounts[type->allocator],
		&accounts->accounts[type->class], &accounts->accounts[type->total] };

	tally_drop(&type->detail->live[power_of(size)], size);
	if (end == BLOCK_END_FREE || end == BLOCK_END_TEMPORARY) {
		tally_add(&type->detail->lives[power_of(life_ns)], size);
	}

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tally_add(&all[i]->ended, size);
		tally_drop(&all[i]->live, size);
		if (end == BLOCK_END_LOST) {
			tally_add(&all[i]->lost, size);
		} else if (end == BLOCK_END_TEMPORARY) {
			tally_add(&all[i]->temporary, size);
		}
	}
}

void block_accounts_miss(struct block_accounts *accounts, uint32_t account, int64_t size)
{
	struct block_account *type = &accounts->accounts[account];
	struct block_account *const all[] = { type, &accounts->accounts[type->allocator],
		&accounts->accounts[type->class], &accounts->accounts[type->total] };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		tally_add(&all[i]->unknown, size == ROW_NULL ? 0 : size);
	}
}

void block_accounts_finish(struct block_accounts *accounts)
{
	for (size_t i = 0; i < accounts->count; i++) {
		free(accounts->accounts[i].detail);
	}

	free(accounts->accounts);
	free(accounts->slots);
	free(accounts->keyframes);
	free(accounts->accounts_at);
	free(accounts->sizes_at);
	*accounts = (struct block_accounts){ 0 };
}
