package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	"github.com/townline/townline/scripts/prove/cluster"
)

// listeners is the number of open event streams; annotated of them show annotations.
const listeners, annotated = 200, 100

func (s *pods) underLoad(ctx context.Context) error {
	s.p.stage("ingress, and everything read once")
	if err := s.enter(ctx); err != nil {
		return err
	}
	if err := s.filled(ctx); err != nil {
		return err
	}
	s.every, s.readers.pause = 15*time.Second, 60*time.Millisecond
	if err := s.balance(ctx); err != nil {
		return err
	}
	if err := s.upgradeUnderLoad(ctx); err != nil {
		return err
	}
	if err := s.learn(ctx); err != nil {
		return err
	}
	load, calm := context.WithCancel(ctx)
	defer calm()
	g := run.NewGroup(load)
	s.audience = &audience{p: s.p, away: &s.readers.away}
	s.audience.listen(g, s.pools[1], halves[1].withSuffix(halves[1].base+"/display/annotations/stops/1001"), annotated)
	s.audience.listen(g, s.pools[1], halves[1].withSuffix(halves[1].base+"/rt/vehicles"), listeners-annotated)
	if err := s.attended(ctx); err != nil {
		return err
	}
	g.Watch(s.annotate)
	ended := s.load(load)
	err := s.keepAll(ctx, []promise{
		{quiet, s.quiet},
		{"a pod in another namespace is refused", s.policies},
		{rolling, s.rolling},
		{"each pod deleted", s.deletions},
		{"a node drained, with NATS and an API on it", s.drain},
		{"kubelet and containerd of both nodes restarted", s.agents},
		{natsLost, s.natsServer},
		{postgresLost, s.postgres},
		{"autoscaling up and down", s.autoscale},
	})
	s.halt.Store(true)
	if err == nil {
		err = s.imported(ctx)
	}
	if err == nil {
		err = s.attended(ctx)
	}
	if err == nil {
		s.heard(ctx)
		s.account(ctx)
	}
	calm()
	<-ended
	_ = g.Wait() // listeners return no errors
	if err != nil {
		return s.explain(ctx, err)
	}
	return s.operate(ctx)
}

// attended waits until every listener is connected.
func (s *pods) attended(ctx context.Context) error {
	return until(ctx, 30*time.Second, "all listeners connected", func(context.Context) (bool, error) {
		absent, _, _ := s.audience.lost(0, listeners)
		return absent == 0, nil
	})
}

// annotate adds an annotation from time to time.
func (s *pods) annotate(ctx context.Context) {
	for n := 1; wait.For(ctx, 20*time.Second); n++ {
		if s.halt.Load() {
			continue
		}
		line := fmt.Sprintf("scripts/deploy-run.sh transit-operator annotation add stop 1001 --body 'Version %d'", n)
		s.operator.Lock()
		if _, err := s.shell(ctx, line); err != nil && ctx.Err() == nil {
			s.p.violated("%v", err)
		}
		s.operator.Unlock()
	}
}

// heard counts the versions that listeners missed. An annotation reaches all replicas within two
// seconds, so heard waits for the last annotation.
func (s *pods) heard(ctx context.Context) {
	s.operator.Lock()
	defer s.operator.Unlock()
	_ = until(ctx, 10*time.Second, "all listeners have all versions", func(context.Context) (bool, error) {
		_, missed, _ := s.audience.lost(0, annotated)
		return missed == 0, nil
	}) // missing data is reported below
	_, missed, versions := s.audience.lost(0, annotated)
	s.p.figure("event streams: listeners, cuts, versions of annotations, missed", "%d, %d, %d, %d",
		listeners, s.audience.cuts, versions, missed)
	if missed > 0 {
		s.p.violated("listeners missed %d times one of %d versions", missed, versions)
	}
}

// settle waits until all deployments have their replicas, and checks on which nodes they are.
func (s *pods) settle(ctx context.Context) error {
	_, err := s.kubectl(ctx, "rollout", "status", "deployment", "--timeout=120s")
	return err
}

func (s *pods) rolling(ctx context.Context) error {
	if _, err := s.kubectl(ctx, "rollout", "restart", "deployment"); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	return s.apart(ctx)
}

