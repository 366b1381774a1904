package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/townline/townline/pkg/rest/internal/bind"
	"github.com/townline/townline/pkg/rest/openapi"
)

// descriptionEndpoints returns the endpoints that serve the description. described are listed in
// the description: the JSON and its page. The files of the page are not listed.
func (s *Server) descriptionEndpoints() (described, files Table) {
	file := func(id, path, summary, media string, volatility Volatility, write func() ([]byte, error)) Endpoint {
		spec := Spec{ID: id, Path: path, Summary: summary, Tag: "Description", Kind: volatility, Media: media,
			Permission: s.cfg.DescriptionPermission}
		e := From(spec, Fixed[None](0), func(context.Context, *Call, None, None) (f File, err error) {
			f.Body, err = write()
			f.Hash()
			return f, err
		})
		e.anyFormat = true
		return e
	}
	for _, a := range openapi.PageFiles {
		files = append(files, file("docs."+a.Name, "/docs/"+a.Name, "A file of the page of the description", a.Media,
			Immutable,
			func() ([]byte, error) { return a.Body, nil }))
	}
	page := file("getDocumentation", "/docs", "This description as a page", htmlMedia, Static,
		func() ([]byte, error) { return s.page() })
	page.header = http.Header{"Content-Security-Policy": {openapi.Policy}, "Referrer-Policy": {"same-origin"}}
	return Table{file("getDescription", "/openapi.json", "This description (OpenAPI 3.1)", jsonMedia, Static,
		func() ([]byte, error) { return s.describe() }), page}, files
}

// An example is a request to the demo town, as an address below the base, and its answer.
type example struct {
	Request string          `json:"request"`
	Answer  json.RawMessage `json:"answer"`
}

// ExampleBase replaces the address of the API in the answers of [Config.Examples].
const ExampleBase = "https://api.example/base"

func (x example) illustrate(op *openapi.Operation, e *Endpoint) {
	op.Asked = x.Request
	if body := &op.Responses[0].Value.Content[0]; body.Key == jsonMedia { // of 200
		body.Value.Example = x.Answer
		var text bytes.Buffer
		_ = json.Indent(&text, x.Answer, "", "  ") // it was decoded
		op.Answered = text.String()
	}
	asked, query, _ := strings.Cut(x.Request, "?")
	segs := strings.Split(asked, "/")
	values, _ := url.ParseQuery(query) // the file is ours
	for k := range op.Parameters {
		if p := &op.Parameters[k]; p.In == "query" && p.Name != e.plan.Rows {
			p.Asked = values.Get(p.Name)
		}
	}
	for i, seg := range strings.Split(e.Path, "/") {
		for k := range op.Parameters {
			p := &op.Parameters[k]
			if value, err := url.PathUnescape(segs[min(i, len(segs)-1)]); err == nil && seg == "{"+p.Name+"}" &&
				p.Example == nil {
				p.Example = value
				if n, err := strconv.Atoi(value); err == nil && p.Schema.Type == "integer" {
					p.Example = n
				}
			}
		}
	}
}

// openAPI makes the description from the table. It runs at the first request for the description,
// because examples and encoding would take most of a server's start.
func (s *Server) openAPI() error {
	c := &s.cfg
	d := &openapi.Document{OpenAPI: "3.1.0",
		Info: openapi.Info{Title: cmp.Or(c.Title, c.Name), Version: cmp.Or(c.Version, "1.0.0"),
			Description: c.Description},
		Servers: []openapi.Server{{URL: strings.TrimSuffix(c.PublicURL, "/")}}, Security: []map[string][]bool{}}
	if c.License != "" {
		d.Info.License = &openapi.License{Name: c.License, Identifier: c.License}
	}
	ss := &openapi.Schemas{Words: bind.Words}
	for i := range s.table {
		e := &s.table[i]
		if t := (openapi.Tag{Name: e.Tag}); e.Tag != "" && !slices.Contains(d.Tags, t) {
			d.Tags = append(d.Tags, t)
		}
		d.Paths.Add(described(e.Path), openapi.PathItem{Get: s.operation(e, ss)})
	}
	d.Components = s.components(ss)
	d.DropUnused()
	if err := ss.Err(); err != nil {
		return fmt.Errorf("describe %s: %w", c.Name, err)
	}
	illustrated := sync.OnceValue(func() error { return s.illustrate(d) })
	once := func(write func() ([]byte, error)) func() ([]byte, error) {
		return sync.OnceValues(func() ([]byte, error) {
			if err := illustrated(); err != nil {
				return nil, err
			}
			return write()
		})
	}
	s.describe = once(func() ([]byte, error) { return json.MarshalIndent(d, "", " ") })
	s.page = once(d.Page)
	return nil
}

