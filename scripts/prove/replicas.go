package main

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
	eventsv1 "github.com/townline/townline/proto/townline/events/v1"
	"github.com/townline/townline/services/townline/demo"
)

// A scene is the deployment under load.
type scene struct {
	*deployment
	readers *readers
	every   time.Duration // interval of imports
	halt    atomic.Bool   // set to submit no more work

	imports, ingests atomic.Int64 // number of submitted requests
	meeting          int64        // the meeting of the ingests
	shas             [2]string    // hashes of the two feeds
}

func (p *proof) proveReplicas(ctx context.Context) error {
	p.stage("starting Postgres, three NATS nodes and two towns")
	d, err := p.deploy(ctx)
	if err != nil {
		return err
	}
	if err := d.migrate(ctx, p.bin); err != nil {
		return err
	}
	p.stage("starting two of each service")
	if err := d.startReplicas(p.bin, 1, 2); err != nil {
		return err
	}
	if err := d.awaitAll(ctx); err != nil {
		return err
	}
	if err := d.filled(ctx); err != nil {
		return err
	}
	s := newScene(d)
	wait.For(ctx, time.Second)
	s.memory("memory at rest of ")
	if err := s.learn(ctx); err != nil {
		return err
	}
	d.balance(ctx)
	load, calm := context.WithCancel(ctx)
	defer calm()
	ended := s.load(load)
	if err := s.keepAll(ctx, []promise{
		{quiet, s.quiet}, {rolling, s.rolling}, {"one of each killed", s.crashes}, {natsLost, s.natsNode},
		{postgresLost, s.postgres},
		{"all of NATS lost", s.withoutNATS}, {backedUp, s.backup},
	}); err != nil {
		calm()
		<-ended
		return err
	}
	s.halt.Store(true)
	err = s.imported(ctx)
	s.memory("memory after all this of ")
	calm()
	<-ended
	s.account(ctx)
	return err
}

func newScene(d *deployment) *scene {
	return &scene{deployment: d, every: 2500 * time.Millisecond, readers: &readers{p: d.p, pause: 4 * time.Millisecond,
		known: map[string]map[[32]byte]bool{}, named: map[string][32]byte{}}}
}

func (s *scene) memory(what string) {
	for _, svc := range services {
		most := int64(0)
		for _, r := range s.of(svc.name) {
			most = max(most, r.resident())
		}
		s.p.figure(what+svc.name, "%.1f MB", float64(most)/1e6)
	}
}

// learn imports both feeds and reads all answers of each without load, as the valid answers.
func (s *scene) learn(ctx context.Context) error {
	for i := range s.towns {
		if i > 0 {
			if err := s.importOf(ctx, i); err != nil {
				return err
			}
			if err := s.imported(ctx); err != nil {
				return err
			}
		}
		if err := s.db.query(ctx, `SELECT encode(sha256, 'hex') FROM transit.feed
			JOIN transit.feed_version USING (version_id)`, &s.shas[i]); err != nil {
			return err
		}
		if err := s.serving(ctx, s.shas[i]); err != nil {
			return err
		}
		for _, h := range halves {
			if h.name == "council" && i > 0 {
				continue
			}
			first := library(nil)
			replicas, err := s.apis(ctx, h)
			if err != nil {
				return err
			}
			for _, r := range replicas {
				l, err := crawl(ctx, h, r)
				if err != nil {
					return err
				}
				if first == nil {
					first = l
				}
				if differ := first.differ(l); differ != "" {
					s.p.violated("two replicas in quiet: %s", differ)
				}
			}
			s.readers.learn(first)
			s.p.figure(fmt.Sprintf("addresses of the %s API read in full (feed %d)", h.name, i+1), "%d", len(first))
		}
	}
	if s.shas[0] == s.shas[1] {
		return fmt.Errorf("the two towns publish the same feed")
	}
	if n := len(s.towns[0].times("/gtfs.zip")); n != 1 {
		s.p.violated("two replicas fetched the feed %d times at the start; once was enough", n)
	}
	return s.db.query(ctx, aMeeting, &s.meeting)
}

// aMeeting selects the meeting for the ingests: the last one with minutes on the first portal. That
// portal has one page per meeting, so fetches can be counted.
const aMeeting = `SELECT iqm2_id FROM council.meeting WHERE status = 'complete' AND iqm2_id < 1000000000
	ORDER BY meeting_date DESC LIMIT 1`