// deletions deletes one pod of each service and, after they have returned, the other pods.
func (s *pods) deletions(ctx context.Context) error {
	all, err := s.list(ctx, "labelSelector=app.kubernetes.io/part-of%3Dtownline,pod-template-hash")
	if err != nil {
		return err
	}
	var rounds [2][]string
	seen := map[string]int{}
	for _, pod := range all {
		if name := pod.Metadata.Labels["app.kubernetes.io/name"]; pod.Ready() {
			rounds[seen[name]%2] = append(rounds[seen[name]%2], pod.Metadata.Name)
			seen[name]++
		}
	}
	for _, names := range rounds {
		if _, err := s.kubectl(ctx, append([]string{"delete", "pod"}, names...)...); err != nil {
			return err
		}
		if err := s.settle(ctx); err != nil {
			return err
		}
	}
	return s.apart(ctx)
}

// drain drains the second node as run.md describes, and uncordons it.
func (s *pods) drain(ctx context.Context) error {
	s.operator.Lock()
	defer s.operator.Unlock()
	all, err := s.list(ctx, "fieldSelector=spec.nodeName%3Dnode2")
	if err != nil {
		return err
	}
	there := map[string]int{}
	for _, pod := range all {
		there[pod.Metadata.Labels["app.kubernetes.io/name"]]++
	}
	if there["nats"] != 1 || there["transit-api"] != 1 || there["council-api"] != 1 {
		s.p.violated("on the node to drain: %v", there)
	}
	drain, err := section(runPage, "Nodes and what clients see")
	if err != nil {
		return err
	}
	if _, err := s.shell(ctx, strings.Replace(drain, "NODE", "node2 --timeout=120s", 1)); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil {
		return err
	}
	if _, err := s.c.Kubectl(ctx, "", "uncordon", "node2"); err != nil {
		return err
	}
	_, err = s.kubectl(ctx, "rollout", "status", "statefulset", "nats", "--timeout=120s")
	return err
}

func (s *pods) agents(ctx context.Context) error {
	s.operator.Lock()
	defer s.operator.Unlock()
	for _, n := range s.c.Nodes {
		if err := n.Restart(ctx); err != nil {
			return err
		}
	}
	wait.For(ctx, 10*time.Second) // time for the kubelets to check everything again
	if _, err := s.c.Kubectl(ctx, "", "wait", "--for=condition=Ready", "node", "--all", "--timeout=60s"); err != nil {
		return err
	}
	return s.settle(ctx)
}

// natsServer kills a NATS server and requests work meanwhile.
func (s *pods) natsServer(ctx context.Context) error {
	before := s.imports.Load()
	if _, err := s.kubectl(ctx, "delete", "pod", "nats-0", "--grace-period=0", "--force"); err != nil {
		return err
	}
	if err := until(ctx, time.Minute, "work is taken with one server lost", func(context.Context) (bool, error) {
		return s.imports.Load() > before+1, nil
	}); err != nil {
		return err
	}
	_, err := s.kubectl(ctx, "rollout", "status", "statefulset", "nats", "--timeout=120s")
	return err
}

// postgres stops Postgres for half a minute. All replicas must stay in their Service, and the APIs
// must serve cached answers.
func (s *pods) postgres(ctx context.Context) error {
	s.operator.Lock()
	defer s.operator.Unlock()
	s.halt.Store(true)
	if err := s.imported(ctx); err != nil {
		return err
	}
	before, refusedBefore := s.readers.reads.Load(), s.readers.refused.Load()
	s.readers.away.Store(true)
	if _, err := s.kubectl(ctx, "scale", "statefulset", "townline-db", "--replicas=0"); err != nil {
		return err
	}
	if _, err := s.kubectl(ctx, "wait", "--for=delete", "pod/townline-db-0", "--timeout=60s"); err != nil {
		return err
	}
	gone := time.Now()
	for time.Since(gone) < 30*time.Second && wait.For(ctx, time.Second) {
		for _, h := range halves {
			if targets, err := s.replicas(ctx, h); err != nil || len(targets) < 2 {
				s.p.violated("%s-api without Postgres: %d replicas in the Service (%v)", h.name, len(targets), err)
			}
		}
	}
	reads, refused := s.readers.reads.Load()-before, s.readers.refused.Load()-refusedBefore
	s.p.figure("reads without Postgres: kept answers, and 503 with Retry-After", "%d, %d", reads-refused, refused)
	if refused == reads {
		s.p.violated("no kept answer was served without Postgres")
	}
	if _, err := s.kubectl(ctx, "scale", "statefulset", "townline-db", "--replicas=1"); err != nil {
		return err
	}
	if _, err := s.kubectl(ctx, "rollout", "status", "statefulset", "townline-db", "--timeout=60s"); err != nil {
		return err
	}
	back := time.Now()
	for last := int64(-1); last != s.readers.refused.Load(); { // until no read was refused for two seconds
		last = s.readers.refused.Load()
		wait.For(ctx, 2*time.Second)
	}
	s.p.figure("nothing is refused any more after the return of Postgres", "%s", s.p.since(back)-2*time.Second)
	s.readers.away.Store(false)
	s.halt.Store(false)
	return s.settle(ctx)
}

