// Package cluster runs a real Kubernetes on one machine: two nodes with kubelet, containerd and
// kube-proxy, a control plane, DNS, metrics, and an agent that enforces network policies. It does
// not depend on Townline.
//
// Isolate starts the program again as the first process of new Linux namespaces (of processes,
// mounts and networks). When that process ends, everything in the namespaces ends, too. Only files
// and cgroups remain, which Isolate removes. The control plane uses the network of that process,
// and each node has its own:
//
//	10.77.0.1    control plane, behind a bridge      10.77.0.11, .12  nodes
//	10.88.N.0    pods of node N                      10.99.0.0/16     services
package cluster
