package councilapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/rest/resttest"
)

// values are valid and invalid texts for a parameter. words are those that the description lists, if
// it is an enumeration.
func values(path, name string, words []string, w *world) (valid, invalid []string) {
	switch name {
	case "limit":
		if path == "/search" {
			return []string{"1", "20"}, []string{"", "0", "21", "-1"}
		}
		return []string{"1", "50", "200"}, []string{"", "0", "201", "-1", "1.5", "ten", "99999999999999999999"}
	case "cursor":
		return nil, []string{"", "x", "AAAA", "%00", strings.Repeat("A", 5000)}
	case "from", "to", "since":
		return []string{"2024-02-29", "0001-01-01", "9999-12-31"}, []string{"", "2026-02-30", "2025-02-29", "2026-2-3",
			"20260203", "today", "2026-02-03T00:00:00Z"}
	case "via_consent", "unanimous", "split", "minority", "differ":
		return []string{"0", "1", "true", "false"}, []string{"", "TRUE", "yes", "2", "null"}
	case "include_consent":
		return []string{"true", "false"}, []string{"", "0", "1", "yes"}
	case "meeting_id", "vote_id", "member", "mover", "seconder":
		return []string{"", "null", "1", fmt.Sprint(w.members[0].id), "9223372036854775807"},
			[]string{"0", "-1", "x", "1.0", "9223372036854775808"}
	case "margin":
		return []string{"4-3", "0-0", "9-9"}, []string{"", "4", "43", "10-3", "4-3 ", "a-b", "4–3"}
	case "ayes", "nays":
		return []string{"0", "4", "15", "9999"}, []string{"", "null", "-1", "1.5", "x", "10000", "99999999999999999999"}
	case "body":
		return []string{"", "null", townBodies[0].slug, "1"}, []string{"parks", "0", "9223372036854775808",
			strings.Repeat("x", 201)}
	case "code":
		return []string{"tally-mismatch", "x", strings.Repeat("é", 60)}, []string{"", strings.Repeat("x", 61)}
	case "q":
		return []string{"street", `"street sweeping" or -housing`, "café", "'", `"`, "a & b | !c <-> d:*",
				strings.Repeat("é", 200), "-", "the"},
			[]string{"", "   ", strings.Repeat("x", 201), "a\x00b", "\xff"}
	}
	if len(words) > 0 {
		return words, []string{"", "null", strings.ToUpper(words[0]), "nothing"}
	}
	return nil, nil
}

// An enumeration is a schema of the description that lists words, or names one that does.
type enumeration struct {
	Ref  string `json:"$ref"`
	Enum []string
}

// Valid values of every parameter get 200, invalid ones a problem that names the parameter, and
// each answer matches the description.
func TestEveryParameterOfEveryEndpoint(t *testing.T) {
	t.Parallel()
	w, reader, writer := storedWorld(t, 3, 25)
	srv := testServer(t, reader)
	publishFiles(t, writer)
	api := resttest.Open(t, srv)
	var parameters map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Schema   enumeration
		}
	}
	var doc struct {
		Paths      json.RawMessage
		Components struct{ Schemas map[string]enumeration }
	}
	api.Get(t, "/v1/openapi.json").JSON(t, &doc)
	if err := json.Unmarshal(doc.Paths, &parameters); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for path, operations := range parameters {
		target := "/v1" + strings.NewReplacer("/meetings/{id}", fmt.Sprintf("/meetings/%d", complete(w).id), "/items/{id}",
			fmt.Sprintf("/items/%d", w.items[0].id),
			"/votes/{id}", fmt.Sprintf("/votes/%d", w.votes[0].id), "/members/{id}", fmt.Sprintf("/members/%d", w.members[0].id),
			"/anomalies/{id}", fmt.Sprintf("/anomalies/%d", w.notes[0].id), "/bodies/{id}", "/bodies/1",
			"{other}", fmt.Sprint(w.members[1].id), "{topic}", string(council.Topics()[0]), "{file}", "votes.csv", "{page}",
			"1").Replace(path)
		words := ""
		if path == "/search" || path == "/search/minutes" {
			words = "&q=street" // because q is required
		}
		if res := api.Get(t, target+"?"+words); res.Status != http.StatusOK && path != "/export/votes.csv" {
			t.Errorf("%s: %d %s", target, res.Status, res.Body)
		}
		for _, p := range operations["get"].Parameters {
			if p.In != "query" {
				continue
			}
			listed := p.Schema.Enum
			if name, ok := strings.CutPrefix(p.Schema.Ref, "#/components/schemas/"); ok {
				listed = doc.Components.Schemas[name].Enum
			}
			valid, invalid := values(path, p.Name, listed, w)
			if len(valid)+len(invalid) == 0 {
				t.Errorf("%s: add values for the new parameter %s", path, p.Name)
			}
			with := words
			if p.Name == "q" {
				with = ""
			}
			if p.Name == "position" && strings.HasSuffix(path, "/items") {
				with = fmt.Sprintf("&member=%d", w.members[0].id)
			}
			for _, v := range valid {
				tried++
				if res := api.Get(t, target+"?"+p.Name+"="+url.QueryEscape(v)+with); res.Status != http.StatusOK {
					t.Errorf("%s %s=%q: %d %s", path, p.Name, v, res.Status, res.Body)
				}
			}
			for _, v := range invalid {
				tried++
				res := api.Get(t, target+"?"+p.Name+"="+url.QueryEscape(v)+with)
				if res.Status != http.StatusBadRequest || !strings.Contains(string(res.Body), fmt.Sprintf(`"path":%q`, p.Name)) {
					t.Errorf("%s %s=%q: %d %s", path, p.Name, v, res.Status, res.Body)
				}
			}
			twice := target + "?" + p.Name + "=1&" + p.Name + "=2"
			if res := api.Get(t, twice); res.Status != http.StatusBadRequest {
				t.Errorf("%s: %d", twice, res.Status)
			}
		}
	}
	if tried < 300 {
		t.Errorf("the test made only %d requests", tried)
	}
}

