package transitapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
)

// The files at fixed addresses come from the settings, also where the pages are off.
func TestWellKnownFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.Pages, c.SecurityContact, c.SecurityLanguages = "off", "security@transit.example", "en"
	})
	text := w.page(t, "/.well-known/security.txt").Body.String()
	if !strings.HasPrefix(text, "Contact: mailto:security@transit.example\nExpires: ") ||
		!strings.Contains(text, "\nPreferred-Languages: en\n") {
		t.Errorf("%s", text)
	}
	robots := w.page(t, "/robots.txt").Body.String()
	if !strings.HasPrefix(robots, "User-agent: *\nDisallow: /gtfs/api/v2/\n") {
		t.Errorf("%s", robots)
	}
	w.pageStatuses(t, map[string]int{"/data.json": 404, "/nowhere": 404})
	open := newWorld(t, nil)
	open.pageStatuses(t, map[string]int{"/robots.txt": 200, "/.well-known/security.txt": 404})
}

// The catalogue has each feed with the files that exist and that its reader may read, and each API.
func TestCatalog(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Contact, c.MCP, c.OneBusAway = "data@transit.example", "on", "on" })
	w.polled(t, "metro", "trip_updates", noon,
		&rt.FeedMessage{Header: header(noon), Entity: []*rt.FeedEntity{updateOf("l1", 1)}})
	type catalog struct {
		Dataset []struct {
			Title, Description, Identifier string
			Publisher                      struct{ Name string }
			ContactPoint                   struct{ Fn, HasEmail string }
			Distribution                   []struct{ DownloadURL, MediaType string }
		}
		Service []struct{ EndpointURL []string }
	}
	var got catalog
	rec := w.page(t, "/data.json")
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || len(got.Dataset) == 0 {
		t.Fatalf("%d %v %s", rec.Code, err, rec.Body)
	}
	var files []string
	for _, d := range got.Dataset {
		if d.Title == "" || d.Description == "" || d.Identifier == "" || d.Publisher.Name == "" || d.ContactPoint.Fn == "" ||
			d.ContactPoint.HasEmail != "mailto:data@transit.example" {
			t.Errorf("%+v", d)
		}
		for _, f := range d.Distribution {
			files = append(files, strings.TrimPrefix(f.DownloadURL, "https://transit.example/gtfs/api/v2"))
		}
	}
	if !slices.Contains(files, "/feeds/metro/gtfs.zip") || !slices.Contains(files, "/rt/feeds/metro/trip_updates.pb") ||
		slices.Contains(files, "/rt/feeds/metro/vehicle_positions.pb") {
		t.Errorf("files: %q", files)
	}
	var services []string
	for _, s := range got.Service {
		services = append(services, strings.TrimPrefix(s.EndpointURL[0], "https://transit.example"))
	}
	if !slices.Contains(services, "/gtfs/api/v2") || !slices.Contains(services, "/oba/metro") ||
		!slices.Contains(services, "/mcp") {
		t.Errorf("services: %q", services)
	}
	few := newWorld(t, func(c *Config) { c.Contact = "data@transit.example" }).with(t,
		"  roles: {anonymous: [discovery]}")
	if got := few.page(t, "/data.json").Body.String(); strings.Contains(got, "gtfs.zip") {
		t.Errorf("lists a file that its reader may not have: %s", got)
	}
}
