/* SPDX-License-Identifier: MIT */
/*
 * The emulator as it is mapped: which of its addresses may be read, are code, or are data that
 * change.
 *
 * Addresses are those of this process.  Nothing outside of what the image's own headers call
 * readable is ever read.
 */
#ifndef CSC_BEAM_IMAGE_H
#define CSC_BEAM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IMAGE_SEGMENTS 16

struct image_segment {
	uintptr_t begin;
	/* Behind the last byte. */
	uintptr_t end;
	bool is_readable;
	bool is_writable;
	bool is_code;
};

struct image {
	/* Address of what the file calls address 0. */
	uintptr_t bias;
	struct image_segment segments[IMAGE_SEGMENTS];
	size_t segment_count;

	/* Written by the loader alone; empty: there is no such part. */
	uintptr_t relro_begin;
	uintptr_t relro_end;

	/* Its notes, among which may be its build id; 0 bytes: it has none. */
	const unsigned char *notes;
	size_t notes_bytes;
};

/* The image that ADDRESS lies in; false: none, or one with more segments than are known. */
bool image_find(const void *address, struct image *ret_image);

/* Whether so many bytes may be read. */
bool image_is_readable(const struct image *image, uintptr_t address, size_t bytes);

/* Whether it is in a segment of code. */
bool image_is_code(const struct image *image, uintptr_t address);

/* Whether so many bytes are variables: writable, and not only by the loader. */
bool image_is_data(const struct image *image, uintptr_t address, size_t bytes);

/* The 8 bytes at an address that may be read, 8-aligned or not. */
uint64_t image_word(uintptr_t address);

struct dl_phdr_info;

/* Whether an address lies in an image that was loaded. */
bool image_has_address(const struct dl_phdr_info *info, uintptr_t address);

#endif
