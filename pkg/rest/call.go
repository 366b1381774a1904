package rest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
	"github.com/townline/townline/pkg/rest/openapi"
)

// Volatility is how often the data of an endpoint changes; it decides Cache-Control.
type Volatility int

// The volatilities.
const (
	Static    Volatility = iota // changes with an import or ingest: long-lived and revalidatable
	Realtime                    // changes every few seconds
	Immutable                   // never changes: its address names its content
)

// Spec describes an endpoint.
type Spec struct {
	ID string // operationId; also the label of logs and metrics: "listStops"
	// below the base path, parameters in braces: "/feeds/{feed_alias}/stops"; "/items/{id}.png" is
	// another form of "/items/{id}", or all there is
	Path       string
	Summary    string      // one line
	Doc        string      // more, if one line is not enough
	Tag        string      // the section of the documentation
	Permission string      // permission that Config.Access checks; "" if every client may read it
	Kind       Volatility  // Static by default
	Queries    []Statement // every SQL statement that its function may run; pages may run those of all endpoints
	NotFound   string      // meaning of a 404, for the description: "unknown meeting"
	// Stream sends Content as it is read, for each answer that is not a 304, without the cache and
	// without compression.
	Stream bool
	// Translated texts are in the language that lang= or Accept-Language asks for, if the data has
	// it; see [Generation.Languages].
	Translated bool
	// Describe replaces the schema of the body's Go type.
	Describe func(*openapi.Schemas) openapi.Schema

	// Permissions of a page: it needs all of Shows, and leaves out data of those of MayShow that the
	// client lacks, see [Call.May].
	Shows, MayShow []string
	// of a page for screens without a keyboard: its error pages reload themselves
	Unattended bool
	Framed     string      // of a page that other sites show in frames: its kind
	Header     http.Header // of a page, its errors or a file: headers that differ from those of the site
}

// An Endpoint is one entry of a table. Make it with [Func] or [Bytes], those of a site with
// [Page] or [PageFile] too.
type Endpoint struct {
	Spec
	plan       *bind.Plan
	media      string                 // content type of a 200
	body       reflect.Type           // Go type of the body; nil for Bytes
	anyFormat  bool                   // exempt from the dialect's rule about formats
	compress   bool                   // its media type compresses well
	in         *area                  // its part of the server's addresses
	page       bool                   // its answer is a page
	picture    bool                   // of a page in another form than HTML
	form       bool                   // a form may request it: empty parameters are absent
	ending     string                 // of its path, after the last parameter: ".png" of /screens/{name}.png
	header     http.Header            // of each answer: of the site, of the page of the description
	mediaValue []string               // media as a header value
	runs       map[string]bool        // SQL that it declared, as sent
	seconds    [6]prometheus.Observer // by class of status
	err        error                  // mistake in the entry; New returns it
	now        func(ctx context.Context, c *Call) (Generation, error)
	read       func(ctx context.Context, db DB) (Generation, error) // nil if rows are selected by generation
	changed    func() <-chan struct{}                               // nil if the endpoint does not push
	build      func(ctx context.Context, c *Call) (File, error)
}

// A File is an answer of bytes, before it becomes a reply.
type File struct {
	Body       []byte        // cached, and compressed if its type allows
	Content    io.ReadSeeker // with Spec.Stream: read for one answer, then closed if it is an io.Closer
	Media      string        // its content type; "" is the endpoint's
	Name       string        // suggested file name; "" leaves out Content-Disposition
	Attachment bool          // makes the browser save the file instead of showing it
	// validator of the content (such as its SHA-256), unquoted; "" derives it from generation and
	// request
	Tag      string
	Modified time.Time     // time of the content's last change; zero is the generation's time
	Refresh  time.Duration // the Refresh header, for clients that sleep between requests; 0 is none
}

func (e *Endpoint) pushes() bool { return e.changed != nil && e.body != nil }

// A Table has the endpoints of an API in the order of its documentation.
type Table []Endpoint

// None is the parameter struct of endpoints without parameters.
type None struct{}