func complete(w *world) *wMeeting {
	for i := range w.meetings {
		if w.meetings[i].status == council.StatusComplete && w.meetings[i].pdf {
			return &w.meetings[i]
		}
	}
	return nil
}

func TestAllFaultsAreReportedTogether(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	api := documented(t, testServer(t, reader))
	res := api.Get(t, "/v1/items?limit=0&from=x&topic=y&member=0&unknown=1")
	var problem struct {
		Errors []struct{ Path string }
	}
	res.JSON(t, &problem)
	var paths []string
	for _, e := range problem.Errors {
		paths = append(paths, e.Path)
	}
	if got := strings.Join(paths, " "); res.Status != 400 || got != "limit from topic member" {
		t.Errorf("%d %s", res.Status, res.Body)
	}
}

// A cursor continues only the same list with the same filters, in pages of any size.
func TestCursorsBelongToTheirFilters(t *testing.T) {
	t.Parallel()
	_, reader, _ := storedWorld(t, 3, 25)
	api := documented(t, testServer(t, reader))
	var page struct {
		NextCursor string `json:"next_cursor"`
	}
	api.Get(t, "/v1/votes?limit=5&split=false&from=2024-01-02").JSON(t, &page)
	for query, want := range map[string]int{
		"/votes?limit=200&from=2024-01-02&split=0":          200,
		"/votes?split=false&from=2024-01-02&mover=&other=1": 200, // an empty filter is no filter
		"/votes?split=false&from=2024-01-03":                400,
		"/votes?split=true&from=2024-01-02":                 400,
		"/votes?split=false":                                400,
		"/votes?split=false&from=2024-01-02&mover=1":        400,
		"/items?limit=5&from=2024-01-02":                    400,
	} {
		if res := api.Get(t, "/v1"+query+"&cursor="+page.NextCursor); res.Status != want {
			t.Errorf("%s: %d %s", query, res.Status, res.Body)
		}
	}
}

func TestUnknownResources(t *testing.T) {
	t.Parallel()
	w, reader, _ := storedWorld(t, 3, 25)
	api := documented(t, testServer(t, reader))
	for _, path := range []string{
		"/meetings/9223372036854775807", "/meetings/0", "/meetings/-1", "/meetings/x", "/meetings/1.0", "/meetings/01",
		"/meetings/9223372036854775808",
		"/meetings/9223372036854775807/minutes.pdf", "/meetings/9223372036854775807/minutes.txt",
		"/items/9223372036854775807", "/items/x",
		"/members/9223372036854775807", "/members/9223372036854775807/votes", "/members/9223372036854775807/agreement",
		"/members/0/votes",
		"/feeds/members/9223372036854775807/votes.atom", "/feeds/topics/nothing/votes.atom", "/feeds/votes",
		"/members/100/agreement/9223372036854775807", "/members/9223372036854775807/agreement/100",
		"/members/100/agreement/100", "/members/100/agreement/x",
		"/votes/9223372036854775807", "/votes/0", "/votes/x", "/anomalies/9223372036854775807", "/anomalies/0",
		"/anomalies/x", "/anomalies/",
		"/export/votes.csv", "/export/other.csv", "/export/tables", "/export/tables/", "/export/tables/votes",
		"/export/tables/other.csv", "/export/council.sqlite/", "/meetings/", "/", "/votes/1/x", "/topics/housing",
	} {
		res := api.Get(t, "/v1"+path)
		if res.Status != http.StatusNotFound || res.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: %d %s %s", path, res.Status, res.Header.Get("Content-Type"), res.Body)
		}
	}
	for i := range w.meetings {
		m := &w.meetings[i]
		pdf := api.Get(t, fmt.Sprintf("/v1/meetings/%d/minutes.pdf", m.id)).Status
		txt := api.Get(t, fmt.Sprintf("/v1/meetings/%d/minutes.txt", m.id)).Status
		done := m.status == council.StatusComplete
		if (pdf == 200) != (done && m.pdf) || (txt == 200) != done {
			t.Errorf("meeting %d %s: minutes.pdf %d, minutes.txt %d", m.id, m.status, pdf, txt)
		}
	}
}

func TestEveryEndpointServesAnEmptyDataset(t *testing.T) {
	t.Parallel()
	reader, _ := testDB(t)
	api := documented(t, testServer(t, reader))
	for path, want := range map[string]string{
		"/meetings":           `{"data":[],"next_cursor":null,"count":0}`,
		"/items?q=x&member=1": `{"data":[],"next_cursor":null,"count":0}`,
		"/votes":              `{"data":[],"next_cursor":null,"count":0}`,
		"/changes":            `{"data":[],"next_cursor":null,"count":0}`, "/members": `{"data":[]}`,
		"/topics/timeline": `{"data":[]}`,
		"/anomalies":       `{"data":[],"next_cursor":null,"count":0,"counts":{"typo":0,"missing":0,"inconsistency":0,"error":0}}`,
		"/stats":           `{"meetings":0,"meetings_complete":0,"items":0,"votes":0,"members":0,"earliest_meeting":null,"latest_meeting":null,"last_ingest_at":null,"classified_items":0,"anomalies":0}`,
	} {
		res := api.Get(t, "/v1"+path)
		if got := strings.TrimSpace(string(res.Body)); res.Status != 200 || got != want {
			t.Errorf("%s: %d %s", path, res.Status, got)
		}
	}
}
