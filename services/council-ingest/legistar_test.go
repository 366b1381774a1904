package councilingest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
)

// A tape is a playback that answers as the Legistar Web API does, with made-up or recorded data.
type tape struct {
	*playback
	answers map[string]json.RawMessage // by the path below the client, in lower case
	events  []json.RawMessage
	files   map[string][]byte // by path
}

func newTape(t *testing.T) *tape {
	p := &tape{answers: map[string]json.RawMessage{}}
	p.playback = newPlayback(t, p.answer)
	return p
}

// below returns the path of a request below the client, in lower case.
func below(path string) (string, bool) { return strings.CutPrefix(strings.ToLower(path), "/v1/town") }

func (p *tape) answer(r *http.Request) (int, []byte) {
	if data, is := p.files[r.URL.Path]; is {
		return http.StatusOK, data
	}
	path, ours := below(r.URL.Path)
	rows, is := p.answers[path]
	if path == "/events" {
		top, _ := strconv.Atoi(r.URL.Query().Get("$top"))
		skip, _ := strconv.Atoi(r.URL.Query().Get("$skip"))
		part := p.events[min(skip, len(p.events)):]
		part = part[:min(len(part), min(top, 1000))]
		if part == nil {
			part = []json.RawMessage{}
		}
		rows, _ = json.Marshal(part)
		is = true
	}
	if !ours || !is || r.Header.Get("Accept") != "application/json" {
		return http.StatusNotFound, nil
	}
	return http.StatusOK, rows
}

// minutesFile matches a link to a file that is not in the recording.
var minutesFile = regexp.MustCompile(`"EventMinutesFile":\s*"[^"]*"`)

// play adds a cassette, which has the paths and bodies about one event.
func (p *tape) play(t *testing.T, data []byte) {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(minutesFile.ReplaceAll(data, []byte(`"EventMinutesFile": null`)), &all); err != nil {
		t.Fatal(err)
	}
	for path, body := range all {
		if parts := strings.Split(path, "/"); len(parts) == 3 && parts[1] == "events" {
			p.events = append(p.events, body)
			continue
		}
		p.answers[path] = body
	}
}

// settings reads a council.yaml with one portal.
func (p *tape) settings(t *testing.T, body, zone string) *Settings {
	t.Helper()
	none := time.Duration(0)
	s := &Settings{Portals: []Portal{{URL: p.URL + "/v1/town", Product: "legistar", Name: "legistar/town", Pause: &none}},
		Body: body, TimeZone: zone}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// counts returns the numbers of requests since the last call.
func (p *tape) counts() (events, items, votes int) {
	for _, r := range p.asked() {
		r, _, _ = strings.Cut(r, "?")
		path, ours := below(r)
		switch {
		case !ours:
		case strings.HasSuffix(path, "/eventitems"):
			items++
		case strings.HasPrefix(path, "/eventitems"):
			votes++
		default:
			events++
		}
	}
	return events, items, votes
}

// counted returns the number of stored rows: meetings, items, votes, votes with a roll, and
// positions by word.
func counted(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return value[string](t, db, `
		SELECT format('%s meetings, %s items, %s rolls, %s voice, %s', (SELECT count(*) FROM council.meeting),
		       (SELECT count(*) FROM council.item),
		  (SELECT count(*) FROM council.vote v WHERE EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id)),
		  (SELECT count(*) FROM council.vote v WHERE NOT EXISTS (SELECT FROM council.vote_position p WHERE p.vote_id = v.id)),
		  (SELECT string_agg(position || ' ' || n, ' ' ORDER BY position)
		    FROM (SELECT position, count(*) AS n FROM council.vote_position GROUP BY 1) x))`)
}

// expected has counts of a cassette's rows, made independently: items with votes, items decided
// without a roll, and positions by the words of the recording.
type expected struct {
	events, items, rolls, voice int
	words                       map[string]int
}

func (e *expected) add(t *testing.T, data []byte) {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	e.events++
	for path, body := range all {
		if !strings.HasSuffix(path, "/eventitems") {
			continue
		}
		var items []map[string]any
		if err := json.Unmarshal(body, &items); err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			var votes []map[string]any
			if cast := all[fmt.Sprintf("/eventitems/%.0f/votes", it["EventItemId"])]; cast != nil {
				if err := json.Unmarshal(cast, &votes); err != nil {
					t.Fatal(err)
				}
			}
			valued := 0
			for _, v := range votes {
				if word, is := v["VoteValueName"].(string); is {
					valued++
					e.words[strings.ToLower(word)]++
				}
			}
			decided := it["EventItemActionName"] != nil || it["EventItemPassedFlag"] != nil
			text, _ := it["EventItemActionText"].(string)
			if title, _ := it["EventItemTitle"].(string); strings.TrimSpace(title) != "" || it["EventItemMatterName"] != nil {
				if valued > 0 || decided || it["EventItemMatterId"] != nil || strings.TrimSpace(text) != "" {
					e.items++
				}
			}
			switch {
			case valued > 0:
				e.rolls++
			case it["EventItemPassedFlag"] != nil:
				e.voice++
			}
		}
	}
}

