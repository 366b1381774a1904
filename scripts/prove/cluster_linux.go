package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/townline/townline/pkg/events"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/scripts/prove/cluster"
)

// publicAddress is the town's address. Fetchers and network policies treat it as a public address.
const publicAddress = "11.0.0.1"

// proveCluster runs the proof in its own Linux namespaces, and then checks for leftovers on the
// machine. If hold is set, it only starts the nodes, for manual commands.
func proveCluster(ctx context.Context, bin, old string, hold bool) int {
	folder, status, left, err := cluster.Isolate(ctx)
	if folder == "" {
		if err != nil || len(left) > 0 {
			fmt.Println("left behind:", err)
			for _, trace := range left {
				fmt.Println("  " + trace)
			}
			return 1
		}
		fmt.Println("left behind: no process, mount, link, route, rule, cgroup or setting")
		return status
	}
	p := &proof{began: time.Now(), folder: folder, bin: bin, old: old, spawn: newSpawner()}
	switch {
	case err != nil:
	case hold:
		err = p.hold(ctx)
	default:
		err = p.provePods(ctx)
	}
	if err != nil {
		p.breaks(true, "%v", err)
	}
	p.end()
	return p.print()
}

// pods is the deployment on a cluster, controlled with kubectl.
type pods struct {
	*scene
	now      release
	c        *cluster.Cluster
	reader   cluster.Dialer // opens connections from a pod that may read the APIs
	audience *audience
	operator sync.Mutex // held during an operator's command, and by disruptions that would kill its pod
}

func (p *proof) startNodes(ctx context.Context) (*cluster.Cluster, error) {
	p.stage("two nodes")
	images, err := filepath.Glob(".cache/*/*.tar")
	if err != nil {
		return nil, err
	}
	o := cluster.Options{Folder: p.folder, Bin: p.bin, Images: images, Public: publicAddress}
	c, err := cluster.Start(ctx, o)
	p.figure("two nodes ready, with DNS, metrics and policies, after", "%s", p.since(p.began))
	return c, err
}

// hold starts the nodes, prints how to reach them, and waits.
func (p *proof) hold(ctx context.Context) error {
	c, err := p.startNodes(ctx)
	if err != nil {
		return err
	}
	p.stage("in another terminal: nsenter -t $(pgrep -f 'exe -cluster') -m -n -p -w env %s bash",
		strings.Join(c.Env(), " "))
	<-ctx.Done()
	return nil
}

func (p *proof) provePods(ctx context.Context) error {
	c, err := p.startNodes(ctx)
	if err != nil {
		return err
	}
	d := &deployment{p: p}
	for i, off := range []time.Duration{0, 45 * 24 * time.Hour} {
		port := []string{"80", "443"}[i] // policies allow only these ports
		d.towns[i], err = p.startTown(ctx, net.JoinHostPort(publicAddress, port), off)
		if err != nil {
			return err
		}
	}
	if err := d.configure(); err != nil {
		return err
	}
	tree, err := os.Getwd()
	if err != nil {
		return err
	}
	s := &pods{scene: newScene(d), c: c, now: release{tree: tree, tag: "local"}}
	d.apis = s.replicas
	first := s.now
	if p.old != "" {
		first = release{tree: p.old, tag: "old"}
	}
	if err := s.comesUp(ctx, "full", first); err != nil {
		return err
	}
	return s.underLoad(ctx)
}

