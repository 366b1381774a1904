package rest

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
)

// Config is what an API adds to its table.
type Config struct {
	Name      string  // "council", "transit": label of metrics and logs
	Dialect   Dialect // how errors and formats are answered
	Base      string  // path of the API: "/v1"
	PublicURL string  // absolute address of Base as clients see it; links in bodies start with it

	Title       string // of the description: "Council votes"
	Version     string // of the description: "1.0.0"
	Description string // of the description, plain text with blank lines between paragraphs
	License     string // of the description; "" leaves it out

	DB     DB      // what [Call.Query] asks
	Source *Source // generation of endpoints that name none

	// Access decides about a request before parameters, validators and cache, and about every
	// answer of a stream. Its error ([Unauthorized], [Forbidden]) is the answer. Nil allows everything.
	Access func(r *http.Request, s *Spec) (Grant, error)
	// DescriptionPermission is the permission that reading the description takes; "" is none.
	DescriptionPermission string

	Origins     []string      // origins that browsers may call from; nil is every one
	Listeners   int           // streams that may be open at once; 0 is 1000
	CacheBytes  int64         // budget of kept bodies; 0 is 256 MB
	AnswerBytes int           // largest body of JSON; a larger one is refused while it is made. 0 is 32 MB
	HeldBytes   int64         // budget of bodies that slow clients hold though they are not kept any more; 0 is a quarter of CacheBytes, and at least AnswerBytes
	Pace        time.Duration // longest time that a client may take for 64 kB of an answer; 0 is 15 s
	Revision    string        // of program and configuration: part of every ETag, so that a change of either refreshes clients
	Timeout     time.Duration // longest time an answer may take to build; 0 is 10 s
	StaticFor   time.Duration // how long clients reuse static answers without asking; 0 is 5 min
	RealtimeFor time.Duration // likewise realtime answers; 0 is 5 s
	MaxURL      int           // longest request target in bytes; 0 is 8000
	Linger      time.Duration // how long after a stop requests are still taken, for balancers that have not heard of it yet

	Log       *slog.Logger          // nil is slog.Default
	AccessLog AccessLog             // which requests get a line
	Slow      time.Duration         // what LogErrors takes for slow; 0 is 1 s
	Metrics   prometheus.Registerer // nil keeps metrics to itself
	Traces    trace.TracerProvider  // makes a span of each request; nil is none
}

// A Grant is what Access has found out about a request beside that it may be answered.
type Grant struct {
	Private bool        // a credential was needed, so no shared cache may keep the answer
	Header  http.Header // stands on the answer, also on an error: what is left of a quota
}

func (s *Server) defaults() {
	c := &s.cfg
	if c.CacheBytes == 0 {
		c.CacheBytes = 256 << 20
	}
	if c.AnswerBytes == 0 {
		c.AnswerBytes = 32 << 20
	}
	if c.HeldBytes == 0 {
		c.HeldBytes = max(c.CacheBytes/4, int64(c.AnswerBytes)) // one client alone is never refused
	}
	if c.Pace == 0 {
		c.Pace = 15 * time.Second
	}
	if c.Timeout == 0 {
		c.Timeout = 10 * time.Second
	}
	if c.StaticFor == 0 {
		c.StaticFor = 5 * time.Minute
	}
	if c.RealtimeFor == 0 {
		c.RealtimeFor = 5 * time.Second
	}
	if c.Listeners == 0 {
		c.Listeners = 1000
	}
	if c.MaxURL == 0 {
		c.MaxURL = 8000
	}
	if c.Slow == 0 {
		c.Slow = time.Second
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	s.salt = c.Name + "\x00" + c.PublicURL + "\x00" + c.Revision
	s.public = [2][]string{
		Static:   {fmt.Sprintf("public, max-age=%d, stale-while-revalidate=86400, stale-if-error=86400", int(c.StaticFor.Seconds()))},
		Realtime: {fmt.Sprintf("public, max-age=%d", int(c.RealtimeFor.Seconds()))},
	}
	s.private = [2][]string{Static: {"private, no-cache"}, Realtime: {"private, no-cache"}}
	s.vary = []string{c.Dialect.vary()}
	if c.Origins != nil {
		s.vary[0] += ", Origin"
	}
}
