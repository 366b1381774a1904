package rest

import (
	"bytes"
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

// descriptionEndpoints returns the endpoints of the description and its page. The description includes them.
func (s *Server) descriptionEndpoints() (Table, error) {
	aids, err := openapi.Aids()
	if err != nil {
		return nil, fmt.Errorf("page of the description: %w", err)
	}
	file := func(b []byte, err error) (File, error) {
		f := File{Body: b}
		f.tag()
		return f, err
	}
	spec := func(id, path, summary string) Spec {
		return Spec{ID: id, Path: path, Summary: summary, Tag: "Description", Permission: s.cfg.DescriptionPermission}
	}
	s.aids = nil
	for _, a := range aids {
		aid := spec("docs."+a.Name, "/docs/"+a.Name, "A file of the page of the description")
		aid.Kind = Immutable
		s.aids = append(s.aids, BytesFrom(aid, a.Media, Fixed[None](0), func(context.Context, *Call, None, None) (File, error) { return file(a.Body, nil) }))
	}
	t := Table{
		BytesFrom(spec("getDescription", "/openapi.json", "This description (OpenAPI 3.1)"), "application/json", Fixed[None](0),
			func(context.Context, *Call, None, None) (File, error) { return file(s.describe()) }),
		BytesFrom(spec("getDocumentation", "/docs", "This description as a page"), "text/html", Fixed[None](0),
			func(context.Context, *Call, None, None) (File, error) { return file(s.page()) }),
	}
	t[1].header = http.Header{"Content-Security-Policy": {openapi.Policy}, "Referrer-Policy": {"same-origin"}}
	for _, list := range []Table{t, s.aids} {
		for i := range list {
			list[i].anyFormat = true
		}
	}
	return t, nil
}

// An example is a request of the demo town, below the base address, and what came.
type example struct {
	Request string          `json:"request"`
	Answer  json.RawMessage `json:"answer"`
}

// examples reads Config.Examples, with the addresses of this API.
func (s *Server) examples() (map[string]example, error) {
	all := map[string]example{}
	if s.cfg.Examples == nil {
		return all, nil
	}
	text := bytes.ReplaceAll(s.cfg.Examples, []byte(ExampleBase), []byte(strings.TrimSuffix(s.cfg.PublicURL, "/")))
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("examples of %s: %w", s.cfg.Name, err)
	}
	return all, nil
}

// ExampleBase stands in [Config.Examples] where an answer has the address of the API.
const ExampleBase = "https://api.example/base"

// illustrate adds an example to an operation: its answer, and what its parameters were.
func (x example) illustrate(op *openapi.Operation, path string) {
	op.Asked = x.Request
	for i := range op.Responses {
		if r := &op.Responses[i]; r.Key == "200" && len(r.Value.Content) > 0 && r.Value.Content[0].Key == "application/json" {
			r.Value.Content[0].Value.Example = x.Answer
		}
	}
	asked, _, _ := strings.Cut(x.Request, "?")
	segs := strings.Split(asked, "/")
	for i, seg := range strings.Split(path, "/") {
		for k := range op.Parameters {
			p := &op.Parameters[k]
			if value, err := url.PathUnescape(segs[min(i, len(segs)-1)]); err == nil && seg == "{"+p.Name+"}" && p.Example == nil {
				p.Example = value
				if _, err := strconv.Atoi(value); err == nil && p.Schema.Type == "integer" {
					p.Example = json.RawMessage(value)
				}
			}
		}
	}
}

