// Package deploy tests deploy/ without a cluster. It renders every overlay. It checks the objects
// and compose.yaml against schemas of Kubernetes and of operators (schemas/, made by
// scripts/deploy-schemas.sh) and against our rules (rules_test.go). `make deploy-check` runs it.
// scripts/deploy-prove.sh has the checks that need a real API server.
package deploy
