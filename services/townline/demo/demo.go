// Package demo runs a fictional town on one loopback HTTP server: the two meeting portals of the
// city of Alder Bay, which moved from one to the other, and the feeds of its transit agency.
//
// Townline shows the demo if no town is configured. The services read it over HTTP like real data;
// they do not know that it is a demo. Package town has the meetings and their minutes, portal the
// web sites, agency the buses. All of them are files, except the positions of the buses, which are
// computed from the time.
//
// Only `townline up`, tests and scripts/prove import it.
package demo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/townline/townline/services/townline/demo/agency"
	"github.com/townline/townline/services/townline/demo/portal"
	"github.com/townline/townline/services/townline/demo/town"
)

// Options configure a demo town.
type Options struct {
	// Addr is the address to listen on; "" means a free port of 127.0.0.1.
	Addr string
	// Meetings are the meetings of the town; nil means those of [town.Read].
	Meetings []*town.Meeting
	// Now is the town's clock; nil means time.Now.
	Now func() time.Time
	// Wrap wraps the town's handler, for tests; it may be nil.
	Wrap func(http.Handler) http.Handler
}

// Alias is the alias of the demo's feed.
const Alias = "alderbay"

//go:embed council.yaml
var councilYAML string

//go:embed transit.yaml
var transitYAML string

// Town is a running demo.
type Town struct {
	// URL is the root of the server, without a slash at the end.
	URL string
	// Council and Transit are the contents of council.yaml and transit.yaml for this town.
	Council, Transit string

	*town.Town
	done chan error
}

// Start starts the demo town. It serves until the context ends; Wait returns when it has stopped.
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
	address := "http://" + listener.Addr().String()
	t := &Town{URL: address, done: make(chan error, 1), Council: strings.ReplaceAll(councilYAML, "{url}", address),
		Transit: strings.ReplaceAll(transitYAML, "{url}", address)}
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
		_ = server.Close() // only our own services send requests, and they end with the same context
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

// Wait returns when the server has stopped: nil after the end of the context, otherwise the error.
func (t *Town) Wait() error {
	if err := <-t.done; err != nil {
		return fmt.Errorf("serve the demo town: %w", err)
	}
	return nil
}

// build returns the handler of portals and agency.
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
	mux := http.NewServeMux()
	portals.Register(mux)
	buses.Register(mux)
	return mux, nil
}

// Minuted returns the council's meetings with published minutes.
func (t *Town) Minuted() []*town.Meeting {
	return slices.DeleteFunc(slices.Clone(t.Meetings()), func(m *town.Meeting) bool {
		return m.Board != town.Council || !t.HasMinutes(m)
	})
}
