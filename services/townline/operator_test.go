package townline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/events"
	operators "github.com/townline/townline/pkg/operator"
	"github.com/townline/townline/pkg/pg"
	"github.com/townline/townline/pkg/pgtest"
	rtpoller "github.com/townline/townline/services/rt-poller"
	"github.com/townline/townline/services/townline"
	transitapi "github.com/townline/townline/services/transit-api"
)

// An operator runs commands on a database that a transit API serves.
type operator struct {
	url, config, base string
}

func transitConfig(t testing.TB, text string) string { return write(t, "transit.yaml", text) }

func newOperator(t *testing.T, config string) *operator {
	t.Helper()
	o := &operator{url: pgtest.URL(t), config: transitConfig(t, config)}
	if err := importFile(t.Context(), deps(open(t, o.url, pg.Options{})), demoFeed(t)); err != nil {
		t.Fatal(err)
	}
	o.base = serveTransit(t, o.url, transitapi.Config{File: o.config})
	return o
}

// serveTransit runs a transit API until the test ends. It returns the base address when the API is
// ready.
func serveTransit(t testing.TB, url string, cfg transitapi.Config) string {
	t.Helper()
	return serveTransitOn(t, url, cfg, nil)
}

func serveTransitOn(t testing.TB, url string, cfg transitapi.Config, bus *events.Bus) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := deps(open(t, url, pg.Options{ReadOnly: true, Plans: pg.CustomPlans}))
	d.Events, d.Listener = bus, ln
	// Run replaces this check.
	d.Ready.Require("feeds", func(context.Context) error { return errors.New("the API is starting") })
	cfg.AccessLog = "off"
	runUntilEnd(t, func(ctx context.Context) error { return transitapi.Run(ctx, cfg, d) })
	eventually(t, func() error {
		if _, ok := d.Ready.Ready(t.Context()); !ok {
			return errors.New("the API does not become ready")
		}
		return nil
	})
	return "http://" + ln.Addr().String() + "/gtfs/api/v2"
}

func runUntilEnd(t testing.TB, fn func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- fn(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// eventually retries until fn succeeds.
func eventually(t testing.TB, fn func() error) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(2 * time.Minute); ; <-tick.C {
		err := fn()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// request requests JSON. headers alternates names and values.
func request(t testing.TB, url string, headers ...string) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, body.Bytes()
}

// run runs a command line and returns its output, followed by the error.
func (o *operator) run(t *testing.T, want int, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--database-url", o.url, "--transit-config", o.config, "--data", t.TempDir())
	if got := townline.Main(t.Context(), args, conf.Environ{}, &out, &errs); got != want {
		t.Fatalf("townline %q: %d\n%s%s", args, got, &out, &errs)
	}
	return out.String() + errs.String()
}

func TestKeyCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "access: {roles: {anonymous: [discovery], kiosk: [display, static.stops]}}")
	if out := o.run(t, 1, "key", "add", "lobby", "--role", "kisok"); !strings.Contains(out,
		`no role "kisok": add it to access.roles, or use one of anonymous, kiosk`) {
		t.Error(out)
	}
	for _, wrong := range [][]string{{"--expires", "2001-01-01"}, {"--expires", "soon"}, {"--expires", "0d"}} {
		o.run(t, 1, append([]string{"key", "add", "lobby", "--role", "kiosk"}, wrong...)...)
	}
	o.run(t, 2, "key", "add", "lobby", "--role", "kiosk", "--rate", "fast")
	key, _, _ := strings.Cut(o.run(t, 0, "key", "add", "lobby", "--role", "kiosk", "--expires", "30d", "--rate", "100/1m"),
		"\n")
	o.run(t, 1, "key", "add", "lobby", "--role", "kiosk")
	list := o.run(t, 0, "key", "list")
	if !strings.Contains(list, "lobby") || !strings.Contains(list, "100/60s") || strings.Contains(list, key) ||
		strings.Contains(list, key[len(key)-20:]) {
		t.Error(list)
	}
	stops := o.base + "/feeds/demo/stops"
	if status, _ := request(t, stops); status != http.StatusUnauthorized {
		t.Errorf("status without a key: %d", status)
	}
	eventually(t, func() error {
		if status, body := request(t, stops, "X-Api-Key", key); status != http.StatusOK {
			return fmt.Errorf("status with the new key: %d %s", status, body)
		}
		return nil
	})
	if status, _ := request(t, o.base+"/feeds/demo/services", "Authorization", "Bearer "+key); status != http.
		StatusForbidden {
		t.Errorf("status beyond the key's role: %d", status)
	}
	o.run(t, 1, "key", "revoke", "lobby", "nobody") // it revokes all keys or none
	if status, _ := request(t, stops, "X-Api-Key", key); status != http.StatusOK {
		t.Errorf("status after a failed revocation: %d", status)
	}
	if out := o.run(t, 0, "key", "revoke", "lobby", "--json"); out != "{\"revoked\":[\"lobby\"]}\n" {
		t.Error(out)
	}
	eventually(t, func() error {
		if status, _ := request(t, stops, "X-Api-Key", key); status != http.StatusUnauthorized {
			return fmt.Errorf("revoked: %d", status)
		}
		return nil
	})
	if list := o.run(t, 0, "key", "list"); strings.Contains(list, "lobby") {
		t.Error(list)
	}
	var all []struct{ Name, Role string }
	if err := json.Unmarshal([]byte(o.run(t, 0, "key", "list", "--all", "--json")), &all); err != nil || len(all) != 1 ||
		all[0].Name != "lobby" {
		t.Errorf("%+v %v", all, err)
	}
	o.run(t, 0, "key", "add", "lobby", "--role", "kiosk") // the name is available again
}

