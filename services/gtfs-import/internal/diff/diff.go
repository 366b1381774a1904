// Package diff counts what a new version of a feed changes against the one before,
// file by file and row by row: added, changed, removed, unchanged. Rows are the
// same when their file's key is; they are unchanged when all cells are that the
// version holds. It runs inside the import's transaction and reads the tables of both
// versions by their own names: that way the planner knows how large they are.
package diff

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Counts of the rows of one file.
type Counts struct {
	Added     int64
	Changed   int64
	Removed   int64
	Unchanged int64
}

// Compare compares version old with version new.
func Compare(ctx context.Context, conn *pgx.Conn, old, new int32) (map[string]Counts, error) {
	d := &diff{conn: conn, names: strings.NewReplacer("{old}", strconv.Itoa(int(old)), "{new}", strconv.Itoa(int(new))), all: map[string]Counts{}}
	for file, sql := range files() {
		var c Counts
		err := d.one(ctx, sql, &c.Added, &c.Removed, &c.Changed, &c.Unchanged)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", file, err)
		}
		d.all[file] = c
	}
	if err := d.trips(ctx); err != nil {
		return nil, fmt.Errorf("compare trips and stop times: %w", err)
	}
	if err := d.shapes(ctx); err != nil {
		return nil, fmt.Errorf("compare shapes.txt: %w", err)
	}
	return d.all, nil
}

type diff struct {
	conn  *pgx.Conn
	names *strings.Replacer // {old} and {new} stand for the versions in table names
	all   map[string]Counts
}

// Tables come and go with versions, so statements are not worth preparing.
func (d *diff) query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return d.conn.Query(ctx, d.names.Replace(sql), append([]any{pgx.QueryExecModeExec}, args...)...)
}

func (d *diff) one(ctx context.Context, sql string, into ...any) error {
	rows, err := d.query(ctx, sql)
	if err != nil {
		return err
	}
	_, err = pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, row.Scan(into...) })
	return err
}

// files returns, for each small file that has a table of its own, the query that counts
// rows added, removed, changed and unchanged. A row that only one side has shows by
// the version_id that is missing on the other; differs is NULL for it.
func files() map[string]string {
	return map[string]string{
		"agency.txt": `
			SELECT count(*) FILTER (WHERE o.version_id IS NULL), count(*) FILTER (WHERE n.version_id IS NULL),
			       count(*) FILTER (WHERE differs), count(*) FILTER (WHERE NOT differs)
			FROM transit.agency_{old} o FULL JOIN transit.agency_{new} n USING (agency_id),
			LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN (o.agency_name, o.agency_url, o.agency_timezone, o.agency_lang, o.agency_phone, o.agency_fare_url, o.agency_email)
			  IS DISTINCT FROM (n.agency_name, n.agency_url, n.agency_timezone, n.agency_lang, n.agency_phone, n.agency_fare_url, n.agency_email) END
			) AS x (differs)`,
		"stops.txt": `
			SELECT count(*) FILTER (WHERE o.version_id IS NULL), count(*) FILTER (WHERE n.version_id IS NULL),
			       count(*) FILTER (WHERE differs), count(*) FILTER (WHERE NOT differs)
			FROM transit.stop_{old} o FULL JOIN transit.stop_{new} n USING (stop_id),
			LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN (o.stop_code, o.stop_name, o.stop_desc, o.stop_lat, o.stop_lon, o.zone_id, o.stop_url, o.location_type,
			                 o.parent_station, o.stop_timezone, o.wheelchair_boarding, o.platform_code, o.tts_stop_name, o.level_id)
			  IS DISTINCT FROM (n.stop_code, n.stop_name, n.stop_desc, n.stop_lat, n.stop_lon, n.zone_id, n.stop_url, n.location_type,
			                 n.parent_station, n.stop_timezone, n.wheelchair_boarding, n.platform_code, n.tts_stop_name, n.level_id) END
			) AS x (differs)`,
		"routes.txt": `
			SELECT count(*) FILTER (WHERE o.version_id IS NULL), count(*) FILTER (WHERE n.version_id IS NULL),
			       count(*) FILTER (WHERE differs), count(*) FILTER (WHERE NOT differs)
			FROM transit.route_{old} o FULL JOIN transit.route_{new} n USING (route_id),
			LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN (o.agency_id, o.route_short_name, o.route_long_name, o.route_desc, o.route_type, o.route_url, o.route_color,
			                 o.route_text_color, o.route_sort_order, o.continuous_pickup, o.continuous_drop_off, o.network_id, o.extra)
			  IS DISTINCT FROM (n.agency_id, n.route_short_name, n.route_long_name, n.route_desc, n.route_type, n.route_url, n.route_color,
			                 n.route_text_color, n.route_sort_order, n.continuous_pickup, n.continuous_drop_off, n.network_id, n.extra) END
			) AS x (differs)`,
		"calendar.txt": `
			SELECT count(*) FILTER (WHERE o.version_id IS NULL), count(*) FILTER (WHERE n.version_id IS NULL),
			       count(*) FILTER (WHERE differs), count(*) FILTER (WHERE NOT differs)
			FROM transit.service_{old} o FULL JOIN transit.service_{new} n
			  ON n.service_id = o.service_id AND n.in_calendar = o.in_calendar,
			LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN (o.monday, o.tuesday, o.wednesday, o.thursday, o.friday, o.saturday, o.sunday, o.start_date, o.end_date)
			  IS DISTINCT FROM (n.monday, n.tuesday, n.wednesday, n.thursday, n.friday, n.saturday, n.sunday, n.start_date, n.end_date) END
			) AS x (differs)
			WHERE coalesce(o.in_calendar, n.in_calendar)`,
		"calendar_dates.txt": `
			SELECT count(*) FILTER (WHERE o IS NULL), count(*) FILTER (WHERE n IS NULL),
			       count(*) FILTER (WHERE o <> n), count(*) FILTER (WHERE o = n)
			FROM (SELECT service_id, date, exception_type FROM transit.service_date_{old}) AS a (service_id, date, o)
			FULL JOIN (SELECT service_id, date, exception_type FROM transit.service_date_{new}) AS b (service_id, date, n) USING (service_id, date)`,
		"frequencies.txt": `
			SELECT count(*) FILTER (WHERE o.version_id IS NULL), count(*) FILTER (WHERE n.version_id IS NULL),
			       count(*) FILTER (WHERE differs), count(*) FILTER (WHERE NOT differs)
			FROM transit.frequency_{old} o FULL JOIN transit.frequency_{new} n USING (trip_id, start_time),
			LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN (o.end_time, o.headway_secs, o.exact_times) IS DISTINCT FROM (n.end_time, n.headway_secs, n.exact_times) END) AS x (differs)`,
		"feed_info.txt": `
			SELECT count(*) FILTER (WHERE o.version_id IS NULL), count(*) FILTER (WHERE n.version_id IS NULL),
			       count(*) FILTER (WHERE differs), count(*) FILTER (WHERE NOT differs)
			FROM transit.feed_info_{old} o FULL JOIN transit.feed_info_{new} n USING (ord),
			LATERAL (SELECT CASE WHEN o.version_id <> n.version_id THEN (o.feed_publisher_name, o.feed_publisher_url, o.feed_lang, o.default_lang, o.feed_start_date, o.feed_end_date,
			                 o.feed_version, o.feed_contact_email, o.feed_contact_url)
			  IS DISTINCT FROM (n.feed_publisher_name, n.feed_publisher_url, n.feed_lang, n.default_lang, n.feed_start_date, n.feed_end_date,
			                 n.feed_version, n.feed_contact_email, n.feed_contact_url) END
			) AS x (differs)`,
	}
}

