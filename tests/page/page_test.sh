#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# page_test.sh NODE BROWSER CARRIERSCOPE DATA ARCHIVE: HTML reports of recorded traces (folder DATA,
# and one in ARCHIVE) in a browser, and of a database with hostile names.
. "$(dirname "$0")/../harness/main.sh"
node=$1 browser=$2 data=$4 archive=$5
tests_program "$3"

"$program" report --format html "$work/none.db" 2>&1 | grep -q 'no HTML reports' && skip "the program was built without the page"
"$browser" --version >/dev/null 2>&1 || skip "$browser does not run here"

look() {
  "$node" "$here/page_test.mjs" "$browser" "$program" "$1" || failures=$((failures + 1))
}

mkdir "$work/pool" && tar xzf "$archive" -C "$work/pool"
"$program" load -q -o "$work/pool.db" "$work/pool" || exit 1
look "$work/pool.db"
"$program" load -q --salvage -o "$work/damaged.db" "$data/damaged-truncated/trace" || exit 1
look "$work/damaged.db"
mkdir "$work/all" && tar xzf "$here/../data/hook/all.tar.gz" -C "$work/all" || exit 1
"$program" load -q -o "$work/all.db" "$work/all" || exit 1
ONE_WIDTH=1 look "$work/all.db" >"$work/ranges"
cat "$work/ranges"
grep -q ' [1-9] ranges' "$work/ranges" || { echo 'FAILED: no range of time was looked at'; failures=$((failures + 1)); }

# Samples with stacks.
mkdir "$work/sampled" && tar xzf "$here/../data/hook/sampled.tar.gz" -C "$work/sampled" || exit 1
"$program" load -q -o "$work/sampled.db" "$work/sampled" || exit 1
sqlite3 "$work/sampled.db" <<'END' || exit 1
INSERT INTO sample_alloc_by_process (ts_ns, runtime_id, thread_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, process, stack)
SELECT ts_ns, runtime_id, thread_id, address, size_bytes, type_id, allocator_id, instance, weight_micro, 78, 5 + id % 3 FROM sample_alloc;
DELETE FROM sample_alloc;
INSERT INTO stack_frame (ts_ns, runtime_id, stack, place, frames, address, module, function, arity, application)
SELECT s.first_ts_ns, r.id, f.column1, f.column2, 2, 65536 + f.column2, f.column3, f.column4, 2, f.column5
FROM runtime AS r JOIN source AS s ON s.id = r.source_id, (VALUES
  (5, 0, 'lists', 'map', 'stdlib'), (5, 1, 'shop', '-cart/2-fun-0-', 'shop'),
  (6, 0, 'shop', 'put', 'shop'), (6, 1, 'gen_server', 'loop', 'stdlib'),
  (7, 0, 'erlang', 'apply', ''), (7, 1, 'gen_server', 'loop', 'stdlib')) AS f;
END
"$(dirname "$program")/../tests/harness/judge_file" "$work/sampled.db" || exit 1
ONE_WIDTH=1 look "$work/sampled.db" >"$work/code"
cat "$work/code"
grep -q ' [1-9] graphs by code' "$work/code" || { echo 'FAILED: no graph by code was looked at'; failures=$((failures + 1)); }

# By code beside an older one, where one of the functions had made less.
cp "$work/sampled.db" "$work/less.db"
sqlite3 "$work/less.db" 'DELETE FROM sample_alloc_by_process WHERE stack = 6 AND id % 2' || exit 1
"$(dirname "$program")/../tests/harness/judge_file" "$work/less.db" || exit 1
"$program" diff --format html -f -o "$work/code.html" "$work/less.db" "$work/sampled.db" || [[ $? -eq 1 ]] || exit 1
"$node" "$here/code_difference_test.mjs" "$browser" "$work/code.html" "$work/less.db" "$work/sampled.db" || failures=$((failures + 1))

