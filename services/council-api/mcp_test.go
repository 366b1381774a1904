package councilapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/townline/townline/pkg/pgtest"
)

// assistant connects a client of the protocol to an API.
func assistant(t *testing.T, address string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address + "/mcp",
		DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// asked calls a tool. failed is true if the answer is an error.
func asked(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, args, err)
	}
	c, ok := r.Content[0].(*mcp.TextContent)
	if !ok || len(r.Content) != 1 {
		t.Fatalf("%s %v: %+v", tool, args, r.Content)
	}
	if len(c.Text) > 8<<10 {
		t.Errorf("%s %v: %d bytes", tool, args, len(c.Text))
	}
	return c.Text, r.IsError
}

type toolAnswer struct {
	SourceURL string   `json:"source_url"`
	Covers    string   `json:"covers"`
	Notes     []string `json:"notes"`
	More      string   `json:"more"`
	Omitted   []string `json:"omitted"`
	Data      any      `json:"data"`
}

func answered(t *testing.T, s *mcp.ClientSession, tool string, args map[string]any) toolAnswer {
	t.Helper()
	text, failed := asked(t, s, tool, args)
	var a toolAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil || failed {
		t.Fatalf("%s %v: %s, %v", tool, args, text, err)
	}
	if !strings.HasPrefix(a.SourceURL, "http") || !strings.Contains(a.Covers, " votes of ") {
		t.Errorf("%s %v: source %q, covers %q", tool, args, a.SourceURL, a.Covers)
	}
	return a
}

func TestAssistants(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	w := newWorld(7, 30)
	w.store(t, db)
	srv := testServer(t, db, func(c *Config) { c.MCP = "on" })
	host := httptest.NewServer(srv)
	t.Cleanup(host.Close)
	s := assistant(t, host.URL)

	t.Run("tools", func(t *testing.T) {
		t.Parallel()
		list, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(list)
		if err != nil || len(list.Tools) != 6 || len(text) > 8<<10 {
			t.Errorf("%d tools in %d bytes, %v", len(list.Tools), len(text), err)
		}
	})
	t.Run("figures are those of the API", func(t *testing.T) { t.Parallel(); testFigures(t, srv, s, w) })
	t.Run("silence is explained", func(t *testing.T) {
		t.Parallel()
		a := answered(t, s, "search_votes", map[string]any{"q": "zeppelin"})
		if list, ok := a.Data.([]any); !ok || len(list) != 0 || !strings.Contains(a.Notes[0], "does not mean") {
			t.Errorf("%+v", a)
		}
	})
	t.Run("errors", func(t *testing.T) {
		t.Parallel()
		for tool, c := range map[string]struct {
			args map[string]any
			want string
		}{
			"search_votes":    {map[string]any{"topic": "weather"}, "topic"},
			"get_vote":        {map[string]any{"id": 999_999}, "404"},
			"get_meeting":     {map[string]any{}, `"id" is required`},
			"member_record":   {map[string]any{"member": "Nobody Known"}, `no member is called "Nobody Known"`},
			"compare_members": {map[string]any{"member": "Given", "other": "100"}, "may be several members"},
			"coverage":        {map[string]any{"x": 1}, `no argument "x"`},
		} {
			if text, failed := asked(t, s, tool, c.args); !failed || !strings.Contains(text, c.want) {
				t.Errorf("%s: %q, want %q", tool, text, c.want)
			}
		}
	})
	t.Run("other origins, large bodies, hints of sign-on", func(t *testing.T) { t.Parallel(); testGates(t, host.URL) })
}

// testFigures compares answers of tools with those of the API's endpoints.
func testFigures(t *testing.T, srv http.Handler, s *mcp.ClientSession, w *world) {
	rest := func(path string) map[string]any {
		rec := httptest.NewRecorder()
		srv.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		var v map[string]any
		if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil || rec.Code != 200 {
			t.Fatalf("%s: %d, %v", path, rec.Code, err)
		}
		return v
	}
	same := func(what string, got, want any) {
		t.Helper()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, q := range []string{"", "topic=housing", "split=true", "result=failed", "q=street"} {
		args := map[string]any{}
		if name, value, ok := strings.Cut(q, "="); ok {
			args[name] = value
		}
		a := answered(t, s, "search_votes", args)
		want := rest("/v1/search/votes?limit=10&" + q)["data"].([]any)
		got := a.Data.([]any)
		if len(a.Omitted) == 0 {
			same("votes of "+q, len(got), len(want))
		}
		for i := range got {
			g, x := got[i].(map[string]any), want[i].(map[string]any)
			for _, name := range []string{"result", "ayes_count", "nays_count", "unanimous", "source_url", "meeting_date"} {
				same(q+": "+name, g[name], x[name])
			}
			same(q+": id", g["vote_id"], x["id"])
		}
	}
	for i := range w.members {
		m := w.members[i]
		profile := rest(fmt.Sprintf("/v1/members/%d", m.id))
		a := answered(t, s, "member_record", map[string]any{"member": m.name})
		same(m.name, a.Data.(map[string]any)["member"].(map[string]any)["vote_count"], profile["vote_count"])
		other := w.members[(i+1)%len(w.members)]
		shared := rest(fmt.Sprintf("/v1/members/%d/agreement/%d?limit=10", m.id, other.id))
		a = answered(t, s, "compare_members", map[string]any{"member": m.id, "other": other.name})
		same(m.name+" and "+other.name, a.Data.(map[string]any)["shared_votes"], shared["shared_votes"])
	}
	same("votes", answered(t, s, "coverage", nil).Data.(map[string]any)["numbers"].(map[string]any)["votes"],
		rest("/v1/stats")["votes"])
	for i := range w.votes[:min(5, len(w.votes))] {
		v := &w.votes[i]
		same("a vote", answered(t, s, "get_vote", map[string]any{"id": v.id}).Data.(map[string]any)["result"], v.result)
		a := answered(t, s, "get_meeting", map[string]any{"id": v.item.meeting.id})
		same("a meeting", a.Data.(map[string]any)["meeting_date"], v.item.meeting.date.Format("2006-01-02"))
	}
}

func testGates(t *testing.T, address string) {
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	post := func(body string, headers ...string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/mcp", bytes.NewBufferString(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	if got := post(ping); got != 200 {
		t.Errorf("ping: %d", got)
	}
	if got := post(ping, "Origin", "https://elsewhere.example"); got != 403 {
		t.Errorf("another origin: %d", got)
	}
	if got := post(`{"x":"` + strings.Repeat("x", 64<<10) + `"}`); got != 413 {
		t.Errorf("a large body: %d", got)
	}
	for path, want := range map[string]int{"/.well-known/oauth-protected-resource": 404,
		"/.well-known/oauth-authorization-server/mcp": 404, "/mcp": 405} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, res.StatusCode, want)
		}
	}
}
