package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/townline/townline/pkg/wait"
)

// A Node is a machine of the cluster: a network with the programs of a node.
type Node struct {
	Name    string
	c       *Cluster
	number  int
	runtime *exec.Cmd // process of containerd
	kubelet atomic.Pointer[os.Process]
}

func (n *Node) address() string { return fmt.Sprintf("10.77.0.1%d", n.number) }
func (n *Node) pods() string    { return fmt.Sprintf("10.88.%d.0/24", n.number) }

func (n *Node) fill(text string) string {
	return strings.NewReplacer("NODE", n.Name, "ADDRESS", n.address(), "PODS", n.pods(),
		"FOLDER", n.c.o.Folder, "CGROUP", cgroup(n.c.o.Folder)).Replace(text)
}

func (n *Node) start(ctx context.Context) error {
	groups, err := filepath.Glob("/sys/fs/cgroup/*/cgroup.procs")
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := makeCgroup(filepath.Dir(g), filepath.Join(cgroup(n.c.o.Folder), n.Name)); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"cni/pods.conflist": podsConfig, "containerd.toml": containerdConfig,
		"kubelet.yaml": kubeletConfig, "proxy.yaml": proxyConfig,
	} {
		if err := n.c.write(n.Name+"/"+name, []byte(n.fill(text))); err != nil {
			return err
		}
	}
	if err := n.startRuntime(ctx); err != nil {
		return err
	}
	for _, archive := range n.c.o.Images {
		if err := n.ctr(ctx, "images", "import", archive); err != nil {
			return err
		}
	}
	go n.keepKubelet(ctx)
	_, err = n.c.start(n.Name, n.fill(proxyLine))
	return err
}

// makeCgroup creates a group in a hierarchy, with the processors and memory of its parent.
func makeCgroup(hierarchy, name string) error {
	path := hierarchy
	for _, part := range strings.Split(name, "/") {
		path = filepath.Join(path, part)
		if err := os.MkdirAll(path, 0o755); err != nil {
			return err
		}
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			if value, err := os.ReadFile(filepath.Join(filepath.Dir(path), file)); err == nil {
				if err := os.WriteFile(filepath.Join(path, file), value, 0o644); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (n *Node) startRuntime(ctx context.Context) (err error) {
	n.runtime, err = n.c.start(n.Name, n.fill(containerdLine))
	if err != nil {
		return err
	}
	return await(ctx, time.Minute, "containerd", func() error { return n.ctr(ctx, "version") })
}

// keepKubelet runs the kubelet and restarts it whenever it ends, like systemd. A kubelet ends if
// containerd is still starting.
func (n *Node) keepKubelet(ctx context.Context) {
	for ctx.Err() == nil {
		cmd, err := n.c.start(n.Name, n.fill(kubeletLine))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return
		}
		n.kubelet.Store(cmd.Process)
		_ = cmd.Wait() // its log has the reason
		wait.For(ctx, time.Second)
	}
}

// Restart kills the kubelet and containerd of a node, and returns when both run again.
func (n *Node) Restart(ctx context.Context) error {
	before := n.kubelet.Load()
	_ = before.Kill() // it may have ended already
	_ = n.runtime.Process.Kill()
	_ = n.runtime.Wait()
	if err := n.startRuntime(ctx); err != nil {
		return err
	}
	return await(ctx, time.Minute, "kubelet", func() error {
		if n.kubelet.Load() == before {
			return errors.New("it has not started again")
		}
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", n.address()+":10250")
		if err == nil {
			conn.Close()
		}
		return err
	})
}

func (n *Node) ctr(ctx context.Context, args ...string) error {
	socket := "/run/" + n.Name + "/containerd.sock"
	args = append([]string{"--address", socket, "--namespace", "k8s.io"}, args...)
	out, err := exec.CommandContext(ctx, "ctr", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ctr %s on %s: %w: %s", strings.Join(args, " "), n.Name, err, out)
	}
	return nil
}

// A Dialer opens connections.
type Dialer func(ctx context.Context, network, address string) (net.Conn, error)

// Dial implements nats.CustomDialer.
func (d Dialer) Dial(network, address string) (net.Conn, error) {
	return d(context.Background(), network, address)
}

// Dialer returns a Dialer in the network of a pod.
func (c *Cluster) Dialer(ctx context.Context, namespace, pod string) (Dialer, error) {
	var p Pod
	if err := c.Get(ctx, "/api/v1/namespaces/"+namespace+"/pods/"+pod, &p); err != nil {
		return nil, err
	}
	pods := "/sys/fs/cgroup/memory/" + cgroup(c.o.Folder) + "/*/kubepods/*/pod"
	files, err := filepath.Glob(pods + p.Metadata.UID + "/*/cgroup.procs")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if id, _, found := strings.Cut(read(file), "\n"); found {
			network, err := os.Open("/proc/" + id + "/ns/net")
			if err != nil {
				return nil, err
			}
			return dialIn(network), nil
		}
	}
	return nil, fmt.Errorf("pod %s has no process", pod)
}

func read(path string) string {
	b, _ := os.ReadFile(path) // "" if the process has ended
	return string(b)
}

// dialIn opens sockets on a thread that has entered a network namespace. The thread is not reused.
func dialIn(network *os.File) Dialer {
	return func(ctx context.Context, kind, address string) (net.Conn, error) {
		type result struct {
			conn net.Conn
			err  error
		}
		done := make(chan result, 1)
		go func() {
			runtime.LockOSThread()
			own, err := os.Open("/proc/thread-self/ns/net")
			if err != nil {
				done <- result{nil, err}
				return // the thread ends with the goroutine
			}
			defer own.Close()
			if err := unix.Setns(int(network.Fd()), syscall.CLONE_NEWNET); err != nil {
				done <- result{nil, err}
				return
			}
			conn, err := (&net.Dialer{Timeout: 10 * time.Second}).DialContext(ctx, kind, address)
			if unix.Setns(int(own.Fd()), syscall.CLONE_NEWNET) == nil {
				runtime.UnlockOSThread()
			}
			done <- result{conn, err}
		}()
		r := <-done
		return r.conn, r.err
	}
}
