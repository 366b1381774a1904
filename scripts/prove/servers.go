package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/townline/townline/pkg/embed/pgd"
	"github.com/townline/townline/services/townline/demo"
)

// A database is a private Postgres that can be killed.
type database struct {
	options pgd.Options
	server  *pgd.Server
	url     string                                                               // address for its superuser
	dial    func(ctx context.Context, network, address string) (net.Conn, error) // nil means the network of this process
}

// startDatabase starts an empty database. If it is disposable, it runs without fsync.
func (p *proof) startDatabase(ctx context.Context, name string, disposable bool) (*database, error) {
	d := &database{options: pgd.Options{DataDir: filepath.Join(p.folder, name), Disposable: disposable}}
	var err error
	d.server, err = pgd.Start(ctx, d.options)
	if err != nil {
		return nil, err
	}
	d.url = d.server.URL()
	p.closes = append(p.closes, func() {
		now, cancel := context.WithCancel(context.WithoutCancel(ctx))
		cancel()
		_ = d.server.Stop(now) // stop at once, because its data is disposable
	})
	return d, nil
}

func (d *database) as(role string) string {
	u, err := url.Parse(d.url)
	if err != nil {
		return d.url // a connection with this URL was opened, so it is valid
	}
	u.User = url.User(role)
	return u.String()
}

func (d *database) connect(ctx context.Context) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(d.url)
	if err != nil {
		return nil, err
	}
	if d.dial != nil {
		config.DialFunc = d.dial
	}
	return pgx.ConnectConfig(ctx, config)
}

func (d *database) query(ctx context.Context, sql string, into ...any) error {
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // the connection was only used to read
	return conn.QueryRow(ctx, sql).Scan(into...)
}

