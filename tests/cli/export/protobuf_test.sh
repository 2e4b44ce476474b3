#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
#
# protobuf_test.sh CARRIERSCOPE DATA TRACE DUMP: exports to pprof and Perfetto, decoded by protoc.
. "$(dirname "$0")/../../harness/main.sh"
. "$here/databases.sh"
needs protoc

# decode MESSAGE PROTO FILE: as text; a field that the .proto lacks would be a number.
decode() {
  protoc --proto_path="$here" --decode="test.$1" "$here/$2" <"$3" >"$work/text" 2>"$work/err" || fail "$3 cannot be decoded"
  ! grep -E '^ *[0-9]+( [{]|:)' "$work/text" || fail "$3 has fields that nobody knows"
}

# profile NAME [OPTION...]: $work/text
profile() {
  export_to pprof "$@"
  gzip -dc "$work/$1.pprof" >"$work/profile" || fail "$1 is not compressed by gzip"
  decode Profile profile.proto "$work/profile"
}

# The sum of each value over all samples, and a check that locations are there.
profile_sums() {
  awk '
  /^sample [{]/ { n = 0; in_sample = 1 }
  /^}/ { in_sample = 0 }
  in_sample && $1 == "value:" { sum[n++] += $2 }
  in_sample && $1 == "location:" && $2 + 0 == 0 { print "a location is missing" }
  END { for (i = 0; i in sum; i++) { printf "%s%d", (i ? " " : ""), sum[i] }; print "" }' "$work/text"
}

# The text of each name of a sample type.
types() {
  awk '/^sample_type [{]/ { getline; type[++n] = $2 } /^text:/ { text[m++] = $2 }
    END { for (i = 1; i <= n; i++) { printf "%s%s", (i > 1 ? " " : ""), text[type[i]] }; print "" }' "$work/text" | tr -d '"'
}

profile exact
same "a profile of all blocks" "$(sums exact)" "$(profile_sums)"
same "its values" "alloc_objects alloc_space inuse_objects inuse_space" "$(types)"
same "its time" "$(query exact "SELECT last_ts_ns FROM source")" "$(sed -n 's/^time_ns: //p' "$work/text")"
! grep -q '^period' "$work/text" || fail "a period without samples"
# pprof strips <0.77.0> of a name that equals that of the system.
none "names of the system" "$(grep system_name "$work/text")"
grep -qF 'text: "<0.77.0>"' "$work/text" || fail "a process is no frame"
none "functions that are there twice" "$(awk '/^function [{]/ { getline; getline; print $2 }' "$work/text" | sort | uniq -d)"
profile sampled
same "a profile of samples" "$(sample_sums sampled)" "$(profile_sums)"
same "its period" "$(query sampled "SELECT sample_every FROM hook_begin LIMIT 1")" "$(sed -n 's/^period: //p' "$work/text")"
profile dump
same "the values of a dump" "inuse_objects inuse_space" "$(types)"
same "a profile of a dump" "$(query dump "SELECT sum(mbc_blocks + sbc_blocks + pool_blocks), sum(used) FROM instance_reading")" \
  "$(profile_sums)"
profile hostile
same "a profile with hostile names" "$(sums exact)" "$(profile_sums)"

# events NAME: a line for each event: type, name of the track, time, value or name.
events() {
  export_to perfetto "$1"
  decode Trace perfetto.proto "$work/$1.perfetto"
  awk '
  function rest() { sub(/^ *[a-z]+: /, ""); gsub(/^"|"$/, ""); return $0 }
  /^packet [{]/ { ts = ""; part = "" }
  /^  (event|track) [{]/ { part = $1; type = name = value = uuid = "" }
  /^  timestamp:/ { ts = $2 }
  /^    uuid:/ { uuid = $2 }
  /^    name:/ { name = rest() }
  /^    type:/ { type = $2 }
  /^    track:/ { uuid = $2 }
  /^    value:/ { value = $2 }
  /^  }/ && part == "track" { if (uuid in track) { print "TWICE " uuid }; track[uuid] = name; part = "" }
  /^  }/ && part == "event" {
    if (!(uuid in track)) { print "UNKNOWN " uuid }
    print type "\t" track[uuid] "\t" ts "\t" (type == "LEVEL" ? value : name)
    part = ""
  }' "$work/text" >"$work/events"
  ! grep -E '^(TWICE|UNKNOWN)' "$work/events" || fail "$1: tracks"
}

