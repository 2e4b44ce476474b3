-- as: verdict.plateau
-- SPDX-License-Identifier: MIT
-- What is not known is said with figures: a pause, too short a plateau, growth to the end.
DELETE FROM figure WHERE subject_id NOT IN (1, 5, 9);
