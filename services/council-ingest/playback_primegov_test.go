package councilingest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/sample"
)

// A primeTown has the data of a PrimeGov portal.
type primeTown struct {
	upcoming, archived string
	committees         string // "" if the portal does not answer this request
	pages              map[string][]byte
	files              map[string][]byte
}

// answer answers as a PrimeGov portal does. A PDF is behind a redirect to a signed address.
func (c primeTown) answer(r *http.Request) (int, []byte) {
	template := r.URL.Query().Get("meetingTemplateId")
	switch r.URL.Path {
	case "/api/v2/PublicPortal/GetArchivedMeetingYears":
		return http.StatusOK, []byte(`[2024,2026]`)
	case "/api/v2/PublicPortal/ListUpcomingMeetings":
		return http.StatusOK, []byte(c.upcoming)
	case "/api/v2/PublicPortal/ListArchivedMeetings":
		if year := r.URL.Query().Get("year"); strings.Contains(c.archived, `"dateTime": "`+year) ||
			strings.Contains(c.archived, `"dateTime":"`+year) {
			return http.StatusOK, []byte(c.archived)
		}
		return http.StatusOK, []byte(`[]`)
	case "/api/committee/GetCommitteeesListByShowInPublicPortal":
		if c.committees != "" {
			return http.StatusOK, []byte(c.committees)
		}
	case "/Portal/Meeting":
		if page := c.pages[template]; page != nil {
			// Session tokens differ in each answer.
			return http.StatusOK, append([]byte(fmt.Sprintf("<script>sessionStorage.setItem(\"csrfToken\", '%d');</script>",
				time.Now().UnixNano())), page...)
		}
	case "/Public/CompiledDocument":
		if c.files[template] != nil {
			return http.StatusFound, []byte("/blob/" + template + "?sv=1&sig=SECRET")
		}
	}
	if file := c.files[path.Base(r.URL.Path)]; strings.HasPrefix(r.URL.Path, "/blob/") &&
		r.URL.Query().Get("sig") == "SECRET" && file != nil {
		return http.StatusOK, file
	}
	return http.StatusNotFound, nil
}

func primeMeeting(id int, title, at string, docs ...string) string {
	return fmt.Sprintf(`{"id":%d,"committeeId":1,"title":%q,"dateTime":%q,"documentList":[%s]}`, id, title, at,
		strings.Join(docs, ","))
}

func primeDoc(template int, name string, output int) string {
	return fmt.Sprintf(`{"id":%d,"templateId":%d,"templateName":%q,"compileOutputType":%d,"publishStatus":1}`, template+
		900, template, name, output)
}

