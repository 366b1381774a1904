package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/pkg/rest/internal/bind"
)

// CursorParams is a struct of paging parameters for lists that continue at a cursor. An API embeds
// it in the parameters of its lists.
type CursorParams = bind.CursorParams

// LinkedParams is a struct of paging parameters for lists whose bodies link to other pages and
// repeat the query in these links.
type LinkedParams = bind.LinkedParams

const (
	jsonMedia = "application/json"
	htmlMedia = "text/html"
)

// A Source finds the data for an answer with parameters P, and the generation of that data.
type Source[P, R any] struct {
	// Now runs for every request, after validation, and should answer from memory. If it returns an
	// error, such as NotFound, that is the answer.
	Now func(ctx context.Context, c *Call, p P) (R, Generation, error)
	// Changed returns a channel that is closed once Now may return another generation. If Changed is
	// set, the endpoints of the source also push: they answer text/event-stream to clients that accept
	// it. A stream calls Changed at each [Heartbeat], so that the source knows that a client listens.
	Changed func() <-chan struct{}
	// Snapshot builds the answer from one snapshot of the database, in which Now runs again. Set it if
	// the database changes without a new version of a feed, so that no answer mixes two generations.
	Snapshot bool
}

// Fixed is the source of answers that depend on the program only. Caches keep them for the duration
// again, or as long as the endpoint's volatility says if again is 0.
func Fixed[P any](again time.Duration) Source[P, None] {
	return Source[P, None]{Now: func(context.Context, *Call, P) (_ None, gen Generation, _ error) {
		gen.N = 1
		if again > 0 {
			gen.Until = time.Now().Add(again)
		}
		return None{}, gen, nil
	}}
}

// Func makes an endpoint that answers with fn's result, whose type says what the answer is: a [File]
// has the type Spec.Media and supports range requests; [HTML] is a page of a [Site]; any other value
// is written as JSON. A file without Body and Content is a 404. The data is Config.Dataset.
func Func[P, B any](spec Spec, fn func(ctx context.Context, c *Call, p P) (B, error)) Endpoint {
	e := newEndpoint[P, B](spec)
	e.build = func(ctx context.Context, c *Call) (any, error) { return fn(ctx, c, *c.params.(*P)) }
	return e
}

// From is like Func, but fn gets the data that a source finds.
func From[P, R, B any](spec Spec, s Source[P, R],
	fn func(ctx context.Context, c *Call, p P, data R) (B, error)) Endpoint {
	e := newEndpoint[P, B](spec)
	e.now = func(ctx context.Context, c *Call) (Generation, error) {
		data, gen, err := s.Now(ctx, c, *c.params.(*P))
		c.data = data
		return gen, err
	}
	e.snapshot = s.Snapshot
	e.changed = s.Changed
	e.pushes = s.Changed != nil && e.body != nil
	e.build = func(ctx context.Context, c *Call) (any, error) {
		data, _ := c.data.(R) // an interface may be nil
		return fn(ctx, c, *c.params.(*P), data)
	}
	return e
}

func newEndpoint[P, B any](spec Spec) Endpoint {
	e := Endpoint{Spec: spec, media: spec.Media}
	switch reflect.TypeFor[B]() {
	case reflect.TypeFor[File]():
		e.page = spec.Picture
	case reflect.TypeFor[HTML]():
		e.page, e.media = true, htmlMedia
	default:
		e.body, e.media = reflect.TypeFor[B](), jsonMedia
	}
	var plain string
	plain, e.ending = cutEnding(spec.Path)
	// The only format needs no name in the request.
	e.anyFormat = e.media != jsonMedia || strings.HasSuffix(spec.Path, ".json")
	e.plan, e.err = bind.New(spec.ID, plain, reflect.TypeFor[P]())
	if spec.ID == "" || spec.Summary == "" || e.media == "" {
		e.err = errors.Join(e.err, errors.New("an endpoint needs an ID and a summary, and a file its Media"))
	}
	return e
}

// cutEnding cuts off the text after the last parameter, if that text has no slash: ".png" of
// "/items/{id}.png".
func cutEnding(path string) (plain, ending string) {
	if i := strings.LastIndexByte(path, '}'); i >= 0 && strings.IndexByte(path[i:], '/') < 0 {
		return path[:i+1], path[i+1:]
	}
	return path, ""
}

// check returns an error for each invalid entry, for entries with the same id or path, and for
// parameters that have different names in the same place of paths, which the router refuses.
func (t Table) check() error {
	var errs []error
	ids := map[string]bool{}
	paths, names := map[string]string{}, map[string]string{}
	for i := range t {
		e := &t[i]
		if e.err != nil {
			errs = append(errs, fmt.Errorf("endpoint %s %s: %w", e.ID, e.Path, e.err))
		}
		if ids[e.ID] {
			errs = append(errs, fmt.Errorf("endpoint %s is in the table twice", e.ID))
		}
		ids[e.ID] = true
		plain, _ := cutEnding(e.Path)
		place := ""
		for seg := range strings.SplitSeq(strings.TrimSuffix(plain, "/"), "/") {
			if name, isParam := strings.CutPrefix(seg, "{"); isParam {
				seg = "{}"
				if other, taken := names[place]; taken && other != name {
					errs = append(errs, fmt.Errorf("endpoint %s: {%s in %s is {%s in another path", e.ID, name, e.Path, other))
				}
				names[place] = name
			}
			place += "/" + seg
		}
		if other, taken := paths[place+e.ending]; taken {
			errs = append(errs, fmt.Errorf("endpoints %s and %s share the path %s", other, e.ID, e.Path))
		}
		paths[place+e.ending] = e.ID
	}
	return errors.Join(errs...)
}

// Queries returns every statement of the table once.
func (t Table) Queries() []Statement {
	var all []Statement
	for _, e := range t {
		for _, q := range e.Queries {
			if !slices.Contains(all, q) {
				all = append(all, q)
			}
		}
	}
	return all
}

// Template is the endpoint's address as an RFC 6570 URI template, including query parameters.
func (e *Endpoint) Template(base string, d Dialect) string {
	var names []string
	for _, p := range e.plan.Params {
		switch {
		case p.InPath:
		case p.List:
			names = append(names, p.Name+"*") // name=a&name=b
		default:
			names = append(names, p.Name)
		}
	}
	if e.Translated {
		names = append(names, langParam)
	}
	if d.FormatParam != "" && !e.anyFormat {
		names = append(names, d.FormatParam)
	}
	t := strings.TrimSuffix(base, "/") + e.Path
	if len(names) > 0 {
		t += "{?" + strings.Join(names, ",") + "}"
	}
	return t
}
