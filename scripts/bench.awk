# Converts the output of `go test -bench` to a table; see bench.sh.
function figure(v, unit) {
	if (v == "") return "-"
	return (v >= 1000 ? sprintf("%.0f", v) : v >= 10 ? sprintf("%.1f", v) : sprintf("%.3g", v)) " " unit
}
/^== / {
	printf "\n%s\n%-44s %16s %28s %7s %9s  %s\n", substr($0, 4), "", "measured", "against", "ratio", "goal", ""
	next
}
/^Benchmark/ && NF > 3 {
	name = $1
	sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
	ours = against = ratio = goal = more = unit = than = least = ""
	for (i = 3; i < NF; i += 2) {
		v = $i; u = $(i + 1)
		if (u == "ratio") ratio = v
		else if (u == "at-least") { goal = v; least = 1 }
		else if (u == "at-most") goal = v
		else if (u == "req/s" || u == "MB/s" || u == "s" || u == "ms" || u == "MB" || u == "kB") { ours = v; unit = u }
		else if (u ~ /^bare-|^(s|ms|MB)-/) { against = v; than = u }
		else if (u == "ms/median") { median = v; more = more " " figure(v, "ms") }
		else if (u == "body-bytes") more = more sprintf(" %.0f bytes", v)
		else if (u == "ns/op") nanos = v
	}
	if (ours == "" && median != "") { ours = median; unit = "ms"; more = "" }
	if (ours == "" && nanos > 0) { ours = nanos / 1e6; unit = "ms" }
	median = nanos = ""
	verdict = ""
	if (goal != "") {
		held = ratio != "" ? ratio : ours
		verdict = (least ? held >= goal : held <= goal) ? "met" : "MISSED"
	}
	printf "%-44s %16s %28s %7s %9s  %-6s %s\n", name, figure(ours, unit), against == "" ? "-" : figure(against, than),
		ratio == "" ? "-" : sprintf("%.2f", ratio), goal == "" ? "-" : (least ? ">= " : "<= ") (goal + 0), verdict, more
	fflush()
	next
}
/^(FAIL|---|panic|    )/ { print; fflush() }
