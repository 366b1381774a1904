package rest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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

// Func makes an endpoint that answers with the JSON of fn's result. Its data is Config.Dataset.
func Func[P, B any](spec Spec, fn func(ctx context.Context, c *Call, p P) (B, error)) Endpoint {
	return FuncFrom(spec, Source[P, None]{}, func(ctx context.Context, c *Call, p P, _ None) (B, error) {
		return fn(ctx, c, p)
	})
}

// FuncFrom is like Func, but its data comes from a source.
func FuncFrom[P, R, B any](spec Spec, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) (B, error)) Endpoint {
	e := BytesFrom(spec, jsonMedia, s, func(ctx context.Context, c *Call, p P, data R) (File, error) {
		v, err := fn(ctx, c, p, data)
		if err != nil {
			return File{}, err
		}
		b, err := Encode(v)
		return File{Body: b}, err
	})
	e.body = reflect.TypeFor[B]()
	return e
}

// Bytes makes an endpoint that answers with a file of the given content type and supports range
// requests. If the file has no Body and no Content, the answer is 404. Its data is Config.Dataset.
func Bytes[P any](spec Spec, media string, fn func(ctx context.Context, c *Call, p P) (File, error)) Endpoint {
	return BytesFrom(spec, media, Source[P, None]{}, func(ctx context.Context, c *Call, p P, _ None) (File, error) {
		return fn(ctx, c, p)
	})
}

// BytesFrom is like Bytes, but its data comes from a source.
func BytesFrom[P, R any](spec Spec, media string, s Source[P, R], fn func(ctx context.Context, c *Call, p P,
	data R) (File, error)) Endpoint {
	e := Endpoint{Spec: spec, media: media, changed: s.Changed}
	if s.Now != nil {
		e.now = func(ctx context.Context, c *Call) (Generation, error) {
			data, gen, err := s.Now(ctx, c, *c.params.(*P))
			c.data = data
			return gen, err
		}
	}
	e.build = func(ctx context.Context, c *Call) (File, error) {
		data, _ := c.data.(R) // nil if the data is the API's dataset
		return fn(ctx, c, *c.params.(*P), data)
	}
	var plain string
	plain, e.ending = cutEnding(spec.Path)
	// The only format needs no name in the request.
	e.anyFormat = media != jsonMedia || strings.HasSuffix(spec.Path, ".json")
	e.plan, e.err = bind.New(spec.ID, plain, reflect.TypeFor[P]())
	if spec.ID == "" || spec.Summary == "" {
		e.err = errors.Join(e.err, errors.New("an endpoint needs an ID and a summary"))
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

// complete sets the fields that depend on the API's configuration.
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

// check returns an error for each invalid entry, and for entries with the same id or path.
func (t Table) check() error {
	var errs []error
	ids, paths := map[string]bool{}, map[string]string{}
	for i := range t {
		e := &t[i]
		if e.err != nil {
			errs = append(errs, fmt.Errorf("endpoint %s %s: %w", e.ID, e.Path, e.err))
		}
		if ids[e.ID] {
			errs = append(errs, fmt.Errorf("endpoint %s is in the table twice", e.ID))
		}
		ids[e.ID] = true
		shape := strings.TrimSuffix(e.ginPath(), "/") + e.ending
		if other, taken := paths[shape]; taken {
			errs = append(errs, fmt.Errorf("endpoints %s and %s share the path %s", other, e.ID, e.Path))
		}
		paths[shape] = e.ID
	}
	return errors.Join(errs...)
}

// ginPath is the path with :p0, :p1 … instead of {name}, because gin wants the same name at the
// same place of all paths. It omits the ending.
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
