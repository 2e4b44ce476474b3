# SPDX-License-Identifier: MIT
#
# Turns the samples of bench.sh into tables.  A sample is: set kind count variant
# round wall cpu rss bytes rows_wall rows_cpu end_cpu decoding_cpu reader_cpu writer_cpu, with '-' for what is not known.
# A ratio is the median of the ratios within each round; in parentheses, that of
# the best runs.

function median_of(list, count,    i, j, held) {
  for (i = 2; i <= count; i++) {
    held = list[i]
    for (j = i - 1; j >= 1 && list[j] > held; j--) {
      list[j + 1] = list[j]
    }
    list[j + 1] = held
  }
  if (count == 0) {
    return ""
  }
  return count % 2 ? list[(count + 1) / 2] : (list[count / 2] + list[count / 2 + 1]) / 2
}

# Over all rounds; "" when there is no sample.
function median(place, variant, what,    list, count, round) {
  for (round = 1; round <= rounds[place]; round++) {
    if ((place, variant, round, what) in value) {
      list[++count] = value[place, variant, round, what]
    }
  }
  return median_of(list, count + 0)
}

function best(place, variant, what,    round, low, seen) {
  low = ""
  for (round = 1; round <= rounds[place]; round++) {
    if ((place, variant, round, what) in value) {
      seen = value[place, variant, round, what]
      if (low == "" || seen < low) {
        low = seen
      }
    }
  }
  return low
}

function most(place, variant, what,    round, high) {
  high = ""
  for (round = 1; round <= rounds[place]; round++) {
    if ((place, variant, round, what) in value && value[place, variant, round, what] > high + 0) {
      high = value[place, variant, round, what]
    }
  }
  return high
}

# Of what of variant to base_what of base, each in the same round.
function ratio(place, variant, what, base, base_what,    list, count, round) {
  for (round = 1; round <= rounds[place]; round++) {
    if ((place, variant, round, what) in value && (place, base, round, base_what) in value &&
        value[place, base, round, base_what] > 0) {
      list[++count] = value[place, variant, round, what] / value[place, base, round, base_what]
    }
  }
  return median_of(list, count + 0)
}

function ratio_text(place, variant, what, base_what,    middle, low, base_low) {
  middle = ratio(place, variant, what, "dummy", base_what)
  low = best(place, variant, what)
  base_low = best(place, "dummy", base_what)
  return middle == "" ? "n/a" : sprintf("%.2f (%.2f)", middle, low / base_low)
}

function text(format, number) {
  return number == "" ? "n/a" : sprintf(format, number)
}

function per(number, divisor) {
  return number == "" ? "" : number / divisor
}

function table_row(place, title, variant, wall, cpu, is_whole,    seconds, bytes) {
  seconds = median(place, variant, wall)
  bytes = median(place, variant, "bytes")
  printf "| %s | %s | %s | %s | %s | %s |\n", title,
    (seconds + 0 > 0 ? sprintf("%.0f", events[place] / seconds) : "n/a"),
    ratio_text(place, variant, wall, "wall"), ratio_text(place, variant, cpu, "cpu"),
    (is_whole ? text("%.1f", per(most(place, variant, "rss"), 1024)) : ""),
    (is_whole && bytes != "" ? sprintf("%.1f", bytes / events[place]) : "")
}

function table_head(place, kind) {
  printf "| %d %s events | events/s | x dummy wall | x dummy CPU | RSS MiB | bytes/event |\n",
    events[place], kind
  print "|---|---:|---:|---:|---:|---:|"
}

# A row for each line of `rows`: title, variant, wall, cpu, whether it is a whole load; with bars between.
function table(size, kind, rows,    place, count, line, i, cell) {
  place = size SUBSEP kind
  if (!(place in events)) {
    return
  }
  table_head(place, kind)
  count = split(rows, line, "\n")
  for (i = 1; i <= count; i++) {
    split(line[i], cell, "|")
    table_row(place, cell[1], cell[2], cell[3], cell[4], cell[5] + 0)
  }
  print ""
}

function table_full(kind) {
  table("full", kind, \
    "sink.utils.dummy (decoding alone)|dummy|wall|cpu|1\n" \
    "sink.utils.counter|counter|wall|cpu|1\n" \
    "sink.text.pretty > /dev/null|pretty|wall|cpu|1\n" \
    "sink.ctf.fs|ctf|wall|cpu|1\n" \
    "carrierscope load, rows alone|load|rows_wall|rows_cpu|0\n" \
    "carrierscope load|load|wall|cpu|1\n" \
    "babeltrace2 -c sink.carrierscope.sqlite|sink|wall|cpu|1")
}

function table_small(kind) {
  table("small", kind, \
    "sink.utils.dummy (decoding alone)|dummy|wall|cpu|1\n" \
    "carrierscope load|load|wall|cpu|1\n" \
    "text.pretty, awk, sqlite3 .import|awk|wall|cpu|1\n" \
    "Python bt2, sqlite3 executemany|python|wall|cpu|1")
}

