package councilapi

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
)

// The files at fixed addresses come from the settings, also where the pages are off.
func TestWellKnownFiles(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	for _, pages := range []string{"on", "off"} {
		srv := testServer(t, reader, func(c *Config) {
			c.Pages = pages
			c.Public = conf.Public{SecurityContact: "security@town.example https://town.example/report",
				SecurityLanguages: "en, es"}
		})
		text := browse(t, srv, "/.well-known/security.txt").Body.String()
		when := regexp.MustCompile(`(?m)^Expires: (.*)$`).FindStringSubmatch(text)
		if len(when) == 0 {
			t.Fatalf("pages %s: %s", pages, text)
		}
		until, err := time.Parse(time.RFC3339, when[1])
		if left := time.Until(until); err != nil || left < 170*24*time.Hour || left > 364*24*time.Hour {
			t.Errorf("expires %s: %v", until, err)
		}
		for _, line := range []string{"Contact: mailto:security@town.example", "Contact: https://town.example/report",
			"Preferred-Languages: en, es", "Canonical: https://votes.example/.well-known/security.txt"} {
			if !strings.Contains(text, line+"\n") {
				t.Errorf("pages %s: no %q in %s", pages, line, text)
			}
		}
		robots := browse(t, srv, "/robots.txt").Body.String()
		if !strings.Contains(robots, "Disallow: /v1/\n") || strings.Contains(robots, "Sitemap") != (pages == "on") {
			t.Errorf("pages %s: %s", pages, robots)
		}
		if rec := browse(t, srv, "/data.json"); rec.Code != 404 {
			t.Errorf("a catalogue without a contact: %d", rec.Code)
		}
	}
	srv := testServer(t, reader, func(c *Config) { c.SearchEngines = "off" })
	if got := browse(t, srv, "/robots.txt").Body.String(); got != "User-agent: *\nDisallow: /\n" {
		t.Errorf("not public yet: %q", got)
	}
	other := testServer(t, reader)
	if tag := browse(t, srv, "/robots.txt").Header().Get("ETag"); tag ==
		browse(t, other, "/robots.txt").Header().Get("ETag") {
		t.Errorf("a change of the settings keeps the validator %s", tag)
	}
	if rec := browse(t, srv, "/.well-known/security.txt"); rec.Code != 404 {
		t.Errorf("without a contact: %d", rec.Code)
	}
	for _, wrong := range []conf.Public{{SecurityContact: "town.example"}, {SecurityContact: "http://town.example"},
		{Contact: "Clerk <clerk@town.example>"}, {Contact: "clerk"}, {SecurityLanguages: "en\nContact: x"}} {
		if wrong.Validate() == nil {
			t.Errorf("accepts %+v", wrong)
		}
	}
}

// The catalogue has each export and API, at addresses that answer, and the fields that DCAT-US 3
// requires.
func TestCatalog(t *testing.T) {
	t.Parallel()
	_, reader, writer := storedWorld(t, 3, 8)
	srv := testServer(t, reader, func(c *Config) {
		c.Contact, c.Town = "clerk@town.example", "Town of Example"
		c.MCP = "on"
		c.Phone = "+1 (555) 010-0100"
	})
	publishFiles(t, writer)
	var got struct {
		Type       string         `json:"@type"`
		ConformsTo map[string]any `json:"conformsTo"`
		Dataset    []struct {
			Title, Description, Identifier string
			Publisher                      struct{ Name string }
			ContactPoint                   struct{ Fn, HasEmail, Tel string }
			Temporal                       []struct{ StartDate, EndDate string }
			Distribution                   []struct{ DownloadURL, MediaType, ByteSize, License string }
		}
		Service []struct {
			Title, Publisher any
			EndpointURL      []string
			ContactPoint     []any
		}
	}
	rec := browse(t, srv, "/data.json")
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil || rec.Code != 200 || len(got.Dataset) != 1 {
		t.Fatalf("%d %v %s", rec.Code, err, rec.Body)
	}
	d := got.Dataset[0]
	if got.Type != "Catalog" || got.ConformsTo["title"] != "DCAT-US 3.0" || d.Title == "" || d.Description == "" ||
		d.Identifier == "" || d.Publisher.Name != "Town of Example" || d.ContactPoint.Fn == "" ||
		d.ContactPoint.HasEmail != "mailto:clerk@town.example" || d.ContactPoint.Tel != "tel:+1-555-010-0100" ||
		len(d.Temporal) != 1 {
		t.Errorf("%s", rec.Body)
	}
	listed := map[string]bool{}
	for _, f := range d.Distribution {
		listed[f.DownloadURL] = true
		res := browse(t, srv, strings.TrimPrefix(f.DownloadURL, "https://votes.example"), "Accept", "*/*")
		media, _, _ := strings.Cut(res.Header().Get("Content-Type"), ";")
		if missing := strings.HasSuffix(f.DownloadURL, "/votes.csv") && res.Code == 404; !missing && (res.Code != 200 ||
			media != f.MediaType || f.License == "") {
			t.Errorf("%+v: %d %s", f, res.Code, media)
		}
	}
	var export struct{ Files []struct{ URL string } }
	if err := json.Unmarshal(browse(t, srv, "/v1/export/").Body.Bytes(), &export); err != nil || len(export.Files) == 0 {
		t.Fatal(err, export)
	}
	for _, f := range export.Files {
		if !listed[f.URL] {
			t.Errorf("the catalogue lacks %s", f.URL)
		}
	}
	if len(got.Service) != 2 || got.Service[0].EndpointURL[0] != "https://votes.example/v1" ||
		got.Service[1].EndpointURL[0] != "https://votes.example/mcp" || len(got.Service[0].ContactPoint) != 1 {
		t.Errorf("services: %+v", got.Service)
	}
}
