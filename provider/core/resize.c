/* SPDX-License-Identifier: MIT */
/*
 * Resizing blocks of multi-block carriers: in place, into a neighbour, or elsewhere.
 * Source: SOURCES.md 3.3.
 */
#include "internal.h"

#include "multi_inline.h"

/* A block that is to be resized, and what surrounds it; sizes in bytes. */
struct resized {
	csc_word block;
	csc_word carrier;
	csc_word bytes;
	csc_word want;
	csc_word last;

	/* BLOCK_PREV_FREE or 0. */
	csc_word prev_flag;
	/* 0: the block before is not free. */
	csc_word prev;
	csc_word prev_bytes;

	/* 0 bytes: the block behind is not free. */
	csc_word next_bytes;
	csc_word next_last;
};

static struct resized resized_look(const struct csc_core *core, csc_word block, csc_word want)
{
	csc_word head = *word_at(core, block);
	struct resized it = {
		.block = block,
		.carrier = block_carrier(core, block, head),
		.bytes = block_size(head),
		.want = want,
		.last = head & BLOCK_LAST,
		.prev_flag = head & BLOCK_PREV_FREE,
	};

	if (it.prev_flag) {
		it.prev_bytes = *word_at(core, block - BLOCK_HEADER);
		it.prev = block - it.prev_bytes;
	}
	if (!it.last) {
		csc_word next_head = *word_at(core, block + it.bytes);

		if (next_head & BLOCK_FREE) {
			it.next_bytes = block_size(next_head);
			it.next_last = next_head & BLOCK_LAST;
		}
	}
	return it;
}

/* User data that survives the resize, in bytes. */
static csc_word resized_kept(const struct resized *it)
{
	return (it->bytes < it->want ? it->bytes : it->want) - BLOCK_HEADER;
}

/* Moves into another block, unlinked by now.  The new one counts before the old one goes. */
static csc_word resize_move(struct csc_instance *instance, const struct resized *it, csc_word block)
{
	struct loose loose = multi_loose(instance->core, block);

	multi_hand_out(instance, instance->ops, &loose, it->want);
	multi_copy(instance->core, it->block, block, resized_kept(it));
	multi_free(instance, instance->type, it->block, it->carrier);
	return block;
}

/* Slides the data down into the free block before it. */
static csc_word resize_slide(struct csc_instance *instance, const struct resized *it)
{
	struct loose loose = {
		.block = it->prev,
		.bytes = it->prev_bytes + it->bytes + it->next_bytes,
		.last = it->next_bytes ? it->next_last : it->last,
		.carrier = it->carrier,
	};

	instance->ops->unlink(instance, it->prev, it->carrier);
	if (it->next_bytes) {
		instance->ops->unlink(instance, it->block + it->bytes, it->carrier);
	}
	/* The data goes first: what is left becomes a free block, whose node may lie on it. */
	multi_copy(instance->core, it->block, it->prev, resized_kept(it));
	multi_hand_out(instance, instance->ops, &loose, it->want);
	multi_count(instance, it->carrier, instance->type, it->bytes, false);
	pool_note_free(instance);
	return it->prev;
}

/* The block has shrunk or grown in place. */
static void resize_count(struct csc_instance *instance, const struct resized *it, csc_word bytes)
{
	multi_count(instance, it->carrier, instance->type, it->bytes, false);
	multi_count(instance, it->carrier, instance->type, bytes, true);
	pool_note_resize(instance);
}

static csc_word resize_shrink(struct csc_instance *instance, const struct resized *it)
{
	const struct csc_core *core = instance->core;
	csc_word rest = it->bytes - it->want;

	if (!it->next_bytes && rest < instance->min_block) {
		return it->block;
	}
	if (it->next_bytes) {
		instance->ops->unlink(instance, it->block + it->bytes, it->carrier);
	}
	multi_mark(core, it->block, it->want, it->prev_flag, it->carrier);
	multi_link(instance, instance->ops, it->block + it->want, rest + it->next_bytes,
			it->next_bytes ? it->next_last : it->last, it->carrier);
	resize_count(instance, it, it->want);
	pool_check_abandon(instance, it->carrier);
	return it->block;
}

static csc_word resize_grow(struct csc_instance *instance, const struct resized *it)
{
	const struct csc_core *core = instance->core;
	csc_word rest = it->next_bytes - (it->want - it->bytes);
	csc_word bytes = it->want;

	instance->ops->unlink(instance, it->block + it->bytes, it->carrier);
	if (rest < instance->min_block) {
		bytes += rest;
		multi_mark(core, it->block, bytes, it->prev_flag | it->next_last, it->carrier);
		if (!it->next_last) {
			head_mark_prev_used(core, it->block + bytes);
		}
	} else {
		multi_mark(core, it->block, bytes, it->prev_flag, it->carrier);
		multi_link(instance, instance->ops, it->block + bytes, rest, it->next_last,
				it->carrier);
	}
	resize_count(instance, it, bytes);
	return it->block;
}

/* The block becomes so much smaller that it should move, if there is a good place. */
static bool resize_is_much_smaller(const struct csc_instance *instance, const struct resized *it)
{
	csc_word gain = it->bytes - it->want;
	csc_word bytes = it->bytes;

	if (gain > WORD_MAX / 100) {
		gain /= 128;
		bytes /= 128;
	}
	return 100 * gain > (csc_word)instance->settings.rmbcmt * bytes;
}

csc_word multi_resize(struct csc_instance *instance, csc_word block, csc_word bytes)
{
	const struct csc_core *core = instance->core;
	csc_word want = instance_block_bytes(instance, bytes);
	struct resized it = resized_look(core, block, want);
	struct candidate candidate = {
		.address = it.prev ? it.prev : block,
		.size_bytes = it.prev_bytes + it.bytes + it.next_bytes,
		.carrier = it.carrier,
	};

	if (want == it.bytes) {
		return block;
	}
	if (want < it.bytes) {
		if (resize_is_much_smaller(instance, &it)) {
			csc_word better = instance->ops->take(instance, want, &candidate);

			if (better) {
				return resize_move(instance, &it, better);
			}
			if (it.prev) {
				return resize_slide(instance, &it);
			}
		}
		return resize_shrink(instance, &it);
	}
	if (it.next_bytes && want <= it.bytes + it.next_bytes) {
		return resize_grow(instance, &it);
	}
	if (!it.prev || candidate.size_bytes < want) {
		csc_word elsewhere = multi_alloc(instance, bytes);

		if (elsewhere) {
			multi_copy(core, block, elsewhere, resized_kept(&it));
			multi_free(instance, instance->type, block, it.carrier);
		}
		return elsewhere;
	}

	csc_word better = instance->ops->take(instance, want, &candidate);
	return better ? resize_move(instance, &it, better) : resize_slide(instance, &it);
}