// differ names an answer that another replica gave otherwise, "" if there is none. What an observer writes
// may be newer at the replica that is asked later, and may have more pages.
func (l library) differ(other library) string {
	both := maps.Clone(l)
	maps.Copy(both, other)
	for _, path := range both.paths() {
		mine, have := l[path]
		theirs, has := other[path]
		if mine == theirs && have == has {
			continue
		}
		if ofAnObserver(path) && mine.tag != theirs.tag {
			continue
		}
		return fmt.Sprintf("%s differs (%q and %q)", path, mine.tag, theirs.tag)
	}
	return ""
}

func (s *scene) importOf(ctx context.Context, i int) error {
	u := s.towns[i]
	err := s.bus.Submit(ctx, &eventsv1.ImportFeed{Alias: demo.Alias, Url: u.url + "/gtfs.zip", Force: true})
	if err == nil {
		s.imports.Add(1)
	}
	return err
}

// load runs readers of both APIs, imports and some ingests of a meeting until ctx ends.
func (s *scene) load(ctx context.Context) <-chan struct{} {
	g := run.NewGroup(ctx)
	for _, b := range s.pools {
		paths := []string{}
		for path := range s.readers.known {
			if strings.HasPrefix(path, b.base+"/") {
				paths = append(paths, path)
			}
		}
		g.Watch(func(ctx context.Context) { s.readers.run(ctx, b, 3, paths) })
		if b.name == "transit" {
			g.Watch(func(ctx context.Context) { s.readers.run(ctx, b, 1, realtimePaths(b.half, paths)) })
		}
	}
	g.Watch(func(ctx context.Context) {
		for i := 0; wait.For(ctx, s.every); i++ {
			if s.halt.Load() {
				continue
			}
			if err := s.importOf(ctx, i%2); err != nil && ctx.Err() == nil {
				s.p.violated("an import could not be asked for: %v", err)
			}
			if i%4 == 0 {
				if err := s.bus.Submit(ctx, &eventsv1.IngestMeetings{MeetingId: s.meeting}); err != nil && ctx.Err() == nil {
					s.p.violated("an ingest could not be asked for: %v", err)
				} else if err == nil {
					s.ingests.Add(1)
				}
			}
		}
	})
	ended := make(chan struct{})
	go func() { _ = g.Wait(); close(ended) }()
	return ended
}

// realtimePaths returns addresses of all kinds of realtime data, for the stops in paths.
func realtimePaths(h half, paths []string) []string {
	live := []string{h.withSuffix(h.base + "/rt/vehicles")}
	for _, path := range paths {
		path, _, _ = strings.Cut(path, "?")
		if list, stop, is := strings.Cut(path, "/stops/"); is && strings.Contains(list, "/feeds/") &&
			!strings.Contains(stop, "/") {
			for _, kind := range []string{"/rt/tripupdates/", "/rt/predictions/", "/rt/alerts/stops/"} {
				live = append(live, h.withSuffix(h.base+kind+stop))
			}
		}
	}
	return live
}

func (s *scene) quiet(ctx context.Context) error {
	before := s.readers.reads.Load()
	wait.For(ctx, 4*time.Second)
	s.p.figure("reads a second in quiet, two cores for everything", "%d", (s.readers.reads.Load()-before)/4)
	return ctx.Err()
}

func (s *scene) rolling(ctx context.Context) error {
	starts := map[string]time.Duration{}
	for _, r := range s.all {
		r.stop()
		took, err := r.startReady(ctx)
		if err != nil {
			return err
		}
		starts[r.service()] = max(starts[r.service()], took)
		wait.For(ctx, 2*probeEvery) // until the balancer uses it
	}
	for _, svc := range services {
		s.p.figure("start of "+svc.name+" to ready, under this load", "%s", starts[svc.name].Round(time.Millisecond))
	}
	return ctx.Err()
}

func (s *scene) crashes(ctx context.Context) error {
	before := s.readers.cut.Load()
	for i, r := range s.all {
		if i%2 == 0 {
			r.kill()
		}
	}
	wait.For(ctx, time.Second)
	for i, r := range s.all {
		if i%2 == 0 {
			if _, err := r.startReady(ctx); err != nil {
				return err
			}
		}
	}
	s.p.figure("reads cut by kill -9 of an API replica, not repeated by the client", "%d", s.readers.cut.Load()-before)
	return ctx.Err()
}

