#!/usr/bin/env bash
# Reads Townline's exports with third-party programs: gtfs.zip with node-gtfs and gtfs-utils, the three .pb with the
# official bindings of JavaScript and Go, and the OneBusAway API with every method of OneBusAway's SDK. Compares their
# counts with each other, with the JSON and with the source.
#
#   scripts/consumers.sh                                                     the demo town
#   scripts/consumers.sh FEED.zip [trip_updates=FILE.pb vehicle_positions=FILE.pb alerts=FILE.pb]
#
# npm installs the programs into .cache, in the versions of scripts/consumers/package-lock.json. One of them has a part
# in C++ that npm may have to compile, which takes two minutes, once.
set -euo pipefail
args=()
for a in "$@"; do
	case $a in
	*=*) args+=("${a%%=*}=$(realpath "${a#*=}")") ;;
	*) args+=("$(realpath "$a")") ;;
	esac
done
cd "$(dirname "$0")/.."
command -v npm >/dev/null || { echo "npm is missing: install Node.js"; exit 1; }

tools=.cache/consumers
if ! cmp -s scripts/consumers/package-lock.json "$tools/installed"; then
	rm -rf "$tools"
	mkdir -p "$tools"
	cp scripts/consumers/package.json scripts/consumers/package-lock.json "$tools"
	npm ci --prefix "$tools" --no-audit --no-fund --loglevel=error
	cp scripts/consumers/package-lock.json "$tools/installed"
fi
make -s bin/townline
cp scripts/consumers/*.mjs "$tools" # where it finds them
exec node "$tools/consumers.mjs" "${args[@]}"
