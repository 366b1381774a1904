package councilingest

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/services/council-ingest/internal/visit"
)

// countPages counts the requests for pages of meetings from now on.
func (s *stranger) countPages() *atomic.Int32 {
	pages := &atomic.Int32{}
	s.answer = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/Citizens/Detail_Meeting.aspx" {
			pages.Add(1)
		}
		return false
	}
	return pages
}

// Data that only the pages have, such as the board and the year of a meeting, is requested once.
func TestPagesAreRequestedOnce(t *testing.T) {
	t.Parallel()
	const line = `<div class="MeetingRow"><a href="Detail_Meeting.aspx?ID=%d">%s</a></div>`
	for name, text := range map[string]string{"no board": "Mar 5, 2024 7:00 PM", "nothing at all": "Details"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStranger()
			s.row, s.other = fmt.Sprintf(line, 70, text), fmt.Sprintf(line, 71, text)
			pages := s.countPages()
			_, deps, set := s.serve(t)
			portals, req := visit.New(deps, set, nil), Request{AllowPrivate: true}
			ingest := func() {
				if _, err := portals.Ingest(t.Context(), req); err != nil {
					t.Fatal(err)
				}
			}
			var asked []int32
			for range 3 {
				ingest()
				asked = append(asked, pages.Swap(0))
			}
			req.Again = []int64{70, 71}
			ingest()
			if d := cmp.Diff([]int32{2, 0, 0, 1}, append(asked, pages.Load())); d != "" {
				t.Errorf("number of requested pages, by ingest\n%s", d)
			}
		})
	}
}

// If the feed announces that minutes of an old meeting were replaced, they are read again, even if
// the calendar shows only one year at a time.
func TestOldMinutesThatWereReplaced(t *testing.T) {
	t.Parallel()
	var replaced atomic.Bool
	s := newStranger()
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		q := r.URL.Query()
		switch {
		case r.URL.Path == "/Citizens/Calendar.aspx" && (q.Get("From") != "1/1/2024" || q.Get("To") != "12/31/2024"):
			fmt.Fprint(w, `<html><body><div id="x_pnlMeetings"></div></body></html>`)
		case r.URL.Path == "/Citizens/FileOpen.aspx" && replaced.Load():
			fmt.Fprint(w, strings.Replace(s.minutes, "ADOPTED [3 TO 1]", "ADOPTED AS AMENDED [3 TO 1]", 1))
		default:
			return false
		}
		return true
	}
	db, deps, set := s.serve(t)
	mustIngest(t, deps, set, Request{Since: "2024-01-01", Until: "2024-12-31"})
	replaced.Store(true)
	if sum := mustIngest(t, deps, set, Request{}); sum.Meetings != 0 {
		t.Errorf("without an entry in the feed: %+v", sum)
	}
	mustIngest(t, deps, set, Request{Again: []int64{70}})
	if got := strangeVotes(t, db); !strings.Contains(got, "ADOPTED AS AMENDED [3 TO 1]") {
		t.Error(got)
	}
}

// If only the pages name the boards, a board that does not exist is an error too. Each page is
// requested once.
func TestPagesOfOtherBodies(t *testing.T) {
	t.Parallel()
	for boards, want := range map[string]string{
		"Alder City Council": `of the 2 meetings whose pages say whose they are none is of "City Council", but of "Alder City Council": set body`,
		"Library":            `but of "Library" (1), "Parks" (1)`,
	} {
		s := newStranger()
		s.row = `<div class="MeetingRow"><a href="Detail_Meeting.aspx?ID=70">Mar 5, 2024 7:00 PM</a></div>`
		s.other = strings.ReplaceAll(s.row, "70", "71")
		s.page = strings.ReplaceAll(s.page, "City Council", boards)
		pages := s.countPages()
		_, deps, set := s.serve(t)
		portals := visit.New(deps, set, nil)
		for range 2 {
			if _, err := portals.Ingest(t.Context(), Request{AllowPrivate: true}); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %s", err, want)
			}
		}
		if n := pages.Load(); n != 2 {
			t.Errorf("%d pages were requested", n)
		}
	}
}

// A failing portal answers 200 without minutes of an old meeting, for longer than the retries last.
// When the portal recovers, the meeting is read completely. A document that does not change is not
// requested forever.
func TestTransientErrors(t *testing.T) {
	t.Parallel()
	const trouble = "<html><body><h1>Server Error in '/' Application.</h1></body></html>"
	const good = "70 regular 2024-03-06T03:00:00Z complete: ADOPTED [3 TO 1] 4, ADOPTED [UNANIMOUS] 4"
	say := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	minutes := newStranger().minutes
	for name, c := range map[string]struct {
		answers []http.HandlerFunc // answers to requests for the document, by ingest
		want    string             // status after each ingest
		asked   int32              // number of requests in the last ingest
	}{
		"after minutes": {[]http.HandlerFunc{say(minutes), say(trouble), say(trouble), say(minutes), say(trouble)},
			"complete parse_error parse_error complete complete", 0},
		"at first": {[]http.HandlerFunc{say(trouble), say(minutes), say(trouble)}, "parse_error complete complete", 0},
		"for good": {[]http.HandlerFunc{say(trouble), say(trouble), say(minutes)}, "parse_error parse_error parse_error",
			0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var at atomic.Int32
			var asked atomic.Int32
			s := newStranger()
			s.row = strings.Replace(s.row, "Hall", "%s Hall", 1)
			row := s.row
			var rows [8]string
			for n := range rows {
				rows[n] = fmt.Sprintf(row, fmt.Sprint(min(n, 1))) // the row changes once, at the second ingest
			}
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				switch r.URL.Path {
				case "/Citizens/Calendar.aspx":
					fmt.Fprintf(w, `<html><body><div id="x_pnlMeetings">%s%s</div></body></html>`, rows[at.Load()], s.other)
				case "/Citizens/FileOpen.aspx":
					asked.Add(1)
					c.answers[at.Load()](w, r)
				default:
					return false
				}
				return true
			}
			db, deps, set := s.serve(t)
			var got []string
			for n := range c.answers {
				at.Store(int32(n))
				asked.Store(0)
				mustIngest(t, deps, set, Request{})
				status := value[string](t, db, `SELECT status FROM council.meeting`)
				got = append(got, status)
				if status == "complete" && strangeVotes(t, db) != good {
					t.Errorf("after ingest %d: %s", n, strangeVotes(t, db))
				}
			}
			if all := strings.Join(got, " "); all != c.want || asked.Load() != c.asked {
				t.Errorf("got %s, and %d requests in the last ingest\nwant %s, %d", all, asked.Load(), c.want, c.asked)
			}
			mustBeProven(t, deps, set)
		})
	}
}
