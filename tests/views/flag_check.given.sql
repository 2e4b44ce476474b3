-- SPDX-License-Identifier: MIT
-- What OTP 25 takes and refuses, as it was tried; then flags of 23.
INSERT INTO given_source(id, kind) VALUES (1, 'args');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'args'), (2, 1, NULL, NULL, 1, 'args');
INSERT INTO node_fact VALUES (1, 'otp_release', '25'), (2, 'otp_release', '23');
INSERT INTO emulator_flag VALUES
  (1, 1, '+MPas', 'aobf', 1), (1, 2, '+MBlmbcs', 'abc', 1), (1, 3, '+MHas', 'bestfit', 1), (1, 4, '+MZfoo', '3', 1), (1, 5, '+MBacul', '200', 1),
  (1, 6, '+MTacul', '50', 1), (1, 7, '+Mea', 'foo', 1), (1, 8, '+MBt', 'maybe', 1), (1, 9, '+MBrsbcst', '300', 1), (1, 10, '+MXas', 'aobf', 1),
  (1, 11, '+MBmbsd', '3', 1), (1, 12, '+MMmcs', '99', 1), (1, 13, '+Mim', 'true', 1), (1, 14, '+MRas', 'gf', 1), (1, 15, '+MRacul', '60', 7),
  (1, 16, '+MBcp', 'X', 1), (1, 17, '+MYm', 'foo', 1), (1, 18, '+Mlpm', 'maybe', 1), (1, 19, '+MElmbcs', '512kb', 1), (1, 20, '+MBatags', 'code', 1),
  (1, 21, '+Mumadtn', 'true', 1), (1, 22, '+MMlp', 'on', 1), (1, 23, '+MFas', 'aobf', 1), (1, 24, '+MSas', NULL, 1), (1, 25, '+MBsbct', '<%= x %>', 1),
  (2, 1, '+MBacful', '50', 1), (2, 2, '+Mdai', '1', 1), (2, 3, '+MBcp', '@', 1), (2, 4, '+MXas', 'aobf', 1);
