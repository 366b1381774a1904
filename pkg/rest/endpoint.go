package rest

import (
	"context"
	"errors"
	"io"
	"reflect"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Kind is how fast the data behind an endpoint moves; it decides Cache-Control.
type Kind int

// Kinds of data.
const (
	Static   Kind = iota // changes with an import or ingest: long-lived and revalidatable
	Realtime             // changes every few seconds
)

// Spec is what an endpoint says of itself.
type Spec struct {
	ID         string      // operationId; also the label of logs and metrics: "listStops"
	Path       string      // below the base path, parameters in braces: "/feeds/{feed_alias}/stops"
	Summary    string      // one line
	Doc        string      // more, if one line is not enough
	Tag        string      // the section of the documentation
	Permission string      // what Config.Access asks for; "" for what everybody may read
	Kind       Kind        // Static unless said
	Source     *Source     // the data it depends on; nil is Config.Source
	Queries    []Statement // every SQL statement its function may run
	NotFound   string      // what 404 means here, for the description: "unknown meeting"
	AnyFormat  bool        // exempt from the dialect's rule about formats
	Hidden     bool        // left out where an API lists its resources
	Example    any         // an example of the body
}

// An Endpoint is one entry of a table. Make it with [Func], [Bytes] or [Stream].
type Endpoint struct {
	Spec
	plan       *plan
	media      string                 // content type of a 200
	body       reflect.Type           // Go type of the body; nil for Bytes
	fields     []bodyField            // of the body, where they are written one by one
	stream     bool                   // neither kept nor shared
	compress   bool                   // its media gets smaller
	mediaValue []string               // media as a header value
	runs       map[string]bool        // SQL that it declared, as sent
	seconds    [6]prometheus.Observer // by class of status
	err        error                  // what is wrong with the entry; New tells it
	fresh      func() any             // a new *P
	build      func(ctx context.Context, c *Call, p any) (*answer, error)
}

// A Table is the endpoints of an API in the order of its documentation.
type Table []Endpoint

// None is the parameter struct of endpoints that take none.
type None struct{}

// Func makes an endpoint whose body is the JSON of what fn returns.
func Func[P, B any](spec Spec, fn func(ctx context.Context, c *Call, p P) (B, error)) Endpoint {
	e := newEndpoint[P](spec)
	e.media = "application/json"
	e.body = reflect.TypeFor[B]()
	e.fields = bodyFields(e.body)
	e.build = func(ctx context.Context, c *Call, p any) (*answer, error) {
		b, err := fn(ctx, c, *p.(*P))
		if err != nil {
			return nil, err
		}
		return encode(ctx, c, b)
	}
	return e
}

// A File is an answer that is bytes already.
type File struct {
	Body       []byte        // of Bytes: kept in the cache, compressed when its type allows
	Content    io.ReadSeeker // of Stream: read for one answer, then closed if it is an io.Closer
	Name       string        // file name offered when it is saved; "" leaves out Content-Disposition
	Attachment bool          // ask the browser to save the file rather than show it
	Tag        string        // the content's own validator (such as its SHA-256), unquoted; "" is made of generation and request
	Modified   time.Time     // when the content changed; zero is the generation's time
}

// Bytes makes an endpoint that answers a file of the given content type, with
// range requests. A nil Body is 404.
func Bytes[P any](spec Spec, media string, fn func(ctx context.Context, c *Call, p P) (File, error)) Endpoint {
	e := newEndpoint[P](spec)
	e.media = media
	e.build = func(ctx context.Context, c *Call, p any) (*answer, error) {
		f, err := fn(ctx, c, *p.(*P))
		if err == nil && f.Body == nil {
			err = NotFound("there is nothing here yet")
		}
		return &answer{body: f.Body, file: &f}, err
	}
	return e
}

// Stream is Bytes for what is too large to hold: fn runs at every request that
// is not a 304, and its Content is neither kept nor compressed.
func Stream[P any](spec Spec, media string, fn func(ctx context.Context, c *Call, p P) (File, error)) Endpoint {
	e := newEndpoint[P](spec)
	e.media = media
	e.stream = true
	e.build = func(ctx context.Context, c *Call, p any) (*answer, error) {
		f, err := fn(ctx, c, *p.(*P))
		if err == nil && f.Content == nil {
			err = NotFound("there is nothing here yet")
		}
		return &answer{file: &f}, err
	}
	return e
}

// An answer is what a handler gave, before it is turned into a reply.
type answer struct {
	body []byte
	file *File // of Bytes and Stream
}

func newEndpoint[P any](spec Spec) Endpoint {
	e := Endpoint{Spec: spec, fresh: func() any { return new(P) }}
	e.plan, e.err = newPlan(reflect.TypeFor[P](), spec.Path)
	if spec.ID == "" || spec.Summary == "" {
		e.err = errors.Join(e.err, errors.New("an endpoint needs an ID and a summary"))
	}
	return e
}
