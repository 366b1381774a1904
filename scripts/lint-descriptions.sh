#!/usr/bin/env bash
# Holds the descriptions of both APIs to redocly's and spectral's rules for OpenAPI. The linters come from npm, in the versions of
# scripts/lint/package-lock.json, into .cache.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "the linters of the descriptions need Node.js with npm"; exit 1; }

tools=.cache/lint
if ! cmp -s scripts/lint/package-lock.json "$tools/installed"; then
	rm -rf "$tools"
	mkdir -p "$tools"
	cp scripts/lint/package.json scripts/lint/package-lock.json "$tools"
	npm ci --prefix "$tools" --ignore-scripts --no-audit --no-fund --loglevel=error
	cp scripts/lint/package-lock.json "$tools/installed"
fi

descriptions=$(mktemp -d)
trap 'rm -rf "$descriptions"' EXIT
TOWNLINE_DESCRIPTIONS=$descriptions "${GO:-go}" test -count=1 -run '^TestDescriptionForLinters$' ./services/council-api ./services/transit-api
for api in council transit; do
	REDOCLY_TELEMETRY=off "$tools/node_modules/.bin/redocly" lint --config scripts/lint/redocly.yaml "$descriptions/$api.json"
	"$tools/node_modules/.bin/spectral" lint --ruleset scripts/lint/spectral.yaml --fail-severity warn "$descriptions/$api.json"
done
