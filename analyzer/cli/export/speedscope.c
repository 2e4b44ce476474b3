/*
 * SPDX-License-Identifier: MIT
 *
 * Frames are written behind the profiles: the order of keys is free.
 */
#include "speedscope.h"

void speedscope_open(struct speedscope *file, FILE *stream)
{
	*file = (struct speedscope){ .json = { .stream = stream } };
	json_open(&file->json, '{');
	json_key(&file->json, "$schema");
	json_text(&file->json, "https://www.speedscope.app/file-format-schema.json");
	json_key(&file->json, "exporter");
	json_text(&file->json, "carrierscope");
	json_key(&file->json, "profiles");
	json_open(&file->json, '[');
}

void speedscope_begin(struct speedscope *file, enum stack_value value)
{
	struct json_writer *json = &file->json;

	file->value = value;
	file->total = 0;
	if (value == STACK_INUSE_SPACE) {
		file->active = file->profiles;
	}

	file->profiles++;
	json_break(json);
	json_open(json, '{');
	json_key(json, "type");
	json_text(json, "sampled");
	json_key(json, "name");
	json_text(json, stack_value_name(value));
	json_key(json, "unit");
	json_text(json, stack_value_is_bytes(value) ? "bytes" : "none");
	json_key(json, "samples");
	json_open(json, '[');
}

void speedscope_add_stack(struct speedscope *file, const struct stack *stack)
{
	if (stack->values[file->value] == 0) {
		return;
	}

	json_break(&file->json);
	json_open(&file->json, '[');
	for (int frame = 0; frame < STACK_FRAMES; frame++) {
		if (stack->frames[frame]) {
			int32_t number = numbering_find(&file->frames, stack_frame_kind(frame), 0,
					stack->frames[frame]);

			file->has_failed = file->has_failed || number < 0;
			json_integer(&file->json, number);
		}
	}

	json_close(&file->json, ']');
}

void speedscope_begin_weights(struct speedscope *file)
{
	json_close(&file->json, ']');
	json_key(&file->json, "weights");
	json_open(&file->json, '[');
}

void speedscope_add_weight(struct speedscope *file, const struct stack *stack)
{
	if (stack->values[file->value] != 0) {
		json_integer(&file->json, stack->values[file->value]);
		file->total += stack->values[file->value];
	}
}

void speedscope_end(struct speedscope *file)
{
	json_close(&file->json, ']');
	json_key(&file->json, "startValue");
	json_integer(&file->json, 0);
	json_key(&file->json, "endValue");
	json_integer(&file->json, file->total);
	json_close(&file->json, '}');
}

enum csc_status speedscope_close(struct speedscope *file, struct diag *diag)
{
	struct json_writer *json = &file->json;
	bool has_failed = file->has_failed;

	json_close(json, ']');
	json_key(json, "activeProfileIndex");
	json_integer(json, file->active);
	json_key(json, "shared");
	json_open(json, '{');
	json_key(json, "frames");
	json_open(json, '[');
	for (size_t i = 0; i < file->frames.count; i++) {
		json_break(json);
		json_open(json, '{');
		json_key(json, "name");
		json_text(json, file->frames.entries[i].text);
		json_close(json, '}');
	}

	json_close(json, ']');
	json_close(json, '}');
	json_close(json, '}');
	fputc('\n', json->stream);
	numbering_finish(&file->frames);
	return has_failed ? DIAG_NO_MEMORY(diag) : CSC_OK;
}
