/* SPDX-License-Identifier: MIT */
#include "image.h"

#include <link.h>
#include <string.h>

struct search {
	uintptr_t address;
	struct image *image;
	bool is_found;
};

bool image_has_address(const struct dl_phdr_info *info, uintptr_t address)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];

		if (header->p_type == PT_LOAD &&
				address - (info->dlpi_addr + header->p_vaddr) < header->p_memsz) {
			return true;
		}
	}
	return false;
}

static bool add_segment(struct image *image, const ElfW(Phdr) * header)
{
	struct image_segment *segment = &image->segments[image->segment_count];

	if (image->segment_count == IMAGE_SEGMENTS) {
		return false;
	}
	segment->begin = image->bias + header->p_vaddr;
	segment->end = segment->begin + header->p_memsz;
	segment->is_readable = (header->p_flags & PF_R) != 0;
	segment->is_writable = (header->p_flags & PF_W) != 0;
	segment->is_code = (header->p_flags & PF_X) != 0;
	image->segment_count++;
	return true;
}

static bool read_headers(const struct dl_phdr_info *info, struct image *image)
{
	*image = (struct image){ .bias = info->dlpi_addr };
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t begin = image->bias + header->p_vaddr;

		if (header->p_type == PT_LOAD && !add_segment(image, header)) {
			return false;
		}
		if (header->p_type == PT_GNU_RELRO) {
			image->relro_begin = begin;
			image->relro_end = begin + header->p_memsz;
		}
	}
	/* The build id is in one of them. */
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		uintptr_t begin = image->bias + header->p_vaddr;

		if (header->p_type == PT_NOTE && header->p_memsz > image->notes_bytes &&
				image_is_readable(image, begin, header->p_memsz)) {
			memcpy(&image->notes, &begin, sizeof(begin));
			image->notes_bytes = header->p_memsz;
		}
	}
	return true;
}

static int look(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct search *search = context;

	(void)bytes;
	if (!image_has_address(info, search->address)) {
		return 0;
	}
	search->is_found = read_headers(info, search->image);
	return 1;
}

bool image_find(const void *address, struct image *ret_image)
{
	struct search search = { .address = (uintptr_t)address, .image = ret_image };

	dl_iterate_phdr(look, &search);
	return search.is_found;
}

static const struct image_segment *segment_of(
		const struct image *image, uintptr_t address, size_t bytes)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct image_segment *segment = &image->segments[i];

		if (address >= segment->begin && address < segment->end &&
				bytes <= segment->end - address) {
			return segment;
		}
	}
	return NULL;
}

bool image_is_readable(const struct image *image, uintptr_t address, size_t bytes)
{
	const struct image_segment *segment = segment_of(image, address, bytes);

	return segment && segment->is_readable;
}

bool image_is_code(const struct image *image, uintptr_t address)
{
	const struct image_segment *segment = segment_of(image, address, 1);

	return segment && segment->is_code;
}

bool image_is_data(const struct image *image, uintptr_t address, size_t bytes)
{
	const struct image_segment *segment = segment_of(image, address, bytes);

	return segment && segment->is_writable && segment->is_readable &&
			(address >= image->relro_end || address + bytes <= image->relro_begin);
}

uint64_t image_word(uintptr_t address)
{
	const void *from;
	uint64_t word;

	memcpy(&from, &address, sizeof(from));
	memcpy(&word, from, sizeof(word));
	return word;
}