events carriers
same "levels of carriers" "$(query carriers "SELECT count(*) FROM utilisation_allocator")" \
  "$(awk -F '\t' '$1 == "LEVEL" && $2 ~ / carriers$/' "$work/events" | wc -l)"
same "the last level of carriers" "$(query carriers "SELECT sum(b) FROM (SELECT carriers_bytes AS b, max(begin_ns)
  FROM utilisation_allocator GROUP BY runtime_id, allocator)")" \
  "$(awk -F '\t' '$1 == "LEVEL" && $2 ~ / carriers$/ { last[$2] = $4 } END { for (i in last) { sum += last[i] }; print sum }' "$work/events")"
query carriers "SELECT title FROM finding" >"$work/titles"
same "findings" "$(sort "$work/titles")" \
  "$(awk -F '\t' '$1 == "INSTANT" && $2 == "findings" { print $4 }' "$work/events" | sed 's/\\'"'"'/'"'"'/g' | sort)"
[[ -s $work/titles ]] || fail "no finding to compare"
same "clocks that are that of the day" 3 "$(grep -c "timestamp: $(query carriers "SELECT first_ts_ns FROM source")" <(grep '^      timestamp' "$work/text"))"

# Processes on schedulers and collections, as dyntrace records them.
query exact "INSERT INTO otp_event (id, ts_ns, event, provider, runtime_id, thread_id, pid, entry, type)
  SELECT n, (SELECT first_ts_ns FROM source) + 100 * n, e, 'org_erlang_dyntrace', 1, (SELECT min(id) FROM thread), '<0.9.0>', 'm:f/1', t
  FROM (SELECT 1 AS n, 'process_scheduled' AS e, 'in' AS t UNION ALL SELECT 2, 'gc_minor_start', NULL
    UNION ALL SELECT 3, 'gc_minor_end', NULL UNION ALL SELECT 4, 'process_scheduled', 'out')"
events exact
same "the last level of blocks" "$(sums exact | cut -d ' ' -f 4)" \
  "$(awk -F '\t' '$1 == "LEVEL" && $2 ~ / live$/ { last[$2] = $4 } END { for (i in last) { sum += last[i] }; print sum }' "$work/events")"
same "slices begin and end" "$(grep -c '^BEGIN' "$work/events")" "$(grep -c '^END' "$work/events")"
same "hooks" "$(query exact "SELECT sum(NOT is_again) FROM hook_begin")" "$(awk -F '\t' '$1 == "BEGIN" && $2 == "hook"' "$work/events" | wc -l)"
same "readings" "$(query exact "SELECT count(*) FROM snapshot_begin")" \
  "$(awk -F '\t' '$1 == "BEGIN" && $2 == "readings"' "$work/events" | wc -l)"
same "how long the hook was there" "$(query exact "SELECT b.ts_ns, e.ts_ns FROM hook_begin AS b JOIN hook_end AS e")" \
  "$(awk -F '\t' '$2 == "hook" { printf "%s%s", (n++ ? " " : ""), $3 }' "$work/events")"
first=$(query exact "SELECT first_ts_ns FROM source")
same "a thread" "BEGIN $((first + 100)) <0.9.0>,BEGIN $((first + 200)) gc_minor,END $((first + 300)) ,END $((first + 400)) " \
  "$(grep -E $'\t'"($((first + 100))|$((first + 200))|$((first + 300))|$((first + 400)))"$'\t' "$work/events" |
    sort -t $'\t' -k 3 | awk -F '\t' '{ printf "%s%s %s %s", (NR > 1 ? "," : ""), $1, $3, $4 }')"
