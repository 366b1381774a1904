#!/usr/bin/env bash
# Runs the OpenAPI linters redocly and spectral on the descriptions of both APIs. They come from npm, in the versions of
# scripts/lint/package-lock.json, into .cache.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "npm is missing: install Node.js"; exit 1; }

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
