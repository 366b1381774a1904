// Package demo runs a fictional town on one loopback HTTP server: the two meeting portals of the
// city of Alder Bay, which moved from one to the other, and the feeds of its transit agency.
//
// Townline shows it if nothing is configured. The services read it over HTTP like real data; none
// knows the demo. Package town has the meetings and their minutes, portal the web sites, agency the
// buses: all of them files, but for the positions of the buses, which follow from the clock.
//
// Only `townline up`, tests and scripts/prove import it.
package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/townline/townline/services/townline/demo/agency"
	"github.com/townline/townline/services/townline/demo/portal"
	"github.com/townline/townline/services/townline/demo/town"
)

// Options of a demo town. `townline up` sets Commission.
type Options struct {
	// Addr is where to listen; "" means a free port of 127.0.0.1.
	Addr string
	// Meetings of the town; nil means those of [town.Read].
	Meetings []*town.Meeting
	// Commission adds the planning commission to the bodies of [Council].
	Commission bool
	// Now is the town's clock; nil means the time of day.
	Now func() time.Time
	// Wrap wraps the town's handler, for tests; may be nil.
	Wrap func(http.Handler) http.Handler
}

// Town is a running demo, with its configuration in terms of transit.yaml and council.yaml.
type Town struct {
	// URL is the server's root, without a slash at the end.
	URL     string
	Council Council
	Feed    Feed

	*town.Town
	done chan error
}

// Council is the demo's council.yaml, which may be JSON.
type Council struct {
	// Portals of the council, the oldest first.
	Portals  []Portal `json:"portals"`
	Body     string   `json:"body"`
	Bodies   []Body   `json:"bodies,omitempty"` // further ones
	TimeZone string   `json:"time_zone"`
	// MeetingTypes maps types as written to those of the API; Members maps a member's name to its
	// other spellings.
	MeetingTypes map[string]string   `json:"meeting_types"`
	Members      map[string][]string `json:"members"`
}

// Body is an entry of bodies in council.yaml.
type Body struct {
	Name string `json:"name"`
}

// Portal is an entry of portals in council.yaml.
type Portal struct {
	URL     string `json:"url"`
	Product string `json:"product"`
	Name    string `json:"name"`
	// From and To are the first and the last day; "" is open.
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Pause   string `json:"pause"`
	Contact string `json:"contact"`
	// Documents that count as minutes, by preference.
	Documents []string `json:"documents,omitempty"`
}

// Feed is the one entry of the demo's transit.yaml.
type Feed struct {
	Alias    string           `json:"alias"`
	Name     string           `json:"name"`
	URL      string           `json:"url"`
	Every    string           `json:"every,omitempty"`
	Realtime []RealtimeSource `json:"realtime"`
}

// RealtimeSource is one realtime source of a feed: trip_updates, vehicle_positions or alerts.
type RealtimeSource struct {
	Kind        string `json:"kind"`
	URL         string `json:"url"`
	StaleAfter  string `json:"stale_after"`
	MinInterval string `json:"min_interval"`
	Timeout     string `json:"timeout,omitempty"`
}

// Start opens the demo town. It serves until the context ends; Wait returns when it has stopped.
func Start(ctx context.Context, o Options) (*Town, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("open the demo town on %s: %w", o.Addr, err)
	}
	t := &Town{URL: "http://" + listener.Addr().String(), done: make(chan error, 1)}
	handler, err := t.build(o)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	if o.Wrap != nil {
		handler = o.Wrap(handler)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	go func() {
		<-ctx.Done()
		_ = server.Close() // its requests are our own services', which end with the same context
	}()
	go func() {
		err := server.Serve(listener)
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		t.done <- err
	}()
	return t, nil
}

// Wait returns when the server has stopped: nil after the end of the context, else why.
func (t *Town) Wait() error {
	if err := <-t.done; err != nil {
		return fmt.Errorf("serve the demo town: %w", err)
	}
	return nil
}

// build returns the handler of portals and agency, and sets Council and Feed.
func (t *Town) build(o Options) (http.Handler, error) {
	if o.Meetings == nil {
		var err error
		o.Meetings, err = town.Read()
		if err != nil {
			return nil, err
		}
	}
	t.Town = town.New(o.Meetings, o.Now)
	portals, err := portal.New(t.Town)
	if err != nil {
		return nil, err
	}
	buses, err := agency.New(o.Now)
	if err != nil {
		return nil, err
	}
	const contact = "clerk@alderbay.example"
	t.Council = Council{
		Portals: []Portal{
			{URL: t.URL, Product: "iqm2", Name: "iqm2/" + portal.Client,
				To:    town.Moved().AddDate(0, 0, -1).Format(time.DateOnly),
				Pause: "0s", Contact: contact, Documents: []string{"15", "12"}},
			{URL: t.URL + "/v1/" + portal.Client, Product: "legistar", Name: "legistar/" + portal.Client,
				From: town.Moved().Format(time.DateOnly), Pause: "0s", Contact: contact},
		},
		Body: town.Council, TimeZone: town.Zone, MeetingTypes: map[string]string{"Study Session": "special"},
		Members: map[string][]string{"Daniel Okafor": {"Daniel C. Okafor"}}, // some templates write him so
	}
	if o.Commission {
		t.Council.Bodies = []Body{{town.Planning}}
	}
	t.Feed = Feed{Alias: "alderbay", Name: "Alder Bay Transit", URL: t.URL + agency.PathGTFS, Every: "6h",
		Realtime: []RealtimeSource{
			{"trip_updates", t.URL + agency.PathTripUpdates, "15s", "5s", ""},
			{"vehicle_positions", t.URL + agency.PathVehicles, "15s", "5s", ""},
			{"alerts", t.URL + agency.PathAlerts, "15s", "5s", ""},
		}}
	mux := http.NewServeMux()
	for _, path := range []string{agency.PathGTFS, agency.PathTripUpdates, agency.PathVehicles, agency.PathAlerts} {
		mux.Handle(path, buses.Handler())
	}
	mux.Handle("/", portals.Handler())
	return mux, nil
}

// Minuted returns the council's meetings with published minutes.
func (t *Town) Minuted() []*town.Meeting {
	return slices.DeleteFunc(slices.Clone(t.Meetings()), func(m *town.Meeting) bool {
		return m.Board != town.Council || !t.HasMinutes(m)
	})
}
