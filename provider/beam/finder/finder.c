/* SPDX-License-Identifier: MIT */
#include "finder.h"

#include <dlfcn.h>
#include <string.h>

#include "code.h"
#include "image.h"
#include "names.h"
#include "symtab.h"
#include "table.h"

/* A function that every emulator exports, and its image has. */
static const char known[] = "enif_alloc";

/* Asks the witnesses about the only candidate. */
static bool is_witnessed(const struct image *image, struct emulator *emulator, uintptr_t table,
		struct diag *diag)
{
	struct emulator_evidence *evidence = &emulator->evidence;
	struct code_witness code;
	uintptr_t specs;
	uintptr_t symbol = symtab_find(image, "erts_allctrs", known);

	code_ask(image, emulator, table, &code);
	evidence->functions = code.agreeing;
	evidence->sets = table_find_specs(image, table, emulator->entry_count, &specs);
	evidence->has_symbol = symbol != 0;
	memcpy(&emulator->specs, &specs, sizeof(specs));
	if (code.differing > 0) {
		return DIAG_FALSE(diag,
				"the emulator hides its symbols, and %zu of its functions use another "
				"table of allocators than the one that was found",
				code.differing);
	}
	if (symbol != 0 && symbol != table) {
		return DIAG_FALSE(diag,
				"the emulator hides its symbols, and its file says that the "
				"table of allocators is not where it was found");
	}
	if (evidence->functions == 0 && evidence->sets == 0) {
		return DIAG_FALSE(diag,
				"the emulator hides its symbols, and neither its functions nor its "
				"instances confirm the table of allocators that was found");
	}
	return true;
}

bool finder_find(struct emulator *ret_emulator, struct diag *diag)
{
	struct image image;
	uintptr_t table = 0;
	size_t found;

	if (!image_find(dlsym(RTLD_DEFAULT, known), &image)) {
		return DIAG_FALSE(diag, "the emulator's image is laid out in another way");
	}
	if (!names_find(&image, ret_emulator, diag)) {
		return false;
	}
	found = table_find(&image, ret_emulator->entry_count, &table);
	if (found != 1) {
		return DIAG_FALSE(diag,
				"the emulator hides its symbols, and has %zu tables of allocators, "
				"where one was expected",
				found);
	}
	memcpy(&ret_emulator->entries, &table, sizeof(table));
	ret_emulator->evidence.is_found = true;
	return is_witnessed(&image, ret_emulator, table, diag);
}
