package townline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/townline"
	"github.com/townline/townline/services/townline/demo"
	"github.com/townline/townline/services/townline/demo/town"
)

// screen is the output of a command; a test can wait for a line in it.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	wake chan struct{}
}

func newScreen() *screen { return &screen{wake: make(chan struct{}, 1)} }

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits for a match and returns its first group.
func (s *screen) wait(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	deadline := time.After(2 * time.Minute)
	for {
		if m := re.FindStringSubmatch(s.String()); m != nil {
			return m[len(m)-1]
		}
		select {
		case <-s.wake:
		case <-deadline:
			t.Fatalf("%q was not printed within two minutes; output:\n%s", pattern, s.String())
		}
	}
}

// up runs `townline up` on a folder until the returned function ends it.
func up(t *testing.T, data string, args ...string) (*screen, func() int) {
	t.Helper()
	return upIn(t, conf.Environ{}, data, args...)
}

func upIn(t *testing.T, env conf.Environ, data string, args ...string) (*screen, func() int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out := newScreen()
	status := make(chan int, 1)
	args = append([]string{"up", "--data", data, "--council-addr", "127.0.0.1:0", "--transit-addr", "127.0.0.1:0",
		"--demo-addr", "127.0.0.1:0"}, args...)
	go func() { status <- townline.Main(ctx, args, env, out, out) }()
	ended := sync.OnceValue(func() int {
		stop()
		select {
		case s := <-status:
			return s
		case <-time.After(time.Minute):
			return -1
		}
	})
	t.Cleanup(func() { ended() })
	return out, ended
}

func get(t *testing.T, url string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(fetchText(t, url)), into); err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
}

// This test runs the whole program on an empty folder. The two APIs serve the votes and buses of
// the demo town, the documentation is correct, and after Ctrl-C no process remains.
func TestUpServesTheDemoTown(t *testing.T) {
	t.Parallel()
	demo := runDemo(t)
	data, out := demo.data, demo.out
	council := out.wait(t, `council-api +(http://\S+)/v1/meetings`) + "/v1"
	transit := out.wait(t, `transit-api +(http://\S+)/feeds\?`)

	var feeds struct{ Data []struct{ Alias string } }
	get(t, transit+"/feeds?_format=json", &feeds)
	if len(feeds.Data) != 1 || feeds.Data[0].Alias != "alderbay" {
		t.Errorf("feeds: %+v", feeds)
	}
	var stops struct{ Meta struct{ TotalCount int } }
	get(t, transit+"/feeds/alderbay/stops?_format=json", &stops)
	if stops.Meta.TotalCount < 25 {
		t.Errorf("%d stops", stops.Meta.TotalCount)
	}
	compareVotes(t, council)
	if status, page := request(t, strings.TrimSuffix(council, "/v1")+"/", "Accept", "text/html"); status != 200 ||
		!strings.Contains(string(page), "City of Alder Bay") || strings.Contains(string(page), " UTC") {
		t.Errorf("the council's first page: %d, without the town's name or its time zone", status)
	}

	// A second `up` on the same folder is refused.
	second := newScreen()
	if status := townline.Main(t.Context(), []string{"up", "--data", data}, conf.Environ{}, second, second); status != 1 ||
		!strings.Contains(second.String(), "running") {
		t.Errorf("a second up on the folder: %d, %s", status, second)
	}
	// Another command finds the running servers.
	third := newScreen()
	if status := townline.Main(t.Context(), []string{"feed", "list", "--data", data}, conf.Environ{}, third,
		third); status != 0 || !strings.Contains(third.String(), "Alder Bay Transit") {
		t.Errorf("feed list during a running up: %d, %s", status, third)
	}
	t.Run("examples", func(t *testing.T) { testExamples(t, map[string]string{"council": council, "transit": transit}) })
	t.Run("documentation", func(t *testing.T) { testDocumentation(t, demo) })
	t.Run("tracing", func(t *testing.T) { testTracing(t, demo) }) // last, because it imports the feed again
	if status := demo.stop(); status != 0 {
		t.Errorf("up ended with %d:\n%s", status, out)
	}
	if pids, err := filepath.Glob(filepath.Join(data, "postgres", "*", "postmaster.pid")); err != nil || len(pids) > 0 {
		t.Errorf("Postgres is still running: %v %v", pids, err)
	}
	if _, err := os.Stat(filepath.Join(data, "demo")); err == nil {
		t.Error("the demo's configuration files still exist")
	}
}

