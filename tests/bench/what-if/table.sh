#!/bin/sh
# SPDX-License-Identifier: MIT
# table.sh RUNS PREDICTIONS: what figures.sh and predict.sh have printed, compared, as rows of Markdown.  All figures are
# per cent of those without flags.  Odd repeats are one set of runs, even ones another: "error" is the mean of |predicted
# - measured| over both sets, "noise" the mean of |one set - the other|; "beyond" is their difference, workload by
# workload and in all.  "direction": changes above 5 % in both sets together, and how many the prediction has with the
# right sign.  "regret": what the setting predicted best is measured above the best one.  "spread": what repeats of the
# same flags differ by at the peak, at the end and on average, largest less smallest, mean over the settings.
set -eu
awk -F, '
function abs(x) { return x < 0 ? -x : x }
function share(set, name, setting, i) {
	return 100 * (sum[set, name, setting, i] / runs[set, name, setting]) / (sum[set, name, "default", i] / runs[set, name, "default"])
}
FNR == NR {
	for (k = 0; k < 2; k++) {
		set = k ? "all" : $3 % 2 ? "odd" : "even"
		runs[set, $1, $2]++
		for (i = 1; i <= 3; i++) sum[set, $1, $2, i] += $(i + 3)
	}
	for (i = 1; i <= 3; i++) {
		if (!(($1, $2, i) in low) || $(i + 3) < low[$1, $2, i]) low[$1, $2, i] = $(i + 3)
		if ($(i + 3) > high[$1, $2, i]) high[$1, $2, i] = $(i + 3)
	}
	next
}
{
	if (!($1 in seen)) names[++count] = $1
	seen[$1] = 1
	setting[$1, ++settings[$1]] = $2
	for (i = 1; i <= 3; i++) predicted[$1, $2, i] = $(3 * i)
}
END {
	split("peak end average", figures, " ")
	print "| workload | error, noise: peak | end | average | largest beyond noise | direction | regret: peak, end, average | spread |"
	print "|---|---|---|---|---|---|---|---|"
	for (n = 1; n <= count; n++) {
		name = names[n]
		line = "| `" name "` |"
		most = -1000
		right = changed = 0
		regrets = spreads = ""
		for (i = 1; i <= 3; i++) {
			error = noise = pairs = spread = 0
			least = best = 1e9
			for (s = 1; s <= settings[name]; s++) {
				t = setting[name, s]
				if (!runs["odd", name, t] || !runs["even", name, t]) continue
				p = 100 * predicted[name, t, i] / predicted[name, "default", i]
				a = share("odd", name, t, i)
				b = share("even", name, t, i)
				m = share("all", name, t, i)
				spread += 100 * (high[name, t, i] - low[name, t, i]) * runs["all", name, t] / sum["all", name, t, i]
				if (m < least) least = m
				if (p < best) { best = p; chosen = m }
				if (t == "default") continue
				e = (abs(p - a) + abs(p - b)) / 2
				d = abs(a - b)
				pairs++
				error += e
				noise += d
				if (e - d > most) { most = e - d; worst = t ", " figures[i] }
				if (abs(m - 100) > 5) { changed++; right += (m - 100) * (p - 100) > 0 }
			}
			if (!pairs) break
			line = line sprintf(" %.1f, %.1f |", error / pairs, noise / pairs)
			regrets = regrets sprintf("%s%.1f", i > 1 ? ", " : "", chosen - least)
			spreads = spreads sprintf("%s%.0f", i > 1 ? ", " : "", spread / (pairs + 1))
			spreading[i] += spread / (pairs + 1)
			errors[i] += error
			noises[i] += noise
			all[i] += pairs
			regret[i] += chosen - least
		}
		if (!pairs) continue
		compared++
		if (most > top) { top = most; what = "`" name "`, " worst }
		rights += right
		changes += changed
		print line sprintf(" %.1f (%s) | %d of %d | %s | %s |", most, worst, right, changed, regrets, spreads)
	}
	line = "| all |"
	for (i = 1; i <= 3; i++) line = line sprintf(" %.1f, %.1f |", errors[i] / all[i], noises[i] / all[i])
	print line sprintf(" %.1f (%s) | %d of %d | %.1f, %.1f, %.1f | %.0f, %.0f, %.0f |", top, what, rights, changes,
		regret[1] / compared, regret[2] / compared, regret[3] / compared, spreading[1] / compared,
		spreading[2] / compared, spreading[3] / compared)
}' "$1" "$2"
