-- SPDX-License-Identifier: MIT
--
-- The figures of the views recon_* as rows that recon.erl reads.
SELECT format('[memory,%s,used,%d].', keyword, used) FROM recon_memory;
SELECT format('[memory,%s,allocated,%d].', keyword, allocated) FROM recon_memory;
SELECT format('[memory,%s,unused,%d].', keyword, unused) FROM recon_memory;
SELECT format('[memory,%s,usage,%!.17f].', keyword, usage) FROM recon_memory;
SELECT format('[allocated_types,%s,%s,%d].', keyword, allocator, allocated) FROM recon_allocated_types;
SELECT format('[allocated_instances,%s,%d,%d].', keyword, instance, allocated) FROM recon_allocated_instances;
SELECT format('[fragmentation,%s,%s,%d,%s].', keyword, allocator, instance,
  CASE n WHEN 1 THEN format('sbcs_usage,%!.17f', sbcs_usage)
    WHEN 2 THEN format('mbcs_usage,%!.17f', mbcs_usage)
    WHEN 3 THEN format('sbcs_block_size,%d', sbcs_block_size)
    WHEN 4 THEN format('sbcs_carriers_size,%d', sbcs_carriers_size)
    WHEN 5 THEN format('mbcs_block_size,%d', mbcs_block_size)
    ELSE format('mbcs_carriers_size,%d', mbcs_carriers_size) END)
FROM recon_fragmentation JOIN (SELECT value AS n FROM json_each('[1,2,3,4,5,6]'));
SELECT format('[average_block_sizes,%s,%s,mbcs,%!.17f].', keyword, allocator, mbcs) FROM recon_average_block_sizes;
SELECT format('[average_block_sizes,%s,%s,sbcs,%!.17f].', keyword, allocator, sbcs) FROM recon_average_block_sizes;
SELECT format('[sbcs_to_mbcs,%s,%s,%d,%s].', keyword, allocator, instance,
  iif(ratio > 1e300, 'infinity', format('%!.17f', ratio))) FROM recon_sbcs_to_mbcs;
SELECT format('[cache_hit_rates,current,%d,hit_rate,%!.17f].', instance, hit_rate) FROM recon_cache_hit_rates;
SELECT format('[cache_hit_rates,current,%d,hits,%d].', instance, hits) FROM recon_cache_hit_rates;
SELECT format('[cache_hit_rates,current,%d,calls,%d].', instance, calls) FROM recon_cache_hit_rates;
