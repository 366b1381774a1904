#!/bin/bash
# Runs the townline command once in the cluster, in a pod with restricted security and the network policies:
#
#   scripts/deploy-run.sh transit-operator key add kiosk --role kiosk
#   scripts/deploy-run.sh gtfs-import feed rollback metro
#   scripts/deploy-run.sh council-ingest council check
#   scripts/deploy-run.sh council-clerk council review list
#
# The first argument is the database role; the Secret ROLE-database must exist. NAMESPACE defaults to townline, and IMAGE
# to the image that was applied with the services. KUBECTL_FLAGS are additional flags for kubectl run. When the command
# has ended, the script prints its output and exits with its status.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
command -v kubectl >/dev/null || { echo "kubectl is missing: https://kubernetes.io/docs/tasks/tools/ explains how to install it" >&2; exit 1; }
role=$1; shift
namespace=${NAMESPACE:-townline}
half=transit with=transit-api # a Deployment that mounts the configuration
[[ $role != council-* ]] || half=council with=council-ingest
if [ -z "${IMAGE:-}" ]; then
	IMAGE=$(kubectl get -n "$namespace" podtemplate townline-operator -o 'jsonpath={.template.spec.containers[0].image}') || {
		echo "namespace $namespace does not name an image: apply the overlay again, or set IMAGE" >&2
		exit 1
	}
fi
config=$(kubectl get -n "$namespace" deployment "$with" -o "jsonpath={.spec.template.spec.volumes[?(@.name=='config')].configMap.name}")
reach='"reach.townline/postgres": "yes", "reach.townline/nats": "yes"'
case $role in transit-operator | council-clerk) ;; *) reach+=', "reach.townline/internet": "yes"' ;; esac
arguments=$(printf '%s\n' "$@" | sed 's/\\/\\\\/g; s/"/\\"/g; s/.*/"&"/' | paste -sd,)
mount='' volume='' setting=''
if [ -n "$config" ]; then
	mount=', {"name": "config", "mountPath": "/etc/townline/config", "readOnly": true}'
	volume=', {"name": "config", "configMap": {"name": "'$config'"}}'
	setting=', {"name": "'${half^^}'_CONFIG", "value": "/etc/townline/config/'$half'.yaml"}'
fi
name=townline-$(date +%s)-$$
# shellcheck disable=SC2086 # splits KUBECTL_FLAGS into words
kubectl run "$name" -n "$namespace" --image "$IMAGE" --restart Never ${KUBECTL_FLAGS-} --override-type strategic --overrides '{
  "apiVersion": "v1", "metadata": {"labels": {"app.kubernetes.io/part-of": "townline", '"$reach"'}},
  "spec": {
    "automountServiceAccountToken": false, "enableServiceLinks": false, "activeDeadlineSeconds": 14400,
    "securityContext": {"runAsNonRoot": true, "runAsUser": 65532, "runAsGroup": 65532, "fsGroup": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
    "containers": [{
      "name": "'"$name"'", "args": ['"$arguments"'],
      "securityContext": {"allowPrivilegeEscalation": false, "readOnlyRootFilesystem": true, "capabilities": {"drop": ["ALL"]}},
      "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "2Gi"}},
      "env": [
        {"name": "DATABASE_URL", "valueFrom": {"secretKeyRef": {"name": "'"$role"'-database", "key": "url"}}},
        {"name": "NATS_URL", "valueFrom": {"secretKeyRef": {"name": "nats-client", "key": "url"}}},
        {"name": "GOMEMLIMIT", "value": "1800MiB"}'"$setting"'],
      "envFrom": [{"secretRef": {"name": "'$half'-keys", "optional": true}}],
      "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}, {"name": "database-ca", "mountPath": "/etc/townline/database", "readOnly": true}'"$mount"']
    }],
    "volumes": [
      {"name": "tmp", "emptyDir": {"sizeLimit": "4Gi"}},
      {"name": "database-ca", "secret": {"secretName": "townline-db-ca", "optional": true, "items": [{"key": "ca.crt", "path": "ca.crt"}]}}'"$volume"'
    ]
  }
}' >&2
case ${KUBECTL_FLAGS-} in *--dry-run*) exit ;; esac
# An attached client can miss the output of a short command; the log is complete.
trap 'kubectl delete pod "$name" -n "$namespace" --wait=false >/dev/null' EXIT
trap 'exit 130' INT TERM
ask() { kubectl get pod "$name" -n "$namespace" -o "jsonpath={$1}"; }
for ((asked = 1; ; asked++)); do
	case $(ask .status.phase) in Succeeded | Failed) break ;; esac
	[ $((asked % 60)) != 0 ] || kubectl get pod "$name" -n "$namespace" --no-headers >&2
	sleep 1
done
kubectl logs "$name" -n "$namespace" || { trap - EXIT; echo "pod $name is kept for its log" >&2; exit 1; }
status=$(ask '.status.containerStatuses[0].state.terminated.exitCode')
exit "${status:-1}"
