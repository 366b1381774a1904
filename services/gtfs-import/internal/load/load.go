// Package load reads the files of a feed, checks them and their references, derives what the API
// needs beyond them, and fills the staged tables of a version.
//
// Files of entities (agencies, stops, routes, services, trips) are read twice: first for their ids,
// then for their rows, which go straight to the database (entities.go). So memory holds ids and
// numbers, never rows. Plain files need only their entry in pkg/gtfs (plain.go). stop_times.txt is
// read once, and each trip's calls become a pattern and a profile (calls.go).
//
// The audit gets what is wrong with rows and cells. Only a feed without usable stops, routes, trips
// or service is refused.
package load

import (
	"context"

	"golang.org/x/sync/errgroup"

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
	err := inOrder(ctx, l.readAgencies, l.readStops, l.readRoutes, l.readServices, l.readDirectionNames, l.readTrips)
	if err != nil {
		return nil, err
	}
	// Reading the calls takes as long as all the rest, so small tables and shapes are stored
	// meanwhile.
	if err := together(ctx, l.readCalls, l.copyEarly); err != nil {
		return nil, err
	}
	l.trips.ids.Seal() // no other file refers to trips any more
	l.judgeEnd()
	if err := together(ctx, l.judgeCourses, l.copyLate); err != nil {
		return nil, err
	}
	if err := l.judgeWays(ctx); err != nil {
		return nil, err
	}
	return l.result(ctx)
}

// together runs steps at the same time, one of which uses the connection. The first error ends all.
func together(ctx context.Context, steps ...func(context.Context) error) error {
	g, ctx := errgroup.WithContext(ctx)
	for _, step := range steps {
		g.Go(func() error {
			return panics.Safely(func() error { return step(ctx) })
		})
	}
	return g.Wait()
}

// inOrder runs steps one after another.
func inOrder(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// copyEarly fills the tables that do not depend on the calls.
func (l *loader) copyEarly(ctx context.Context) error {
	return inOrder(ctx, l.copyAgencies, l.copyStops, l.copyRoutes, l.copyServices, l.copyShapes, l.copyPlain, l.copyFiles,
		l.stage.Index, l.Meanwhile)
}

// copyLate fills the others.
func (l *loader) copyLate(ctx context.Context) error {
	return inOrder(ctx, l.copyPatterns, l.copyProfiles, l.copyTrips, l.copyDirections, l.copyStopIndex, l.copyList,
		l.stage.Index)
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
