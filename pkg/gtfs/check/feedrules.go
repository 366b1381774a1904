package check

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/townline/townline/pkg/gtfs"
)

// A feedRule checks rows of small files together, after all files have been read.
type feedRule struct {
	code  gtfs.Code
	files []string
	check func(*Checker, feedRule)
}

func feedRules() []feedRule {
	pathways := []string{"pathways.txt"}
	return []feedRule{
		{code: "duplicate_geography_id", files: []string{"location_groups.txt"}, check: (*Checker).placeIDs},
		{code: "fare_product_with_multiple_default_rider_categories",
			files: []string{"rider_categories.txt", "fare_products.txt"}, check: (*Checker).fareDefaults},
		{code: "missing_level_id", files: pathways, check: (*Checker).liftLevels},
		{code: "pathway_dangling_generic_node", files: pathways, check: (*Checker).danglingNodes},
		{code: "pathway_to_platform_with_boarding_areas", files: pathways,
			check: pathwayEnds(func(c *Checker, stop int32) bool {
				return c.stops.kind[stop] == platform && c.stops.children.Has(int(stop))
			})},
		{code: "pathway_to_stop_with_access_outside_of_station_pathways", files: pathways,
			check: pathwayEnds(func(c *Checker, stop int32) bool { return c.stops.street.Has(int(stop)) })},
		{code: "pathway_to_wrong_location_type", files: pathways,
			check: pathwayEnds(func(c *Checker, stop int32) bool { return c.stops.kind[stop] == station })},
		{code: "pathway_unreachable_location", files: pathways, check: (*Checker).unreachable},
		{code: "route_networks_specified_in_more_than_one_file", check: (*Checker).networksTwice},
		{code: "overlapping_frequency", check: overlaps("frequencies.txt")},
		{code: "timeframe_overlap", check: overlaps("timeframes.txt")},
		{code: "transfer_with_invalid_trip_and_stop", files: []string{"transfers.txt"},
			check: (*Checker).transferStops},
		{code: "translation_foreign_key_violation", files: []string{"translations.txt"},
			check: (*Checker).translations},
		{code: "foreign_key_violation", check: (*Checker).references},
	}
}

// Refs looks up rows of the large files.
type Refs struct {
	Has func(file string) bool
	// Find returns the number of the row with an id; -1 if there is none.
	Find func(file string, id []byte) int32
	// StopID returns the id of a stop. Parent returns its parent station or platform; -1 if there
	// is none.
	StopID func(stop int32) []byte
	Parent func(stop int32) int32
	// RouteOf returns the route of a trip. Calls yields the stops of a trip; -1 for a zone or
	// group.
	RouteOf func(trip int32) int32
	Calls   func(trip int32, yield func(stop, sequence int32))
}

// maxKept bounds the number of rows kept per file.
const maxKept = 100_000

func (c *Checker) keep(r *row) {
	file := r.table.File
	switch {
	case file == "transfers.txt" && !r.has("from_trip_id", "to_trip_id"), file == "translations.txt" &&
		r.has("field_value"), r.short:
		return // rowRules check these rows
	case len(c.kept[file]) >= maxKept:
		c.Partly(file)
		return
	}
	k := *r
	k.cells = make([][]byte, len(r.cells))
	for i, cell := range r.cells {
		k.cells[i] = bytes.Clone(cell)
	}
	k.raw = func(column string) []byte {
		if i := k.table.Column(column); i >= 0 {
			return k.cells[i]
		}
		return nil
	}
	c.kept[file] = append(c.kept[file], &k)
}

// Feed runs feedRules. Call it after all files have been read.
func (c *Checker) Feed() {
	c.stops.children = nil
	for n := range int32(len(c.stops.kind)) {
		if p := c.refs.Parent(n); p >= 0 {
			c.stops.children.Add(int(p))
		}
	}
	for _, rule := range feedRules() {
		rule.check(c, rule)
	}
	c.kept = nil
	c.intervals = nil
	c.named = nil
	if a := &c.agencies; a.nameless >= 0 {
		f := gtfs.Finding{Code: "missing_recommended_field", File: "agency.txt", Line: a.nameless, Field: "agency_id"}
		if a.count > 1 {
			f.Code = "missing_required_agency_id"
		}
		c.note(f)
	}
}

