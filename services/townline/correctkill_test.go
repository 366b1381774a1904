package townline_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	councilingest "github.com/townline/townline/services/council-ingest"
)

// A command that stores a correction with several parts is killed, once while it stores its rows
// and once while they are applied to the votes. In the first case no row is stored. In the second
// all rows are stored, and council-ingest applies them. A vote is never half corrected.
func TestAKilledCorrectionIsWholeOrNothing(t *testing.T) {
	t.Parallel()
	database := pgtest.URL(t)
	db, locks := open(t, database, pg.Options{}), open(t, database, pg.Options{MaxConns: 1})
	deps := run.Deps{DB: db, Log: slog.New(slog.DiscardHandler)}
	set, err := councilingest.ReadSettings("", nil)
	if err != nil {
		t.Fatal(err)
	}
	minutes := clerk{"Tuesday, March 3, 2026"}.minutes([]string{"Ferries by night"})
	if _, err := councilingest.Load(t.Context(), deps, set, councilingest.Minutes{MeetingID: 1, Date: "2026-03-03",
		Bytes: []byte(minutes)}); err != nil {
		t.Fatal(err)
	}
	// A session that stores a second row waits until this lock is released.
	const second = 20_260_303
	if _, err := db.Exec(t.Context(), fmt.Sprintf(`
		CREATE FUNCTION second_waits() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
		  IF EXISTS (SELECT FROM council.correction) THEN PERFORM pg_advisory_xact_lock(%d); END IF;
		  RETURN NEW;
		END $$;
		CREATE TRIGGER second_waits BEFORE INSERT
		  ON council.correction FOR EACH ROW EXECUTE FUNCTION second_waits()`, second)); err != nil {
		t.Fatal(err)
	}
	const votes = `SELECT concat_ws(' ', id, result, ayes_count, nays_count,
		(SELECT string_agg(member_id || position, ',' ORDER BY member_id) FROM council.vote_position WHERE vote_id = v.id))
		  FROM council.vote v`
	one := func(sql string) (s string) {
		t.Helper()
		if err := db.QueryRow(t.Context(), sql).Scan(&s); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return s
	}
	read := one(votes)
	vote, _, _ := strings.Cut(read, " ")
	correct := []string{"council", "correct", "vote", vote, "--position", "Ben Baker=nay", "--position", "Cy De Witt=nay",
		"--position", "Ann Archer=nay", "--result", "failed",
		"--by", "Ann Clerk", "--reason", "read from the wrong row", "--document", "page 1"}
	if out, err := councilCommand(t.Context(), database, "", append([]string{"council", "correct", "vote", "9999"},
		correct[4:]...)...).CombinedOutput(); err == nil || !bytes.Contains(out, []byte("vote 9999: ")) {
		t.Errorf("correction of an unknown vote: %v\n%s", err, out)
	}
	killed := func(lock string) {
		t.Helper()
		holds, err := locks.Begin(t.Context())
		if err == nil {
			_, err = holds.Exec(t.Context(), lock)
		}
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd := councilCommand(t.Context(), database, "", correct...)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		const others = `SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database()
			AND application_name LIKE '%correct%'`
		for one(others+` AND wait_event_type = 'Lock'`) == "0" {
			select {
			case err := <-ended:
				t.Fatalf("the command did not wait: %v\n%s", err, out.String())
			default:
			}
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Fatalf("the command ended before it was killed:\n%s", out.String())
		}
		if err := holds.Rollback(t.Context()); err != nil {
			t.Fatal(err)
		}
		for one(others) != "0" { // until the server has ended the session
		}
	}
	const said = `SELECT count(*)::text FROM council.correction`
	killed(fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, second))
	if n, is := one(said), one(votes); n != "0" || is != read {
		t.Errorf("killed while it stored rows: %s corrections, %s", n, is)
	}
	killed(`SELECT FROM council.dataset FOR UPDATE`)
	if n, is := one(said), one(votes); n != "4" || is != read {
		t.Errorf("killed while rows were applied: %s corrections, %s", n, is)
	}
	if any, err := councilingest.Apply(t.Context(), deps); !any || err != nil {
		t.Errorf("settle: %v, %v", any, err)
	}
	if is := one(votes); !strings.Contains(is, " failed 1 3 ") {
		t.Errorf("vote after the correction: %s; before %s", is, read)
	}
	for _, command := range []string{"check", "verify"} {
		if out, err := councilCommand(t.Context(), database, "", "council", command).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}