// shapes compares points. Shapes whose digests agree need no look at theirs.
func (d *diff) shapes(ctx context.Context) error {
	var c Counts
	err := d.one(ctx, `
		SELECT coalesce(sum(n.point_count) FILTER (WHERE o.digest IS NULL), 0),
		       coalesce(sum(o.point_count) FILTER (WHERE n.digest IS NULL), 0),
		       coalesce(sum(o.point_count) FILTER (WHERE o.digest = n.digest), 0)
		FROM transit.shape_{old} o FULL JOIN transit.shape_{new} n USING (shape_id)`, &c.Added, &c.Removed, &c.Unchanged)
	if err != nil {
		return err
	}
	rows, err := d.query(ctx, `
		SELECT o.shape_pt_lat, o.shape_pt_lon, coalesce(o.shape_dist_traveled, ''),
		       coalesce(o.shape_pt_sequence, ARRAY(SELECT o.first_sequence + i * o.sequence_step FROM generate_series(0, o.point_count - 1) i)),
		       n.shape_pt_lat, n.shape_pt_lon, coalesce(n.shape_dist_traveled, ''),
		       coalesce(n.shape_pt_sequence, ARRAY(SELECT n.first_sequence + i * n.sequence_step FROM generate_series(0, n.point_count - 1) i))
		FROM transit.shape_{old} o JOIN transit.shape_{new} n USING (shape_id) WHERE o.digest <> n.digest`)
	if err != nil {
		return err
	}
	var o, n struct {
		lat, lon, dist string
		seq            []int32
	}
	_, err = pgx.ForEachRow(rows, []any{&o.lat, &o.lon, &o.dist, &o.seq, &n.lat, &n.lon, &n.dist, &n.seq}, func() error {
		c.add(merge(pointsOf(o.lat, o.lon, o.dist, o.seq), pointsOf(n.lat, n.lon, n.dist, n.seq)), 1)
		return nil
	})
	d.all["shapes.txt"] = c
	return err
}

func pointsOf(lat, lon, dist string, seq []int32) []row[[3]string] {
	points := make([]row[[3]string], len(seq))
	for i, n := range seq {
		p := row[[3]string]{seq: n}
		p.cells[0], lat, _ = strings.Cut(lat, ",")
		p.cells[1], lon, _ = strings.Cut(lon, ",")
		p.cells[2], dist, _ = strings.Cut(dist, ",")
		points[i] = p
	}
	return points
}

// row is a call or a point in order of its sequence, with whatever else must agree.
type row[T comparable] struct {
	seq   int32
	cells T
}

// merge compares two lists that are in order of seq.
func merge[T comparable](old, new []row[T]) (c Counts) {
	for len(old) > 0 && len(new) > 0 {
		switch {
		case old[0].seq < new[0].seq:
			c.Removed++
			old = old[1:]
			continue
		case old[0].seq > new[0].seq:
			c.Added++
			new = new[1:]
			continue
		case old[0].cells == new[0].cells:
			c.Unchanged++
		default:
			c.Changed++
		}
		old, new = old[1:], new[1:]
	}
	c.Removed += int64(len(old))
	c.Added += int64(len(new))
	return c
}

// add adds what was counted once and happens n times.
func (c *Counts) add(d Counts, n int64) {
	c.Added += n * d.Added
	c.Changed += n * d.Changed
	c.Removed += n * d.Removed
	c.Unchanged += n * d.Unchanged
}
