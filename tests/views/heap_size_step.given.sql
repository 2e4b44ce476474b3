-- SPDX-License-Identifier: MIT
-- The sizes that every target has.
INSERT INTO given_source(id) VALUES (1);
