#!/usr/bin/env bash
# Measures speed relative to the machine's limits, and prints one table. It is not a test: run it on an idle machine.
#
#   make bench                    with a large made-up feed
#   make bench FEED=some.zip      with a feed of yours
#   make bench ONLY=transit       one part: import, export, transit, map, pages, rest, realtime, council, scale
#
# To add a benchmark, name it below. The table shows these of its metrics: as the figure, req/s, MB/s, s, ms, MB or kB
# (or ms/median if it has none of them); as the reference, the same unit with another word; "ratio"; and as the goal of
# the ratio, or of the figure if there is no ratio, "at-least" or "at-most".
set -euo pipefail
cd "$(dirname "$0")/.."
export TOWNLINE_BENCH_FEED=${FEED:+$(realpath "$FEED")}

part() { # part NAME TITLE PACKAGES BENCHMARK TIME
	if [ -n "${ONLY:-}" ] && [ "$ONLY" != "$1" ]; then return; fi
	printf '== %s\n' "$2"
	# shellcheck disable=SC2086
	go test -timeout 30m -run - -bench "$4" -benchtime "$5" $3
}

{
	part import "import, against COPY of the same stop times with key and index" ./services/gtfs-import Import 3x
	part transit "transit API, against a bare handler that gives the same answer (kept) or says hello (miss)" ./services/townline TransitReads 1x
	part export "the zip that goes out again: how fast, and what of it is in memory" ./services/townline 'Export$' 5x
	part map "map: tiles of all zooms on a miss; stops around a place, among those of the feed and among a million" "./services/townline ./services/transit-api/internal/edition" 'Tiles$|Near$' 20x
	part pages "pages, against a bare handler that gives the same answer (kept); one after the other on a miss" ./services/townline Pages 1x
	part rest "read path of both APIs, against a bare handler that gives the same answer" ./pkg/rest ReadPath 1x
	part realtime "realtime answers, likewise" ./services/townline RealtimeReads 1x
	part realtime "realtime: a 3 MB snapshot from its first byte to a listener; 10,000 trip updates indexed, and sent on as GTFS-Realtime" "./services/townline ./services/transit-api ./services/transit-api/internal/realtime" 'RealtimeFreshness|Index$|Republish$' 10x
	part council "council API on a miss; minutes parsed, PDF pages read" \
		"./services/council-api ./services/council-ingest/..." 'Misses|Parse|Read$' 20x
	part scale "growth: deployments of 1, 100 and 500 feeds; 10,000 listeners on 500 boards, and 10,000 open boards, a snapshot of 3 MB every 15 s" ./services/townline Scale 4x
} | awk -f scripts/bench.awk
