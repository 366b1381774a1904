package townline_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	press "github.com/townline/townline/services/townline/demo/clerk"
	"github.com/townline/townline/services/townline/demo/town"
)

// The whole round of an anomaly: it is found, reviewed, answered and corrected on the clerk's pages; the document is read again and loaded
// again. In between the processes that do it are killed, at a form on its way or in a transaction. What was acknowledged is there once, what was not at
// most once, nothing that was stored goes, and another town on the same server does not move.

// A round is a town, and the processes of this test that work on it.
type round struct {
	t        *testing.T
	h        *councilHalf
	load     []string
	kills    int
	left     int // kills still to do
	stored   []string
	answered int
}

func TestTheWholeRound(t *testing.T) {
	t.Parallel()
	town, err := town.New(12)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Backward(town.Meetings(time.Now())) { // the newest minutes with a slip of the clerk
		slips := 0
		for _, s := range m.Sections {
			for _, it := range s.Items {
				for _, v := range it.Motions {
					if v.Slip != "" {
						slips++
					}
				}
			}
		}
		if slips == 0 || m.Scanned || m.PacketOnly || m.MinutesPosted.IsZero() {
			continue
		}
		pdf, err := press.Minutes(m)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "minutes.pdf")
		if err := os.WriteFile(file, pdf, 0o600); err != nil {
			t.Fatal(err)
		}
		goRound(t, file, m.Starts.Format("2006-01-02"), "../council-ingest/internal/minutes/testdata/columns.txt", 4)
		return
	}
	t.Fatal("no minutes of the demo town have a slip")
}

// The same with a real document, another real town, and 50 kills.
func TestTheWholeRoundOfARealDocument(t *testing.T) {
	t.Parallel()
	if !everything() {
		t.Skip("SKIPPED: only with TOWNLINE_EVERYTHING")
	}
	files, err := filepath.Glob(filepath.Join(repository, "../shared/data/council/riverhead-ny/202*.txt"))
	if err != nil || len(files) == 0 {
		t.Skip("SKIPPED: no real minutes in ../shared")
	}
	others, err := filepath.Glob(filepath.Join(repository, "../shared/data/council/rtd-denver/*/*.txt"))
	if err != nil || len(others) == 0 {
		t.Skip("SKIPPED: no minutes of a second city in ../shared")
	}
	looked := startCouncil(t)
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		looked.load(t, int64(i+1), filepath.Base(file)[:10], string(text))
	}
	var chosen int
	if err := looked.db.QueryRow(t.Context(), `
		SELECT a.iqm2_id FROM council.anomaly a LEFT JOIN council.vote v ON v.item_id = a.item_id AND v.motion_seq = a.motion_seq
		WHERE EXISTS (SELECT FROM council.vote_position p WHERE p.iqm2_id = a.iqm2_id)
		ORDER BY v.id IS NULL, a.iqm2_id LIMIT 1`).Scan(&chosen); err != nil {
		t.Fatalf("no real minutes with an anomaly: %v", err)
	}
	file := files[chosen-1]
	t.Logf("%s, beside %s", filepath.Base(file), filepath.Base(filepath.Dir(others[0])))
	goRound(t, file, filepath.Base(file)[:10], others[0], 50)
}