func (c *Checker) find(file string, id []byte) int32 {
	if len(id) == 0 || c.refs.Find == nil {
		return -1
	}
	return c.refs.Find(file, id)
}

// placeIDs reports ids that two of zone, location group and stop share. Another rule reports
// duplicates within a file.
func (c *Checker) placeIDs(rule feedRule) {
	groups := map[string]bool{}
	for _, r := range c.kept["location_groups.txt"] {
		id := r.cell("location_group_id")
		groups[string(id)] = true
		if _, isZone := c.zones[string(id)]; isZone || c.find("stops.txt", id) >= 0 {
			r.report(rule.code, "location_group_id", id)
		}
	}
	for id := range c.zones {
		if n := c.find("stops.txt", []byte(id)); n >= 0 && !groups[id] {
			c.noteStop(rule.code, n, "stop_id")
		}
	}
}

func (c *Checker) fareDefaults(rule feedRule) {
	isDefault := map[string]bool{}
	for _, r := range c.kept["rider_categories.txt"] {
		id := string(r.cell("rider_category_id"))
		if _, seen := isDefault[id]; !seen {
			isDefault[id] = r.is("is_default_fare_category", "1")
		}
	}
	first, reported := map[string]string{}, map[string]bool{}
	for _, r := range c.kept["fare_products.txt"] {
		product, category := string(r.cell("fare_product_id")), string(r.cell("rider_category_id"))
		other, found := first[product]
		switch {
		case !isDefault[category]:
		case !found:
			first[product] = category
		case other != category && !reported[product]:
			reported[product] = true
			r.report(rule.code, "rider_category_id", r.cell("fare_product_id"))
		}
	}
}

func (c *Checker) networksTwice(rule feedRule) {
	for _, file := range []string{"route_networks.txt", "networks.txt"} {
		if c.routes.networks && c.refs.Has(file) {
			c.note(gtfs.Finding{Code: rule.code, File: file, Field: "network_id"})
		}
	}
}

// overlaps returns a check for overlapping intervals in a file.
func overlaps(file string) func(*Checker, feedRule) {
	return func(c *Checker, rule feedRule) {
		all := c.intervals[file]
		slices.SortStableFunc(all, func(a, b interval) int {
			return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to))
		})
		for i := 1; i < len(all); i++ {
			if all[i-1].group == all[i].group && all[i].from < all[i-1].to {
				id, _, _ := strings.Cut(all[i].group, "\x00")
				c.noteID(rule.code, file, int32(all[i].line), "start_time", []byte(id))
			}
		}
	}
}

// transferStops checks that a trip calls at the stop of its transfer, or at any stop of the
// station.
func (c *Checker) transferStops(rule feedRule) {
	for _, r := range c.kept["transfers.txt"] {
		for _, end := range []string{"from", "to"} {
			trip, stop := c.find("trips.txt", r.cell(end+"_trip_id")), r.stop(end+"_stop_id")
			if trip < 0 || stop < 0 {
				continue
			}
			calls := false
			c.refs.Calls(trip, func(at, _ int32) {
				calls = calls || at >= 0 && (at == stop && c.stops.kind[stop] == platform ||
					c.stops.kind[stop] == station && c.refs.Parent(at) == stop)
			})
			r.reportIf(!calls, rule.code, end+"_stop_id")
		}
	}
}

