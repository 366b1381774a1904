package legistar

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/services/townline/demo/town"
)

// noon is a day on which the minutes of the last meeting are not out yet.
var noon = time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)

func openAt(t *testing.T, at time.Time) *Portal {
	t.Helper()
	city, err := town.New(0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(town.NewBulletin(city, func() time.Time { return at }))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func get(t *testing.T, p *Portal, path string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, r)
	return w
}

// rows reads a list of the API.
func rows[R any](t *testing.T, p *Portal, path string) []R {
	t.Helper()
	w := get(t, p, "/v1/"+Client+path)
	var out []R
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %s %v", path, w.Code, w.Body, err)
	}
	return out
}

// The votes that the API records are those that were taken, from the evening of the meeting on, and none before.
func TestVotesAreThoseTaken(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	taken, recorded, rolls := 0, 0, 0
	for _, e := range p.entries() {
		if !p.entered(e) {
			continue
		}
		for _, s := range e.Sections {
			for _, it := range s.Items {
				for _, m := range s.Votes(it) {
					if len(m.Rolls) > 0 {
						taken++
					}
				}
			}
		}
		for _, it := range rows[item](t, p, fmt.Sprintf("/Events/%d/EventItems?AgendaNote=1", e.ID)) {
			votes := rows[vote](t, p, fmt.Sprintf("/EventItems/%d/Votes", it.EventItemID))
			rolls += len(rows[rollCall](t, p, fmt.Sprintf("/EventItems/%d/RollCalls", it.EventItemID)))
			if len(votes) == 0 {
				continue
			}
			recorded++
			ayes := len(votes) - len(slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return *v.VoteValueName == "Aye" }))
			nays := len(votes) - len(slices.DeleteFunc(slices.Clone(votes), func(v vote) bool { return *v.VoteValueName == "Nay" }))
			if (*it.EventItemPassedFlag == 1) != (ayes > nays) || len(votes) != len(e.Attendance) {
				t.Errorf("item %d: %d to %d of %d", it.EventItemID, ayes, nays, len(votes))
			}
		}
	}
	if taken != recorded || taken < 50 || rolls < 35 {
		t.Errorf("%d votes taken, %d recorded, %d called", taken, recorded, rolls)
	}
	for _, e := range p.entries() {
		if p.Posted(e.AgendaPosted) && noon.Before(e.Starts) && !e.Cancelled && len(p.votes(p.items("town.example", e)[len(p.items("town.example", e))-1].EventItemID)) > 0 {
			t.Errorf("event %d has votes before it was held", e.ID)
		}
	}
}

// The list is filtered, ordered and cut as it is asked for; what it does not know it refuses.
func TestEventsAsAsked(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	list := func(query ...string) []event {
		q := url.Values{}
		for i := 0; i < len(query); i += 2 {
			q.Set(query[i], query[i+1])
		}
		return rows[event](t, p, "/Events?"+q.Encode())
	}
	all := list("$orderby", "EventId asc", "$top", "1000", "$skip", "0")
	if len(all) < 12 || !slices.IsSortedFunc(all, func(a, b event) int { return a.EventID - b.EventID }) {
		t.Errorf("%d events", len(all))
	}
	if rest := list("$orderby", "EventId asc", "$skip", "10"); len(rest) != len(all)-10 || rest[0].EventID != all[10].EventID {
		t.Errorf("%d after ten of %d", len(rest), len(all))
	}
	if got := list("$top", "1"); len(got) != 1 {
		t.Errorf("%d at the top", len(got))
	}
	for filter, want := range map[string]func(event) bool{
		"EventDate ge datetime'2026-10-01' and EventDate lt datetime'2026-11-01'": func(e event) bool { return e.EventDate[:7] == "2026-10" },
		"(EventDate ge datetime'2026-11-01' or EventLastModifiedUtc ge datetime'2026-11-01T00:00:00') and EventDate lt datetime'2026-11-10'": func(e event) bool {
			return e.EventDate < "2026-11-10" && (e.EventDate >= "2026-11-01" || e.EventLastModifiedUtc >= "2026-11-01")
		},
	} {
		n := 0
		for _, e := range all {
			if want(e) {
				n++
			}
		}
		if got := list("$filter", filter); len(got) != n || n == 0 || n == len(all) {
			t.Errorf("%s: %d of %d", filter, len(got), n)
		}
	}
	for path, want := range map[string]string{
		"/v1/alderbay/Events?$filter=EventName+eq+1": "400 is not valid", "/v1/elsewhere/Events": "500 LegistarConnectionString setting is not set up", "/v1/alderbay/Matters": "404 No HTTP resource",
		"/MeetingDetail.aspx?LEGID=1": "404 Invalid", "/View.ashx?M=M&ID=1": "404 Invalid", "/v1/alderbay/Events/1/EventItems": "200 []", "/v1/alderbay/Bodies": "200 City Council",
	} {
		w := get(t, p, path)
		code, text, _ := strings.Cut(want, " ")
		if fmt.Sprint(w.Code) != code || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s: %d %.200s", path, w.Code, w.Body)
		}
	}
}

// Every address that an event names answers.
func TestAddressesAnswer(t *testing.T) {
	t.Parallel()
	p := openAt(t, noon)
	seen := map[string]int{}
	for i, e := range p.entries() {
		row := p.row("town.example", e)
		links := []string{row.EventInSiteURL}
		for _, link := range []*string{row.EventAgendaFile, row.EventMinutesFile} {
			if link != nil {
				links = append(links, *link)
			}
		}
		if i%6 == 0 {
			for _, it := range p.items("town.example", e) {
				for _, a := range it.EventItemMatterAttachments {
					links = append(links, a.MatterAttachmentHyperlink)
				}
			}
		}
		for _, link := range links {
			u, err := url.Parse(link)
			if err != nil {
				t.Fatal(err)
			}
			w := get(t, p, u.RequestURI())
			if seen[u.Path+u.Query().Get("M")]++; w.Code != http.StatusOK {
				t.Errorf("%s: %d", link, w.Code)
			}
		}
	}
	for _, kind := range []string{"/MeetingDetail.aspx", "/View.ashxA", "/View.ashxM", "/View.ashxF"} {
		if seen[kind] == 0 {
			t.Errorf("nothing of %s", kind)
		}
	}
	if w := get(t, p, "/Calendar.aspx"); !strings.Contains(w.Body.String(), "City Council") {
		t.Errorf("the calendar: %d", w.Code)
	}
}

// Before the move there are copies of the last meetings, and nothing of long ago; a town asked years later has its last months.
func TestWhatIsOnThePortal(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Time{noon.AddDate(-2, 0, 0), noon, noon.AddDate(3, 0, 0)} {
		p := openAt(t, at)
		copies, all := 0, p.Present()
		for _, m := range all {
			if m.Starts.Before(p.Moved().AddDate(0, 0, -42)) || m.Withdrawn {
				t.Errorf("%s: meeting of %s", at, m.Starts)
			}
			if m.Starts.Before(p.Moved()) {
				copies++
			}
		}
		if years := at.Year() - noon.Year(); years < 0 && len(all) > 0 || years == 0 && (copies < 3 || len(all) < 15) || years > 0 && len(all) < 20 {
			t.Errorf("%s: %d meetings, %d of them copies", at, len(all), copies)
		}
	}
}
