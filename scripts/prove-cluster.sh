#!/bin/bash
# Builds a Kubernetes cluster of two nodes on this machine, once, and proves that the overlays start and stay available
# on it (`make prove-cluster`). scripts/prove/main.go lists the checks.
set -euo pipefail
cd "$(dirname "$0")/.."
skipped() { echo "SKIPPED: $*"; exit 0; }
[ "$(uname -s)" = Linux ] || skipped "nodes need Linux"
[ "$(id -u)" = 0 ] || skipped "it needs root, for namespaces"
[ -e /sys/fs/cgroup/memory/cgroup.procs ] || skipped "nodes are set up for cgroup v1, which this machine does not have"
missing=()
need() { command -v "$1" >/dev/null || missing+=("$2"); } # PROGRAM PACKAGE
need containerd containerd
need runc runc
need nft nftables
need ip iproute2
need nsenter util-linux
need debootstrap debootstrap
need buildah buildah
need openssl openssl
need /usr/lib/cni/ptp containernetworking-plugins
[ ${#missing[@]} = 0 ] ||
	skipped "install these; no service of theirs has to run: apt-get install --no-install-recommends ${missing[*]}"

bin=$(scripts/deploy-kubernetes.sh etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl \
	coredns metrics-server nats-server)
images=$PWD/.cache/cluster root=$PWD/.cache/cluster/root
mkdir -p "$images"
build() { buildah --root "$images/store/root" --runroot "$images/store/run" --storage-driver vfs "$@"; }
image() { # NAME CONFIG…: makes an archive of the root folder
	local c
	c=$(build from scratch)
	build copy -q "$c" "$root" / >/dev/null
	build config "${@:2}" "$c"
	build commit -q "$c" "localhost/$1:local" >/dev/null
	rm -f "$images/$1.tar"
	build push -q "localhost/$1:local" "docker-archive:$images/$1.tar:localhost/$1:local"
	build rm "$c" >/dev/null
	build rmi "localhost/$1:local" >/dev/null
	rm -rf "$root"
}
program() { # NAME BINARY: makes an image of one static program
	[ ! "$images/$1.tar" -nt "$2" ] || return 0
	rm -rf "$root"
	mkdir -p "$root"
	cp "$2" "$root/program"
	image "$1" --entrypoint '["/program"]'
}
[ -x "$images/pause" ] ||
	GOWORK=off CGO_ENABLED=0 go build -C scripts/prove -ldflags '-s -w' -o "$images/pause" ./pause
program pause "$images/pause"
program coredns "$bin/coredns"
program nats "$bin/nats-server"
if [ ! -s "$images/debian.tar" ]; then # Postgres, and nginx for the ingress
	echo "installing Debian's Postgres and nginx into an image"
	rm -rf "$root"
	release=$(. /etc/os-release; echo "$VERSION_CODENAME")
	debootstrap --variant=minbase --include=postgresql,nginx-light "$release" "$root" >"$images/debootstrap.log" ||
		{ tail "$images/debootstrap.log" >&2; exit 1; }
	# Remove parts that no service needs; Postgres' JIT compiler alone is a third of the size.
	rm -rf "$root"/var/{cache/apt/*,lib/apt/lists/*,lib/postgresql/*/main} "$root"/usr/share/{doc,locale,man} \
		"$root"/usr/lib/*/libLLVM* "$root"/usr/lib/postgresql/*/lib/bitcode
	sed -i 's/^postgres:x:[0-9]*:[0-9]*/postgres:x:999:999/' "$root/etc/passwd"
	image debian --stop-signal SIGINT # a fast stop of Postgres
fi
# Use the images as shipped, rebuilt if the source has changed.
source=$(git ls-files -z -co --exclude-standard services pkg proto deploy/container scripts/tools |
	xargs -0 sha256sum | sha256sum)
if [ "$source" != "$(cat .cache/images/source 2>/dev/null)" ]; then
	scripts/deploy-image.sh
	echo "$source" >.cache/images/source
fi
GOWORK=off go build -C scripts/prove -o "$PWD/.cache/prove"
[ "${1:-}" != build ] || exit 0
# An upgrade starts from the images of an earlier version: $FROM or, by default, the last release.
from=${FROM:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[ -z "$from" ] || {
	revision=$(git rev-parse --short "$from^{commit}")
	old=$PWD/.cache/old-$revision
	[ -d "$old" ] || { mkdir "$old" && git archive "$revision" | tar -x -C "$old"; }
	if [ "$revision" != "$(cat .cache/old/revision 2>/dev/null)" ]; then
		VERSION=$revision SOURCE_DATE_EPOCH=$(git log -1 --format=%ct "$revision") "$old/scripts/deploy-image.sh"
		rm -rf .cache/old && mkdir .cache/old
		for s in council-ingest council-api gtfs-import rt-poller transit-api townline; do
			build --root "$old/.cache/buildah/root" --runroot "$old/.cache/buildah/run" push -q \
				"localhost/townline/$s:$revision" "oci-archive:.cache/old/$s.tar:localhost/townline/$s:old"
		done
		echo "$revision" >.cache/old/revision
	fi
	set -- -old "$old" "$@"
}
exec .cache/prove -cluster -bin "$bin" "$@"
