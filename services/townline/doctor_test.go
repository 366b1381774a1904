package townline_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/objects/objectstest"
	"github.com/townline/townline/pkg/pgtest"
	"github.com/townline/townline/pkg/schema"
	"github.com/townline/townline/services/townline"
)

// diagnosed is a finding of `townline doctor --json`.
type diagnosed struct{ Check, Subject, Status, Found, Next string }

// doctor runs `townline doctor --json` in an environment.
func doctor(t *testing.T, env conf.Environ, args ...string) (status int, all []diagnosed, printed string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"doctor", "--json", "--data", t.TempDir()}, args...)
	for variable, flag := range map[string]string{"DATABASE_URL": "--database-url=", "NATS_URL": "--nats-url=",
		"TRANSIT_CONFIG": "--transit-config=",
		// The command line reads these variables from the environment of the process.
		"COUNCIL_CONFIG": "--council-config=", "TOWNLINE_ALLOW_PRIVATE": "--allow-private="} {
		if env[variable] != "" {
			args = append(args, flag+env[variable])
		}
	}
	status = townline.Main(t.Context(), args, env, &out, &errs)
	if err := json.Unmarshal(out.Bytes(), &all); err != nil {
		t.Fatalf("%v in %s%s", err, out.String(), errs.String())
	}
	return status, all, out.String() + errs.String()
}

func write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// broken returns the address of a server that answers with the errors of broken sources.
func broken(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/login.zip", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>please log in</html>")
	})
	mux.HandleFunc("/updates.pb", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) })
	mux.HandleFunc("/vehicles.pb", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"entity": []}`)
	})
	mux.HandleFunc("/calm/Citizens/Calendar.aspx", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			`<html><body><table><tr><td><a href="Detail_Meeting.aspx?ID=7">Details</a></td></tr></table></body></html>`)
	})
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "User-agent: *\nDisallow: /\nAllow: /calm/\n")
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL
}

// Each broken configuration is reported accurately and in time, with a solution, and without its
// secrets.
func TestDoctorFindsProblems(t *testing.T) {
	t.Parallel()
	const secret = "h0rse-battery"
	sources := broken(t)
	feed := fmt.Sprintf(`
feeds:
  - alias: metro
    url: %[1]s/login.zip?key=${KEY}
    headers: {X-Api-Key: "${KEY}"}
    realtime:
      - {kind: trip_updates, url: "%[1]s/updates.pb?key=${KEY}"}
      - {kind: vehicle_positions, url: %[1]s/vehicles.pb}
access:
  roles:
    anonymous: [discovery, static, realtime, display]
