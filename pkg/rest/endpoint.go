package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/internal/reply"
)

// CursorParams is a struct of paging parameters for lists that continue at a cursor. An API embeds
// it in the parameters of its lists.
type CursorParams = bind.CursorParams

// LinkedParams is a struct of paging parameters for lists whose bodies link to other pages and
// repeat the query in these links.
type LinkedParams = bind.LinkedParams

const jsonMedia = "application/json"

// Func makes an endpoint whose body is the JSON of what fn returns. It depends on Config.Dataset.
func Func[P, B any](spec Spec, fn func(ctx context.Context, c *Call, p P) (B, error)) Endpoint {
	return FuncFrom(spec, Source[P, None]{}, func(ctx context.Context, c *Call, p P, _ None) (B, error) {
		return fn(ctx, c, p)
	})
}

// FuncFrom is Func for data that a source finds.
func FuncFrom[P, R, B any](spec Spec, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) (B, error)) Endpoint {
	e := newEndpoint(spec, jsonMedia, s)
	e.build = func(ctx context.Context, c *Call) (File, error) {
		p, data := found[P, R](c)
		v, err := fn(ctx, c, p, data)
		if err != nil {
			return File{}, err
		}
		b, err := Encode(v)
		if err == nil {
			err = c.fits(ctx, len(b))
		}
		return File{Body: b}, err
	}
	e.body = reflect.TypeFor[B]()
	return e
}

// Bytes makes an endpoint that answers a file of the given content type, with range requests. A nil
// Body is 404. It depends on Config.Dataset.
func Bytes[P any](spec Spec, media string, fn func(ctx context.Context, c *Call, p P) (File, error)) Endpoint {
	return BytesFrom(spec, media, Source[P, None]{}, func(ctx context.Context, c *Call, p P, _ None) (File, error) {
		return fn(ctx, c, p)
	})
}

// BytesFrom is Bytes for data that a source finds.
func BytesFrom[P, R any](spec Spec, media string, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) (File, error)) Endpoint {
	e := newEndpoint(spec, media, s)
	e.build = func(ctx context.Context, c *Call) (File, error) {
		p, data := found[P, R](c)
		f, err := fn(ctx, c, p, data)
		if err == nil && f.Body == nil && f.Content == nil {
			err = NotFound("nothing is available here yet")
		}
		return f, err
	}
	return e
}

// Stream is Bytes for large content: fn runs at every request that is not a 304, and its Content is
// neither cached nor compressed.
func Stream[P any](spec Spec, media string, fn func(ctx context.Context, c *Call, p P) (File, error)) Endpoint {
	return StreamFrom(spec, media, Source[P, None]{}, func(ctx context.Context, c *Call, p P, _ None) (File, error) {
		return fn(ctx, c, p)
	})
}

// StreamFrom is Stream for data that a source finds.
func StreamFrom[P, R any](spec Spec, media string, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) (File, error)) Endpoint {
	e := BytesFrom(spec, media, s, fn)
	e.stream = true
	return e
}

// found returns the parameters of a call and the data of its source, [None] for the API's dataset.
func found[P, R any](c *Call) (p P, data R) {
	data, _ = c.data.(R)
	return *c.params.(*P), data
}

// newEndpoint makes an endpoint without its build function.
func newEndpoint[P, R any](spec Spec, media string, s Source[P, R]) Endpoint {
	e := Endpoint{Spec: spec, media: media, changed: s.Changed}
	if s.Now != nil {
		e.now = func(ctx context.Context, c *Call) (Generation, error) {
			data, gen, err := s.Now(ctx, c, *c.params.(*P))
			c.data = data
			return gen, err
		}
	}
	var plain string
	plain, e.ending = cutEnding(spec.Path)
	// the only format, which clients need not name
	e.anyFormat = media != jsonMedia || strings.HasSuffix(spec.Path, ".json")
	e.plan, e.err = bind.New(spec.ID, plain, reflect.TypeFor[P]())
	if spec.ID == "" || spec.Summary == "" {
		e.err = errors.Join(e.err, errors.New("an endpoint needs an ID and a summary"))
	}
	return e
}

