package cluster

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/townline/townline/pkg/wait"
)

// Addresses within the namespaces.
const (
	controlAddress = "10.77.0.1"
	podRange       = "10.88.0.0/16"
	apiServer      = "https://" + controlAddress + ":6443"
)

// Options configure a cluster.
type Options struct {
	Folder string   // folder of this run
	Bin    string   // folder of the built programs
	Images []string // image archives for every node
	Public string   // a public address that pods can reach, in the control plane's network
}

// A Cluster is a running cluster.
type Cluster struct {
	o     Options
	api   http.Client
	Nodes []*Node
}

// Start starts the control plane and two nodes, and returns when both are ready.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	c := &Cluster{o: o}
	insecure := &tls.Config{InsecureSkipVerify: true} // its certificate is from this run
	c.api.Transport = &http.Transport{TLSClientConfig: insecure}
	for _, name := range []string{"node1", "node2"} {
		c.Nodes = append(c.Nodes, &Node{c: c, Name: name, number: len(c.Nodes) + 1})
	}
	if err := c.network(ctx); err != nil {
		return nil, err
	}
	if err := c.control(ctx); err != nil {
		return nil, err
	}
	errs := make(chan error, len(c.Nodes))
	for _, n := range c.Nodes {
		go func() { errs <- n.start(ctx) }()
	}
	for range c.Nodes {
		if err := <-errs; err != nil {
			return nil, err
		}
	}
	go c.enforcePolicies(ctx)
	if err := c.metrics(ctx); err != nil {
		return nil, err
	}
	if _, err := c.Kubectl(ctx, "", "apply", "-f", "scripts/prove/cluster/dns.yaml"); err != nil {
		return nil, err
	}
	return c, await(ctx, 90*time.Second, "nodes", func() error {
		_, err := c.Kubectl(ctx, "", "wait", "--for=condition=Ready", "node/node1", "node/node2", "--timeout=30s")
		return err
	})
}

// network creates the bridge and a namespace for each node.
func (c *Cluster) network(ctx context.Context) error {
	lines := fmt.Sprintf(`ip link set lo up
		ip link add br0 type bridge
		ip addr add %s/24 dev br0
		ip link set br0 up
		ip addr add %s/32 dev lo
		echo 1 >/proc/sys/net/ipv4/ip_forward
		`, controlAddress, c.o.Public)
	for _, n := range c.Nodes {
		lines += fmt.Sprintf(`ip netns add %[1]s
			ip link add %[1]s type veth peer name eth0 netns %[1]s
			ip link set %[1]s master br0 up
			ip -n %[1]s link set lo up
			ip -n %[1]s addr add %[2]s/24 dev eth0
			ip -n %[1]s link set eth0 up
			ip -n %[1]s route add default via %[3]s
			ip route add %[4]s via %[2]s
			nsenter --net=/run/netns/%[1]s sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward'
			`, n.Name, n.address(), controlAddress, n.pods())
	}
	for i, n := range c.Nodes {
		other := c.Nodes[1-i]
		lines += fmt.Sprintf("ip -n %s route add %s via %s\n", n.Name, other.pods(), other.address())
	}
	out, err := exec.CommandContext(ctx, "sh", "-euxc", lines).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make networks: %w: %s", err, out)
	}
	return nil
}

func (c *Cluster) control(ctx context.Context) error {
	a, err := NewAuthority()
	if err != nil {
		return err
	}
	cert, key, err := a.Issue("front")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"front-ca.crt": a.Certificate, "front.crt": cert, "front.key": key,
		"tokens": []byte("token,admin,admin,system:masters\n"), "kubeconfig": []byte(kubeconfig),
	} {
		if err := c.write(name, content); err != nil {
			return err
		}
	}
	out, err := exec.CommandContext(ctx, "openssl", "genrsa", "-out", c.file("sa.key"), "2048").CombinedOutput()
	if err != nil {
		return fmt.Errorf("make a key: %w: %s", err, out)
	}
	if err := errors.Join(c.run("etcd"+etcdFlags), c.run("kube-apiserver"+apiServerFlags)); err != nil {
		return err
	}
	answers := func() error { return c.Get(ctx, "/readyz", nil) }
	if err := await(ctx, time.Minute, "the API server", answers); err != nil {
		return err
	}
	return errors.Join(c.run("kube-controller-manager"+controllerFlags), c.run("kube-scheduler"+schedulerFlags))
}

// metrics starts metrics-server, which the autoscaler needs.
func (c *Cluster) metrics(ctx context.Context) error {
	if err := c.run("metrics-server" + metricsFlags); err != nil {
		return err
	}
	_, err := c.Kubectl(ctx, "", "apply", "-f", "scripts/prove/cluster/metrics.yaml")
	return err
}

func (c *Cluster) file(name string) string { return filepath.Join(c.o.Folder, name) }

func (c *Cluster) write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(c.file(name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.file(name), content, 0o600)
}

func (c *Cluster) run(line string) error {
	_, err := c.start("", line)
	return err
}

// start starts a program in the folder of the run. If node is not "", it uses the network of that
// node.
func (c *Cluster) start(node, line string) (*exec.Cmd, error) {
	words := strings.Fields(line)
	log, err := os.OpenFile(c.file(node+words[0]+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	if path := filepath.Join(c.o.Bin, words[0]); exists(path) {
		words[0] = path
	}
	if node != "" {
		words = append([]string{"nsenter", "--net=/run/netns/" + node}, words...)
	}
	cmd := exec.CommandContext(context.Background(), words[0], words[1:]...) // the process ends with the namespace
	cmd.Dir, cmd.Stdout = c.o.Folder, log
	cmd.Stderr = log
	cmd.Env = c.Env()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", words[0], err)
	}
	return cmd, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Env returns the environment for kubectl.
func (c *Cluster) Env() []string {
	path := "PATH=" + c.o.Bin + ":" + os.Getenv("PATH")
	return []string{path, "HOME=" + c.o.Folder, "KUBECONFIG=" + c.file("kubeconfig")}
}

// Kubectl runs kubectl and returns its standard output.
func (c *Cluster) Kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(c.o.Bin, "kubectl"), args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin = c.Env(), strings.NewReader(stdin)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, errs.String())
	}
	return out.String(), nil
}

// Get decodes a path of the API server into a value; nil discards the answer.
func (c *Cluster) Get(ctx context.Context, path string, into any) error {
	res, err := c.open(ctx, path)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if into == nil {
		_, err := io.Copy(io.Discard, res.Body)
		return err
	}
	return json.NewDecoder(res.Body).Decode(into)
}

func (c *Cluster) open(ctx context.Context, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, apiServer+path, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer token")
	res, err := c.api.Do(req)
	if err == nil && res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 1000)) // only for the error message
		res.Body.Close()
		return nil, fmt.Errorf("GET %s: %s: %s", path, res.Status, body)
	}
	return res, err
}

// await calls a function until it succeeds or the time is over.
func await(ctx context.Context, atMost time.Duration, what string, try func() error) error {
	deadline := time.Now().Add(atMost)
	for {
		err := try()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) || !wait.For(ctx, 100*time.Millisecond) {
			return fmt.Errorf("%s does not answer: %w", what, err)
		}
	}
}
