-- as: report_flags
INSERT INTO snapshot VALUES (2, 1, NULL, NULL, 1, 'args');
INSERT INTO emulator_flag VALUES (2, 1, '+K', 'true', 1), (2, 2, '+MBas', 'bf', 1), (2, 3, '+Mlpm', NULL, NULL);
