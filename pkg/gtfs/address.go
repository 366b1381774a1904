package gtfs

import (
	"slices"
	"strings"
)

// Reference returns the address of a file in the GTFS reference, or "" if GTFS has no such file.
func Reference(file string) string {
	_, known := TableOf(file)
	if !known && file != "locations.geojson" || file == "directions.txt" { // directions.txt is a file of GTFS+
		return ""
	}
	return "https://gtfs.org/documentation/schedule/reference/#" + strings.ReplaceAll(file, ".", "")
}

// Address returns the address where the canonical validator documents the rule, or "" if it has no
// rule with this name.
func (c Code) Address() string {
	if !slices.ContainsFunc(canonicalRules[:], func(r Rule) bool { return r.Code == c }) {
		return ""
	}
	return "https://gtfs-validator.mobilitydata.org/rules.html#" + string(c) + "-rule"
}
