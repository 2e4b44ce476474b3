/*
 * SPDX-License-Identifier: MIT
 *
 * Checks, and slots as records.
 */
#include "ring_left.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SLOTS_WRITTEN_AT_ONCE = 4 };

/* A record is written before the last horizon, or little later. */
#define AFTER_HORIZON_NS UINT64_C(60000000000)

static const char damaged[] = "it is damaged";

/* What is wrong with the head. */
static const char *check_head(const struct ring_file *head, int64_t pid, int64_t bytes)
{
	uint64_t slot_bytes = head->slots * sizeof(struct ring_slot);

	if (head->magic != RING_FILE_MAGIC) {
		return "it is no file of rings";
	}
	if (head->version != RING_FILE_VERSION) {
		return "it is of another version of Carrierscope";
	}
	if ((int64_t)head->pid != pid) {
		return "it is of another process";
	}
	if (head->slots == 0 || head->slots > RING_MOST_SLOTS ||
			(head->slots & (head->slots - 1)) != 0 ||
			head->ring_bytes !=
					RING_PAGE_BYTES +
							((slot_bytes + RING_PAGE_BYTES - 1) &
									~(uint64_t)(RING_PAGE_BYTES -
											1)) ||
			bytes != (int64_t)(RING_PAGE_BYTES + RINGS_MOST * head->ring_bytes) ||
			(head->is_counted && head->line.count == 0)) {
		return damaged;
	}
	if (head->unshared > 0) {
		return RING_FILE_FOLDER " had no room for all rings";
	}
	/* Such a thread has no ring. */
	if (head->rings > RINGS_MOST) {
		return "the process had more threads than rings";
	}
	return head->lost > 0 ? "threads without a ring lost block events" : NULL;
}

enum ring_left_state ring_left_open(struct ring_left *left, int folder, const char *name,
		int64_t pid, const char **ret_why)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	enum ring_left_state state = RING_LEFT_REFUSED;
	struct stat about;

	left->file = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (left->file < 0) {
		*ret_why = "this user may not read it";
		return state;
	}
	if (fstat(left->file, &about) != 0 || !S_ISREG(about.st_mode)) {
		*ret_why = "it is no regular file";
	} else if ((about.st_uid != geteuid() && geteuid() != 0) || (about.st_mode & 077) != 0) {
		*ret_why = "others may have written it";
	} else if (fcntl(left->file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK) {
		state = RING_LEFT_NONE;
	} else if (pread(left->file, &left->head, sizeof(left->head), 0) !=
			(ssize_t)sizeof(left->head)) {
		*ret_why = damaged;
	} else {
		*ret_why = check_head(&left->head, pid, (int64_t)about.st_size);
		state = *ret_why			  ? RING_LEFT_REFUSED
				: left->head.is_open == 0 ? RING_LEFT_NONE
							  : RING_LEFT_OPEN;
	}
	if (state != RING_LEFT_OPEN) {
		ring_left_close(left);
	}
	return state;
}

void ring_left_close(struct ring_left *left)
{
	(void)close(left->file);
	left->file = -1;
}

static off_t place_of(const struct ring_left *left, uint32_t at)
{
	return RING_PAGE_BYTES + (off_t)(at * left->head.ring_bytes);
}

bool ring_left_page(const struct ring_left *left, uint32_t at, struct ring_page *ret_page,
		const char **ret_why)
{
	if (pread(left->file, ret_page, sizeof(*ret_page), place_of(left, at)) !=
			(ssize_t)sizeof(*ret_page)) {
		*ret_why = damaged;
		return false;
	}
	if (!ret_page->is_shared) {
		*ret_page = (struct ring_page){ .from.number = 1 };
		return true;
	}
	if (ret_page->mask >= left->head.slots || (ret_page->mask & (ret_page->mask + 1)) != 0 ||
			ret_page->tail > ret_page->head ||
			ret_page->head - ret_page->tail > ret_page->mask + 1) {
		*ret_why = damaged;
		return false;
	}
	return true;
}

bool ring_left_begin(const struct ring_left *left, uint32_t at, const struct ring_page *page,
		const struct ring_mark *mark, struct ring_records *records, const char **ret_why)
{
	size_t bytes = (page->mask + 1) * sizeof(struct ring_slot);
	uint64_t count = page->head - mark->position;

	if (mark->position > page->head || mark->said > page->dropped) {
		*ret_why = damaged;
		return false;
	}
	/* A record that was being written is no longer what it was before. */
	if (mark->position < page->intact || count > page->mask + 1 ||
			(mark->position < page->tail &&
					count + SLOTS_WRITTEN_AT_ONCE > page->mask + 1)) {
		*ret_why = "what follows the trace is overwritten";
		return false;
	}
	if (pread(left->file, records->slots, bytes, place_of(left, at) + RING_PAGE_BYTES) !=
			(ssize_t)bytes) {
		*ret_why = damaged;
		return false;
	}
	records->mask = page->mask;
	records->at = mark->position;
	records->head = page->head;
	records->process = mark->process;
	records->last_ns = mark->last_ns;
	records->most_ns = left->head.horizon_ns + AFTER_HORIZON_NS;
	records->instance = page->instance;
	records->file = &left->head;
	return true;
}

static void make_record(const struct ring_records *records, const struct ring_slot *slot,
		uint64_t ns, struct batch_record *record)
{
	uint64_t type = slot->bytes >> RING_TYPE_BIT;
	size_t allocator = type & (RING_FILE_ALLOCATORS - 1);
	uint32_t instance = records->instance;

	record->time_ns = ns > records->last_ns ? ns : records->last_ns;
	record->address = slot->address & RING_MOST_ADDRESS;
	record->bytes = slot->bytes & RING_MOST_BYTES;
	record->type = (uint16_t)(type >> 7);
	record->allocator = (uint8_t)allocator;
	record->kind = (uint8_t)(slot->address >> RING_KIND_BIT);
	record->instance = instance < records->file->instances[allocator] ? (uint16_t)instance : 0;
	record->has_process = record->kind != BATCH_FREE && records->process != RING_NO_PROCESS;
	record->process = record->has_process ? records->process : 0;
}

int ring_left_next(struct ring_records *records, struct batch_record *ret_record)
{
	bool has_old = false;

	for (; records->at < records->head; records->at++) {
		const struct ring_slot *slot = &records->slots[records->at & records->mask];
		uint64_t kind = slot->address >> RING_KIND_BIT;
		struct ticks_piece piece;
		uint64_t ns = slot->ticks;

		if (has_old != (kind == SLOT_REALLOC)) {
			return -1;
		}
		if (kind == SLOT_PROCESS) {
			records->process = slot->ticks;
		} else if (kind == SLOT_OLD) {
			ret_record->old_address = slot->ticks;
			has_old = true;
		} else if (kind < SLOT_OLD) {
			if (records->file->is_counted) {
				piece = ticks_line_piece(&records->file->line, slot->ticks);
				ns = ticks_piece_ns(&piece, slot->ticks);
			}
			if (ns > records->most_ns || records->last_ns > records->most_ns) {
				return -1;
			}
			make_record(records, slot, ns, ret_record);
			if (!has_old) {
				ret_record->old_address = 0;
			}
			records->last_ns = ret_record->time_ns;
			records->at++;
			return 1;
		} else if (kind != SLOT_LOST) {
			return -1;
		}
	}
	return has_old ? -1 : 0;
}
