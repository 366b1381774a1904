// Package deploy tests deploy/ without a cluster. It renders every overlay, and checks the objects
// against schemas of Kubernetes and of operators (schemas/, made by scripts/deploy-schemas.sh) and
// against our rules (rules_test.go); compose.yaml too. `make deploy-check` runs it.
// scripts/deploy-prove.sh has the checks that need a real API server.
package deploy
