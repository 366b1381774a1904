// Package reviewsite is the pages on which a clerk reviews anomalies and corrects votes in a
// browser: `townline review`.
//
// It is a site of its own, on loopback, because it changes data: the public APIs have no cookie, no
// form that writes and no right to. Who may come in is decided by gate.go: a link that works once,
// or a header of a proxy on the same machine. What is said is stored by pkg/clerk, as the commands
// `townline council correct` and `review` do, with the same rights: a role that adds corrections
// and reviews and changes nothing. council-ingest lays corrections over what it reads.
//
// Pages are whole without script. Nothing is overwritten: each act is added to the others, and one
// that was made without having seen the newest is shown what happened in between, and not stored
// (clerk.Seen).
//
// Next: list.go (all anomalies), file.go (what is known of one, or of a vote), page.go (how that is
// shown), act.go (what is done), form.go (corrections from a form).
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
	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/site"
)

// Config holds the settings of the pages.
type Config struct {
	// Addr is the address to listen on.
	Addr string `env:"REVIEW_ADDR" envDefault:"127.0.0.1:8083" doc:"Address of townline review: a loopback address, or unix: and the path of a socket. Port 0 takes any free one."`
	// Hosts are further names of the host, as a proxy sends them.
	Hosts []string `env:"REVIEW_HOST" doc:"Host names under which a proxy shows townline review, comma separated, with the port if there is one. Requests for other hosts are refused."`
	// Header has the name of the clerk.
	Header string `env:"REVIEW_PROXY_HEADER" doc:"Header in which a proxy on the same machine names the clerk, as readers shall see the name. With it nobody comes in by a link."`
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

// Listen listens where the pages may be: on loopback, or on a socket that only the account and its
// group can open.
func Listen(ctx context.Context, cfg Config) (net.Listener, error) {
	path, socket := strings.CutPrefix(cfg.Addr, "unix:")
	if socket {
		if cfg.Header == "" {
			return nil, errors.New("REVIEW_ADDR is a socket, to which browsers do not come; name the header of the proxy in " +
				"REVIEW_PROXY_HEADER")
		}
		if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSocket != 0 { // of a process that was killed
			_ = os.Remove(path) // if it stays, Listen says so
		}
	} else if err := onLoopback(cfg.Addr); err != nil {
		return nil, err
	}
	network := map[bool]string{false: "tcp", true: "unix"}[socket]
	if !socket {
		path = cfg.Addr
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, network, path)
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

// Open makes the pages for a listener.
func Open(cfg Config, deps run.Deps, ln net.Listener) (*Server, error) {
	d := &Server{deps: deps, mux: http.NewServeMux()}
	var err error
	d.zone, d.locale, err = cfg.Place()
	if err != nil {
		return nil, err
	}
	d.site, err = site.New(own)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	d.site.SetBrand(cfg.Town)
	d.gate, err = newGate(cfg, ln.Addr())
	if err != nil {
		return nil, err
	}
	for pattern, page := range map[string]func(http.ResponseWriter, *http.Request, *visitor) error{
		"GET /{$}": d.list, "GET /find": d.find,
		"GET /{kind}/{id}": d.show, "POST /{kind}/{id}": d.act,
	} {
		d.mux.HandleFunc(pattern, d.inside(page))
	}
	d.mux.HandleFunc("GET /open", d.enter)
	d.mux.HandleFunc("GET /assets/{file}", d.site.ServeFile)
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { d.stop(w, r, http.StatusNotFound, "nothing") })
	return d, nil
}

// Links are addresses that let somebody in once each, for the clerks of these names; "" is a clerk
// who will say the name. There is none behind a proxy.
func (d *Server) Links(names []string) []string { return d.gate.links(names) }

// Limits of requests.
const (
	maxBody   = 256 << 10
	answerFor = 30 * time.Second
)

// Serve answers until ctx ends.
func (d *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler: d, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 20 * time.Second, WriteTimeout: answerFor +
			10*time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerFor)
	defer cancel()
	if err := srv.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("stop %s: %w", ln.Addr(), err), srv.Close())
	}
	return nil
}

// ServeHTTP answers a request: headers and host first, then whose it is, then the page.
func (d *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, values := range (site.Policy{}).Header() {
		w.Header()[name] = values
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if !d.gate.knows(r.Host) {
		http.Error(w, "this is not the host that you asked for", http.StatusMisdirectedRequest)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	ctx, cancel := context.WithTimeout(r.Context(), answerFor)
	defer cancel()
	d.mux.ServeHTTP(w, r.WithContext(ctx))
}
