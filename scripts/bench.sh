#!/usr/bin/env bash
# Measures against the machine's own limits, as ratios of one run. Nothing here
# is a test: figures are read by people, on a machine with nothing else to do.
set -euo pipefail
cd "$(dirname "$0")/.."
echo "== read path: kept bodies, 304 and compression against a bare handler that writes the same bytes"
go test -run - -bench ReadPath -benchtime 1x ./pkg/rest
echo "== council API on a miss"
go test -run - -bench Misses ./services/council-api
echo "== minutes parsed, PDF pages read"
go test -run - -bench 'Parse|Read$' ./services/council-ingest/...
echo "== transit API: kept answers and misses beside a bare handler (FEED=some.zip, else the demo's feed)"
go test -run - -bench TransitReads -benchtime 1x ./services/townline ${FEED:+-feed "$(realpath "$FEED")"}
