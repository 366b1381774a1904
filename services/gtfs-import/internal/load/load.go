// Package load reads the files of a feed, checks them and their references, derives what the API needs beyond them, and fills
// the staged tables of a version.
//
// Files of entities (agencies, stops, routes, services, trips) are read twice: first for their ids, then for their rows, which go
// straight to the database (entities.go). So memory holds ids and numbers, never rows. Plain files need only their entry in
// pkg/gtfs (plain.go). stop_times.txt is read once, and each trip's calls become a pattern and a profile (calls.go).
//
// The audit gets what is wrong with rows and cells. Only a feed without usable stops, routes, trips or service is refused.
package load

import (
	"context"
	"errors"
	"sync"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Result of a load.
type Result struct {
	// Files of the feed, in its order.
	Files []Stats
	// Counts of rows by version table, and of stop_time and shape_point.
	Counts map[string]int64
	// TimeZone is the agency_timezone of the first agency, "" if it is not known.
	TimeZone string
	// RunsOn are the days on which a service with trips runs, in order.
	RunsOn []Days
	// Effective are the files of the feed as it is served.
	Effective []Effective
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
	l.keys["shapes.txt"] = &l.shapes.ids
	for _, read := range []func(context.Context) error{
		l.readAgencies, l.readStops, l.readRoutes, l.readServices, l.readDirectionNames, l.readTrips,
	} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	// Reading the calls takes as long as all the rest, so small tables and shapes are stored meanwhile.
	if err := l.beside(ctx, l.readCalls, l.copyEarly); err != nil {
		return nil, err
	}
	l.trips.ids.Seal() // no other file refers to trips any more
	l.judgeEnd()
	if err := l.beside(ctx, l.judgeCourses, l.copyLate); err != nil {
		return nil, err
	}
	if err := l.judgeWays(ctx); err != nil {
		return nil, err
	}
	return l.result(ctx)
}

// beside runs what uses the connection and, meanwhile, what does not. If one fails the other ends soon; but a statement that is under way ends by
// itself: cutting it off would close the connection, which is still to record why the feed is refused.
func (l *loader) beside(ctx context.Context, apart, connected func(context.Context) error) error {
	read, stop := context.WithCancel(ctx)
	defer stop()
	l.failed = make(chan struct{})
	var apartErr, err error
	var g sync.WaitGroup
	g.Go(func() {
		apartErr = panics.Safely(func() error { return apart(read) })
		if apartErr != nil {
			close(l.failed)
		}
	})
	if err = panics.Safely(func() error { return connected(ctx) }); err != nil {
		stop()
	}
	g.Wait()
	switch {
	case apartErr == nil, err != nil && !errors.Is(err, errGaveUp):
		return err
	}
	return apartErr
}

// errGaveUp ends what uses the connection when what is done beside it has failed.
var errGaveUp = errors.New("the import has failed elsewhere")

// gaveUp is that error once it is so.
func (l *input) gaveUp() error {
	select {
	case <-l.failed:
		return errGaveUp
	default:
		return nil
	}
}

// copyEarly fills the tables that do not depend on the calls.
func (l *loader) copyEarly(ctx context.Context) error {
	for _, fill := range []func(context.Context) error{
		l.copyAgencies, l.copyStops, l.copyRoutes, l.copyServices, l.copyShapes, l.copyPlainFiles, l.copyFiles,
	} {
		if err := errors.Join(fill(ctx), l.gaveUp()); err != nil {
			return err
		}
	}
	if err := l.stage.Index(ctx); err != nil || l.Meanwhile == nil {
		return err
	}
	return l.Meanwhile(ctx)
}

func (l *loader) copyPlainFiles(ctx context.Context) error {
	return l.copyPlain(ctx, map[string]func(*plainRows) bool{"calendar_dates.txt": l.acceptServiceDate, "frequencies.txt": acceptFrequency})
}

// copyLate fills the others.
func (l *loader) copyLate(ctx context.Context) error {
	for _, fill := range []func(context.Context) error{
		l.copyPatterns, l.copyProfiles, l.copyTrips, l.copyDirections, l.copyStopIndex, l.copyList,
	} {
		if err := errors.Join(fill(ctx), l.gaveUp()); err != nil {
			return err
		}
	}
	return l.stage.Index(ctx)
}

func (l *loader) result(ctx context.Context) (*Result, error) {
	r := &Result{
		Counts: map[string]int64{
			"pattern": l.rows["pattern"], "profile": l.rows["profile"], "stop_time": l.stats["stop_times.txt"].Kept,
			"shape": int64(l.shapes.ids.Len()), "shape_point": l.stats["shapes.txt"].Kept,
		},
		TimeZone: l.agencies.timeZone, RunsOn: l.services.running.days(),
	}
	for _, t := range gtfs.Tables() {
		if t.Name != "" {
			r.Counts[t.Name] = l.rows[t.Name]
		}
	}
	r.Counts["file"], r.Counts["file_row"] = l.rows["file"], l.rows["file_row"]
	for _, f := range l.feed.Files() {
		s := l.stats[f.Name]
		if !s.Known {
			if err := l.count(ctx, s); err != nil {
				return nil, err
			}
		}
		r.Files = append(r.Files, *s)
	}
	for _, t := range gtfs.Tables() { // files that manual rows alone make up
		if s := l.stats[t.File]; !l.feed.Has(t.File) && s.Read > 0 {
			r.Files = append(r.Files, *s)
		}
	}
	r.Effective = l.effective()
	return r, nil
}
