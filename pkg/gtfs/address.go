package gtfs

import (
	_ "embed"
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

// canonical has the codes of the rules of the canonical validator v8.0.1, each on a line.
//
//go:embed canonical.txt
var canonical string

// Address returns the address where the canonical validator documents the rule, or "" if it has no
// rule with this name.
func (c Code) Address() string {
	for code := range strings.FieldsSeq(canonical) {
		if code == string(c) {
			return "https://gtfs-validator.mobilitydata.org/rules.html#" + code + "-rule"
		}
	}
	return ""
}
