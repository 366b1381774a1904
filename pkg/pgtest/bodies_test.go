package pgtest_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
)

// migrateTo takes one of the steps before the one file of a schema.
func migrateTo(t *testing.T, pool *pgxpool.Pool, part schema.Part, version int64) {
	t.Helper()
	sub, err := fs.Sub(schema.Files(), "before/"+string(part))
	if err != nil {
		t.Fatal(err)
	}
	db := stdlib.OpenDBFromPool(pool)
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE SCHEMA "+string(part)); err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, sub, goose.WithTableName(string(part)+".schema_version"),
		goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.UpTo(t.Context(), version); err != nil {
		t.Fatal(err)
	}
}

func execAll(t *testing.T, pool *pgxpool.Pool, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := pool.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

func texts(ctx context.Context, pool *pgxpool.Pool, sql string) ([]string, error) {
	rows, err := pool.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// oldTown fills a database of schema version 9 with meetings of 20 votes each. Half of the votes
// have five positions.
func oldTown(t *testing.T, pool *pgxpool.Pool, votes int) {
	t.Helper()
	execAll(t, pool, fmt.Sprintf(`
		INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status)
		SELECT m, CASE m WHEN 1 THEN 'Council' ELSE 'Atlanta City Council' END, 'regular', 'Regular', date '1990-01-01' + m %% 12000,
		       timestamptz '1990-01-01 18:00Z' + m %% 12000 * interval '1 day', 'Meeting ' || m, 'complete'
		FROM generate_series(1, %d) m`, votes/20), fmt.Sprintf(`
		INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, title, is_consent)
		SELECT v, iqm2_id, meeting_date, starts_at, v %% 20, 'Street ' || v, false
		FROM generate_series(1, %d) v JOIN council.meeting ON iqm2_id = (v - 1) / 20 + 1`, votes), `
		INSERT INTO council.member (name_key, full_name, last_name)
		SELECT 'jane doe ' || n, 'Jane Doe ' || n, 'Doe' FROM generate_series(1, 9) n`, `
		INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result, result_raw,
		                          ayes_count, nays_count, unanimous, via_consent, parse_source, parsed_at)
		SELECT id, id, iqm2_id, meeting_date, starts_at, ord, 1, 'Approve', 'adopted', 'ADOPTED', 4, 1, false, false, 'pdf', now()
		FROM council.item`, `
		INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date, starts_at, ord, position)
		SELECT v.id, n, iqm2_id, meeting_date, starts_at, n, CASE n WHEN 1 THEN 'nay' ELSE 'aye' END
		FROM council.vote v, generate_series(1, 5) n WHERE v.id % 2 = 0`, `
		INSERT INTO council.member_tally SELECT member_id, topic, position, sum(votes), sum(dissents)
		FROM council.member_share GROUP BY 1, 2, 3`, `
		INSERT INTO council.pair_tally SELECT member_id, other_id, via_consent, sum(shared), sum(agreed)
		FROM council.pair_share GROUP BY 1, 2, 3`)
}

// A database with one body is migrated while the previous release reads and writes. No read fails,
// and ids and answers stay the same.
func TestBodiesAreAddedWhileTheReleaseBeforeWorks(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool := open(t, url)
	migrateTo(t, pool, schema.Council, 9)
	votes := 2_000
	if n, err := strconv.Atoi(os.Getenv("TOWNLINE_MIGRATE_VOTES")); err == nil { // a larger number, for measurements
		votes = n
	}
	oldTown(t, pool, votes)
	answers := []string{
		`SELECT id || ' ' || iqm2_id || ' ' || ord FROM council.vote ORDER BY meeting_date DESC, starts_at DESC, iqm2_id DESC, ord LIMIT 50`,
		`SELECT concat_ws(' ', member_id, topic, position, votes, dissents) FROM council.member_tally ORDER BY 1`,
		`SELECT concat_ws(' ', member_id, other_id, via_consent, shared, agreed) FROM council.pair_tally ORDER BY 1`,
		`SELECT concat_ws(' ', id, name_key, full_name) FROM council.member ORDER BY id`,
	}
	before := make([][]string, len(answers))
	for i, sql := range answers {
		var err error
		if before[i], err = texts(t.Context(), pool, sql); err != nil || len(before[i]) < 3 {
			t.Fatal(len(before[i]), err)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var readers errgroup.Group
	var reads int
	var slowest time.Duration
	readers.Go(func() error {
		for ; ctx.Err() == nil; reads++ {
			start := time.Now()
			now, err := texts(t.Context(), pool, answers[reads%len(answers)])
			if d := cmp.Diff(before[reads%len(answers)], now); err != nil || d != "" {
				return fmt.Errorf("read %d: %w\n%s", reads, err, d)
			}
			slowest = max(slowest, time.Since(start))
		}
		return nil
	})
	start := time.Now()
	if err := schema.Migrate(t.Context(), url, schema.Council); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d votes: %s; %d reads, the slowest %s", votes, time.Since(start), reads, slowest)
	stop()
	if err := readers.Wait(); err != nil {
		t.Error(err)
	}
	wantOne := func(want, sql string) {
		t.Helper()
		if got, err := texts(t.Context(), pool, sql); err != nil || len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q, %v; want %q", sql, got, err, want)
		}
	}
	wantOne("1 atlanta-city-council Atlanta City Council", `SELECT concat_ws(' ', body_id, slug, name) FROM council.body`)
	wantOne("9 9 9", `SELECT concat_ws(' ', count(*), count(DISTINCT member_id), sum(body_id)) FROM council.member_body`)
	// The previous release continues to write.
	execAll(t, pool,
		`INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status)
			VALUES (900000, 'Atlanta City Council', 'regular', '', '2026-01-05', '2026-01-05 18:00Z', 'Next', 'complete')`,
		`INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, title, is_consent)
			VALUES (9000001, 900000, '2026-01-05', '2026-01-05 18:00Z', 1, 'Bridge', false)`,
		`INSERT INTO council.member (name_key, full_name, last_name) VALUES ('max roe', 'Max Roe', 'Roe')`,
		`INSERT INTO council.member_tally AS t (member_id, topic, position, votes, dissents)
			SELECT max(id), '', 'aye', 1, 0 FROM council.member
			ON CONFLICT (member_id, topic, position) DO UPDATE SET votes = t.votes + 1`,
		`DELETE FROM council.member_tally WHERE votes = 1`,
		`UPDATE council.meeting SET meeting_date = '2026-01-06' WHERE iqm2_id = 900000`)
	wantOne("10 10", `SELECT concat_ws(' ', count(*), sum(body_id)) FROM council.member_body`)
	wantOne("1 1",
		`SELECT concat_ws(' ', i.body_id, m.body_id) FROM council.item i JOIN council.meeting m USING (iqm2_id) WHERE id = 9000001`)
	// If a meeting moves to another body, its rows move with it.
	execAll(t, pool, `INSERT INTO council.body (slug, name) VALUES ('zoning', 'Zoning')`,
		`UPDATE council.meeting SET body_id = 2 WHERE iqm2_id = 1`)
	wantOne("20 20 50", `SELECT concat_ws(' ', (SELECT count(*) FROM council.item WHERE body_id = 2),
		(SELECT count(*) FROM council.vote WHERE body_id = 2), (SELECT count(*) FROM council.vote_position WHERE body_id = 2))`)
	if _, err := pool.Exec(t.Context(), `UPDATE council.item SET body_id = 1 WHERE iqm2_id = 1`); err == nil {
		t.Error("an item and its meeting have different bodies")
	}
}

// Pages have the bodies of the meetings of their document, including pages that were stored before.
func TestPagesFollowTheirBodies(t *testing.T) {
	t.Parallel()
	url := pgtest.EmptyURL(t)
	pool := open(t, url)
	migrateTo(t, pool, schema.Council, 12)
	execAll(t, pool, `INSERT INTO council.body (slug, name) VALUES ('zoning', 'Zoning')`,
		`INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title,
				status, body_id)
			SELECT m, 'Town', 'regular', '', '2026-01-05', '2026-01-05 18:00Z', 'Meeting', 'complete', (m + 1) / 2
			FROM generate_series(1, 4) m`,
		`INSERT INTO council.document (document_id, sha256, media_type, size) OVERRIDING SYSTEM VALUE
			SELECT d, sha256(d::text::bytea), 'text/plain', 1 FROM generate_series(1, 5) d`)
	parse := func(document int) string {
		return fmt.Sprintf(`INSERT INTO council.document_text (document_id, text, parser_version, parsed_at)
			VALUES (%d, E'one\ftwo', '', now())
			ON CONFLICT (document_id) DO UPDATE SET text = 'once more'`, document)
	}
	minutes := func(meeting, document int) string {
		return fmt.Sprintf(`INSERT INTO council.minutes (iqm2_id, document_id, fetched_at) VALUES (%d, %d, now())`,
			meeting, document)
	}
	execAll(t, pool, parse(1), parse(2), parse(3), minutes(1, 1), minutes(2, 3), minutes(3, 2), minutes(4, 3))
	if err := schema.Migrate(t.Context(), url, schema.Council); err != nil {
		t.Fatal(err)
	}
	want := func(want ...string) {
		t.Helper()
		got, err := texts(t.Context(), pool, `
			SELECT DISTINCT document_id || ' ' || body_ids::text FROM council.page ORDER BY 1`)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Error(err, d)
		}
	}
	want("1 {1}", "2 {2}", "3 {1,2}")
	execAll(t, pool, minutes(4, 4), parse(4), parse(5), minutes(3, 5), minutes(2, 2), parse(3))
	want("1 {1}", "2 {1,2}", "3 {1,2}", "4 {2}", "5 {2}")
	execAll(t, pool, `UPDATE council.meeting SET body_id = 1 WHERE iqm2_id = 4`,
		`DELETE FROM council.meeting WHERE iqm2_id = 2`)
	want("1 {1}", "2 {2}", "3 {1}", "4 {1}", "5 {2}")
}