// natsNode kills the node that leads the stream of imports, then another, and restarts each.
func (s *scene) natsNode(ctx context.Context) error {
	for _, which := range []string{"leader", "follower"} {
		var name string
		// While no leader is known, a node lists all three as followers.
		err := until(ctx, 10*time.Second, "the stream of imports on three nodes", func(ctx context.Context) (bool, error) {
			leader, replicas, err := s.nats[0].leader(ctx, "TRANSIT_WORK")
			name = leader
			return leader != "" && replicas == nodes, err
		})
		if err != nil {
			return err
		}
		var victim *node
		for i, n := range s.nats {
			if leads := name == fmt.Sprintf("n%d", i+1); leads == (which == "leader") {
				victim = n
			}
		}
		s.p.stage("kill -9 of %s, the %s of the work stream", victim.name, which)
		before := s.imports.Load()
		victim.kill()
		// Imports are requested meanwhile; Submit waits for a new leader.
		gone := time.Now()
		if err := until(ctx, 30*time.Second, "work is taken with one node down", func(context.Context) (bool, error) {
			return s.imports.Load() > before+1, nil
		}); err != nil {
			return err
		}
		s.p.figure("two more imports were taken while the "+which+" was down, after", "%s",
			time.Since(gone).Round(10*time.Millisecond))
		if err := victim.start(); err != nil {
			return err
		}
		if err := victim.awaitCluster(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *scene) postgres(ctx context.Context) error {
	s.readers.away.Store(true)
	if err := s.db.kill(ctx); err != nil {
		return err
	}
	gone := time.Now()
	wait.For(ctx, 2*time.Second)
	for _, r := range s.all {
		if ok, said := r.probe(ctx, "/readyz?verbose"); !ok || report(said)["database"] != "not reachable" {
			s.p.violated("%s without Postgres: ready %v, %s", r.name, ok, said)
		}
	}
	if err := s.db.restart(ctx); err != nil {
		return err
	}
	back := time.Now()
	for _, r := range s.all {
		err := until(ctx, 60*time.Second, r.name+" reaches the database", func(ctx context.Context) (bool, error) {
			_, said := r.probe(ctx, "/readyz?verbose")
			return report(said)["database"] == "ok", nil
		})
		if err != nil {
			return err
		}
	}
	s.readers.away.Store(false)
	s.p.figure("Postgres was away for", "%s", back.Sub(gone).Round(10*time.Millisecond))
	s.p.figure("reads answered 503 with Retry-After meanwhile", "%d", s.readers.refused.Load())
	s.p.figure("all ten reached it again after its return, without a restart", "%s",
		time.Since(back).Round(10*time.Millisecond))
	return ctx.Err()
}

// withoutNATS kills the whole cluster. Reads continue, and the APIs find an import in the tables
// without an event.
func (s *scene) withoutNATS(ctx context.Context) error {
	s.halt.Store(true)
	if err := s.imported(ctx); err != nil {
		return err
	}
	for _, n := range s.nats {
		n.kill()
	}
	wait.For(ctx, time.Second)
	var now string
	if err := s.db.query(ctx, `SELECT encode(sha256, 'hex') FROM transit.feed
		JOIN transit.feed_version USING (version_id)`, &now); err != nil {
		return err
	}
	other := 0
	if now == s.shas[0] {
		other = 1
	}
	u := s.towns[other]
	if _, err := s.townline(ctx, s.p.bin, s.db, "feed", "import", demo.Alias, u.url+"/gtfs.zip"); err != nil {
		return err
	}
	s.imports.Add(1)
	began := time.Now()
	if err := s.serving(ctx, s.shas[other]); err != nil {
		return err
	}
	s.p.figure("an import without NATS is served by both replicas after", "%s",
		time.Since(began).Round(10*time.Millisecond))
	for _, r := range s.all {
		if ok, said := r.ready(ctx); !ok {
			s.p.violated("%s is not ready without NATS: %s", r.name, said)
		}
	}
	for _, n := range s.nats {
		if err := n.start(); err != nil {
			return err
		}
	}
	for _, n := range s.nats {
		if err := n.awaitCluster(ctx); err != nil {
			return err
		}
	}
	s.halt.Store(false)
	return ctx.Err()
}