// openAPI makes the description from the table. To read the examples and to write it takes more time than all else of a server's start, so
// that waits for the first request that asks for it.
func (s *Server) openAPI() error {
	c := &s.cfg
	d := &openapi.Document{OpenAPI: "3.1.0", Info: openapi.Info{Title: c.Title, Version: c.Version, Description: c.Description},
		Servers: []openapi.Server{{URL: strings.TrimSuffix(c.PublicURL, "/")}}, Security: []map[string][]bool{}}
	if d.Info.Title == "" {
		d.Info.Title = c.Name
	}
	if d.Info.Version == "" {
		d.Info.Version = "1.0.0"
	}
	if c.License != "" {
		d.Info.License = &openapi.License{Name: c.License, Identifier: c.License}
	}
	ss := &openapi.Schemas{Words: bind.Words}
	for i := range s.table {
		e := &s.table[i]
		if t := (openapi.Tag{Name: e.Tag}); e.Tag != "" && !slices.Contains(d.Tags, t) {
			d.Tags = append(d.Tags, t)
		}
		d.Paths.Add(described(e.Path), map[string]openapi.Operation{"get": s.operation(e, ss)})
	}
	d.Components = s.components(ss)
	d.DropUnused()
	if err := ss.Err(); err != nil {
		return fmt.Errorf("describe %s: %w", c.Name, err)
	}
	illustrated := sync.OnceValue(func() error { return s.illustrate(d) })
	s.describe = sync.OnceValues(func() ([]byte, error) {
		if err := illustrated(); err != nil {
			return nil, err
		}
		return json.MarshalIndent(d, "", " ")
	})
	s.page = sync.OnceValues(func() ([]byte, error) {
		if err := illustrated(); err != nil {
			return nil, err
		}
		return d.Page()
	})
	return nil
}

// illustrate adds the examples to the operations.
func (s *Server) illustrate(d *openapi.Document) error {
	examples, err := s.examples()
	if err != nil {
		return err
	}
	for i := range s.table {
		e, get := &s.table[i], d.Paths[i].Value
		if x, ok := examples[e.ID]; ok {
			op := get["get"]
			x.illustrate(&op, e.Path)
			get["get"] = op
		}
	}
	return nil
}

// described returns a path as the description has it: without a slash at its end, because a directory is answered with and without it.
func described(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

func (s *Server) operation(e *Endpoint, ss *openapi.Schemas) openapi.Operation {
	op := openapi.Operation{ID: e.ID, Summary: e.Summary, Description: e.Doc}
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
		op.Parameters = append(op.Parameters, openapi.Parameter{Name: langParam, In: "query", Description: langDoc, Schema: openapi.Schema{Type: "string", MinLength: 2, MaxLength: 64}, Example: "fr"})
	}
	formats := s.cfg.Dialect.FormatParam != "" && !e.anyFormat
	if formats {
		op.Parameters = append(op.Parameters, openapi.Parameter{Name: s.cfg.Dialect.FormatParam, In: "query",
			Description: "Response format. Either this or an Accept header that names application/json is required.",
			Schema:      openapi.Schema{Type: "string", Enum: []any{"json"}}})
	}
	op.Responses.Add("200", s.success(e, ss))
	if e.body == nil {
		op.Responses.Add("206", openapi.Response{Ref: "#/components/responses/Partial"})
	}
	op.Responses.Add("304", openapi.Response{Ref: "#/components/responses/NotModified"})
	if queries > 0 || formats {
		op.Responses.Add("400", openapi.Response{Ref: "#/components/responses/BadRequest"})
	}
	if e.Permission != "" {
		op.Responses.Add("401", openapi.Response{Ref: "#/components/responses/Unauthorized"})
		op.Responses.Add("403", openapi.Response{Ref: "#/components/responses/Forbidden"})
		op.Security = []map[string][]bool{{}, {"bearer": {}}, {"apiKey": {}}}
	}
	if e.NotFound != "" {
		op.Responses.Add("404", s.failure(e.NotFound))
	} else if len(e.plan.Paths) > 0 {
		op.Responses.Add("404", openapi.Response{Ref: "#/components/responses/NotFound"})
	}
	if formats {
		op.Responses.Add("406", openapi.Response{Ref: "#/components/responses/NotAcceptable"})
	}
	if e.body == nil {
		op.Responses.Add("416", openapi.Response{Ref: "#/components/responses/RangeNotSatisfiable"})
	}
	op.Responses.Add("default", openapi.Response{Ref: "#/components/responses/Error"})
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
	if e.pushes() {
		r.Content.Add("text/event-stream", openapi.Content{Schema: &openapi.Schema{Type: "string",
			Description: "One event for each change, until the client disconnects. Its data is the body that a plain request would get, its id is the ETag."}})
	}
	return r
}