func TestAnnotationCommands(t *testing.T) {
	t.Parallel()
	o := newOperator(t, "access: {roles: {anonymous: [discovery, static, realtime, display]}}")
	shown := func(want string) {
		t.Helper()
		eventually(t, func() error {
			if _, body := request(t, o.base+"/display/annotations/stops/1004"); !strings.Contains(string(body), want) {
				return fmt.Errorf("%s is not in %s", want, body)
			}
			return nil
		})
	}
	for _, wrong := range [][]string{
		{"stop", "1004"}, {"stop", "1004", "--body", "<script>x</script>"}, {"stop", "1004", "--body", "x", "--from",
			"tomorrow"},
		{"stop", "1004", "--body", "x", "--from", "2037-01-02", "--until", "2037-01-01"},
		{"stop", "1004", "--body", "x", "--hours", "always"},
		{"stop", "1004", "--body", "x", "--route", "10", "--trip", "1"}, {"stop", "1004", "--body", "x", "--stop", "1005"},
		{"stop", "1004", "--body", "x", "--feed", "nobody"}, {"stop", "1004", "--body", "x", "--time-zone", "Mars/Base"},
	} {
		o.run(t, 1, append([]string{"annotation", "add"}, wrong...)...)
	}
	o.run(t, 2, "annotation", "add", "vehicle", "1")
	if out := o.run(t, 0, "annotation", "list"); !strings.Contains(out, "no annotations") {
		t.Error(out)
	}
	out := o.run(t, 0, "annotation", "add", "stop", "1004", "--body", "Use **Main & 2nd** <script>x</script>", "--route",
		"10")
	if !strings.Contains(out, "<strong>Main &amp; 2nd</strong>") || !strings.Contains(out, "active now") ||
		strings.Contains(out, "script") || !strings.Contains(out, "America/") {
		t.Error(out)
	}
	shown(`"body":"<p>Use <strong>Main &amp; 2nd</strong> </p>"`)
	if out := o.run(t, 0, "annotation", "add", "stops", "nowhere", "--override", "1004", "--from", "2037-01-01", "--hours",
		"Mo-Fr 06:00-09:00", "--feed", "demo"); !strings.Contains(out, "applies when one has it") ||
		!strings.Contains(out, "not active now") {
		t.Error(out)
	}
	var list []struct {
		ID     int
		Active bool
		Hours  string
	}
	if err := json.Unmarshal([]byte(o.run(t, 0, "annotation", "list", "--json")), &list); err != nil || len(list) != 2 ||
		!list[0].Active || list[1].Active || !strings.HasPrefix(list[1].Hours, "{[360,540),") {
		t.Errorf("%+v %v", list, err)
	}
	o.run(t, 1, "annotation", "expire", "1", "99") // it expires all annotations or none
	shown(`"id":1`)
	if out := o.run(t, 0, "annotation", "expire", "1", "2", "--json"); out != "{\"ended\":[1,2]}\n" {
		t.Error(out)
	}
	shown(`"data":[]`)
	if out := o.run(t, 0, "annotation", "list"); !strings.Contains(out, "no annotations") {
		t.Error(out)
	}
	if out := o.run(t, 0, "annotation", "show", "2"); !strings.Contains(out, "over") ||
		!strings.Contains(out, "Mo 06:00-09:00") {
		t.Error(out)
	}
	o.run(t, 1, "annotation", "show", "99")
	for until, want := range map[string]string{"2037-01-02": "until 2037-01-03 00:00",
		"2037-01-02 00:00": "until 2037-01-02 00:00"} {
		out := o.run(t, 0, "annotation", "add", "stop", "1005", "--body", "x", "--until", until)
		if !strings.Contains(out, want) {
			t.Errorf("until %s: %s", until, out)
		}
	}
}

