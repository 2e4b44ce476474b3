-- as: verdict.glance_fragmented_less
-- SPDX-License-Identifier: MIT
-- stage: figure
--
-- The same with another name of the allocator that grew.
UPDATE name_allocator SET name = 'eheap_alloc' WHERE allocator_id = 4;
UPDATE name_allocator SET name = 'binary_alloc' WHERE allocator_id = 5;