// line returns a vote as one comparable line.
func line(fold *strings.Replacer, item, result string, ayes, nays int, mover, seconder string,
	positions map[string][]string) string {
	var roll []string
	for _, p := range []string{"aye", "nay", "abstain", "absent", "recused"} {
		var names []string
		for _, name := range positions[p] {
			names = append(names, fold.Replace(name))
		}
		slices.Sort(names)
		roll = append(roll, p+": "+strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s | %s | %d-%d | %s / %s | %s", fold.Replace(item), result, ayes, nays, fold.Replace(mover),
		fold.Replace(seconder), strings.Join(roll, "; "))
}

// printedVote returns a vote as a perfect parser would read it in the minutes, including the
// clerk's mistakes.
func printedVote(fold *strings.Replacer, title string, v *town.Motion) string {
	ayes, nays := len(v.Rolls["Aye"]), len(v.Rolls["Nay"])
	if v.Slip == "tally-mismatch" {
		ayes, nays = ayes+1, nays-1
	}
	mover, seconder := "", ""
	if v.Mover != nil {
		mover, seconder = v.Mover.Name, v.Seconder.Name
	}
	if v.Slip == "mover-missing" {
		mover = ""
	}
	positions := map[string][]string{}
	for position, members := range v.Rolls {
		as := strings.ToLower(position)
		if position == "Away" || position == "Excused" {
			as = "absent"
		}
		for i, p := range members {
			name := p.Name
			if v.Slip == "member-unknown" && position == "Aye" && i == 1 {
				name = "Pemberton" // no member has this name
			}
			positions[as] = append(positions[as], name)
		}
	}
	return line(fold, title, v.Rows[0][1], ayes, nays, mover, seconder, positions)
}

// compareVotes compares every vote of the API with the records of the town's clerk.
func compareVotes(t *testing.T, base string) {
	t.Helper()
	alder, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	minuted := alder.Minuted()
	if len(minuted) < 20 {
		t.Fatalf("only %d meetings of the town have minutes", len(minuted))
	}
	// One person is one member, in every spelling that the clerk used.
	fold := strings.NewReplacer("\u2019", "'", "\u2018", "'", "Daniel C. Okafor", "Daniel Okafor")
	numbers := numbersByStart(t, base)
	for _, m := range minuted {
		if m.Scanned {
			continue // the document is unreadable, which another test covers
		}
		var want []string
		for _, s := range m.Sections {
			for _, it := range s.Items {
				for _, v := range s.Votes(it) {
					want = append(want, printedVote(fold, it.Title, v))
				}
			}
		}
		var meeting struct {
			Items []struct {
				Title string
				Votes []struct {
					ResultRaw    string  `json:"result_raw"`
					AyesCount    int     `json:"ayes_count"`
					NaysCount    int     `json:"nays_count"`
					MoverName    *string `json:"mover_name"`
					SeconderName *string `json:"seconder_name"`
					Positions    []struct {
						MemberName string `json:"member_name"`
						Position   string
					}
				}
			}
		}
		number := numbers[m.Starts.UTC().Format(time.RFC3339)]
		if number != int64(m.ID) && m.Starts.Before(town.Moved()) || number < 1_000_000_000 &&
			!m.Starts.Before(town.Moved()) {
			t.Errorf("the meeting of %s has the number %d; the previous portal had %d", m.Starts, number, m.ID)
		}
		get(t, fmt.Sprintf("%s/meetings/%d", base, number), &meeting)
		var got []string
		for _, item := range meeting.Items {
			for _, v := range item.Votes {
				positions := map[string][]string{}
				for _, p := range v.Positions {
					positions[p.Position] = append(positions[p.Position], p.MemberName)
				}
				got = append(got, line(fold, item.Title, v.ResultRaw, v.AyesCount, v.NaysCount, text(v.MoverName),
					text(v.SeconderName), positions))
			}
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("votes are missing from meeting %d: %s", m.ID, w)
			}
		}
		for _, g := range got {
			if !slices.Contains(want, g) {
				t.Errorf("meeting %d has unexpected votes: %s", m.ID, g)
			}
		}
	}
}