func TestStatusCommand(t *testing.T) {
	t.Parallel()
	up := &upstream{}
	src := up.serve(t)
	o := newOperator(t, `
feeds: [{alias: demo, realtime: [{kind: trip_updates, url: "`+src+`", min_interval: 1s, idle_interval: 1s}]}]
access: {roles: {anonymous: [realtime]}}`)
	if out := o.run(t, 0, "rt", "status"); !strings.Contains(out, "no realtime sources") {
		t.Error(out)
	}
	d := deps(open(t, o.url, pg.Options{}))
	var trip string
	if err := d.DB.QueryRow(t.Context(), `SELECT trip_id FROM transit.trip LIMIT 1`).Scan(&trip); err != nil {
		t.Fatal(err)
	}
	up.answer(http.StatusOK, updatesOf(t, trip, trip, "stranger"))
	runUntilEnd(t, func(ctx context.Context) error {
		return rtpoller.Run(ctx, rtpoller.Config{TransitConfig: o.config, AllowPrivate: true, MaxBytes: 1 << 20}, d)
	})
	status := func(want ...string) {
		t.Helper()
		eventually(t, func() error {
			out := o.run(t, 0, "rt", "status")
			for _, w := range want {
				if !strings.Contains(out, w) {
					return fmt.Errorf("%s is not in\n%s", w, out)
				}
			}
			return nil
		})
	}
	status("trip_updates/0", "s ago", "3 trips", "2/3=67%", "3/3=100%")
	up.answer(http.StatusServiceUnavailable, nil)
	status("1 in a row: fetch", "503")
	var all []rtpoller.Status
	out := o.run(t, 0, "rt", "status", "--json")
	if !strings.Contains(out, `"trips":{"found":2,"of":3,"rate":0.6667}`) ||
		!strings.Contains(out, `"stop_codes":{"found":0,"of":3,"rate":0}`) ||
		!strings.Contains(out, `"informed_entities":{"found":0,"of":0,"rate":null}`) {
		t.Error(out)
	}
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 ||
		all[0].Matches.Trips != (rtpoller.Match{Found: 2, Of: 3}) || all[0].Failures == 0 || all[0].Age == nil {
		t.Errorf("%+v %v", all, err)
	}
}

func TestReadHours(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Mo 06:00-09:00":                "{[360,540)}",
		"Mo-Tu 06:00-09:00,16:00-24:00": "{[360,540),[960,1440),[1800,1980),[2400,2880)}",
		"we":                            "{[2880,4320)}",
		"Sunday 22:00-02:00":            "{[0,120),[9960,10080)}",
		"Sa-Mo 23:00-01:00":             "{[8580,8700),[0,60),[10020,10080),[1380,1500)}",
		"00:00-00:30; Fr":               "{[0,30),[1440,1470),[2880,2910),[4320,4350),[5760,5790),[7200,7230),[8640,8670),[5760,7200)}",
		"Mo,We 1:05-2:00":               "{[65,120),[2945,3000)}",
	} {
		if got, err := operators.ReadHours(text); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", ";", "Xx", "Mo 6-9", "Mo 06:00", "Mo 25:00-26:00", "06:00-09:00 Mo",
		"Mo 06:00-06:00", "Mo 24:00-01:00", "Mo-Fr 06:00-09:00 Sa", "Mo 06:0-07:00", "Mo 06:60-07:00", "Mo -1:00-02:00"} {
		if got, err := operators.ReadHours(text); err == nil {
			t.Errorf("ReadHours(%q) = %s", text, got)
		}
	}
	if got := operators.HoursText("{[360,540),[9960,10080)}"); got != "Mo 06:00-09:00, Su 22:00-24:00" {
		t.Error(got)
	}
}

func TestInvalidManualRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op, file string
		cells    map[string]string
		want     string
	}{
		{"add", "fares", map[string]string{"fare_id": "1"}, "manual rows are possible in agency.txt, stops.txt"},
		{"add", "stops", map[string]string{"stop_name": "X"}, "stop_id is required"},
		{"add", "stop_times", map[string]string{"trip_id": "X"}, "trip_id and stop_sequence is required"},
		{"add", "stops", map[string]string{"stop_id": "X", "colour": "red"},
			`no column "colour"; the columns are stop_id, stop_code`},
		{"add", "stops", map[string]string{"stop_id": "X", "stop_lat": "north"}, `stop_lat: "north"`},
		{"patch", "routes", map[string]string{"route_id": "X", "route_color": "red"},
			`route_color: "red": The cell is not a colour`},
		{"patch", "stops", map[string]string{"stop_id": "X"}, "at least one column besides stop_id"},
		{"hide", "stops", map[string]string{"stop_id": "X", "stop_name": "Y"}, "give only stop_id"},
		{"add", "stops", map[string]string{"stop_id": "X", "stop_name": "a\x00b"}, "control characters"},
		{"move", "stops", map[string]string{"stop_id": "X"}, "must be add, patch or hide"},
	} {
		if _, err := operators.NewManualRow(c.op, c.file, c.cells); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s %v: %v, want %q", c.op, c.file, c.cells, err, c.want)
		}
	}
}