// describeParam describes a parameter in OpenAPI.
func describeParam(p *bind.Param, ss *openapi.Schemas) openapi.Parameter {
	out := openapi.Parameter{Name: p.Name, In: "query", Description: p.Doc}
	if p.InPath {
		out.In, out.Required = "path", true
	}
	s := openapi.Schema{Type: "string"}
	list := bind.Words(p.Type)
	switch {
	case list != nil && slices.Equal(list, p.Words):
		s = ss.Of(p.Type) // so that generated clients use the type's own name
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
	if p.List { // the default of OpenAPI for a query: name=a&name=b
		if out.Example != nil {
			out.Example = []any{out.Example}
		}
		item := s
		s = openapi.Schema{Type: "array", Items: &item, MaxItems: p.MaxItems}
	}
	out.Schema = s
	return out
}

// failure describes an error response with the dialect's body.
func (s *Server) failure(text string) openapi.Response {
	r := openapi.Response{Description: text}
	r.Headers.Add("X-Request-Id", openapi.HeaderField{Ref: "#/components/headers/X-Request-Id"})
	r.Content.Add(s.cfg.Dialect.ErrorMedia, openapi.Content{Schema: &openapi.Schema{Ref: "#/components/schemas/" + openapi.Name(s.cfg.Dialect.errorType())}})
	return r
}

func (s *Server) components(ss *openapi.Schemas) openapi.Components {
	var c openapi.Components
	ss.Of(s.cfg.Dialect.errorType())
	ss.Distinct()
	c.Schemas = ss.List
	text := &openapi.Schema{Type: "string"}
	c.Headers.Add("ETag", openapi.HeaderField{Description: "Strong validator of this body; send it in If-None-Match.", Schema: text})
	c.Headers.Add("Last-Modified", openapi.HeaderField{Description: "When the data last changed.", Schema: text})
	c.Headers.Add("Cache-Control", openapi.HeaderField{Description: "How long the answer may be reused without revalidation.", Schema: text})
	c.Headers.Add("X-Request-Id", openapi.HeaderField{Description: "The request's id; quote it in a report.", Schema: text})
	c.Responses.Add("Partial", openapi.Response{Description: "The requested range."})
	c.Responses.Add("NotModified", openapi.Response{Description: "The body with the ETag in If-None-Match is still current."})
	c.Responses.Add("BadRequest", s.failure("A parameter is invalid; the body names each invalid one."))
	c.Responses.Add("Unauthorized", s.failure("The key is missing or unknown; WWW-Authenticate names the scheme."))
	c.Responses.Add("Forbidden", s.failure("The key does not permit this."))
	c.Responses.Add("NotFound", s.failure("There is no such resource."))
	c.Responses.Add("NotAcceptable", s.failure("The request accepts no available format."))
	c.Responses.Add("RangeNotSatisfiable", s.failure("The range is outside the file."))
	c.Responses.Add("Error", s.failure("Any other error: "+http.StatusText(http.StatusMethodNotAllowed)+", or a server error."))
	if slices.ContainsFunc(s.table, func(e Endpoint) bool { return e.Permission != "" }) {
		c.SecuritySchemes.Add("bearer", map[string]string{"type": "http", "scheme": "bearer"})
		c.SecuritySchemes.Add("apiKey", map[string]string{"type": "apiKey", "in": "header", "name": "X-Api-Key"})
	}
	return c
}