// A test server serves the recordings of PrimeGov like the portal. The ingest stores the meetings,
// items, votes and positions of the recordings.
func TestRecordingsOfPrimeGov(t *testing.T) {
	t.Parallel()
	louisville := primeTown{files: map[string][]byte{}, upcoming: "[]"}
	var rows []struct {
		File, Date, Time, Body string
		SourceURL              string `json:"source_url"`
	}
	if err := json.Unmarshal(sample.Read(t, "council/portals/primegov/louisville-ky/index.json"), &rows); err != nil {
		t.Fatal(err)
	}
	var list, boards []string
	for i, row := range rows {
		if board, _, _ := strings.Cut(row.Body, " - "); !slices.Contains(boards, board) {
			boards = append(boards, board)
		}
		_, template, _ := strings.Cut(row.SourceURL, "meetingTemplateId=")
		list = append(list,
			fmt.Sprintf(
				`{"id":%d,"title":%q,"dateTime":"%sT%s:00","documentList":[{"id":1,"templateId":%s,"templateName":"Minutes","compileOutputType":1,"publishStatus":1}]}`, i+1, row.Body, row.Date, row.Time, template))
		louisville.files[template] = sample.Read(t, "council/portals/primegov/louisville-ky/"+row.File)
	}
	louisville.archived = "[" + strings.Join(list, ",") + "]"
	for _, c := range []struct {
		name   string
		town   primeTown
		boards []string
		want   string // beginning of the stored rows
		ends   string // end of the stored rows
	}{
		{"longmont-co",
			primeTown{upcoming: string(sample.Read(t, "council/portals/primegov/longmont-co/upcoming-meetings.json")),
				pages: map[string][]byte{"16893": sample.Read(t, "council/portals/primegov/longmont-co/meeting-3726.html")}},
			[]string{"Callahan House Advisory Board", "New Board Orientation and Onboarding",
				"Housing and Human Service Advisory Board", "Transportation Advisory Board", "Parks and Recreation Advisory Board",
				"Museum Advisory Board", "Planning and Zoning Commission"},
			"7 meetings, 3 off, 1 entries, 0 items, 0 votes, 0 positions, ", "0 documents"},
		{"los-angeles-ca", primeTown{upcoming: "[]",
			archived: string(sample.Read(t, "council/portals/primegov/los-angeles-ca/city-council-2024.json"))},
			[]string{"City Council", "Transportation Committee", "Housing and Homelessness Committee",
				"Trade, Travel and Tourism Committee", "Planning and Land Use Management Committee",
				"Personnel, Audits, and Hiring Committee", "Neighborhoods and Community Enrichment Committee",
				"Civil Rights, Equity, Immigration, Aging and Disability Committee"},
			"10 meetings, 5 off, 0 entries, 0 items, 0 votes, 0 positions, ", "0 documents"},
		{"cambridge-ma", primeTown{upcoming: "[]", archived: "[" + primeMeeting(1, "City Council Regular Meeting",
			"2026-09-28T17:30:00", primeDoc(15, "Final Actions", 3)) + "]", committees: `[{"id":1,"name":"City Council"}]`,
			pages: map[string][]byte{"15": sample.Read(t,
				"council/portals/primegov/cambridge-ma/final-actions-2026-09-28.excerpt.html")}}, []string{"City Council"},
			"1 meetings, 0 off, 8 entries, 3 items, 3 votes, 9 positions, ", "1 documents"},
		{"louisville-ky", louisville, boards, "26 meetings, 0 off, 0 entries, ", " 26 documents"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.name == "louisville-ky" { // TestBodiesOfLouisville also reads its minutes
				sample.Long(t)
			}
			p := newPlayback(t, c.town.answer)
			deps := testDeps(t, pgtest.New(t))
			got, again := mustKeepStill(t, deps, p, "primegov", c.boards...)
			if !strings.HasPrefix(got, c.want) || !strings.HasSuffix(got, c.ends) {
				t.Errorf("got  %s\nwant %s…%s", got, c.want, c.ends)
			}
			t.Logf("%s; repeated requests: %d", got, len(again))
			if signed := value[int](t, deps.DB, `SELECT count(*) FROM council.minutes WHERE url LIKE '%sig=%'`); signed != 0 {
				t.Errorf("%d signed addresses are stored", signed)
			}
		})
	}
}

// Broken answers lose nothing, shorter and invalid lists delete nothing, and new data is stored.
func TestPrimeGovOverTime(t *testing.T) {
	t.Parallel()
	var list []string
	for i := range 20 {
		doc := ""
		if i == 3 {
			doc = primeDoc(15, "Minutes", 1)
		}
		list = append(list, primeMeeting(i+1, "City Council Regular Meeting", fmt.Sprintf("2026-01-%02dT17:30:00", i+1), doc))
	}
	of := func(rows []string) string { return "[" + strings.Join(rows, ",") + "]" }
	text := minutesText("Sunday, January 4, 2026", item("1.", "2026-101", "Awards the Contract for Street Sweeping",
		split))
	town := primeTown{upcoming: "[]", archived: of(list), committees: `[{"id":1,"name":"City Council"}]`,
		files: map[string][]byte{"15": []byte(text)}}
	p := newPlayback(t, func(r *http.Request) (int, []byte) { return town.answer(r) })
	p.bad = 10
	deps := testDeps(t, pgtest.New(t))
	set := productSettings(t, p, "primegov", "City Council")
	stored, _ := mustKeepStill(t, deps, p, "primegov", "City Council")
	if want := "20 meetings, 0 off, 0 entries, 1 items, 1 votes, 4 positions, 1 documents"; stored != want {
		t.Errorf("got  %s\nwant %s", stored, want)
	}
	mustBeProven(t, deps, set)
	for _, archived := range []string{of(list[:2]), "[]"} {
		p.mu.Lock()
		town.archived = archived
		p.mu.Unlock()
		mustIngest(t, deps, set, Request{All: true})
		if got := tallyOf(t, deps.DB); got != stored {
			t.Errorf("after a shorter list %s, before %s", got, stored)
		}
	}
	p.mu.Lock()
	town.archived = `{"error": "trouble", "dateTime":"2026"}`
	p.mu.Unlock()
	if sum, err := Ingest(t.Context(), deps, set, Request{AllowPrivate: true, All: true}); err == nil ||
		tallyOf(t, deps.DB) != stored {
		t.Errorf("ingest of an invalid list: %+v, %v", sum, err)
	}
	p.mu.Lock()
	town.archived = of(append(list, primeMeeting(21, "City Council Regular Meeting", "2026-01-21T17:30:00")))
	p.mu.Unlock()
	mustIngest(t, deps, set, Request{All: true})
	if got := tallyOf(t, deps.DB); got != strings.Replace(stored, "20 meetings", "21 meetings", 1) {
		t.Errorf("with one more meeting %s", got)
	}
}
