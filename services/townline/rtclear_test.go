package townline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/services/townline"
)

// doctor reports which sources are paused, until when and why. It also reports a row written with a
// wrong clock and a missing row. `rt clear` ends the pauses.
func TestPausedSourcesAreReportedAndCleared(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := open(t, url, pg.Options{})
	_, err := db.Exec(t.Context(), `
		INSERT INTO transit.source (alias, source, kind, stale_after, min_interval, next_poll_at, polled_at, failures,
		  error) VALUES
		('metro', 'trip_updates/0', 'trip_updates', '30 s', '10 s', now() + interval '19 minutes', now(), 3,
		  'the server answered 429 Too Many Requests'),
		('metro', 'alerts/0', 'alerts', '30 s', '10 s', now() + interval '2 days', now() + interval '2 days', 0, NULL)`)
	if err != nil {
		t.Fatal(err)
	}
	sources := broken(t)
	env := conf.Environ{"DATABASE_URL": url, "TOWNLINE_ALLOW_PRIVATE": "true", "TRANSIT_CONFIG": write(t, "transit.yaml",
		strings.ReplaceAll(`
feeds:
  - alias: metro
    realtime:
      - {kind: trip_updates, url: HOST/updates.pb}
      - {kind: alerts, url: HOST/alerts.pb}
      - {kind: vehicle_positions, url: HOST/vehicles.pb}
access:
  roles:
    anonymous: [discovery, static, realtime, display]
`, "HOST", sources))}
	found := func(subject, status string, words ...string) {
		t.Helper()
		_, all, printed := doctor(t, env, "--only", "transit")
		for _, f := range all {
			if f.Check != "realtime" || f.Subject != subject || f.Status != status {
				continue
			}
			for _, w := range words {
				if !strings.Contains(f.Found+" "+f.Next, w) {
					t.Errorf("%s: %q is missing in %q, %q", subject, w, f.Found, f.Next)
				}
			}
			return
		}
		t.Errorf("no %s about %s in %s", status, subject, printed)
	}
	found("metro trip_updates/0: polls", "warning", "paused until 2", "for 1", "3 polls failed in a row",
		"429 Too Many Requests", "townline rt clear metro trip_updates/0")
	found("metro alerts/0: polls", "warning", "a time in the future", "townline rt clear metro")
	found("metro vehicle_positions/0: polls", "warning", "no poller has registered it")
	clear := func(want int, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		args = append([]string{"rt", "clear", "--database-url=" + url, "--data", t.TempDir()}, args...)
		if status := townline.Main(t.Context(), args, env, &out, &out); status != want {
			t.Fatalf("status %d: %s", status, &out)
		}
		return out.String()
	}
	if out := clear(1, "metro", "mixed/7"); !strings.Contains(out, `no realtime source "metro mixed/7"`) {
		t.Error(out)
	}
	if out := clear(0, "metro"); !strings.Contains(out,
		"cleared alerts/0, trip_updates/0 of metro; NATS is not reachable, so no poll was requested") {
		t.Error(out)
	}
	found("metro trip_updates/0: polls", "ok")
	found("metro alerts/0: polls", "ok")
}