// numbersByStart returns the numbers of meetings by start. If several meetings start at the same
// time, it has the lowest number, which has the votes.
func numbersByStart(t *testing.T, base string) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	for next := ""; ; {
		var page struct {
			Data []struct {
				ID       int64  `json:"iqm2_id"`
				StartsAt string `json:"starts_at"`
			}
			NextCursor *string `json:"next_cursor"`
		}
		get(t, base+"/meetings?limit=200"+next, &page)
		for _, m := range page.Data {
			if had := out[m.StartsAt]; had == 0 || m.ID < had {
				out[m.StartsAt] = m.ID
			}
		}
		if page.NextCursor == nil {
			return out
		}
		next = "&cursor=" + *page.NextCursor
	}
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Mistakes in a configuration file are reported with their line before anything starts.
func TestUpReadsTheConfigurationFirst(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	transit := write(t, "transit.yaml", "feeds:\n  - alias: metro\n    every: 6\n")
	council := write(t, "council.yaml", "portals:\n- url: https://town.legistar.com\n  from: soon\n")
	out := newScreen()
	status := townline.Main(t.Context(), []string{"up", "--data", data, "--transit-config", transit, "--council-config",
		council}, conf.Environ{}, out, out)
	for _, want := range []string{transit + ":3: feeds[0].every: ", council + `:3: portals[0].from: "soon" is not a day`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
	if _, err := os.Stat(data); status != 1 || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("status %d; the data folder exists: %v", status, err)
	}
	out = newScreen()
	status = townline.Main(t.Context(), []string{"up", "--data", data, "--council-addr", "127.0.0.1:99999",
		"--transit-addr", "here"}, conf.Environ{}, out, out)
	for _, want := range []string{`COUNCIL_ADDR "127.0.0.1:99999" is not an address`,
		`TRANSIT_ADDR "here" is not an address`} {
		if status != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("status %d and no %q in %s", status, want, out)
		}
	}
	out = newScreen()
	status = townline.Main(t.Context(), []string{"up", "--data", data, "--transit-config", "/no/such.yaml",
		"--council-config", "/nor/such.yaml"}, conf.Environ{}, out, out)
	for _, want := range []string{"/no/such.yaml", "TRANSIT_CONFIG", "deploy/transit.yaml", "/nor/such.yaml",
		"COUNCIL_CONFIG", "deploy/council.yaml"} {
		if status != 1 || !strings.Contains(out.String(), want) {
			t.Errorf("status %d and no %q in %s", status, want, out)
		}
	}
}

// A configured half disables the demo of the other half, unless it is requested. The file of a half that
// does not run is not read.
func TestNoDemoWithRealData(t *testing.T) {
	t.Parallel()
	council := filepath.Join(t.TempDir(), "not-written-yet.yaml")
	for _, c := range []struct {
		args []string
		demo bool
	}{{nil, false}, {[]string{"--demo"}, true}} {
		args := append([]string{"--only", "transit", "--council-config", council, "--database-url", pgtest.URL(t)}, c.args...)
		out, stop := up(t, filepath.Join(t.TempDir(), "data"), args...)
		out.wait(t, `everything is up`)
		if got := strings.Contains(out.String(), "demo"); got != c.demo {
			t.Errorf("%v: demo %v:\n%s", c.args, got, out)
		}
		if status := stop(); status != 0 {
			t.Errorf("up ended with %d:\n%s", status, out)
		}
	}
}