`, sources)
	elsewhere, err := url.Parse(pgtest.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere.Path = "/no_such_database"
	pipe := filepath.Join(t.TempDir(), "feed.zip")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		env  conf.Environ
		args []string
		want []string // check, subject, status and words of the finding or the solution
	}{
		{"mistyped file", conf.Environ{
			"TRANSIT_CONFIG": write(t, "transit.yaml", "feeds:\n  - alias: metro\n    ur1: x\n    headers: {Key: "+
				"\"${METRO_KEY}\"}\n"),
		}, []string{"--only", "transit"}, []string{
			"configuration|transit.yaml|problem|transit.yaml:3: |deploy/transit.yaml shows every key",
			"configuration|transit.yaml|problem|METRO_KEY|correct the file",
		}},
		{"bad variables", conf.Environ{
			"TRANSIT_CACHE_BYTES": "plenty " + secret, "COUNCIL_INGEST_EVERY": "1s",
			"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318",
		}, nil, []string{
			"configuration|environment|problem|TRANSIT_CACHE_BYTES is not a whole number|townline config",
			"configuration|environment|problem|COUNCIL_INGEST_EVERY: 1s is shorter than a minute|townline config",
			"configuration|environment|problem|OTEL_EXPORTER_OTLP_ENDPOINT|townline config",
			"configuration|council.yaml|warning|loaded by hand only|COUNCIL_CONFIG",
			"database||skipped|no DATABASE_URL|townline up",
		}},
		{"wrong servers", conf.Environ{
			"DATABASE_URL": elsewhere.String(), "NATS_URL": "nats://user:" + secret + "@127.0.0.1:1",
		}, nil, []string{
			"database||problem|no database of that name|create the database",
			"nats||problem|no server answers at 127.0.0.1:1|check that NATS runs",
		}},
		{"no server, nothing migrated", conf.Environ{"DATABASE_URL": pgtest.EmptyURL(t)}, nil, []string{
			"schema|council|problem|not there yet|run `townline migrate`",
			"schema|transit|problem|not there yet|run `townline migrate`",
			"clock||ok|agree|",
		}},
		{"broken sources", conf.Environ{
			"DATABASE_URL": pgtest.URL(t), "KEY": secret, "TOWNLINE_ALLOW_PRIVATE": "true",
			"TRANSIT_CONFIG": write(t, "transit.yaml", feed),
			"COUNCIL_CONFIG": write(t, "council.yaml", "portal: {url: "+sources+"}\n"),
		}, nil, []string{
			"feed|metro: source|problem|does not return a zip|login page",
			"feed|metro: import|warning|never imported|townline feed import metro",
			"realtime|metro trip_updates/0|problem|403|needs a key",
			"realtime|metro vehicle_positions/0|problem|not return a GTFS-Realtime message|text or JSON",
			"portal|reachable|problem|robots.txt|ask the clerk",
		}},
		{"half a store", conf.Environ{"ARCHIVE_S3_ENDPOINT": sources, "ARCHIVE_S3_KEY": secret},
			[]string{"--only", "council"}, []string{
				"configuration|environment|problem|ARCHIVE_S3_BUCKET: required|townline config",
				"configuration|environment|problem|ARCHIVE_S3_SECRET: required|townline config",
			}},
		{"no store, a calendar of few words", conf.Environ{"ARCHIVE_S3_ENDPOINT": "http://127.0.0.1:1",
			"ARCHIVE_S3_BUCKET": "minutes", "ARCHIVE_S3_KEY": "k", "ARCHIVE_S3_SECRET": secret,
			"TOWNLINE_ALLOW_PRIVATE": "true", "COUNCIL_CONFIG": write(t, "council.yaml", "portal: {url: "+sources+"/calm}\n")},
			[]string{"--only", "council"}, []string{"archive|object store|problem|no object store answers|network policy",
				"portal|reachable|ok|1 meetings within a year; the calendar does not name their boards|"}},
		{"no bucket", conf.Environ{"ARCHIVE_S3_ENDPOINT": objectstest.New(t).URL, "ARCHIVE_S3_BUCKET": "minutes",
			"ARCHIVE_S3_KEY": objectstest.Key, "ARCHIVE_S3_SECRET": objectstest.Secret},
			[]string{"--only", "council"}, []string{"archive|object store|problem|no bucket|create the bucket"}},
		{"no zips", conf.Environ{"TRANSIT_CONFIG": write(t, "transit.yaml", "feeds: [{alias: gone, url: /no/such.zip}, "+
			"{alias: text, url: "+write(t, "feed.zip", "PK")+
			"}, {alias: unpacked, url: "+t.TempDir()+"}, {alias: pipe, url: "+pipe+"}]\naccess: {roles: {anonymous: "+
			"[static]}}\n")},
			[]string{"--only", "transit"}, []string{"feed|gone: source|problem|no file|correct",
				"feed|text: source|problem|not a zip|unchanged zip",
				"feed|unpacked: source|ok|a folder|", "feed|pipe: source|problem|must be a file or a folder|read it"}},
		{"private address", conf.Environ{"TRANSIT_CONFIG": write(t, "transit.yaml", feed), "KEY": secret},
			[]string{"--only", "transit"}, []string{
				"feed|metro: source|problem|private|TOWNLINE_ALLOW_PRIVATE",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			status, all, printed := doctor(t, c.env, c.args...)
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %s", took)
			}
			if status != 1 {
				t.Errorf("exit status %d", status)
			}
			if strings.Contains(printed, secret) {
				t.Errorf("a secret was printed:\n%s", printed)
			}
			for _, want := range c.want {
				w := strings.Split(want, "|")
				found := false
				for _, f := range all {
					found = found || f.Check == w[0] && f.Subject == w[1] && f.Status == w[2] && strings.Contains(f.Found, w[3]) &&
						strings.Contains(f.Next, w[4])
				}
				if !found {
					t.Errorf("no finding %q in:\n%s", want, printed)
				}
			}
			for _, f := range all {
				if (f.Status == "problem" || f.Status == "warning") && f.Next == "" {
					t.Errorf("no solution for %+v", f)
				}
			}
		})
	}
}

// Slow sources do not delay the doctor.
func TestDoctorEndsInTime(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release); slow.Close() })
	env := conf.Environ{
		"TOWNLINE_ALLOW_PRIVATE": "true", "COUNCIL_CONFIG": write(t, "council.yaml", "portal: {url: "+slow.URL+"}\n"),
		"TRANSIT_CONFIG": write(t, "transit.yaml", "feeds: [{alias: metro, url: "+slow.URL+
			"/a.zip}]\naccess: {roles: {anonymous: [static]}}\n"),
	}
	start := time.Now()
	status, all, _ := doctor(t, env, "--timeout", "300ms")
	if took := time.Since(start); status != 1 || took > time.Minute || len(all) == 0 {
		t.Errorf("status %d after %s with %d findings", status, took, len(all))
	}
}

// A half without configuration and tables, or without rights for the role, is not a problem if the
// other half is used.
func TestDoctorOfOneHalf(t *testing.T) {
	t.Parallel()
	transit := write(t, "transit.yaml", "access: {roles: {anonymous: [static]}}\n")
	council := write(t, "council.yaml", "portal: {url: '"+broken(t)+"/calm'}\n")
	migrated := func(half schema.Part) string {
		url := pgtest.EmptyURL(t)
		if err := schema.Migrate(t.Context(), url, half); err != nil {
			t.Fatal(err)
		}
		return url
	}
	for _, c := range []struct {
		name string
		env  conf.Environ
		used string
	}{
		{"transit file and tables", conf.Environ{"TRANSIT_CONFIG": transit, "DATABASE_URL": migrated(schema.Transit)},
			"transit"},
		{"council file and tables", conf.Environ{"COUNCIL_CONFIG": council, "TOWNLINE_ALLOW_PRIVATE": "true",
			"DATABASE_URL": migrated(schema.Council)}, "council"},
		{"transit tables alone", conf.Environ{"DATABASE_URL": migrated(schema.Transit)}, "transit"},
		{"council tables alone", conf.Environ{"DATABASE_URL": migrated(schema.Council)}, "council"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			status, all, printed := doctor(t, c.env)
			unused := "council"
			if c.used == unused {
				unused = "transit"
			}
			statuses := map[string]string{}
			for _, f := range all {
				if f.Check == "schema" {
					statuses[f.Subject] = f.Status
				}
				if f.Status == "problem" {
					t.Errorf("%+v", f)
				}
			}
			if status != 0 || statuses[c.used] != "ok" || statuses[unused] != "skipped" {
				t.Errorf("status %d, %v:\n%s", status, statuses, printed)
			}
		})
	}
	// A half with a configuration file counts as used, even without tables.
	status, all, printed := doctor(t, conf.Environ{"TRANSIT_CONFIG": transit, "DATABASE_URL": migrated(schema.Council)})
	if status != 1 || !slices.ContainsFunc(all, func(f diagnosed) bool {
		return f.Check == "schema" && f.Subject == "transit" && f.Status == "problem"
	}) {
		t.Errorf("status %d: %s", status, printed)
	}
}

// If a town has several bodies, the report has a line for each body, and a line for other names on
// its calendar.
func TestDoctorOfBodies(t *testing.T) {
	t.Parallel()
	council := write(t, "council.yaml", "portal: {url: '"+broken(t)+"/calm'}\nbody: City Council\n"+
		"bodies: [Port Board]\n")
	url := pgtest.EmptyURL(t)
	if err := schema.Migrate(t.Context(), url, schema.Council); err != nil {
		t.Fatal(err)
	}
	db, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(t.Context(), `
		UPDATE council.dataset SET checked_at = now();
		UPDATE council.body SET slug = 'city-council', name = 'City Council', checked_at = now();
		INSERT INTO council.body (body_id, slug, name, checked_at, problem)
		VALUES (2, 'port-board', 'Port Board', now(), '1 meeting could not be read in full');
		INSERT INTO council.body_key (source, key, name, body_id) VALUES ('x', '#1', 'City Council', 1),
		  ('x', 'port baord', 'Port Baord', 2), ('x', 'port board  late', 'Port Board - LATE', 2),
		  ('x', 'tree board', 'Tree Board', NULL)`); err != nil {
		t.Fatal(err)
	}
	_, all, printed := doctor(t, conf.Environ{"COUNCIL_CONFIG": council, "TOWNLINE_ALLOW_PRIVATE": "true",
		"DATABASE_URL": url})
	for _, want := range []string{"City Council|ok|its meetings were read",
		"Port Board|warning|1 meeting could not be read in full",
		"calendar|ok|the calendar has bodies that are not read: Tree Board",
		"calendar|ok|taken for the same body: Port Baord = Port Board"} {
		if !slices.ContainsFunc(all, func(f diagnosed) bool {
			return f.Check == "portal" && strings.HasPrefix(f.Subject+"|"+f.Status+"|"+f.Found, want)
		}) {
			t.Errorf("no finding %q in\n%s", want, printed)
		}
	}
}

// full is a writer on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// If the report cannot be written, doctor fails.
func TestAReportThatIsLostIsAnError(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"doctor", "--only", "council"}, {"doctor", "--only", "council", "--json"}} {
		var said bytes.Buffer
		args = append(args, "--data", t.TempDir())
		if status := townline.Main(t.Context(), args, conf.Environ{}, full{}, &said); status != 1 ||
			!strings.Contains(said.String(), "no space left") {
			t.Errorf("%v: status %d, %s", args, status, &said)
		}
	}
}
