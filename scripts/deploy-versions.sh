#!/bin/sh
# Writes the schema versions of this commit into the names of the migration Jobs. Part of `make generate`.
set -eu
cd "$(dirname "$0")/.."
for half in council transit; do
	version=$(ls "pkg/schema/$half" | sed -n 's/^0*\([0-9]*\)_.*\.sql$/\1/p' | tail -1)
	sed -i "s/^  name: $half-migrate-v[0-9]*\$/  name: $half-migrate-v$version/" "deploy/kubernetes/base/$half-migrate/job.yaml"
done
