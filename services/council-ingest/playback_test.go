package councilingest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/pkg/sample"
)

// A playback answers as a portal does, with recorded or made-up answers.
type playback struct {
	*httptest.Server
	mu       sync.Mutex
	requests []string
	bad      int // one in this number of answers is truncated; 0 means none
	answer   func(r *http.Request) (status int, body []byte)
}

func newPlayback(t *testing.T, answer func(r *http.Request) (int, []byte)) *playback {
	p := &playback{answer: answer}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *playback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, r.URL.RequestURI())
	status, body := p.answer(r)
	switch {
	case status == http.StatusFound:
		http.Redirect(w, r, string(body), status)
		return
	case p.bad > 0 && len(p.requests)%p.bad == p.bad/2 && status == http.StatusOK && r.URL.Path != "/robots.txt":
		body = body[:len(body)/2]
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// asked returns the requests since the last call, without those for robots.txt.
func (p *playback) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for _, r := range p.requests {
		if r != "/robots.txt" {
			out = append(out, r)
		}
	}
	p.requests = nil
	return out
}

// productSettings returns the settings of a town for one of its boards. The town has a portal of
// the given product.
func productSettings(t *testing.T, p *playback, product, body string) *Settings {
	t.Helper()
	none := time.Duration(0)
	s := &Settings{Portal: Portal{URL: p.URL, Product: product, Name: product + "/town", Pause: &none}, Body: body,
		TimeZone: "America/New_York", Documents: []string{"minutes", "actions"}}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// A clerkTown has the data of a CivicClerk portal.
type clerkTown struct {
	events  []json.RawMessage
	agendas map[int64][]byte
	files   map[int64][]byte
	scans   bool // the files are images, whose text only the vendor has
}

func (c clerkTown) rows(t *testing.T, list []byte) clerkTown {
	t.Helper()
	var raw struct {
		Value []json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(list, &raw); err != nil {
		t.Fatal(err)
	}
	c.events = append(c.events, raw.Value...)
	return c
}

var (
	filterOfEvents = regexp.MustCompile(`^startDateTime ge (\S+) and startDateTime lt (\S+)$`)
	clerkPath      = regexp.MustCompile(
		`^/v1/Meetings/(?:(\d+)|GetMeetingFileStream\(fileId=(\d+),plainText=(?:true|false)\))$`)
)

// answer answers as a CivicClerk portal does: with fifteen events on each page, whatever the
// request says.
func (c clerkTown) answer(r *http.Request) (int, []byte) {
	m := clerkPath.FindStringSubmatch(r.URL.Path)
	switch {
	case r.URL.Path == "/v1/EventCategories":
		return http.StatusOK, []byte(`{"value":[{"id":26,"categoryDesc":"City Council","isPublic":1}]}`)
	case r.URL.Path == "/v1/Events":
		f := filterOfEvents.FindStringSubmatch(r.URL.Query().Get("$filter"))
		if f == nil {
			return http.StatusBadRequest, []byte(`{"error":{"code":"","message":"no such filter"}}`)
		}
		found := []json.RawMessage{}
		for _, e := range c.events {
			var at struct{ StartDateTime string }
			if json.Unmarshal(e, &at) == nil && at.StartDateTime >= f[1] && at.StartDateTime < f[2] {
				found = append(found, e)
			}
		}
		skip, _ := strconv.Atoi(r.URL.Query().Get("$skip")) // the request for the first page has no $skip
		out := map[string]any{"value": found[min(skip, len(found)):min(skip+15, len(found))]}
		if skip+15 < len(found) {
			q := r.URL.Query()
			q.Set("$skip", strconv.Itoa(skip+15))
			out["@odata.nextLink"] = "http://" + r.Host + "/v1/Events?" + q.Encode()
		}
		body, _ := json.Marshal(out)
		return http.StatusOK, body
	case m != nil:
		for from, at := range map[string]map[int64][]byte{m[1]: c.agendas, m[2]: c.files} {
			id, _ := strconv.ParseInt(from, 10, 64) // the other part is empty
			if body := at[id]; body != nil {
				if c.scans && strings.HasSuffix(r.URL.Path, "plainText=false)") {
					return http.StatusOK, []byte("\x89PNG\x00\x01")
				}
				return http.StatusOK, body
			}
		}
	}
	return http.StatusNotFound, nil
}

// reducedTown returns a town from a recording that a third party reduced to events and items
// without ids.
func reducedTown(t *testing.T, recorded []byte) clerkTown {
	t.Helper()
	var meetings []struct{ Event, Items json.RawMessage }
	if err := json.Unmarshal(recorded, &meetings); err != nil {
		t.Fatal(err)
	}
	c := clerkTown{agendas: map[int64][]byte{}}
	for _, m := range meetings {
		var e struct{ AgendaID int64 }
		if err := json.Unmarshal(m.Event, &e); err != nil {
			t.Fatal(err)
		}
		c.events = append(c.events, m.Event)
		c.agendas[e.AgendaID] = []byte(`{"items":` + string(m.Items) + `}`)
	}
	return c
}

// clerkEvent returns a row of the list of events.
func clerkEvent(id, agenda int, name, starts, files string) json.RawMessage {
	return json.RawMessage(
		fmt.Sprintf(
			`{"id":%d,"agendaId":%d,"eventName":%q,"categoryName":"City Council","startDateTime":%q,"isPublished":"Published","mediaTotalPlay":%d,"publishedFiles":[%s]}`, id, agenda, name, starts, id, files))
}

// tallyOf returns the numbers of stored rows on one line.
func tallyOf(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return value[string](t, db, `
		SELECT format('%s meetings, %s off, %s entries, %s items, %s votes, %s positions, %s documents',
		       (SELECT count(*) FROM council.meeting), (SELECT count(*) FROM council.meeting WHERE cancelled),
			(SELECT coalesce(sum(jsonb_array_length(entries)), 0) FROM council.outline), (SELECT count(*) FROM council.item),
			  (SELECT count(*) FROM council.vote),
			(SELECT count(*) FROM council.vote_position), (SELECT count(*) FROM council.minutes))`)
}

// mustKeepStill ingests each board twice, and the second ingest must change nothing. It returns the
// stored rows and the requests of the second ingest.
func mustKeepStill(t *testing.T, deps run.Deps, p *playback, product string,
	boards ...string) (stored string, again []string) {
	t.Helper()
	for round := range 2 {
		p.asked()
		for _, board := range boards {
			if sum := mustIngest(t, deps, productSettings(t, p, product, board), Request{All: round == 0}); sum.Failed != 0 ||
				round == 1 && sum.Changed != 0 {
				t.Errorf("round %d, %s: %+v", round, board, sum)
			}
		}
		if now := tallyOf(t, deps.DB); round == 1 && now != stored {
			t.Errorf("after the first ingest: %s; after the second: %s", stored, now)
		} else {
			stored = now
		}
	}
	return stored, p.asked()
}

// A test server serves the recordings of CivicClerk like the portal. The ingest stores the meetings
// and items of the recordings.
func TestRecordingsOfCivicClerk(t *testing.T) {
	t.Parallel()
	wrapped := func(names ...string) []byte {
		var rows []string
		for _, name := range names {
			rows = append(rows, string(sample.Read(t, "council/portals/"+name)))
		}
		return []byte(`{"value":[` + strings.Join(rows, ",") + `]}`)
	}
	for _, c := range []struct {
		name   string
		town   clerkTown
		boards []string
		want   string
	}{
		{"portage-mi", clerkTown{}.rows(t, sample.Read(t, "council/portals/civicclerk/portage-mi/events-window.json")),
			[]string{"City Council", "Planning Commission", "Zoning Board of Appeals"},
			"7 meetings, 0 off, 0 entries, 0 items, 0 votes, 0 positions, 0 documents"},
		{"lacey-wa", clerkTown{}.rows(t, sample.Read(t, "council/portals/civicclerk/lacey-wa/events.json")).rows(t,
			sample.Read(t, "council/portals/civicclerk/lacey-wa/events_council.json")), []string{"City Council"},
			"15 meetings, 2 off, 0 entries, 0 items, 0 votes, 0 positions, 0 documents"},
		{"clovis-ca", clerkTown{}.rows(t, wrapped("civicclerk/clovis-ca/event17.json", "civicclerk/clovis-ca/event20.json")),
			[]string{"City Council"},
			"2 meetings, 0 off, 0 entries, 0 items, 0 votes, 0 positions, 0 documents"},
		{"bristol-ct", clerkTown{events: []json.RawMessage{clerkEvent(1, 2916, "City Council Meeting", "2026-09-09T19:00:00Z",
			"")},
			agendas: map[int64][]byte{2916: sample.Read(t, "council/portals/civicclerk/bristol-ct/meeting-2916.excerpt.json")}},
			[]string{"City Council"},
			"1 meetings, 0 off, 13 entries, 5 items, 0 votes, 0 positions, 0 documents"},
		{"forsyth-ga", clerkTown{events: []json.RawMessage{clerkEvent(1, 389, "City Council Meeting", "2026-08-06T17:00:00Z",
			"")},
			agendas: map[int64][]byte{389: sample.Read(t, "council/portals/civicclerk/forsyth-ga/meeting-389.excerpt.json")}},
			[]string{"City Council"},
			"1 meetings, 0 off, 8 entries, 4 items, 0 votes, 0 positions, 0 documents"},
		{"wausau-wi", reducedTown(t, sample.Read(t, "council/portals/civicclerk/wausau-wi/phs_2026.json")),
			[]string{"Public Health & Safety Committee"},
			"5 meetings, 0 off, 80 entries, 80 items, 0 votes, 0 positions, 0 documents"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlayback(t, c.town.answer)
			deps := testDeps(t, pgtest.New(t))
			if got, _ := mustKeepStill(t, deps, p, "civicclerk", c.boards...); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// clerkMinutes returns a town with thirty-one meetings of one board. One of them has an agenda,
// minutes and text.
func clerkMinutes(t *testing.T) clerkTown {
	t.Helper()
	c := clerkTown{agendas: map[int64][]byte{}, files: map[int64][]byte{}}
	past := time.Now().AddDate(0, -1, 0)
	for i := range 31 {
		day := past.AddDate(0, 0, -i)
		name, files, agenda := "City Council Meeting", "", 0
		if i == 3 {
			agenda, files = 70,
				`{"fileId":700,"type":"Minutes","name":"Minutes","publishOn":"2026-01-01T00:00:00Z"},{"fileId":701,"type":"Agenda","name":"Agenda"}`
			c.agendas[70] = []byte(
				`{"id":70,"items":[{"id":1,"agendaObjectItemOutlineNumber":"1.","agendaObjectItemName":"Resolutions","isSection":1,"minutesItemVotes":[],"childItems":[{"id":2,"agendaObjectItemNumber":"2026-101","agendaObjectItemOutlineNumber":"a.","agendaObjectItemName":"Awards the Contract","minutesItemVotes":[]}]}]}`)
			c.files[700] = []byte(minutesText(day.Format("Monday, January 2, 2006"),
				item("1.", "2026-101", "Awards the Contract for Street Sweeping", split)))
		}
		c.events = append(c.events, clerkEvent(100+i, agenda, name, day.Format("2006-01-02")+"T18:00:00Z", files))
	}
	return c
}

// All pages are read, broken answers lose nothing, a shorter list deletes nothing, and only new
// data is requested.
func TestCivicClerkOverTime(t *testing.T) {
	t.Parallel()
	town := clerkMinutes(t)
	p := newPlayback(t, func(r *http.Request) (int, []byte) { return town.answer(r) })
	p.bad = 10
	deps := testDeps(t, pgtest.New(t))
	stored, again := mustKeepStill(t, deps, p, "civicclerk", "City Council")
	if !strings.HasPrefix(stored, "31 meetings, 0 off, 2 entries, ") || !strings.HasSuffix(stored, " 1 documents") ||
		strings.Contains(stored, " 0 votes") {
		t.Error(stored)
	}
	mustBeProven(t, deps, productSettings(t, p, "civicclerk", "City Council"))
	for _, r := range again {
		if !strings.HasPrefix(r, "/v1/Events?") && r != "/v1/EventCategories" && r != "/v1/Meetings/70" &&
			!strings.Contains(r, "fileId=700,") {
			t.Errorf("repeated requests: %s", r)
		}
	}
	p.mu.Lock()
	town.events = town.events[:2]
	p.mu.Unlock()
	mustIngest(t, deps, productSettings(t, p, "civicclerk", "City Council"), Request{})
	if got := tallyOf(t, deps.DB); got != stored {
		t.Errorf("after a shorter list %s, before %s", got, stored)
	}
}

// Until there are minutes, the recorded votes have every member's position and are separate for
// each motion. If the minutes are images, the portal's text is parsed.
func TestVotesOfCivicClerk(t *testing.T) {
	t.Parallel()
	day := time.Now().AddDate(0, -1, 0)
	const names = `"yesVotes":["Ann Archer","Cy De Witt"],"noVotes":["Ben Baker"],"abstainVotes":["Dee O'Dell"]`
	town := clerkTown{files: map[int64][]byte{},
		agendas: map[int64][]byte{
			70: []byte(
				`{"id":70,"items":[{"id":1,"agendaObjectItemOutlineNumber":"1.","agendaObjectItemName":"Resolutions","isSection":1,"childItems":[
		{"id":2,"agendaObjectItemNumber":"2026-101","agendaObjectItemOutlineNumber":"a.","agendaObjectItemName":"Awards the Contract for Street Sweeping","hasVote":false,"minutesItemVotes":[
			{"motionName":"Amend","initiatedBy":"Ben Baker","secondedBy":"Cy De Witt","passFail":0,"yesVotes":["Ben Baker"],"noVotes":["Ann Archer","Cy De Witt"],"abstainVotes":[]},
			{"motionName":"Approve","initiatedBy":"Ann Archer","secondedBy":"Cy De Witt","passFail":1,` + names + `}]},
		{"id":3,"agendaObjectItemOutlineNumber":"b.","agendaObjectItemName":"Adjourns","minutesItemVotes":[{"motionName":"Adjourn","passFail":1,"yesVotes":[],"noVotes":[]}]}]}]}`)}}
	list := func(files string) []json.RawMessage {
		return []json.RawMessage{clerkEvent(5, 70, "City Council Meeting", day.Format("2006-01-02")+"T18:00:00Z", files)}
	}
	town.events = list("")
	p := newPlayback(t, func(r *http.Request) (int, []byte) { return town.answer(r) })
	deps := testDeps(t, pgtest.New(t))
	set := productSettings(t, p, "civicclerk", "City Council")
	votes := func() string {
		t.Helper()
		return value[string](t, deps.DB, `
			SELECT string_agg(format('%s %s %s %s/%s', i.item_number, v.result, v.origin, v.ayes_count,
			       v.nays_count) || ' ' || (SELECT count(*) FROM council.vote_position p WHERE p.vote_id = v.id), ', '
			         ORDER BY v.ord)
			FROM council.vote v JOIN council.item i ON i.id = v.item_id`)
	}
	for round := range 2 {
		if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 || (sum.Changed == 0) != (round == 1) {
			t.Errorf("round %d: %+v", round, sum)
		}
		if got, want := votes(), "1.a. failed record 1/2 3, 1.a. adopted record 2/1 4, 1.b. other record 0/0 0"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	mustBeProven(t, deps, set)
	p.mu.Lock()
	town.events = list(`{"fileId":700,"type":"Minutes","name":"Minutes"}`)
	town.files[700] = []byte(minutesText(day.Format("Monday, January 2, 2006"),
		item("1.", "2026-101", "Awards the Contract for Street Sweeping", split)))
	town.scans = true
	p.mu.Unlock()
	if sum := mustIngest(t, deps, set, Request{}); sum.Failed != 0 {
		t.Errorf("%+v", sum)
	}
	if got := votes(); !strings.Contains(got, "minutes 3/1 4") {
		t.Error(got)
	}
	mustBeProven(t, deps, set)
}

// The address of a recording is enough to find the product, the boards and the readable documents.
func TestDescribeNewProducts(t *testing.T) {
	t.Parallel()
	soon := time.Now().AddDate(0, 0, -7).Format("2006-01-02")
	prime := primeTown{upcoming: "[" + primeMeeting(1, "City Council Meeting", soon+"T18:00:00",
		primeDoc(15, "HTML Minutes", 3)) + "]", archived: "[]"}
	clerk := clerkTown{events: []json.RawMessage{clerkEvent(5, 0, "City Council Meeting", soon+"T18:00:00Z",
		`{"fileId":7,"type":"Minutes","name":"x"}`)}}
	for product, answer := range map[string]func(r *http.Request) (int, []byte){"civicclerk": clerk.answer,
		"primegov": prime.answer} {
		got, err := Describe(t.Context(), productSettings(t, newPlayback(t, answer), product, ""), newPlayback(t, answer).URL,
			true)
		if err != nil || got.Product != product || got.Meetings != 1 || len(got.Bodies) != 1 ||
			got.Bodies[0].Name != "City Council" || got.Bodies[0].Meetings != 1 || got.Documents["minutes"] == 0 {
			t.Errorf("%s: %+v, %v", product, got, err)
		}
	}
}
