package rest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/semaphore"

	"github.com/townline/townline/pkg/lang"
	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
	"github.com/townline/townline/pkg/rest/openapi"
)

// Volatility says how often the data of an endpoint changes. It decides Cache-Control.
type Volatility int

const (
	Static    Volatility = iota // changes with an import or ingest: caches may keep it and revalidate
	Realtime                    // changes every few seconds
	Immutable                   // never changes, because the address identifies the content
)

// Spec describes an endpoint.
type Spec struct {
	ID string // operationId, such as "listStops"; also the label of logs and metrics
	// path below the base, with parameters in braces: "/feeds/{feed_alias}/stops". "/items/{id}.png"
	// is another form of "/items/{id}", or the only form.
	Path       string
	Summary    string      // one line
	Doc        string      // further text, if one line is not enough
	Tag        string      // section of the documentation
	Permission string      // permission that Config.Access checks; "" if every client may read the endpoint
	Kind       Volatility  // default Static
	Media      string      // content type of a file
	Queries    []Statement // every SQL statement that the handler may run; pages may run the statements of all endpoints
	NotFound   string      // meaning of a 404, for the description: "unknown meeting"
	// Stream sends the Content of each answer (except a 304) as it is read, without cache and
	// compression.
	Stream bool
	// Translated says that texts are in the language that lang= or Accept-Language asks for, if the
	// data has that language; see [Generation.Languages].
	Translated bool
	// Describe replaces the schema of the body's Go type.
	Describe func(*openapi.Schemas) openapi.Schema

	// Shows lists the permissions that a page needs. MayShow lists permissions without which the page
	// omits data; see [Call.May].
	Shows, MayShow []string
	// for a page on a screen without a keyboard: its error pages reload themselves
	Unattended bool
	Framed     string      // for a page that other sites show in a frame: the kind of page
	Picture    bool        // a file that is a page in another form: it has the language and permissions of the client
	Header     http.Header // for a page, its errors or a file: headers that differ from those of the site
}

// An Endpoint is one entry of a table. Make it with [Func] or [From].
type Endpoint struct {
	Spec
	plan       *bind.Plan
	media      string
	body       reflect.Type // Go type of the JSON; nil for files and pages
	anyFormat  bool         // the dialect's rule about formats does not apply
	compress   bool         // the media type compresses well
	in         *area        // the area of addresses that it belongs to
	route      string       // its path with the base of the area
	entrance   bool         // browsers are sent from it to the documentation
	pushes     bool         // it answers text/event-stream
	page       bool         // it answers with a page
	form       bool         // a form may request it, so empty parameters count as absent
	ending     string       // text of the path after the last parameter: ".png" of /screens/{name}.png
	header     http.Header  // headers of each answer: those of the site, or of the page of the description
	mediaValue []string
	lasting    []string                                               // Cache-Control of what lasts until new data
	runs       map[string]bool                                        // the declared SQL statements, as sent
	seconds    [6]prometheus.Observer                                 // duration of answers by class of status
	err        error                                                  // mistake in the entry, which New returns
	now        func(ctx context.Context, c *Call) (Generation, error) // nil if the data is Config.Dataset
	snapshot   bool                                                   // it is built from one snapshot of the database
	changed    func() <-chan struct{}                                 // nil if the endpoint does not push
	build      func(ctx context.Context, c *Call) (any, error)        // runs the handler
}

// A File is an answer of bytes, before encoding.
type File = reply.File

// HTML is the text of a page of a [Site].
type HTML = []byte

// A Table has the endpoints of an API in the order of its documentation.
type Table []Endpoint

// None is the parameter struct of endpoints without parameters.
type None struct{}

