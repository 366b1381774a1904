#!/bin/bash
# Applies every overlay to a real Kubernetes API server, built from source, with its own etcd on loopback. Checks
# validation, admission with restricted pod security, and that a second apply changes nothing. There are no nodes and no
# controllers, so no pod runs: `make prove-cluster` checks probes, policies and scaling.
#
# The first run takes some minutes to build the programs, and keeps them in .cache/kubernetes. Later runs take a minute.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v openssl >/dev/null || { echo "openssl is missing: apt-get install openssl" >&2; exit 1; }
root=$PWD
module=$root/scripts/deploy/apiserver
version=$(sed -n 's|^\tk8s.io/kubernetes \(v[0-9.]*\).*|\1|p' "$module/go.mod")
bin=$(scripts/deploy-kubernetes.sh kube-apiserver kubectl etcd)
GOWORK=off go build -C scripts/tools -o "$bin/" sigs.k8s.io/kustomize/kustomize/v5 ./deploypods
mv -f "$bin/v5" "$bin/kustomize" 2>/dev/null || true
folder() { GOWORK=off go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'; }
eval "$(grep -E '^(prometheus|secrets)=' scripts/deploy-schemas.sh)"

work=$(mktemp -d)
pids=()
stop() { # kills both; their data is not needed any more
	for p in "${pids[@]}"; do kill -9 "$p" 2>/dev/null || true; wait "$p" 2>/dev/null || true; done
	pids=()
}
trap 'stop; rm -rf "$work"' EXIT
port() { # prints a free port
	while :; do p=$((20000 + RANDOM % 20000)); (exec 3<>"/dev/tcp/127.0.0.1/$p") 2>/dev/null || { echo "$p"; return; }; done
}

start() { # FOLDER: a new and empty cluster
	local dir=$1 e=$(port) peer=$(port) s=$(port)
	mkdir -p "$dir"
	openssl genrsa -out "$dir/sa.key" 2048 2>/dev/null
	echo "token,admin,admin,system:masters" >"$dir/tokens"
	"$bin/etcd" --data-dir "$dir/etcd" --listen-client-urls "http://127.0.0.1:$e" --advertise-client-urls "http://127.0.0.1:$e" \
		--listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
		--initial-cluster "default=http://127.0.0.1:$peer" --unsafe-no-fsync >"$dir/etcd.log" 2>&1 &
	pids+=($!)
	"$bin/kube-apiserver" --etcd-servers "http://127.0.0.1:$e" --bind-address 127.0.0.1 --secure-port "$s" --cert-dir "$dir/certs" \
		--token-auth-file "$dir/tokens" --authorization-mode RBAC --service-cluster-ip-range 10.99.0.0/24 \
		--service-account-issuer https://kubernetes.default.svc --service-account-key-file "$dir/sa.key" \
		--service-account-signing-key-file "$dir/sa.key" >"$dir/apiserver.log" 2>&1 &
	pids+=($!)
	cat >"$dir/kubeconfig" <<-K
		apiVersion: v1
		kind: Config
		clusters: [{name: c, cluster: {server: "https://127.0.0.1:$s", insecure-skip-tls-verify: true}}]
		users: [{name: u, user: {token: token}}]
		contexts: [{name: x, context: {cluster: c, user: u}}]
		current-context: x
	K
	export KUBECONFIG=$dir/kubeconfig HOME=$dir
	for _ in $(seq 120); do
		[ "$("$bin/kubectl" get --raw /readyz 2>/dev/null)" = ok ] && return
		kill -0 "${pids[1]}" 2>/dev/null || break
		sleep 0.5
	done
	tail -20 "$dir/apiserver.log" "$dir/etcd.log" >&2
	echo "the API server did not come up" >&2
	exit 1
}
kubectl() { "$bin/kubectl" "$@"; }
strict=(--server-side --field-manager=deploy --validate=strict --warnings-as-errors)
refused() { # WORD, then a command that must fail with WORD in its output
	local word=$1; shift
	if out=$("$@" 2>&1); then echo "the server accepted an object that it must refuse: $word" >&2; exit 1; fi
	grep -q "$word" <<<"$out" || { echo "refused, but not for $word: $out" >&2; exit 1; }
}

printf '%-14s %8s %6s %s\n' overlay objects pods result
for overlay in full transit-only council-only local; do
	begin=$SECONDS
	start "$work/$overlay"
	kubectl apply -f - --server-side >/dev/null < <(
		for crd in "$prometheus"/monitoring.coreos.com_{podmonitors,prometheusrules}.yaml "$secrets"/external-secrets.io_externalsecrets.yaml scripts/deploy/cloudnative-pg-crds.yaml; do
			echo ---; cat "$crd"
		done)
	kubectl wait --for condition=established --timeout 30s crd --all >/dev/null
	rendered=$work/$overlay.yaml
	"$bin/kustomize" build "deploy/kubernetes/overlays/$overlay" >"$rendered"
	# A dry run fails without the namespace.
	kubectl apply "${strict[@]}" -f deploy/kubernetes/base/townline/namespace.yaml >/dev/null
	kubectl apply "${strict[@]}" --dry-run=server -f "$rendered" >/dev/null
	kubectl apply "${strict[@]}" -f "$rendered" >/dev/null
	versions() { kubectl get -f "$rendered" -o jsonpath='{range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\n"}{end}'; }
	versions >"$work/before"
	kubectl apply "${strict[@]}" -f "$rendered" >/dev/null
	versions >"$work/after"
	diff "$work/before" "$work/after" >&2 || { echo "$overlay: a second apply changes things" >&2; exit 1; }
	"$bin/deploypods" <"$rendered" >"$work/pods.yaml"
	kubectl create --validate=strict -f "$work/pods.yaml" >/dev/null
	case $overlay in local) kind=local ;; *) kind=cluster ;; esac
	scripts/deploy-secrets.sh $kind | kubectl apply -n townline "${strict[@]}" -f - >/dev/null
	# Run an operator's command in its own pod.
	case $overlay in council-only) role=council-clerk ;; *) role=transit-operator ;; esac
	kubectl create serviceaccount default -n townline >/dev/null # normally created by a controller
	PATH=$bin:$PATH KUBECTL_FLAGS='--dry-run=server -o json' scripts/deploy-run.sh $role key add 'a "kiosk"' --role kiosk 2>"$work/operator"
	for part in '"a \"kiosk\""' _CONFIG /townline:; do
		grep -qF "$part" "$work/operator" || { echo "$overlay: no $part in the operator's pod:" >&2; cat "$work/operator" >&2; exit 1; }
	done

	# The server must refuse a privileged pod, a misspelt field, and an unknown time zone.
	sed 's/readOnlyRootFilesystem/readOnlyRootFilesytem/' "$rendered" >"$work/broken.yaml"
	refused readOnlyRootFilesytem kubectl apply "${strict[@]}" --dry-run=server -f "$work/broken.yaml"
	sed 's/type: RuntimeDefault/type: Unconfined/' "$rendered" >"$work/broken.yaml"
	refused restricted kubectl apply "${strict[@]}" --dry-run=server -f "$work/broken.yaml"
	sed 's/^  name: /  name: other-/; s/allowPrivilegeEscalation: false/allowPrivilegeEscalation: true/' "$work/pods.yaml" >"$work/broken.yaml"
	refused 'violates PodSecurity "restricted' kubectl create -f "$work/broken.yaml"
	if grep -q timeZone "$rendered"; then
		sed 's|timeZone: .*|timeZone: America/Nowhere|' "$rendered" >"$work/broken.yaml"
		refused 'America/Nowhere' kubectl apply "${strict[@]}" --dry-run=server -f "$work/broken.yaml"
	fi
	printf '%-14s %8d %6d taken, unchanged when applied again, all pods admitted as restricted (%d s)\n' "$overlay" \
		"$(grep -c '^kind:' "$rendered")" "$(grep -c '^kind: Pod' "$work/pods.yaml")" $((SECONDS - begin))
	stop
done
echo "Kubernetes $version, etcd $(sed -n 's|^\tgo.etcd.io/etcd/server/v3 \(v[0-9.]*\).*|\1|p' "$module/go.mod")"