// goRound goes the round, with so many kills, beside a second town with minutes of its own.
func goRound(t *testing.T, file, date, second string, kills int) {
	t.Helper()
	r := &round{t: t, h: startCouncil(t), kills: kills, left: kills, load: []string{"council", "load", file, "--meeting-id", "7", "--date", date}}
	other := startCouncil(t)
	text, err := os.ReadFile(second)
	if err != nil {
		t.Fatal(err)
	}
	other.load(t, 7, "2026-03-03", string(text))
	untouched := wholeTown(t, other.db)

	r.run(r.load...)
	var anomaly, vote int64
	var member, position, result string
	err = r.h.db.QueryRow(t.Context(), `
		SELECT a.id, v.id, b.full_name, p.position, v.result
		FROM council.anomaly a JOIN council.vote v ON v.iqm2_id = a.iqm2_id JOIN council.vote_position p ON p.vote_id = v.id AND p.position IN ('aye', 'nay') JOIN council.member b ON b.id = p.member_id
		ORDER BY (v.item_id = a.item_id AND v.motion_seq = a.motion_seq) DESC NULLS LAST, a.id, v.id, p.ord LIMIT 1`).Scan(&anomaly, &vote, &member, &position, &result)
	if err != nil {
		t.Fatalf("no anomaly beside a vote: %v", err)
	}
	at := fmt.Sprintf("/anomalies/%d", anomaly)
	field := fmt.Sprintf("position-%d", r.number(`SELECT id FROM council.member WHERE full_name = $1`, member))
	if where := r.number(`SELECT count(*) FROM council.anomaly a JOIN council.vote v ON v.item_id = a.item_id AND v.motion_seq = a.motion_seq WHERE a.id = $1`, anomaly); where == 0 {
		at = fmt.Sprintf("/votes/%d", vote)
	}
	for n := 0; r.left > 0; n++ { // each act is another one, so that there is something to do each time
		reply := fmt.Sprintf("Reply %d: a clerical error.", n)
		r.act(fmt.Sprintf("/anomalies/%d", anomaly), `value="replied"`, n%3, "do", []string{"accepted", "rejected"}[n%2], "text", fmt.Sprint("looked, ", n))
		r.act(fmt.Sprintf("/anomalies/%d", anomaly), `value="replied"`, (n+1)%3, "do", "replied", "text", reply)
		var becomes, published string
		if err := r.h.db.QueryRow(t.Context(), isPosition, vote, member).Scan(&published); err != nil {
			t.Fatal(err)
		}
		if becomes = "absent"; published == becomes {
			becomes = "recused"
		}
		r.act(at, `name="do" value="vote"`, (n+2)%3, field, becomes, "reason", fmt.Sprint("misread, ", n), "document", "the minutes", "then", "store")
		r.cut(n, "council", "reparse", "--all")
		r.cut(n, r.load...)
	}
	// Undisturbed, it is done: each thing said once more where a kill may have been before it.
	last := "The last word: a clerical error."
	r.act(fmt.Sprintf("/anomalies/%d", anomaly), `value="replied"`, -1, "do", "replied", "text", last)
	r.run("council", "reparse", "--all")
	r.run(r.load...)
	r.run("council", "verify")
	var now string
	if err := r.h.db.QueryRow(t.Context(), isPosition, vote, member).Scan(&now); err != nil || now != r.lastPosition() {
		t.Errorf("%s is %q, %v; the newest correction says %q", member, now, err, r.lastPosition())
	}
	var detail struct {
		State string
		Reply struct{ Text, Author string }
	}
	eventually(t, func() error {
		if r.h.get(t, fmt.Sprintf("/anomalies/%d", anomaly), &detail); detail.Reply.Text != last {
			return fmt.Errorf("the API has the reply %+v", detail)
		}
		return nil
	})
	if d := cmp.Diff(untouched, wholeTown(t, other.db)); d != "" {
		t.Errorf("the other town:\n%s", d)
	}
	t.Logf("%d kills; %d acts acknowledged, %d stored; state %s, %s is %s as corrected", r.kills-r.left, r.answered, len(r.stored), detail.State, member, now)
}

const isPosition = `SELECT p.position FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = $1 AND b.full_name = $2`

// wholeTown is every row of a town.
func wholeTown(t *testing.T, db *pgxpool.Pool) (all []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'council'::regnamespace AND relkind = 'r' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		var sum string
		if err := db.QueryRow(t.Context(), `SELECT '`+table+` ' || count(*) || ' ' || coalesce(md5(string_agg(x::text, '' ORDER BY x::text)), '') FROM council.`+table+` x`).Scan(&sum); err != nil {
			t.Fatal(err)
		}
		all = append(all, sum)
	}
	return all
}

func (r *round) number(sql string, args ...any) (n int64) {
	r.t.Helper()
	if err := r.h.db.QueryRow(r.t.Context(), sql, args...).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *round) lastPosition() (is string) {
	if err := r.h.db.QueryRow(r.t.Context(), `SELECT becomes FROM council.correction ORDER BY correction_id DESC LIMIT 1`).Scan(&is); err != nil {
		r.t.Fatal(err)
	}
	return is
}

// command is the townline command in a process of its own.
func (r *round) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(r.t.Context()), self, args...)
	cmd.Env = append(os.Environ(), actAsTownline+"=1", "DATABASE_URL="+r.h.db.Config().ConnString(), "TOWNLINE_DATA="+r.t.TempDir())
	return cmd
}

