/*
 * SPDX-License-Identifier: MIT
 *
 * What the accounts were at keyframes, and fewer keyframes when there are too many.
 */
#include <stdlib.h>

#include "block_accounts.h"
#include "growing.h"

/* As many bits as struct block_size_at has. */
enum { ACCOUNT_MASK = (1 << 26) - 1, POWER_MASK = (1 << 6) - 1 };

/* Makes room behind the rows that there are for those of one more keyframe. */
static bool reserve_rows(struct block_accounts *accounts, size_t account_rows, size_t size_rows)
{
	return csc_grow(&accounts->accounts_at, &accounts->account_at_room,
			       account_rows + accounts->count, sizeof(*accounts->accounts_at)) &&
			csc_grow(&accounts->sizes_at, &accounts->size_at_room,
					size_rows + accounts->type_count * BLOCK_POWERS,
					sizeof(*accounts->sizes_at));
}

/* The highest of two keyframes goes on in the later one, whose accounts are at least those. */
static void merge_highest(struct block_account_at *later, size_t later_count,
		const struct block_account_at *earlier, size_t earlier_count)
{
	size_t i = 0;

	/* Both are in the order of accounts. */
	for (size_t k = 0; k < later_count && i < earlier_count; k++) {
		if (later[k].account != earlier[i].account) {
			continue;
		}
		if (earlier[i].most_blocks > later[k].most_blocks) {
			later[k].most_blocks = earlier[i].most_blocks;
		}
		if (earlier[i].most_bytes > later[k].most_bytes) {
			later[k].most_bytes = earlier[i].most_bytes;
		}
		i++;
	}
}

/* Takes out every second keyframe but keeps the last. */
static void thin(struct block_accounts *accounts)
{
	size_t parity = (accounts->keyframe_count - 1) % 2;
	size_t account_begin = 0;
	size_t size_begin = 0;
	size_t account_count = 0;
	size_t size_count = 0;
	size_t kept = 0;

	for (size_t i = 0; i < accounts->keyframe_count; i++) {
		const struct block_keyframe frame = accounts->keyframes[i];

		if (i % 2 != parity) {
			merge_highest(&accounts->accounts_at[frame.account_end],
					accounts->keyframes[i + 1].account_end - frame.account_end,
					&accounts->accounts_at[account_begin],
					frame.account_end - account_begin);
		} else {
			for (size_t k = account_begin; k < frame.account_end; k++) {
				accounts->accounts_at[account_count++] = accounts->accounts_at[k];
			}
			for (size_t k = size_begin; k < frame.size_end; k++) {
				accounts->sizes_at[size_count++] = accounts->sizes_at[k];
			}
			accounts->keyframes[kept++] = (struct block_keyframe){ frame.id,
				frame.ts_ns, account_count, size_count };
		}
		account_begin = frame.account_end;
		size_begin = frame.size_end;
	}

	accounts->keyframe_count = kept;
	accounts->distance *= 2;
}

static size_t put_sizes(
		struct block_accounts *accounts, size_t size_end, const struct block_account *type)
{
	for (uint32_t power = 0; power < BLOCK_POWERS; power++) {
		const struct block_tally *live = &type->detail->live[power];

		if (live->count != 0) {
			accounts->sizes_at[size_end++] = (struct block_size_at){
				.bytes = live->bytes,
				.count = (uint32_t)live->count,
				.account = (uint32_t)(type - accounts->accounts) & ACCOUNT_MASK,
				.power = power & POWER_MASK,
			};
		}
	}

	return size_end;
}

static bool is_crowded(const struct block_accounts *accounts)
{
	const struct block_keyframe *last = &accounts->keyframes[accounts->keyframe_count - 1];

	return accounts->keyframe_count > BLOCK_KEYFRAMES ||
			last->account_end > BLOCK_KEYFRAME_ACCOUNTS ||
			last->size_end > BLOCK_KEYFRAME_SIZES;
}

bool block_accounts_keyframe(struct block_accounts *accounts, int64_t id, int64_t ts_ns)
{
	struct block_keyframe frame = { .id = id, .ts_ns = ts_ns };

	if (!accounts->keyframes) {
		/* One more than there may be: thinning comes after. */
		accounts->keyframes = calloc(BLOCK_KEYFRAMES + 1, sizeof(*accounts->keyframes));
		if (!accounts->keyframes) {
			return false;
		}
	}

	if (accounts->keyframe_count > 0) {
		const struct block_keyframe *last =
				&accounts->keyframes[accounts->keyframe_count - 1];

		if (last->id == id) {
			return true;
		}
		frame.account_end = last->account_end;
		frame.size_end = last->size_end;
	}

	if (!reserve_rows(accounts, frame.account_end, frame.size_end)) {
		return false;
	}

	for (size_t i = 0; i < accounts->count; i++) {
		struct block_account *account = &accounts->accounts[i];

		accounts->accounts_at[frame.account_end++] = (struct block_account_at){
			.account = (uint32_t)i,
			.made = account->made,
			.ended = account->ended,
			.unknown = account->unknown,
			.live = account->live,
			.most_blocks = account->recent_blocks,
			.most_bytes = account->recent_bytes,
		};
		account->recent_blocks = account->live.count;
		account->recent_bytes = account->live.bytes;
		if (account->detail) {
			frame.size_end = put_sizes(accounts, frame.size_end, account);
		}
	}

	accounts->keyframes[accounts->keyframe_count++] = frame;
	accounts->since_keyframe = 0;
	while (is_crowded(accounts) && accounts->keyframe_count > 1) {
		thin(accounts);
	}

	return true;
}

bool block_accounts_pass(struct block_accounts *accounts, int64_t id, int64_t ts_ns)
{
	if (accounts->distance == 0) {
		accounts->distance = BLOCK_KEYFRAME_FIRST;
	}

	return ++accounts->since_keyframe < accounts->distance ||
			block_accounts_keyframe(accounts, id, ts_ns);
}
