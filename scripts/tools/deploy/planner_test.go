package deploy

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// motisConfig is the part of MOTIS's configuration that planner.sh writes, by docs/setup.md of
// MOTIS 2.10. MOTIS refuses unknown keys.
type motisConfig struct {
	Server struct {
		Port      int    `json:"port"`
		WebFolder string `json:"web_folder"`
	} `json:"server"`
	OSM       string `json:"osm"`
	Timetable struct {
		FirstDay string `json:"first_day"`
		NumDays  int    `json:"num_days"`
		Datasets map[string]struct {
			Path string `json:"path"`
			RT   []struct {
				URL string `json:"url"`
			} `json:"rt"`
		} `json:"datasets"`
	} `json:"timetable"`
	StreetRouting bool `json:"street_routing"`
	OSRFootpath   bool `json:"osr_footpath"`
	Geocoding     bool `json:"geocoding"`
}

// fakeMotis stands for MOTIS: an import copies the configuration, unless a file says that it fails;
// a server runs until it is stopped. It looks for the file before it writes the call for which the
// test waits, because the test then removes the file.
const fakeMotis = `#!/bin/sh
[ -e "$LOG.broken" ] && broken=1
echo "$*" >>"$LOG"
case $1 in
import) [ -z "$broken" ] || exit 1; mkdir -p "$5" && cp "$3" "$5/config.yml" ;;
server) [ -f "$3/config.yml" ] || exit 1; exec sleep 60 ;;
esac
`

// TestPlanner runs planner.sh with a transit API of two feeds, of which one has live data.
func TestPlanner(t *testing.T) {
	if _, err := exec.LookPath("wget"); err != nil {
		t.Skip("wget is missing")
	}
	var edition atomic.Int64
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch path := strings.TrimPrefix(r.URL.Path, "/gtfs/api/v2"); path {
		case "/feeds":
			fmt.Fprint(w, `{"data":[{"name":"Metro","alias":"metro_1"},{"name":"Ferries","alias":"ferries"}]}`)
		case "/feeds/metro_1/gtfs.zip", "/feeds/ferries/gtfs.zip":
			fmt.Fprint(w, path, edition.Load())
		case "/rt/feeds/metro_1/trip_updates.pb", "/rt/feeds/metro_1/alerts.pb":
			fmt.Fprint(w, "live")
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(api.Close)
	dir := t.TempDir()
	log := filepath.Join(dir, "log") // a pipe, so that the test waits for each call
	if err := syscall.Mkfifo(log, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(log, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() })
	if err := pipe.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"motis": fakeMotis, "map.osm.pbf": "map"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", filepath.Join(repository, "deploy/planner/planner.sh"))
	cmd.Env = append(os.Environ(), "TRANSIT="+api.URL, "MOTIS="+filepath.Join(dir, "motis"), "PLANNER_DATA="+dir,
		"PLANNER_MAP="+filepath.Join(dir, "map.osm.pbf"), "PLANNER_SECONDS=1", "LOG="+log, "PLANNER_FEEDS=")
	var out bytes.Buffer
	cmd.Stderr = &out
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Wait() })
	said, lines := "", bufio.NewReader(pipe)
	calls := func(n int) string {
		t.Helper()
		for strings.Count(said, "\n") < n {
			line, err := lines.ReadString('\n')
			if said += line; err != nil {
				t.Fatalf("MOTIS was not called %d times: %v: %s\n%s", n, err, said, out.Bytes())
			}
		}
		return said
	}
	want := fmt.Sprintf("import -c %[1]s/feeds/config.yml -d %[1]s/next\nserver -d %[1]s/served\n", dir)
	if got := calls(2); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	checkPlannerConfig(t, dir, api.URL)

	// A failed import leaves the old one in service; a changed feed is imported at the next check.
	if err := os.WriteFile(log+".broken", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	edition.Add(1)
	calls(3)
	if err := os.Remove(log + ".broken"); err != nil {
		t.Fatal(err)
	}
	if got := calls(5); !strings.HasSuffix(got, want) {
		t.Errorf("%s, want %s at the end", got, want)
	}
	if zip, err := os.ReadFile(filepath.Join(dir, "feeds/ferries.zip")); err != nil ||
		string(zip) != "/feeds/ferries/gtfs.zip1" {
		t.Errorf("%s %v", zip, err)
	}
}

func checkPlannerConfig(t *testing.T, dir, api string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "served/config.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var c motisConfig
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	metro, ferries := c.Timetable.Datasets["metro-1"], c.Timetable.Datasets["ferries"]
	var live []string
	for _, rt := range metro.RT {
		live = append(live, strings.TrimPrefix(rt.URL, api+"/gtfs/api/v2/rt/feeds/metro_1/"))
	}
	if !slices.Equal(live, []string{"trip_updates.pb", "alerts.pb"}) || ferries.RT != nil ||
		metro.Path != filepath.Join(dir, "feeds/metro_1.zip") || c.OSM != filepath.Join(dir, "map.osm.pbf") ||
		c.Timetable.FirstDay != "TODAY" || !c.StreetRouting || c.Server.Port != 8080 {
		t.Errorf("%+v of %s", c, text)
	}
}
