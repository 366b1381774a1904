#!/bin/bash
# Runs the root folders of the images of `make image`, each as the user of the image, with a private Postgres and a NATS
# server that are set up like those of compose.yaml. Prints for each service: size of the image, time from exec to
# /readyz while its binary is not cached in memory, and resident memory at rest.
#
#   scripts/deploy-measure.sh [GTFS.zip]        # with a feed, memory is measured after its import
#
# Needs root, buildah, curl, and Debian's postgresql (initdb, psql). Takes about a minute. Stops everything it starts.
set -euo pipefail
cd "$(dirname "$0")/.."
feed=${1:+$(realpath "$1")}
[ "$(id -u)" = 0 ] || { echo "run this as root: it uses chroot" >&2; exit 1; }
pgbin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
[ -n "$pgbin" ] && [ "$(command -v buildah curl psql | wc -l)" = 3 ] || { echo "something is missing: apt-get install buildah curl postgresql" >&2; exit 1; }
ls .cache/images/*.tar >/dev/null 2>&1 || { echo "there are no images yet: run make image" >&2; exit 1; }

work=$(mktemp -d /tmp/measure.XXXXXX)
chmod 755 "$work"
store=(buildah --root "$PWD/.cache/buildah/root" --runroot "$PWD/.cache/buildah/run" --storage-driver vfs)
pids=() containers=()
finish() {
	for p in "${pids[@]}"; do kill "$p" 2>/dev/null || true; done
	for p in "${pids[@]}"; do wait "$p" 2>/dev/null || true; done
	[ ! -f "$work/data/postmaster.pid" ] || runuser -u postgres -- "$pgbin/pg_ctl" -D "$work/data" -m fast stop >/dev/null
	for c in "${containers[@]}"; do "${store[@]}" umount "$c" >/dev/null; "${store[@]}" rm "$c" >/dev/null; done
	rm -rf "$work"
}
trap finish EXIT
port() { while :; do p=$((20000 + RANDOM % 20000)); (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null || { echo "$p"; return; }; done; }

# Postgres, with the passwords that deploy-secrets.sh makes.
set -a; eval "$(scripts/deploy-secrets.sh compose)"; set +a
pg=$(port) nats=$(port)
install -d -o postgres -m 700 "$work/data"
echo "$TOWNLINE_PASSWORD" >"$work/password"; chown postgres "$work/password"
runuser -u postgres -- "$pgbin/initdb" -D "$work/data" -U townline --pwfile "$work/password" -A scram-sha-256 -E UTF8 --locale C.UTF-8 >/dev/null
runuser -u postgres -- "$pgbin/pg_ctl" -D "$work/data" -w -l "$work/data/log" -o "-p $pg -c listen_addresses=127.0.0.1 -c unix_socket_directories=$work/data" start >/dev/null
export PGHOST=127.0.0.1 PGPORT=$pg PGPASSWORD=$TOWNLINE_PASSWORD POSTGRES_USER=townline POSTGRES_DB=townline
psql -q -U townline -d postgres -c 'CREATE DATABASE townline'
deploy/kubernetes/overlays/local/roles.sh >/dev/null
go build -C services -o "$work/nats-server" github.com/nats-io/nats-server/v2
"$work/nats-server" -a 127.0.0.1 -p "$nats" --jetstream --store_dir="$work/nats" --user=townline --pass="$NATS_PASSWORD" >"$work/nats.log" 2>&1 &
pids+=($!)

declare -A root
for tar in .cache/images/*.tar; do
	s=$(basename "$tar" .tar)
	c=$("${store[@]}" from "$("${store[@]}" images --format '{{.Name}}:{{.Tag}}' --filter "reference=localhost/townline/$s" | head -1)")
	containers+=("$c")
	root[$s]=$("${store[@]}" mount "$c")
done
in_image() { # SERVICE ROLE, then arguments: runs the program with the environment of the image
	local s=$1 role=$2; shift 2
	local password=${role^^}_PASSWORD
	exec env -i ZONEINFO=/usr/share/zoneinfo.zip LOG_FORMAT=json "${settings[@]}" \
		DATABASE_URL="postgresql://$role:${!password}@127.0.0.1:$pg/townline?sslmode=disable" NATS_URL="nats://townline:$NATS_PASSWORD@127.0.0.1:$nats" \
		"$(command -v chroot)" --userspec=65532:65532 "${root[$s]}" /service "$@"
}
settings=()
(in_image townline townline migrate --only=council --reader=council_api --writer=council-ingest=council_ingest --writer=clerk=council_clerk)
(in_image townline townline migrate --only=transit --reader=transit_api --writer=gtfs-import=gtfs_import --writer=rt-poller=rt_poller --writer=townline=transit_operator)
if [ -n "$feed" ]; then
	cp "$feed" "${root[townline]}/tmp/feed.zip"
	(in_image townline gtfs_import feed import metro /tmp/feed.zip) | tail -3
fi

printf '\n%-15s %12s %12s %14s\n' service 'image' 'cold start' 'at rest'
for line in council-ingest:council_ingest council-api:council_api gtfs-import:gtfs_import rt-poller:rt_poller transit-api:transit_api; do
	IFS=: read -r s role <<<"$line"
	admin=$(port) api=$(port)
	settings=(ADMIN_ADDR=127.0.0.1:$admin COUNCIL_ADDR=127.0.0.1:$api TRANSIT_ADDR=127.0.0.1:$api)
	dd of="${root[$s]}/service" oflag=nocache conv=notrunc,fdatasync count=0 status=none # out of the page cache
	begin=$(date +%s%N)
	in_image "$s" "$role" >"$work/$s.log" 2>&1 &
	pid=$!; pids+=($pid)
	until [ "$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$admin/readyz")" = 200 ]; do
		kill -0 $pid 2>/dev/null && [ $(($(date +%s%N) - begin)) -lt 30000000000 ] || { cat "$work/$s.log"; curl -s "http://127.0.0.1:$admin/readyz"; exit 1; } >&2
		sleep 0.005
	done
	took=$((($(date +%s%N) - begin) / 1000000))
	sleep 8
	printf '%-15s %9.1f MB %9d ms %11.1f MB\n' "$s" "$(stat -c %s ".cache/images/$s.tar" | awk '{print $1/1e6}')" $took \
		"$(awk '/VmRSS/ {print $2*1024/1e6}' /proc/$pid/status)"
	kill $pid; wait $pid || { echo "$s ended badly:" >&2; tail -3 "$work/$s.log" >&2; exit 1; }
done
