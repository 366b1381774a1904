#!/bin/sh
# Makes scripts/tools/deploy/schemas from the descriptions in pinned Go modules. Run it after changing a version here,
# or when the manifests use a new kind.
set -eu
cd "$(dirname "$0")/.."
folder() { GOWORK=off go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'; }
kubernetes=$(folder k8s.io/kubernetes@v1.36.3)
prometheus=$(folder github.com/prometheus-operator/prometheus-operator@v0.85.0)/example/prometheus-operator-crd
secrets=$(folder github.com/external-secrets/external-secrets@v1.3.2)/config/crds/bases
GOWORK=off go run -C scripts/tools ./deployschemas -out "$PWD/scripts/tools/deploy/schemas" -openapi "$kubernetes/api/openapi-spec/swagger.json" \
	-kinds Namespace,ServiceAccount,ConfigMap,Secret,Service,PriorityClass,Deployment,StatefulSet,Job,CronJob,PodDisruptionBudget,HorizontalPodAutoscaler,NetworkPolicy,Ingress,PodTemplate \
	"$prometheus/monitoring.coreos.com_podmonitors.yaml" "$prometheus/monitoring.coreos.com_prometheusrules.yaml" \
	"$secrets/external-secrets.io_externalsecrets.yaml" "$PWD/scripts/deploy/cloudnative-pg-crds.yaml"
