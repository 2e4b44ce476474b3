/*
 * SPDX-License-Identifier: MIT
 *
 * Which settings would have kept a board alive.
 */
#include "board_answer.h"

#include <inttypes.h>

#include "json_writer.h"

#define MIB 1048576.0

static void print_words(const struct board_case *found, FILE *out)
{
	for (int i = 0; i < found->word_count; i++) {
		const char *word = found->words[i];

		(void)fprintf(out, "%s%s", i > 0 ? " " : "", *word == '+' ? "-" : "");
		(void)fputs(*word == '+' ? word + 1 : word, out);
	}
	if (found->word_count == 0) {
		(void)fputs(found->has_boot ? "none" : "none is in the log: assumed", out);
	}
}

static void print_case(const struct board_answer *answer, FILE *out)
{
	const struct board_case *found = answer->trial->found;

	(void)fprintf(out,
			"'%s', line %" PRId64 ": %s could not %s %" PRId64
			" bytes (%s); %.1f of %.1f MiB were in use (malloc on line %" PRId64 ").\n",
			answer->log, found->failure_line, found->allocator,
			found->is_realloc ? "reallocate" : "allocate", found->asked_bytes,
			found->type, (double)found->used_bytes / MIB,
			(double)found->size_bytes / MIB, found->reading_line);
	(void)fprintf(out, "Board %s, OTP %s, flags: ", answer->trial->board->name,
			answer->trial->generation->name);
	print_words(found, out);
	(void)fprintf(out,
			".\nThe twin's load, made of erlang:memory() on line %" PRId64
			", fails with these in %d of %d runs, with %.1f to %.1f MiB in use, for %" PRIu64
			" to %" PRIu64 " bytes.\n\n",
			found->memory_line, BOARD_RUNS, BOARD_RUNS, (double)answer->used_low / MIB,
			(double)answer->used_high / MIB, answer->asked_low, answer->asked_high);
}

static void print_name(const struct board_setting *setting, FILE *out)
{
	(void)fprintf(out, "%s%s%s", setting->name ? setting->name : "",
			setting->name && *setting->flags ? " " : "", setting->flags);
}

static void print_setting(const struct board_setting *setting, FILE *out)
{
	if (setting->refusal) {
		(void)fprintf(out, "%12s %9s %9s %9s %9s  ", "not run", "-", "-", "-", "-");
		print_name(setting, out);
		(void)fprintf(out, " (%s)\n", setting->refusal);
		return;
	}
	(void)fprintf(out, "%7u of %d %4.0f..%-4.0f%9.1f %9.1f %9.1f  ", setting->survived,
			BOARD_RUNS, setting->percent_low, setting->percent_high,
			(double)setting->free_bytes / MIB, (double)setting->free_largest / MIB,
			(double)setting->hole_bytes / MIB);
	print_name(setting, out);
	(void)fputc('\n', out);
}

static void print_lines(const struct board_setting *best, FILE *out)
{
	if (*best->flags) {
		(void)fprintf(out,
				"# in grisp.ini: flags of the emulator stand before -- and begin with -\n"
				"[erlang]\nargs = erl.rtems %s -- ...\n",
				best->flags);
	}
	if (best->trim_bytes) {
		(void)fprintf(out,
				"# in the port, where it asks for a carrier of k * 256 KiB: ask for %" PRIu64
				" bytes less\n# (in a board file of the twin: trim %" PRIu64 ")\n",
				best->trim_bytes, best->trim_bytes);
	}
}

