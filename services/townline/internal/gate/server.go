// Package gate serves pages that change data to visitors who have signed in: `townline review`.
//
// They are a separate site on loopback: the public APIs have no cookies, no forms that write, and
// no right to write. A visitor enters by a link that works once, or by the header of a proxy that
// uses the socket (gate.go). The pages themselves come from the halves: internal/reviewsite for the
// clerk, internal/noticesite for the operator. They work without scripts.
package gate

import (
	"cmp"
	"context"
	"crypto/subtle"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
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

// Config has the settings.
type Config struct {
	Addr string `env:"REVIEW_ADDR" envDefault:"127.0.0.1:8083" doc:"Address of townline review: a loopback address, or unix: and the path of a socket. Port 0 takes any free one."`
	// Hosts are additional host names that a proxy sends.
	Hosts []string `env:"REVIEW_HOST" doc:"Host names under which a proxy shows townline review, comma separated, with the port if there is one. Requests for other hosts are refused."`
	// Header is the proxy's header with the name of the visitor.
	Header string `env:"REVIEW_PROXY_HEADER" doc:"Header in which a proxy on the same machine names the clerk or operator, as readers shall see the name. It requires a socket as REVIEW_ADDR, and replaces the links."`
	conf.Council
}

//go:embed *.html words assets
var own embed.FS

// A Page serves a request of a visitor.
type Page func(http.ResponseWriter, *http.Request, *Visitor) error

// A Half is the pages for one half of the data.
type Half struct {
	// Start is the path of its first page. Name is the key of the sentence that names it in the menu.
	Start, Name string
	// Files have its templates, words and assets.
	Files []fs.FS
	// NotFound is the error of its pages for an address that leads nowhere.
	NotFound error
	// Pages returns its pages by pattern.
	Pages func(*Server) map[string]Page
}

// A Server serves the pages of one or both halves.
type Server struct {
	Log    *slog.Logger
	Site   *site.Site
	zone   *time.Location
	locale lang.Locale
	gate   *gate
	halves []Half
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

// Open returns a server of halves for a listener. The first half has the start page.
func Open(cfg Config, log *slog.Logger, ln net.Listener, halves ...Half) (*Server, error) {
	s := &Server{Log: log, halves: halves, mux: http.NewServeMux()}
	var err error
	s.zone, s.locale, err = cfg.Place()
	if err != nil {
		return nil, err
	}
	parts := []fs.FS{own}
	for _, half := range halves {
		parts = append(parts, half.Files...)
	}
	s.Site, err = site.New(parts...)
	if err != nil {
		return nil, fmt.Errorf("review: %w", err)
	}
	if cfg.Town != conf.DefaultTown {
		s.Site.SetBrand(cfg.Town)
	}
	s.gate, err = newGate(cfg, ln.Addr())
	if err != nil {
		return nil, err
	}
	for _, half := range halves {
		for pattern, page := range half.Pages(s) {
			s.mux.HandleFunc(pattern, s.authenticated(page, half.NotFound))
		}
	}
	if halves[0].Start != "/" {
		s.mux.HandleFunc("GET /{$}", s.authenticated(func(w http.ResponseWriter, r *http.Request, _ *Visitor) error {
			h := s.Site.HeadFor(r)
			http.Redirect(w, r, h.To(halves[0].Start), http.StatusSeeOther)
			return nil
		}, nil))
	}
	s.mux.HandleFunc("GET /open", s.enter)
	s.mux.HandleFunc("GET /assets/{file}", s.Site.ServeFile)
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { s.stop(w, r, http.StatusNotFound, "nothing") })
	return s, nil
}

// Links returns a link for each name, or one link if names is empty; then the visitor enters a name.
// Behind a proxy it returns none.
func (s *Server) Links(names []string) []string { return s.gate.links(names) }

// Remember stores the name that a visitor has entered.
func (s *Server) Remember(v *Visitor, name string) { s.gate.remember(v, name) }

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

// enter serves a link. HEAD requests do not use up the link, because programs inspect links with
// them.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		return
	}
	cookie, ok := s.gate.open(r.URL.Query().Get("key"))
	if !ok {
		s.stop(w, r, http.StatusForbidden, "used")
		return
	}
	http.SetCookie(w, cookie)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// authenticated calls page for requests of visitors. Forms must have a valid token.
func (s *Server) authenticated(page Page, notFound error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v := s.gate.visitor(r)
		if v == nil {
			s.stop(w, r, http.StatusForbidden, map[bool]string{false: "stranger", true: "unnamed"}[s.gate.header != ""])
			return
		}
		if r.Method == http.MethodPost {
			if err := r.ParseForm(); err != nil {
				status := http.StatusBadRequest
				if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
					status = http.StatusRequestEntityTooLarge
				}
				s.stop(w, r, status, "unreadable")
				return
			}
			if s.gate.cross.Check(r) != nil || subtle.ConstantTimeCompare([]byte(r.PostForm.Get("token")),
				[]byte(v.Token)) != 1 {
				s.stop(w, r, http.StatusForbidden, "foreign")
				return
			}
		}
		err := page(w, r, v)
		switch {
		case err == nil:
		case notFound != nil && errors.Is(err, notFound):
			s.stop(w, r, http.StatusNotFound, "nothing")
		default:
			s.Log.Error("review request failed", "method", r.Method, "path", r.URL.Path, "error", err)
			s.stop(w, r, http.StatusInternalServerError, "failed")
		}
	}
}

// Head returns the head of a page. title is the key of its title.
func (s *Server) Head(r *http.Request, title string) site.Head {
	h := s.Site.HeadFor(r)
	h.Title, h.Styles = s.Word(h.Lang, title), []string{"review.css"}
	review := s.Word(h.Lang, "review.brand")
	if h.Brand != "" {
		review += " · " + h.Brand
	}
	h.Brand = review
	if len(s.halves) > 1 {
		here := s.halves[0].Start
		if strings.HasPrefix(r.URL.Path, s.halves[1].Start) {
			here = s.halves[1].Start
		}
		for _, half := range s.halves {
			h.Nav = append(h.Nav, site.Link{Text: s.Word(h.Lang, half.Name), Address: h.To(half.Start),
				Here: half.Start == here})
		}
	}
	return h
}

// Word returns a sentence.
func (s *Server) Word(lang, key string) string { return s.Site.Words(lang).Text(key) }

// Speaker returns the speaker of a language for the town's locale.
func (s *Server) Speaker(lang string) site.Speaker { return s.Site.Speaker(lang, s.locale) }

// Day formats a date for the town's locale.
func (s *Server) Day(lang, iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return s.Speaker(lang).Date(t)
}

// When formats a moment in the town's time zone.
func (s *Server) When(lang string, t time.Time) string {
	speaker := s.Speaker(lang)
	t = t.In(s.zone)
	return speaker.Date(t) + ", " + speaker.Clock(t) + " " + t.Format("MST")
}

// Write renders a page.
func (s *Server) Write(w http.ResponseWriter, status int, page string, v site.View) error {
	html, err := s.Site.Render(page, v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(status, http.StatusOK))
	_, _ = w.Write(html) // the browser may have disconnected
	return nil
}

type stopView struct {
	site.Head
	Why  string
	Home bool
}

// stop serves an error page.
func (s *Server) stop(w http.ResponseWriter, r *http.Request, status int, why string) {
	v := &stopView{Head: s.Head(r, "stop.title"), Why: why, Home: s.gate.visitor(r) != nil}
	if err := s.Write(w, status, "stop.html", v); err != nil {
		http.Error(w, errors.Join(errors.New(http.StatusText(status)), err).Error(), status)
	}
}
