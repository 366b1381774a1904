// Package deploy checks what is in deploy/ without a cluster: every overlay is
// rendered, held against the schemas of Kubernetes and of the operators' kinds
// (schemas/, made by scripts/deploy-schemas.sh), and against the rules that our
// workloads keep (rules_test.go); compose.yaml likewise. `make deploy-check` runs it.
// What only a real API server can tell is scripts/deploy-prove.sh's.
package deploy
