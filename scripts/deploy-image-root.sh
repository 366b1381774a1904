#!/bin/sh
# Builds the binaries and the root folders of images below OUT:
#
#   VERSION=v1.2.3 scripts/deploy-image-root.sh OUT SERVICE…
#
# The same commit and version give the same bytes on any machine, and in the build stage of the Dockerfile.
set -eu
out=$1; shift
mkdir -p "$out/.bin"
for service; do
	CGO_ENABLED=0 GOOS=linux GOAMD64=v1 go build -trimpath -buildvcs=false -tags=nomsgpack \
		-ldflags "-s -w -buildid= -X github.com/townline/townline/pkg/run.Version=${VERSION:-unknown}" \
		-o "$out/.bin/$service" "./services/$service/cmd/$service"
done
out=$(cd "$out" && pwd)
GOWORK=off GOOS= GOARCH= go run -C scripts/tools ./imageroot -out "$out" -bin "$out/.bin" -version "${VERSION:-unknown}" "$@"
rm -rf "$out/.bin"
