package browser_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pagetest"
	councilingest "github.com/townline/townline/services/council-ingest"
)

// printed returns the text of each printed sheet of a page, extracted by the same code that reads
// minutes.
func printed(t *testing.T, p *pagetest.Page) (sheets []string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.pdf")
	if err := os.WriteFile(file, p.PDF(), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := councilingest.ReadSettings("", conf.Environ{})
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	if err := councilingest.Explain(t.Context(), set, file, &lines, false); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(lines.String()) {
		place, text, _ := strings.Cut(line, " ")
		page, _, _ := strings.Cut(place, ":")
		if n, err := strconv.Atoi(page); err == nil {
			for len(sheets) < n {
				sheets = append(sheets, "")
			}
			sheets[n-1] += text
		}
	}
	return sheets
}

// accessed matches the day of a print.
var accessed = regexp.MustCompile(`Accessed [A-Z][a-z]+ \d{1,2}, 20\d\d`)

// aRow matches a line of a timetable, with several times.
var aRow = regexp.MustCompile(`(?m)^.*(\b\d{1,2}:\d\d\b.*){4}$`)

// testPrint checks that a printed timetable can be posted at a stop: A4 landscape, column heads on
// each sheet, and each time below its own heads.
func testPrint(t *testing.T, browser *pagetest.Browser, w town) {
	transit := []string{"/f/alderbay/stops/FT", "/f/alderbay/alerts", "/f/alderbay/routes/ABT/10/timetable?dir=0", board,
		"/f/alderbay/routes/ABT/10", "/f/alderbay/map", "/f/alderbay/routes"}
	council := []string{"/votes/{vote}", "/meetings/{meeting}", "/members/{member}", "/votes", "/topics"}
	place := w.divided(t)
	for i, path := range append(transit, council...) {
		t.Run("source "+path, func(t *testing.T) {
			t.Parallel()
			root, town := w.transit, "Alder Bay Transit"
			if i >= len(transit) {
				root, town = w.council, "City of Alder Bay"
			}
			path := place.address(path)
			p := browser.Open(t, root+path, pagetest.View{Language: "en", Print: true})
			last := p.Eval(`document.querySelector(".onpaper").innerText`)
			if !strings.HasPrefix(last, town+" · "+root+path[:6]) ||
				!accessed.MatchString(last) {
				t.Errorf("the print ends with %q", last)
			}
		})
	}
	for name, c := range map[string]struct{ path, head string }{
		"main stops": {"/f/alderbay/routes/ABT/10/timetable?dir=0&lang=es", "Library"},
		// The caption that names the trips has this word.
		"all stops": {"/f/alderbay/routes/ABT/10/timetable?dir=0&all=true&lang=es", "viajes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := browser.Open(t, w.transit+c.path, pagetest.View{})
			sheets, timed := printed(t, p), 0
			for i, text := range sheets {
				first := aRow.FindStringIndex(text)
				if first == nil {
					continue
				}
				if timed++; !strings.Contains(text[:first[0]], c.head) {
					t.Errorf("sheet %d has no column heads:\n%s", i+1, text)
				}
			}
			if timed < 2 {
				t.Errorf("%d of %d sheets have times: the timetable is too short for this test\n%s", timed,
					len(sheets), strings.Join(sheets, "\f"))
			}
			if body := p.PDF(); !bytes.Contains(body, []byte("/MediaBox [0 0 841")) &&
				!bytes.Contains(body, []byte("/MediaBox [0 0 842")) {
				t.Errorf("paper is not A4 landscape: %s", regexp.MustCompile(`/MediaBox \[[^\]]*\]`).Find(body))
			}
			if os.Getenv("TOWNLINE_SCREENSHOTS") != "" {
				file := filepath.Join(os.Getenv("TOWNLINE_SCREENSHOTS"),
					fmt.Sprintf("timetable-%s.pdf", strings.ReplaceAll(name, " ", "-")))
				if err := os.WriteFile(file, p.PDF(), 0o644); err != nil {
					t.Error(err)
				}
			}
		})
	}
}
