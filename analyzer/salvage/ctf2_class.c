/*
 * SPDX-License-Identifier: MIT
 *
 * One function for each kind of class; what is not certain to be alike is refused.
 */
#include "ctf2_class.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum {
	DEPTH_MAX = 10,
	MEMBERS_MAX = 500,
	BITS_MAX = 64,
	ALIGNMENT_MAX = 4096,
};

struct printer {
	FILE *file;
	enum ctf2_scope scope;
	const char *clock;

	/* The members that lead to the structure at work. */
	const char *path[DEPTH_MAX];
	size_t depth;

	/* NULL, or what is in the way. */
	const char *what;
};

/* The names by which CTF 1.8 knows what roles say in CTF 2. */
static const struct {
	enum ctf2_scope scope;
	const char *role;
	const char *name;
} roles[] = {
	{ CTF2_PACKET_HEADER, "packet-magic-number", "magic" },
	{ CTF2_PACKET_HEADER, "metadata-stream-uuid", "uuid" },
	{ CTF2_PACKET_HEADER, "data-stream-class-id", "stream_id" },
	{ CTF2_PACKET_HEADER, "data-stream-id", "stream_instance_id" },
	{ CTF2_PACKET_CONTEXT, "default-clock-timestamp", "timestamp_begin" },
	{ CTF2_PACKET_CONTEXT, "packet-end-default-clock-timestamp", "timestamp_end" },
	{ CTF2_PACKET_CONTEXT, "packet-content-length", "content_size" },
	{ CTF2_PACKET_CONTEXT, "packet-total-length", "packet_size" },
	{ CTF2_PACKET_CONTEXT, "packet-sequence-number", "packet_seq_num" },
	{ CTF2_PACKET_CONTEXT, "discarded-event-record-counter-snapshot", "events_discarded" },
	{ CTF2_EVENT_HEADER, "event-record-class-id", "id" },
	{ CTF2_EVENT_HEADER, "default-clock-timestamp", "timestamp" },
};

static const char *const origins[] = { "packet-header", "packet-context", "event-record-header",
	"event-record-common-context", "event-record-specific-context", "event-record-payload" };

static bool member_print(struct printer *p, const struct ctf2_node *member,
		const struct ctf2_node *siblings);

static bool refuse(struct printer *p, const char *what)
{
	if (!p->what) {
		p->what = what;
	}
	return false;
}

bool ctf2_is_name(const char *text)
{
	bool is_ok = *text != '\0' && !isdigit((unsigned char)*text);

	for (; *text && is_ok; text++) {
		is_ok = isalnum((unsigned char)*text) || *text == '_';
	}
	return is_ok;
}

void ctf2_quote(FILE *file, const char *text)
{
	(void)fputc('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\') {
			(void)fprintf(file, "\\%c", *text);
		} else if ((unsigned char)*text < ' ') {
			(void)fprintf(file, "\\%03o", (unsigned int)(unsigned char)*text);
		} else {
			(void)fputc(*text, file);
		}
	}
	(void)fputc('"', file);
}

static bool is_type(const struct ctf2_node *class, const char *type)
{
	return strcmp(ctf2_json_text(class, "type", ""), type) == 0;
}

static bool is_headers(const struct printer *p)
{
	return p->scope <= CTF2_EVENT_HEADER;
}

/* A name as the metadata has it; readers take one `_` off where there is one. */
static bool name_print(struct printer *p, const char *name)
{
	bool has_prefix = !is_headers(p);

	if (!ctf2_is_name(name)) {
		return refuse(p, "a name that CTF 1.8 cannot have");
	}
	(void)fprintf(p->file, "%s%s", has_prefix ? "_" : "", name);
	return true;
}

/* Yields the role, empty for none; NULL: it has more than one. */
static const char *role_of(const struct ctf2_node *class)
{
	const struct ctf2_node *list = ctf2_json_find(class, "roles");

	if (!list || (list->kind == JSON_ARRAY && list->count == 0)) {
		return "";
	}
	return list->kind == JSON_ARRAY && list->count == 1 && list->first->kind == JSON_TEXT
			? list->first->text
			: NULL;
}

