package transitapi

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// RouteAlter changes every route in an answer, including nested routes.
func TestRouteAlter(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.RouteAlter = func(feed string, r *Route) {
			r.Extra["seen"] = feed + " " + r.RouteID
			r.Extra["links"] = "no extra key takes the place of a field"
			name := strings.ToUpper(r.Label)
			r.RouteLongName = &name
		}
	})
	const route = "/feeds/metro/agencies/M%20T/routes/loop"
	for path, find := range map[string]func(data json.RawMessage) (json.RawMessage, error){
		route: func(d json.RawMessage) (json.RawMessage, error) { return d, nil },
		"/feeds/metro/agencies/M%20T/routes?offset=1&limit=1": func(d json.RawMessage) (json.RawMessage, error) {
			var list []json.RawMessage
			err := json.Unmarshal(d, &list)
			return list[0], err
		},
		route + "/geojson": func(d json.RawMessage) (json.RawMessage, error) {
			var f struct{ Properties json.RawMessage }
			return f.Properties, json.Unmarshal(d, &f)
		},
		"/feeds/metro/stops/E/directions?offset=1": func(d json.RawMessage) (json.RawMessage, error) {
			var list []struct{ Route json.RawMessage }
			err := json.Unmarshal(d, &list)
			return list[0].Route, err
		},
		"/feeds/metro/stops/E/routes?offset=1": func(d json.RawMessage) (json.RawMessage, error) {
			var list []json.RawMessage
			err := json.Unmarshal(d, &list)
			return list[0], err
		},
	} {
		body := decoded[struct{ Data json.RawMessage }](t, w, path)
		text, err := find(body.Data)
		if err != nil {
			t.Fatal(err)
		}
		var r struct {
			Seen          string
			RouteLongName string `json:"route_long_name"`
			Links         map[string]string
		}
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatalf("%s: %v in %s", path, err, text)
		}
		if r.Seen != "metro loop" || r.RouteLongName != "LOOP" || r.Links["self"] != public+route {
			t.Errorf("%s: %s", path, text)
		}
	}
}

func TestTimeFormat(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		if err := os.WriteFile(c.File, []byte("display: {time_format: 24h}\naccess: {roles: {anonymous: [discovery, "+
			"static]}}\n"), 0o600); err != nil {
			t.Error(err)
		}
	})
	body := string(w.ask(t, "/feeds/metro/agencies/M%20T/routes/R%2F1/schedules/wk/0"))
	lacks(t, "no", body, `"arrival_time":"06:05"`, `"arrival_time":"00:10","arrival_time_seconds":87000`)
}

// A request for several directions includes every stop of a route with only one direction.
func TestStopsOfAllDirections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, asked := range []string{"0,1", "1,0", "0"} {
		var got struct {
			Data []json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(w.ask(t, "/feeds/metro/agencies/M%20T/routes/loop/stops/"+asked), &got); err != nil ||
			len(got.Data) != 4 {
			t.Errorf("%s: %d stops, %v", asked, len(got.Data), err)
		}
	}
}
