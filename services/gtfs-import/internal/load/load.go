// Package load reads the files of a feed, checks them and their references, derives data for the
// API, and fills the tables of a version.
//
// Files of entities (agencies, stops, routes, services, trips) are read twice: first for their ids,
// then for their rows, which are streamed to the database (entities.go). So memory holds ids and
// numbers, never rows. A plain file needs only its entry in pkg/gtfs (plain.go). stop_times.txt is
// read once, and each trip's stop times become a pattern and a profile (calls.go).
//
// The audit lists the problems of rows and cells. A feed is refused only if it has no usable stops,
// routes, trips or service.
package load

import (
	"context"

	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/pkg/gtfs/notice"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Result describes a load.
type Result struct {
	Files []Stats
	// Counts is the number of rows by version table, and of stop_time and shape_point.
	Counts map[string]int64
	// TimeZone is the agency_timezone of the first agency; "" if unknown.
	TimeZone string
	// RunsOn lists the days on which a service with trips runs, in order.
	RunsOn []check.Days
	// Unreadable is why the version must not become live: most cells of a kind that departures need
	// cannot be read. It is nil if they can.
	Unreadable *notice.Hold
	Served     []ServedFile
}

type loader struct {
	*input
	agencies agencies
	routes   routes
	stops    stops
	services services
	shapes   shapes
	trips    trips
	names    directionNames
}

// Load fills the tables of st from feed.
func Load(ctx context.Context, feed *gtfs.Feed, st *stage.Stage, opts Options) (*Result, error) {
	l := &loader{input: newInput(feed, st, opts)}
	l.check = check.New(opts.Today, opts.Audit.Add, l.refs())
	l.check.Files(feed.Has)
	l.keys["shapes.txt"] = &l.shapes.ids
	err := inOrder(ctx, l.readAgencies, l.readStops, l.readRoutes, l.readServices, l.readDirectionNames, l.readTrips)
	if err != nil {
		return nil, err
	}
	// Reading the stop times takes as long as everything else. Meanwhile the connection stores
	// small tables and shapes.
	if err := concurrently(ctx, l.readCalls, l.copyEarly); err != nil {
		return nil, err
	}
	l.check.LocateByParents(l.stops.parent)
	l.check.Feed()
	l.checkBlocks()
	l.trips.ids.Freeze() // no file that is read later refers to trips
	l.checkDerived()
	if err := concurrently(ctx, l.checkTimedPatterns, l.copyLate); err != nil {
		return nil, err
	}
	if err := l.checkStopsOnShapes(ctx); err != nil {
		return nil, err
	}
	return l.result(ctx)
}

// concurrently runs steps, of which only one may use the connection. The first error cancels the
// others.
func concurrently(ctx context.Context, steps ...func(context.Context) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, step := range steps {
		g.Go(func() error {
			return panics.Safely(func() error { return step(ctx) })
		})
	}
	return g.Wait()
}

func inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (l *loader) copyEarly(ctx context.Context) error {
	return inOrder(ctx, l.copyAgencies, l.copyStops, l.copyRoutes, l.copyServices, l.copyShapes, l.copyPlain, l.copyFiles,
		l.stage.Index, l.Meanwhile)
}

func (l *loader) copyLate(ctx context.Context) error {
	return inOrder(ctx, l.copyPatterns, l.copyProfiles, l.copyTrips, l.copyDirections, l.copyStopIndex, l.copyList,
		l.stage.Index)
}

func (l *loader) result(ctx context.Context) (*Result, error) {
	r := &Result{
		Counts: map[string]int64{
			"pattern": l.rows["pattern"], "profile": l.rows["profile"], "stop_time": l.stats["stop_times.txt"].Kept,
			"shape": int64(l.shapes.ids.Len()), "shape_point": l.stats["shapes.txt"].Kept,
			"file": l.rows["file"], "file_row": l.rows["file_row"],
		},
		TimeZone: l.agencies.timeZone, RunsOn: l.services.calendar.days(), Unreadable: l.unreadable(),
	}
	for _, t := range gtfs.Tables() {
		if t.Name != "" {
			r.Counts[t.Name] = l.rows[t.Name]
		}
	}
	for _, f := range l.feed.Files() {
		s := l.stats[f.Name]
		if !s.Known {
			if err := l.count(ctx, s); err != nil {
				return nil, err
			}
		}
		r.Files = append(r.Files, *s)
	}
	for _, t := range gtfs.Tables() { // files that exist only in manual rows
		if s := l.stats[t.File]; !l.feed.Has(t.File) && s.Read > 0 {
			r.Files = append(r.Files, *s)
		}
	}
	r.Served = l.servedFiles()
	return r, nil
}
