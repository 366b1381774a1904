package councilapi

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
)

var benchMeetings = flag.Int("meetings", 12000, "meetings of the benchmark's dataset; 150,000 items and 1,000,000 "+
	"votes at 12,000")

// generate fills a database: n meetings of each body over n/300 years, 12.5 items per meeting, 6.7
// votes per item, rolls of seven among sixty members of the body with successive terms. The first
// body has the same rows in each database; tables have those of all bodies by date.
var generate = []string{
	// The rows are consistent, and checking them would take longer than inserting them.
	`SET session_replication_role = replica`,
	`
	INSERT INTO council.member (id, name_key, full_name, last_name) SELECT i, 'given family' || i, 'Given Family' || i,
	  'Family' || i FROM generate_series(1, 60 * {bodies}) i`,
	`UPDATE council.body SET slug = 'body-1', name = 'City Council'`,
	`INSERT INTO council.body (body_id, slug, name) SELECT i, 'body-' || i, 'Body ' || i FROM generate_series(2, {bodies}) i`, `
	INSERT INTO council.meeting (iqm2_id, body, meeting_type, meeting_type_raw, meeting_date, starts_at, title, status,
	  source_url, body_id)
	SELECT i, 'City Council', (ARRAY['regular', 'regular', 'regular', 'special', 'closed', 'other'])[1 + i % 6],
	       'Regular Meeting', d, d + time '18:00', 'City Council - Regular Meeting',
	       CASE WHEN i % 500 = 0 THEN 'cancelled' WHEN i % 701 = 0 THEN 'parse_error' ELSE 'complete' END,
	         'https://portal.example/meeting/' || i, b
	FROM (SELECT (b - 1) * {n} + k AS i, b, date '1986-01-01' + (k * 1.2)::integer AS d
	      FROM generate_series(1, {n}) k, generate_series(1, {bodies}) b ORDER BY k, b) x`, `
	INSERT INTO council.item (id, iqm2_id, meeting_date, starts_at, ord, item_number, section, title, is_consent, topic,
	  classified_at, classifier_model, topic_confidence, body_id)
	SELECT iqm2_id * 13 + o, iqm2_id, meeting_date, starts_at, o, o || '.', 'New Business',
	       (SELECT string_agg((ARRAY['street', 'sweeping', 'housing', 'contract', 'award', 'resolution', 'ordinance',
	         'park', 'budget', 'water', 'police', 'zoning', 'appeal', 'library',
	                                 'permit', 'bridge', 'sewer', 'harbour', 'lease',
	                                   'grant'])[1 + (hashint4(iqm2_id::integer * 31 + o * 7 + w) & 1023) % 20], ' '
	                                     ORDER BY w) || ' ' || (iqm2_id * 17 + o)
	        FROM generate_series(1, 9) w),
	       o % 3 = 0, CASE t WHEN 13 THEN NULL
	         ELSE (ARRAY['housing', 'land-use-zoning', 'public-safety', 'budget-finance', 'utilities', 'transportation',
	           'parks-recreation', 'economic-development',
	                          'homelessness', 'personnel-labor', 'contracts-procurement', 'governance-procedural',
	                            'other'])[1 + t] END, starts_at, 'bench', 0.9, body_id
	FROM (SELECT m.*, o, (hashint4(m.iqm2_id::integer * 13 + o) & 1023) % 14 AS t FROM council.meeting m,
	  generate_series(1, 12 + (m.iqm2_id % 2)::integer) o WHERE status = 'complete') x`, `
	INSERT INTO council.vote (id, item_id, iqm2_id, meeting_date, starts_at, ord, motion_seq, motion_text, result,
	  result_raw, ayes_count, nays_count, unanimous, via_consent,
	                          mover_id, seconder_id, parse_source, parsed_at, source_page, topic, body_id)
	SELECT id * 7 + s, id, iqm2_id, meeting_date, starts_at, ord * 10 + s, s,
	       (ARRAY['Motion to adopt the resolution', 'Motion to approve the consent calendar',
	         'Motion to refer the matter to committee', 'To adopt the ordinance on second reading',
	       'Motion to accept the report and place it on file',
	         'Motion to table the item until the next regular meeting'])[1 + h % 6] || CASE WHEN h % 40 = 0
	           THEN ' as amended' WHEN h % 977 = 0 THEN ' with thanks' ELSE '' END, CASE WHEN h % 1000 < 3 THEN 'no_action'
	             WHEN h % 100 < 4 THEN 'failed' WHEN h % 100 < 6 THEN 'tabled'
	       WHEN h % 100 < 9 THEN 'continued' WHEN h % 100 < 10 THEN 'other' ELSE 'adopted' END, 'ADOPTED', 7 - n, n, n = 0,
	         is_consent,
	       CASE WHEN h % 50 > 0 THEN body_id * 60 - 59 + (k * 54 / {n} + h % 7) END, CASE WHEN h % 60 > 0
	         THEN body_id * 60 - 59 + (k * 54 / {n} + h % 5) END, 'pdf', starts_at, 1 + ord, topic, body_id
	FROM (SELECT i.*, s, (iqm2_id - 1) % {n} AS k, hashint4(i.id::integer * 11 + s) & 1048575 AS h, CASE
	  WHEN (hashint4(i.id::integer * 5 + s) & 1023) % 10 > 0 THEN 0
	    ELSE 1 + (hashint4(i.id::integer + s) & 1023) % 4 END AS n
	      FROM council.item i, generate_series(1, 6 + (i.id % 3 > 0)::integer) s) x`, `
	INSERT INTO council.vote_position (vote_id, member_id, body_id, iqm2_id, meeting_date, starts_at, ord, position)
	SELECT v.id, v.body_id * 60 - 59 + ((v.iqm2_id - 1) % {n} * 54 / {n} + p - 1), v.body_id, v.iqm2_id, v.meeting_date,
		v.starts_at, p,
	       CASE WHEN p <= v.nays_count THEN 'nay' WHEN (hashint4(v.id::integer + p) & 1023) % 300 = 0 THEN 'recused'
	         WHEN (hashint4(v.id::integer + p) & 1023) % 40 = 0 THEN 'absent' ELSE 'aye' END
	FROM council.vote v, generate_series(1, 7) p`, `
	INSERT INTO council.anomaly (iqm2_id, meeting_date, starts_at, ord, item_id, kind, code, message, source_page,
	  body_id)
	SELECT iqm2_id, meeting_date, starts_at, ord, item_id,
	       (ARRAY['typo', 'missing', 'inconsistency', 'error'])[1 + id % 4],
	         (ARRAY['tally-mismatch', 'mover-missing', 'no-text', 'result-word-misspelt'])[1 + id % 4], 'x', 1, body_id
	FROM council.vote WHERE id % 50 = 0`,
	`
	INSERT INTO council.change (kind, iqm2_id, vote_id, before, after, reason, run_id, changed_at, body_id)
	SELECT CASE WHEN id % 97 = 0 THEN 'vote_changed' WHEN id % 971 = 0 THEN 'vote_removed' ELSE 'vote_added' END, iqm2_id, id, CASE WHEN id % 97 = 0 THEN '{"result": "failed"}'::jsonb END,
	       '{"result": "adopted"}', 'new document', 'bench', starts_at, body_id
	FROM council.vote ORDER BY meeting_date, id`,
	`UPDATE council.meeting m SET item_count = i.n FROM (SELECT iqm2_id, count(*) AS n FROM council.item GROUP BY 1) i
		WHERE i.iqm2_id = m.iqm2_id`,
	`UPDATE council.meeting m SET vote_count = v.n FROM (SELECT iqm2_id, count(*) AS n FROM council.vote GROUP BY 1) v
		WHERE v.iqm2_id = m.iqm2_id`,
	`INSERT INTO council.body_member_tally
		SELECT member_id, topic, position, sum(votes), sum(dissents), body_id FROM council.member_share GROUP BY 1, 2, 3, 6`,
	`INSERT INTO council.body_pair_tally SELECT member_id, other_id, via_consent, sum(shared), sum(agreed), body_id
		FROM council.pair_share GROUP BY 1, 2, 3, 6`,
	`DELETE FROM council.member_body`,
	`INSERT INTO council.member_body (body_id, name_key, member_id)
		SELECT (id + 59) / 60, name_key, id FROM council.member`,
	// Each meeting has nine pages of minutes with 300 words. A third of the words are common; the
	// others have natural frequencies.
	`CREATE TABLE printed AS
	SELECT k, council.fold(text) AS text, to_tsvector('english', text) AS search
	FROM (SELECT k, (SELECT string_agg(CASE WHEN g % 3 = 0
	  THEN (ARRAY['motion', 'council', 'approve', 'seconded', 'street', 'housing', 'adopted', 'resolution', 'minutes',
	    'public'])[1 + (hashint4(k * 31 + g) & 1023) % 10]
	      ELSE 'word' || translate((power((hashint4(k * 701 + g) & 65535) / 65536.0, 3) * 60000)::integer::text,
	        '0123456789', 'abcdefghij') END, ' ') FROM generate_series(1, 300) g) AS text
	      FROM generate_series(1, 4000) k) t`,
	`INSERT INTO council.document (document_id, sha256, media_type, size) OVERRIDING SYSTEM VALUE SELECT iqm2_id,
		sha256(iqm2_id::text::bytea), 'application/pdf', 1 FROM council.meeting`,
	`INSERT INTO council.minutes (minutes_id, iqm2_id, document_id, fetched_at) OVERRIDING SYSTEM VALUE SELECT iqm2_id,
		iqm2_id, iqm2_id, starts_at FROM council.meeting`,
	`UPDATE council.meeting SET minutes_id = iqm2_id, latest_id = iqm2_id WHERE status = 'complete'`,
	`INSERT INTO council.page (document_id, page, body_ids, text, search)
	SELECT m.iqm2_id, p, ARRAY[m.body_id],
	       'page' || translate((m.iqm2_id * 9 + p)::text, '0123456789', 'abcdefghij') || ' ' || t.text,
	       to_tsvector('simple', 'page' || translate((m.iqm2_id * 9 + p)::text, '0123456789', 'abcdefghij')) || t.search
	FROM council.meeting m, generate_series(1, 9) p, printed t
	  WHERE t.k = 1 + (hashint4(m.iqm2_id::integer * 9 + p) & 1048575) % 4000`,
	`INSERT INTO council.word SELECT word FROM ts_stat('SELECT to_tsvector(''simple'', text) FROM printed')
		WHERE length(word) > 3`,
	`DROP TABLE printed`,
	`UPDATE council.dataset SET generation = 1`,
	`VACUUM ANALYZE`,
	// While autovacuum reads a table, VACUUM cannot mark all of its pages as visible.
	`VACUUM`,
}

