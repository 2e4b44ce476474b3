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