// A Generation is one state of the data. The same N means the same data on every replica, because N
// is a counter in the database or a hash of such counters.
type Generation struct {
	N    int64
	Time time.Time // when this state was committed; sent as Last-Modified
	// Until is when this state ends even without new data, for example because a notice is shown only
	// at some hours. No cache keeps an answer longer. Until is zero if only new data ends the state.
	Until time.Time
	// Languages are the languages of the data's translations, or nil if there are none.
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

// A Dataset is the data of most endpoints of an API. All of it has one generation.
type Dataset struct {
	// Now returns the generation for a request, if possible from memory.
	Now func(ctx context.Context) (Generation, error)
	// Read reads the generation from one snapshot of the database. The answer is built from the same
	// snapshot and has its generation, not the generation of Now. So an answer never mixes rows of two
	// generations, even if a replica of the database lags. Read needs a Config.DB that can begin
	// transactions. It is nil if the SQL selects rows by generation.
	Read func(ctx context.Context, db DB) (Generation, error)
}

// A Grant is what Access returns for a request that it allows.
type Grant struct {
	Private bool        // a credential was needed, so no shared cache may keep the answer
	Header  http.Header // headers of the answer, even of an error, such as the rest of a quota
	Lacks   []string    // permissions of Spec.MayShow that the client lacks, in the order of MayShow
}

// An area is a part of the server's addresses: the API, its site, or a mount.
type area struct {
	base    string // path of the area, without a final slash
	label   string // prefix of the paths of its endpoints in the metrics
	dialect Dialect
	access  func(r *http.Request, s *Spec) (Grant, error)
	table   Table
	site    bool
	vary    []string
}

// recalled has values that were found in one generation of the data.
type recalled struct {
	mu    sync.Mutex
	gen   int64
	found map[string]any
}

// shared has what all calls of a server share: addresses and languages, and the bounds of their
// answers in memory and time.
type shared struct {
	db         DB
	dataset    *Dataset
	snapshots  beginner
	publicURL  string
	root       string // path of the site as clients see it
	formatName string // Dialect.FormatParam of the API
	language   string // of pages, see Site
	languages  *lang.Choice
	salt       string       // of ETags
	seed       maphash.Seed // for the hashes of pushed bodies
	recalled   recalled

	timeout time.Duration       // longest time to build an answer
	largest int                 // size in bytes of the largest body; a larger one is refused while it is built
	large   *semaphore.Weighted // of bytes, see Call.hold
	pace    time.Duration       // longest time for a client to read partSize bytes of an answer
	slow    prometheus.Counter  // clients that read too slowly
	streams chan struct{}       // has an element for each open event stream
	ended   chan struct{}       // closed when streams must end

	varyLanguage []string // Vary of answers that can be translated
}

type beginner interface {
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
}

// A Call is the part of a request that a handler may see: its URL, its generation and the database.
// It hides headers, credentials and the client, because other clients get the same answer from the
// cache.
type Call struct {
	s *shared
	e *Endpoint

	w     http.ResponseWriter
	r     *http.Request
	id    [1]string // request id, as a value of its header
	start time.Time

	request   bind.Request
	key       string // canonical form of the request
	params    any    // pointer to the struct of parameters
	data      any    // data that the source found
	gen       Generation
	db        DB // snapshot of the answer if there is one, otherwise the server's database
	private   bool
	lasting   []string // value of Cache-Control
	lang      string   // of a page, or of translations; "" is the data's own
	missing   []string // of Spec.MayShow
	pushed    bool     // answered by a stream
	langAsked bool     // the query has lang=
	link      []string
	cause     error
	left      bool       // the client disconnected before anything was written
	span      trace.Span // nil without tracing

	held     int // bytes for large answers that it holds
	reserved int // bytes that the handler counted with Reserve
}

// Query runs a statement that the endpoint declares; [Query.List] calls it.
func (c *Call) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !c.e.runs[sql] {
		return nil, fmt.Errorf("endpoint %s does not declare the query %.60q in Spec.Queries", c.e.ID, sql)
	}
	return c.db.Query(ctx, sql, args...)
}

func (c *Call) Generation() Generation { return c.gen }

// Param returns the text of a parameter, or "" if it is absent. Forms on pages repeat it.
func (c *Call) Param(name string) string { return c.e.plan.Text(&c.request, name) }

// URL builds an absolute URL below the API's public base, as in c.URL("/items/{id}", id).
func (c *Call) URL(template string, ids ...string) string {
	return URL(c.s.publicURL, template, ids...)
}

// Self is the absolute address of this request without its query. For a page it begins with the
// path.
func (c *Call) Self() string {
	texts := c.e.plan.PathTexts(&c.request)
	if c.e.in.site {
		return c.Path(c.e.Path, texts...)
	}
	return c.URL(c.e.Path, texts...)
}

// SelfQuery is the absolute URL of this request with its query. It omits unknown parameters,
// because each of them would need a separate body.
func (c *Call) SelfQuery() string { return c.SelfWith("", "") }

