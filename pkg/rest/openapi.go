package rest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// The description: OpenAPI 3.1 as Go values, in the order in which it is written.
type (
	description struct {
		OpenAPI    string                        `json:"openapi"`
		Info       info                          `json:"info"`
		Servers    []server                      `json:"servers"`
		Security   []map[string][]bool           `json:"security"` // none, but where an operation says so
		Tags       []tag                         `json:"tags,omitempty"`
		Paths      ordered[map[string]operation] `json:"paths"`
		Components components                    `json:"components"`
	}
	info struct {
		Title       string   `json:"title"`
		Version     string   `json:"version"`
		Description string   `json:"description,omitempty"`
		License     *license `json:"license,omitempty"`
	}
	license struct {
		Name       string `json:"name"`
		Identifier string `json:"identifier"`
	}
	server struct {
		URL string `json:"url"`
	}
	tag struct {
		Name string `json:"name"`
	}
	components struct {
		Schemas         Properties        `json:"schemas"`
		Responses       ordered[response] `json:"responses"`
		Headers         ordered[header]   `json:"headers"`
		SecuritySchemes ordered[any]      `json:"securitySchemes,omitempty"`
	}
	operation struct {
		ID          string              `json:"operationId"`
		Summary     string              `json:"summary"`
		Description string              `json:"description,omitempty"`
		Tags        []string            `json:"tags,omitempty"`
		Parameters  []parameter         `json:"parameters,omitempty"`
		Responses   ordered[response]   `json:"responses"`
		Security    []map[string][]bool `json:"security,omitempty"`
	}
	parameter struct {
		Name        string `json:"name"`
		In          string `json:"in"`
		Description string `json:"description,omitempty"`
		Required    bool   `json:"required,omitempty"`
		Schema      Schema `json:"schema"`
		Example     any    `json:"example,omitempty"`
	}
	response struct {
		Ref         string           `json:"$ref,omitempty"`
		Description string           `json:"description,omitempty"`
		Headers     ordered[header]  `json:"headers,omitempty"`
		Content     ordered[content] `json:"content,omitempty"`
	}
	header struct {
		Ref         string  `json:"$ref,omitempty"`
		Description string  `json:"description,omitempty"`
		Schema      *Schema `json:"schema,omitempty"`
	}
	content struct {
		Schema  *Schema `json:"schema,omitempty"`
		Example any     `json:"example,omitempty"`
	}
)

// ordered is a JSON object whose keys keep their order.
type ordered[V any] []entry[V]

type entry[V any] struct {
	Key   string
	Value V
}

func (o *ordered[V]) add(key string, v V) { *o = append(*o, entry[V]{key, v}) }

// MarshalJSON writes an object in the order of the list.
func (o ordered[V]) MarshalJSON() ([]byte, error) {
	return orderedObject(len(o), func(i int) (string, any) { return o[i].Key, o[i].Value })
}

// descriptionEndpoints are the description of the table and its page, which describe themselves too.
func (s *Server) descriptionEndpoints() Table {
	fixed := &Source{Now: func(context.Context, *Call) (Generation, error) { return Generation{}, nil }}
	file := func(b []byte) (File, error) {
		sum := sha256.Sum256(b)
		return File{Body: b, Tag: hex.EncodeToString(sum[:12])}, nil
	}
	return Table{
		Bytes(Spec{ID: "getDescription", Path: "/openapi.json", Summary: "This description (OpenAPI 3.1)", Tag: "Description",
			Permission: s.cfg.DescriptionPermission, AnyFormat: true, Hidden: true, Source: fixed}, "application/json",
			func(context.Context, *Call, None) (File, error) { return file(s.describe) }),
		Bytes(Spec{ID: "getDocumentation", Path: "/docs", Summary: "This description as a page", Tag: "Description",
			Permission: s.cfg.DescriptionPermission, AnyFormat: true, Hidden: true, Source: fixed}, "text/html",
			func(context.Context, *Call, None) (File, error) { return file(s.page) }),
	}
}

