/*
 * SPDX-License-Identifier: MIT
 *
 * What is known by name and not read here: what it is, and what to run instead.
 */
#include <ctype.h>
#include <stdlib.h>

#include "paste_scan.h"

#define ASK_NODE \
	"erl> rp([{A,erlang:system_info({allocator,A})} || A <- erlang:system_info(alloc_util_allocators)])."

/* All of `words` are in the line. */
static const struct {
	const char *words[3];
	const char *what;
	const char *run;
} named[] = {
	{ { "Address", "Kbytes", "RSS" },
			"the output of pmap, which shows mappings and not whose they are",
			ASK_NODE },
	{ { "Rss:", " kB" }, "smaps of a process, which shows mappings and not whose they are",
			ASK_NODE },
	{ { "VmRSS:", " kB" }, "/proc/PID/status, which has sums of the process alone", ASK_NODE },
	{ { "id", "name", "type" }, NULL, NULL },
	{ { "Crashdump Viewer" }, "a page of crashdump_viewer",
			"carrierscope load erl_crash.dump -o run.db" },
	{ { "Home(H)", "System(S)" }, "the screen of observer_cli, which is rounded and cut",
			ASK_NODE },
	{ { "|Memory", "|State", "|Scheduler" },
			"the screen of observer_cli, which is rounded and cut", ASK_NODE },
	{ { "observer_cli", "Interval" }, "the screen of observer_cli, which is rounded and cut",
			ASK_NODE },
	{ { "Pid", "Initial Call", "Heap" }, "the list of i(), which is cut to its columns",
			"erl> recon:proc_count(memory, 10)." },
	{ { "erlang_vm_memory_", "{", "}" }, "a scrape of Prometheus", "erl> erlang:memory()." },
	{ { "erlang_vm_allocators", "{", "}" }, "a scrape of Prometheus", ASK_NODE },
	{ { "OOMKilled" }, "a report that a container was killed, without its memory",
			"kubectl exec POD -- bin/app rpc 'io:format(\"~p~n\", [erlang:memory()])'" },
	{ { "org_erlang_otp:carrier_", "{" }, "a trace as text",
			"carrierscope load -o run.db DIRECTORY_OF_THE_TRACE" },
	{ { "com_ericsson_otp:carrier_", "{" }, "a trace as text",
			"carrierscope load -o run.db DIRECTORY_OF_THE_TRACE" },
	{ { "Vsize:", "Rsize:" }, "sums of a process", ASK_NODE },
};

static bool has_words(struct text line, const char *const *words)
{
	for (size_t i = 0; i < 3 && words[i]; i++) {
		if (text_find(line, words[i]) == line.length) {
			return false;
		}
	}
	return true;
}

/* " id  name  type  size  mem  owner" of ets:i(). */
static bool is_tables(struct text line)
{
	static const char *const words[] = { "id", "name", "type", "size", "mem", "owner" };
	struct text rest = line;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!text_is(text_word(&rest), words[i])) {
			return false;
		}
	}
	return true;
}

/* The number of kB behind "anon-rss:". */
static double kernel_bytes(struct text line, const char *word)
{
	size_t found = text_find(line, word);
	double number = 0;

	for (size_t i = found + strlen(word); found < line.length && i < line.length &&
			isdigit((unsigned char)line.at[i]);
			i++) {
		number = 10 * number + (line.at[i] - '0');
	}
	return 1024 * number;
}

/* "Out of memory: Killed process 4711 (beam.smp) total-vm:…kB, anon-rss:…kB, …" of the kernel. */
static size_t take_kill(struct paste_scan *scan, size_t at)
{
	struct text line = scan_line(scan, at);
	double resident = kernel_bytes(line, "anon-rss:");
	bool is_group = text_find(line, "emory cgroup out of memory") < line.length;
	struct text name = line;

	if ((text_find(line, "Out of memory: Kill") == line.length && !is_group) ||
			text_find(line, " process ") == line.length || resident == 0) {
		return 0;
	}
	(void)text_cut(line, '(', &name);
	name = text_cut(name, ')', &line);
	scan_figure(scan, at,
			is_group ? "kernel, limit of a control group" : "kernel, out of memory",
			name.length > 0 && name.length < 64 ? name : TEXT("a process"), "resident",
			resident, "bytes");
	paste_text_words(&scan->groups[PASTE_FIGURES].text, "\n");
	return 1;
}

size_t paste_named_line(struct paste_scan *scan, size_t at)
{
	struct text line = scan_line(scan, at);
	size_t taken;

	if (line.length < 8 || line.length > 4096) {
		return 0;
	}
	taken = scan_may_have(scan, at, "anon-rss:") ? take_kill(scan, at) : 0;
	if (taken > 0) {
		return taken;
	}
	if (is_tables(line)) {
		scan_refuse(scan, at, "the list of ets:i(), which has no bytes of the tables",
				"erl> [{ets:info(T, name), ets:info(T, memory)} || T <- ets:all()].");
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		size_t lines = 1;

		if (!named[i].what || !scan_may_have(scan, at, named[i].words[0]) ||
				!has_words(line, named[i].words)) {
			continue;
		}
		scan_refuse(scan, at, named[i].what, named[i].run);
		/* The same kind goes on. */
		while (at + lines < scan->line_count &&
				has_words(scan_line(scan, at + lines), named[i].words)) {
			lines++;
		}
		return lines;
	}
	return is_tables(line) ? 1 : 0;
}