func (r *row) translation() {
	for _, column := range []string{"record_id", "record_sub_id"} {
		r.reportIf(r.has("field_value") && r.has(column), "translation_unexpected_value", column)
	}
	file := string(r.cell("table_name")) + ".txt"
	table, known := gtfs.TableOf(file)
	if !known || table.Beyond || !r.c.refs.Has(file) {
		r.report("translation_unknown_table_name", "table_name", r.cell("table_name"))
		return
	}
	for n, column := range []string{"record_id", "record_sub_id"} {
		wanted := len(table.Key) > n
		switch {
		case r.has("field_value") || r.has(column) == wanted:
			continue
		case wanted:
			r.report("missing_required_field", column, nil)
		default:
			r.report("translation_unexpected_value", column, r.cell(column))
		}
		return
	}
}

// translated lists the files with one key column whose rows translations.txt can name.
var translated = []string{"pathways.txt", "levels.txt", "attributions.txt", "fare_attributes.txt", "fare_media.txt",
	"rider_categories.txt", "location_groups.txt", "booking_rules.txt", "areas.txt", "networks.txt"}

func (c *Checker) translations(rule feedRule) {
	for _, r := range c.kept["translations.txt"] {
		file, id := string(r.cell("table_name"))+".txt", r.cell("record_id")
		found := true
		switch {
		case slices.Contains([]string{"agency.txt", "stops.txt", "routes.txt", "trips.txt", "calendar.txt"}, file):
			found = c.find(file, id) >= 0
		case file == "stop_times.txt":
			found = c.hasCall(c.find("trips.txt", id), r)
		case slices.Contains(translated, file) && c.refs.Has(file):
			table, _ := gtfs.TableOf(file)
			found = c.values[place{file, table.Key[0]}][string(id)]
		}
		r.reportIf(!found && len(id) > 0, rule.code, "record_id")
	}
}

func (c *Checker) hasCall(trip int32, r *row) (found bool) {
	want, ok := r.number("record_sub_id")
	if trip < 0 || !ok {
		return trip >= 0 && !r.has("record_sub_id")
	}
	c.refs.Calls(trip, func(_, sequence int32) { found = found || int(sequence) == want })
	return found
}

// Block is a trip of a block, with the times of its first and its last call, or None.
type Block struct {
	Block, Trip, Route, Service, Line int32
	First, Last                       [2]int32 // arrival, departure
}

// maxCompared bounds the number of pairs of trips that are compared.
const maxCompared = 10_000_000

// Blocks reports trips of a block that overlap. runTogether reports whether two services share a
// day.
func (c *Checker) Blocks(trips []Block, name func(block int32) []byte, tripID func(int32) []byte,
	runTogether func(a, b int32) bool,
) {
	slices.SortStableFunc(trips, func(a, b Block) int {
		return cmp.Or(cmp.Compare(a.Block, b.Block), cmp.Compare(a.First[0], b.First[0]),
			cmp.Compare(a.Last[1], b.Last[1]))
	})
	compared := 0
	reported := None
	for i := range trips {
		a := &trips[i]
		if i > 0 && trips[i-1].Block == a.Block && c.routeType(trips[i-1].Route) != c.routeType(a.Route) &&
			reported != int(a.Block) {
			reported = int(a.Block)
			c.note(gtfs.Finding{Code: "inconsistent_route_type_for_block_id", File: "trips.txt", Line: int(a.Line),
				Field: "block_id", Value: name(a.Block), RowID: tripID(a.Trip)})
		}
		for j := i + 1; j < len(trips) && compared < maxCompared && a.timed(); j++ {
			b := &trips[j]
			if b.Block != a.Block || b.timed() && a.Last[1] <= b.First[0] {
				break
			}
			compared++
			if b.timed() && a.Last != b.First && runTogether(a.Service, b.Service) {
				c.note(gtfs.Finding{Code: "block_trips_with_overlapping_stop_times", File: "trips.txt", Line: int(b.Line),
					Field: "block_id", RowID: tripID(b.Trip),
					Value: fmt.Appendf(nil, "%s: %s, %s", name(a.Block), tripID(a.Trip), tripID(b.Trip))})
			}
		}
	}
	if compared >= maxCompared {
		c.Partly("trips.txt")
	}
}

func (b *Block) timed() bool {
	return b.First[0] != None && b.First[1] != None && b.Last[0] != None && b.Last[1] != None
}
