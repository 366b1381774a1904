#!/bin/sh
# Copies the third-party files of pages, unchanged, from their npm packages and lists their digests. Part of
# `make generate`. scripts/tools/web has the packages and versions; a test of pkg/site checks the digests without a
# network.
set -eu
cd "$(dirname "$0")/.."
if ! command -v npm >/dev/null; then
	echo "npm is not installed: pkg/site/vendored stays as it is" >&2
	exit 0
fi
at=$(mktemp -d)
trap 'rm -rf "$at"' EXIT
cp scripts/tools/web/package.json scripts/tools/web/package-lock.json "$at"
(cd "$at" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null)
gl=$at/node_modules/maplibre-gl
to=pkg/site/vendored
cp "$gl/dist/maplibre-gl.mjs" "$gl/dist/maplibre-gl-worker.mjs" "$to"
cp "$gl/LICENSE.txt" "$to/maplibre-gl.LICENSE.txt"
cp "$at/node_modules/pmtiles/dist/pmtiles.js" "$to"
cat scripts/tools/web/pmtiles.LICENSE.txt "$at/node_modules/fflate/LICENSE" >"$to/pmtiles.LICENSE.txt"
(cd "$to" && LC_ALL=C ls | grep -v SHA256SUMS | xargs sha256sum >SHA256SUMS)