# What grew, as an answer has it.
cp "$work/all.db" "$work/grew.db"
sqlite3 "$work/grew.db" <<'END' || exit 1
-- Who changes a result has the database judged anew.
CREATE TEMP TABLE kept AS SELECT * FROM judgement;
UPDATE answer SET json = json_set(json, '$.growth', json('[
  {"who":"<0.9.0> </dd><img src=x> keeper","kind":"process","grown_bytes":{"low":9000000,"likely":9700000,"high":10500000},"bytes_per_s":{"low":1,"likely":2,"high":3},"to_the_end":true},
  {"who":"table t","kind":"table","grown_bytes":{"low":null,"likely":4000000,"high":null},"bytes_per_s":{"low":null,"likely":null,"high":null},"to_the_end":false}]')) WHERE rank = 1;
INSERT INTO judgement SELECT * FROM kept;
END
ONE_WIDTH=1 look "$work/grew.db"

# Flags that were tried: the curve without them and with them.
cp "$work/pool.db" "$work/tried.db"
sqlite3 "$work/tried.db" <<'END' || exit 1
INSERT INTO sweep_result (runtime_id, flags, is_part, is_advised, allocator, peak_bytes, end_bytes, average_bytes, calls, copied_bytes, mappings)
SELECT id, column1, 0, column2, 'all', column3, column3, column3, 20, 0, 9 FROM runtime, (VALUES ('', 0, 9000000), ('+MBas aobf', 1, 7000000));
INSERT INTO sweep_advice SELECT id, 'peak', '+MBas aobf', NULL, 'B', NULL, 5000000, 0.9, 0.9, 7000000, 7000000, 2, 0 FROM runtime;
INSERT INTO sweep_curve
SELECT r.id, column1, s.first_ts_ns + column2 * (s.last_ts_ns - s.first_ts_ns) / 4, column3
FROM runtime AS r JOIN source AS s ON s.id = r.source_id, (VALUES (0, 0, 4000000), (0, 1, 9000000), (0, 2, 6000000), (1, 0, 3000000), (1, 1, 7000000), (1, 2, 5000000));
END
"$(dirname "$program")/../tests/harness/judge_file" "$work/tried.db" || exit 1
ONE_WIDTH=1 look "$work/tried.db"

# A board whose largest piece falls, and then a request is refused.
awk 'function figure(name, value) { printf "%s:%*d\n", name, 53 - length(name), value }
  BEGIN {
    for (i = 0; i < 24; i++) {
      n = i % 12
      used = 40000000 + n * 40000
      print "SHLL [/] # malloc\nC Program Heap and RTEMS Workspace are the same."
      figure("Number of free blocks", 150 + n)
      figure("Largest free block", 9000000 - (i < 12 ? 650000 : 400000) * n)
      figure("Total bytes free", 60530680 - used)
      figure("Number of used blocks", 2000 + n)
      figure("Largest used block", 8388616)
      figure("Total bytes used", used)
      figure("Size of the allocatable area in bytes", 60530680)
      figure("Minimum free size ever in bytes", 60530680 - used - 1000)
      figure("Maximum number of free blocks ever", 200 + n)
      figure("Maximum number of blocks searched ever", 125 + n)
      figure("Lifetime number of bytes allocated", 172748904 + n * 50000)
      figure("Lifetime number of bytes freed", 132748904 + n * 10000)
      figure("Total number of searches", 45213 + n)
      figure("Total number of successful allocations", 3000 + n * 11)
      figure("Total number of failed allocations", 1)
      figure("Total number of successful frees", 1000 + n * 10)
      figure("Total number of successful resizes", 73 + n)
      if (n == 11)
        printf "eheap_alloc: Cannot allocate %d bytes of memory (of type \"heap\").\n", i < 12 ? 2059352 : 9000000
    }
  }' >"$work/board.log"
"$program" load -q -o "$work/board.db" "$work/board.log" || exit 1
look "$work/board.db"

# The map as a picture: XML, a cell for each carrier, and names are no markup.
cells=$(sqlite3 -readonly "$work/all.db" 'SELECT count(*) FROM report_map')
sqlite3 "$work/all.db" "UPDATE name_allocator SET name = '<script>&\"' WHERE name = 'ets_alloc'; UPDATE runtime SET procname = '</title><x>'; DELETE FROM judgement"
"$program" report --format svg map "$work/all.db" >"$work/map.svg" 2>"$work/err" || fail "the map: $(cat "$work/err")"
python3 - "$work/map.svg" "$cells" <<'END' || fail 'the map'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
drawn = sum(path.get("d").count("M") for path in root.iter(space + "path") if path.get("opacity"))
assert int(sys.argv[2]) > 5 and drawn == int(sys.argv[2]), (drawn, sys.argv[2])
assert {element.tag for element in root.iter()} <= {space + name for name in ("svg", "style", "title", "text", "rect", "path")}
assert "in the events recorded, which are not all" in root.find(space + "title").text
assert any("script" in (text.text or "") for text in root.iter(space + "text"))
END
# With 100,000 cells the page keeps its bound of 2 MB.
cp "$work/all.db" "$work/many.db"
sqlite3 "$work/many.db" "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 100000)
  INSERT INTO carrier_alloc (id, ts_ns, runtime_id, address, size_bytes, allocator_id, kind, instance)
  SELECT 1000000 + x, first_ts_ns, 1, 1000000000000 + x * 262144, 262144 - x % 7 * 4096, 1 + x % 9, 1, x % 17 FROM n, source"
"$program" report --format html -o "$work/many.html" "$work/many.db" || fail 'a page of many cells'
bytes=$(stat -c %s "$work/many.html")
((bytes < 2000000)) || fail "a page of many cells has $bytes bytes"
grep -q '"map_cells":{.*"rows":\[' "$work/many.html" && grep -q '\[1,1000[0-9][0-9]\]' "$work/many.html" || fail 'the page does not say how many cells there are'
# Of two nodes the picture is not the one's.
cp "$work/all.db" "$work/both.db"
sqlite3 "$work/both.db" "INSERT INTO runtime (id, source_id, vpid, procname) VALUES (99, 1, 99, 'other');
  INSERT INTO carrier_alloc (id, ts_ns, runtime_id, address, size_bytes, allocator_id, kind) SELECT 99, first_ts_ns, 99, 4096, 4096, 1, 1 FROM source"
"$program" report --format svg map "$work/both.db" | grep -q '<title>2 nodes: ' || fail 'a map of two nodes'
"$program" report --format svg map "$work/damaged.db" >"$work/map.svg" 2>"$work/err" && fail 'a map of nothing'
grep -q 'has neither carriers nor blocks with their addresses: record every block' "$work/err" && [[ ! -s $work/map.svg ]] || fail "a map of nothing: $(cat "$work/err")"
"$program" report --format svg holders "$work/all.db" >"$work/map.svg" 2>"$work/err"
[[ $? -eq 2 ]] || fail 'a map of holders'

# The author of the database chooses names: a process, an allocator, a setting, a sentence.  It is judged with them.
cp "$work/pool.db" "$work/hostile.db"
sqlite3 "$work/hostile.db" <<'END'
UPDATE runtime SET procname = '</script><script>document.title = "broken"</script>';
UPDATE allocator SET name = '<img src=x onerror="document.title = ''broken''">' WHERE name = 'binary_alloc';
UPDATE source SET path = '--></script><svg onload=alert(1)>' || char(8232) || '&amp;"''';
UPDATE glossary SET meaning = '<b onmouseover="alert(1)">bold</b>' WHERE term = 'block';
UPDATE finding_rule SET title = '</h3><script>document.title = "broken"</script>', severity = 'info';
-- Names of columns, too.
DROP VIEW report_summary;
CREATE VIEW report_summary AS SELECT 1 AS "<script>document.title='broken'</script>",
	2 AS "<img src=x onerror=document.title='broken'>", 3 AS "&lt;_<b>";
INSERT INTO load_problem (source_id, name, severity, count, sentence)
VALUES (1, '<script>document.title = "broken"</script>', 'info', 1, '<!--@data--> <!-- ]]>');
END
"$(dirname "$program")/../tests/harness/judge_file" "$work/hostile.db" || exit 1
look "$work/hostile.db"
name='<img src=x onerror="document.title=1"><script>document.title=2<!--@data-->.db'
mv "$work/hostile.db" "$work/$name"
"$program" report --format html -o "$work/hostile.html" "$work/$name"
"$node" "$here/hostile_test.mjs" "$browser" "$work/hostile.html" "$name" || failures=$((failures + 1))

# What cannot be: a page of one report, a file that exists, a database that is none.
"$program" report --format html verdict "$work/pool.db" >/dev/null 2>&1
[[ $? -eq 2 ]] || fail "a page of one report"
"$program" report --format html -o "$work/hostile.html" "$work/pool.db" 2>/dev/null
[[ $? -eq 1 ]] || fail "an existing file is replaced"
echo text >"$work/text.db"
"$program" report --format html "$work/text.db" >"$work/out" 2>/dev/null
[[ $? -eq 1 && ! -s $work/out ]] || fail "a file that is no database"
ends