// openAPI derives the description from the table.
func (s *Server) openAPI() (*description, []byte, error) {
	c := &s.cfg
	d := &description{OpenAPI: "3.1.0", Info: info{Title: c.Title, Version: c.Version, Description: c.Description},
		Servers: []server{{strings.TrimSuffix(c.PublicURL, "/")}}, Security: []map[string][]bool{}}
	if d.Info.Title == "" {
		d.Info.Title = c.Name
	}
	if d.Info.Version == "" {
		d.Info.Version = "1.0.0"
	}
	if c.License != "" {
		d.Info.License = &license{c.License, c.License}
	}
	ss := &schemas{types: map[string]reflect.Type{}}
	for i := range s.table {
		e := &s.table[i]
		if t := (tag{e.Tag}); e.Tag != "" && !slices.Contains(d.Tags, t) {
			d.Tags = append(d.Tags, t)
		}
		d.Paths.add(described(e.Path), map[string]operation{"get": s.operation(e, ss)})
	}
	d.Components = s.components(ss)
	d.Components.Responses = slices.DeleteFunc(d.Components.Responses, func(r entry[response]) bool { return !d.refers(r.Key) })
	if err := errors.Join(ss.errs...); err != nil {
		return nil, nil, fmt.Errorf("describe %s: %w", c.Name, err)
	}
	b, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		return nil, nil, fmt.Errorf("describe %s: %w", c.Name, err)
	}
	return d, b, nil
}

// refers tells whether an operation answers with a response of the components.
func (d *description) refers(name string) bool {
	for _, path := range d.Paths {
		for _, r := range path.Value["get"].Responses {
			if r.Value.Ref == "#/components/responses/"+name {
				return true
			}
		}
	}
	return false
}

// described is a path as the description has it: that of a directory, which is answered with and without its slash, stands without.
func described(path string) string {
	if path == "/" {
		return path
	}
	return strings.TrimSuffix(path, "/")
}

func (s *Server) operation(e *Endpoint, ss *schemas) operation {
	op := operation{ID: e.ID, Summary: e.Summary, Description: e.Doc}
	if e.Tag != "" {
		op.Tags = []string{e.Tag}
	}
	queries := 0
	for i := range e.plan.params {
		p := &e.plan.params[i]
		if !p.inPath {
			queries++
		}
		op.Parameters = append(op.Parameters, p.describe(ss))
	}
	formats := s.cfg.Dialect == Transit && !e.AnyFormat
	if formats {
		op.Parameters = append(op.Parameters, parameter{Name: "_format", In: "query",
			Description: "Response format. Either this or an Accept header that names application/json is required.",
			Schema:      Schema{Type: "string", Enum: []any{"json"}}})
	}
	op.Responses.add("200", s.success(e, ss))
	if e.body == nil {
		op.Responses.add("206", response{Ref: "#/components/responses/Partial"})
	}
	op.Responses.add("304", response{Ref: "#/components/responses/NotModified"})
	if queries > 0 || formats {
		op.Responses.add("400", response{Ref: "#/components/responses/BadRequest"})
	}
	if e.Permission != "" {
		op.Responses.add("401", response{Ref: "#/components/responses/Unauthorized"})
		op.Responses.add("403", response{Ref: "#/components/responses/Forbidden"})
		op.Security = []map[string][]bool{{}, {"bearer": {}}, {"apiKey": {}}}
	}
	if e.NotFound != "" {
		op.Responses.add("404", s.failure(e.NotFound))
	} else if len(e.plan.paths) > 0 {
		op.Responses.add("404", response{Ref: "#/components/responses/NotFound"})
	}
	if formats {
		op.Responses.add("406", response{Ref: "#/components/responses/NotAcceptable"})
	}
	if e.body == nil {
		op.Responses.add("416", response{Ref: "#/components/responses/RangeNotSatisfiable"})
	}
	op.Responses.add("default", response{Ref: "#/components/responses/Error"})
	return op
}

func (s *Server) success(e *Endpoint, ss *schemas) response {
	r := response{Description: e.Summary}
	for _, name := range []string{"ETag", "Last-Modified", "Cache-Control", "X-Request-Id"} {
		r.Headers.add(name, header{Ref: "#/components/headers/" + name})
	}
	body := content{Example: e.Example}
	if e.body != nil {
		schema := ss.of(e.body)
		body.Schema = &schema
	}
	r.Content.add(e.media, body)
	if e.pushes() {
		r.Content.add("text/event-stream", content{Schema: &Schema{Type: "string",
			Description: "For as long as the client listens: one event for each change, whose data is the body that a plain request would get, and whose id is its ETag."}})
	}
	return r
}