// upgradeUnderLoad replaces an earlier release, if there is one, while readers read all its
// addresses.
func (s *pods) upgradeUnderLoad(ctx context.Context) error {
	if s.p.old == "" {
		s.p.figure("upgrade from an earlier release", "SKIPPED: there is no release yet; FROM names a revision")
		return nil
	}
	s.halt.Store(true)
	if err := s.learnAddresses(ctx); err != nil {
		return err
	}
	load, calm := context.WithCancel(ctx)
	ended := s.load(load)
	err := s.keepAll(ctx, []promise{{"upgrade from an earlier release", s.upgrade}})
	calm()
	<-ended
	s.readers.forget()
	s.readers.mixed.Store(false)
	s.halt.Store(false)
	return err
}

// upgrade replaces the earlier release with this one as run.md describes.
func (s *pods) upgrade(ctx context.Context) error {
	if err := s.writeOverlay("full", s.now); err != nil {
		return err
	}
	commands, err := section(runPage, "Upgrade")
	if err != nil {
		return err
	}
	own := filepath.Join(s.p.folder, "full")
	if _, err := s.shell(ctx, strings.Replace(commands, "deploy/kubernetes/overlays/full", own, 1)); err != nil {
		return err
	}
	if _, err := s.kubectl(ctx, "wait", "job", "--for=condition=complete", "--all", "--timeout=60s"); err != nil {
		return err
	}
	return s.settle(ctx)
}

// autoscale lowers the autoscaler's CPU target until there are more replicas, and raises it until
// there are two again.
func (s *pods) autoscale(ctx context.Context) error {
	for _, step := range []struct {
		value string
		more  bool
	}{{"10m", true}, {"100", false}} {
		began := time.Now()
		patch := `{"spec": {"behavior": {"scaleDown": {"stabilizationWindowSeconds": 0}}, "maxReplicas": 3,
			"metrics": [{"type": "Resource", "resource": {"name": "cpu",
			"target": {"type": "AverageValue", "averageValue": "` + step.value + `"}}}]}}`
		if _, err := s.kubectl(ctx, "patch", "hpa", "transit-api", "--type=merge", "-p", patch); err != nil {
			return err
		}
		changed := func(ctx context.Context) (bool, error) {
			targets, err := s.replicas(ctx, halves[1])
			return (len(targets) > 2) == step.more, err
		}
		if err := until(ctx, 2*time.Minute, "the autoscaler changes the number of replicas", changed); err != nil {
			return err
		}
		s.p.figure("autoscaling with "+step.value+" of a processor a pod", "took %s", s.p.since(began))
	}
	return s.settle(ctx)
}

func (s *pods) policies(ctx context.Context) error {
	stranger, err := s.c.Dialer(ctx, "elsewhere", "stranger")
	if err != nil {
		return err
	}
	for _, from := range []struct {
		name   string
		dial   cluster.Dialer
		target string
		port   int
	}{
		{"a pod in another namespace", stranger, "council-api", 80},
		{"a pod in another namespace", stranger, "transit-api", 80},
		{"a pod in another namespace", stranger, "townline-db-rw", 5432},
		{"a pod in another namespace", stranger, "nats", 4222},
		{"the ingress", s.reader, "townline-db-rw", 5432}, {"the ingress", s.reader, "nats", 4222},
	} {
		address, err := s.serviceAddress(ctx, "townline", from.target, from.port)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		if conn, err := from.dial(ctx, "tcp", address); err == nil {
			conn.Close()
			s.p.violated("%s reaches %s", from.name, from.target)
		}
		cancel()
	}
	return nil
}
