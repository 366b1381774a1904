#!/usr/bin/env bash
# Checks that generated files are up to date: runs `make generate` in a copy of the tree and compares.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -co --exclude-standard -z | xargs -0 cp --parents -t "$copy" 2>/dev/null || true
make -s -C "$copy" generate
stale=$(diff -rq "$copy" . --exclude=.git --exclude=bin --exclude=.cache --exclude=.townline --exclude=go.work.sum | grep '^Files' || true)
if [ -n "$stale" ]; then
  echo "generated files are stale; run make generate:"
  echo "$stale" | sed "s|$copy/||; s|^Files|  |"
  exit 1
fi
