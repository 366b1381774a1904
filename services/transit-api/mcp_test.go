package transitapi

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tools answer with the figures of the API, within the client's permissions and quota.
func TestAssistants(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.MCP = "on" })
	w.clockAt(in(t, "2026-03-04 05:55:00"))
	host := httptest.NewServer(w.srv)
	t.Cleanup(host.Close)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: host.URL + "/mcp",
		DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	list, err := s.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(list); err != nil || len(text) > 8<<10 || len(list.Tools) != 6 {
		t.Errorf("%d tools in %d bytes, %v", len(list.Tools), len(text), err)
	}
	ask := func(tool string, args map[string]any) (data any, text string) {
		t.Helper()
		r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s %v: %v", tool, args, err)
		}
		c, ok := r.Content[0].(*mcp.TextContent)
		if !ok || len(c.Text) > 8<<10 {
			t.Fatalf("%s %v: %+v", tool, args, r.Content)
		}
		if r.IsError {
			return nil, c.Text
		}
		var a struct {
			SourceURL string `json:"source_url"`
			Covers    string `json:"covers"`
			Data      any    `json:"data"`
		}
		if err := json.Unmarshal([]byte(c.Text), &a); err != nil || !strings.Contains(a.Covers, "Metro & Co (feed metro)") ||
			!strings.HasPrefix(a.SourceURL, "https://transit.example/gtfs/api/v2/") {
			t.Errorf("%s %v: %s, %v", tool, args, c.Text, err)
		}
		return a.Data, c.Text
	}
	stops, _ := ask("find_stops", map[string]any{"q": "ceddar"})
	if got := fmt.Sprint(stops); !strings.Contains(got, "stop:metro:C") {
		t.Errorf("stops: %s", got)
	}
	d, text := ask("departures", map[string]any{"stop_id": []string{"metro:C"}, "minutes": 30})
	got, ok := d.(map[string]any)
	if !ok {
		t.Fatal(text)
	}
	want := w.departures(t, "stop_id=metro:C&minutes=30&limit=20").Data.Departures
	rows, ok := got["departures"].([]any)
	if !ok || len(rows) != len(want) || len(rows) == 0 {
		t.Fatalf("departures: %s, want %d", text, len(want))
	}
	for i, row := range rows {
		d := want[i]
		at := time.Unix(d.PredictedDepartureEpoch, 0).In(in(t, "2026-03-04 00:00:00").Location()).Format("2006-01-02 15:04")
		if text := fmt.Sprint(row); !strings.Contains(text, "departs:"+at) || !strings.Contains(text, "origin:"+d.Origin) ||
			!strings.Contains(text, "trip_id:"+d.TripID) {
			t.Errorf("departure %d: %s, want %s of %s", i, text, at, d.TripID)
		}
	}
	for tool, c := range map[string]struct {
		args map[string]any
		want string
	}{
		"line_timetable": {map[string]any{"feed": "metro", "line": "1", "date": "2026-03-04"}, `"at":"6:05 am"`},
		"alerts":         {map[string]any{"feed": "metro"}, "publishes no alert now"},
		"feed_status":    {map[string]any{"feed": "metro"}, `"last_day":"2026-12-25"`},
		"performance":    {map[string]any{"feed": "metro", "by": "route"}, `"scheduled":2`},
		"find_stops":     {map[string]any{"q": "zzzz"}, `"data":[]`},
		"departures":     {map[string]any{"stop_id": "x"}, "stop_id"},
	} {
		if _, text := ask(tool, c.args); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s, want %s", tool, text, c.want)
		}
	}
	if _, text := ask("line_timetable", map[string]any{"feed": "metro", "line": "99"}); !strings.Contains(text, "404") {
		t.Errorf("an unknown line: %s", text)
	}
	if _, text := ask("line_timetable", map[string]any{"feed": "metro", "line": "1", "stop": "Cedar",
		"date": "2026-03-07"}); !strings.Contains(text, "No trip of this direction is planned on 2026-03-07") {
		t.Errorf("a day without service: %s", text)
	}
}