// run runs a command to its end.
func (r *round) run(args ...string) {
	r.t.Helper()
	if out, err := r.command(args...).CombinedOutput(); err != nil {
		r.t.Fatalf("townline %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// cut runs a command and kills it at the nth statement that is seen of its transactions.
func (r *round) cut(n int, args ...string) {
	r.t.Helper()
	if r.left == 0 {
		return
	}
	cmd := r.command(args...)
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // killed or done: what is stored says which
		close(ended)
	}()
	seen := map[string]bool{}
	for over := false; !over; {
		var statement *string
		err := r.h.db.QueryRow(r.t.Context(), `
			SELECT max(query || state || xact_start) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE '%' || $1 || '%' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`, args[1]).Scan(&statement)
		if err != nil {
			r.t.Fatal(err)
		}
		if statement != nil {
			seen[*statement] = true
		}
		select {
		case <-ended:
			over = true
		default:
			if len(seen) > n%7 {
				_ = cmd.Process.Kill()
				<-ended
				r.left--
				over = true
			}
		}
	}
	r.check()
}

var opened = regexp.MustCompile(`open once: (http://\S+)`)

// act lets a clerk come in, and send a form. When is the moment of a kill: 0 while the form is on its way, 1 when it has been sent, 2 after the answer; below 0 is never.
func (r *round) act(path, mark string, when int, pairs ...string) {
	r.t.Helper()
	if r.left == 0 && when >= 0 {
		return
	}
	cmd := r.command("review", "--addr", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	kill := func() {
		_ = cmd.Process.Kill()
	}
	defer func() {
		kill()
		_ = cmd.Wait()
		if when >= 0 {
			r.left--
		}
		r.check()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	link := opened.FindStringSubmatch(line)
	if err != nil || link == nil {
		r.t.Fatalf("townline review says %q, %v", line, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		r.t.Fatal(err)
	}
	client := &http.Client{Jar: jar, CheckRedirect: func(req *http.Request, _ []*http.Request) error {
		if req.URL.Query().Has("done") {
			return http.ErrUseLastResponse
		}
		return nil
	}, Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	ask := func(method, address string, form url.Values, trace *httptrace.ClientTrace) (int, string, error) {
		ctx := r.t.Context()
		if trace != nil {
			ctx = httptrace.WithClientTrace(ctx, trace)
		}
		req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
		if err != nil {
			r.t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		res, err := client.Do(req)
		if err != nil {
			return 0, "", err
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		return res.StatusCode, string(body), err
	}
	base := link[1][:strings.Index(link[1], "/open")]
	if status, body, err := ask(http.MethodGet, link[1], nil, nil); err != nil || status != http.StatusOK {
		r.t.Fatalf("the link: %d %v\n%s", status, err, body)
	}
	_, page, err := ask(http.MethodGet, base+path, nil, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	form := formWith(r.t, page, mark)
	form.Set("by", "Ann Example, City Clerk")
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	said := "text"
	if form.Get("reason") != "" {
		said = "reason"
	}
	var trace *httptrace.ClientTrace
	switch when {
	case 0:
		trace = &httptrace.ClientTrace{WroteHeaders: kill}
	case 1:
		trace = &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { kill() }}
	}
	status, body, err := ask(http.MethodPost, base+path, form, trace)
	times := func() int64 {
		return r.number(`SELECT (SELECT count(*) FROM council.review WHERE body = $1) + (SELECT count(*) FROM council.correction WHERE reason = $1)`, form.Get(said))
	}
	switch {
	case err == nil && status == http.StatusSeeOther:
		r.answered++
		if n := times(); n != 1 {
			r.t.Errorf("%v: acknowledged, and stored %d times", pairs, n)
		}
	case err == nil:
		r.t.Fatalf("%v: %d\n%s", pairs, status, body)
	default:
		if n := times(); n > 1 {
			r.t.Errorf("%v: not acknowledged, and stored %d times", pairs, n)
		}
	}
}

// check looks at everything that was said: what was there is there.
func (r *round) check() {
	r.t.Helper()
	rows, err := r.h.db.Query(r.t.Context(), `
		SELECT line FROM (
			SELECT made_at, 'review ' || review_id || ' ' || act || ' ' || body || ' ' || author AS line FROM council.review
			UNION ALL SELECT made_at, 'correction ' || correction_id || ' ' || kind || ' ' || coalesce(becomes, '') || ' ' || reason FROM council.correction) x ORDER BY line`)
	if err != nil {
		r.t.Fatal(err)
	}
	now, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		r.t.Fatal(err)
	}
	for _, line := range r.stored {
		if !slices.Contains(now, line) {
			r.t.Errorf("lost: %s", line)
		}
	}
	r.stored = now
}

var (
	formsOf  = regexp.MustCompile(`(?s)<form method="post".*?</form>`)
	inputsOf = regexp.MustCompile(`<input[^>]* name="([^"]+)"[^>]* value="([^"]*)"|<select[^>]* name="([^"]+)">.*?<option value="([^"]*)" selected`)
)

// formWith is the form of a page that has a mark, with the values that a browser would send.
func formWith(t *testing.T, page, mark string) url.Values {
	t.Helper()
	for _, text := range formsOf.FindAllString(page, -1) {
		if !strings.Contains(text, mark) {
			continue
		}
		v := url.Values{}
		for _, m := range inputsOf.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[0], `type="checkbox"`) {
				v.Set(m[1]+m[3], strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(m[2]+m[4]))
			}
		}
		return v
	}
	t.Fatalf("no form with %s in\n%s", mark, page)
	return nil
}
