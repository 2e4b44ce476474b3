# SPDX-License-Identifier: MIT
# awk -v nodes=N -v step=SECONDS -v end=SECONDS -f truth.awk: what is true of the nodes of nodes.sql, by its rules and
# without its server.  Lines: "fragmenting NODE", "leak NODE", "silent NODE", "use APP RELEASE FLAGS P50 P90",
# "saving APP LOW HIGH", "holder APP BYTES".
function bytes(i, ts,    hour, leak) {
	hour = (ts - begin) / 3600
	leak = leaks(i) ? 1048576 * (hour - (i % 2 && hour >= 82 ? 82 : 0)) : 0
	return base(i) * (1 + 0.1 * sin(ts / 86400 * 6.283185307179586)) + leak + 52428800
}
function base(i) { return (100 + 50 * (i % 5)) * (1 + 0.1 * (int(i / 5) % 3)) * (1 + 0.01 * (i % 7)) * 1048576 }
function leaks(i) { return i % 5 == 2 && int(i / 5) % 3 == 2 }
function node(i) { return "node" i "@host" i }
# Sorts sorted[1..n] upwards: a heap.
function sift(n, at,    child, value) {
	value = sorted[at]
	while ((child = 2 * at) <= n) {
		if (child < n && sorted[child + 1] > sorted[child]) child++
		if (sorted[child] <= value) break
		sorted[at] = sorted[child]
		at = child
	}
	sorted[at] = value
}
function sort_all(n,    i, value) {
	for (i = int(n / 2); i > 0; i--) sift(n, i)
	for (i = n; i > 1; i--) {
		value = sorted[i]
		sorted[i] = sorted[1]
		sorted[1] = value
		sift(i - 1, 1)
	}
}
function quantile(n, level) { return sorted[int(level * n) + 1] }

BEGIN {
	begin = end - 590400
	count = int(590400 / step)
	for (i = 0; i < nodes; i++) {
		silent = i % 100 == 13
		if (i % 20 == 7) print "fragmenting", node(i)
		if (leaks(i)) print "leak", node(i)
		if (silent) print "silent", node(i)
		group = "app" i % 5 " r" int(i / 5) % 3 " " (i % 20 == 7 ? "+MBlmbcs_512" : "-")
		delete sum
		delete number
		for (k = 0; k < count; k++) {
			ts = begin + k * step
			if (silent && ts >= end - 259200) break
			day = int(ts / 86400)
			sum[day] += bytes(i, ts)
			number[day]++
		}
		for (day in sum) means[group, ++members[group]] = sum[day] / number[day]
		held["app" i % 5] += 1048576
		carriers["app" i % 5] += int(base(i)) + 52428800
	}
	for (group in members) {
		for (k = 1; k <= members[group]; k++) sorted[k] = means[group, k]
		sort_all(members[group])
		printf "use %s %.0f %.0f\n", group, quantile(members[group], 0.5), quantile(members[group], 0.9)
	}
	# Replays of an app end at 88 to 92 % of the carriers without the flags.
	for (app in held) {
		printf "holder %s %.0f\n", app, held[app]
		printf "saving %s %.0f %.0f\n", app, 0.08 * carriers[app], 0.12 * carriers[app]
	}
}
