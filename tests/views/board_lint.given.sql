-- SPDX-License-Identifier: MIT
-- "erl.rtems +MHas aobf -- +MMmcs 10", then "erl.rtems -Mea min -- -mode embedded".
INSERT INTO given_source(id, kind) VALUES (1, 'board_log');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 7, 'boot'), (2, 1, NULL, NULL, 90, 'boot');
INSERT INTO boot_flag VALUES
  (1, '+MHas', 'aobf', 0), (1, '+MMmcs', '10', 1), (2, '-Mea', 'min', 0);
