#!/bin/sh
# Runs MOTIS, a journey planner, on the feeds of the transit API: the service planner of ../compose.yaml. It fetches the
# GTFS of each feed, imports it with the street map, and serves. Each day it fetches the feeds again, and imports them if
# one has changed or the last import is a week old. An import that fails leaves the old one in service.
#
#   TRANSIT         address of the transit API
#   PLANNER_FEEDS   aliases of feeds, separated by spaces; empty: all feeds of the API
set -eu
motis=${MOTIS:-/motis} data=${PLANNER_DATA:-/data} map=${PLANNER_MAP:-/map.osm.pbf} every=${PLANNER_SECONDS:-86400}
api=${TRANSIT:?the address of the transit API}/gtfs/api/v2
say() { echo "planner: $*" >&2; }
get() { timeout 300 wget -q -O "$2" "$1"; } # wget -T crashes in some versions of busybox
[ -f "$map" ] || { say "there is no street map: let PLANNER_MAP name a file .osm.pbf of the town"; exit 1; }

feeds() {
	[ -z "${PLANNER_FEEDS:-}" ] || { echo "$PLANNER_FEEDS"; return; }
	get "$api/feeds?_format=json" - | grep -o '"alias":"[^"]*"' | cut -d'"' -f4
}

# fetch writes the zip of each feed and the configuration into a folder.
fetch() {
	rm -rf "$1" && mkdir -p "$1"
	all=$(feeds) && [ -n "$all" ] || { say "the transit API at $TRANSIT lists no feed"; return 1; }
	cat >"$1/config.yml" <<-EOF
		server:
		  port: 8080
		  web_folder: ${MOTIS_UI:-/ui}
		osm: $map
		timetable:
		  first_day: TODAY
		  num_days: 60
		  datasets:
	EOF
	for feed in $all; do
		get "$api/feeds/$feed/gtfs.zip" "$1/$feed.zip" || { say "cannot fetch the feed $feed"; return 1; }
		# The name is a prefix of ids, which ends at the first underscore.
		printf '    %s:\n      path: %s\n' "$(echo "$feed" | tr _ -)" "$data/feeds/$feed.zip" >>"$1/config.yml"
		live=
		for kind in trip_updates vehicle_positions alerts; do
			url=$api/rt/feeds/$feed/$kind.pb
			get "$url" /dev/null || continue # the feed has none
			[ -n "$live" ] || printf '      rt:\n' >>"$1/config.yml"
			live=1
			printf '        - url: %s\n' "$url" >>"$1/config.yml"
		done
	done
	printf 'street_routing: true\nosr_footpath: true\ngeocoding: true\n' >>"$1/config.yml"
}

# update imports the feeds if that is due. It fails if the served import stays.
update() {
	fetch "$data/fetched" || return 1
	if [ -n "$(find "$data/served/imported" -mtime -7 2>/dev/null)" ] && diff -r "$data/fetched" "$data/feeds" >/dev/null; then
		return 1
	fi
	rm -rf "$data/feeds.old" "$data/next"
	[ ! -d "$data/feeds" ] || mv "$data/feeds" "$data/feeds.old"
	mv "$data/fetched" "$data/feeds"
	if "$motis" import -c "$data/feeds/config.yml" -d "$data/next"; then
		touch "$data/next/imported"
		return 0
	fi
	say "the import failed; the last good one stays in service"
	rm -rf "$data/feeds"
	[ ! -d "$data/feeds.old" ] || mv "$data/feeds.old" "$data/feeds"
	return 1
}

server=
start() {
	if [ -d "$data/next" ]; then
		rm -rf "$data/served"
		mv "$data/next" "$data/served"
	fi
	"$motis" server -d "$data/served" &
	server=$!
}
trap '[ -z "$server" ] || kill "$server"; exit 0' TERM INT

rm -rf "$data/next"
update || [ -f "$data/served/imported" ] || { say "nothing is imported yet"; exit 1; }
start
pause=5 waited=0
[ "$every" -ge "$pause" ] || pause=$every
while sleep "$pause"; do
	kill -0 "$server" 2>/dev/null || { say "MOTIS has ended"; exit 1; }
	waited=$((waited + pause))
	[ "$waited" -ge "$every" ] || continue
	waited=0
	if update; then
		kill "$server" && wait "$server" || true
		start
	fi
done
