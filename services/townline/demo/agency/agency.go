// Package agency serves GTFS and GTFS-Realtime of Alder Bay Transit, the fictional transit agency
// of the demo.
//
// The timetable is the files in gtfs/; only the first and the last day move with the months.
// GTFS-Realtime is computed from the files and the clock: the same instant gives the same bytes.
// The files contain what importers get wrong: a loop that calls at a stop twice, a branch with
// short turns, service after midnight, frequencies, calls without a time, ids that need escaping,
// and buses at every hour of the day.
//
// The services reach it over HTTP like any agency. feed.go reads the files, live.go computes
// positions, realtime.go and alerts.go write the messages.
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
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// Paths of the agency's files, relative to its handler.
const (
	PathGTFS        = "/gtfs.zip"
	PathTripUpdates = "/rt/tripupdates.pb"
	PathVehicles    = "/rt/vehicles.pb"
	PathAlerts      = "/rt/alerts.pb"
)

//go:embed gtfs holidays.csv
var files embed.FS

// Agency is Alder Bay Transit. It is safe for concurrent use.
type Agency struct {
	now   func() time.Time
	zone  *time.Location
	trips []*trip
	// week has the weekdays of each service. exceptions says whether a service runs on a date.
	// holidays has the names of dates.
	week       map[string][7]bool
	exceptions map[string]bool
	holidays   map[string]string
	standing   *gtfs.FeedMessage
}

// New opens the agency; now is its clock.
func New(now func() time.Time) (*Agency, error) {
	zone, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		return nil, fmt.Errorf("load the demo agency's time zone: %w", err)
	}
	a := &Agency{now: now, zone: zone, week: map[string][7]bool{}, exceptions: map[string]bool{},
		holidays: map[string]string{}, standing: &gtfs.FeedMessage{}}
	if err := protojson.Unmarshal(standing, a.standing); err != nil {
		return nil, fmt.Errorf("read the demo's alerts: %w", err)
	}
	if err := a.read(); err != nil {
		return nil, fmt.Errorf("read the demo's timetable: %w", err)
	}
	return a, nil
}

// Zip returns the GTFS feed published on a day and the time of its last change. The feed is valid
// from four months before that month until twelve months after it, and changes only with the month.
func (a *Agency) Zip(day time.Time) (feed []byte, changed time.Time, err error) {
	local := day.In(a.zone)
	month := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, time.UTC)
	first, last := day8(month.AddDate(0, -4, 0)), day8(month.AddDate(0, 13, -1))
	dates := strings.NewReplacer("{first}", first, "{last}", last, "{version}", month.Format("2006-01"))
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
		for line := range strings.Lines(string(text)) {
			if e.Name() == "calendar_dates.txt" {
				date := strings.Split(line, ",")[1]
				if date != "date" && (date < first || date > last) {
					continue
				}
			}
			if _, err := dates.WriteString(f, line); err != nil {
				return nil, month, err
			}
		}
	}
	err = z.Close()
	return out.Bytes(), month, err
}

// Register adds the feed and the three realtime sources, with conditional GET.
func (a *Agency) Register(mux *http.ServeMux) {
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
}

// serve writes a body, with conditional GET.
func serve(w http.ResponseWriter, r *http.Request, kind string, body []byte, changed time.Time, err error) {
	if err != nil {
		http.Error(w, "not available", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body)))
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
}

func day8(day time.Time) string { return day.Format("20060102") }