// benchDB returns a database with a large dataset of the given number of bodies. It creates each
// database once in a run.
func benchDB(b *testing.B, bodies int) *pgxpool.Pool {
	b.Helper()
	url := pgtest.URL(b)
	writer, err := pg.Open(b.Context(), url, pg.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer writer.Close()
	conn, err := writer.Acquire(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Release()
	for _, sql := range generate {
		if _, err := conn.Exec(context.Background(), strings.NewReplacer("{n}", strconv.Itoa(*benchMeetings),
			"{bodies}", strconv.Itoa(bodies)).Replace(sql)); err != nil {
			b.Fatalf("%v\n%s", err, sql)
		}
	}
	// one session only, because its statistics are read
	reader, err := pg.Open(b.Context(), url, pg.Options{ReadOnly: true, Plans: pg.CustomPlans, MaxConns: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(reader.Close)
	return reader
}

// seqScans returns the number of sequential scans of large tables in the reader's session.
func seqScans(b *testing.B, reader *pgxpool.Pool) (n int64) {
	b.Helper()
	if _, err := reader.Exec(b.Context(), `SELECT pg_stat_force_next_flush()`); err != nil {
		b.Fatal(err)
	}
	err := reader.QueryRow(b.Context(), `
		SELECT sum(seq_scan) FROM pg_stat_user_tables
		WHERE schemaname = 'council' AND relname IN ('item', 'vote', 'vote_position', 'anomaly', 'change')`).Scan(&n)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkMisses measures uncached answers: every list with every single filter, and the sums. It
// reports the median time, and the number of sequential scans of large tables for each answer.
//
//	go test -run - -bench Misses -benchtime 20x ./council-api
func BenchmarkMisses(b *testing.B) {
	db := benchDB(b, 1)
	srv := testServer(b, db, func(c *Config) { c.CacheBytes = 1 }) // too small to keep any answer
	old, recent := 3, 57
	for _, path := range []string{
		"/meetings", "/meetings?status=parse_error", "/meetings?status=cancelled", "/meetings?status=discovered",
		"/meetings?type=closed", "/meetings?from=2000-01-01&to=2000-12-31",
		fmt.Sprintf("/meetings/%d", *benchMeetings/2+1), fmt.Sprintf("/items/%d", *benchMeetings),
		"/items", "/items?from=1990-01-01", "/items?to=1990-01-01", "/items?topic=homelessness", "/items?meeting_id=6000",
		"/items?meeting_id=99999999",
		"/items?result=adopted", "/items?result=no_action", "/items?via_consent=true", "/items?unanimous=false",
		"/items?result=no_action&unanimous=false&via_consent=1",
		fmt.Sprintf("/items?member=%d", recent), fmt.Sprintf("/items?member=%d", old),
		fmt.Sprintf("/items?member=%d&position=recused", old), fmt.Sprintf("/items?member=%d&position=abstain", old),
		"/items?q=street+sweeping", "/items?q=%22water+police%22", "/items?q=67896", "/items?q=street+or+housing+-zoning",
		"/items?q=nowhere", "/items?q=housing&topic=homelessness",
		"/votes", "/votes?limit=200", "/votes?from=1990-01-01", "/votes?to=1990-01-01", "/votes?result=adopted",
		"/votes?result=no_action",
		fmt.Sprintf("/votes?mover=%d", old), fmt.Sprintf("/votes?seconder=%d", recent), "/votes?mover=99999",
		"/votes?split=true", "/votes?split=false", "/votes?margin=4-3", "/votes?margin=9-9", "/votes?margin=7-0",
		"/votes?ayes=3", "/votes?ayes=15", "/votes?nays=0", "/votes?nays=4", "/votes?ayes=4&nays=3",
		"/votes?via_consent=true", "/votes?via_consent=false", "/votes?topic=housing",
		fmt.Sprintf("/votes?mover=%d&split=true&topic=housing", old),
		"/members", fmt.Sprintf("/members/%d", old), fmt.Sprintf("/members/%d/agreement", old),
		fmt.Sprintf("/members/%d/votes", old),
		fmt.Sprintf("/members/%d/votes?position=nay", old), fmt.Sprintf("/members/%d/votes?position=abstain", old),
		fmt.Sprintf("/members/%d/votes?topic=housing", old),
		fmt.Sprintf("/members/%d/votes?result=no_action", old), fmt.Sprintf("/members/%d/votes?from=1987-01-01&to=1987-12-31",
			old), fmt.Sprintf("/members/%d/votes?to=1980-01-01", recent),
		"/anomalies", "/anomalies?kind=typo", "/anomalies?code=no-text", "/anomalies?code=unknown",
		"/anomalies?meeting_id=6000", "/anomalies?from=2000-01-01&to=2001-01-01",
		"/changes", "/changes?kind=vote_removed", "/changes?kind=member_added", "/changes?since=2000-01-01",
		"/changes?since=2100-01-01", "/changes?meeting_id=6000", "/changes?vote_id=194", "/votes/194",
		"/topics", "/topics/timeline", "/stats",
		"/search/votes/facets", "/search/votes/facets?split=true", "/search/votes/facets?q=67896",
		"/search/votes/facets?topic=housing&from=2000-01-01&to=2000-12-31", fmt.Sprintf("/members/%d/attendance", old),
		"/search?q=housing", "/search?q=pageedjf", "/search?q=wordbbcd", "/search?q=huosing", "/search?q=wordbbcd+housing",
		"/search?q=nowhere",
		"/search?q=amended", "/search?q=thanks", "/search?q=approve+table", "/search?q=%22resolution+adopt%22",
		"/search?q=%22street+council%22", "/search?q=%22wordbbcd+housing%22",
		"/search/minutes?q=housing", "/search/minutes?q=wordbbcd", "/search/minutes?q=pageedjf",
		"/search/minutes?q=%22street+council%22", "/search/minutes?q=%22wordbbcd+housing%22",
	} {
		b.Run(path, func(b *testing.B) {
			var took []time.Duration
			before := seqScans(b, db)
			for b.Loop() {
				req, rec := httptest.NewRequest(http.MethodGet, basePath+path, nil), httptest.NewRecorder()
				start := time.Now()
				srv.ServeHTTP(rec, req)
				took = append(took, time.Since(start))
				if rec.Code != http.StatusOK {
					b.Fatalf("%d %s", rec.Code, rec.Body)
				}
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
			b.ReportMetric(float64(seqScans(b, db)-before)/float64(len(took)), "seqscans/op")
		})
	}
}
