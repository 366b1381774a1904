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
	Rule
	files []string
	check func(*Checker, feedRule)
}

func feedRules() []feedRule {
	pathways := []string{"pathways.txt"}
	return []feedRule{
		{Rule{"duplicate_geography_id", Error,
			"A stop, a group of stops or a zone has the identifier of another kind of place.",
			"Give each stop, location group and zone a unique identifier."},
			[]string{"location_groups.txt"}, (*Checker).placeIDs},
		{Rule{"fare_product_with_multiple_default_rider_categories", Error,
			"The fare product has more than one default rider category.",
			"Write 1 in is_default_fare_category of one category of the product."},
			[]string{"rider_categories.txt", "fare_products.txt"}, (*Checker).fareDefaults},
		{Rule{"missing_level_id", Error, "A lift begins or ends here, and the location has no level.", "Fill in level_id."},
			pathways, (*Checker).liftLevels},
		{Rule{"pathway_dangling_generic_node", Warning,
			"Pathways connect the node to only one other location, so it is a dead end.",
			"Connect the node to a second location, or remove it."},
			pathways, (*Checker).danglingNodes},
		{Rule{"pathway_to_platform_with_boarding_areas", Error, "The pathway ends at a platform that has boarding areas.",
			"Let the pathway end at a boarding area."},
			pathways, pathwayEnds(func(c *Checker, stop int32) bool {
				return c.stops.kind[stop] == platform && c.stops.children.Has(int(stop))
			})},
		{Rule{"pathway_to_stop_with_access_outside_of_station_pathways", Error,
			"The pathway ends at a stop that riders reach from the street, according to stop_access.",
			"Remove the pathway, or write 0 as stop_access."},
			pathways, pathwayEnds(func(c *Checker, stop int32) bool { return c.stops.street.Has(int(stop)) })},
		{Rule{"pathway_to_wrong_location_type", Error, "The pathway ends at a station.",
			"Let the pathway end at a platform, an entrance, a node or a boarding area."},
			pathways, pathwayEnds(func(c *Checker, stop int32) bool { return c.stops.kind[stop] == station })},
		{Rule{"pathway_unreachable_location", Error,
			"No pathways lead from an entrance to this place, or none from here to an exit.",
			"Add the pathways that are missing, or check their directions."},
			pathways, (*Checker).unreachable},
		{Rule{"route_networks_specified_in_more_than_one_file", Error,
			"The networks of routes are in this file, and in network_id of routes.txt.", "Keep one of the two."},
			nil, (*Checker).networksTwice},
		{Rule{"overlapping_frequency", Error, "Two headways of a trip overlap in time.",
			"Let the second begin when the first ends."},
			nil, overlaps("frequencies.txt")},
		{Rule{"timeframe_overlap", Error, "Two timeframes of a group overlap on the same days.",
			"Let the second begin when the first ends."},
			nil, overlaps("timeframes.txt")},
		{Rule{"transfer_with_invalid_trip_and_stop", Error, "The trip of the transfer does not call at its stop.",
			"Correct the stop or the trip."},
			[]string{"transfers.txt"}, (*Checker).transferStops},
		{Rule{"translation_foreign_key_violation", Error, "The translation is for a row that the feed does not have.",
			"Correct record_id and record_sub_id, or remove the translation."},
			[]string{"translations.txt"}, (*Checker).translations},
		{Rule{Code: "foreign_key_violation"}, nil, (*Checker).references},
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
			r.report(rule.Code, "location_group_id", id)
		}
	}
	for id := range c.zones {
		if n := c.find("stops.txt", []byte(id)); n >= 0 && !groups[id] {
			c.noteStop(rule.Code, n, "stop_id")
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
			r.report(rule.Code, "rider_category_id", r.cell("fare_product_id"))
		}
	}
}

func (c *Checker) networksTwice(rule feedRule) {
	for _, file := range []string{"route_networks.txt", "networks.txt"} {
		if c.routes.networks && c.refs.Has(file) {
			c.note(gtfs.Finding{Code: rule.Code, File: file, Field: "network_id"})
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
				c.noteID(rule.Code, file, int32(all[i].line), "start_time", []byte(id))
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
			r.reportIf(!calls, rule.Code, end+"_stop_id")
		}
	}
}

// fileRules are the rules that the functions below apply.
var fileRules = []Rule{
	{"translation_unknown_table_name", Warning, "The feed has no table of this name to translate.",
		"Write the name of the file without .txt, such as stops."},
	{"translation_unexpected_value", Error, "The translation has a value in a field that must be empty.",
		"Leave record_id and record_sub_id empty if there is a field_value, or if the table has no such key."},
	{"block_trips_with_overlapping_stop_times", Error,
		"Two trips of a block run at the same time of the same day. One vehicle cannot do both.",
		"Correct block_id of one of the trips, or the times."},
	{"inconsistent_route_type_for_block_id", Warning, "The trips of a block have different kinds of vehicles.",
		"Correct block_id, or route_type of the routes."},
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
		r.reportIf(!found && len(id) > 0, rule.Code, "record_id")
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
