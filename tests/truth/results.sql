-- SPDX-License-Identifier: MIT
-- What a run of the matrix collects: one row for each figure that was compared.
CREATE TABLE checked (
  way        TEXT NOT NULL,   -- how it was recorded
  workload   TEXT NOT NULL,
  pid        INTEGER,
  allocator  TEXT NOT NULL,
  moment     TEXT NOT NULL,
  quantity   TEXT NOT NULL,
  low        INTEGER,         -- as printed; NULL: no bound on that side
  likely     INTEGER,
  high       INTEGER,
  quality    TEXT NOT NULL,
  time_ns    INTEGER,
  truth_low  INTEGER NOT NULL, -- the truth; from .. to where readings before and after differ
  truth_high INTEGER NOT NULL,
  wrong      TEXT             -- what is wrong with it; NULL: nothing
);
-- One row for each runtime whose verdict was compared.
CREATE TABLE judged (
  way      TEXT NOT NULL,
  workload TEXT NOT NULL,
  verdict  TEXT NOT NULL,     -- as printed
  truth    TEXT NOT NULL
);
-- One row for each recording, and what kept it from being compared, if anything did.
CREATE TABLE recorded (
  way      TEXT NOT NULL,
  workload TEXT NOT NULL,
  failure  TEXT
);