func (d *database) exec(ctx context.Context, sql string) error {
	conn, err := d.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

// kill ends Postgres as a crash does: its postmaster gets SIGKILL.
func (d *database) kill(ctx context.Context) error {
	var folder string
	if err := d.query(ctx, "SELECT current_setting('data_directory')", &folder); err != nil {
		return err
	}
	b, err := os.ReadFile(filepath.Join(folder, "postmaster.pid"))
	if err != nil {
		return err
	}
	line, _, _ := strings.Cut(string(b), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		return fmt.Errorf("process id of Postgres: %w", err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	<-d.server.Exited()
	return nil
}

func (d *database) restart(ctx context.Context) error {
	if err := d.server.Stop(ctx); err != nil {
		return err
	}
	server, err := pgd.Start(ctx, d.options)
	if err != nil {
		return err
	}
	d.server = server
	return nil
}

// A node is one server of the NATS cluster, in a separate process.
type node struct {
	*process
	url     string
	monitor string // address of its /jsz
}

const nodes = 3

// startNATS starts the cluster and returns when each node is connected to the others.
func (p *proof) startNATS(ctx context.Context) ([]*node, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var client, route, monitor [nodes]string
	var routes []string
	for i := range nodes {
		for _, into := range []*string{&client[i], &route[i], &monitor[i]} {
			*into, err = freePort()
			if err != nil {
				return nil, err
			}
		}
		routes = append(routes, "nats://"+route[i])
	}
	var all []*node
	for i := range nodes {
		s := &process{p: p, name: fmt.Sprintf("nats %d", i+1), binary: self, admin: monitor[i],
			log: filepath.Join(p.folder, fmt.Sprintf("nats-%d.log", i+1))}
		n := &node{process: s, url: "nats://" + client[i], monitor: monitor[i]}
		s.args = []string{"nats-node", "-name", fmt.Sprintf("n%d", i+1), "-client", client[i], "-route", route[i], "-monitor",
			monitor[i],
			"-routes", strings.Join(routes, ","), "-store", filepath.Join(p.folder, fmt.Sprintf("nats-%d", i+1))}
		p.closes = append(p.closes, func() { s.end(syscall.SIGKILL) })
		if err := s.start(); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	for _, n := range all {
		if err := n.awaitCluster(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (n *node) awaitCluster(ctx context.Context) error {
	return until(ctx, 30*time.Second, n.name+" in its cluster", func(ctx context.Context) (bool, error) {
		var health struct{ Status string }
		err := n.ask(ctx, "/healthz", &health)
		return health.Status == "ok", err
	})
}

func (n *node) ask(ctx context.Context, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+n.monitor+path, nil)
	if err != nil {
		return err
	}
	res, err := probes.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(into)
}

// leader returns the name of the node that leads a stream, according to this node, and the number
// of its replicas.
func (n *node) leader(ctx context.Context, stream string) (name string, replicas int, err error) {
	var all struct {
		Accounts []struct {
			Streams []struct {
				Name    string
				Cluster struct {
					Leader   string
					Replicas []struct{ Name string }
				}
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	if err := n.ask(ctx, "/jsz?accounts=true&streams=true", &all); err != nil {
		return "", 0, err
	}
	for _, a := range all.Accounts {
		for _, s := range a.Streams {
			if s.Name == stream {
				return s.Cluster.Leader, len(s.Cluster.Replicas) + 1, nil
			}
		}
	}
	return "", 0, fmt.Errorf("there is no stream %s", stream)
}

func runNode(args []string) int {
	flags := flag.NewFlagSet("nats-node", flag.ExitOnError)
	name, store := flags.String("name", "", ""), flags.String("store", "", "")
	routes := flags.String("routes", "", "")
	client, route := flags.String("client", "", ""), flags.String("route", "", "")
	monitor := flags.String("monitor", "", "")
	_ = flags.Parse(args) // Parse exits on an error
	port := func(addr string) int {
		_, p, _ := net.SplitHostPort(addr)
		n, _ := strconv.Atoi(p) // 0 would select a port that the others cannot find
		return n
	}
	s, err := server.NewServer(&server.Options{
		ServerName: *name, Host: "127.0.0.1", Port: port(*client), HTTPHost: "127.0.0.1", HTTPPort: port(*monitor),
		JetStream: true, StoreDir: *store, JetStreamMaxStore: 1 << 28, JetStreamMaxMemory: 1 << 26,
		Cluster: server.ClusterOpts{Name: "prove", Host: "127.0.0.1", Port: port(*route)},
		Routes:  server.RoutesFromStr(*routes), NoSigs: true,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s.ConfigureLogger()
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	s.Start()
	<-stop
	s.Shutdown()
	return 0
}

// An upstream is a demo town behind a proxy that counts requests.
type upstream struct {
	town *demo.Town
	url  string

	mu   sync.Mutex
	seen map[string][]time.Time // times of requests by path, and by the ID of a meeting's page
}

// startTown starts a town with a shifted clock at an address. Towns in different months publish
// different feeds.
func (p *proof) startTown(ctx context.Context, addr string, off time.Duration) (*upstream, error) {
	town, err := demo.Start(ctx, demo.Options{Now: func() time.Time { return time.Now().Add(off) }})
	if err != nil {
		return nil, err
	}
	inside, err := url.Parse(town.URL)
	if err != nil {
		return nil, err
	}
	u := &upstream{town: town, seen: map[string][]time.Time{}}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(inside)
		r.Out.Host = r.In.Host
	}}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	u.url = "http://" + ln.Addr().String()
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			u.count(r)
			proxy.ServeHTTP(w, r)
		})}
	go func() { _ = srv.Serve(ln) }() // Close ends it
	p.closes = append(p.closes, func() { _ = srv.Close() })
	return u, nil
}

func (u *upstream) count(r *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	key := r.URL.Path
	u.seen[key] = append(u.seen[key], time.Now())
	if id := r.URL.Query().Get("ID"); id != "" {
		key += "?ID=" + id
		u.seen[key] = append(u.seen[key], time.Now())
	}
}

func (u *upstream) times(key string) []time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]time.Time(nil), u.seen[key]...)
}

func command(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("%s %s: %w: %s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
