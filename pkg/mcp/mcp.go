// Package mcp serves endpoints of an API as tools of the Model Context Protocol, so that assistants
// can ask them. A tool asks endpoints as a client would, in this process and with the client's
// credentials: validation, permissions, quotas and cache are those of the API.
//
// Transport is streamable HTTP without sessions, with JSON answers. There are tools only: no
// prompts, resources, sessions or writes. Texts of the data stand in fields of JSON, never among
// instructions. Each answer says what is covered, so that silence is not taken for "no".
//
// The tools are in the services: mcp.go of council-api and of transit-api. answer.go bounds answers.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/townline/townline/pkg/rest"
)

const (
	// Path is the address of the server.
	Path = "/mcp"
	// maxRequest bounds the body of a request, in bytes.
	maxRequest = 64 << 10
)

// A Server has tools that ask one API.
type Server struct {
	Name, Title, Version string
	// Instructions tell a model what the data is. They contain no text of the data.
	Instructions string
	API          http.Handler // answers requests to endpoints
	Root         string       // scheme and host of the API's public address
	Base         string       // path of the API
	Fixed        url.Values   // parameters of every request
	// Covers says in one sentence what the data covers. It is part of each answer.
	Covers func(ctx context.Context, c *Call) string
	Tools  []Tool

	endpoints map[string]endpoint
}

// A Tool is a question that an assistant can ask.
type Tool struct {
	Name, Doc string
	Params    []Param
	Answer    func(ctx context.Context, c *Call) (*Answer, error)
}

// A Param is an argument of a tool. Its schema is that of a parameter of an endpoint; without an
// endpoint it is a text.
type Param struct {
	Name     string
	Endpoint string // id of the endpoint that has the parameter
	Of       string // name of the endpoint's parameter, if it differs
	Doc      string // in place of the endpoint's description
	Required bool
}

// Add lets an API answer assistants at [Path].
func Add(api *rest.Server, s *Server) error {
	description, err := api.Description()
	if err != nil {
		return fmt.Errorf("describe the API to assistants: %w", err)
	}
	h, err := s.handler(description)
	if err == nil {
		api.Handle(Path, h)
	}
	return err
}

// handler returns the server. description is the OpenAPI description of the API.
func (s *Server) handler(description []byte) (http.Handler, error) {
	if err := s.read(description); err != nil {
		return nil, err
	}
	server := sdk.NewServer(&sdk.Implementation{Name: s.Name, Title: s.Title, Version: s.Version},
		&sdk.ServerOptions{Instructions: s.Instructions,
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for i := range s.Tools {
		t := &s.Tools[i]
		schema, err := s.schema(t)
		if err != nil {
			return nil, err
		}
		server.AddTool(&sdk.Tool{Name: t.Name, Description: t.Doc, InputSchema: schema,
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
			func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return s.call(ctx, t, r)
			})
	}
	tools := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest,
			DisableLocalhostProtection: true}) // it would refuse the requests of a proxy on this machine
	protected := http.NewCrossOriginProtection().Handler(tools)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isHost(r) {
			http.Error(w, fmt.Sprintf("the host %q is not served here", r.Host), http.StatusForbidden)
			return
		}
		if r.ContentLength > maxRequest {
			http.Error(w, fmt.Sprintf("a request has at most %d bytes", maxRequest), http.StatusRequestEntityTooLarge)
			return
		}
		protected.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, r.RemoteAddr)))
	}), nil
}

// isHost reports whether a request that arrives at a loopback address names this machine or, through
// a proxy on it, the public host. Else a site could point its own name at this machine, and a
// visitor's browser would let its pages read the answers.
func (s *Server) isHost(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok || !isLoopback(local.String()) || isLoopback(r.Host) {
		return true
	}
	public, err := url.Parse(s.Root)
	return err == nil && strings.EqualFold(hostName(r.Host), public.Hostname())
}