/* Whether CTF 1.8 knows by its name what CTF 2 knows by its role. */
static bool role_check(struct printer *p, const struct ctf2_node *class, const char *name)
{
	const char *role = role_of(class);
	bool is_known = role && *role == '\0';

	for (size_t i = 0; role && i < sizeof(roles) / sizeof(*roles); i++) {
		bool is_role = roles[i].scope == p->scope && strcmp(roles[i].role, role) == 0;
		bool is_name = roles[i].scope == p->scope && strcmp(roles[i].name, name) == 0;

		if (is_role != is_name) {
			is_known = false;
			break;
		}
		is_known |= is_role;
	}
	return is_known || refuse(p, "a role that LTTng does not give");
}

/* `size`, `align` and byte order of a number. */
static bool bits_print(struct printer *p, const struct ctf2_node *class, int64_t *ret_length)
{
	int64_t length = ctf2_json_number(class, "length", 0);
	int64_t align = ctf2_json_number(class, "alignment", 1);
	const char *order = ctf2_json_text(class, "byte-order", "");
	bool is_big = strcmp(order, "big-endian") == 0;
	const char *bits = ctf2_json_text(class, "bit-order", "");

	if (length < 1 || length > BITS_MAX || align < 1 || align > ALIGNMENT_MAX ||
			(align & (align - 1)) != 0 ||
			(!is_big && strcmp(order, "little-endian") != 0) ||
			(*bits && strcmp(bits, is_big ? "last-to-first" : "first-to-last") != 0)) {
		return refuse(p,
				"a number of a length, alignment or order that CTF 1.8 does not have");
	}
	(void)fprintf(p->file, "align = %" PRId64 "; byte_order = %s; ", align,
			is_big ? "be" : "le");
	*ret_length = length;
	return true;
}

static bool integer_print(struct printer *p, const struct ctf2_node *class)
{
	bool is_signed = is_type(class, "fixed-length-signed-integer");
	const char *role = role_of(class);
	int64_t base = ctf2_json_number(class, "preferred-display-base", 10);
	int64_t length;

	(void)fputs("integer { ", p->file);
	if (!bits_print(p, class, &length)) {
		return false;
	}
	(void)fprintf(p->file, "size = %" PRId64 "; signed = %s; base = %" PRId64 "; ", length,
			is_signed ? "true" : "false",
			base == 2 || base == 8 || base == 16 ? base : 10);
	if (role && strstr(role, "default-clock-timestamp")) {
		if (!p->clock) {
			return refuse(p, "a time of no clock");
		}
		(void)fprintf(p->file, "map = clock.%s.value; ", p->clock);
	}
	(void)fputc('}', p->file);
	return true;
}

static bool is_range(const struct ctf2_node *range)
{
	return range->kind == JSON_ARRAY && range->count == 2 &&
			range->first->kind == JSON_INTEGER &&
			range->first->next->kind == JSON_INTEGER &&
			range->first->number <= range->first->next->number;
}

/* An integer whose values have names. */
static bool enum_print(
		struct printer *p, const struct ctf2_node *class, const struct ctf2_node *mappings)
{
	size_t count = 0;

	(void)fputs("enum : ", p->file);
	if (!integer_print(p, class)) {
		return false;
	}
	(void)fputs(" {", p->file);
	for (const struct ctf2_node *label = mappings->first; label; label = label->next) {
		for (const struct ctf2_node *range = label->first; range; range = range->next) {
			if (label->kind != JSON_ARRAY || !is_range(range) || count == MEMBERS_MAX) {
				return refuse(p, "names of values that CTF 1.8 cannot have");
			}
			(void)fputs(count++ > 0 ? ", " : " ", p->file);
			ctf2_quote(p->file, label->key);
			(void)fprintf(p->file, " = %" PRId64 " ... %" PRId64, range->first->number,
					range->first->next->number);
		}
	}
	(void)fputs(" }", p->file);
	return count > 0 || refuse(p, "names of no values");
}

static bool float_print(struct printer *p, const struct ctf2_node *class)
{
	int64_t length;

	(void)fputs("floating_point { ", p->file);
	if (!bits_print(p, class, &length)) {
		return false;
	}
	if (length != 32 && length != 64) {
		return refuse(p, "a real number of neither 32 nor 64 bits");
	}
	(void)fprintf(p->file, "exp_dig = %d; mant_dig = %d; }", length == 32 ? 8 : 11,
			length == 32 ? 24 : 53);
	return true;
}

static bool is_utf_8(const struct ctf2_node *class)
{
	return strcmp(ctf2_json_text(class, "encoding", "utf-8"), "utf-8") == 0;
}

