package townline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	councilingest "github.com/townline/townline/services/council-ingest"
	"github.com/townline/townline/services/townline/demo"
	"github.com/townline/townline/services/townline/demo/town"
)

func demoCouncil(t *testing.T, alder *demo.Town) string {
	t.Helper()
	return write(t, "council.yaml", alder.Council)
}

// lately returns the demo's meetings in the months before 21 November 2026, and in half as many
// months before the change of portal.
func lately(t *testing.T, months int) []*town.Meeting {
	t.Helper()
	all, err := town.Read()
	if err != nil {
		t.Fatal(err)
	}
	recent := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC).AddDate(0, -months, 0)
	first := town.Moved().AddDate(0, 0, -15*months)
	return slices.DeleteFunc(all, func(m *town.Meeting) bool {
		return m.Starts.Before(recent) && (m.Starts.Before(first) || !m.Starts.Before(town.Moved()))
	})
}

// A portal is asked before there is the file that COUNCIL_CONFIG names: the answer is for that file.
func TestProbeBeforeTheFile(t *testing.T) {
	t.Parallel()
	alder, err := demo.Start(t.Context(), demo.Options{})
	if err != nil {
		t.Fatal(err)
	}
	status, printed := askTownline(t, "council", "probe", alder.URL, "--allow-private", "--council-config",
		filepath.Join(t.TempDir(), "not-written-yet.yaml"))
	if status != 0 || !strings.Contains(printed, "council.yaml:\n  portals:\n  - {url: \""+alder.URL) {
		t.Errorf("status %d: %s", status, printed)
	}
}

