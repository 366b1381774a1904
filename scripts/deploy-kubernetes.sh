#!/bin/bash
# Builds programs of Kubernetes from source, unless it has built them before, and prints their folder:
#
#   scripts/deploy-kubernetes.sh kube-apiserver kubectl etcd
#
# Building all of them takes about ten minutes on two cores, once. scripts/deploy/apiserver/go.mod has the versions of
# Kubernetes and etcd.
set -euo pipefail
cd "$(dirname "$0")/.."
module=$PWD/scripts/deploy/apiserver
versions=$(cat "$module/go.mod" "$module/go.sum"; grep -o '@v[0-9.]*' scripts/deploy-kubernetes.sh)
bin=$PWD/.cache/kubernetes/$(sha256sum <<<"$versions" | cut -c1-12)
version=$(sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\).*|\1|p' "$module/go.mod")
export GOWORK=off CGO_ENABLED=0 GOFLAGS="-buildvcs=false -trimpath"
mkdir -p "$bin"
build() { nice go build "$@" >&2; }
fetch() { GOBIN=$bin nice go install -ldflags '-s -w' "$1" >&2; }
set=k8s.io/component-base/version
link="-s -w -X $set.gitVersion=$version -X $set.gitMajor=1 -X $set.gitMinor=$(cut -d. -f2 <<<"$version")"
for program; do
	[ ! -x "$bin/$program" ] || continue
	echo "building $program: minutes, once" >&2
	case $program in
	kube*) build -C "$module" -ldflags "$link" -o "$bin/" "k8s.io/kubernetes/cmd/$program" ;;
	etcd) build -C "$module" -ldflags '-s -w' -o "$bin/etcd" go.etcd.io/etcd/server/v3 ;;
	nats-server) fetch github.com/nats-io/nats-server/v2@v2.15.2 ;;
	metrics-server) fetch sigs.k8s.io/metrics-server/cmd/metrics-server@v0.7.2 ;;
	coredns) # only the needed plugins, in a separate module, because it uses another version of client-go
		mkdir -p "$bin/coredns.src"
		cat >"$bin/coredns.src/main.go" <<-'GO'
			package main

			import (
				"github.com/coredns/coredns/core/dnsserver"
				"github.com/coredns/coredns/coremain"
				_ "github.com/coredns/coredns/plugin/cache"
				_ "github.com/coredns/coredns/plugin/errors"
				_ "github.com/coredns/coredns/plugin/health"
				_ "github.com/coredns/coredns/plugin/kubernetes"
				_ "github.com/coredns/coredns/plugin/ready"
			)

			func main() {
				dnsserver.Directives = []string{"health", "ready", "errors", "cache", "kubernetes"}
				coremain.Run()
			}
		GO
		[ -f "$bin/coredns.src/go.mod" ] || (cd "$bin/coredns.src" && go mod init coredns >&2)
		go get -C "$bin/coredns.src" github.com/coredns/coredns@v1.15.0 >&2
		build -C "$bin/coredns.src" -ldflags '-s -w' -o "$bin/coredns" . ;;
	*) echo "no such program: $program" >&2; exit 2 ;;
	esac
done
echo "$bin"
