/* SPDX-License-Identifier: MIT */
#include "symtab.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More than any emulator's tables take. */
#define MOST_BYTES (64U << 20)
#define MOST_SECTIONS 256
#define LINE_BYTES 4608

struct table {
	ElfW(Sym) * symbols;
	size_t count;
	char *names;
	size_t names_bytes;
};

/* The file that is mapped at ADDRESS, opened; -1: none. */
static int open_file(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[LINE_BYTES];
	int file = -1;

	while (maps && file < 0 && fgets(line, sizeof(line), maps)) {
		char *end;
		uintptr_t begin = strtoull(line, &end, 16);
		uintptr_t limit = *end == '-' ? strtoull(end + 1, &end, 16) : 0;
		char *path = strchr(end, '/');

		if (address < begin || address >= limit) {
			continue;
		}
		if (!path) {
			break;
		}
		path[strcspn(path, "\n")] = '\0';
		file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		break;
	}
	if (maps) {
		(void)fclose(maps);
	}
	return file;
}

/* So many bytes at an offset of the file, to be freed; NULL: they are not there. */
static void *read_bytes(int file, uint64_t offset, uint64_t bytes)
{
	void *buffer = bytes > 0 && bytes <= MOST_BYTES ? malloc(bytes) : NULL;
	size_t got = 0;

	while (buffer && got < bytes) {
		ssize_t count = pread(
				file, (char *)buffer + got, bytes - got, (off_t)(offset + got));

		if (count <= 0) {
			free(buffer);
			return NULL;
		}
		got += (size_t)count;
	}
	return buffer;
}

/* Whether a part of the file is the same as in memory: the notes, with the build id. */
static bool has_notes(int file, const struct image *image)
{
	uintptr_t address = (uintptr_t)image->notes;
	/* Notes lie in the first segment, with which the file begins. */
	uint64_t offset = address - image->segments[0].begin;
	void *bytes;
	bool is_same;

	if (image->notes_bytes == 0) {
		return true;
	}
	bytes = read_bytes(file, offset, image->notes_bytes);
	is_same = bytes && memcmp(bytes, image->notes, image->notes_bytes) == 0;
	free(bytes);
	return is_same;
}

static bool read_symbols(
		int file, const ElfW(Shdr) * sections, size_t count, struct table *ret_table)
{
	for (size_t i = 0; i < count; i++) {
		const ElfW(Shdr) *section = &sections[i];
		const ElfW(Shdr) * names;

		if (section->sh_type != SHT_SYMTAB || section->sh_link >= count ||
				section->sh_entsize != sizeof(ElfW(Sym))) {
			continue;
		}
		names = &sections[section->sh_link];
		ret_table->symbols = read_bytes(file, section->sh_offset, section->sh_size);
		ret_table->names = read_bytes(file, names->sh_offset, names->sh_size);
		ret_table->count = section->sh_size / sizeof(ElfW(Sym));
		ret_table->names_bytes = names->sh_size;
		/* A text that does not end would be read beyond. */
		return ret_table->symbols && ret_table->names &&
				ret_table->names[names->sh_size - 1] == '\0';
	}
	return false;
}

static bool read_table(int file, struct table *ret_table)
{
	ElfW(Ehdr) header;
	ElfW(Shdr) * sections;
	bool is_read;

	if (pread(file, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
			memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
			header.e_shentsize != sizeof(*sections) || header.e_shnum == 0 ||
			header.e_shnum > MOST_SECTIONS) {
		return false;
	}
	sections = read_bytes(file, header.e_shoff, header.e_shnum * sizeof(*sections));
	is_read = sections && read_symbols(file, sections, header.e_shnum, ret_table);
	free(sections);
	return is_read;
}

/* The symbol's value; 0: none, or several that differ. */
static uintptr_t value_of(const struct table *table, const char *name, unsigned int type)
{
	uintptr_t value = 0;

	for (size_t i = 0; i < table->count; i++) {
		const ElfW(Sym) *symbol = &table->symbols[i];

		if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != type ||
				symbol->st_name >= table->names_bytes ||
				strcmp(table->names + symbol->st_name, name) != 0) {
			continue;
		}
		if (value != 0 && value != symbol->st_value) {
			return 0;
		}
		value = symbol->st_value;
	}
	return value;
}

uintptr_t symtab_find(const struct image *image, const char *name, const char *known)
{
	struct table table = { .symbols = NULL };
	uintptr_t function = (uintptr_t)dlsym(RTLD_DEFAULT, known);
	int file = open_file(function);
	uintptr_t value = 0;

	if (file < 0) {
		return 0;
	}
	if (has_notes(file, image) && read_table(file, &table) &&
			value_of(&table, known, STT_FUNC) + image->bias == function) {
		value = value_of(&table, name, STT_OBJECT);
	}
	free(table.symbols);
	free(table.names);
	(void)close(file);
	return value == 0 ? 0 : value + image->bias;
}
