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
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/panics"
	"github.com/townline/townline/services/gtfs-import/internal/audit"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// Options of a load.
type Options struct {
	// Alias replaces a missing agency_id.
	Alias string
	// Name replaces a missing agency_name.
	Name string
	// Manual rows of the feed.
	Manual []Manual
	// Audit gets all findings. Required.
	Audit *audit.Log
	// Meanwhile is called once when the connection would be idle. May be nil.
	Meanwhile func(context.Context) error
	// Progress is called now and then with the bytes of a file that have been read, from several goroutines. May be nil.
	Progress func(file string, done, total int64)
}

// A Refusal is why a feed cannot be used at all.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return "the feed is refused: " + r.Reason }

// Stats of one file.
type Stats struct {
	File string
	// Bytes after expansion.
	Bytes int64
	// Read counts the rows of the file and manual ones, Kept those in the tables, Hidden those that a manual row hides.
	Read, Kept, Hidden int64
	// Known is false for files of which rows are only counted.
	Known bool

	noted []bool // by column: a first reading has checked the cells of all rows that are used; nil before it
}

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
}

type loader struct {
	Options
	feed  *gtfs.Feed
	stage *stage.Stage
	stats map[string]*Stats
	keys  map[string]*interned.Table // by file: the keys that other files refer to
	rows  map[string]int64           // by table: how many were copied

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
	l := &loader{Options: opts, feed: feed, stage: st, stats: map[string]*Stats{}, keys: map[string]*interned.Table{}, rows: map[string]int64{}}
	l.keys["shapes.txt"] = &l.shapes.ids
	for _, t := range gtfs.Tables() {
		l.stats[t.File] = &Stats{File: t.File, Known: true}
	}
	for _, f := range feed.Files() {
		_, known := gtfs.TableOf(f.Name)
		l.stats[f.Name] = &Stats{File: f.Name, Bytes: f.Bytes, Known: known}
	}
	for _, read := range []func(context.Context) error{
		l.readAgencies, l.readStops, l.readRoutes, l.readServices, l.readDirectionNames, l.readTrips,
	} {
		if err := read(ctx); err != nil {
			return nil, err
		}
	}
	// Reading the calls takes as long as all the rest, so small tables and shapes are stored meanwhile.
	g, gctx := errgroup.WithContext(ctx)
	for _, read := range []func(context.Context) error{l.readCalls, l.copyEarly} {
		g.Go(func() error { return panics.Safely(func() error { return read(gctx) }) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := l.copyLate(ctx); err != nil {
		return nil, err
	}
	return l.result(ctx)
}

// copyEarly fills the tables that do not depend on the calls.
func (l *loader) copyEarly(ctx context.Context) error {
	for _, fill := range []func(context.Context) error{
		l.copyAgencies, l.copyStops, l.copyRoutes, l.copyServices, l.copyShapes, l.copyPlain,
	} {
		if err := fill(ctx); err != nil {
			return err
		}
	}
	if err := l.stage.Index(ctx); err != nil || l.Meanwhile == nil {
		return err
	}
	return l.Meanwhile(ctx)
}

// copyLate fills the others.
func (l *loader) copyLate(ctx context.Context) error {
	for _, fill := range []func(context.Context) error{
		l.copyPatterns, l.copyProfiles, l.copyTrips, l.copyDirections, l.copyStopIndex,
	} {
		if err := fill(ctx); err != nil {
			return err
		}
	}
	return l.stage.Index(ctx)
}

func (l *loader) copy(ctx context.Context, table, columns string, write func(*copier.Writer) error) error {
	n, err := l.stage.Copy(ctx, table, columns, write)
	l.rows[table] = n
	return err
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
	for _, f := range l.feed.Files() {
		s := l.stats[f.Name]
		if !s.Known {
			if err := l.count(ctx, s); err != nil {
				return nil, err
			}
		}
		r.Files = append(r.Files, *s)
		delete(l.stats, f.Name)
	}
	for _, t := range gtfs.Tables() { // files that manual rows alone make up
		if s := l.stats[t.File]; s != nil && s.Read > 0 {
			r.Files = append(r.Files, *s)
		}
	}
	return r, nil
}

// count counts the rows of a file that is not otherwise read.
func (l *loader) count(ctx context.Context, s *Stats) error {
	if len(s.File) < 4 || s.File[len(s.File)-4:] != ".txt" {
		return nil
	}
	r, err := l.feed.Reopen(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	for r.Next() {
		if s.Read++; s.Read%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return r.Err()
}

func (l *loader) note(code gtfs.Code, file string, line int, field string, value []byte) {
	l.Audit.Add(gtfs.Finding{Code: code, File: file, Line: line, Field: field, Value: value})
}

// maxTable bounds the memory of the ids of one kind, and of patterns and profiles. The feed of a country stays below half of it.
const maxTable = 256 << 20

// tooLarge refuses a feed with more of something than any feed can have.
func tooLarge(t *interned.Table, what string) error {
	if t == nil || t.Bytes() <= maxTable {
		return nil
	}
	return &Refusal{fmt.Sprintf("it has too many different %s: %d, and more to come", what, t.Len())}
}

// refuse returns why the feed cannot be used, if it has no ids.
func (l *loader) refuse(ids *interned.Table, what, file string) error {
	switch {
	case ids.Len() > 0:
		return nil
	case !l.feed.Has(file):
		return &Refusal{fmt.Sprintf("it has no usable %s: there is no %s", what, file)}
	case l.stats[file].Read == 0:
		return &Refusal{fmt.Sprintf("it has no usable %s: %s has no rows", what, file)}
	}
	return &Refusal{fmt.Sprintf("it has no usable %s: none of the %d rows of %s can be used; the audit says why", what, l.stats[file].Read, file)}
}