# A heap profile of each node that has samples with stacks: its own pid, and by code as the other formats have it.
! grep -q '^  profile {' "$work/text" || fail 'a heap profile without stacks'
for name in sampled both; do
  adds_stacks $name
  events code_of_$name
  same "heap profiles of $name" 1 "$(grep -c '^  profile {' "$work/text")"
  same "whose of $name" "$(query code_of_$name "SELECT vpid FROM runtime WHERE id IN (SELECT runtime_id FROM sample_alloc_by_process)")" \
    "$(awk '/^    heap [{]/ { in_heap = 1 } in_heap && $1 == "pid:" { print $2 }' "$work/text")"
  same "made and in use of $name" "$(for value in alloc_objects alloc_space inuse_objects inuse_space; do
    "$program" export --to folded --code --value $value "$work/code_of_$name.db" | awk '{ sum += $NF } END { printf "%d ", sum }'
  done)" "$(awk '
    /^    heap [{]/ { in_heap = 1 }
    in_heap { v[$1] += $2 }
    END { printf "%d %d %d %d ", v["made_blocks:"], v["made_bytes:"],
      v["made_blocks:"] - v["freed_blocks:"], v["made_bytes:"] - v["freed_bytes:"] }' "$work/text")"
  # Each frame of each stack by its name.
  same "stacks of $name" 'no stack was read;|shop:serve/1;shop:put/1;|' "$(awk '
    /^    (text|frame|stack) [{]/ { part = $1; id = "" }
    part && $1 == "id:" { id = $2 }
    part == "text" && $1 == "text:" { sub(/^ *text: "/, ""); sub(/"$/, ""); text[id] = $0 }
    part == "frame" && $1 == "name:" { name[id] = $2 }
    part == "stack" && $1 == "frame_id:" { frames[id] = frames[id] $2 " " }
    /^    }/ { part = "" }
    END { for (i in frames) { n = split(frames[i], f, " "); for (k = 1; k <= n; k++) { printf "%s;", text[name[f[k]]] }; printf "|" } }' "$work/text" |
    tr '|' '\n' | sort | tr '\n' '|')"
done
# By code, with file and line where they are known.
profile code_of_sampled --code
same "lines of functions" "shop:put/1 shop.erl 41;shop:serve/1 function ;" "$(awk '
  /^[a-z]/ { part = $1 }
  /^text:/ { gsub(/^text: "|"$/, ""); text[n++] = $0 }
  part == "location" && $1 == "function:" { of = $2; line[of] = "" }
  part == "location" && $1 == "line:" && $2 != "{" { line[of] = $2 }
  part == "function" && $1 == "id:" { id = $2 }
  part == "function" && $1 == "name:" { name[id] = $2 }
  part == "function" && $1 == "file:" { file[id] = $2 }
  END { for (i in name) { print text[name[i]], text[file[i]], line[i] ";" } }' "$work/text" | grep '^shop:' | sort | tr -d '\n')"
# A damaged database: neither a process nor a size below 0.
query code_of_sampled 'UPDATE sample_alloc_by_process SET weight_micro = -weight_micro'
events code_of_sampled
same "sizes below 0" 'made_bytes: 0 made_bytes: 0 ' "$(sed -n 's/^ *\(made_bytes: .*\)/\1/p' "$work/text" | tr '\n' ' ')"
query code_of_sampled 'UPDATE runtime SET vpid = -7'
events code_of_sampled
! grep -q '^  profile {' "$work/text" || fail 'a heap profile of a process below 0'

events both
same "a track for each node" 2 "$(grep -c '^    process {' "$work/text")"
events hostile

ends