// A Generation is one state of the data. The same N means the same data on
// every replica: it is a counter in the database, or a hash of such counters.
type Generation struct {
	N    int64
	Time time.Time // when this state was committed; Last-Modified
	// Until is when this state ends without new data, as for notices with hours; no cache keeps an
	// answer longer. Zero if only new data ends it.
	Until time.Time
	// Languages of the data's translations; nil if it has none.
	Languages *lang.Choice
}

// Join combines the generations of an answer's data into one.
func Join(all ...Generation) Generation {
	g := all[0]
	if len(all) == 1 {
		return g
	}
	numbers := binary.BigEndian.AppendUint64(nil, uint64(g.N))
	for _, b := range all[1:] {
		numbers = binary.BigEndian.AppendUint64(numbers, uint64(b.N))
		if b.Time.After(g.Time) {
			g.Time = b.Time
		}
		if g.Until.IsZero() || !b.Until.IsZero() && b.Until.Before(g.Until) {
			g.Until = b.Until
		}
		g.Languages = lang.Join(g.Languages, b.Languages)
	}
	sum := sha256.Sum256(numbers)
	g.N = int64(binary.BigEndian.Uint64(sum[:]))
	return g
}

// A Source finds the data for an answer with parameters P, and which generation it is.
type Source[P, R any] struct {
	// Now runs at every request, after validation, and should answer from memory. Its error (such as
	// NotFound) is the answer.
	Now func(ctx context.Context, c *Call, p P) (R, Generation, error)
	// Changed returns a channel that is closed once Now may return another generation. With it,
	// endpoints of the source also push: they answer text/event-stream to clients that accept it. A
	// stream calls it at each [Heartbeat], so that the source knows that it has readers.
	Changed func() <-chan struct{}
}

// Fixed is the source of answers that depend on the program alone. Caches keep them for the
// duration again; 0 leaves that to the endpoint's volatility.
func Fixed[P any](again time.Duration) Source[P, None] {
	return Source[P, None]{Now: func(context.Context, *Call, P) (_ None, gen Generation, _ error) {
		gen.N = 1
		if again > 0 {
			gen.Until = time.Now().Add(again)
		}
		return None{}, gen, nil
	}}
}

// A Dataset is the data of most endpoints of an API, with one generation for all.
type Dataset struct {
	// Now returns the generation of a request, if possible from memory.
	Now func(ctx context.Context) (Generation, error)
	// Read reads the generation from one snapshot of the database. The answer is built from the same
	// snapshot and has its generation, not the one of Now. So an answer never mixes rows of two
	// generations, even if a replica of the database lags. It needs a Config.DB that can begin
	// transactions. Nil if rows are selected by generation.
	Read func(ctx context.Context, db DB) (Generation, error)
}

// A Call is the part of a request that a handler may see: its URL, its generation and the database.
// It hides headers, credentials and the client, because the answer is cached and sent to others.
type Call struct {
	s *Server
	e *Endpoint

	w     http.ResponseWriter
	r     *http.Request
	id    [1]string // also the value of its header
	start time.Time

	request   bind.Request
	params    any // pointer to the struct of parameters
	data      any // data of the source
	gen       Generation
	db        DB // the snapshot of the answer if there is one, else the server's database
	private   bool
	lang      string   // of a page, or of translations; "" is the data's own
	lacks     []string // of Spec.MayShow
	pushed    bool     // answered by a stream
	langAsked bool     // the query has lang=
	link      []string
	cause     error      // of a server error, for the log
	left      bool       // the client disconnected before anything was written
	span      trace.Span // nil without tracing

	large bool // holds one of the places for large answers
	taken int  // bytes that the handler counted with Take
}

// Query runs a statement that the endpoint declared; [Query.List] calls it.
func (c *Call) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !c.e.runs[sql] {
		return nil, fmt.Errorf("endpoint %s does not declare the query %.60q in Spec.Queries", c.e.ID, sql)
	}
	return c.db.Query(ctx, sql, args...)
}

func (c *Call) Generation() Generation { return c.gen }

// Param returns the text of a parameter, "" if it is absent. Forms repeat it.
func (c *Call) Param(name string) string { return c.e.plan.Text(&c.request, name) }

