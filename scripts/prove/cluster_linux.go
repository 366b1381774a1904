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

// publicAddress is that of the town. Fetchers and network policies take it for one of the internet.
const publicAddress = "11.0.0.1"

// proveCluster runs the proof in namespaces of its own, and then looks at what it has left on the machine.
func proveCluster(ctx context.Context, bin string) int {
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
	p := &proof{began: time.Now(), folder: folder, bin: bin, spawn: newSpawner()}
	if err == nil {
		err = p.provePods(ctx)
	}
	if err != nil {
		p.breaks(true, "%v", err)
	}
	if os.Getenv("HOLD") != "" {
		p.stage("holding; the folder is %s", folder)
		<-ctx.Done()
	}
	p.end()
	return p.print()
}

// Pods are the deployment on a cluster: the same scene as that of processes, driven through kubectl.
type pods struct {
	*scene
	c        *cluster.Cluster
	reader   cluster.Dialer // as a pod that may read the APIs
	audience *audience
	operator sync.Mutex // held by who runs an operator's command, and by what such a pod cannot survive
}

// provePods is the whole story of a cluster.
func (p *proof) provePods(ctx context.Context) error {
	p.stage("two nodes")
	images, err := filepath.Glob(".cache/*/*.tar")
	if err != nil {
		return err
	}
	o := cluster.Options{Folder: p.folder, Bin: p.bin, Images: images, Public: publicAddress}
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return err
	}
	p.figure("two nodes ready, with DNS, metrics and policies, after", "%s", p.since(p.began))
	d := &deployment{p: p}
	for i, off := range []time.Duration{0, 45 * 24 * time.Hour} {
		port := []string{"80", "443"}[i] // policies allow no other
		d.towns[i], err = p.startTown(ctx, net.JoinHostPort(publicAddress, port), off)
		if err != nil {
			return err
		}
	}
	if err := d.configure(); err != nil {
		return err
	}
	s := &pods{scene: newScene(d), c: c}
	d.apis = s.replicas
	if err := s.comesUp(ctx, "full"); err != nil {
		return err
	}
	return s.underLoad(ctx)
}

