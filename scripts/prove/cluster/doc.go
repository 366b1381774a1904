// Package cluster is a real Kubernetes on one machine: two nodes with kubelet, containerd and
// kube-proxy, a control plane, DNS, metrics, and an agent that enforces network policies. It knows
// nothing of Townline.
//
// Isolate starts the program again as the first process of namespaces of its own (of processes,
// mounts and networks), so that all but files and cgroups ends with it; these it removes. The
// control plane has the network of that process, and each node has one of its own:
//
//	10.77.0.1    control plane, behind a bridge      10.77.0.11, .12  nodes
//	10.88.N.0    pods of node N                      10.99.0.0/16     services
package cluster
