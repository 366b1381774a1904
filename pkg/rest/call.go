package rest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"

	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// Kind is how fast the data behind an endpoint changes; it decides Cache-Control.
type Kind int

// Kinds of data.
const (
	Static    Kind = iota // changes with an import or ingest: long-lived and revalidatable
	Realtime              // changes every few seconds
	Immutable             // never changes: its address names its content
)

// Spec is what an endpoint says of itself.
type Spec struct {
	ID         string      // operationId; also the label of logs and metrics: "listStops"
	Path       string      // below the base path, parameters in braces: "/feeds/{feed_alias}/stops"
	Summary    string      // one line
	Doc        string      // more, if one line is not enough
	Tag        string      // the section of the documentation
	Permission string      // what Config.Access asks for; "" for what every client may read
	Kind       Kind        // Static unless said
	Source     *Source     // the data it depends on; nil is Config.Source
	Queries    []Statement // every SQL statement its function may run
	NotFound   string      // what 404 means here, for the description: "unknown meeting"

	// Of a page: the permissions of what it shows. Without one of Shows it is refused; what the client lacks of MayShow it leaves out, see [Call.May].
	Shows, MayShow []string
	Header         http.Header // of a page or a file of it: headers that differ from those of the site
}

// An Endpoint is one entry of a table. Make it with [Func], [Bytes] or [Stream].
type Endpoint struct {
	Spec
	plan       *bind.Plan
	media      string                 // content type of a 200
	body       reflect.Type           // Go type of the body; nil for Bytes
	stream     bool                   // neither kept nor shared
	anyFormat  bool                   // exempt from the dialect's rule about formats
	compress   bool                   // its media gets smaller
	site       bool                   // of the site, at the root
	page       bool                   // its answer is an HTML page, and so are its errors
	header     http.Header            // of the site
	mediaValue []string               // media as a header value
	runs       map[string]bool        // SQL that it declared, as sent
	seconds    [6]prometheus.Observer // by class of status
	err        error                  // what is wrong with the entry; New returns it
	build      func(ctx context.Context, c *Call, params any) (result, error)
}

// A result is what a handler returned, before it is turned into a reply.
type result struct {
	body []byte
	file *File // of Bytes and Stream
}

// A File is an answer that is bytes already.
type File struct {
	Body       []byte        // of Bytes: kept in the cache, compressed when its type allows
	Content    io.ReadSeeker // of Stream: read for one answer, then closed if it is an io.Closer
	Media      string        // its content type; "" is the endpoint's
	Name       string        // file name offered when it is saved; "" leaves out Content-Disposition
	Attachment bool          // ask the browser to save the file rather than show it
	Tag        string        // the content's own validator (such as its SHA-256), unquoted; "" is made of generation and request
	Modified   time.Time     // when the content changed; zero is the generation's time
}

// pushes reports whether the endpoint can push.
func (e *Endpoint) pushes() bool { return e.Source != nil && e.Source.Changed != nil && e.body != nil }

// A Table is the endpoints of an API in the order of its documentation.
type Table []Endpoint

// None is the parameter struct of endpoints that take none.
type None struct{}

// A Generation is one state of the data. The same N means the same data on
// every replica: it is a counter in the database, or a hash of such counters.
type Generation struct {
	N    int64
	Time time.Time // when this state was committed; Last-Modified
	Ref  any       // what Source.Now resolved on the way, such as the live version
	// Until is when this state ends by the clock alone, as that of notices with hours does; no
	// cache keeps an answer beyond it. Zero when only new data ends it.
	Until time.Time
}

// A Source resolves which generation of the data an answer is made of. The zero Source is for answers that depend on no data:
// they are built each time, carry no validator and are not kept.
type Source struct {
	// Now resolves the generation of a request. It runs at every request, after
	// validation, and should answer from memory. Its error (such as NotFound) is the answer.
	Now func(ctx context.Context, c *Call) (Generation, error)
	// Read reads the generation from the database that it is given, which is one snapshot: the answer is built from the
	// same snapshot and has its generation, whatever Now returned. So rows of two generations never meet, however far
	// a replica of the database is behind. It needs a Config.DB that can begin transactions. Nil where rows
	// are addressed by the generation itself.
	Read func(ctx context.Context, db DB) (Generation, error)
	// Changed returns a channel that is closed once Now may return another generation. Endpoints of a source that has it
	// also push: they answer text/event-stream to clients that ask for it. A stream calls it again at each
	// [Heartbeat], so that a source knows whether a client still waits.
	Changed func() <-chan struct{}
}

// A Call is one request as a handler may see it: its parameters' addresses, its
// generation and the database. It has no header, no credential and no client, because what a
// handler builds is kept and given to others.
type Call struct {
	e           *Endpoint
	publicURL   string
	root        string // path of the site as clients see it, without a slash at its end
	formatParam string
	most        int // bytes of an answer
	load        *reply.Load

	w     http.ResponseWriter
	r     *http.Request
	id    [1]string // also the value of its header
	start time.Time

	params    bind.Request
	gen       Generation
	db        DB // the snapshot while an answer is built from one, else the server's
	private   bool
	lang      string   // of a page
	lacks     []string // of Spec.MayShow
	pushed    bool     // answered by a stream
	langAsked bool     // lang stands in the query
	link      []string
	cause     error      // of a server error, for the log
	left      bool       // the client is gone, nothing was written
	span      trace.Span // nil without tracing

	large bool // has a place among the large answers that are built
	taken int  // bytes that the handler holds for the answer
	rows  int  // bytes of rows that were read for it
}

