package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/townline/townline/pkg/wait"
)

// A target is an address of an API with its connections.
type target struct {
	name    string
	address string
	client  *http.Client
	dying   atomic.Bool // about to be killed, so connections may break
}

// A pool selects the target of each request to an API.
type pool struct {
	half
	pick func() *target
}

// A balancer sends requests to the ready replicas in turn, like a Kubernetes Service or a reverse
// proxy. It does not retry.
type balancer struct {
	name     string // name of the half
	mu       sync.RWMutex
	replicas []*replica
	next     atomic.Uint64
}

type replica struct {
	*process
	in atomic.Bool
}

// probeEvery is the interval of readiness probes.
const probeEvery = 100 * time.Millisecond

func (b *balancer) add(ctx context.Context, p *process) {
	r := &replica{process: p}
	b.mu.Lock()
	b.replicas = append(b.replicas, r)
	b.mu.Unlock()
	go func() {
		for wait.For(ctx, probeEvery) {
			ready, _ := p.ready(ctx)
			if r.in.Swap(ready) && !ready {
				p.target.client.CloseIdleConnections()
			}
		}
	}()
}

// pick returns the next ready replica. If none is ready, it returns any replica, and the request
// fails.
func (b *balancer) pick() *target {
	b.mu.RLock()
	defer b.mu.RUnlock()
	n := len(b.replicas)
	start := int(b.next.Add(1))
	for i := range n {
		if r := b.replicas[(start+i)%n]; r.in.Load() {
			return &r.target
		}
	}
	return &b.replicas[start%n].target
}

// readers generate load and remember answers.
type readers struct {
	p     *proof
	pause time.Duration // longest pause between two requests of a client
	// away means that Postgres is down, so uncached answers may be 503.
	away atomic.Bool
	// mixed means that versions differ, so a body may differ from those in the libraries.
	mixed atomic.Bool

	reads, unchanged, refused, cut atomic.Int64
	slowest                        atomic.Int64

	mu    sync.Mutex
	known map[string]map[[sha256.Size]byte]bool // hashes of valid bodies by address
	named map[string][sha256.Size]byte          // hash of the body by address and ETag
}

func (r *readers) learn(l library) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for path, a := range l {
		if r.known[path] == nil {
			r.known[path] = map[[sha256.Size]byte]bool{}
		}
		r.known[path][a.body] = true
		r.named[path+" "+a.tag] = a.body
	}
}

func (r *readers) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.known)
	clear(r.named)
}

func (r *readers) run(ctx context.Context, b *pool, clients int, paths []string) {
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			tags := map[string]string{}
			for ctx.Err() == nil {
				r.read(ctx, b, paths[rand.IntN(len(paths))], tags)
				wait.For(ctx, rand.N(r.pause))
			}
		})
	}
	wg.Wait()
}

func (r *readers) read(ctx context.Context, b *pool, path string, tags map[string]string) {
	to := b.pick()
	req, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodGet, "http://"+to.address+path, nil)
	if err != nil {
		r.p.violated("%s: %v", path, err)
		return
	}
	req.Host = strings.TrimPrefix(b.public, "https://")
	if tag := tags[path]; tag != "" && rand.IntN(2) == 0 {
		req.Header.Set("If-None-Match", tag)
	}
	away, dying := r.away.Load(), to.dying.Load()
	began := time.Now()
	res, err := to.client.Do(req)
	var body []byte
	if err == nil {
		body, err = io.ReadAll(res.Body)
		res.Body.Close()
	}
	took := time.Since(began)
	away, dying = away || r.away.Load(), dying || to.dying.Load()
	r.reads.Add(1)
	switch {
	case err != nil && dying:
		r.cut.Add(1)
		return
	case err != nil:
		r.p.violated("read from %s: %v", to.name, err)
		return
	case res.StatusCode == http.StatusServiceUnavailable && away:
		r.refused.Add(1)
		if problem := properlyRefused(b.half, res, body); problem != "" {
			r.p.violated("503 from %s for %s: %s", to.name, path, problem)
		}
		return
	}
	if !away {
		for old := r.slowest.Load(); int64(took) > old && !r.slowest.CompareAndSwap(old, int64(took)); old = r.slowest.
			Load() {
		}
	}
	tag := res.Header.Get("ETag")
	switch res.StatusCode {
	case http.StatusOK:
		tags[path] = tag
		r.judge(to, path, tag, body)
	case http.StatusNotModified:
		r.unchanged.Add(1)
		if tag != req.Header.Get("If-None-Match") {
			r.p.violated("304 from %s for %s names %s, asked was %s", to.name, path, tag, req.Header.Get("If-None-Match"))
		}
	default:
		r.p.violated("%s from %s for %s: %.200s", res.Status, to.name, path, body)
	}
}

// judge checks that a body equals all other bodies with its ETag, and was also read before the
// load.
func (r *readers) judge(from *target, path, tag string, body []byte) {
	if strings.Contains(path, "/rt/") {
		if !json.Valid(body) {
			r.p.violated("%s from %s is not JSON: %.200s", path, from.name, body)
		}
		return
	}
	sum := sha256.Sum256(body)
	r.mu.Lock()
	defer r.mu.Unlock()
	before, seen := r.named[path+" "+tag]
	if seen && before != sum && !r.mixed.Load() {
		r.p.violated("%s from %s: two bodies under the name %s", path, from.name, tag)
	}
	r.named[path+" "+tag] = sum
	if known := r.known[path]; known != nil && !known[sum] && !r.mixed.Load() &&
		!ofAnImport(path) && !ofAnObserver(path) {
		r.p.violated("%s from %s: belongs to no imported feed: %.200s", path, from.name, body)
	}
}

// ofAnImport reports whether the answer differs between imports of the same feed. A report does,
// because it compares the version with the previous one.
func ofAnImport(path string) bool { return strings.Contains(path, "/report") }

// ofAnObserver reports whether the answer changes with what vehicles do, at any moment.
func ofAnObserver(path string) bool { return strings.Contains(path, "/performance") }

// properlyRefused returns the problem of a 503 answer; "" if it is correct.
func properlyRefused(h half, res *http.Response, body []byte) string {
	var problem struct {
		Status  int
		Message string
	}
	err := json.Unmarshal(body, &problem)
	switch {
	case err != nil:
		return fmt.Sprintf("the body is not JSON: %.200s", body)
	case res.Header.Get("Retry-After") == "":
		return "no Retry-After"
	case h.name == "council" && (problem.Status != 503 || res.Header.Get("Content-Type") != "application/problem+json"):
		return fmt.Sprintf("no problem document: %s %.200s", res.Header.Get("Content-Type"), body)
	case h.name == "transit" && problem.Message == "":
		return fmt.Sprintf("no message: %.200s", body)
	case bytes.Contains(body, []byte("postgres")) || bytes.Contains(body, []byte(".s.PGSQL")):
		return fmt.Sprintf("it shows internal details: %.200s", body)
	}
	return ""
}

func (l library) paths() []string { return slices.Sorted(maps.Keys(l)) }