void board_answer_print(const struct board_answer *answer, FILE *out)
{
	size_t survivors = 0;

	print_case(answer, out);
	(void)fprintf(out, "%12s %9s %9s %9s %9s\n", "runs that", "lasts %", "MiB free", "largest",
			"alignment");
	(void)fprintf(out, "%12s %9s %9s %9s %9s  %s\n", "survive", "of log's", "at end", "free",
			"holes", "setting");
	for (size_t i = 0; i < answer->setting_count; i++) {
		print_setting(&answer->settings[i], out);
		survivors += answer->settings[i].survived == BOARD_RUNS;
	}
	(void)fprintf(out,
			"A run survives if it lasts %d %% of the operations after which the log's settings "
			"fail.\nKinds and amounts of memory are the log's; sizes of blocks and their order "
			"are assumed: try it on the board.\n\n",
			BOARD_SURVIVAL_PERCENT);
	if (!answer->best) {
		(void)fputs("No setting survives in all runs: the load needs less memory, or the board "
			    "more.\n",
				out);
		return;
	}
	(void)fprintf(out, "%zu of %zu settings survive in all runs. Advised: ", survivors,
			answer->setting_count);
	print_name(answer->best, out);
	(void)fputs("\n\n", out);
	print_lines(answer->best, out);
}

static void put_case(struct json_writer *json, const struct board_answer *answer)
{
	const struct board_case *found = answer->trial->found;

	json_member_text(json, "log", answer->log);
	json_member_text(json, "board", answer->trial->board->name);
	json_member_text(json, "release", answer->trial->generation->name);
	json_key(json, "failure");
	json_open(json, '{');
	json_member_integer(json, "line", found->failure_line);
	json_member_text(json, "allocator", found->allocator);
	json_member_text(json, "type", found->type);
	json_member_integer(json, "asked_bytes", found->asked_bytes);
	json_member_integer(json, "used_bytes", found->used_bytes);
	json_member_integer(json, "free_bytes", found->free_bytes);
	json_member_integer(json, "free_largest_bytes", found->free_largest);
	json_member_integer(json, "malloc_line", found->reading_line);
	json_member_integer(json, "memory_line", found->memory_line);
	json_close(json, '}');
	json_key(json, "load");
	json_open(json, '{');
	json_member_integer(json, "runs", BOARD_RUNS);
	json_member_integer(json, "used_bytes_low", (int64_t)answer->used_low);
	json_member_integer(json, "used_bytes_high", (int64_t)answer->used_high);
	json_member_integer(json, "asked_bytes_low", (int64_t)answer->asked_low);
	json_member_integer(json, "asked_bytes_high", (int64_t)answer->asked_high);
	json_member_integer(json, "survival_percent", BOARD_SURVIVAL_PERCENT);
	json_close(json, '}');
}

static void put_setting(struct json_writer *json, const struct board_answer *answer,
		const struct board_setting *setting)
{
	json_open(json, '{');
	json_member_text(json, "name", setting->name);
	json_member_text(json, "flags", setting->flags);
	json_member_integer(json, "trim_bytes", (int64_t)setting->trim_bytes);
	json_member_text(json, "refusal", setting->refusal);
	if (!setting->refusal) {
		json_member_integer(json, "survived", setting->survived);
		json_member_number(json, "percent_low", setting->percent_low);
		json_member_number(json, "percent_high", setting->percent_high);
		json_member_integer(json, "free_bytes", (int64_t)setting->free_bytes);
		json_member_integer(json, "free_largest_bytes", (int64_t)setting->free_largest);
		json_member_integer(json, "hole_bytes", (int64_t)setting->hole_bytes);
		json_member_integer(json, "carriers_peak_bytes", (int64_t)setting->peak_bytes);
	}
	json_member_flag(json, "is_advised", setting == answer->best);
	json_close(json, '}');
}

void board_answer_print_json(const struct board_answer *answer, FILE *out)
{
	struct json_writer json = { .stream = out };

	json_open(&json, '{');
	put_case(&json, answer);
	json_key(&json, "settings");
	json_open(&json, '[');
	for (size_t i = 0; i < answer->setting_count; i++) {
		json_break(&json);
		put_setting(&json, answer, &answer->settings[i]);
	}
	json_close(&json, ']');
	json_close_line(&json, '}');
}
