#!/bin/sh
# Proves that several replicas lose nothing (`scripts/prove.sh`), or that an earlier version and this one can serve at
# the same time (`scripts/prove.sh upgrade [REVISION]`). scripts/prove/main.go lists the checks.
set -eu
cd "$(dirname "$0")/.."

# `go run` would hide Ctrl-C and the exit status.
prove() {
	GOWORK=off go build -C scripts/prove -o "$PWD/.cache/prove"
	exec .cache/prove "$@"
}

mkdir -p .cache
if [ "${1:-}" != upgrade ]; then
	make -s build
	prove -bin bin
fi

# The earlier version is REVISION or, by default, the last release. Without a release, it is the commit before the newest
# migration; the first file of a schema migrates nothing.
base=${2:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$base" ]; then
	newest=$(git log --diff-filter=A --format=%H -1 -- 'pkg/schema/*/*.sql' ':!pkg/schema/council/0018_council.sql' \
		':!pkg/schema/transit/0013_transit.sql' 2>/dev/null || true)
	base=${newest:+$newest^}
fi
if [ -z "$base" ] || ! git rev-parse --quiet --verify "$base^{commit}" >/dev/null; then
	echo "SKIPPED: this checkout has no earlier version to upgrade from; fetch its history, or name a revision"
	exit 0
fi
make -s build
old=$(git rev-parse --short "$base^{commit}")
if [ ! -x ".cache/old-$old/bin/townline" ]; then
	rm -rf ".cache/old-$old"
	mkdir ".cache/old-$old"
	git archive "$base^{commit}" | tar -x -C ".cache/old-$old"
	make -s -C ".cache/old-$old" build VERSION="$old"
fi
prove -bin bin -old ".cache/old-$old/bin"
