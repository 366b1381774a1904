package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// A Call is one use of a tool.
type Call struct {
	server *Server
	header http.Header // of the client's request
	args   map[string]any
	source string // public address of the first answer
}

// Text returns an argument as text; "" if it is absent.
func (c *Call) Text(name string) string {
	switch v := c.args[name].(type) {
	case string:
		return strings.TrimSpace(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// Pass returns the named arguments that the call has, as parameters of an endpoint.
func (c *Call) Pass(names ...string) url.Values {
	q := url.Values{}
	for _, name := range names {
		if list, ok := c.args[name].([]any); ok {
			for _, v := range list {
				q.Add(name, fmt.Sprint(v))
			}
		} else if v := c.Text(name); v != "" {
			q.Set(name, v)
		}
	}
	return q
}

// maxBody bounds the body of an endpoint's answer, in bytes.
const maxBody = 4 << 20

// Get asks an endpoint, which is named by its id. Parameters of its path are taken out of params.
func (c *Call) Get(ctx context.Context, id string, params url.Values) (map[string]any, error) {
	body, err := c.Body(ctx, id, params)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", id, err)
	}
	return v, nil
}

// Body is Get for an answer that is not JSON.
func (c *Call) Body(ctx context.Context, id string, params url.Values) ([]byte, error) {
	s := c.server
	e, ok := s.endpoints[id]
	if !ok {
		return nil, fmt.Errorf("no endpoint %s", id)
	}
	q, path := url.Values{}, e.path
	for name, values := range params {
		if e.params[name].In == "path" {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(values[0]))
		} else {
			q[name] = values
		}
	}
	public := s.Base + path
	if len(q) > 0 {
		public += "?" + q.Encode()
	}
	if c.source == "" {
		c.source = s.Root + public
	}
	for name, values := range s.Fixed {
		q[name] = values
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Base+path+"?"+q.Encode(), http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", id, err)
	}
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr, _ = ctx.Value(clientKey{}).(string)
	for _, name := range []string{"Authorization", "X-Api-Key", "X-Forwarded-For", "X-Request-Id"} {
		if v := c.header.Values(name); v != nil {
			r.Header[name] = v
		}
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	s.API.ServeHTTP(w, r)
	switch {
	case w.tooLarge:
		return nil, errors.New("the answer is too large; ask for less")
	case w.status != http.StatusOK:
		return nil, refusal(w.status, w.body.Bytes())
	}
	return w.body.Bytes(), nil
}

// A Refusal is the error of an endpoint, in its words.
type Refusal struct {
	Status int
	Text   string
}

func (r *Refusal) Error() string { return r.Text }

func refusal(status int, body []byte) error {
	var v struct {
		Detail  string `json:"detail"`
		Message string `json:"message"`
		Errors  []struct {
			Path    string `json:"path"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	_ = json.Unmarshal(body, &v) // without a text, the status says enough
	text := strings.TrimSpace(v.Detail + v.Message)
	for _, e := range v.Errors {
		text += fmt.Sprintf("; %s: %s", e.Path, e.Message)
	}
	if text == "" {
		text = http.StatusText(status)
	}
	return &Refusal{Status: status, Text: fmt.Sprintf("%d: %s", status, text)}
}

// A recorder is an http.ResponseWriter in memory.
type recorder struct {
	header   http.Header
	status   int
	body     bytes.Buffer
	tooLarge bool
}

func (w *recorder) Header() http.Header    { return w.header }
func (w *recorder) WriteHeader(status int) { w.status = status }

func (w *recorder) Write(b []byte) (int, error) {
	if w.body.Len()+len(b) > maxBody {
		w.tooLarge = true
		return 0, errors.New("the answer is too large")
	}
	return w.body.Write(b)
}

// Peek is Get for data that is not what the answer cites.
func (c *Call) Peek(ctx context.Context, id string, params url.Values) (map[string]any, error) {
	cited := c.source
	v, err := c.Get(ctx, id, params)
	c.source = cited
	return v, err
}

// Address returns the public address of a page.
func (c *Call) Address(path string) string { return c.server.Root + path }

// Objects returns the objects of a JSON list; other values are left out.
func Objects(v any) []map[string]any {
	list, _ := v.([]any)
	all := make([]map[string]any, 0, len(list))
	for _, e := range list {
		if row, ok := e.(map[string]any); ok {
			all = append(all, row)
		}
	}
	return all
}
