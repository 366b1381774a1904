// Package diff counts what a new version of a feed changes against the one before,
// file by file and row by row: added, changed, removed, unchanged. Rows are the
// same when their file's key is; they are unchanged when all cells are that the
// version holds. It reads both versions inside the import's transaction.
package diff

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Counts of the rows of one file.
type Counts struct {
	Added     int64 `db:"added"`
	Changed   int64 `db:"changed"`
	Removed   int64 `db:"removed"`
	Unchanged int64 `db:"unchanged"`
}

// Compare compares version old with version new.
func Compare(ctx context.Context, conn *pgx.Conn, old, new int32) (map[string]Counts, error) {
	all := map[string]Counts{}
	for file, rows := range files() {
		c, err := compare(ctx, conn, rows, old, new)
		if err != nil {
			return nil, fmt.Errorf("compare %s: %w", file, err)
		}
		all[file] = c
	}
	var err error
	if all["stop_times.txt"], err = stopTimes(ctx, conn, old, new); err != nil {
		return nil, fmt.Errorf("compare stop_times.txt: %w", err)
	}
	if all["shapes.txt"], err = shapes(ctx, conn, old, new); err != nil {
		return nil, fmt.Errorf("compare shapes.txt: %w", err)
	}
	return all, nil
}

// files returns, for each file that has a table of its own, the query for the keys and
// the cells of version $1.
func files() map[string]string {
	return map[string]string{
		"agency.txt": `
			SELECT agency_id, ROW (agency_name, agency_url, agency_timezone, agency_lang, agency_phone, agency_fare_url, agency_email)
			FROM transit.agency WHERE version_id = $1`,
		"stops.txt": `
			SELECT stop_id, ROW (stop_code, stop_name, stop_desc, stop_lat, stop_lon, zone_id, stop_url, location_type, parent_station,
			                     stop_timezone, wheelchair_boarding, platform_code, tts_stop_name, level_id)
			FROM transit.stop WHERE version_id = $1`,
		"routes.txt": `
			SELECT route_id, ROW (agency_id, route_short_name, route_long_name, route_desc, route_type, route_url, route_color,
			                      route_text_color, route_sort_order, continuous_pickup, continuous_drop_off, network_id, extra)
			FROM transit.route WHERE version_id = $1`,
		"calendar.txt": `
			SELECT service_id, ROW (monday, tuesday, wednesday, thursday, friday, saturday, sunday, start_date, end_date)
			FROM transit.service WHERE version_id = $1 AND in_calendar`,
		"calendar_dates.txt": `
			SELECT service_id || ' ' || date, ROW (exception_type) FROM transit.service_date WHERE version_id = $1`,
		"trips.txt": `
			SELECT trip_id, ROW (route_id, service_id, trip_headsign, trip_short_name, direction_id, block_id, shape_id,
			                     wheelchair_accessible, bikes_allowed)
			FROM transit.trip WHERE version_id = $1`,
		"frequencies.txt": `
			SELECT trip_id || ' ' || start_time, ROW (end_time, headway_secs, exact_times) FROM transit.frequency WHERE version_id = $1`,
		"feed_info.txt": `
			SELECT ord::text, ROW (feed_publisher_name, feed_publisher_url, feed_lang, default_lang, feed_start_date, feed_end_date,
			                       feed_version, feed_contact_email, feed_contact_url)
			FROM transit.feed_info WHERE version_id = $1`,
	}
}

// compare counts the rows of a query of files. Records are equal when their cells
// are, NULL equal to NULL.
func compare(ctx context.Context, conn *pgx.Conn, query string, old, new int32) (Counts, error) {
	rows, err := conn.Query(ctx, `
		SELECT count(*) FILTER (WHERE o.key IS NULL) AS added,
		       count(*) FILTER (WHERE o.cells <> n.cells) AS changed,
		       count(*) FILTER (WHERE n.key IS NULL) AS removed,
		       count(*) FILTER (WHERE o.cells = n.cells) AS unchanged
		FROM (`+query+`) AS o (key, cells)
		FULL JOIN (`+strings.Replace(query, "$1", "$2", 1)+`) AS n (key, cells) ON n.key = o.key`, old, new)
	if err != nil {
		return Counts{}, err
	}
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[Counts])
}

// shapes compares points. Shapes whose digests agree need no look at theirs.
func shapes(ctx context.Context, conn *pgx.Conn, old, new int32) (c Counts, err error) {
	err = conn.QueryRow(ctx, `
		SELECT coalesce(sum(n.point_count) FILTER (WHERE o.shape_id IS NULL), 0),
		       coalesce(sum(o.point_count) FILTER (WHERE n.shape_id IS NULL), 0),
		       coalesce(sum(o.point_count) FILTER (WHERE o.digest = n.digest), 0)
		FROM (SELECT shape_id, point_count, digest FROM transit.shape WHERE version_id = $1) o
		FULL JOIN (SELECT shape_id, point_count, digest FROM transit.shape WHERE version_id = $2) n USING (shape_id)`,
		old, new).Scan(&c.Added, &c.Removed, &c.Unchanged)
	if err != nil {
		return c, err
	}
	const points = `
		SELECT shape_pt_lat, shape_pt_lon, coalesce(shape_dist_traveled, ''),
		       coalesce(shape_pt_sequence, ARRAY(SELECT first_sequence + i * sequence_step FROM generate_series(0, point_count - 1) i))
		FROM transit.shape WHERE version_id = $%d AND shape_id = d.shape_id`
	rows, err := conn.Query(ctx, `
		SELECT o.lat, o.lon, o.dist, o.seq, n.lat, n.lon, n.dist, n.seq
		FROM (SELECT o.shape_id FROM transit.shape o JOIN transit.shape n USING (shape_id)
		      WHERE o.version_id = $1 AND n.version_id = $2 AND o.digest <> n.digest) d,
		     LATERAL (`+fmt.Sprintf(points, 1)+`) o (lat, lon, dist, seq),
		     LATERAL (`+fmt.Sprintf(points, 2)+`) n (lat, lon, dist, seq)`, old, new)
	if err != nil {
		return c, err
	}
	var o, n struct {
		lat, lon, dist string
		seq            []int32
	}
	_, err = pgx.ForEachRow(rows, []any{&o.lat, &o.lon, &o.dist, &o.seq, &n.lat, &n.lon, &n.dist, &n.seq}, func() error {
		c.add(merge(pointsOf(o.lat, o.lon, o.dist, o.seq), pointsOf(n.lat, n.lon, n.dist, n.seq)))
		return nil
	})
	return c, err
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

func (c *Counts) add(d Counts) {
	c.Added += d.Added
	c.Changed += d.Changed
	c.Removed += d.Removed
	c.Unchanged += d.Unchanged
}
