package townline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	councilapi "github.com/townline/townline/services/council-api"
	councilingest "github.com/townline/townline/services/council-ingest"
)

// A councilHalf is a council ingest and an API with separate pools, as if in two processes.
type councilHalf struct {
	db   *pgxpool.Pool // for the ingest
	deps run.Deps
	set  *councilingest.Settings
	base string
}

func startCouncil(t *testing.T) *councilHalf {
	t.Helper()
	url := pgtest.URL(t)
	h := &councilHalf{db: open(t, url, pg.Options{})}
	h.deps = run.Deps{DB: h.db, Log: slog.New(slog.DiscardHandler)}
	var err error
	h.set, err = councilingest.ReadSettings("", nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h.base = "http://" + ln.Addr().String() + "/v1"
	api := deps(open(t, url, pg.Options{ReadOnly: true, Plans: pg.CustomPlans}))
	api.Listener = ln
	cfg := councilapi.Config{AccessLog: "off", CacheBytes: 1 << 20}
	runUntilEnd(t, func(ctx context.Context) error { return councilapi.Run(ctx, cfg, api) })
	return h
}

func (h *councilHalf) load(t *testing.T, meeting int64, date, text string) {
	t.Helper()
	if _, err := councilingest.Load(t.Context(), h.deps, h.set, councilingest.Minutes{MeetingID: meeting, Date: date,
		Bytes: []byte(text)}); err != nil {
		t.Fatal(err)
	}
}

func (h *councilHalf) fetch(t *testing.T, path string) (status int, header http.Header, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header, body
}

func (h *councilHalf) get(t *testing.T, path string, into any) {
	t.Helper()
	status, _, body := h.fetch(t, path)
	if status != http.StatusOK {
		t.Fatalf("%s: %d %s", path, status, body)
	}
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func listPage[T any](t *testing.T, h *councilHalf, path, cursor string) ([]T, *string) {
	t.Helper()
	var p struct {
		Data       []T
		NextCursor *string `json:"next_cursor"`
	}
	if cursor != "" {
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		path += sep + "cursor=" + cursor
	}
	h.get(t, path, &p)
	return p.Data, p.NextCursor
}

// A clerk writes minutes with items by title. The title of an item determines its vote.
type clerk struct{ day string }

func (c clerk) minutes(titles []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `                 City Council Regular Meeting Minutes
                      %s – 6:00 PM

I.    Call to Order
      The meeting was called to order at 6:04 PM by Mayor Ann Archer
  Attendee Name             Title                 Status       Arrived
  Ann Archer                Mayor                 Present
  Ben Baker                 Councilmember         Present
  Cy De Witt                Councilmember         Present
  Dee O'Dell                Councilmember         Present

II.   Resolutions
`, c.day)
	for i, title := range titles {
		result := "ADOPTED [UNANIMOUS]\n       MOVER:        Ann Archer, Councilmember\n       SECONDER:     Ben Baker, " +
			"Councilmember\n       AYES:         Ann Archer, Ben Baker, Cy De Witt, Dee O'Dell"
		if strings.Contains(title, "corrected") {
			result = "ADOPTED [3 TO 1]\n       MOVER:        Ann Archer, Councilmember\n       SECONDER:     Ben Baker, " +
				"Councilmember\n       AYES:         Ann Archer, Ben Baker, Cy De Witt\n       NAYS:         Dee O'Dell"
		}
		fmt.Fprintf(&b, "\n      %d. %s\n\n       RESULT:       %s\n\n", i+1, title, result)
	}
	return b.String()
}

var walkDays = []string{"Tuesday, March 3, 2026", "Tuesday, March 10, 2026", "Tuesday, March 17, 2026",
	"Tuesday, March 24, 2026", "Tuesday, March 31, 2026"}

// The test reads lists of 200 pages (42 without TOWNLINE_EVERYTHING) while real minutes are
// ingested between the pages. There are new meetings before, between and after the pages read so
// far, and corrected minutes in all of these positions: items are inserted, removed, and voted on
// differently. Each item and vote that exists from the first page to the last is listed once.
func TestWalksWhileMinutesAreIngested(t *testing.T) {
	t.Parallel()
	h := startCouncil(t)
	dates := []string{"2026-03-03", "2026-03-10", "2026-03-17", "2026-03-24", "2026-03-31"}
	agenda := make([][]string, len(dates)) // the clerk's current version
	title := func(day, nth int, words string) string {
		return fmt.Sprintf("2026-%d%03d  %s number %d of day %d", day+1, nth, words, nth, day)
	}
	daily, longest := 10, 42 // items per day, and pages per list
	if everything() {
		daily, longest = 42, 150
	}
	for d := range dates {
		for n := range daily {
			agenda[d] = append(agenda[d], title(d, n+100, "Awards the contract for paving"))
		}
		h.load(t, int64(d+1), dates[d], clerk{walkDays[d]}.minutes(agenda[d]))
	}

	walks := map[string]*listWalk{"/votes?limit=1": {}, "/items?limit=1": {}, "/items?limit=1&unanimous=true&q=paving": {},
		"/members/1/votes?limit=1": {}, "/votes?limit=3&via_consent=false": {}}
	paths := slices.Sorted(func(yield func(string) bool) {
		for p := range walks {
			if !yield(p) {
				return
			}
		}
	})
	for _, p := range paths {
		walks[p].before = wholeList(t, h, strings.Replace(strings.Replace(p, "limit=1", "limit=200", 1), "limit=3",
			"limit=200", 1))
	}
	fresh := 500
	for round, open := 0, len(walks); open > 0; round++ {
		open = 0
		for _, p := range paths {
			if walks[p].step(t, h, p) {
				open++
			}
		}
		// One ingest every few pages keeps the test short. Each kind of ingest happens at each part
		// of the lists.
		if round%4 != 0 {
			continue
		}
		d := len(dates) - 1 - (round/daily+round/4%2)%len(dates) // the current position of the lists, or the next day
		list := agenda[d]
		at := (round % daily * len(list) / daily) % len(list)
		switch round / 4 % 5 {
		case 0: // inserted above
			fresh++
			agenda[d] = slices.Insert(list, min(at, 3), title(d, fresh, "Declares the week of the harbor"))
		case 1: // removed at the current position: the last read row, and the next one
			agenda[d] = slices.Delete(list, max(at-1, 0), min(at+1, len(list)))
		case 2: // a different vote
			list[at] = strings.Replace(list[at], "contract", "corrected contract", 1)
		case 3: // inserted below
			fresh++
			agenda[d] = append(list, title(d, fresh, "Declares the day of the river"))
		case 4: // another meeting, between the days
			h.load(t, int64(1000+round), fmt.Sprintf("2026-03-%02d", 2+round/4%28),
				clerk{"x"}.minutes([]string{title(9, fresh, "Receives the report of the library")}))
			continue
		}
		h.load(t, int64(d+1), dates[d], clerk{walkDays[d]}.minutes(agenda[d]))
	}
	for _, p := range paths {
		w := walks[p]
		after := wholeList(t, h, strings.Replace(strings.Replace(p, "limit=1", "limit=200", 1), "limit=3", "limit=200", 1))
		for id, n := range w.seen {
			if n > 1 {
				t.Errorf("%s: %d was listed %d times", p, id, n)
			}
		}
		stayed := 0
		for id := range w.before {
			if after[id] {
				stayed++
				if w.seen[id] == 0 {
					t.Errorf("%s: %d was not listed", p, id)
				}
			}
		}
		if strings.Contains(p, "limit=1") && w.pages < longest || stayed < len(w.before)/2 || stayed == len(w.before) {
			t.Errorf("%s: %d pages, %d of %d stayed", p, w.pages, stayed, len(w.before))
		}
		t.Logf("%s: %d pages, %d of %d stayed, %d seen", p, w.pages, stayed, len(w.before), len(w.seen))
	}
}

type listWalk struct {
	before map[int64]bool // ids in the list at the start
	seen   map[int64]int
	cursor string
	pages  int
	ended  bool
}

// step reads one page and reports whether there are more.
func (w *listWalk) step(t *testing.T, h *councilHalf, path string) bool {
	t.Helper()
	if w.ended {
		return false
	}
	if w.seen == nil {
		w.seen = map[int64]int{}
	}
	rows, next := listPage[struct{ ID int64 }](t, h, path, w.cursor)
	w.pages++
	for _, r := range rows {
		w.seen[r.ID]++
	}
	if next == nil {
		w.ended = true
		return false
	}
	w.cursor = *next
	return true
}

// wholeList returns the ids of a complete list while no ingest runs.
func wholeList(t *testing.T, h *councilHalf, path string) map[int64]bool {
	t.Helper()
	all := map[int64]bool{}
	for _, id := range ids(t, h, path) {
		all[id] = true
	}
	return all
}
