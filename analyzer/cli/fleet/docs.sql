-- SPDX-License-Identifier: MIT
--
-- What the columns of the answers mean.  Rows: view, column ('' for the view), unit, quality, meaning.
CREATE VIEW $db.fleet_doc$on AS
SELECT d.1 AS view, d.2 AS column, d.3 AS unit, d.4 AS quality, d.5 AS meaning
FROM (SELECT arrayJoin([
  ('fleet_coverage', '', 'row', '', 'One row: how many nodes there are, and of how many something is known'),
  ('fleet_coverage', 'nodes_known', 'count', 'exact', 'Nodes that ever pushed'),
  ('fleet_coverage', 'nodes_seen', 'count', 'exact', 'Nodes with a recording of the last 7 days'),
  ('fleet_coverage', 'nodes_with_blocks', 'count', 'exact', 'Nodes of these whose blocks are known at the end of one'),
  ('fleet_coverage', 'recordings', 'count', 'exact', 'Recordings, the last push of each'),
  ('fleet_coverage', 'nodes_with_hours', 'count', 'exact', 'Nodes seen in the last 7 days through 30 hours of one life or more: a shorter one shows a leak only with others of its release'),
  ('fleet_fragmenting', '', 'row', '', 'Fragmenting: allocators of nodes that keep at least 40 % of their carriers, and 32 MiB, empty for sure in a quarter of the minutes of the last 7 days'),
  ('fleet_fragmenting', 'app', 'text', 'label', 'Label app of its pushes; empty where there is none'),
  ('fleet_fragmenting', 'release', 'text', 'label', 'Label release of its pushes'),
  ('fleet_fragmenting', 'node', 'text', 'label', 'Name of the node'),
  ('fleet_fragmenting', 'allocator', 'text', 'label', 'Allocator'),
  ('fleet_fragmenting', 'minutes', 'count', 'exact', 'Minutes of the last 7 days with a figure'),
  ('fleet_fragmenting', 'minutes_known', 'count', 'exact', 'Minutes in which carriers and blocks are bounded; the others decide nothing'),
  ('fleet_fragmenting', 'minutes_empty', 'count', 'bound', 'Minutes of these in which so much is empty for sure: a lower bound'),
  ('fleet_fragmenting', 'share_empty', 'ratio', 'bound', 'minutes_empty / minutes_known'),
  ('fleet_fragmenting', 'carriers_bytes', 'bytes', 'estimate', 'Carriers in the last minute'),
  ('fleet_fragmenting', 'unused_low_bytes', 'bytes', 'bound', 'Least of the last such minute that is not in blocks'),
  ('fleet_fragmenting', 'unused_high_bytes', 'bytes', 'bound', 'Most of it; NULL: nothing bounds it'),
  ('fleet_leak', '', 'row', '', 'Leaks: releases whose nodes gain memory day by day, by the same hours of the day. A load that rises for as long, or a cache that fills for as long, looks the same'),
  ('fleet_leak', 'app', 'text', 'label', 'Label app of its pushes; empty where there is none'),
  ('fleet_leak', 'release', 'text', 'label', 'Label release of its pushes'),
  ('fleet_leak', 'allocator', 'text', 'label', 'Allocator'),
  ('fleet_leak', 'lives', 'count', 'exact', 'Lives of nodes that grow, of the last 14 days: a restart begins another. Those shorter than 5 days are judged as one'),
  ('fleet_leak', 'lives_judged', 'count', 'exact', 'Lives that were long enough, or as many, to be judged'),
  ('fleet_leak', 'bytes_per_day_low', 'bytes', 'estimate', 'What nine of ten of these lives gain a day at least; of those that are judged as one, their mean'),
  ('fleet_leak', 'bytes_per_day', 'bytes', 'estimate', 'The median of these lives'),
  ('fleet_leak', 'bytes_per_day_high', 'bytes', 'estimate', 'What nine of ten gain a day at most; of those that are judged as one, their mean'),
  ('fleet_leak', 'last_bytes', 'bytes', 'estimate', 'Carriers of such a node in its last hour, the median'),
  ('fleet_leak', 'worst', 'text', 'label', 'The three nodes that gain most, the first most'),
  ('fleet_leak', 'sentence', 'text', 'label', 'All of it as a sentence'),
  ('fleet_use', '', 'row', '', 'Use by app, release and flags: percentiles of days of nodes, not of samples'),
  ('fleet_use', 'app', 'text', 'label', 'Label app of its pushes; empty where there is none'),
  ('fleet_use', 'release', 'text', 'label', 'Label release of its pushes'),
  ('fleet_use', 'flags', 'text', 'label', 'Flags of the node, or label flags'),
  ('fleet_use', 'nodes', 'count', 'exact', 'Nodes'),
  ('fleet_use', 'node_days', 'count', 'exact', 'Days of nodes with a figure'),
  ('fleet_use', 'carriers_p50_bytes', 'bytes', 'estimate', 'Median of the mean of carriers of a day'),
  ('fleet_use', 'carriers_p90_bytes', 'bytes', 'estimate', 'The same, 90 %'),
  ('fleet_use', 'carriers_p99_bytes', 'bytes', 'estimate', 'The same, 99 %'),
  ('fleet_use', 'most_bytes', 'bytes', 'estimate', 'Most carriers of a minute'),
  ('fleet_use', 'utilisation_p50', 'ratio', 'estimate', 'Median of blocks by carriers of a day; NULL: blocks are not known'),
  ('fleet_use', 'utilisation_p10', 'ratio', 'estimate', 'The same, 10 %'),
  ('fleet_release', '', 'row', '', 'Release against the release before it, by app: means of days of nodes'),
  ('fleet_release', 'app', 'text', 'label', 'Label app of its pushes; empty where there is none'),
  ('fleet_release', 'old_release', 'text', 'label', 'The release that was seen first'),
  ('fleet_release', 'new_release', 'text', 'label', 'The next'),
  ('fleet_release', 'old_nodes', 'count', 'exact', 'Nodes with the old one'),
  ('fleet_release', 'new_nodes', 'count', 'exact', 'Nodes with the new one'),
  ('fleet_release', 'old_bytes', 'bytes', 'estimate', 'Median of carriers of days with the old one'),
  ('fleet_release', 'new_bytes', 'bytes', 'estimate', 'Median of carriers of days with the new one'),
  ('fleet_release', 'change', 'ratio', 'estimate', 'new_bytes / old_bytes - 1; NULL: the old one had none'),
  ('fleet_release', 'old_p10_bytes', 'bytes', 'estimate', '10 % of the days are below'),
  ('fleet_release', 'old_p90_bytes', 'bytes', 'estimate', '90 % of the days are below'),
  ('fleet_release', 'new_p10_bytes', 'bytes', 'estimate', '10 % of the days are below'),
  ('fleet_release', 'new_p90_bytes', 'bytes', 'estimate', '90 % of the days are below'),
  ('fleet_saving', '', 'row', '', 'What flags would save at the end, the 20 best of each app, by replays of recordings of an app, scaled to the carriers of its nodes with the flags of these recordings. Replays of one recording differ less than nodes do'),
  ('fleet_saving', 'app', 'text', 'label', 'Label app of its pushes; empty where there is none'),
  ('fleet_saving', 'tried', 'text', 'label', 'The flags'),
  ('fleet_saving', 'recordings', 'count', 'exact', 'Recordings that were replayed'),
  ('fleet_saving', 'nodes', 'count', 'exact', 'Nodes of the app that run with the flags of these recordings, seen in the last 7 days'),
  ('fleet_saving', 'carriers_bytes', 'bytes', 'estimate', 'Their carriers, of the last recording of each'),
  ('fleet_saving', 'saving_low_bytes', 'bytes', 'estimate', 'By the replay that saved least; below 0: it costs'),
  ('fleet_saving', 'saving_bytes', 'bytes', 'estimate', 'By the median of the replays'),
  ('fleet_saving', 'saving_high_bytes', 'bytes', 'estimate', 'By the replay that saved most'),
  ('fleet_saving', 'flags', 'text', 'label', 'Flags of these recordings and nodes; empty: the default, or not known'),
  ('fleet_saving', 'nodes_other', 'count', 'exact', 'Nodes of the app with other flags, which are left out'),
  ('fleet_holder', '', 'row', '', 'Who holds memory, by app: the first 20, at the last reading of each node that has holders; processes of one name add up'),
  ('fleet_holder', 'app', 'text', 'label', 'Label app of its pushes; empty where there is none'),
  ('fleet_holder', 'allocator', 'text', 'label', 'Allocator of what is held'),
  ('fleet_holder', 'type', 'text', 'label', 'Type of what is held'),
  ('fleet_holder', 'kind', 'text', 'label', 'What it is, as column kind of view holder has it'),
  ('fleet_holder', 'quality', 'text', 'label', 'exact, bound or estimate, as the recording had it'),
  ('fleet_holder', 'holder', 'text', 'label', 'Process, table or port; without its pid'),
  ('fleet_holder', 'nodes', 'count', 'exact', 'Nodes where it is among the first 20'),
  ('fleet_holder', 'sum_bytes', 'bytes', 'bound', 'What it holds on these nodes'),
  ('fleet_holder', 'most_bytes', 'bytes', 'bound', 'The most on one node'),
  ('fleet_holder', 'p50_bytes', 'bytes', 'bound', 'The median of these nodes'),
  ('fleet_silent', '', 'row', '', 'Nodes that stopped reporting: no push for 24 hours, by the clock of the server, and no other node of their app took their place since'),
  ('fleet_silent', 'app', 'text', 'label', 'Label app of its last push'),
  ('fleet_silent', 'release', 'text', 'label', 'Label release of its last push'),
  ('fleet_silent', 'node', 'text', 'label', 'Name of the node'),
  ('fleet_silent', 'last_push', 'text', 'exact', 'When the last push came, UTC'),
  ('fleet_silent', 'hours_ago', 'hours', 'exact', 'Hours since then'),
  ('fleet_silent', 'last_verdict', 'text', 'label', 'Its verdict')
]) AS d);

