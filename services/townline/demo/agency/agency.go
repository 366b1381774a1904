// Package agency is the transit agency of the demo: Alder Bay Transit, a bus company on a coast that does not exist.
//
// Its timetable is the files in gtfs/, of which only the dates move on with the months; from these and the clock it reports its
// buses in GTFS-Realtime. The same instant gives the same bytes. The files hold, on purpose, what importers get wrong: a loop that
// calls at one stop twice, a branch with short turns, service after midnight, frequencies, calls without a time, ids that need
// escaping, and buses at every hour of the day.
//
// No service knows it: the import and the poller reach it over HTTP like any agency. feed.go reads the files, live.go knows
// where each bus is, realtime.go and alerts.go report it.
package agency

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// Paths of the agency's files under its handler.
const (
	PathGTFS        = "/gtfs.zip"
	PathTripUpdates = "/rt/tripupdates.pb"
	PathVehicles    = "/rt/vehicles.pb"
	PathAlerts      = "/rt/alerts.pb"
)

//go:embed gtfs
var files embed.FS

// Agency is Alder Bay Transit. It is safe for use by several goroutines.
type Agency struct {
	now   func() time.Time
	zone  *time.Location
	trips []*trip
	stops map[string]string // names by id
}

// New opens the agency; now is its clock.
func New(now func() time.Time) (*Agency, error) {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		return nil, fmt.Errorf("load the demo agency's time zone: %w", err)
	}
	a := &Agency{now: now, zone: zone, stops: map[string]string{}}
	if err := a.read(); err != nil {
		return nil, fmt.Errorf("read the demo's timetable: %w", err)
	}
	return a, nil
}

// Zip is the GTFS feed published on a day, and the instant of its last change. It is valid from four months before the month of the
// day until twelve months after it, and changes with the month only.
func (a *Agency) Zip(day time.Time) (feed []byte, changed time.Time, err error) {
	local := day.In(a.zone)
	month := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, time.UTC)
	first, last := month.AddDate(0, -4, 0), month.AddDate(0, 13, -1)
	dates := strings.NewReplacer("{first}", day8(first), "{last}", day8(last), "{version}", month.Format("2006-01"), "{exceptions}\n", exceptions(first, last))
	entries, err := files.ReadDir("gtfs")
	if err != nil {
		return nil, month, err
	}
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		text, err := files.ReadFile("gtfs/" + e.Name())
		if err != nil {
			return nil, month, err
		}
		f, err := z.CreateHeader(&zip.FileHeader{Name: e.Name(), Method: zip.Deflate, Modified: month})
		if err != nil {
			return nil, month, err
		}
		if _, err := dates.WriteString(f, string(text)); err != nil {
			return nil, month, err
		}
	}
	err = z.Close()
	return out.Bytes(), month, err
}

// Handler serves the feed and the three realtime sources, with conditional GET.
func (a *Agency) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+PathGTFS, func(w http.ResponseWriter, r *http.Request) {
		feed, changed, err := a.Zip(a.now())
		serve(w, r, "application/zip", feed, changed, err)
	})
	for path, source := range map[string]func(time.Time) *gtfs.FeedMessage{
		PathTripUpdates: a.TripUpdates, PathVehicles: a.Vehicles, PathAlerts: a.Alerts,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			at := a.now()
			body, err := proto.MarshalOptions{Deterministic: true}.Marshal(source(at))
			serve(w, r, "application/x-protobuf", body, at, err)
		})
	}
	return mux
}

// serve answers with a body, or with 304 where the client has it already.
func serve(w http.ResponseWriter, r *http.Request, kind string, body []byte, changed time.Time, err error) {
	if err != nil {
		http.Error(w, "not available", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body)))
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
}

// day8 is a date as GTFS writes it.
func day8(day time.Time) string { return day.Format("20060102") }