// SelfWith is SelfQuery with one parameter changed, or removed if text is "".
func (c *Call) SelfWith(name, text string) string {
	q := c.e.plan.Query(&c.request)
	if c.e.plan.Linked && c.request.Format != "" {
		q.Set(c.s.formatName, c.request.Format)
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

// Filters identifies the endpoint and its parameters except those of paging. A cursor of this
// request is valid only for the same filters.
func (c *Call) Filters() []byte { return c.e.plan.Canonical(nil, &c.request, false) }

// localized appends the language, and the permissions that the client lacks, to the key of a body.
func (c *Call) localized(b []byte) []byte {
	b = append(append(b, 0), c.lang...)
	if c.langAsked { // so that links can repeat the language
		b = append(b, '!')
	}
	for _, p := range c.missing {
		b = append(append(b, 0), p...)
	}
	return b
}

// Link adds a Link header (RFC 8288) to the answer.
func (c *Call) Link(rel, href string) {
	c.link = append(c.link, "<"+href+`>; rel="`+rel+`"`)
}

// chooseLanguage chooses one of the data's languages, for an endpoint with Spec.Translated.
func (c *Call) chooseLanguage() {
	c.lang, c.langAsked = "", false
	if c.gen.Languages == nil {
		return
	}
	c.lang, c.langAsked = ReadLanguage(c.r, "", c.gen.Languages)
	if !c.langAsked && c.w != nil {
		c.w.Header()["Vary"] = c.s.varyLanguage
	}
}

// Translated returns the language into which texts of the answer are translated, or "" if they are
// not. For pages see [Call.Language].
func (c *Call) Translated() string {
	if c.e.page {
		return ""
	}
	return c.lang
}

func (c *Call) readLanguage() {
	if c.lang == "" {
		c.lang, c.langAsked = ReadLanguage(c.r, c.s.language, c.s.languages)
	}
}

// Language returns the language of a page. If asked is true, the query names the language, and
// links repeat it.
func (c *Call) Language() (tag string, asked bool) { return c.lang, c.langAsked }

// May reports whether the client has a permission of Spec.MayShow.
func (c *Call) May(permission string) bool { return !slices.Contains(c.missing, permission) }

func (c *Call) Unattended() bool { return c.e.Unattended }

func (c *Call) Framed() string { return c.e.Framed }

// Path returns the address of a page without scheme and host, as in c.Path("/items/{id}", id).
func (c *Call) Path(template string, ids ...string) string { return URL(c.s.root, template, ids...) }

const (
	// largeFrom is the size in bytes from which an answer counts as large. A smaller answer fits into
	// the buffers of a connection.
	largeFrom = 64 << 10
	// largePage is the number of rows from which an answer counts as large before it is built.
	largePage = 1000
)

// hold takes that many bytes for a large answer, and gives back what the call holds beyond that. So
// large answers have a bound in memory, while they are built and until their clients have read them.
// Before a build it waits for its turn; a built answer that has no share is refused at once, because
// it would wait in memory. Small answers hold nothing.
func (c *Call) hold(ctx context.Context, bytes int, wait bool) error {
	if bytes <= largeFrom {
		bytes = 0
	}
	more := int64(min(bytes, c.s.largest) - c.held)
	switch {
	case more < 0:
		c.s.large.Release(-more)
	case more > 0 && wait:
		if err := c.s.large.Acquire(ctx, more); errors.Is(err, context.Canceled) {
			return err
		} else if err != nil {
			return errBusy
		}
	case more > 0 && !c.s.large.TryAcquire(more):
		return errBusy
	}
	c.held += int(more)
	return nil
}

var errBusy = Unavailable(5*time.Second, "too many large answers are being served; try again soon")

// Reserve counts memory that a handler is about to use for its answer: roughly, the rows that it
// creates. The package itself counts the JSON. Call Reserve before each part that can become large,
// and return its error: the answer would exceed the largest one, the time is over, or every client
// has left.
func (c *Call) Reserve(ctx context.Context, bytes int) error {
	c.reserved += bytes
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.reserved > c.s.largest:
		return c.tooLarge()
	case c.reserved > 2*largeFrom:
		return c.hold(ctx, c.s.largest, true)
	}
	return nil
}

// tooLarge returns the error for an answer that is too large. It names the parameter to narrow.
func (c *Call) tooLarge() error {
	size := strconv.Itoa(c.s.largest>>20) + " MB"
	if rows := c.e.plan.Rows; rows != "" {
		return BadRequest(Fault{Path: rows, Message: "gives an answer of more than " + size + ": request fewer"})
	}
	e := &Error{Status: http.StatusInsufficientStorage, Detail: "the answer would be larger than " + size +
		", the largest answer allowed"}
	for _, p := range c.e.plan.Params {
		if !p.InPath && !p.Paging {
			e.Faults = append(e.Faults, Fault{Path: p.Name, Message: "can narrow the answer, which would be larger than " +
				size})
		}
	}
	if e.Faults != nil {
		return BadRequest(e.Faults...)
	}
	return e
}
