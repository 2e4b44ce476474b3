/*
 * SPDX-License-Identifier: MIT
 *
 * Replays a corpus through a fuzz target, with any compiler:
 *
 *	derive_fuzz FILE|FOLDER...
 *
 * A folder stands for the files in it.  Fails if there was nothing to replay.
 */
#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Yields how many files were replayed; -1: one cannot be read. */
static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0;
	size_t more = 0;

	if (!file) {
		perror(path);
		return -1;
	}

	do {
		uint8_t *grown = realloc(data, size + 4096);

		if (!grown) {
			abort();
		}

		data = grown;
		more = fread(data + size, 1, 4096, file);
		size += more;
	} while (more > 0);

	(void)fclose(file);
	(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int replay_folder(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	int replayed = 0;

	while (folder && (entry = readdir(folder))) {
		char name[4096];

		if (entry->d_name[0] == '.') {
			continue;
		}

		(void)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (replay_file(name) < 0) {
			replayed = -1;
			break;
		}

		replayed++;
	}

	if (folder) {
		(void)closedir(folder);
	}

	return replayed;
}

int main(int argc, char **argv)
{
	int replayed = 0;

	for (int i = 1; i < argc; i++) {
		struct stat status;
		int more = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)
				? replay_folder(argv[i])
				: replay_file(argv[i]);

		if (more < 0) {
			return 1;
		}

		replayed += more;
	}

	(void)printf("%d inputs replayed\n", replayed);
	return replayed > 0 ? 0 : 1;
}
