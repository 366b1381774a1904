package councilingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/publish"
	"github.com/townline/townline/services/council-ingest/internal/settings"
	"github.com/townline/townline/services/council-ingest/internal/version"
	"github.com/townline/townline/services/council-ingest/internal/writer"
)

// cutter is a tracer that interrupts work before its n-th statement, as a kill would.
type cutter struct{ left int }

type cutKey struct{}

// at returns a context that is cancelled before statement n.
func (c *cutter) at(ctx context.Context, n int) context.Context {
	c.left = n
	return context.WithValue(ctx, cutKey{}, c)
}

var errCut = errors.New("cut off")

func (c *cutter) pass(ctx context.Context) context.Context {
	if ctx.Value(cutKey{}) == nil {
		return ctx
	}
	if c.left--; c.left > 0 {
		return ctx
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cancel(errCut)
	return ctx
}

func (c *cutter) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return c.pass(ctx)
}
func (c *cutter) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}
func (c *cutter) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return c.pass(ctx)
}
func (c *cutter) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}
func (c *cutter) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData)     {}

// cutPool returns a pool and a cutter that can interrupt its work.
func cutPool(t *testing.T) (*pgxpool.Pool, *cutter) {
	t.Helper()
	config, err := pgxpool.ParseConfig(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{}
	config.ConnConfig.Tracer = c
	config.MaxConns = 2
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool, c
}

// published returns every vote and meeting, and the version of the parser that read each document.
func published(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return values[string](t, db, `
		SELECT format('vote %s of meeting %s: %s', r.vote_id, r.iqm2_id,
		       (SELECT string_agg(concat_ws(' ', b.full_name, p.position), ', ' ORDER BY p.ord)
		              FROM council.vote_position p JOIN council.member b ON b.id = p.member_id WHERE p.vote_id = r.vote_id))
		       || concat_ws(' ', reading->>'item_title', reading->>'result_raw', reading->>'mover_name',
		         reading->>'seconder_name') FROM council.vote_reading r
		UNION ALL SELECT format('meeting %s %s same as %s, %s votes', iqm2_id, status, same_as, vote_count)
		  FROM council.meeting
		UNION ALL SELECT format('document %s by %s %s', document_id, parser_version, md5(text)) FROM council.document_text
		UNION ALL SELECT format('anomaly %s %s', iqm2_id, code) FROM council.anomaly
		ORDER BY 1`)
}

// A re-parse is interrupted before one of its statements: before every thirtieth, or before each if
// TOWNLINE_EVERYTHING is set. The next re-parse, without the option all, has the same result as an
// undisturbed one.
func TestAnInterruptedReparseIsContinued(t *testing.T) {
	t.Parallel()
	db, cut := cutPool(t)
	deps, set := testDeps(t, db), testSettings(t)
	day := "Tuesday, March 10, 2026"
	shared := minutesText(day, item("1.", "2026-101", "Awards the Contract", split))
	mustLoad(t, deps, set, 7, "2026-03-10", shared)
	mustLoad(t, deps, set, 8, "2026-03-17", shared) // it is the same document
	mustLoad(t, deps, set, 9, "2026-03-24", minutesText(day, item("2.", "2026-102", "Accepts the Report", unanimous)))
	// This is a second document.
	mustLoad(t, deps, set, 9, "2026-03-24", minutesText(day, item("2.", "2026-102", "Accepts the Report", split)))
	// An older version parsed everything, with another name for one of the members.
	old, now := testSettings(t), set
	old.Members = map[string]settings.Member{"Benjamin Baker": {Spellings: []string{"Ben Baker"}}}
	reset := func() {
		t.Helper()
		mustReparse(t, deps, old, true)
		mustExec(t, db, `UPDATE council.document_text SET parser_version = 'older'`)
	}
	reset()
	before := published(t, db)
	mustReparse(t, deps, now, false)
	want := published(t, db)
	if cmp.Equal(before, want) {
		t.Fatal("the re-parse changes nothing, so this test has no effect")
	}
	whole, step := 0, 30 // whole is the number of statements of an undisturbed re-parse
	if os.Getenv("TOWNLINE_EVERYTHING") != "" {
		step = 1
	}
	for n := 1; whole == 0; n += step {
		reset()
		_, err := Reparse(cut.at(t.Context(), n), deps, now, false)
		if err == nil {
			whole = n
			if cut.left <= 0 {
				t.Fatalf("interrupted before statement %d: no error", n)
			}
		}
		mustReparse(t, deps, now, false)
		if d := cmp.Diff(want, published(t, db)); d != "" {
			t.Fatalf("interrupted before statement %d (%v):\n%s", n, err, d)
		}
	}
	t.Logf("interrupted %d times, before one of up to %d statements", step, whole-1)
	if whole < 30 {
		t.Errorf("only %d statements: the tracer is not installed", whole)
	}
	mustBeProven(t, deps, now)
}

// A release that changes no parser re-reads nothing. One that changes only the parser parses the
// stored texts, and does not need the documents.
func TestReparseReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract", split)))
	text, _, _ := strings.Cut(version.Of(version.Text), ",")
	for was, meetings := range map[string]int{
		version.Of(version.Text): 0, text + ", parser 0": 1, "text 0, " + version.Name(version.Parser): 1, run.Version: 1,
	} {
		mustExec(t, db, `UPDATE council.document SET content = 'spoilt'`)
		mustExec(t, db, `UPDATE council.document_text SET parser_version = $1`, was)
		sum, err := Reparse(t.Context(), deps, set, false)
		readBytes := !strings.HasPrefix(was, text)
		if sum.Meetings != meetings || (err != nil) != readBytes {
			t.Errorf("read by %q: %+v, %v", was, sum, err)
		}
		now := values[string](t, db, `SELECT parser_version FROM council.document_text`)[0]
		if !readBytes && now != version.Of(version.Text) {
			t.Errorf("read by %q before, by %q now", was, now)
		}
	}
}