func (e *expected) String() string {
	words := []string{}
	for w, n := range e.words {
		words = append(words, w+" "+strconv.Itoa(n))
	}
	slices.Sort(words)
	return fmt.Sprintf("%d meetings, %d items, %d rolls, %d voice, %s", e.events, e.items, e.rolls, e.voice,
		strings.Join(words, " "))
}

// The votes of the clerk's minutes equal the votes of the portal's data in every roll call. If one
// position in the data changes, that is an anomaly. The API serves the votes of the minutes.
func TestTwoWitnessesOfPittsburgh(t *testing.T) {
	t.Parallel()
	folder, p, db := sample.Folder(t, "council/portals/legistar/pittsburgh-pa"), newTape(t), pgtest.New(t)
	p.files = map[string][]byte{}
	for _, id := range []string{"12013", "12017"} {
		cassette, err := os.ReadFile(filepath.Join(folder, "event-"+id+".cassette.json"))
		if err != nil {
			t.Fatal(err)
		}
		p.files["/files/"+id+".pdf"], err = os.ReadFile(filepath.Join(folder, "minutes-"+id+".pdf"))
		if err != nil {
			t.Fatal(err)
		}
		p.play(t, cassette)
		p.events[len(p.events)-1] = json.RawMessage(strings.Replace(string(p.events[len(p.events)-1]),
			`"EventMinutesFile": null`, `"EventMinutesFile": "`+p.URL+`/files/`+id+`.pdf"`, 1))
	}
	deps, set := testDeps(t, db), p.settings(t, "City Council", "America/New_York")
	mustIngest(t, deps, set, Request{})
	said := func() (rolls, recorded, differ int) {
		if err := db.QueryRow(t.Context(), `
			SELECT (SELECT count(DISTINCT v.id) FROM council.vote v JOIN council.vote_position p ON p.vote_id = v.id
			       WHERE v.origin = 'minutes'), (SELECT count(*) FROM council.vote WHERE origin = 'record'),
			       (SELECT count(*) FROM council.anomaly
			         WHERE code IN ('sources-differ', 'vote-only-in-record',
			           'vote-only-in-minutes'))`).Scan(&rolls, &recorded, &differ); err != nil {
			t.Fatal(err)
		}
		return rolls, recorded, differ
	}
	if rolls, recorded, differ := said(); rolls != 19 || recorded != 0 || differ != 0 {
		t.Errorf("%d rolls of the minutes, %d votes of the record, %d differences", rolls, recorded, differ)
	}
	mustBeProven(t, deps, set)
	path := "/eventitems/380097/votes"
	p.answers[path] = json.RawMessage(strings.Replace(string(p.answers[path]), `"Aye"`, `"No"`, 1))
	mustIngest(t, deps, set, Request{All: true})
	if rolls, recorded, differ := said(); rolls != 19 || recorded != 0 || differ != 1 {
		t.Errorf("with one position changed: %d rolls of the minutes, %d votes of the record, %d differences", rolls,
			recorded, differ)
	}
	if message := value[string](t, db, `SELECT message FROM council.anomaly
		WHERE code = 'sources-differ'`); !strings.Contains(message, "aye in the minutes, nay at the portal") {
		t.Errorf("%q", message)
	}
}