/* The sibling, earlier than `before`, that a location leads to. */
static const struct ctf2_node *sibling_find(struct printer *p, const struct ctf2_node *location,
		const struct ctf2_node *siblings, const struct ctf2_node *before)
{
	const struct ctf2_node *path = ctf2_json_member(location, "path", JSON_ARRAY);
	const char *origin = ctf2_json_text(location, "origin", NULL);
	const struct ctf2_node *step = path ? path->first : NULL;
	const struct ctf2_node *found = NULL;
	size_t depth = origin ? p->depth : 0;

	if (!path || path->count != depth + 1 ||
			(origin && strcmp(origin, origins[p->scope]) != 0)) {
		return NULL;
	}
	for (size_t i = 0; i < depth; i++, step = step->next) {
		if (step->kind != JSON_TEXT || strcmp(step->text, p->path[i]) != 0) {
			return NULL;
		}
	}
	for (; siblings && siblings != before && step->kind == JSON_TEXT;
			siblings = siblings->next) {
		if (strcmp(ctf2_json_text(siblings, "name", ""), step->text) == 0) {
			found = siblings;
		}
	}
	return found;
}

/* Whether one label of the selector is the option: same name, same ranges. */
static bool is_selected(const struct ctf2_node *selector, const struct ctf2_node *option)
{
	const struct ctf2_node *ranges =
			ctf2_json_member(option, "selector-field-ranges", JSON_ARRAY);
	const struct ctf2_node *label =
			ctf2_json_member(ctf2_json_member(selector, "mappings", JSON_OBJECT),
					ctf2_json_text(option, "name", ""), JSON_ARRAY);
	const struct ctf2_node *a = ranges ? ranges->first : NULL;
	const struct ctf2_node *b = label ? label->first : NULL;

	if (!a || !b) {
		return false;
	}
	for (; a && b; a = a->next, b = b->next) {
		if (!is_range(a) || !is_range(b) || a->first->number != b->first->number ||
				a->first->next->number != b->first->next->number) {
			return false;
		}
	}
	return !a && !b;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool variant_print(struct printer *p, const struct ctf2_node *class,
		const struct ctf2_node *siblings, const struct ctf2_node *before)
{
	const struct ctf2_node *options = ctf2_json_member(class, "options", JSON_ARRAY);
	const struct ctf2_node *tag = sibling_find(p,
			ctf2_json_member(class, "selector-field-location", JSON_OBJECT), siblings,
			before);
	const struct ctf2_node *selector = ctf2_json_member(tag, "field-class", JSON_OBJECT);

	/* Elsewhere names have a `_`, and labels would need one. */
	if (!options || options->count == 0 || options->count > MEMBERS_MAX || !selector ||
			p->scope != CTF2_EVENT_HEADER) {
		return refuse(p, "a variant that LTTng does not write");
	}
	(void)fputs("variant <", p->file);
	if (!name_print(p, ctf2_json_text(tag, "name", ""))) {
		return false;
	}
	(void)fputs("> {\n", p->file);
	for (const struct ctf2_node *option = options->first; option; option = option->next) {
		if (!is_selected(selector, option)) {
			return refuse(p, "a variant whose options its selector does not name");
		}
		if (!member_print(p, option, NULL)) {
			return false;
		}
	}
	(void)fputc('}', p->file);
	return true;
}

// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool members_print(struct printer *p, const struct ctf2_node *class)
{
	const struct ctf2_node *members = ctf2_json_find(class, "member-classes");
	int64_t align = ctf2_json_number(class, "minimum-alignment", 1);

	if ((members && (members->kind != JSON_ARRAY || members->count > MEMBERS_MAX)) ||
			align < 1 || align > ALIGNMENT_MAX || (align & (align - 1)) != 0) {
		return refuse(p, "a structure too large or of an odd alignment");
	}
	(void)fputs("struct {\n", p->file);
	for (const struct ctf2_node *member = members ? members->first : NULL; member;
			member = member->next) {
		if (!member_print(p, member, members->first)) {
			return false;
		}
	}
	(void)fputc('}', p->file);
	if (align > 1) {
		(void)fprintf(p->file, " align(%" PRId64 ")", align);
	}
	return true;
}

/* A class that has no length behind its name. */
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool single_print(struct printer *p, const struct ctf2_node *class, const char *name)
{
	const struct ctf2_node *mappings = ctf2_json_member(class, "mappings", JSON_OBJECT);
	bool is_ok;

	if (is_type(class, "fixed-length-unsigned-integer") ||
			is_type(class, "fixed-length-signed-integer")) {
		return mappings && mappings->count > 0 ? enum_print(p, class, mappings)
						       : integer_print(p, class);
	}
	if (is_type(class, "fixed-length-floating-point-number")) {
		return float_print(p, class);
	}
	if (is_type(class, "null-terminated-string") && is_utf_8(class)) {
		(void)fputs("string", p->file);
		return true;
	}
	if (is_type(class, "structure")) {
		if (p->depth == DEPTH_MAX) {
			return refuse(p, "structures too deep");
		}
		p->path[p->depth++] = name;
		is_ok = members_print(p, class);
		p->depth--;
		return is_ok;
	}
	return refuse(p, "a field class that CTF 1.8 does not have");
}

static bool length_print(struct printer *p, const struct ctf2_node *class, bool is_static,
		const struct ctf2_node *siblings, const struct ctf2_node *before)
{
	const struct ctf2_node *length = ctf2_json_member(class, "length", JSON_INTEGER);
	const struct ctf2_node *counter;

	(void)fputc('[', p->file);
	if (is_static) {
		if (!length || length->number < 0) {
			return refuse(p, "an array without a length");
		}
		(void)fprintf(p->file, "%" PRId64, length->number);
	} else {
		counter = sibling_find(p,
				ctf2_json_member(class, "length-field-location", JSON_OBJECT),
				siblings, before);
		if (!counter ||
				!is_type(ctf2_json_member(counter, "field-class", JSON_OBJECT),
						"fixed-length-unsigned-integer")) {
			return refuse(p, "an array whose length is not beside it");
		}
		if (!name_print(p, ctf2_json_text(counter, "name", ""))) {
			return false;
		}
	}
	(void)fputc(']', p->file);
	return true;
}

/* Bytes or elements, as many as stand behind the name. */
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool element_print(struct printer *p, const struct ctf2_node *class, const char *name)
{
	const char *type = ctf2_json_text(class, "type", "") + strlen("static-length-");
	const struct ctf2_node *element =
			ctf2_json_member(class, "element-field-class", JSON_OBJECT);

	/* "dynamic-length-" is longer by one. */
	type += *type == '-';
	if (strcmp(type, "string") == 0 && is_utf_8(class)) {
		(void)fputs("integer { size = 8; align = 8; signed = false; encoding = UTF8; }",
				p->file);
		return true;
	}
	if (strcmp(type, "blob") == 0) {
		(void)fputs("integer { size = 8; align = 8; signed = false; }", p->file);
		return true;
	}
	if (strcmp(type, "array") != 0 || !element ||
			ctf2_json_number(class, "minimum-alignment", 1) != 1) {
		return refuse(p, "an array that LTTng does not write");
	}
	return single_print(p, element, name);
}

/* A member of a structure, or an option of a variant. */
// NOLINTNEXTLINE(misc-no-recursion): the depth is bounded
static bool member_print(
		struct printer *p, const struct ctf2_node *member, const struct ctf2_node *siblings)
{
	const struct ctf2_node *class = ctf2_json_member(member, "field-class", JSON_OBJECT);
	const char *name = ctf2_json_text(member, "name", "");
	const char *type = ctf2_json_text(class, "type", "");
	bool is_static = strncmp(type, "static-length-", strlen("static-length-")) == 0;
	bool has_length = is_static ||
			strncmp(type, "dynamic-length-", strlen("dynamic-length-")) == 0;
	bool is_ok;

	if (!class || !role_check(p, class, name)) {
		return refuse(p, "a member without a field class of its own");
	}
	if (has_length) {
		is_ok = element_print(p, class, name);
	} else if (is_type(class, "variant")) {
		is_ok = variant_print(p, class, siblings, member);
	} else {
		is_ok = single_print(p, class, name);
	}
	if (!is_ok) {
		return false;
	}
	(void)fputc(' ', p->file);
	if (!name_print(p, name) ||
			(has_length && !length_print(p, class, is_static, siblings, member))) {
		return false;
	}
	(void)fputs(";\n", p->file);
	return true;
}

const char *ctf2_struct_print(
		FILE *file, const struct ctf2_node *class, enum ctf2_scope scope, const char *clock)
{
	struct printer p = { .file = file, .scope = scope, .clock = clock };

	if (!class) {
		(void)fputs("struct {\n}", file);
		return NULL;
	}
	if (!is_type(class, "structure")) {
		return "a structure that is none";
	}
	return members_print(&p, class) ? NULL : p.what;
}