// URL builds an absolute URL below the API's public base: c.URL("/items/{id}", id).
func (c *Call) URL(template string, ids ...string) string {
	return URL(c.s.cfg.PublicURL, template, ids...)
}

// Self is the absolute address of this request without its query; of a page it begins with its
// path.
func (c *Call) Self() string {
	texts := c.e.plan.PathTexts(&c.request)
	if c.e.in.site {
		return c.Path(c.e.Path, texts...)
	}
	return c.URL(c.e.Path, texts...)
}

// SelfQuery is the absolute URL of this request with its query, without unknown parameters: each
// would need a separate body.
func (c *Call) SelfQuery() string { return c.SelfWith("", "") }

// SelfWith is SelfQuery with one parameter changed, or left out when text is "".
func (c *Call) SelfWith(name, text string) string {
	q := c.e.plan.Query(&c.request)
	if c.e.plan.Linked && c.request.Format != "" {
		q.Set(c.s.cfg.Dialect.FormatParam, c.request.Format)
	}
	if c.langAsked && !c.e.page {
		q.Set(langParam, c.lang)
	}
	q.Del(name)
	if text != "" {
		q.Set(name, text)
	}
	if len(q) == 0 {
		return c.Self()
	}
	return c.Self() + "?" + q.Encode()
}

// Filters names the endpoint and its parameters without those of paging. A cursor of this request
// is valid for these only.
func (c *Call) Filters() []byte { return c.e.plan.Filters(&c.request) }

// canonical appends the key of this request's body.
func (c *Call) canonical(b []byte) []byte {
	b = c.e.plan.Canonical(b, &c.request)
	if c.lang == "" {
		return b
	}
	b = append(append(b, 0), c.lang...)
	if c.langAsked { // links repeat it
		b = append(b, '!')
	}
	for _, p := range c.lacks {
		b = append(append(b, 0), p...)
	}
	return b
}

// Link adds a Link header (RFC 8288) to the answer.
func (c *Call) Link(rel, href string) {
	c.link = append(c.link, "<"+href+`>; rel="`+rel+`"`)
}

// startLarge waits for one of the places for large answers, unless the call holds one.
func (c *Call) startLarge(ctx context.Context) error {
	if c.large {
		return nil
	}
	err := c.s.load.StartLarge(ctx)
	c.large = err == nil
	return err
}

// endLarge releases the place, if the call holds one.
func (c *Call) endLarge() {
	if c.large {
		c.large = false
		c.s.load.EndLarge()
	}
}

// Take counts memory that a handler is about to use for its answer: roughly, the rows that it
// makes. Rest itself counts the JSON. Call it before each part that can become large, and return
// its error: the answer would be larger than Server.answerBytes, its time is over, or every client
// has left.
func (c *Call) Take(ctx context.Context, bytes int) error {
	c.taken += bytes
	return c.fits(ctx, c.taken)
}

// fits checks an answer's size so far.
func (c *Call) fits(ctx context.Context, bytes int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case bytes > c.s.answerBytes:
		return c.tooLarge()
	case bytes > reply.LargeBuild:
		return c.startLarge(ctx)
	}
	return nil
}

func (c *Call) asksForLarge() bool {
	n, err := strconv.Atoi(c.Param("limit"))
	return err == nil && n > reply.LargePage
}

// tooLarge refuses an answer and names the parameter to narrow.
func (c *Call) tooLarge() error {
	size := strconv.Itoa(c.s.answerBytes>>20) + " MB"
	e := &Error{Status: http.StatusInsufficientStorage, Detail: "the answer would be larger than " + size +
		", the largest answer allowed"}
	for _, p := range c.e.plan.Params {
		switch {
		case p.Name == "limit":
			return BadRequest(Fault{Path: p.Name, Message: "gives an answer of more than " + size + ": request fewer"})
		case !p.InPath && !p.Paging:
			e.Faults = append(e.Faults, Fault{Path: p.Name, Message: "can narrow the answer, which would be larger than " +
				size})
		}
	}
	if e.Faults != nil {
		return BadRequest(e.Faults...)
	}
	return e
}