// Query runs a statement that the endpoint declared; [Query.List] calls it.
func (c *Call) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !c.e.runs[sql] {
		return nil, fmt.Errorf("endpoint %s does not declare the query %.60q in Spec.Queries", c.e.ID, sql)
	}
	rows, err := c.db.Query(ctx, sql, args...)
	if err != nil || c.e.Source == nil || c.e.Source.Read == nil || c.e.stream {
		return rows, err // rows that are not of a snapshot may be loaded for many answers
	}
	return &countedRows{Rows: rows, c: c}, nil
}

// countedRows ends early when an answer's rows take more than an answer may.
type countedRows struct {
	pgx.Rows
	c   *Call
	err error
}

// Next reads a row.
func (r *countedRows) Next() bool {
	if !r.Rows.Next() {
		return false
	}
	for _, v := range r.RawValues() {
		r.c.rows += len(v)
	}
	if r.c.rows > r.c.most {
		r.err = r.c.tooLarge()
		r.Close()
		return false
	}
	return true
}

// Err returns why there are no more rows.
func (r *countedRows) Err() error {
	if r.err != nil {
		return r.err
	}
	return r.Rows.Err()
}

// Generation is the state of the data that this answer is made of.
func (c *Call) Generation() Generation { return c.gen }

// Param returns the text of a parameter, "" when it is absent. It is for
// Source.Now, which serves endpoints of different parameter structs.
func (c *Call) Param(name string) string { return c.e.plan.Text(&c.params, name) }

// Params returns the items of a parameter that may be given several times; nil when it is absent.
func (c *Call) Params(name string) []string { return c.e.plan.Texts(&c.params, name) }

// URL builds an absolute address below the API's public base: c.URL("/items/{id}", id).
func (c *Call) URL(template string, ids ...string) string { return URL(c.publicURL, template, ids...) }

// Self is the absolute address of this request without its query; of a page it begins with its path.
func (c *Call) Self() string {
	texts := c.e.plan.PathTexts(&c.params)
	if c.e.site {
		return c.Path(c.e.Path, texts...)
	}
	return c.URL(c.e.Path, texts...)
}

// SelfQuery is the absolute address of this request with its query. Unknown parameters are left out: each would make a
// body of its own.
func (c *Call) SelfQuery() string { return c.SelfWith("", "") }

// SelfWith is SelfQuery with one parameter changed, or left out when text is "".
func (c *Call) SelfWith(name, text string) string {
	q := c.e.plan.Query(&c.params)
	if c.e.plan.Linked && c.params.Format != "" {
		q.Set(c.formatParam, c.params.Format)
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

// Filters names the endpoint and its parameters without those of paging: what a cursor of this request is bound to.
func (c *Call) Filters() []byte { return c.e.plan.Filters(&c.params) }

// canonical appends what names the body of this request.
func (c *Call) canonical(b []byte) []byte {
	b = c.e.plan.Canonical(b, &c.params)
	if c.e.page {
		b = c.canonicalPage(b)
	}
	return b
}

// Link adds a Link header (RFC 8288) to the answer.
func (c *Call) Link(rel, href string) {
	c.link = append(c.link, "<"+href+`>; rel="`+rel+`"`)
}

// startLarge waits for a place among the large answers that are built, unless this one has it already.
func (c *Call) startLarge(ctx context.Context) error {
	if c.large {
		return nil
	}
	err := c.load.StartLarge(ctx)
	c.large = err == nil
	return err
}

// endLarge gives the place back, once the answer is refused, kept or counted as held.
func (c *Call) endLarge() {
	if c.large {
		c.large = false
		c.load.EndLarge()
	}
}

// Take counts bytes that a handler is about to hold for its answer beside the JSON that rest counts by itself: roughly, the rows
// that it makes. Call it before each part of what can become large, above all in loops over data from outside. Its error is the
// answer: the answer would be larger than Config.AnswerBytes, its time is over, or no client waits for it any more.
func (c *Call) Take(ctx context.Context, bytes int) error {
	c.taken += bytes
	return c.fits(ctx, c.taken)
}

// fits checks the size that an answer has so far.
func (c *Call) fits(ctx context.Context, bytes int) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case bytes > c.most:
		return c.tooLarge()
	case bytes > reply.LargeBuild:
		return c.startLarge(ctx)
	}
	return nil
}

// asksForLarge reports whether the request asks for so long a page that its answer counts as large before it is built.
func (c *Call) asksForLarge() bool {
	n, err := strconv.Atoi(c.Param("limit"))
	return err == nil && n > reply.LargePage
}

// tooLarge refuses an answer and says what to narrow.
func (c *Call) tooLarge() error {
	size := megabytes(c.most)
	e := &Error{Status: http.StatusInsufficientStorage, Detail: "the answer would be larger than " + size + ", the most that one answer may have"}
	for _, p := range c.e.plan.Params {
		switch {
		case p.Name == "limit":
			return BadRequest(Fault{p.Name, "asks for an answer of more than " + size + ": ask for fewer"})
		case !p.InPath && !p.Paging:
			e.Faults = append(e.Faults, Fault{p.Name, "can narrow the answer, which would be larger than " + size})
		}
	}
	if e.Faults != nil {
		return BadRequest(e.Faults...)
	}
	return e
}

// megabytes names a size for readers.
func megabytes(n int) string {
	if n < 1<<20 {
		return strconv.Itoa(n) + " bytes"
	}
	return strconv.Itoa(n>>20) + " MB"
}