# sense: 1 at least, -1 at most.
function goal(title, measured, limit, sense, format,    verdict) {
  verdict = "n/a"
  if (measured != "") {
    verdict = sense * (measured - limit) >= 0 ? "PASS" : "MISS"
  }
  printf "| %s | %s %s | %s | %s |\n", title, (sense > 0 ? "at least" : "at most"),
    sprintf(format, limit), text(format, measured), verdict
}

# Seconds of a load with so many threads that decode, and a CPU for each thread, by the CPU seconds that each part
# took, beside those of decoding alone.  The parts wait for the slowest of them.
function on_paper(place, jobs,    list, count, round, slowest) {
  for (round = 1; round <= rounds[place]; round++) {
    if ((place, "load", round, "decoding_cpu") in value && value[place, "load", round, "decoding_cpu"] > 0 &&
        (place, "dummy", round, "cpu") in value) {
      slowest = value[place, "load", round, "decoding_cpu"] / jobs
      if (slowest < value[place, "load", round, "reader_cpu"]) {
        slowest = value[place, "load", round, "reader_cpu"]
      }
      if (slowest < value[place, "load", round, "writer_cpu"]) {
        slowest = value[place, "load", round, "writer_cpu"]
      }
      list[++count] = (slowest + value[place, "load", round, "end_cpu"]) / value[place, "dummy", round, "cpu"]
    }
  }
  return median_of(list, count + 0)
}

# What each thread of a load took, of decoding alone.
function parts(kind,    place) {
  place = "full" SUBSEP kind
  if (place in events && on_paper(place, 1) != "") {
    printf "%s, CPU x dummy: threads that decode %s, reader %s, writer %s, end %s\n", kind,
      text("%.2f", ratio(place, "load", "decoding_cpu", "dummy", "cpu")),
      text("%.2f", ratio(place, "load", "reader_cpu", "dummy", "cpu")),
      text("%.2f", ratio(place, "load", "writer_cpu", "dummy", "cpu")),
      text("%.2f", ratio(place, "load", "end_cpu", "dummy", "cpu"))
  }
}

function goals_of_load(kind, bytes,    full) {
  full = "full" SUBSEP kind
  if (!(full in events)) {
    return
  }
  goal(kind ": finished file, wall, x dummy", ratio(full, "load", "wall", "dummy", "wall"), 1.0, -1, "%.2f")
  goal(kind ": finished file, CPU, x dummy", ratio(full, "load", "cpu", "dummy", "cpu"), 1.75, -1, "%.2f")
  goal(kind ": with 4 workers on paper, x dummy", on_paper(full, 4), 1.0, -1, "%.2f")
  goal(kind ": with 8 workers on paper, x dummy", on_paper(full, 8), 1.0, -1, "%.2f")
  goal(kind ": peak RSS, MiB", per(most(full, "load", "rss"), 1024), 80, -1, "%.1f")
  goal(kind ": bytes/event of the finished file", per(median(full, "load", "bytes"), events[full]), bytes, -1, "%.1f")
  goal(kind ": default report, CPU s", median(full, "report", "cpu"), 1.0, -1, "%.2f")
  goal(kind ": page, CPU s", median(full, "page", "cpu"), 2.0, -1, "%.2f")
}

function goals_of_peers(kind,    small) {
  small = "small" SUBSEP kind
  if (small in events) {
    goal(kind ": faster than Python, wall", ratio(small, "python", "wall", "load", "wall"),
      30, 1, "%.1f")
    goal(kind ": faster than awk, wall", ratio(small, "awk", "wall", "load", "wall"),
      4, 1, "%.1f")
  }
}

{
  place = $1 SUBSEP $2
  events[place] = $3
  if ($5 > rounds[place] + 0) {
    rounds[place] = $5
  }
  split("wall cpu rss bytes rows_wall rows_cpu end_cpu decoding_cpu reader_cpu writer_cpu", names, " ")
  for (i = 1; i <= 10; i++) {
    if ($(5 + i) != "-") {
      value[place, $4, $5, names[i]] = $(5 + i) + 0
    }
  }
}

END {
  table_full("block")
  table_full("carrier")
  table_small("block")
  table_small("carrier")
  print "| goal | limit | measured | |"
  print "|---|---:|---:|---|"
  goals_of_load("block", 34)
  goals_of_load("carrier", 60)
  goals_of_peers("block")
  goals_of_peers("carrier")
  goal("carrier: peak RSS at 4 M events, MiB", per(most("rss4" SUBSEP "carrier", "load", "rss"), 1024), 80, -1, "%.1f")
  goal("carrier: peak RSS at 16 M events, MiB", per(most("rss16" SUBSEP "carrier", "load", "rss"), 1024), 80, -1, "%.1f")
  print ""
  parts("block")
  parts("carrier")
}
