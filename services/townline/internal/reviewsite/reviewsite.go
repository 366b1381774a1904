// Package reviewsite serves the pages on which a clerk reviews anomalies and corrects votes:
// `townline review`.
//
// It is a separate site on loopback, because it changes data: the public APIs have no cookies, no
// forms that write, and no right to write. A clerk enters by a link that works once, or by the
// header of a proxy that uses the socket (gate.go). Like the commands `townline council correct` and
// `review` it stores statements with pkg/clerk, with a role that can only add them; council-ingest
// applies corrections.
//
// Pages work without scripts. Nothing is overwritten. If a clerk has not seen the newest
// statements, the form stores nothing and shows them (clerk.Seen).
//
// Start with list.go (all anomalies), file.go (the data of one anomaly or vote), page.go (its
// page), act.go (submitted forms), form.go (corrections of a form).
package reviewsite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/site"
)

// Config has the settings.
type Config struct {
	Addr string `env:"REVIEW_ADDR" envDefault:"127.0.0.1:8083" doc:"Address of townline review: a loopback address, or unix: and the path of a socket. Port 0 takes any free one."`
	// Hosts are additional host names that a proxy sends.
	Hosts []string `env:"REVIEW_HOST" doc:"Host names under which a proxy shows townline review, comma separated, with the port if there is one. Requests for other hosts are refused."`
	// Header is the proxy's header with the name of the clerk.
	Header string `env:"REVIEW_PROXY_HEADER" doc:"Header in which a proxy on the same machine names the clerk, as readers shall see the name. It requires a socket as REVIEW_ADDR, and replaces the links."`
	conf.Council
}

//go:embed *.html words assets
var own embed.FS

// A Server serves the review pages.
type Server struct {
	deps   run.Deps
	site   *site.Site
	zone   *time.Location
	locale lang.Locale
	gate   *gate
	mux    *http.ServeMux
}

// Listen listens on loopback, or on a Unix socket that only the account and its group can open.
func Listen(ctx context.Context, cfg Config) (net.Listener, error) {
	network, addr := "tcp", cfg.Addr
	path, socket := strings.CutPrefix(cfg.Addr, "unix:")
	if socket {
		network, addr = "unix", path
		if cfg.Header == "" {
			return nil, errors.New("REVIEW_PROXY_HEADER is required with a socket: browsers need a proxy to open it")
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 { // left by a killed process
			_ = os.Remove(path) // Listen returns the error, if any
		}
	} else if err := onLoopback(cfg.Addr); err != nil {
		return nil, err
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, network, addr)
	if err == nil && socket {
		err = os.Chmod(path, 0o660)
	}
	if err != nil {
		return nil, fmt.Errorf("REVIEW_ADDR: %w", err)
	}
	return ln, nil
}

func onLoopback(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("REVIEW_ADDR %q: %w", addr, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("REVIEW_ADDR %q: not a loopback address; a proxy on this machine shows the pages to others", addr)
	}
	return nil
}

// Open returns a server for a listener.
func Open(cfg Config, deps run.Deps, ln net.Listener) (*Server, error) {
	s := &Server{deps: deps, mux: http.NewServeMux()}
	var err error
	s.zone, s.locale, err = cfg.Place()
	if err != nil {
		return nil, err
	}
	s.site, err = site.New(own, council.Sentences())
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	s.site.SetBrand(cfg.Town)
	s.gate, err = newGate(cfg, ln.Addr())
	if err != nil {
		return nil, err
	}
	for pattern, page := range map[string]func(http.ResponseWriter, *http.Request, *visitor) error{
		"GET /{$}": s.list, "GET /find": s.find,
		"GET /{kind}/{id}": s.show, "POST /{kind}/{id}": s.submit,
	} {
		s.mux.HandleFunc(pattern, s.authenticated(page))
	}
	s.mux.HandleFunc("GET /open", s.enter)
	s.mux.HandleFunc("GET /assets/{file}", s.site.ServeFile)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.stop(w, r, http.StatusNotFound, "nothing") })
	return s, nil
}

// Links returns a link for each clerk, or one link if names is empty; then the clerk enters a name.
// Behind a proxy it returns none.
func (s *Server) Links(names []string) []string { return s.gate.links(names) }

const (
	maxBody   = 256 << 10
	answerFor = 30 * time.Second
)

// Serve serves until ctx ends.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second,
		WriteTimeout: answerFor + 10*time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
	}
	return run.Serve(ctx, srv, ln, answerFor)
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, values := range (site.Policy{}).Header() {
		w.Header()[name] = values
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if !s.gate.isOwnHost(r.Host) {
		http.Error(w, "unknown host", http.StatusMisdirectedRequest)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	ctx, cancel := context.WithTimeout(r.Context(), answerFor)
	defer cancel()
	s.mux.ServeHTTP(w, r.WithContext(ctx))
}
