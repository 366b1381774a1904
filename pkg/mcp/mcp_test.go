package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"
)

const description = `{"paths":{"/things/{id}":{"get":{"operationId":"getThing","parameters":[
	{"name":"id","in":"path","schema":{"type":"integer"},"description":"The thing."},
	{"name":"kind","in":"query","schema":{"$ref":"#/components/schemas/Kind"}}]}}},
	"components":{"schemas":{"Kind":{"type":"string","enum":["a","b"]}}}}`

// A tool asks its endpoint from the client's address, with the client's credentials.
func TestToolsAskAsTheClient(t *testing.T) {
	t.Parallel()
	var seen *http.Request
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		_, _ = fmt.Fprint(w, `{"name":"Thing"}`)
	})
	s := &Server{Name: "x", Version: "1", API: api, Root: "https://town.example", Base: "/v1",
		Covers: func(context.Context, *Call) string { return "all" },
		Tools: []Tool{{Name: "thing", Doc: "One thing.", Params: []Param{
			{Name: "id", Endpoint: "getThing", Required: true}, {Name: "kind", Endpoint: "getThing"}},
			Answer: func(ctx context.Context, c *Call) (*Answer, error) {
				v, err := c.Get(ctx, "getThing", c.Pass("id", "kind"))
				return &Answer{Data: v}, err
			}}}}
	h, err := s.handler([]byte(description))
	if err != nil {
		t.Fatal(err)
	}
	host := httptest.NewServer(h)
	t.Cleanup(host.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: host.URL,
		DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: keyed{}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "thing", Arguments: map[string]any{"id": "7/8",
		"kind": "b"}})
	if err != nil || r.IsError {
		t.Fatalf("%+v, %v", r, err)
	}
	if !strings.HasPrefix(seen.RemoteAddr, "127.0.0.1:") || seen.Header.Get("X-Api-Key") != "secret" ||
		seen.URL.EscapedPath() != "/v1/things/7%2F8" || seen.URL.RawQuery != "kind=b" {
		t.Errorf("asked %s from %s with %v", seen.URL, seen.RemoteAddr, seen.Header)
	}
	text, _ := r.Content[0].(*sdk.TextContent)
	if want := `{"source_url":"https://town.example/v1/things/7%2F8?kind=b","covers":"all","data":{"name":"Thing"}}`; text == nil ||
		text.Text != want {
		t.Errorf("%+v, want %s", text, want)
	}
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if schema := fmt.Sprint(tools.Tools[0].InputSchema); !strings.Contains(schema, "enum:[a b]") {
		t.Errorf("schema %s", schema)
	}
}

// keyed adds a key to each request.
type keyed struct{}

func (keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Api-Key", "secret")
	return http.DefaultTransport.RoundTrip(r)
}

// A proxy on this machine passes the public host. Other names at a loopback address are refused,
// because a page of such a name would be of the same origin.
func TestHostsAtALoopbackAddress(t *testing.T) {
	t.Parallel()
	s := &Server{Name: "x", Version: "1", Root: "https://town.example"}
	h, err := s.handler([]byte(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	for host, want := range map[string]int{"town.example": 200, "Town.Example:443": 200, "localhost:8080": 200,
		"127.0.0.1": 200, "[::1]:8080": 200, "evil.example": 403, "town.example.evil.example": 403, "10.0.0.1": 403} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL,
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("host %s: %d, want %d", host, answer.StatusCode, want)
		}
	}
}

// An answer fits its bound, whatever the data is, and says what was left out.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 3000, 9000)
		value := rapid.OneOf(rapid.Map(text, func(s string) any { return s }),
			rapid.Map(rapid.SliceOfN(text, 0, 40), func(s []string) any { return s }),
			rapid.Map(rapid.Int(), func(n int) any { return n }))
		a := &Answer{SourceURL: "https://town.example", Data: map[string]any{
			"rows": rapid.SliceOfN(value, 0, 60).Draw(t, "rows"), "one": value.Draw(t, "one")}}
		got, err := a.encode()
		if err != nil || len(got) > maxAnswer {
			t.Fatalf("%d bytes, %v", len(got), err)
		}
		var out Answer
		if err := json.Unmarshal(got, &out); err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		whole, err := encode(a)
		if err != nil {
			t.Fatal(err)
		}
		if len(whole) > maxAnswer && len(out.Omitted) == 0 && out.More == "" {
			t.Errorf("something of %d bytes was left out silently: %s", len(whole), got)
		}
	})
}

func TestCutListsAreNamed(t *testing.T) {
	t.Parallel()
	rows := make([]map[string]string, 40)
	for i := range rows {
		rows[i] = map[string]string{"title": strings.Repeat("x", 390)}
	}
	got, err := (&Answer{Data: map[string]any{"votes": rows}}).encode()
	if err != nil || !strings.Contains(string(got), `"omitted":["votes: the first 20 of 40"]`) {
		t.Errorf("%.300s, %v", got, err)
	}
}
