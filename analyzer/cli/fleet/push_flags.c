/*
 * SPDX-License-Identifier: MIT
 *
 * View option_in_force reads dumps and terms, which have all instances; a hook announces the
 * settings of one.  What follows from others is no flag, by the same rules.
 */
#include "push_flags.h"

const char *const push_flag_stages[PUSH_FLAG_STAGES] = {
	/* The last announcement counts.  Number 0 is what no allocator of blocks has. */
	"CREATE TEMP TABLE push_setting AS SELECT o.runtime_id, iif(o.allocator_id = 0,"
	"  (SELECT min(d.allocator) FROM option_default AS d WHERE d.name = o.name AND d.allocator IN ('alloc_util', 'mseg_alloc', 'default_mmap')),"
	"  n.name) AS allocator, o.name, o.value "
	"FROM (SELECT runtime_id, allocator_id, name, value,"
	"    row_number() OVER (PARTITION BY runtime_id, allocator_id, name ORDER BY id DESC) AS place FROM \"option\") AS o "
	"LEFT JOIN allocator_name AS n ON n.runtime_id = o.runtime_id AND n.allocator_id = o.allocator_id WHERE o.place = 1",

	"CREATE TEMP TABLE push_flags AS WITH node AS ("
	"  SELECT runtime_id, CAST(max(value) FILTER (WHERE key = 'otp_release') AS INTEGER) AS release,"
	"    CAST(max(value) FILTER (WHERE key = 'word_bits') AS INTEGER) AS word_bits,"
	"    CAST(max(substr(value, instr(value, '[smp:') + 5)) FILTER (WHERE key = 'system_version' AND value LIKE '%[smp:%') AS INTEGER) AS schedulers"
	"  FROM runtime_fact GROUP BY runtime_id),"
	"mode AS ("
	"  SELECT o.runtime_id, o.allocator, max(o.value) FILTER (WHERE o.name = 't') AS t, max(o.value) FILTER (WHERE o.name = 'acul') AS acul,"
	"    max(o.value) FILTER (WHERE o.name = 'as') AS strategy,"
	"    (SELECT b.strategy FROM strategy_before_pools AS b WHERE b.allocator = o.allocator) AS before"
	"  FROM push_setting AS o GROUP BY o.runtime_id, o.allocator),"
	"known AS ("
	"  SELECT o.runtime_id, o.name, o.value, l.letter, l.place, u.unit,"
	"    CASE WHEN o.name = 'as' AND (m.acul = '0' OR m.t = 'false') AND m.strategy = m.before THEN m.before"
	"      WHEN o.name = 't' AND o.allocator = 'll_alloc' AND m.acul = '0' THEN 'false'"
	"      WHEN d.value = 'max' THEN iif(n.word_bits = 32, '4294967295', '18446744073709551615')"
	"      WHEN d.scaled_by = 1 OR m.t = 'false' THEN d.value"
	"      ELSE CAST(CAST(d.value AS INTEGER) / min(d.scaled_by, n.schedulers) AS TEXT) END AS default_value,"
	"    o.name IN ('acul', 'acful', 'acnl', 'acfml', 'cp') AND ("
	"      (m.strategy NOT LIKE 'aoff%' AND m.strategy NOT LIKE 'age%' AND m.strategy IS NOT m.before)"
	"      OR (m.t = 'false' AND o.allocator <> 'll_alloc') OR (m.acul = '0' AND o.name <> 'acul')) AS is_implied"
	"  FROM push_setting AS o JOIN node AS n ON n.runtime_id = o.runtime_id AND n.release >= 17"
	"  JOIN mode AS m ON m.runtime_id = o.runtime_id AND m.allocator = o.allocator"
	"  LEFT JOIN allocator_letter AS l ON l.allocator = o.allocator LEFT JOIN option_unit AS u ON u.name = o.name"
	"  LEFT JOIN option_default AS d ON d.allocator = o.allocator AND d.name = o.name"
	"    AND n.release BETWEEN d.first_release AND d.last_release"
	"    AND NOT (d.value = 'max' AND o.name = 'sbct' AND ifnull(n.word_bits, 64) = 32)),"
	"said AS ("
	"  SELECT runtime_id, NOT is_implied AND value <> default_value AS differs, '+M' || letter || name || ' ' || CASE unit"
	"      WHEN 'KiB' THEN iif(length(value) > 18, NULL, CAST((CAST(value AS INTEGER) + 1023) / 1024 AS TEXT))"
	"      WHEN 'MiB' THEN CAST((CAST(value AS INTEGER) + 1048575) / 1048576 AS TEXT) ELSE value END AS flag"
	"  FROM known ORDER BY runtime_id, place, name) "
	"SELECT runtime_id, ifnull(group_concat(flag, ' ') FILTER (WHERE differs), '') AS flags FROM said GROUP BY runtime_id",
};
