package transitapi

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// reported returns a world whose report has findings with positions and a previous version.
func reported(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, nil)
	w.exec(t, `UPDATE transit.audit_line SET row_id = CASE n WHEN 7 THEN 'C' ELSE 'late' END WHERE version_id = 2`)
	w.exec(t, `UPDATE transit.audit_line SET shape_id = 'sh 1' WHERE version_id = 2 AND n = 7`)
	w.exec(t, `UPDATE transit.audit_line SET value = '=1+1' WHERE version_id = 2 AND n = 9`)
	w.exec(t, `UPDATE transit.feed_version v SET imported_at = now() - interval '9 days', report = '{"findings": [
		{"code": "duplicate_key", "effect": "row left out", "file": "stops.txt", "count": 3, "reason": "?"},
		{"code": "foreign_key_violation", "effect": "row left out", "file": "trips.txt", "count": 6, "reason": "?"},
		{"code": "unused_shape", "effect": "noted", "file": "shapes.txt", "count": 4, "reason": "?"}]}'
		FROM transit.feed_version live
		WHERE live.version_id = 2 AND v.feed_id = live.feed_id AND v.version_id = 1`)
	return w
}

// The report shows its findings on maps, and the changes since the previous version.
func TestReportDrawsAndCompares(t *testing.T) {
	t.Parallel()
	w := reported(t)
	text := w.page(t, "/f/metro/report").Body.String()
	lacks(t, "the page", text, "2 fewer than on", "2 more than on", "new since the import of",
		"Gone since the import of",
		"No trip follows this line on the map.", "stops.txt, line 11: C", `aria-label="Small map: `, "/gtfs/api/v2/feeds/metro/report.csv",
		"https://gtfs-validator.mobilitydata.org/rules.html#duplicate_key-rule",
		"https://gtfs.org/documentation/schedule/reference/#stopstxt")
	if n := strings.Count(text, "<figure"); n < 2 {
		t.Errorf("%d maps", n)
	}
}

// The CSV has every stored finding and no cells that a spreadsheet would execute.
func TestReportAsCSV(t *testing.T) {
	t.Parallel()
	w := reported(t)
	a := w.Get(t, basePath+"/feeds/metro/report.csv")
	rows, err := csv.NewReader(bytes.NewReader(a.Body)).ReadAll()
	if err != nil || a.Status != 200 || len(rows) != 12 {
		t.Fatalf("%d, %d rows, %v", a.Status, len(rows), err)
	}
	if got := strings.Join(rows[8], "|"); got != "error|duplicate_key|stops.txt|11|C|stop_id|C|row left out|sh 1" {
		t.Errorf("row 8: %s", got)
	}
	if got := rows[10][6]; got != "'=1+1" {
		t.Errorf("value of row 10: %s", got)
	}
}

// The page says in its language why a version is held; the JSON has the stored sentence.
func TestReportOfAHeldVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	hold := func(report string) {
		w.exec(t, `UPDATE transit.feed_version v SET state = 'held', reason = 'it has 2 departures', report = $1
			FROM transit.feed_version live WHERE live.version_id = 2 AND v.feed_id = live.feed_id AND v.version_id = 1`, report)
		w.exec(t, `UPDATE transit.feed SET generation = generation + 1`)
		refreshFeeds(t, w.api)
	}
	hold(`{"hold": {"code": "fewer", "fields": {"departures": "2", "days": "7", "live": "140"}}}`)
	lacks(t, "in Spanish", w.page(t, "/f/metro/report?lang=es").Body.String(),
		"<span>Salidas en los próximos 7 días: 2; en la versión actual: 140.</span>")
	lacks(t, "in English", w.page(t, "/f/metro/report").Body.String(),
		"<span>It has 2 departures in the next 7 days, and the live version has 140.</span>")
	lacks(t, "the JSON", string(w.ask(t, "/feeds/metro/report")), `"reason":"it has 2 departures"`)
	hold(`{}`)
	lacks(t, "of an older release", w.page(t, "/f/metro/report?lang=fr").Body.String(),
		`<span lang="en">It has 2 departures.</span>`)
}
