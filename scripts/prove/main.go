// Command prove proves that a deployment with replicas loses no request and no work. It runs two
// processes of each service under load, with one Postgres and three NATS servers. Meanwhile it
// restarts and kills services, stops a NATS server and Postgres, and restores a backup on an empty
// server. With -old it proves that an earlier version and this one serve together during a
// migration. With -cluster it proves the same for pods, on a Kubernetes cluster of two nodes on
// this machine.
//
// Clients do not retry. The command prints figures and broken promises, exits with 1 if there are
// any, and stops everything that it started. `make prove`, `make prove-upgrade` and `make
// prove-cluster` run it.
//
// Start with promises.go, then proveReplicas (replicas.go), proveUpgrade (upgrade.go) and provePods
// (cluster_linux.go). process.go and servers.go run the processes, readers.go has the load and its
// checks, crawl.go finds the addresses to read, account.go compares requested with completed work.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/wait"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "nats-node" {
		os.Exit(runNode(os.Args[2:]))
	}
	bin := flag.String("bin", "bin", "folder of the services' binaries")
	old := flag.String("old", "", "folder of the binaries of an earlier version, or with -cluster of its source: prove "+
		"the upgrade from it")
	nodes := flag.Bool("cluster", false, "prove it on a Kubernetes of two nodes, whose programs are in -bin")
	hold := flag.Bool("hold", false, "with -cluster: start the nodes, prove nothing, and wait until it is interrupted")
	flag.Parse()
	ctx, stop := run.Signals(context.Background())
	var status int
	if *nodes {
		status = proveCluster(ctx, *bin, *old, *hold)
	} else {
		status = prove(ctx, *bin, *old)
	}
	stop()
	os.Exit(status)
}

func prove(ctx context.Context, bin, old string) int {
	p, err := newProof(ctx, bin)
	if err == nil {
		if old == "" {
			err = p.proveReplicas(ctx)
		} else {
			err = p.proveUpgrade(ctx, old)
		}
	}
	if err != nil {
		p.breaks(true, "%v", err)
	}
	p.end()
	return p.print()
}

// A proof is one run: its processes, figures and broken promises.
type proof struct {
	began  time.Time
	folder string
	bin    string
	old    string // source of the earlier release, with -cluster
	spawn  *spawner
	closes []func()

	mu      sync.Mutex
	figures [][2]string
	broken  []string
	more    int // number of broken promises that are not printed
}

func newProof(ctx context.Context, bin string) (*proof, error) {
	p := &proof{began: time.Now(), bin: bin, spawn: newSpawner()}
	folder, err := os.MkdirTemp("", "prove")
	if err != nil {
		return p, err
	}
	p.folder = folder
	p.closes = append(p.closes, func() { _ = os.RemoveAll(folder) }) // it has only test data
	// If this program runs as root, Postgres runs as another user.
	return p, errors.Join(os.Chmod(folder, 0o755), ctx.Err())
}

// end stops everything, in reverse order.
func (p *proof) end() {
	for i := len(p.closes) - 1; i >= 0; i-- {
		p.closes[i]()
	}
}

func (p *proof) stage(format string, args ...any) {
	fmt.Printf("%6.1f s  %s\n", time.Since(p.began).Seconds(), fmt.Sprintf(format, args...))
}

// since returns the time since t, rounded for the table.
func (p *proof) since(t time.Time) time.Duration { return time.Since(t).Round(100 * time.Millisecond) }

func (p *proof) figure(what, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.figures = append(p.figures, [2]string{what, fmt.Sprintf(format, args...)})
}

func (p *proof) violated(format string, args ...any) { p.breaks(false, format, args...) }

func (p *proof) breaks(final bool, format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.broken) >= 30 && !final {
		p.more++
		return
	}
	text := fmt.Sprintf(format, args...)
	p.broken = append(p.broken, text)
	fmt.Printf("%6.1f s  BROKEN: %s\n", time.Since(p.began).Seconds(), text)
}

func (p *proof) failures() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.broken) + p.more
}

func (p *proof) print() int {
	fmt.Println()
	w := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, f := range p.figures {
		fmt.Fprintf(w, "%s\t%s\n", f[0], f[1])
	}
	fmt.Fprintf(w, "whole run\t%.0f s\n", time.Since(p.began).Seconds())
	_ = w.Flush() // output is a terminal or a log
	if len(p.broken) == 0 {
		fmt.Println("\nevery promise was kept")
		return 0
	}
	fmt.Printf("\n%d promises were broken:\n  %s\n", len(p.broken)+p.more, strings.Join(p.broken, "\n  "))
	return 1
}

func until(ctx context.Context, atMost time.Duration, what string, done func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeoutCause(ctx, atMost, fmt.Errorf("%s: not within %s", what, atMost))
	defer cancel()
	var last error
	for {
		ok, err := done(ctx)
		if ok && err == nil {
			return nil
		}
		if err != nil && ctx.Err() == nil {
			last = err
		}
		if !wait.For(ctx, 50*time.Millisecond) {
			return errors.Join(context.Cause(ctx), last)
		}
	}
}