// rowsRead is a tracer with the largest number of rows that a query has read.
type rowsRead struct{ most atomic.Int64 }

func (r *rowsRead) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}
func (r *rowsRead) TraceQueryEnd(_ context.Context, _ *pgx.Conn, end pgx.TraceQueryEndData) {
	r.most.Store(max(r.most.Load(), end.CommandTag.RowsAffected()))
}

// A re-parse holds the lock of the dataset for each meeting. Meanwhile it reads the members of the
// meeting's body, and not those of all bodies.
func TestReparseReadsTheMembersOfOneBody(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
		item("1.", "2026-101", "Awards the Contract", split)))
	mustExec(t, db, `INSERT INTO council.body (body_id, slug, name) SELECT n, 'board-' || n, 'Board ' || n
		FROM generate_series(2, 41) n`)
	mustExec(t, db, `WITH m AS (
			INSERT INTO council.member (name_key, full_name, last_name)
			SELECT format('doe %s|board-%s', n, b), 'Doe ' || n, 'Doe' FROM generate_series(1, 25) n, generate_series(2, 41) b
			RETURNING id, name_key)
		INSERT INTO council.member_body (body_id, name_key, member_id)
		SELECT split_part(name_key, '-', 2)::bigint, split_part(name_key, '|', 1), id FROM m`)
	config := db.Config()
	count := &rowsRead{}
	config.ConnConfig.Tracer = count
	counted, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(counted.Close)
	deps.DB = counted
	mustReparse(t, deps, set, true)
	if most := count.most.Load(); most == 0 || most > 100 {
		t.Errorf("a query read %d rows", most)
	}
}

// A document with damaged bytes only prevents the re-parse of its own meeting.
func TestReparseSkipsUnreadableDocuments(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	for id := range int64(3) {
		mustLoad(t, deps, set, 7+id, "2026-03-10", minutesText("Tuesday, March 10, 2026",
			item("1.", fmt.Sprintf("2026-10%d", id), "Awards the Contract", split)))
	}
	before := published(t, db)
	mustExec(t, db, `UPDATE council.document SET content = 'spoilt' WHERE document_id = 1`)
	set.Members = map[string]settings.Member{"Benjamin Baker": {Spellings: []string{"Ben Baker"}}}
	sum, err := Reparse(t.Context(), deps, set, true)
	if err == nil || !strings.Contains(err.Error(), "document 1: ") || sum.Failed != 1 || sum.Changed != 2 ||
		sum.Meetings != 3 {
		t.Errorf("%+v, %v", sum, err)
	}
	after := published(t, db)
	for i, line := range after {
		if changed := line != before[i]; changed != (strings.HasPrefix(line, "vote ") &&
			!strings.HasPrefix(line, "vote 1 ")) {
			t.Errorf("the row\n%s\nbecame\n%s", before[i], line)
		}
	}
}

