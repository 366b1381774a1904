package classify

import (
	"log/slog"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/run"
	"github.com/townline/townline/services/council-ingest/internal/settings"
)

// newTown returns a database with one meeting whose items have the given titles. Every item except
// the first has two votes, in which a and b disagree.
func newTown(t *testing.T, titles ...string) run.Deps {
	t.Helper()
	db := pgtest.New(t)
	must(t, db, `INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at,
		title, status) VALUES (1, 'C', 'regular', 'R', '2026-03-10', '2026-03-10 18:00Z', 'C', 'complete')`)
	must(t, db, `INSERT INTO council.member (id, name_key, full_name, last_name) VALUES (1, 'a', 'A', 'A'),
		(2, 'b', 'B', 'B')`)
	for i, title := range titles {
		addItem(t, db, i+1, title)
	}
	must(t, db, `
		INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result,
		  result_raw, ayes_count, nays_count, unanimous, via_consent, parse_source, parsed_at)
		SELECT 10 * id + n, id, 1, meeting_date, starts_at, 10 * id + n, n, '', 'adopted', 'ADOPTED', 1, 1, false, false,
		       'pdf', now() FROM council.item, generate_series(1, 2) n WHERE id > 1`)
	must(t, db, `
		INSERT INTO council.vote_position (vote_id, member_id, iqm2_id, meeting_date, starts_at, ord, position)
		SELECT v.id, b.id, 1, meeting_date, starts_at, b.id, CASE b.id WHEN 1 THEN 'aye' ELSE 'nay' END FROM council.vote v,
		       council.member b`)
	must(t, db, `INSERT INTO council.member_tally SELECT member_id, topic, position, sum(votes), sum(dissents)
		FROM council.member_share GROUP BY 1, 2, 3`)
	return run.Deps{DB: db, Log: slog.New(slog.DiscardHandler)}
}

func addItem(t *testing.T, db *pgxpool.Pool, id int, title string) {
	t.Helper()
	must(t, db, `INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, section, title,
		is_consent) SELECT $1::int, 1, meeting_date, starts_at, $1::int, 'Business', $2, false
		  FROM council.meeting`, id, title)
}

func must(t *testing.T, db *pgxpool.Pool, sql string, args ...any) {
	t.Helper()
	if _, err := db.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// list returns the rows of a query that has one text column.
func list(t *testing.T, db *pgxpool.Pool, sql string) []string {
	t.Helper()
	found, err := db.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// labels returns the published labels of items and votes.
func labels(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return list(t, db, `
		SELECT concat_ws('|', id, coalesce(topic, '-'), coalesce(topic_confidence::text, '-'), coalesce(summary, '-'),
		       coalesce(classifier_model, '-'),
		                 (SELECT string_agg(DISTINCT coalesce(v.topic, '-'), ',') FROM council.vote v WHERE v.item_id = i.id))
		FROM council.item i ORDER BY id`)
}

// state returns everything that readers see, including times.
func state(t *testing.T, db *pgxpool.Pool) []string {
	t.Helper()
	return slices.Concat(list(t, db, `SELECT i::text FROM council.item i
		ORDER BY id`), list(t, db, `SELECT v::text FROM council.vote v ORDER BY id`),
		list(t, db, `SELECT a::text FROM council.answer a ORDER BY answer_id`),
		list(t, db, `SELECT d::text FROM council.dataset d`))
}

func generation(t *testing.T, db *pgxpool.Pool) string {
	t.Helper()
	return list(t, db, `SELECT generation::text FROM council.dataset`)[0]
}

// mustTally compares the stored tallies with recomputed sums.
func mustTally(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	wrong := list(t, db, `
		WITH sums AS (SELECT member_id, topic, position, sum(votes)::bigint, sum(dissents)::bigint, body_id
		  FROM council.member_share GROUP BY 1, 2, 3, 6)
		SELECT x::text FROM ((TABLE sums EXCEPT TABLE council.body_member_tally)
		       UNION ALL (TABLE council.body_member_tally EXCEPT TABLE sums)) x`)
	if len(wrong) > 0 {
		t.Errorf("tallies that differ from the sum over votes: %v", wrong)
	}
}

func mustRun(t *testing.T, deps run.Deps, set settings.Classifier) Summary {
	t.Helper()
	sum, err := Run(t.Context(), deps, set)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
