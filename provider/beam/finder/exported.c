/* SPDX-License-Identifier: MIT */
#include "exported.h"

#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "image.h"

struct exported {
	uintptr_t address;
	size_t bytes;
};

/* What an image's dynamic section points to; 0: it has none. */
struct tables {
	uintptr_t symbols;
	uintptr_t hash;
	uintptr_t gnu_hash;
};

static uint32_t word_at(uintptr_t address)
{
	const void *from;
	uint32_t word;

	memcpy(&from, &address, sizeof(from));
	memcpy(&word, from, sizeof(word));
	return word;
}

/* A loader of glibc has added where the image lies, one of musl has not. */
static uintptr_t placed(const struct dl_phdr_info *info, uintptr_t pointer)
{
	return pointer < info->dlpi_addr ? info->dlpi_addr + pointer : pointer;
}

static struct tables read_tables(const struct dl_phdr_info *info)
{
	struct tables tables = { .symbols = 0 };
	const ElfW(Dyn) *entry = NULL;

	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC) {
			uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

			memcpy(&entry, &begin, sizeof(begin));
		}
	}
	for (; entry && entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_SYMTAB:
			tables.symbols = placed(info, entry->d_un.d_ptr);
			break;
		case DT_HASH:
			tables.hash = placed(info, entry->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			tables.gnu_hash = placed(info, entry->d_un.d_ptr);
			break;
		default:
			break;
		}
	}
	return tables;
}

/* Of GNU's hash table: four words, a filter of so many words of the machine, buckets with the first
 * symbol of each, and for each symbol a word that is odd where its bucket ends. */
static size_t count_gnu(uintptr_t hash)
{
	uint32_t bucket_count = word_at(hash);
	uint32_t first = word_at(hash + 4);
	uintptr_t buckets = hash + 16 + word_at(hash + 8) * sizeof(uintptr_t);
	uintptr_t chains = buckets + bucket_count * sizeof(uint32_t);
	size_t last = 0;

	for (size_t i = 0; i < bucket_count; i++) {
		uint32_t symbol = word_at(buckets + i * sizeof(uint32_t));

		last = symbol > last ? symbol : last;
	}
	if (last < first) {
		return 0;
	}
	while (!(word_at(chains + (last - first) * sizeof(uint32_t)) & 1)) {
		last++;
	}
	return last + 1;
}

static int look(struct dl_phdr_info *info, size_t bytes, void *context)
{
	struct exported *wanted = context;
	const ElfW(Sym) * symbols;
	struct tables tables;
	size_t count = 0;

	(void)bytes;
	if (!image_has_address(info, wanted->address)) {
		return 0;
	}
	tables = read_tables(info);
	if (tables.gnu_hash) {
		count = count_gnu(tables.gnu_hash);
	} else if (tables.hash) {
		count = word_at(tables.hash + 4);
	}
	memcpy(&symbols, &tables.symbols, sizeof(tables.symbols));
	for (size_t i = 0; symbols && i < count; i++) {
		if (symbols[i].st_shndx != SHN_UNDEF &&
				info->dlpi_addr + symbols[i].st_value == wanted->address) {
			wanted->bytes = symbols[i].st_size;
			break;
		}
	}
	return 1;
}

size_t exported_bytes(const void *address)
{
	struct exported wanted = { .address = (uintptr_t)address };

	dl_iterate_phdr(look, &wanted);
	return wanted.bytes;
}
