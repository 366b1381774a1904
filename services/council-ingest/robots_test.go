package councilingest

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/council-ingest/internal/doctext"
)

// Pages that robots.txt forbids are reported once in each ingest, but not as failures. The meeting
// keeps its other data, and old meetings are not visited again. When robots.txt allows the pages,
// everything is read.
func TestRobotsTxt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, row string // path is the forbidden path; row replaces the calendar's row if it is not ""
		first     Summary
		statuses  string
		later     Summary // result of the second ingest
	}{
		"documents": {"/Citizens/FileOpen.aspx", "", Summary{Meetings: 1, Changed: 1, Forbidden: 1},
			"70 regular minutes_pending", Summary{}},
		"pages": {"/Citizens/Detail_Meeting.aspx", "", Summary{Meetings: 1, Changed: 1, Votes: 2, Forbidden: 1},
			"70 regular complete", Summary{}},
		"pages without which nothing is known": {"/Citizens/Detail_Meeting.aspx",
			`<div class="MeetingRow"><a href="Detail_Meeting.aspx?ID=70">Details</a></div>`,
			Summary{Meetings: 1, Forbidden: 1}, "", Summary{Meetings: 1, Forbidden: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var leave atomic.Bool
			var asked atomic.Int32
			s := newStranger()
			if c.row != "" {
				s.row, s.other = c.row, ""
			}
			s.answer = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == c.path {
					asked.Add(1)
				}
				if r.URL.Path != "/robots.txt" || leave.Load() {
					return false
				}
				fmt.Fprintf(w, "User-agent: *\nDisallow: %s\n", c.path)
				return true
			}
			db, deps, set := s.serve(t)
			var log bytes.Buffer
			deps.Log = slog.New(slog.NewTextHandler(&log, nil))
			for i, want := range []Summary{c.first, c.later} {
				log.Reset()
				sum := mustIngest(t, deps, set, Request{})
				if sum != want {
					t.Errorf("ingest %d: %+v, want %+v", i, sum, want)
				}
				left := sum.Incomplete()
				if (left != nil) != (want.Forbidden > 0) || left != nil &&
					!strings.Contains(left.Error(), "1 pages or documents were not read: robots.txt of the portal forbids it (ask "+
						"the clerk") {
					t.Errorf("ingest %d: Incomplete = %v", i, left)
				}
				if n := strings.Count(log.String(), "level=WARN"); n != want.Forbidden ||
					n != strings.Count(log.String(), "forbidden=1") {
					t.Errorf("ingest %d: wrong log: %s", i, log.String())
				}
			}
			if got := value[string](t, db, `
				SELECT coalesce((SELECT string_agg(iqm2_id || ' ' || meeting_type || ' ' || status, ', ') FROM council.meeting
				       WHERE minutes_url IS NOT NULL), '')
				FROM council.dataset WHERE checked_at IS NOT NULL`); got != c.statuses {
				t.Errorf("%s", got)
			}
			if asked.Load() != 0 {
				t.Errorf("forbidden pages were requested %d times", asked.Load())
			}
			leave.Store(true)
			if sum := mustIngest(t, deps, set, Request{All: true}); sum.Votes != 2 || sum.Incomplete() != nil {
				t.Errorf("after robots.txt allows the pages: %+v", sum)
			}
			mustBeProven(t, deps, set)
		})
	}
}

// Forbidden pages do not hide failed pages.
func TestForbiddenAndFailed(t *testing.T) {
	t.Parallel()
	s := newStranger()
	s.answer = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /Citizens/Detail_Meeting.aspx\n")
		case "/Citizens/FileOpen.aspx": // longer than announced, which is not retried
			w.Header().Set("Content-Length", fmt.Sprint(doctext.MaxBytes+1))
		default:
			return false
		}
		return true
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	sum := mustIngest(t, testDeps(t, pgtest.New(t)), portalSettings(t, srv.URL), Request{})
	if left := fmt.Sprint(sum.Incomplete()); sum.Failed != 1 || sum.Forbidden != 1 ||
		!strings.Contains(left, "1 of 1 meetings could not be read in full") || !strings.Contains(left, "robots.txt") {
		t.Errorf("%+v: %s", sum, left)
	}
}
