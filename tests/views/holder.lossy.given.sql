-- as: holder.temporary
-- SPDX-License-Identifier: MIT
-- The same, but events were lost: what is live of blocks by their events is not sure.
UPDATE source SET lost_events = 3;