// Description returns the OpenAPI description as JSON.
func (s *Server) Description() ([]byte, error) { return s.describe() }

func (s *Server) illustrate(d *openapi.Document) error {
	examples := map[string]example{}
	if s.cfg.Examples != nil {
		text := bytes.ReplaceAll(s.cfg.Examples, []byte(ExampleBase), []byte(strings.TrimSuffix(s.cfg.PublicURL, "/")))
		if err := json.Unmarshal(text, &examples); err != nil {
			return fmt.Errorf("examples of %s: %w", s.cfg.Name, err)
		}
	}
	for i := range s.table {
		if x, ok := examples[s.table[i].ID]; ok {
			x.illustrate(d.Paths[i].Value.Get, &s.table[i])
		}
	}
	return nil
}

// described returns a path without its final slash, because a directory has both addresses.
func described(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

func (s *Server) operation(e *Endpoint, ss *openapi.Schemas) *openapi.Operation {
	op := &openapi.Operation{ID: e.ID, Summary: e.Summary, Description: e.Doc}
	if e.Tag != "" {
		op.Tags = []string{e.Tag}
	}
	queries := 0
	for i := range e.plan.Params {
		p := &e.plan.Params[i]
		if !p.InPath {
			queries++
		}
		op.Parameters = append(op.Parameters, describeParam(p, ss))
	}
	if e.Translated {
		queries++
		op.Parameters = append(op.Parameters, openapi.Parameter{Name: langParam, In: "query", Description: langDoc,
			Schema: openapi.Schema{Type: "string", MinLength: 2, MaxLength: 64}, Example: "fr"})
	}
	formats := s.cfg.Dialect.FormatParam != "" && !e.anyFormat
	if formats {
		op.Parameters = append(op.Parameters, openapi.Parameter{Name: s.cfg.Dialect.FormatParam, In: "query",
			Description: "Response format. Either this or an Accept header that names application/json is required.",
			Schema:      openapi.Schema{Type: "string", Enum: []any{"json"}}})
	}
	op.Responses.Add("200", s.success(e, ss))
	answers := map[string]bool{
		"206": e.body == nil, "304": true, "400": queries > 0 || formats, "401": e.Permission != "",
		"403": e.Permission != "",
		"404": len(e.plan.Paths) > 0, "406": formats, "416": e.body == nil, "default": true,
	}
	for _, r := range responses {
		switch {
		case r.status == "404" && e.NotFound != "":
			op.Responses.Add(r.status, s.failure(e.NotFound))
		case answers[r.status]:
			op.Responses.Add(r.status, openapi.Response{Ref: "#/components/responses/" + r.name})
		}
	}
	if e.Permission != "" {
		op.Security = []map[string][]bool{{}, {"bearer": {}}, {"apiKey": {}}}
	}
	return op
}

func (s *Server) success(e *Endpoint, ss *openapi.Schemas) openapi.Response {
	r := openapi.Response{Description: e.Summary}
	for _, name := range []string{"ETag", "Last-Modified", "Cache-Control", "X-Request-Id"} {
		r.Headers.Add(name, openapi.HeaderField{Ref: "#/components/headers/" + name})
	}
	var body openapi.Content
	if e.body != nil {
		schema := openapi.Schema{}
		if e.Describe != nil {
			schema = e.Describe(ss)
		} else {
			schema = ss.Of(e.body)
		}
		body.Schema = &schema
	}
	r.Content.Add(e.media, body)
	if e.pushes {
		r.Content.Add("text/event-stream", openapi.Content{Schema: &openapi.Schema{Type: "string",
			Description: "One event for each change, until the client disconnects. Its data is the body that a plain request " +
				"would get, its id is the ETag."}})
	}
	return r
}

func describeParam(p *bind.Param, ss *openapi.Schemas) openapi.Parameter {
	out := openapi.Parameter{Name: p.Name, In: "query", Description: p.Doc}
	if p.InPath {
		out.In, out.Required = "path", true
	}
	s := openapi.Schema{Type: "string"}
	list := bind.Words(p.Type)
	switch {
	case list != nil && slices.Equal(list, p.Words):
		s = ss.Of(p.Type) // generated clients then use the type's own name
	case p.Words != nil:
		s.Enum = openapi.Anys(p.Words)
	case p.Kind == bind.Int, p.Kind == bind.Float, p.Kind == bind.FromText:
		s = ss.Of(p.Type)
	default:
		s.MinLength, s.MaxLength = max(p.MinLen, 1), p.MaxLen
	}
	if !math.IsInf(p.Min, 0) {
		s.Minimum = &p.Min
	}
	if !math.IsInf(p.Max, 0) {
		s.Maximum = &p.Max
	}
	if p.Pattern != nil {
		s.Pattern = p.Pattern.String()
	}
	if p.Null {
		s = openapi.Nullable(s)
		out.Description = strings.TrimSpace(out.Description + ` Empty or "null": no filter.`)
	}
	typed := func(text string) any {
		if n, err := strconv.ParseFloat(text, 64); err == nil && (p.Kind == bind.Int || p.Kind == bind.Float) {
			return n
		}
		return text
	}
	if p.Default != "" {
		s.Default = typed(p.Default)
	}
	if p.Example != "" {
		out.Example = typed(p.Example)
	}
	out.Required = out.Required || p.Required
	if p.List { // OpenAPI's default for a query: name=a&name=b
		if out.Example != nil {
			out.Example = []any{out.Example}
		}
		item := s
		s = openapi.Schema{Type: "array", Items: &item, MaxItems: p.MaxItems}
	}
	out.Schema = s
	return out
}

var responses = []struct{ status, name, text string }{
	{"206", "Partial", "The requested range."},
	{"304", "NotModified", "The body with the ETag in If-None-Match is still current."},
	{"400", "BadRequest", "A parameter is invalid; the body names each invalid one."},
	{"401", "Unauthorized", "The key is missing or unknown; WWW-Authenticate names the scheme."},
	{"403", "Forbidden", "The key does not permit this."},
	{"404", "NotFound", "There is no such resource."},
	{"406", "NotAcceptable", "The request accepts no available format."},
	{"416", "RangeNotSatisfiable", "The range is outside the file."},
	{"default", "Error", "Any other error: Method Not Allowed, or a server error."},
}

func (s *Server) failure(text string) openapi.Response {
	r := openapi.Response{Description: text}
	r.Headers.Add("X-Request-Id", openapi.HeaderField{Ref: "#/components/headers/X-Request-Id"})
	r.Content.Add(s.cfg.Dialect.ErrorMedia, openapi.Content{Schema: &openapi.Schema{Ref: "#/components/schemas/" +
		openapi.Name(s.cfg.Dialect.errorType())}})
	return r
}

func (s *Server) components(ss *openapi.Schemas) openapi.Components {
	var c openapi.Components
	ss.Of(s.cfg.Dialect.errorType())
	ss.Distinct()
	c.Schemas = ss.List
	text := &openapi.Schema{Type: "string"}
	c.Headers.Add("ETag", openapi.HeaderField{Description: "Strong validator of this body; send it in If-None-Match.",
		Schema: text})
	c.Headers.Add("Last-Modified", openapi.HeaderField{Description: "When the data last changed.", Schema: text})
	c.Headers.Add("Cache-Control", openapi.HeaderField{Description: "How long the answer may be reused without " +
		"revalidation.", Schema: text})
	c.Headers.Add("X-Request-Id", openapi.HeaderField{Description: "The request's id; quote it in a report.",
		Schema: text})
	for _, r := range responses {
		response := openapi.Response{Description: r.text}
		if r.status != "206" && r.status != "304" {
			response = s.failure(r.text)
		}
		c.Responses.Add(r.name, response)
	}
	if slices.ContainsFunc(s.table, func(e Endpoint) bool { return e.Permission != "" }) {
		c.SecuritySchemes.Add("bearer", map[string]string{"type": "http", "scheme": "bearer"})
		c.SecuritySchemes.Add("apiKey", map[string]string{"type": "apiKey", "in": "header", "name": "X-Api-Key"})
	}
	return c
}
