package cluster

// Command lines and configuration of the programs. Paths are relative to the folder of the run.

const kubeconfig = `{"apiVersion": "v1", "kind": "Config", "current-context": "x",
"clusters": [{"name": "c", "cluster": {"server": "` + apiServer + `", "insecure-skip-tls-verify": true}}],
"users": [{"name": "u", "user": {"token": "token"}}],
"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}]}`

const etcdFlags = ` --data-dir etcd --unsafe-no-fsync --listen-peer-urls http://127.0.0.1:2380`

const apiServerFlags = ` --etcd-servers http://127.0.0.1:2379 --cert-dir certs
	--bind-address ` + controlAddress + ` --advertise-address ` + controlAddress + `
	--token-auth-file tokens --authorization-mode RBAC --allow-privileged
	--service-cluster-ip-range 10.99.0.0/16 --kubelet-preferred-address-types InternalIP
	--service-account-issuer https://kubernetes.default.svc
	--service-account-key-file sa.key --service-account-signing-key-file sa.key
	--enable-aggregator-routing --requestheader-client-ca-file front-ca.crt
	--requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group
	--requestheader-extra-headers-prefix X-Remote-Extra-
	--proxy-client-cert-file front.crt --proxy-client-key-file front.key`

const controllerFlags = ` --kubeconfig kubeconfig --leader-elect=false --bind-address 127.0.0.1
	--cert-dir certs --service-account-private-key-file sa.key
	--horizontal-pod-autoscaler-sync-period 5s
	--horizontal-pod-autoscaler-initial-readiness-delay 5s
	--horizontal-pod-autoscaler-cpu-initialization-period 20s`

const schedulerFlags = ` --kubeconfig kubeconfig --leader-elect=false --bind-address 127.0.0.1 --cert-dir certs`

const metricsFlags = ` --kubeconfig kubeconfig --authentication-kubeconfig kubeconfig
	--authorization-kubeconfig kubeconfig --kubelet-insecure-tls
	--kubelet-preferred-address-types InternalIP --metric-resolution 10s --kubelet-request-timeout 5s
	--bind-address ` + controlAddress + ` --secure-port 4443 --cert-dir metrics`

// In the configuration of a node, NODE, ADDRESS, PODS, FOLDER and CGROUP are placeholders for its
// values.

const containerdLine = `containerd --config NODE/containerd.toml`

const kubeletLine = `kubelet --config NODE/kubelet.yaml --kubeconfig kubeconfig --root-dir FOLDER/NODE/kubelet
	--cert-dir NODE/certs --hostname-override NODE --node-ip ADDRESS`

const proxyLine = `kube-proxy --config NODE/proxy.yaml`

const podsConfig = `{"cniVersion": "0.4.0", "name": "NODE", "plugins": [{"type": "ptp", "ipam":
	{"type": "host-local", "ranges": [[{"subnet": "PODS"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}`

const containerdConfig = `version = 2
root = "FOLDER/NODE/containerd"
state = "/run/NODE/containerd"
disabled_plugins = [
	"io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
	"io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt",
]
[grpc]
address = "/run/NODE/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "localhost/pause:local"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "FOLDER/NODE/cni"
`

const kubeletConfig = `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: ADDRESS
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupRoot: /CGROUP/NODE
clusterDNS: [10.99.0.10]
clusterDomain: cluster.local
containerRuntimeEndpoint: unix:///run/NODE/containerd.sock
evictionHard: {nodefs.available: 0%, imagefs.available: 0%, memory.available: 100Mi}
failCgroupV1: false
failSwapOn: false
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
makeIPTablesUtilChains: false
podLogsDir: /var/log/NODE
resolvConf: ""
volumePluginDir: FOLDER/NODE/plugins
`

const proxyConfig = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: nftables
clusterCIDR: ` + podRange + `
hostnameOverride: NODE
clientConnection: {kubeconfig: kubeconfig}
conntrack: {maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s}
`