// comesUp follows deploy/docs/run.md with an overlay, and waits until all of it is ready.
func (s *pods) comesUp(ctx context.Context, overlay string) error {
	s.p.stage("overlay %s", overlay)
	if err := s.overlay(ctx, overlay); err != nil {
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

// explain adds to an error what the pods that are not ready say.
func (s *pods) explain(ctx context.Context, err error) error {
	all, _ := s.kubectl(ctx, "get", "pods,jobs", "-o", "wide")
	said, _ := s.kubectl(ctx, "logs", "-l", "app.kubernetes.io/part-of=townline", "--tail=4", "--prefix", "--ignore-errors",
		"--max-log-requests=40")
	events, _ := s.kubectl(ctx, "get", "events", "--field-selector=type=Warning", "--sort-by=.lastTimestamp")
	return fmt.Errorf("%w\n%s\n%s\n%s", err, all, said, events[max(0, len(events)-3000):])
}

// kubectl works in the namespace of the services.
func (s *pods) kubectl(ctx context.Context, args ...string) (string, error) {
	return s.c.Kubectl(ctx, "", append([]string{"-n", "townline"}, args...)...)
}

// shell runs a command as an operator does, at the root of the repository.
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

// overlay writes an overlay of the shipped one without the operators, and applies what they would have
// brought: secrets, roles, a volume.
func (s *pods) overlay(ctx context.Context, name string) error {
	folder := filepath.Join(s.p.folder, name)
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	shipped, err := filepath.Rel(folder, filepath.Join(root, "deploy/kubernetes/overlays", name))
	if err != nil {
		return err
	}
	volume := filepath.Join(s.p.folder, "volume-"+name)
	err = errors.Join(os.Mkdir(folder, 0o755), os.Mkdir(volume, 0o755), os.Chmod(volume, 0o777))
	servers, readErr := os.ReadFile("scripts/prove/overlay/servers.yaml")
	err = errors.Join(err, readErr, os.WriteFile(filepath.Join(folder, "servers.yaml"), servers, 0o600))
	var own strings.Builder
	fmt.Fprintf(&own, overlayOf, shipped)
	for _, half := range []string{"council", "transit"} {
		if other := map[string]string{"council": "transit-only", "transit": "council-only"}[half]; name == other {
			continue
		}
		text, readErr := os.ReadFile(s.files[strings.ToUpper(half)+"_CONFIG"])
		err = errors.Join(err, readErr, os.WriteFile(filepath.Join(folder, half+".yaml"), text, 0o600))
		fmt.Fprintf(&own, "  - {name: %[1]s-config, behavior: replace, files: [%[1]s.yaml]}\n", half)
	}
	own.WriteString(imagesHere)
	err = errors.Join(err, os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(own.String()), 0o600))
	if err != nil {
		return err
	}
	authority, err := cluster.NewAuthority()
	if err != nil {
		return err
	}
	cert, key, err := authority.Issue("townline-db-rw", "townline-db-reads")
	if err != nil {
		return err
	}
	text := base64.StdEncoding.EncodeToString
	given := fmt.Sprintf(givenObjects, name, volume, text(authority.Certificate), text(cert), text(key))
	namespace := "deploy/kubernetes/base/townline/namespace.yaml"
	if _, err := s.c.Kubectl(ctx, given, "apply", "-f", namespace, "-f", "-"); err != nil {
		return err
	}
	for _, line := range []string{
		"scripts/deploy-secrets.sh cluster | kubectl apply -n townline -f -",
		"kubectl create configmap -n townline postgres-roles --from-file=deploy/kubernetes/overlays/local/roles.sh",
	} {
		if _, err := s.shell(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

const overlayOf = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: townline
resources: [%s, servers.yaml]
patches:
  - target: {group: (postgresql.cnpg.io|external-secrets.io|monitoring.coreos.com)}
    patch: "{$patch: delete, apiVersion: v1, kind: any, metadata: {name: any}}"
configMapGenerator:
`

const imagesHere = `images:
  - {name: registry.example/townline/council-ingest, newName: localhost/townline/council-ingest, newTag: local}
  - {name: registry.example/townline/council-api, newName: localhost/townline/council-api, newTag: local}
  - {name: registry.example/townline/gtfs-import, newName: localhost/townline/gtfs-import, newTag: local}
  - {name: registry.example/townline/rt-poller, newName: localhost/townline/rt-poller, newTag: local}
  - {name: registry.example/townline/transit-api, newName: localhost/townline/transit-api, newTag: local}
  - {name: registry.example/townline/townline, newName: localhost/townline/townline, newTag: local}
`

const givenObjects = `
apiVersion: v1
kind: PersistentVolume
metadata: {name: "postgres-%[1]s"}
spec: {hostPath: {path: %[2]q}, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}
---
apiVersion: v1
kind: Secret
metadata: {name: townline-db-ca, namespace: townline}
data: {ca.crt: %[3]q}
---
apiVersion: v1
kind: Secret
metadata: {name: townline-db-server, namespace: townline}
type: kubernetes.io/tls
data: {tls.crt: %[4]q, tls.key: %[5]q}
`

// asShipped looks at what runs: probes, limits, security, placement, restarts.
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

// apart holds the replicas of a service to different nodes.
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

// replicas are the pods of an API, as a pod that may read them reaches them.
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

// list lists pods of the services' namespace.
func (s *pods) list(ctx context.Context, query string) ([]cluster.Pod, error) {
	var all cluster.List[cluster.Pod]
	err := s.c.Get(ctx, "/api/v1/namespaces/townline/pods?"+query, &all)
	return all.Items, err
}

// serviceAddress is the address of a Service.
func (s *pods) serviceAddress(ctx context.Context, namespace, name string, port int) (string, error) {
	var service struct{ Spec struct{ ClusterIP string } }
	err := s.c.Get(ctx, "/api/v1/namespaces/"+namespace+"/services/"+name, &service)
	return fmt.Sprintf("%s:%d", service.Spec.ClusterIP, port), err
}

// enter brings up the ingress, and makes the harness a client: of the APIs as the ingress, of Postgres and
// NATS as a service.
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

// balance makes pools of targets: half of the requests go to the Service, half through the ingress; half of
// each begin with a new connection.
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
