/*
 * SPDX-License-Identifier: MIT
 */
#include "salvage_board.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "xorshift.h"

const char *source_trace;
const char *other_metadata;

char *shell(const char *format, ...)
{
	static char line[PATH_BYTES];
	char command[COMMAND_BYTES];
	va_list arguments;
	FILE *pipe = NULL;

	va_start(arguments, format);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, one line above */
	(void)vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	pipe = popen(command, "r"); // NOLINT(cert-env33-c): a test may use the shell
	line[0] = '\0';
	if (pipe) {
		if (!fgets(line, sizeof(line), pipe)) {
			line[0] = '\0';
		}
		(void)pclose(pipe);
	}
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Events that Babeltrace reads, one a line into a file; -1 when it fails. */
static long events_read(const char *directory, const char *into)
{
	const char *text = shell("babeltrace2 '%s' >'%s' 2>/dev/null && wc -l <'%s' || echo -1",
			directory, into, into);

	return strtol(text, NULL, 10);
}

static void digest(const char *input, char *ret_digest)
{
	(void)snprintf(ret_digest, 128, "%s",
			shell("cd '%s' && (find . -printf '%%p %%T@ %%s %%m\\n' | sort; "
			      "find . -type f -print0 | sort -z | xargs -0 -r md5sum) | md5sum",
					input));
}

void bytes_put(const char *path, uint64_t offset, const void *bytes, size_t count)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, count, (off_t)offset), count);
	(void)close(fd);
}

uint64_t u64_get(const char *path, uint64_t offset)
{
	uint8_t bytes[8] = { 0 };
	uint64_t value = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pread(fd, bytes, sizeof(bytes), (off_t)offset), sizeof(bytes));
	(void)close(fd);
	for (size_t i = 8; i > 0; i--) {
		value = value << 8 | bytes[i - 1];
	}
	return value;
}

int fixture_make(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char text[PATH_BYTES + 8];
	struct stat about;

	if (!f) {
		return -1;
	}
	*state = f;
	(void)snprintf(f->root, sizeof(f->root), "/tmp/salvage_test.XXXXXX");
	if (!mkdtemp(f->root)) {
		return -1;
	}
	(void)snprintf(f->input, sizeof(f->input), "%s", f->root);
	(void)strncat(f->input, "/in", 4);
	(void)shell("cp -a '%s' '%s'", source_trace, f->input);
	(void)snprintf(f->stream, sizeof(f->stream), "%s",
			shell("find '%s' -type f ! -name metadata ! -name '*.idx' -printf '%%s %%p\\n' | "
			      "sort -rn | head -1 | cut -d' ' -f2-",
					f->input));
	if (stat(f->stream, &about) != 0) {
		return -1;
	}
	f->stream_bytes = (uint64_t)about.st_size;
	(void)snprintf(f->directory, sizeof(f->directory), "%s", f->stream);
	*strrchr(f->directory, '/') = '\0';
	(void)snprintf(f->metadata, sizeof(f->metadata), "%s", f->directory);
	(void)strncat(f->metadata, "/metadata", 10);
	for (uint64_t at = 0; at < f->stream_bytes && f->packet_count < PACKETS_MAX;) {
		f->packet[f->packet_count++] = at;
		at += u64_get(f->stream, at + AT_PACKET) / 8;
	}
	(void)snprintf(f->reference, sizeof(f->reference), "%s", f->root);
	(void)strncat(f->reference, "/reference", 11);
	(void)shell("cp -a '%s' '%s'", f->input, f->reference);
	if (other_metadata) {
		(void)shell("cp '%s' '%s%s'", other_metadata, f->reference,
				f->metadata + strlen(f->input));
	}
	(void)snprintf(text, sizeof(text), "%s.txt", f->reference);
	f->events = events_read(f->reference, text);
	(void)shell("cp -a '%s' '%s/less' && rm '%s/less%s'", f->reference, f->root, f->root,
			f->stream + strlen(f->input));
	f->events_without_stream = strtol(
			shell("babeltrace2 '%s/less' 2>/dev/null | wc -l", f->root), NULL, 10);
	return 0;
}

int fixture_remove(void **state)
{
	struct fixture *f = *state;

	salvage_destroy(f->salvage);
	(void)shell("rm -rf '%s'", f->root);
	free(f);
	return 0;
}

long salvaged_into(struct fixture *f, const char *input, const char *metadata_file,
		const char *text, struct diag *diag)
{
	const char *inputs[] = { input };
	char work[PATH_BYTES + 8];
	char before[128];
	char after[128];
	enum csc_status status;
	long events = 0;

	salvage_destroy(f->salvage);
	f->salvage = NULL;
	(void)snprintf(work, sizeof(work), "%s/work", f->root);
	(void)shell("rm -rf '%s'", work);
	digest(input, before);
	status = salvage_run(inputs, 1, metadata_file, work, &f->salvage, diag);
	digest(input, after);
	assert_string_equal(before, after);
	if (status != CSC_OK) {
		assert_int_equal(status, CSC_ERROR);
		assert_true(diag->text[0] != '\0');
		assert_int_not_equal(access(work, F_OK), 0);
		return -1;
	}
	for (size_t i = 0; i < salvage_trace_count(f->salvage); i++) {
		long read = events_read(salvage_trace_dir(f->salvage, i), text);

		assert_true(read >= 0);
		events += read;
	}
	return events;
}

long salvaged(struct fixture *f, const char *metadata_file, struct diag *diag)
{
	char text[PATH_BYTES + 16];

	(void)snprintf(text, sizeof(text), "%s/salvaged.txt", f->root);
	return salvaged_into(f, f->input, metadata_file, text, diag);
}

void damage(const struct fixture *f, const char *stream, const char *metadata, uint64_t *seed)
{
	uint64_t count = next_random(seed) % 4 + 1;

	for (uint64_t i = 0; i < count; i++) {
		const char *path = next_random(seed) % 8 == 0 && metadata ? metadata : stream;
		uint64_t front = f->packet[next_random(seed) % f->packet_count];
		struct stat about;
		uint8_t bytes[16];
		uint64_t at;

		if (stat(path, &about) != 0 || about.st_size < (off_t)sizeof(bytes)) {
			continue;
		}
		for (size_t j = 0; j < sizeof(bytes); j++) {
			bytes[j] = (uint8_t)next_random(seed);
		}
		at = next_random(seed) % ((uint64_t)about.st_size - sizeof(bytes) + 1);
		switch (next_random(seed) % 4) {
		case 0:
			assert_int_equal(truncate(path, (off_t)at), 0);
			break;
		case 1:
			bytes_put(path, at, bytes, next_random(seed) % sizeof(bytes) + 1);
			break;
		default:
			at = path == stream ? front + next_random(seed) % FRONT_BYTES : at;
			if (at + sizeof(bytes) <= (uint64_t)about.st_size) {
				bytes_put(path, at, bytes, next_random(seed) % 4 + 1);
			}
			break;
		}
	}
}

const struct salvage_loss *loss_of(const struct fixture *f, enum salvage_loss_kind kind)
{
	for (size_t i = 0; i < salvage_loss_count(f->salvage); i++) {
		if (salvage_loss_at(f->salvage, i)->kind == kind) {
			return salvage_loss_at(f->salvage, i);
		}
	}
	fail_msg("no loss of kind %d", (int)kind);
	return NULL;
}