// TestAFlakyPortalIsReadWhole ingests a portal that answers many requests with errors, timeouts,
// truncated pages or nothing. In the end everything is stored once, and another ingest changes no
// byte of any answer of the API.
func TestAFlakyPortalIsReadWhole(t *testing.T) {
	t.Parallel()
	months, rate := 1, 0.15
	if everything() {
		months, rate = 12, 0.3
	}
	noon := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	var failed atomic.Int64
	town, err := demo.Start(t.Context(), demo.Options{Meetings: lately(t, months), Now: func() time.Time { return noon },
		Wrap: func(h http.Handler) http.Handler {
			return flaky(h, flakyOptions{Rate: rate, Seed: 5, Hang: 50 * time.Millisecond, Failed: &failed})
		}})
	if err != nil {
		t.Fatal(err)
	}
	h := startCouncil(t)
	h.set, err = councilingest.ReadSettings(demoCouncil(t, town), nil)
	if err != nil {
		t.Fatal(err)
	}
	ingest := func() (sum councilingest.Summary) {
		for try := 0; ; try++ {
			sum, err = councilingest.Ingest(t.Context(), h.deps, h.set, councilingest.Request{AllowPrivate: true})
			if err == nil && sum.Failed == 0 {
				return sum
			}
			if try == 20 {
				t.Fatalf("the portal was not read completely: %+v, %v", sum, err)
			}
		}
	}
	ingest()
	want, got := printedVotes(town), map[string]int{}
	rows, err := h.db.Query(t.Context(), `SELECT starts_at, vote_count FROM council.meeting
		WHERE status IN ('complete', 'parse_error') AND minutes_id IS NOT NULL`)
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var starts time.Time
		var votes int
		if err := rows.Scan(&starts, &votes); err != nil {
			t.Fatal(err)
		}
		if votes > 0 {
			got[starts.UTC().Format(time.RFC3339)] = votes
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if len(want) == 0 || failed.Load() < 5 {
		t.Fatalf("%d votes, %d failures of the portal", len(want), failed.Load())
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("votes by meeting:\n%s", d)
	}
	before := everyAnswer(t, h)
	for range 2 {
		if sum := ingest(); sum.Changed != 0 {
			t.Errorf("another ingest: %+v", sum)
		}
	}
	if d := cmp.Diff(before, everyAnswer(t, h)); d != "" {
		t.Errorf("another ingest changed answers:\n%s", d)
	}
	t.Logf("%d meetings with votes, %d answers", len(want), len(before))
}

// printedVotes counts the votes in the minutes of each council meeting of a demo town, keyed by the
// start of the meeting. It omits meetings without votes.
func printedVotes(t *demo.Town) map[string]int {
	votes := map[string]int{}
	for _, m := range t.Minuted() {
		for _, s := range m.Sections {
			for _, it := range s.Items {
				if n := len(s.Votes(it)); n > 0 && !m.Scanned {
					votes[m.Starts.UTC().Format(time.RFC3339)] += n
				}
			}
		}
	}
	return votes
}

// everyAnswer returns, by path, bytes and ETag of every page of every list and of every resource of
// the meetings.
func everyAnswer(t *testing.T, h *councilHalf) map[string]string {
	t.Helper()
	out := map[string]string{}
	fetch := func(path string) []byte {
		status, header, body := h.fetch(t, path)
		if status != http.StatusOK {
			body = nil // the body contains the request id
		}
		out[path] = fmt.Sprintf("%d %s %s\n%s", status, header.Get("ETag"), header.Get("Last-Modified"), body)
		return body
	}
	for _, path := range []string{"/stats", "/topics", "/members", "/export/votes.csv", "/meetings?limit=50",
		"/items?limit=50", "/votes?limit=50", "/anomalies?limit=50", "/changes?limit=50"} {
		var page struct {
			Data []struct {
				ID     int64 `json:"id"`
				IQM2ID int64 `json:"iqm2_id"`
			}
			NextCursor *string `json:"next_cursor"`
		}
		for at := path; ; at = path + "&cursor=" + *page.NextCursor {
			page.NextCursor = nil
			body := fetch(at)
			if json.Unmarshal(body, &page) != nil || strings.HasPrefix(path, "/export") {
				break
			}
			for _, row := range page.Data {
				switch {
				case strings.HasPrefix(path, "/meetings"):
					for _, below := range []string{"", "/minutes.pdf", "/minutes.txt"} {
						fetch(fmt.Sprintf("/meetings/%d%s", max(row.ID, row.IQM2ID), below))
					}
				case path == "/members":
					fetch(fmt.Sprintf("/members/%d", row.ID))
				}
			}
			if page.NextCursor == nil {
				break
			}
		}
	}
	return out
}

// councilCommand returns the command as a separate process that uses a database.
func councilCommand(ctx context.Context, database, config string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(os.Environ(), actAsTownline+"=1", "DATABASE_URL="+database, "COUNCIL_CONFIG="+config,
		"TOWNLINE_ALLOW_PRIVATE=true", "LOG_LEVEL=error")
	return cmd
}

// TestAKilledIngestGoesOn kills the ingesting process at random moments, and starts it again. At
// each moment everything stored is complete, and in the end nothing is missing. A whole ingest takes
// a few seconds, so each database is only used until one has ended.
func TestAKilledIngestGoesOn(t *testing.T) {
	t.Parallel()
	kills, meetings := 2, lately(t, 1)
	if everything() {
		kills, meetings = 50, nil // all
	}
	noon := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	town, err := demo.Start(t.Context(), demo.Options{Meetings: meetings, Now: func() time.Time { return noon }})
	if err != nil {
		t.Fatal(err)
	}
	config, want := demoCouncil(t, town), 0
	for _, n := range printedVotes(town) {
		want += n
	}
	killed, databases := 0, 0
	for ; killed < kills && databases < kills; databases++ {
		database := pgtest.URL(t)
		must := func(args ...string) {
			t.Helper()
			out, err := councilCommand(t.Context(), database, config, append([]string{"council"}, args...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("after %d kills, %s: %v\n%s", killed, args, err, out)
			}
		}
		for killed < kills && ingestIsKilled(t, database, config) {
			killed++
			if killed%5 == 0 || !everything() {
				must("check")
				must("verify")
			}
		}
		must("ingest")
		must("check")
		must("verify")
		var votes int
		if err := open(t, database, pg.Options{}).QueryRow(t.Context(), `SELECT count(*) FROM council.vote
			WHERE origin = 'minutes'`).Scan(&votes); err != nil {
			t.Fatal(err)
		}
		if votes != want {
			t.Errorf("%d votes of %d", votes, want)
		}
	}
	t.Logf("%d kills, %d databases, %d votes", killed, databases, want)
	if everything() && killed < kills {
		t.Errorf("only %d ingests were killed before they ended", killed)
	}
}

// ingestIsKilled starts to ingest and kills the process at a random moment. It reports whether the
// process still ran by then.
func ingestIsKilled(t *testing.T, database, config string) bool {
	t.Helper()
	var out bytes.Buffer
	cmd := councilCommand(t.Context(), database, config, "council", "ingest", "--all")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	moment := 200*time.Millisecond + time.Duration(rand.Int64N(int64(800*time.Millisecond)))
	timer := time.AfterFunc(moment, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		return true
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	return false
}

// repeated returns the demo's meetings. It also copies the meetings before the change of portal to
// earlier half years, with the same minutes.
func repeated(t *testing.T, times int) []*town.Meeting {
	t.Helper()
	all, err := town.Read()
	if err != nil {
		t.Fatal(err)
	}
	var earlier []*town.Meeting
	for back := times; back > 0; back-- {
		for _, m := range all {
			if m.Starts.Before(town.Moved()) {
				past := *m
				past.ID, past.Twins = m.ID+1000*back, nil
				past.Starts = m.Starts.AddDate(0, 0, -24*7*back) // the copied meetings cover 22 weeks
				earlier = append(earlier, &past)
			}
		}
	}
	return append(earlier, all...)
}

// TestAThousandMeetings measures the first ingest of thirty years of the town over HTTP, twice,
// each in a separate process: more than a thousand meetings with twenty thousand votes, in constant
// memory. The log has the duration.
func TestAThousandMeetings(t *testing.T) {
	if !everything() {
		t.Skip("runs only with TOWNLINE_EVERYTHING")
	}
	meetings, votes := 0, 0
	wall := time.Duration(0)
	for range 2 {
		sum, took := firstLoad(t, demo.Options{Meetings: repeated(t, 64)})
		meetings, votes = meetings+sum.Meetings, votes+sum.Votes
		wall = wall + took
	}
	t.Logf("%d meetings, %d votes in %s", meetings, votes, wall.Round(time.Second))
	if meetings < 1000 || votes < 20_000 {
		t.Errorf("%d meetings, %d votes are too few", meetings, votes)
	}
}

// firstLoad ingests a whole town into an empty database.
func firstLoad(t *testing.T, o demo.Options) (sum councilingest.Summary, took time.Duration) {
	t.Helper()
	town, err := demo.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := councilCommand(t.Context(), pgtest.URL(t), demoCouncil(t, town), "council", "ingest", "--json")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	var family []int // resident bytes of the process and its children, measured twenty times per second
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for !ended.Load() {
			family = append(family, resident(cmd.Process.Pid))
			<-tick.C
		}
	}()
	err = cmd.Wait()
	took = time.Since(start)
	ended.Store(true)
	<-sampled
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	if err := json.Unmarshal(out.Bytes(), &sum); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	third := len(family) / 3
	first, last := slices.Max(family[:third]), slices.Max(family[2*third:])
	t.Logf("%d meetings, %d votes in %s (%s CPU time); %d MiB at most in the first third, %d MiB in the last",
		sum.Meetings, sum.Votes, took.Round(time.Second),
		(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Round(time.Second), first>>20, last>>20)
	if sum.Failed > 0 {
		t.Errorf("%+v", sum)
	}
	if last > first*3/2 {
		t.Errorf("memory grew from %d to %d bytes", first, last)
	}
	return sum, took
}

// resident returns the resident memory of a process and its children, in bytes.
func resident(pid int) int {
	of := func(pid int) int {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		fields := strings.Fields(string(data))
		if err != nil || len(fields) < 2 {
			return 0 // the process has ended
		}
		pages, err := strconv.Atoi(fields[1])
		if err != nil {
			return 0
		}
		return pages * os.Getpagesize()
	}
	sum := of(pid)
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return sum
	}
	for _, task := range tasks {
		data, err := os.ReadFile(task)
		if err != nil {
			continue // the thread has ended
		}
		for _, child := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(child); err == nil {
				sum += of(n)
			}
		}
	}
	return sum
}