func hostName(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.Trim(address, "[]")
}

func isLoopback(address string) bool {
	host := hostName(address)
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}

// clientKey is the key of the client's address in a context.
type clientKey struct{}

func (s *Server) call(ctx context.Context, t *Tool, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	c := &Call{server: s, args: map[string]any{}}
	if r.Extra != nil {
		c.header = r.Extra.Header
	}
	if len(r.Params.Arguments) > 0 {
		if err := json.Unmarshal(r.Params.Arguments, &c.args); err != nil {
			return failed(fmt.Errorf("arguments must be an object: %w", err)), nil
		}
	}
	for name := range c.args {
		if !t.has(name) {
			return failed(fmt.Errorf("%s has no argument %q", t.Name, name)), nil
		}
	}
	for _, p := range t.Params {
		if p.Required && len(c.Pass(p.Name)) == 0 {
			return failed(fmt.Errorf("the argument %q is required", p.Name)), nil
		}
	}
	answer, err := t.Answer(ctx, c)
	if err != nil {
		return failed(err), nil
	}
	answer.Covers = s.Covers(ctx, c)
	answer.SourceURL = c.source
	text, err := answer.encode()
	if err != nil {
		return nil, fmt.Errorf("encode the answer of %s: %w", t.Name, err)
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil
}

func (t *Tool) has(name string) bool {
	for _, p := range t.Params {
		if p.Name == name {
			return true
		}
	}
	return false
}

// failed returns an error that the model sees, so that it can ask in another way.
func failed(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: err.Error()}}}
}

// An endpoint is what the description says of it.
type endpoint struct {
	path   string
	params map[string]parameter
}

type parameter struct {
	Name        string         `json:"name"`
	In          string         `json:"in"`
	Description string         `json:"description"`
	Schema      map[string]any `json:"schema"`
}

// read reads the endpoints of an OpenAPI description.
func (s *Server) read(description []byte) error {
	var d struct {
		Paths map[string]struct {
			Get struct {
				ID         string      `json:"operationId"`
				Parameters []parameter `json:"parameters"`
			} `json:"get"`
		} `json:"paths"`
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(description, &d); err != nil {
		return fmt.Errorf("read the description of the API: %w", err)
	}
	s.endpoints = map[string]endpoint{}
	for path, item := range d.Paths {
		e := endpoint{path: path, params: map[string]parameter{}}
		for _, p := range item.Get.Parameters {
			p.Schema, _ = resolve(p.Schema, d.Components.Schemas).(map[string]any)
			e.params[p.Name] = p
		}
		s.endpoints[item.Get.ID] = e
	}
	return nil
}

// resolve replaces references to schemas, so that a tool's schema stands alone.
func resolve(v any, schemas map[string]map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			return resolve(schemas[strings.TrimPrefix(ref, "#/components/schemas/")], schemas)
		}
		out := make(map[string]any, len(v))
		for k, value := range v {
			if k != "example" && k != "description" && k != "pattern" { // a list of tools has at most 8 kB
				out[k] = resolve(value, schemas)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = resolve(v[i], schemas)
		}
		return out
	}
	return v
}

// schema returns the JSON Schema of a tool's arguments.
func (s *Server) schema(t *Tool) (map[string]any, error) {
	properties, required := map[string]any{}, []string{}
	for _, p := range t.Params {
		own := map[string]any{"type": "string"}
		doc := p.Doc
		if p.Endpoint != "" {
			of := p.Name
			if p.Of != "" {
				of = p.Of
			}
			source, ok := s.endpoints[p.Endpoint].params[of]
			if !ok {
				return nil, fmt.Errorf("tool %s: endpoint %s has no parameter %q", t.Name, p.Endpoint, of)
			}
			own = source.Schema
			if doc == "" {
				doc = source.Description
			}
		}
		own["description"] = doc
		properties[p.Name] = own
		if p.Required {
			required = append(required, p.Name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}, nil
}
