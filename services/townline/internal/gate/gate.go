package gate

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// A gate authenticates visitors. A link works once within an hour: the visitor exchanges it for a
// session with a SameSite=Strict cookie. Behind a proxy there are no sessions: the proxy's header names the visitor
// in each request. In both cases a form needs the visitor's token, so that other sites and local
// programs cannot submit it.
//
// Links and sessions are stored as hashes.
type gate struct {
	hosts  []string
	cookie string
	header string // header of the proxy; "" if there is no proxy
	root   string // start of all links
	secret string
	cross  *http.CrossOriginProtection
	now    func() time.Time

	mu       sync.Mutex
	unused   map[[32]byte]link // by hash of the key
	sessions map[[32]byte]*session
}

// A link is for one visitor, until it ends.
type link struct {
	name string
	ends time.Time
}

type session struct {
	name string // name as last entered
	ends time.Time
}

// A Visitor is the clerk or the operator who sends a request.
type Visitor struct {
	Name    string // "" until the visitor enters one
	Fixed   bool   // the name comes from the proxy
	Token   string // token in forms
	session *session
}

// linkFor is how long an unused link works: it may stay in a terminal, a log or a mail.
const linkFor = time.Hour

// sessionFor is how long a session lasts: a working day.
const sessionFor = 12 * time.Hour

func newGate(cfg Config, addr net.Addr) (*gate, error) {
	g := &gate{header: cfg.Header, cross: http.NewCrossOriginProtection(), now: time.Now, unused: map[[32]byte]link{},
		sessions: map[[32]byte]*session{}, cookie: "townline_review", secret: rand.Text() + rand.Text()}
	for _, host := range cfg.Hosts {
		g.hosts = append(g.hosts, strings.ToLower(strings.TrimSpace(host)))
	}
	if tcp, ok := addr.(*net.TCPAddr); ok {
		if g.header != "" {
			return nil, errors.New("REVIEW_PROXY_HEADER requires a socket, such as " +
				"REVIEW_ADDR=unix:/run/townline/review.sock: every program on this machine could send the header to a port")
		}
		g.root = "http://" + tcp.String()
		g.cookie += fmt.Sprint("_", tcp.Port) // browsers share cookies between ports
		for _, host := range []string{tcp.IP.String(), "localhost"} {
			g.hosts = append(g.hosts, net.JoinHostPort(host, fmt.Sprint(tcp.Port)))
		}
	} else if len(g.hosts) == 0 {
		return nil, errors.New("REVIEW_HOST is required with a socket: only the proxy knows the host name")
	}
	return g, nil
}

// isOwnHost reports whether a host is the server's. Other names may resolve to this address (DNS
// rebinding).
func (g *gate) isOwnHost(host string) bool { return slices.Contains(g.hosts, strings.ToLower(host)) }

func (g *gate) links(names []string) []string {
	if g.header != "" {
		return nil
	}
	if len(names) == 0 {
		names = []string{""}
	}
	all := make([]string, len(names))
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, name := range names {
		key := rand.Text() + rand.Text()
		g.unused[sha256.Sum256([]byte(key))] = link{name: name, ends: g.now().Add(linkFor)}
		all[i] = g.root + "/open?key=" + key
	}
	return all
}

// open exchanges the key of a link for a session. It works once per link, until the link ends.
func (g *gate) open(key string) (cookie *http.Cookie, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	hash := sha256.Sum256([]byte(key))
	used, ok := g.unused[hash]
	delete(g.unused, hash)
	if !ok || used.ends.Before(g.now()) {
		return nil, false
	}
	maps.DeleteFunc(g.sessions, func(_ [32]byte, s *session) bool { return s.ends.Before(g.now()) })
	id := rand.Text() + rand.Text()
	g.sessions[sha256.Sum256([]byte(id))] = &session{name: used.name, ends: g.now().Add(sessionFor)}
	return &http.Cookie{Name: g.cookie, Value: id, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}, true
}

// visitor returns the visitor who sends a request; nil if authentication fails.
func (g *gate) visitor(r *http.Request) *Visitor {
	if g.header != "" {
		names := r.Header.Values(g.header)
		if len(names) != 1 || strings.TrimSpace(names[0]) == "" || !utf8.ValidString(names[0]) {
			return nil
		}
		name := strings.TrimSpace(names[0])
		return &Visitor{Name: name, Fixed: true, Token: g.token("proxy " + name)}
	}
	cookie, err := r.Cookie(g.cookie)
	if err != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[sha256.Sum256([]byte(cookie.Value))]
	if s == nil || s.ends.Before(g.now()) {
		return nil
	}
	return &Visitor{Name: s.name, Token: g.token("session " + cookie.Value), session: s}
}

func (g *gate) token(of string) string {
	mac := hmac.New(sha256.New, []byte(g.secret))
	mac.Write([]byte(of))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// remember stores the name that a visitor has entered.
func (g *gate) remember(v *Visitor, name string) {
	if v.session != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		v.session.name = name
	}
}
