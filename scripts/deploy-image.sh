#!/bin/bash
# Builds the images of all services (or those named) with buildah, without a Docker daemon and without a registry, runs
# each, and builds them a second time to check that the digest is the same. It writes archives for `docker load`,
# `podman load` and `kind load image-archive` to .cache/images, with digest and bill of materials of each; the images are
# named localhost/townline/…:local.
#
#   make image [SERVICES="transit-api townline"] [VERSION=v1.2.3]
set -euo pipefail
cd "$(dirname "$0")/.."
command -v buildah >/dev/null || { echo "buildah is missing: apt-get install buildah; or use Docker: docker build -f deploy/container/Dockerfile --build-arg SERVICE=… ." >&2; exit 1; }

services=("$@")
[ $# -gt 0 ] || services=(council-ingest council-api gtfs-import rt-poller transit-api townline)
export VERSION=${VERSION:-$(git describe --tags --always --dirty)}
revision=$(git rev-parse HEAD)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)

# The vfs driver and chroot isolation work everywhere, even in unprivileged containers.
store=$PWD/.cache/buildah
images=$PWD/.cache/images
mkdir -p "$images"
trap 'rm -rf "$images"/.once' EXIT
build() { buildah --root "$store/root" --runroot "$store/run" --storage-driver vfs "$@"; }

image() { # SERVICE ARCHIVE: prints the digest of the manifest
	build bud --quiet --no-cache --isolation chroot --format oci --timestamp "$SOURCE_DATE_EPOCH" -f deploy/container/Dockerfile \
		--build-arg FROM_ROOT=prebuilt --build-arg SERVICE="$1" --build-arg VERSION="$VERSION" --build-arg REVISION="$revision" \
		--build-arg CREATED="$created" -t "localhost/townline/$1:$VERSION" "$images/root" >/dev/null
	rm -f "$2"
	build push --quiet --digestfile "$2.digest" "localhost/townline/$1:$VERSION" "oci-archive:$2:localhost/townline/$1:local" >&2
	cat "$2.digest"
}

scripts/deploy-image-root.sh "$images/root" "${services[@]}"
declare -A first
for s in "${services[@]}"; do
	first[$s]=$(image "$s" "$images/$s.tar")
	cp "$images/root/$s/usr/share/sbom/"*.json "$images/$s.cdx.json"
done

# Build everything again: the digests must be the same.
rm -rf "$images/root"
mkdir -p "$images/.once"
scripts/deploy-image-root.sh "$images/root" "${services[@]}" 2>/dev/null
failed=0
printf '%-16s %9s %9s  %s\n' image binary archive digest
for s in "${services[@]}"; do
	again=$(image "$s" "$images/.once/$s.tar")
	[ "$again" = "${first[$s]}" ] || { echo "$s: not reproducible: ${first[$s]}, then $again" >&2; failed=1; }
	container=$(build from "localhost/townline/$s:$VERSION")
	says=$(build run --isolation chroot "$container" -- /service --version)
	[ "$says" = "$VERSION" ] || { echo "$s: the image says version $says, not $VERSION" >&2; failed=1; }
	build rm "$container" >/dev/null
	user=$(build inspect --type image --format '{{.OCIv1.Config.User}}' "localhost/townline/$s:$VERSION")
	[ "$user" = 65532:65532 ] || { echo "$s: runs as $user" >&2; failed=1; }
	printf '%-16s %6.1f MB %6.1f MB  %s\n' "$s" "$(stat -c %s "$images/root/$s/service" | awk '{print $1/1e6}')" \
		"$(stat -c %s "$images/$s.tar" | awk '{print $1/1e6}')" "$again"
done
rm -rf "$images/root"
exit $failed
