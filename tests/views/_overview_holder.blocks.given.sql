-- as: _overview_holder
-- SPDX-License-Identifier: MIT
--
-- Another allocator has a block that is larger than the last of the rows: it may be among them.
UPDATE block_account SET live_bytes = 9000 WHERE id = 2;