// If the parser panics, or the tables reject a value, one document is affected. Its meeting keeps
// its votes and gets the status parse_error. All other documents are parsed.
func TestARefusedDocumentKeepsWhatWasPublished(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(t *testing.T, deps run.Deps) *publish.Publisher{
		"the parser panics": func(_ *testing.T, deps run.Deps) *publish.Publisher { // it panics, because it has no parser
			return &publish.Publisher{Writer: writer.New(deps), Refused: map[int64]string{}}
		},
		"the tables refuse it": func(t *testing.T, deps run.Deps) *publish.Publisher {
			mustExec(t, deps.DB, `ALTER TABLE council.member ADD CHECK (full_name <> 'Benjamin Baker')`)
			again := testSettings(t)
			again.Members = map[string]settings.Member{"Benjamin Baker": {Spellings: []string{"Ben Baker"}}}
			return publish.New(deps, again)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := pgtest.New(t)
			deps, set := testDeps(t, db), testSettings(t)
			mustLoad(t, deps, set, 7, "2026-03-10", minutesText("Tuesday, March 10, 2026",
				item("1.", "2026-101", "Awards the Contract", split)))
			before := published(t, db)
			p := refuse(t, deps)
			for range 2 { // the second run must change nothing
				if _, err := p.Write(t.Context(), func(tx pgx.Tx) (bool, error) {
					return p.Publish(t.Context(), tx, 7)
				}); err != nil {
					t.Fatal(err)
				}
				wantStatus(t, db, 7, "discovered minutes_pending complete parse_error")
			}
			if err := publish.New(deps, set).Finish(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			want := []string{"anomaly 7 unreadable"}
			for _, line := range before {
				want = append(want, strings.Replace(line, "7 complete", "7 parse_error", 1))
			}
			if d := cmp.Diff(want, published(t, db)); d != "" {
				t.Error(d)
			}
			if len(p.Refused) != 1 {
				t.Errorf("the refused documents are %v", p.Refused)
			}
			if wrong, _, err := Check(t.Context(), deps); len(wrong) != 0 || err != nil {
				t.Errorf("Check = %v, %v", wrong, err)
			}
			var out bytes.Buffer
			if n, err := Verify(t.Context(), deps, set, &out); n != 0 || err != nil ||
				!strings.Contains(out.String(), "meetings [7] is refused") {
				t.Errorf("Verify found %d differences, %v\n%s", n, err, out.String())
			}
			// A version that can read the document repairs everything.
			mustReparse(t, deps, set, true)
			if d := cmp.Diff(before, published(t, db)); d != "" {
				t.Error(d)
			}
			mustBeProven(t, deps, set)
		})
	}
}

// If a newer version cannot read a document, the meeting keeps the document's votes.
func TestADocumentThatBecomesUnreadableKeepsItsVotes(t *testing.T) {
	t.Parallel()
	db, deps, set := empty(t)
	mustLoad(t, deps, set, 7, "2026-03-10", " \f ")
	// An earlier version found a text in the document.
	text := minutesText("Tuesday, March 10, 2026", item("1.", "2026-101", "Awards the Contract", split))
	mustExec(t, db, `UPDATE council.document_text SET text = $1, error = NULL, verdict = NULL,
		parser_version = 'older'`, text)
	p := publish.New(deps, set)
	if _, err := p.Write(t.Context(), func(tx pgx.Tx) (bool, error) { return p.Publish(t.Context(), tx, 7) }); err != nil {
		t.Fatal(err)
	}
	var votes, errs int
	for range 2 {
		mustReparse(t, deps, set, false)
		err := db.QueryRow(t.Context(), `SELECT vote_count, (SELECT count(*) FROM council.anomaly
			WHERE kind = 'error') FROM council.meeting WHERE status = 'parse_error'`).Scan(&votes, &errs)
		if err != nil || votes != 1 || errs != 1 {
			t.Errorf("%d votes, %d anomalies, %v", votes, errs, err)
		}
	}
	mustBeProven(t, deps, set)
}
