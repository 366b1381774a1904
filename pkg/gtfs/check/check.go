// Package check has the rules for feeds, and checks a feed by them. Most rules are those of the
// canonical validator, and have the names of its notices. pkg/gtfs/notice has their sentences.
//
// The package sees each row of the small files once and keeps a few numbers of each. At the end it
// checks each combination of a pattern and a profile, and of a pattern and a shape, once for all
// trips that share it. This is fast, and its memory is bounded. It only reports findings; it never
// changes the feed.
//
// rules.go has the rules about one row, each with its condition, and feedrules.go those about rows
// of several small files. The files about agencies, routes, stops, days, trips and shapes have
// functions that apply several rules. rule.go lists the codes, also of the rules that pkg/gtfs and
// gtfs-import apply while they read a feed.
package check

import (
	"slices"
	"time"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
)

// A Checker checks one feed. The caller numbers agencies, stops, routes, services and shapes.
// Agencies must be checked before stops, and stops before routes.
type Checker struct {
	note  func(gtfs.Finding)
	today int32 // days since 1970

	refs      Refs
	kept      map[string][]*row           // keyed by file, for feedRules
	intervals map[string][]interval       // keyed by file
	values    map[place]map[string]bool   // values of columns to which references refer
	named     map[place]map[string]*named // keyed by the value of a reference
	agencies  struct {
		count      int
		nameless   int             // line of the agency without an id, or -1
		urls       map[string]bool // agency_url of the first agencies
		zones      map[string]bool // keyed by name: whether it is a time zone
		zone, lang []byte          // of the first agency
	}
	routes struct {
		line       []int32
		kind       []int16  // route_type
		speed      []uint16 // limit for the type of vehicle, in km/h
		continuous compact.Set
		networks   bool // routes.txt has the column network_id
	}
	services struct {
		line []int32 // services in calendar.txt only; they come first
	}
	stops       stops
	shapes      shapes
	zones       map[string]zone // keyed by id
	corners     int             // total of all zones
	overlapping map[[2]string]bool
	partly      bool      // the feed is too large to check all of it
	legs        []float64 // distances from call to call of the current trip
}

// New returns a Checker that calls note with its findings. today decides which services have
// expired.
func New(today time.Time, note func(gtfs.Finding), refs Refs) *Checker {
	c := &Checker{today: Day(today), refs: refs, kept: map[string][]*row{}, intervals: map[string][]interval{},
		values: map[place]map[string]bool{}, named: map[place]map[string]*named{}, zones: map[string]zone{},
		overlapping: map[[2]string]bool{}}
	c.note = func(f gtfs.Finding) {
		f.Effect = gtfs.Noted
		note(f)
	}
	for _, targets := range references {
		for _, target := range targets {
			c.values[target] = map[string]bool{}
		}
	}
	for _, file := range translated {
		table, _ := gtfs.TableOf(file)
		c.values[place{file, table.Key[0]}] = map[string]bool{}
	}
	c.agencies.nameless = -1
	c.agencies.urls, c.agencies.zones = map[string]bool{}, map[string]bool{}
	c.shapes.found = map[int32][]gtfs.Finding{}
	return c
}

// A RowFunc checks a row by its cells, which are in the order of the file's columns in pkg/gtfs.
type RowFunc func(line int, cells [][]byte)

// Columns checks the header of a file that the feed has.
func (c *Checker) Columns(def gtfs.Table, has func(column string) bool) {
	for _, name := range slices.Concat(def.Needed, def.Wanted, def.Present) {
		if !has(name) {
			c.note(gtfs.Finding{Code: "missing_required_column", File: def.File, Line: 1, Field: name})
		}
	}
	if def.File == "routes.txt" {
		c.routes.networks = has("network_id")
	}
}

// Cells returns the cells of the current row as published.
type Cells struct {
	Has     func(column string) bool
	Raw     func(column string) []byte
	IsShort func() bool
}

// Table returns the function that checks the rows of a file. Call it with the rows in the order of
// their numbers.
func (c *Checker) Table(def gtfs.Table, from Cells) RowFunc {
	check := checks[def.File]
	rules := slices.DeleteFunc(slices.Clone(rowRules), func(rule rowRule) bool { return rule.file != def.File })
	keep := slices.ContainsFunc(feedRules(), func(rule feedRule) bool { return slices.Contains(rule.files, def.File) })
	r := &row{c: c, table: def, raw: from.Raw, seen: map[uint64]bool{}}
	wanted := slices.DeleteFunc(slices.Clone(def.Wanted), func(name string) bool { return !from.Has(name) })
	remember := c.remembers(def)
	return func(line int, cells [][]byte) {
		r.n, r.line = r.n+1, line
		r.cells, r.short = cells, from.IsShort()
		for _, name := range wanted {
			if !r.has(name) {
				r.report("missing_required_field", name, nil)
			}
		}
		if check != nil {
			check(r)
		}
		for _, rule := range rules {
			if rule.broken(r) {
				value := []byte(nil)
				if rule.field != "" {
					value = r.raw(rule.field)
				}
				r.report(rule.code, rule.field, value)
			}
		}
		if def.Unchanged() && len(def.Key) > 0 && r.has(def.Key...) && r.again(def.Key...) {
			r.report("duplicate_key", def.Key[0], r.cell(def.Key[0]))
		}
		remember(r)
		if keep {
			c.keep(r)
		}
	}
}

// Files checks that a feed has the files that GTFS requires.
func (c *Checker) Files(has func(string) bool) {
	switch {
	case has("feed_info.txt"):
	case has("translations.txt"): // which need its feed_lang
		c.note(gtfs.Finding{Code: "missing_required_file", File: "feed_info.txt"})
	default:
		c.note(gtfs.Finding{Code: "missing_recommended_file", File: "feed_info.txt"})
	}
}

// Partly reports that a file is too large to be checked completely.
func (c *Checker) Partly(file string) {
	if !c.partly {
		c.partly = true
		c.note(gtfs.Finding{Code: "partly_checked", File: file})
	}
}

func (c *Checker) noteID(code gtfs.Code, file string, line int32, field string, id []byte) {
	c.note(gtfs.Finding{Code: code, File: file, Line: int(line), Field: field, Value: id, RowID: id})
}

// KnownColumn reports whether a column is part of GTFS although pkg/gtfs does not list it.
func KnownColumn(name string) bool {
	return slices.Contains([]string{"stop_access", "cars_allowed", "cemv_support", "safe_duration_factor",
		"safe_duration_offset", "mean_duration_factor", "mean_duration_offset", "location_id"}, name)
}