// comesUp follows deploy/docs/run.md with an overlay, and waits until everything is ready.
func (s *pods) comesUp(ctx context.Context, overlay string, r release) error {
	s.p.stage("overlay %s", overlay)
	if err := os.Mkdir(filepath.Join(s.p.folder, overlay), 0o755); err != nil {
		return err
	}
	if err := s.writeOverlay(overlay, r); err != nil {
		return err
	}
	if err := s.applyGiven(ctx, overlay); err != nil {
		return err
	}
	began := time.Now()
	_, err := s.c.Kubectl(ctx, "", "apply", "-k", filepath.Join(s.p.folder, overlay))
	if err != nil {
		return err
	}
	for _, wait := range [][]string{
		{"rollout", "status", "statefulset", "--timeout=180s"},
		{"rollout", "status", "deployment", "--timeout=180s"},
		{"wait", "job", "--for=condition=complete", "--all", "--timeout=60s"},
		{"wait", "deployment", "--for=jsonpath={.status.readyReplicas}=2", "--timeout=60s",
			"-l", "app.kubernetes.io/name in (council-api,transit-api)"},
	} {
		if _, err := s.kubectl(ctx, wait...); err != nil {
			return s.explain(ctx, err)
		}
	}
	took := time.Since(began)
	s.p.figure("overlay "+overlay+": all pods ready after apply", "%s", took.Round(time.Second))
	if took > 3*time.Minute {
		s.p.violated("overlay %s took %s, not three minutes, until all pods were ready", overlay, took)
	}
	return s.asShipped(ctx, overlay)
}

// explain adds the logs of pods that are not ready to an error.
func (s *pods) explain(ctx context.Context, err error) error {
	all, _ := s.kubectl(ctx, "get", "pods,jobs", "-o", "wide")
	said, _ := s.kubectl(ctx, "logs", "-l", "app.kubernetes.io/part-of=townline", "--tail=4", "--prefix",
		"--ignore-errors",
		"--max-log-requests=40")
	events, _ := s.kubectl(ctx, "get", "events", "--field-selector=type=Warning", "--sort-by=.lastTimestamp")
	return fmt.Errorf("%w\n%s\n%s\n%s", err, all, said, events[max(0, len(events)-3000):])
}

// kubectl runs kubectl in the namespace of the services.
func (s *pods) kubectl(ctx context.Context, args ...string) (string, error) {
	return s.c.Kubectl(ctx, "", append([]string{"-n", "townline"}, args...)...)
}

// shell runs an operator's command at the root of the repository.
func (s *pods) shell(ctx context.Context, line string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", line)
	cmd.Env = s.c.Env()
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s%s", line, err, out.String(), errs.String())
	}
	return out.String(), nil
}

// asShipped checks the running pods: probes, limits, security, placement, restarts.
func (s *pods) asShipped(ctx context.Context, overlay string) error {
	all, err := s.list(ctx, "labelSelector=app.kubernetes.io/part-of%3Dtownline")
	if err != nil {
		return err
	}
	restarts := 0
	for _, pod := range all {
		for _, problem := range pod.Problems() {
			s.p.violated("%s: %s", pod.Metadata.Name, problem)
		}
		restarts += pod.Restarts()
	}
	warned, err := s.c.Kubectl(ctx, "", "label", "--dry-run=server", "--overwrite", "namespace", "townline",
		"pod-security.kubernetes.io/enforce=restricted")
	if err != nil || strings.Contains(warned, "violate") {
		s.p.violated("restricted pod security: %v %s", err, warned)
	}
	s.p.figure("overlay "+overlay+": pods with probes, limits, restricted security, read-only root", "%d, restarts %d",
		len(all), restarts)
	return s.apart(ctx)
}

// apart checks that the replicas of a service run on different nodes.
func (s *pods) apart(ctx context.Context) error {
	all, err := s.list(ctx, "")
	if err != nil {
		return err
	}
	where := map[string]string{}
	for _, pod := range all {
		name := pod.Metadata.Labels["app.kubernetes.io/name"]
		if !pod.Ready() || name == "nats" || name == "" {
			continue
		}
		if other := where[name+pod.Spec.NodeName]; other != "" {
			s.p.violated("%s and %s are both on %s", pod.Metadata.Name, other, pod.Spec.NodeName)
		}
		where[name+pod.Spec.NodeName] = pod.Metadata.Name
	}
	return nil
}

// replicas returns the pods of an API as targets, with connections from a pod that may read them.
func (s *pods) replicas(ctx context.Context, h half) ([]*target, error) {
	all, err := s.list(ctx, "labelSelector=app.kubernetes.io/name%3D"+h.name+"-api")
	var targets []*target
	for _, pod := range all {
		if pod.Ready() {
			t := &target{name: pod.Metadata.Name, address: pod.Status.PodIP + ":8080", client: newClient(s.reader)}
			targets = append(targets, t)
		}
	}
	return targets, err
}

