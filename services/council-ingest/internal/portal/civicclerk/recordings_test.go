package civicclerk

import (
	"encoding/json"
	"maps"
	"net/url"
	"testing"

	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/council-ingest/internal/portal"
)

// recordings are answers of real portals.
const recordings = "council/portals/civicclerk/"

// Every event of a recorded list is a meeting or a copy of a meeting.
func TestRecordedLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                                 string
		events, meetings, copies, off, files int
	}{
		{"portage-mi/events-window.json", 14, 7, 7, 0, 9},
		{"lacey-wa/events.json", 5, 5, 0, 0, 0},
		{"lacey-wa/events_council.json", 10, 10, 0, 2, 22},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, err := DecodeEvents(sample.Read(t, recordings+c.name), &url.URL{Scheme: "https", Host: "x.example",
				Path: "/v1/Events"}, zone(t))
			if err != nil {
				t.Fatal(err)
			}
			copies, off, files := 0, 0, 0
			meetings := MergeCopies(p.Events)
			for _, e := range meetings {
				t.Logf("%s %d (page %d, agenda %d) %q | %q | %q %s %d files", e.Starts.Format("2006-01-02 15:04"), e.ID, e.PageID,
					e.AgendaID, e.Body(), e.Type(), e.Title(), e.State, len(e.Files))
				copies, files = copies+len(e.Copies), files+len(e.Files)
				if e.State.IsCancelled() {
					off++
				}
			}
			if len(p.Events) != c.events || len(meetings) != c.meetings || copies != c.copies || off != c.off ||
				files != c.files {
				t.Errorf("%d events, %d meetings, %d copies, %d off, %d files", len(p.Events), len(meetings), copies, off, files)
			}
		})
	}
}

// The id of a category is the id of a body, unless it is the default category.
func TestRecordedBodies(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]int{
		"portage-mi/events-window.json": {"City Council 26": 3, "Planning Commission 31": 3, "Planning Commission ": 4,
			"Zoning Board of Appeals ": 4},
		"lacey-wa/events.json": {"City Council 26": 5},
	} {
		api := &url.URL{Scheme: "https", Host: "x.example", Path: "/v1/Events"}
		p, err := DecodeEvents(sample.Read(t, recordings+name), api, zone(t))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, e := range p.Events {
			m := meeting(e, api, nil)
			got[m.Body+" "+m.BodyID]++
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRecordedEvents(t *testing.T) {
	t.Parallel()
	for name, starts := range map[string]string{"clovis-ca/event17.json": "2026-01-12 18:00",
		"clovis-ca/event20.json": "2026-04-13 18:00"} {
		e, ok, err := decodeEvent(sample.Read(t, recordings+name), zone(t))
		if err != nil || !ok || e.Starts.Format("2006-01-02 15:04") != starts || len(e.Files) != 4 ||
			e.Body() != "City Council" {
			t.Errorf("%s: %+v, %t, %v", name, e, ok, err)
		}
	}
	if bodies, err := DecodeCategories(sample.Read(t, recordings+"lacey-wa/categories.json")); err != nil ||
		len(bodies) != 23 {
		t.Errorf("%d bodies, %v", len(bodies), err)
	}
}

func TestRecordedAgendas(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                                         string
		id                                           portal.ID
		items, sections, filed, attachments, deepest int
	}{
		{"bristol-ct/meeting-2916.excerpt.json", 2916, 13, 8, 5, 0, 1},
		{"forsyth-ga/meeting-389.excerpt.json", 389, 8, 4, 4, 3, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, err := DecodeAgenda(sample.Read(t, recordings+c.name), c.id, nil, apiOfX)
			if err != nil {
				t.Fatal(err)
			}
			sections, filed, attachments, deepest := 0, 0, 0, 0
			for _, it := range a.Items {
				t.Logf("%d %s [%s] %.60s", it.Level, it.Number, it.FileNumber, it.Title)
				deepest, attachments = max(deepest, it.Level), attachments+len(it.Attachments)
				if it.Section {
					sections++
				}
				if it.FileNumber != "" {
					filed++
				}
			}
			if len(a.Items) != c.items || sections != c.sections || filed != c.filed || attachments != c.attachments ||
				deepest != c.deepest || len(a.Notes) != 0 {
				t.Errorf("%d items, %d sections, %d with a number, %d attachments, depth %d, %v", len(a.Items), sections, filed,
					attachments, deepest, a.Notes)
			}
		})
	}
	// A third party has removed the ids from these recordings.
	var reduced []struct {
		Items json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(sample.Read(t, recordings+"wausau-wi/phs_2026.json"), &reduced); err != nil ||
		len(reduced) != 5 {
		t.Fatal(err, len(reduced))
	}
	items := 0
	for _, m := range reduced {
		a, err := DecodeAgenda([]byte(`{"items":`+string(m.Items)+`}`), 1, nil, apiOfX)
		items += len(a.Items)
		if err != nil || len(a.Notes) != 0 {
			t.Error(a.Notes, err)
		}
	}
	if items != 80 {
		t.Errorf("%d items", items)
	}
	a := Agenda{Items: []portal.Item{{ID: "5"}}}
	if err := a.AddVotes(sample.Read(t, recordings+"lacey-wa/minutes_votes_empty.json"), 5, nil); err != nil ||
		len(a.Votes) != 0 {
		t.Error(a.Votes, err)
	}
}
