-- SPDX-License-Identifier: MIT
-- OTP 25 with 4 schedulers.  The carriers' sizes are scaled; a strategy that cannot move
-- carriers implies that the pool is off; 1000 bytes are no whole KiB; instance 0 of
-- ets_alloc is not asked, since there is instance 1.
INSERT INTO given_source(id) VALUES (1);
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'recon');
INSERT INTO node_fact VALUES (1, 'otp_release', '25'), (1, 'word_bits', '64'), (1, 'schedulers', '4');
INSERT INTO allocator_option VALUES
  (1, 'binary_alloc', 1, 'as', 'aobf'), (1, 'binary_alloc', 1, 'acul', '0'),
  (1, 'binary_alloc', 1, 't', '5'), (1, 'binary_alloc', 1, 'smbcs', '262144'),
  (1, 'binary_alloc', 1, 'mmbcs', '1000'),
  (1, 'ets_alloc', 0, 'acul', '0'), (1, 'ets_alloc', 1, 'acul', '60'),
  (1, 'ets_alloc', 1, 'lmbcs', '10485760'),
  (1, 'sl_alloc', 0, 'acul', '0'),
  (1, 'mseg_alloc', 0, 'mcs', '30'),
  (1, 'll_alloc', 1, 'sbct', '18446744073709551615'), (1, 'll_alloc', 1, 'never', '1');
