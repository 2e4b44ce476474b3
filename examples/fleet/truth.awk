# SPDX-License-Identifier: MIT
# awk -v nodes=N -v step=SECONDS -v end=SECONDS -f truth.awk TRUTH: what is true of the nodes of nodes.sql, by its rules and
# what the twin wrote of its recordings, without the server.  TRUTH has a line "APP RELEASE FLAGS CARRIERS OF_BINARY_ALLOC"
# for each ("-": no flags), and "tried APP CARRIERS CARRIERS_WITH_FLAGS" for some apps.  Lines: "fragmenting NODE POINTS",
# "leak APP RELEASE LIVES", "silent NODE", "use APP RELEASE FLAGS P50 P90",
# "release APP OLD NEW P50_OF_OLD P50_OF_NEW", "saving APP BYTES", "holder APP NAME BYTES".
function bytes(i, ts, group,    hour, factor) {
	hour = (ts - begin) / 3600
	factor = leaks(i) ? 0.3 + 0.7 * (hour - (i % 2 && hour >= 82 ? 82 : 0)) / 164 : 1 + 0.1 * sin(ts / 86400 * 6.283185307179586)
	return binary[group] * factor * (1 + 0.01 * (i % 7)) + all[group] - binary[group]
}
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

$1 == "tried" { saved[$2] = 1 - $4 / $3; next }
{ all[$1 " " $2 " " $3] = $4; binary[$1 " " $2 " " $3] = $5 }

END {
	begin = end - 590400
	count = int(590400 / step)
	for (i = 0; i < nodes; i++) {
		silent = i % 100 == 13
		if (i % 20 == 7) print "fragmenting", node(i), count
		if (leaks(i)) leaking += 1 + i % 2
		if (silent) print "silent", node(i)
		group = "app" i % 5 " r" int(i / 5) % 3 " " (i % 20 == 7 ? "+MBsbct_16" : "-")
		delete sum
		delete number
		for (k = 0; k < count; k++) {
			ts = begin + k * step
			if (silent && ts >= end - 259200) break
			day = int(ts / 86400)
			sum[day] += bytes(i, ts, group)
			number[day]++
		}
		both = "app" i % 5 " r" int(i / 5) % 3
		for (day in sum) means[group, ++members[group]] = means[both, ++members[both]] = sum[day] / number[day]
		held["app" i % 5] += 1048576 * (1 + i % 5)
		# Those with other flags than the recording that was searched are left out.
		if (group ~ /-$/) carriers["app" i % 5] += all[group]
	}
	if (leaking) print "leak app2 r2", leaking
	for (group in members) {
		for (k = 1; k <= members[group]; k++) sorted[k] = means[group, k]
		sort_all(members[group])
		middle[group] = quantile(members[group], 0.5)
		if (split(group, _, " ") == 3) printf "use %s %.0f %.0f\n", group, middle[group], quantile(members[group], 0.9)
	}
	for (app in held) {
		printf "holder %s session_cache %.0f\n", app, held[app]
		if (app in saved) printf "saving %s %.0f\n", app, saved[app] * carriers[app]
		for (r = 1; r < 3; r++) printf "release %s r%d r%d %.0f %.0f\n", app, r - 1, r, middle[app " r" r - 1], middle[app " r" r]
	}
}
