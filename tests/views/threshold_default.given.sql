-- SPDX-License-Identifier: MIT
-- A number that a user changed: what the program sets stays as it was.
UPDATE finding_threshold SET value = 0.4 WHERE name = 'low_utilisation_ratio';
