package check

import (
	"cmp"
	"maps"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

type place struct{ file, column string }

// references has columns, and those of which one must have their values. Rows that break these
// references are kept. internal/load leaves out rows that break the references in pkg/gtfs.
var references = map[place][]place{
	{"stops.txt", "level_id"}:                         {{"levels.txt", "level_id"}},
	{"fare_attributes.txt", "agency_id"}:              {{"agency.txt", "agency_id"}},
	{"attributions.txt", "agency_id"}:                 {{"agency.txt", "agency_id"}},
	{"fare_rules.txt", "fare_id"}:                     {{"fare_attributes.txt", "fare_id"}},
	{"fare_rules.txt", "origin_id"}:                   {{"stops.txt", "zone_id"}},
	{"fare_rules.txt", "destination_id"}:              {{"stops.txt", "zone_id"}},
	{"fare_rules.txt", "contains_id"}:                 {{"stops.txt", "zone_id"}},
	{"fare_products.txt", "fare_media_id"}:            {{"fare_media.txt", "fare_media_id"}},
	{"fare_products.txt", "rider_category_id"}:        {{"rider_categories.txt", "rider_category_id"}},
	{"fare_leg_rules.txt", "network_id"}:              networks,
	{"fare_leg_rules.txt", "from_area_id"}:            {{"areas.txt", "area_id"}},
	{"fare_leg_rules.txt", "to_area_id"}:              {{"areas.txt", "area_id"}},
	{"fare_leg_rules.txt", "from_timeframe_group_id"}: {{"timeframes.txt", "timeframe_group_id"}},
	{"fare_leg_rules.txt", "to_timeframe_group_id"}:   {{"timeframes.txt", "timeframe_group_id"}},
	{"fare_leg_rules.txt", "fare_product_id"}:         {{"fare_products.txt", "fare_product_id"}},
	{"fare_leg_join_rules.txt", "from_network_id"}:    networks,
	{"fare_leg_join_rules.txt", "to_network_id"}:      networks,
	{fareRules, "from_leg_group_id"}:                  {{"fare_leg_rules.txt", "leg_group_id"}},
	{fareRules, "to_leg_group_id"}:                    {{"fare_leg_rules.txt", "leg_group_id"}},
	{fareRules, "fare_product_id"}:                    {{"fare_products.txt", "fare_product_id"}},
	{"stop_areas.txt", "area_id"}:                     {{"areas.txt", "area_id"}},
	{"route_networks.txt", "network_id"}:              {{"networks.txt", "network_id"}},
	{"location_group_stops.txt", "location_group_id"}: {groupIDs},
	{"stop_times.txt", "location_group_id"}:           {groupIDs},
	{"stop_times.txt", "pickup_booking_rule_id"}:      {bookingIDs},
	{"stop_times.txt", "drop_off_booking_rule_id"}:    {bookingIDs},
	{"stop_times.txt", "location_id"}:                 {{locations, "id"}},
}

const locations = "locations.geojson"

var (
	networks   = []place{{"networks.txt", "network_id"}, {"routes.txt", "network_id"}}
	groupIDs   = place{"location_groups.txt", "location_group_id"}
	bookingIDs = place{bookings, "booking_rule_id"}
)

// named is the first row with a value, and the number of rows with it.
type named struct {
	line, count int
	rowID       string
}

// remembers returns a function that keeps the values in the rows of a file that references need.
func (c *Checker) remembers(def gtfs.Table) func(*row) {
	var targets, sources []place
	for _, column := range def.Names() {
		p := place{def.File, column}
		if c.values[p] != nil {
			targets = append(targets, p)
		}
		if references[p] != nil {
			sources = append(sources, p)
			c.named[p] = map[string]*named{}
		}
	}
	return func(r *row) {
		for _, p := range targets {
			if all := c.values[p]; len(all) < maxKept {
				all[string(r.cell(p.column))] = true
			} else {
				c.Partly(def.File)
			}
		}
		for _, p := range sources {
			r.name(p)
		}
	}
}

// name keeps the value of a reference.
func (r *row) name(p place) {
	value, all := r.cell(p.column), r.c.named[p]
	n := all[string(value)]
	switch {
	case len(value) == 0 || r.short:
		return
	case n == nil && len(all) >= maxKept:
		r.c.Partly(p.file)
		return
	case n == nil:
		n = &named{line: r.line}
		if len(r.table.Key) > 0 {
			n.rowID = string(r.cell(r.table.Key[0]))
		}
		all[string(value)] = n
	}
	n.count++
}

// isDangling reports whether none of the columns of a reference has the value.
func (c *Checker) isDangling(from place, value []byte) bool {
	for _, target := range references[from] {
		all := c.values[target]
		missing := !c.refs.Has(target.file)
		switch {
		case all[string(value)], len(all) >= maxKept, missing && target.file == "agency.txt":
			return false
		case target.file == locations && !missing && len(all) == 0: // the file cannot be read
			return false
		}
	}
	return len(value) > 0
}

// references reports each dangling value, once for all rows of a file.
func (c *Checker) references(rule feedRule) {
	order := func(a, b place) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.column, b.column)) }
	for _, p := range slices.SortedFunc(maps.Keys(c.named), order) {
		for _, value := range slices.Sorted(maps.Keys(c.named[p])) {
			if n := c.named[p][value]; c.isDangling(p, []byte(value)) {
				c.note(gtfs.Finding{Code: rule.code, Effect: gtfs.Noted, File: p.file, Line: n.line,
					Field: p.column, Value: []byte(value), RowID: []byte(n.rowID), Count: n.count})
			}
		}
	}
}