// Every recorded event is stored with the items, votes and positions of the recording, and with its
// rosters. A second ingest changes nothing and requests no votes. If one in ten requests fails,
// nothing is lost.
func TestLegistarRecordings(t *testing.T) {
	t.Parallel()
	for city, c := range map[string]struct{ body, zone, want string }{
		"vienna-va":     {"Town Council Meeting", "America/New_York", "40 meetings"},
		"pittsburgh-pa": {"City Council", "America/New_York", "2 meetings"},
	} {
		t.Run(city, func(t *testing.T) {
			t.Parallel()
			if city == "vienna-va" { // its forty meetings take seconds
				sample.Long(t)
			}
			p, want := newTape(t), &expected{words: map[string]int{}}
			files, err := filepath.Glob(filepath.Join(sample.Folder(t, "council/portals/legistar/"+city),
				"event-*.cassette.json"))
			if err != nil || len(files) == 0 {
				t.Fatalf("%d cassettes, %v", len(files), err)
			}
			for _, f := range files {
				data, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				p.play(t, data)
				want.add(t, data)
			}
			db := pgtest.New(t)
			deps, set := testDeps(t, db), p.settings(t, c.body, c.zone)
			p.bad = 10
			sum := mustIngest(t, deps, set, Request{})
			if sum.Failed != 0 {
				t.Errorf("with failing requests: %+v", sum)
			}
			if got := counted(t, db); got != want.String() || !strings.HasPrefix(got, c.want) {
				t.Errorf("stored   %s\nrecorded %s", got, want)
			}
			t.Log(counted(t, db))
			mustBeProven(t, deps, set)
			p.bad = 0
			p.counts()
			before := generation(t, db)
			if again := mustIngest(t, deps, set, Request{}); again.Changed != 0 || generation(t, db) != before {
				t.Errorf("the second ingest changed something: %+v", again)
			}
			if events, items, votes := p.counts(); events != 1 || items+votes != 0 {
				t.Errorf("repeated requests: %d pages of events, items of %d events, votes of %d items", events, items, votes)
			}
		})
	}
}

func generation(t *testing.T, db *pgxpool.Pool) int64 {
	t.Helper()
	return value[int64](t, db, `SELECT generation FROM council.dataset`)
}

// An address is enough to find the product, the bodies and the readable documents. A page of the
// city that links to the portal is enough too. If the product is unknown, the error says what each
// known product answered.
func TestDescribe(t *testing.T) {
	t.Parallel()
	p := newTape(t)
	p.answers["/bodies"] = json.RawMessage(
		`[{"BodyId": 1, "BodyName": "City Council"}, {"BodyId": 2, "BodyName": "Parks Commission"}]`)
	p.event(1, time.Now().AddDate(0, 0, -20), "Aye")
	set := testSettings(t)
	none := time.Duration(0)
	set.Portal.Pause = &none
	got, err := Describe(t.Context(), set, p.URL+"/v1/town", true)
	if err != nil || got.Product != "legistar" || got.Meetings != 1 || len(got.Bodies) != 2 ||
		got.Bodies[0].Name != "City Council" || got.Bodies[0].Meetings != 1 ||
		!slices.Contains(got.Readable, "agenda items") {
		t.Errorf("Describe = %+v, %v", got, err)
	}
	iqm2 := town(t)
	got, err = Describe(t.Context(), set, iqm2.URL, true)
	if err != nil || got.Product != "iqm2" || got.Bodies[0].Name != "City Council" {
		t.Errorf("Describe of the city's page = %+v, %v", got, err)
	}
	nothing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "<html><body>Welcome</body></html>")
	}))
	t.Cleanup(nothing.Close)
	_, err = Describe(t.Context(), set, nothing.URL, true)
	if err == nil || !strings.Contains(err.Error(), "IQM2") || !strings.Contains(err.Error(), "Legistar") {
		t.Errorf("%v", err)
	}
}
