package townline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/sample"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/demo"
)

// The pages of the demo town show what the API has, and its topics are correct.
func TestPagesOfTheDemoTown(t *testing.T) {
	t.Parallel()
	h := startCouncil(t)
	noon := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	months := 4
	if everything() {
		months = 12
	}
	town, err := demo.Start(t.Context(), demo.Options{Meetings: lately(t, months), Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	h.set, err = councilingest.ReadSettings(demoCouncil(t, town), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := councilingest.Ingest(t.Context(), h.deps, h.set, councilingest.Request{AllowPrivate: true}); err != nil {
		t.Fatal(err)
	}
	h.check(t, 100)
	h.comparePages(t, 40)
	h.compareOwnMarks(t)
	checkTopics(t, h.deps.DB, town)
}

// The pages of real towns show what the API has.
func TestPagesOfRealTowns(t *testing.T) {
	t.Parallel()
	for _, town := range []struct {
		name, files string
		least       int  // minimum number of votes
		slow        bool // only with TOWNLINE_EVERYTHING
	}{
		{name: "riverhead-ny", files: "riverhead-ny/*-minutes.txt", least: 60},
		{name: "rtd-denver", files: "rtd-denver/*/minutes.txt", least: 20, slow: true},
		{name: "cambridge-ma", files: "cambridge-ma/*FinalActions*.pdf", least: 40, slow: true},
		{name: "pittsburgh-pa", files: "portals/legistar/pittsburgh-pa/*.pdf", slow: true},
		{name: "typeset", files: "typeset/*.pdf", least: 100, slow: true},
	} {
		t.Run(town.name, func(t *testing.T) {
			t.Parallel()
			if town.slow {
				sample.Long(t)
			}
			files := realMinutes(t, town.files)
			h := startCouncil(t)
			for i, file := range files {
				b, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				_, err = councilingest.Load(t.Context(), h.deps, h.set, councilingest.Minutes{MeetingID: int64(i + 1),
					Date: dateOf(file, b, i), Bytes: b})
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
			}
			h.check(t, town.least)
			h.comparePages(t, 15)
		})
	}
}

// realMinutes lists real minutes: all with TOWNLINE_EVERYTHING, otherwise a sample.
func realMinutes(t *testing.T, pattern string) []string {
	t.Helper()
	files := sample.Glob(t, "council/"+pattern)
	if !everything() {
		some := files[:0]
		for i, f := range files {
			if i*8/len(files) != (i-1)*8/len(files) || i == 0 {
				some = append(some, f)
			}
		}
		files = some
	}
	return files
}

var printedDate = regexp.MustCompile(
	`(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}`)

var namedDate = regexp.MustCompile(`\b\d{4}-\d\d-\d\d`)

// dateOf returns the first date in minutes, or for a PDF the date in its name; without one, it
// makes up a date.
func dateOf(file string, minutes []byte, nth int) string {
	if at := namedDate.FindString(filepath.Base(file)); at != "" {
		return at
	}
	if at := printedDate.Find(bytes.Join(bytes.Fields(minutes[:min(len(minutes), 8000)]), []byte{' '})); at != nil {
		if d, err := time.Parse("January 2, 2006", string(at)); err == nil {
			return d.Format(time.DateOnly)
		}
	}
	return time.Date(2000, 1, 1+nth, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

type plainPosition struct {
	MemberID   int64  `json:"member_id"`
	MemberName string `json:"member_name"`
	Position   council.Position
}

func walkAll[T any](t *testing.T, h *councilHalf, path string) []T {
	t.Helper()
	var all []T
	cursor := ""
	for {
		rows, next := listPage[T](t, h, path, cursor)
		all = append(all, rows...)
		if next == nil {
			return all
		}
		cursor = *next
	}
}

// check requires that the stored votes and sums contradict each other nowhere. The tests of
// council-api compare every number of the API with a count of votes.
func (h *councilHalf) check(t *testing.T, least int) {
	t.Helper()
	wrong, votes, err := councilingest.Check(t.Context(), h.deps)
	if err != nil || len(wrong) > 0 || votes < least {
		t.Errorf("%d votes, want at least %d; %v\n%s", votes, least, err, strings.Join(wrong, "\n"))
	}
}
