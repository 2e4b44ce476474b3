/* SPDX-License-Identifier: MIT */
/*
 * The settings of a whole runtime: eleven allocators and what they share, with the runtime's
 * defaults and the fix-ups it applies when all flags are known.
 * Source: SOURCES.md 7, 11.1.
 */
#ifndef CSC_OPTIONS_H
#define CSC_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "csc.h"

/* In the order of their numbers, which is that of every listing. */
enum csc_allocator {
	CSC_TEMP,
	CSC_SL,
	CSC_STD,
	CSC_LL,
	CSC_EHEAP,
	CSC_ETS,
	CSC_FIX,
	CSC_LITERAL,
	/* Only where native code needs it: 24rc0. */
	CSC_EXEC,
	CSC_BINARY,
	CSC_DRIVER,
	CSC_TEST,
	CSC_ALLOCATORS,
};

struct csc_allocator_info {
	/* "temp_alloc" */
	const char *name;

	/* `+M<letter>...` */
	char letter;

	bool can_be_disabled;
	bool can_have_threads;
	bool can_migrate;

	/* What `acul de` means, in percent. */
	uint32_t acul;
};

extern const struct csc_allocator_info csc_allocator_infos[CSC_ALLOCATORS];

enum csc_threading {
	/* One instance. */
	CSC_GLOBAL,
	/* One for each scheduler; any thread may free any block. */
	CSC_PREFERRED,
	/* One for each scheduler; a thread frees its own blocks. */
	CSC_SPECIFIC,
};

struct csc_allocator_options {
	bool is_enabled;
	enum csc_threading threading;
	struct csc_settings settings;

	/* Given, and therefore not divided among schedulers. */
	bool has_mmbcs;
	bool has_lmbcs;
	bool has_smbcs;

	/* `cp`: the letter of the pool, '@' for the common one. */
	char pool;
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): in the order of the reader. */
struct csc_options {
	/* Static. */
	const struct csc_generation *generation;
	uint32_t word_bytes;
	uint32_t schedulers;

	/* `+Mdai`: instances for dirty schedulers. */
	uint32_t dirty_instances;

	struct csc_allocator_options allocators[CSC_ALLOCATORS];

	/* `+Mea config` */
	bool is_config;

	/* `+Muycs` in bytes, `+Mummc`, `+Musac`, `+Mumadtn` */
	uint64_t ycs;
	uint64_t mmc;
	bool sac;
	bool madtn;

	/* csc_settings.carrier_trim */
	uint64_t carrier_trim;

	/* `+MM...` and `+MIscs`, in bytes, percent and counts. */
	uint64_t amcbf;
	uint64_t rmcbf;
	uint64_t mcs;
	uint64_t scs;
	bool sco;
	bool scrpm;
	uint64_t scrfsd;
	uint64_t literal_scs;
	bool has_large_pages;

	/* `+MYtt`, `+MYtp`, in bytes. */
	uint64_t trim_threshold;
	uint64_t top_pad;

	/* `+Mlpm all` */
	bool is_locked;
};

/*
 * Descriptors for free segments of a super carrier: as many as asked for and as fill its part
 * before the first aligned segment; `+MIscs` has no flag for them.
 * Source: `scrfsd` as OTP 25.2.3 reports it, for 10, 100, 1000, 65535 and 65537: 256, 256, 1024,
 * 65536, 65792.  An estimate where the system does not align the reservation to the carrier
 * unit, as with 3 or 101 MiB: the runtime has then up to 255 more or fewer.
 */
#define CSC_LITERAL_DESCRIPTORS 1024
uint64_t csc_options_descriptors(const struct csc_options *options, uint64_t asked);
uint64_t csc_options_descriptors_bytes(const struct csc_options *options, uint64_t asked);

/* The largest number of a target word: what "unlimited" is. */
uint64_t csc_options_max(const struct csc_options *options);

/* The allocator exists in the generation. */
bool csc_options_has(const struct csc_options *options, enum csc_allocator allocator);

/* What the runtime starts from, before its flags. */
void csc_options_init(struct csc_options *options, const struct csc_generation *generation,
		uint32_t word_bytes, uint32_t schedulers);

/* Sets acul to 0 where the runtime does so when it meets `as` or `t`. */
void csc_options_forbid_migration(struct csc_options *options, enum csc_allocator allocator);

/* What the runtime does when all flags are known. */
void csc_options_settle(struct csc_options *options);

/* Number of instances of a settled allocator; 0: it is disabled. */
uint32_t csc_options_instances(const struct csc_options *options, enum csc_allocator allocator);

/* How instance `index` of a settled allocator is made. */
void csc_options_config(const struct csc_options *options, enum csc_allocator allocator,
		uint32_t index, struct csc_instance_config *ret_config);

/* The number of the allocator in its generation. */
uint32_t csc_options_number(const struct csc_options *options, enum csc_allocator allocator);

#endif