-- Made when all that answers read is there: what a server has is complete.
CREATE VIEW $db.fleet_version$on AS SELECT toUInt32($version) AS version;

-- Minutes as rows.  Up to version 2 they were a table of this name; what those versions had is in alloc_minutes now.
CREATE VIEW $db.alloc_point$on AS
SELECT push, recording, node, app, release, flags, run, allocator, toDateTime(toUInt32(hour) + 60 * m) AS ts,
  if(c < 0, NULL, toUInt64(c)) AS carriers, if(cl < 0, NULL, toUInt64(cl)) AS carriers_low, if(ch < 0, NULL, toUInt64(ch)) AS carriers_high,
  if(b < 0, NULL, toUInt64(b)) AS blocks, if(bl < 0, NULL, toUInt64(bl)) AS blocks_low, if(bh < 0, NULL, toUInt64(bh)) AS blocks_high,
  if(p < 0, NULL, toUInt64(p)) AS pool, if(pl < 0, NULL, toUInt64(pl)) AS pool_low, if(ph < 0, NULL, toUInt64(ph)) AS pool_high
FROM (
  SELECT push, recording, node, app, release, flags, run, allocator, hour, m, c, cl, ch, b, bl, bh, p, pl, ph
  FROM $db.alloc_minutes
  ARRAY JOIN minute AS m,
    $likely(carriers) AS c, $low(carriers) AS cl, $high(carriers) AS ch,
    $likely(blocks) AS b, $low(blocks) AS bl, $high(blocks) AS bh,
    $likely(pool) AS p, $low(pool) AS pl, $high(pool) AS ph
);
DROP TABLE IF EXISTS $db.alloc_hour_feed$on;
DROP TABLE IF EXISTS $db.alloc_hour$on;
DROP TABLE IF EXISTS $db.alloc_hour_local$on;
DROP TABLE IF EXISTS $db.alloc_point_local$on;
