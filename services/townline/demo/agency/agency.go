package agency

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

const (
	agencyID = "ABT"
	zone     = "America/Los_Angeles"
)

// Paths of the agency's files under its handler.
const (
	PathGTFS        = "/gtfs.zip"
	PathTripUpdates = "/rt/tripupdates.pb"
	PathVehicles    = "/rt/vehicles.pb"
	PathAlerts      = "/rt/alerts.pb"
)

// Agency is Alder Bay Transit. It is safe for use by several goroutines.
type Agency struct {
	seed      uint64
	now       func() time.Time
	zone      *time.Location
	baseURL   string
	timetable *timetable

	mu    sync.Mutex // guards the zip of the month
	month time.Time
	zip   []byte
}

// New opens the agency. The seed decides delays, cancellations and closures; now is its clock; baseURL is its own site, which
// the feed names. It fails only where the time zone database lacks Los Angeles.
func New(seed uint64, baseURL string, now func() time.Time) (*Agency, error) {
	where, err := time.LoadLocation(zone)
	if err != nil {
		return nil, fmt.Errorf("load the demo agency's time zone: %w", err)
	}
	return &Agency{seed: seed, now: now, zone: where, baseURL: baseURL, timetable: plan()}, nil
}

// Zip is the GTFS feed published on a day, and the instant of its last change. It changes with the month, not with the day.
func (a *Agency) Zip(day time.Time) (feed []byte, changed time.Time, err error) {
	local := day.In(a.zone)
	month := time.Date(local.Year(), local.Month(), 1, 0, 0, 0, 0, time.UTC)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.zip == nil || !month.Equal(a.month) {
		packed, err := pack(a.timetable.tables(month, a.baseURL), month)
		if err != nil {
			return nil, month, fmt.Errorf("make the demo's GTFS feed: %w", err)
		}
		a.month, a.zip = month, packed
	}
	return a.zip, a.month, nil
}

// Handler serves the feed and the three realtime sources, with conditional GET.
func (a *Agency) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+PathGTFS, func(w http.ResponseWriter, r *http.Request) {
		feed, changed, err := a.Zip(a.now())
		if err != nil {
			http.Error(w, "the feed is not available", http.StatusInternalServerError)
			return
		}
		serve(w, r, "application/zip", feed, changed)
	})
	for path, source := range map[string]func(time.Time) *gtfs.FeedMessage{
		PathTripUpdates: a.TripUpdates, PathVehicles: a.Vehicles, PathAlerts: a.Alerts,
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			at := a.now()
			body, err := proto.MarshalOptions{Deterministic: true}.Marshal(source(at))
			if err != nil {
				http.Error(w, "no realtime data", http.StatusInternalServerError)
				return
			}
			serve(w, r, "application/x-protobuf", body, at)
		})
	}
	return mux
}

// serve answers with a body, or with 304 where the client has it already.
func serve(w http.ResponseWriter, r *http.Request, kind string, body []byte, changed time.Time) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256(body)))
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
}

// stopName is what riders call a stop.
func (a *Agency) stopName(id string) string {
	i := slices.IndexFunc(a.timetable.stops, func(s stop) bool { return s.id == id })
	return a.timetable.stops[i].name
}
