package townline_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/sample"
	"github.com/townline/townline/services/townline/demo/town"
)

// This test has the whole life of an anomaly: it is found, reviewed, answered and corrected on the
// clerk's pages, and the document is parsed and loaded again. Meanwhile the processes are killed,
// during a request or in a transaction. Acknowledged statements are stored once, others at most
// once. Stored data is never lost, and another town on the same server does not change.

// A round is a town with the processes that work on it.
type round struct {
	t        *testing.T
	h        *councilHalf
	load     []string
	kills    int
	left     int // number of kills that remain
	stored   []string
	answered int
}

func TestTheWholeRound(t *testing.T) {
	t.Parallel()
	meetings, err := town.Read()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range slices.Backward(meetings) { // the newest minutes with a mistake of the clerk
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
		pdf, err := m.Minutes()
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
	t.Fatal("no minutes of the demo town have a mistake")
}

// The same with a real document, another real town, and 50 kills.
func TestTheWholeRoundOfARealDocument(t *testing.T) {
	t.Parallel()
	if !everything() {
		t.Skip("runs only with TOWNLINE_EVERYTHING")
	}
	files, others := sample.Glob(t, "council/riverhead-ny/202*.txt"), sample.Glob(t, "council/rtd-denver/*/*.txt")
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
		SELECT a.iqm2_id FROM council.anomaly a LEFT JOIN council.vote v ON v.item_id = a.item_id
		       AND v.motion_seq = a.motion_seq
		WHERE EXISTS (SELECT FROM council.vote_position p WHERE p.iqm2_id = a.iqm2_id)
		ORDER BY v.id IS NULL, a.iqm2_id LIMIT 1`).Scan(&chosen); err != nil {
		t.Fatalf("no real minutes with an anomaly: %v", err)
	}
	file := files[chosen-1]
	t.Logf("%s, with the corpus %s", filepath.Base(file), filepath.Base(filepath.Dir(others[0])))
	goRound(t, file, filepath.Base(file)[:10], others[0], 50)
}

// goRound runs a round with a number of kills, while a second town with its own minutes is on the
// same server.
func goRound(t *testing.T, file, date, second string, kills int) {
	t.Helper()
	r := &round{t: t, h: startCouncil(t), kills: kills, left: kills, load: []string{"council", "load", file,
		"--meeting-id", "7", "--date", date}}
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
		FROM council.anomaly a JOIN council.vote v ON v.iqm2_id = a.iqm2_id JOIN council.vote_position p ON p.vote_id = v.id
		  AND p.position IN ('aye', 'nay') JOIN council.member b ON b.id = p.member_id
		ORDER BY (v.item_id = a.item_id
		  AND v.motion_seq = a.motion_seq) DESC NULLS LAST, a.id, v.id, p.ord LIMIT 1`).Scan(&anomaly, &vote, &member,
		&position, &result)
	if err != nil {
		t.Fatalf("no anomaly of a vote: %v", err)
	}
	at := fmt.Sprintf("/anomalies/%d", anomaly)
	field := fmt.Sprintf("position-%d", r.number(`SELECT id FROM council.member WHERE full_name = $1`, member))
	if where := r.number(`SELECT count(*) FROM council.anomaly a JOIN council.vote v
		ON v.item_id = a.item_id AND v.motion_seq = a.motion_seq WHERE a.id = $1`, anomaly); where == 0 {
		at = fmt.Sprintf("/votes/%d", vote)
	}
	for n := 0; r.left > 0; n++ { // each act differs, so that it changes data
		reply := fmt.Sprintf("Reply %d: a clerical error.", n)
		r.act(fmt.Sprintf("/anomalies/%d", anomaly), `value="replied"`, n%3, "do", []string{"accepted", "rejected"}[n%2],
			"text", fmt.Sprint("looked, ", n))
		r.act(fmt.Sprintf("/anomalies/%d", anomaly), `value="replied"`, (n+1)%3, "do", "replied", "text", reply)
		var becomes, published string
		if err := r.h.db.QueryRow(t.Context(), isPosition, vote, member).Scan(&published); err != nil {
			t.Fatal(err)
		}
		becomes = "absent"
		if published == becomes {
			becomes = "recused"
		}
		r.act(at, `name="do" value="vote"`, (n+2)%3, field, becomes, "reason", fmt.Sprint("misread, ", n), "document",
			"the minutes", "then", "store")
		r.cut(n, "council", "reparse", "--all")
		r.cut(n, r.load...)
	}
	// Without kills, repeat each statement that a kill may have prevented.
	last := "The last word: a clerical error."
	r.act(fmt.Sprintf("/anomalies/%d", anomaly), `value="replied"`, -1, "do", "replied", "text", last)
	r.run("council", "reparse", "--all")
	r.run(r.load...)
	r.run("council", "verify")
	var now string
	if err := r.h.db.QueryRow(t.Context(), isPosition, vote, member).Scan(&now); err != nil || now != r.lastPosition() {
		t.Errorf("%s is %q, %v; the newest correction has %q", member, now, err, r.lastPosition())
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
		t.Errorf("the other town changed:\n%s", d)
	}
	t.Logf("%d kills; %d acts acknowledged, %d stored; state %s, %s corrected to %s", r.kills-r.left, r.answered,
		len(r.stored), detail.State, member, now)
}

const isPosition = `SELECT p.position FROM council.vote_position p JOIN council.member b ON b.id = p.member_id
	WHERE p.vote_id = $1 AND b.full_name = $2`

func wholeTown(t *testing.T, db *pgxpool.Pool) (all []string) {
	t.Helper()
	rows, err := db.Query(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'council'::regnamespace
		AND relkind = 'r' ORDER BY 1`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 10 {
		t.Fatal(tables, err)
	}
	for _, table := range tables {
		var sum string
		if err := db.QueryRow(t.Context(), `SELECT '`+table+
			` ' || count(*) || ' ' || coalesce(md5(string_agg(x::text, '' ORDER BY x::text)), '') FROM council.`+table+` x`).
			Scan(&sum); err != nil {
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
	if err := r.h.db.QueryRow(r.t.Context(), `SELECT becomes FROM council.correction
		ORDER BY correction_id DESC LIMIT 1`).Scan(&is); err != nil {
		r.t.Fatal(err)
	}
	return is
}

func (r *round) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(r.t.Context()), self, args...)
	cmd.Env = append(os.Environ(), actAsTownline+"=1", "DATABASE_URL="+r.h.db.Config().ConnString(), "TOWNLINE_DATA="+
		r.t.TempDir())
	return cmd
}

func (r *round) run(args ...string) {
	r.t.Helper()
	if out, err := r.command(args...).CombinedOutput(); err != nil {
		r.t.Fatalf("townline %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// cut runs a command and kills it at the nth observed statement of its transactions.
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
		_ = cmd.Wait() // it was killed or has finished: the stored data shows which
		close(ended)
	}()
	seen := map[string]bool{}
	for over := false; !over; {
		var statement *string
		err := r.h.db.QueryRow(r.t.Context(), `
			SELECT max(query || state || xact_start) FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE '%' || $1 || '%'
			  AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`, args[1]).Scan(&statement)
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
