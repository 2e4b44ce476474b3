-- SPDX-License-Identifier: MIT
-- RabbitMQ's flags, and four of them.
INSERT INTO given_source(id, kind) VALUES (1, 'args');
INSERT INTO snapshot VALUES (1, 1, NULL, NULL, 1, 'args'), (2, 1, NULL, NULL, 1, 'args');
INSERT INTO emulator_flag VALUES (1, 1, '+MBas', 'ageffcbf', 1), (1, 1, '+MHas', 'ageffcbf', 1), (1, 1, '+MBlmbcs', '512', 1),
  (1, 1, '+MHlmbcs', '512', 1), (1, 1, '+MMmcs', '30', 1), (2, 1, '+MBas', 'ageffcbf', 1), (2, 1, '+MHas', 'ageffcbf', 1),
  (2, 1, '+MBlmbcs', '512', 1), (2, 1, '+MMmcs', '30', 1);