// cutEnding cuts the text after the last parameter, if no slash follows: ".png" of
// "/items/{id}.png".
func cutEnding(path string) (plain, ending string) {
	if i := strings.LastIndexByte(path, '}'); i >= 0 && strings.IndexByte(path[i:], '/') < 0 {
		return path[:i+1], path[i+1:]
	}
	return path, ""
}

// complete adds the parts of an endpoint that depend on the API's configuration.
func (e *Endpoint) complete(cfg *Config, m *metrics, route string) {
	e.seconds = m.observers(route)
	if e.now == nil {
		e.now, e.read = func(ctx context.Context, _ *Call) (Generation, error) {
			return cfg.Dataset.Now(ctx)
		}, cfg.Dataset.Read
	}
	e.compress = reply.Compressible(e.media)
	if strings.HasPrefix(e.media, "text/") && !strings.Contains(e.media, "charset") {
		e.media += "; charset=utf-8"
	}
	e.mediaValue = []string{e.media}
	e.runs = map[string]bool{}
	for _, q := range e.Queries {
		sql, err := q.Prepared()
		e.runs[sql] = true
		e.err = errors.Join(e.err, err)
		if before := q.Resolving(); before != nil {
			sql, err = before.Prepared()
			e.runs[sql] = true
			e.err = errors.Join(e.err, err)
		}
	}
}

// segment matches a parameter in braces, or plain text.
var segment = regexp.MustCompile(`^(\{[^{}:*]+\}|[^{}:*]*)$`)

// check returns an error for each invalid entry and for entries with the same id or path.
func (t Table) check() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	ids, paths := map[string]bool{}, map[string]string{}
	for i := range t {
		e := &t[i]
		if e.err != nil {
			wrong("endpoint %s %s: %w", e.ID, e.Path, e.err)
		}
		if !strings.HasPrefix(e.Path, "/") {
			wrong("endpoint %s: path %q must begin with a slash", e.ID, e.Path)
		}
		if (e.Translated || e.page) && slices.ContainsFunc(e.plan.Params, func(p bind.Param) bool {
			return p.Name == langParam
		}) {
			wrong("endpoint %s: the parameter %q is the language of its texts", e.ID, langParam)
		}
		if ids[e.ID] {
			wrong("endpoint %s is in the table twice", e.ID)
		}
		ids[e.ID] = true
		plain, _ := cutEnding(e.Path)
		for seg := range strings.SplitSeq(plain, "/") {
			if !segment.MatchString(seg) {
				wrong("endpoint %s: segment %q of its path must be {name} or plain", e.ID, seg)
			}
		}
		shape := strings.TrimSuffix(e.ginPath(), "/")
		if e.ending != "" {
			if !strings.HasPrefix(e.ending, ".") {
				wrong("endpoint %s: %q may only end in a form, such as .png", e.ID, e.Path)
			}
			shape += e.ending
		}
		if other, taken := paths[shape]; taken {
			wrong("endpoints %s and %s share the path %s", other, e.ID, e.Path)
		}
		paths[shape] = e.ID
	}
	return errors.Join(errs...)
}

// ginPath is the path with :p0, :p1 … for {name}: gin wants the same name at the same place of all
// paths. It has no ending.
func (e *Endpoint) ginPath() string {
	plain, _ := cutEnding(e.Path)
	segs := strings.Split(plain, "/")
	n := 0
	for i, seg := range segs {
		if strings.HasPrefix(seg, "{") {
			segs[i] = ":p" + strconv.Itoa(n)
			n++
		}
	}
	return strings.Join(segs, "/")
}

// Queries returns every statement of the table, each once.
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

// Template is the endpoint's address as an RFC 6570 URI template with its query parameters.
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
