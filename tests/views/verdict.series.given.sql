-- as: reading_series
-- SPDX-License-Identifier: MIT
-- Five readings of a node: ets_alloc has 10, 20, 30, 40 and 50 MiB in blocks, seven others 1 MiB each:
-- the last reading has 30 MiB of growth, the first does not count.
INSERT INTO figure SELECT * FROM _read_figure;
