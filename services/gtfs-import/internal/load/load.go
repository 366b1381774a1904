// Package load reads the files of a feed, checks and connects them, works out
// what the API needs beyond them, and fills the staged tables of a version.
//
// Each file of entities (agencies, stops, routes, trips) is read twice: first for its
// identifiers, which everything else refers to, then for its rows, which go
// straight to the database. So memory holds identifiers and numbers, never rows. stop_times.txt
// is read once: each trip's calls are gathered, split into a pattern and a
// profile, and both are kept once, however many trips share them (calls.go).
//
// What is wrong with a row or cell goes to the audit; only a feed without usable
// stops, routes, trips or service is refused.
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
	// Alias stands in for the agency_id that a feed does not give.
	Alias string
	// Name stands in for the agency that a feed does not describe.
	Name string
	// Manual rows of the feed.
	Manual []Manual
	// Audit is told everything that is wrong. Required.
	Audit *audit.Log
	// Meanwhile is called once on the way, when the connection would else be idle.
	// May be nil.
	Meanwhile func(context.Context) error
	// Progress is told now and then how far the reading of a file is, in bytes,
	// from several goroutines. May be nil.
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
	// Read is how many rows were read, manual ones included; Kept how many are in
	// the tables, Hidden how many a manual row hides.
	Read, Kept, Hidden int64
	// Known tells that the file is one that the API needs; rows of others are only
	// counted.
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
	// RunsOn are the days on which a service with trips runs, in order; none if there is no such day.
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
	// Small tables and shapes go to the database while the calls are read, which
	// takes as long as all the rest.
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

// copyEarly fills the tables that need nothing of the calls.
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

// copy fills a table.
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

// maxTable bounds the memory of the identifiers of one kind, and of patterns and
// profiles. The feed of a whole country stays below half of it.
const maxTable = 256 << 20

// tooLarge refuses a feed with more of something than any feed can have.
func tooLarge(t *interned.Table, what string) error {
	if t == nil || t.Bytes() <= maxTable {
		return nil
	}
	return &Refusal{fmt.Sprintf("it has too many different %s: %d, and more to come", what, t.Len())}
}

// refuse says why the feed is of no use, if table has nothing in it.
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