// describe is a parameter as OpenAPI has it.
func (p *param) describe(ss *schemas) parameter {
	out := parameter{Name: p.name, In: "query", Description: p.doc}
	if p.inPath {
		out.In, out.Required = "path", true
	}
	s := Schema{Type: "string"}
	switch list := enumOf(p.typ); {
	case list != nil && slices.Equal(list, p.words):
		s = ss.of(p.typ) // generated clients get the type's own name
	case p.words != nil:
		s.Enum = anys(p.words)
	case p.kind == kindInt:
		s = ss.of(p.typ)
	case p.kind == kindFloat:
		s.Type = "number"
	case p.kind == kindDate:
		s = ss.of(p.typ)
	default:
		s.MinLength, s.MaxLength = max(p.minLen, 1), p.maxLen
	}
	if !math.IsInf(p.min, 0) {
		s.Minimum = &p.min
	}
	if !math.IsInf(p.max, 0) {
		s.Maximum = &p.max
	}
	if p.pattern != nil {
		s.Pattern = p.pattern.String()
	}
	if p.null {
		s = nullable(s)
		out.Description = strings.TrimSpace(out.Description + ` Empty or "null": no filter.`)
	}
	s.Default = p.typed(p.def)
	if p.example != "" {
		out.Example = p.typed(p.example)
	}
	out.Schema = s
	return out
}

// typed is a parameter's text as the JSON value that it stands for.
func (p *param) typed(text string) any {
	if text == "" {
		return nil
	}
	if p.kind == kindInt || p.kind == kindFloat {
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return text
}

// failure is an error response with the dialect's body.
func (s *Server) failure(text string) response {
	r := response{Description: text}
	r.Headers.add("X-Request-Id", header{Ref: "#/components/headers/X-Request-Id"})
	if s.cfg.Dialect == Transit {
		r.Content.add("application/json", content{Schema: &Schema{Ref: "#/components/schemas/Message"}})
	} else {
		r.Content.add("application/problem+json", content{Schema: &Schema{Ref: "#/components/schemas/Problem"}})
	}
	return r
}

func (s *Server) components(ss *schemas) components {
	var c components
	if s.cfg.Dialect == Transit {
		ss.of(reflect.TypeFor[Message]())
	} else {
		ss.of(reflect.TypeFor[Problem]())
	}
	c.Schemas = ss.list
	text := &Schema{Type: "string"}
	c.Headers.add("ETag", header{Description: "Strong validator of these bytes; send it back in If-None-Match.", Schema: text})
	c.Headers.add("Last-Modified", header{Description: "When the data was last changed.", Schema: text})
	c.Headers.add("Cache-Control", header{Description: "How long the answer may be reused without asking.", Schema: text})
	c.Headers.add("X-Request-Id", header{Description: "The request's id; quote it in a report.", Schema: text})
	c.Responses.add("Partial", response{Description: "The part that Range asks for."})
	c.Responses.add("NotModified", response{Description: "The body that If-None-Match names is still the answer."})
	c.Responses.add("BadRequest", s.failure("A parameter is not valid; all that are not are named."))
	c.Responses.add("Unauthorized", s.failure("A credential is needed, or is not known; WWW-Authenticate says how to send one."))
	c.Responses.add("Forbidden", s.failure("The credential does not allow this."))
	c.Responses.add("NotFound", s.failure("There is no such thing."))
	c.Responses.add("NotAcceptable", s.failure("No format was asked for that there is."))
	c.Responses.add("RangeNotSatisfiable", s.failure("The range lies outside the file."))
	c.Responses.add("Error", s.failure("Any other error: "+http.StatusText(http.StatusMethodNotAllowed)+", or trouble on our side."))
	if slices.ContainsFunc(s.table, func(e Endpoint) bool { return e.Permission != "" }) {
		c.SecuritySchemes.add("bearer", map[string]string{"type": "http", "scheme": "bearer"})
		c.SecuritySchemes.add("apiKey", map[string]string{"type": "apiKey", "in": "header", "name": "X-Api-Key"})
	}
	return c
}