func (s *pods) list(ctx context.Context, query string) ([]cluster.Pod, error) {
	var all cluster.List[cluster.Pod]
	err := s.c.Get(ctx, "/api/v1/namespaces/townline/pods?"+query, &all)
	return all.Items, err
}

func (s *pods) serviceAddress(ctx context.Context, namespace, name string, port int) (string, error) {
	var service struct{ Spec struct{ ClusterIP string } }
	err := s.c.Get(ctx, "/api/v1/namespaces/"+namespace+"/services/"+name, &service)
	return fmt.Sprintf("%s:%d", service.Spec.ClusterIP, port), err
}

// enter starts the ingress, and connects this program: to the APIs like the ingress, to Postgres
// and NATS like a service.
func (s *pods) enter(ctx context.Context) error {
	if _, err := s.c.Kubectl(ctx, "", "apply", "-f", "scripts/prove/overlay/ingress.yaml"); err != nil {
		return err
	}
	for _, namespace := range []string{"townline", "ingress-nginx", "elsewhere"} {
		if _, err := s.c.Kubectl(ctx, "", "wait", "-n", namespace, "--for=condition=Ready", "pod", "--timeout=90s",
			"--field-selector=status.phase!=Succeeded"); err != nil {
			return err
		}
	}
	var err error
	s.reader, err = s.c.Dialer(ctx, "ingress-nginx", "readers")
	if err != nil {
		return err
	}
	service, err := s.c.Dialer(ctx, "townline", "prove")
	if err != nil {
		return err
	}
	broker, brokerErr := s.serviceAddress(ctx, "townline", "nats", 4222)
	base, baseErr := s.serviceAddress(ctx, "townline", "townline-db-rw", 5432)
	migrate, passwordErr := s.secret(ctx, "migrate-database", "password")
	password, natsErr := s.secret(ctx, "nats-client", "password")
	if err := errors.Join(brokerErr, baseErr, passwordErr, natsErr); err != nil {
		return err
	}
	s.db = &database{url: "postgres://townline:" + migrate + "@" + base + "/townline?sslmode=require", dial: service}
	dial := func(o ...nats.Option) (*nats.Conn, error) {
		o = append(o, nats.SetCustomDialer(service), nats.IgnoreDiscoveredServers())
		return nats.Connect("nats://townline:"+password+"@"+broker, o...)
	}
	log := run.Logger(os.Stderr, "error", "text")
	s.bus, err = events.Open(events.Options{Replicas: nodes, Name: "prove", Dial: dial}, log)
	if err != nil {
		return err
	}
	s.p.closes = append(s.p.closes, s.bus.Close)
	return nil
}

func (s *pods) secret(ctx context.Context, name, key string) (string, error) {
	text, err := s.kubectl(ctx, "get", "secret", name, "-o", "jsonpath={.data."+key+"}")
	if err != nil {
		return "", err
	}
	value, err := base64.StdEncoding.DecodeString(text)
	return string(value), err
}

// balance creates pools of targets. Half of the requests go to the Service, half through the
// ingress; half of each open a new connection.
func (s *pods) balance(ctx context.Context) error {
	ingress, err := s.serviceAddress(ctx, "ingress-nginx", "nginx", 80)
	if err != nil {
		return err
	}
	for _, h := range halves {
		service, err := s.serviceAddress(ctx, "townline", h.name+"-api", 80)
		if err != nil {
			return err
		}
		var all []*target
		for _, to := range [][2]string{{"the Service", service}, {"the ingress", ingress}} {
			all = append(all, &target{name: to[0], address: to[1], client: newClient(s.reader)},
				&target{name: to[0] + ", a new connection", address: to[1], client: newConnections(s.reader)})
		}
		next := new(atomic.Uint64)
		s.pools = append(s.pools, &pool{h, func() *target { return all[next.Add(1)%uint64(len(all))] }})
	}
	return nil
}
