package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/council"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/services/townline/internal/session"
)

func (p *report) checkFeedTables(ctx context.Context, pool *pgxpool.Pool, t *conf.Transit) {
	type row struct {
		Alias     string
		Live      bool
		CheckedAt *time.Time
		Failed    *string
		Imported  *time.Time
		LastDay   *time.Time
		WeekDays  *int32
		Held      *string
		LiveFrom  *time.Time
	}
	known, err := pg.List[row](ctx, pool, `
		SELECT alias, f.version_id IS NOT NULL AS live, checked_at, check_error AS failed, v.imported_at AS imported, v.last_day,
		       CASE WHEN v.runs_on IS NOT NULL THEN (SELECT count(*)::integer FROM generate_series(0, 6) i
		         WHERE v.runs_on @> (current_date + i)) END AS week_days, held.reason AS held, held.live_from
		FROM transit.feed f LEFT JOIN transit.feed_version v USING (version_id)
		LEFT JOIN transit.feed_version held ON held.feed_id = f.feed_id AND held.state = 'held'
		WHERE removed_at IS NULL`)
	if err != nil {
		return // another finding, about the schema, has the reason
	}
	stored := map[string]row{}
	for _, r := range known {
		stored[r.Alias] = r
	}
	now := time.Now()
	for _, f := range t.Feeds {
		r, there := stored[f.Alias]
		subject := f.Alias + ": import"
		switch {
		case !there || !r.Live && r.Failed == nil:
			p.note("feed", subject, statusWarning, "never imported", "see that gtfs-import runs, or run `townline feed import "+
				f.Alias+"`")
		case r.Held != nil && r.LiveFrom == nil:
			p.note("feed", subject, statusProblem, "a new version is held: "+*r.Held,
				"run `townline feed report "+f.Alias+"`; ask the agency for a correct feed, or publish the version with "+
					"`townline feed import "+f.Alias+" --force`")
		case r.Failed != nil:
			p.note("feed", subject, statusProblem, "the last poll of the source failed: "+*r.Failed,
				"run `townline feed import "+f.Alias+"` and `townline feed report "+f.Alias+"`")
		case r.CheckedAt != nil && f.URL != "" && now.Sub(*r.CheckedAt) > 2*f.Every+time.Hour:
			p.note("feed", subject, statusWarning, "the source was not polled for "+now.Sub(*r.CheckedAt).Round(time.Minute).
				String(), "check that gtfs-import runs and reads the same transit.yaml")
		case r.LastDay != nil && now.After(r.LastDay.AddDate(0, 0, 1)):
			p.note("feed", subject, statusWarning, "its last trip ran on "+r.LastDay.Format(time.DateOnly),
				"ask the agency for a current feed")
		case r.WeekDays != nil && *r.WeekDays == 0:
			p.note("feed", subject, statusWarning, "no trip runs in the coming week", "ask the agency for a current feed")
		default:
			p.note("feed", subject, statusOK, "live version imported "+session.Age(r.Imported, now)+waiting(r.Held), "")
		}
	}
}

// waiting describes a held version that becomes live by itself.
func waiting(held *string) string {
	if held == nil {
		return ""
	}
	return "; the next version is held: " + *held
}

func (p *report) checkCouncilTables(ctx context.Context, pool *pgxpool.Pool) {
	var unreadable int
	var checked *time.Time
	err := pool.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM council.meeting WHERE status = 'parse_error'), checked_at
		       FROM council.dataset`).Scan(&unreadable, &checked)
	if err != nil {
		return // another finding, about the schema, has the reason
	}
	if unreadable > 0 {
		p.note("portal", "minutes", statusWarning, fmt.Sprintf("the minutes of %s cannot be read",
			council.Count(unreadable, "meeting")), "read /v1/anomalies?kind=error, and the documents that it names")
	}
	if p.s.Set.CouncilConfig != "" {
		if checked == nil {
			p.note("portal", "ingest", statusWarning, "no ingest has read all meetings yet",
				"check that council-ingest runs, or run `townline council ingest`")
			return
		}
		p.note("portal", "ingest", statusOK, "all meetings were read "+session.Age(checked, time.Now()), "")
		p.checkBodies(ctx, pool)
	}
}

// checkBodies reports each body of a town that has several.
func (p *report) checkBodies(ctx context.Context, pool *pgxpool.Pool) {
	bodies, err := pg.List[struct {
		Name      string
		CheckedAt *time.Time
		Problem   *string
	}](ctx, pool, `SELECT name, checked_at, problem FROM council.body b
		WHERE slug <> '' AND (SELECT count(*) > 1 FROM council.body WHERE slug <> '')
		  AND NOT EXISTS (SELECT FROM council.body_part p WHERE p.body_id = b.body_id) ORDER BY body_id`)
	if err != nil {
		return // another finding, about the schema, has the reason
	}
	for _, b := range bodies {
		if b.Problem != nil {
			p.note("portal", b.Name, statusWarning, *b.Problem,
				"the other bodies are read; run `townline council ingest --body`")
		} else {
			p.note("portal", b.Name, statusOK, "its meetings were read "+session.Age(b.CheckedAt, time.Now()), "")
		}
	}
	p.checkCalendarNames(ctx, pool)
}

// checkCalendarNames reports the bodies on the calendar that are not ingested, and the names that
// count as spellings of a body.
func (p *report) checkCalendarNames(ctx context.Context, pool *pgxpool.Pool) {
	for _, q := range []struct{ found, next, sql string }{
		{"the calendar has bodies that are not read: ", "name those to read in bodies of council.yaml, or write all",
			`SELECT string_agg(DISTINCT name, ', ' ORDER BY name) FROM council.body_key WHERE body_id IS NULL`},
		{"taken for the same body: ", "if they are two bodies, name both in bodies of council.yaml",
			`SELECT string_agg(DISTINCT k.name || ' = ' || b.name, ', ')
			FROM council.body_key k JOIN council.body b USING (body_id)
			WHERE NOT starts_with(lower(k.name), lower(b.name))`},
	} {
		names, err := pg.Value[*string](ctx, pool, q.sql)
		if err == nil && names != nil {
			p.note("portal", "calendar", statusOK, q.found+*names, q.next)
		}
	}
}
