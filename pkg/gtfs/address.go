package gtfs

import "strings"

// Reference returns the address of a file in the GTFS reference; "" if GTFS has no such file.
func Reference(file string) string {
	_, known := TableOf(file)
	if !known && file != "locations.geojson" || file == "directions.txt" { // which is GTFS+
		return ""
	}
	return "https://gtfs.org/documentation/schedule/reference/#" + strings.ReplaceAll(file, ".", "")
}

// Address returns the address of the canonical validator's rule; "" if it has none of this name.
func (c Code) Address() string {
	switch c {
	case FileDuplicate, FileOutside, FileBeside, FileHidden, FileBadName, FileNameUnread, FileUnreadable,
		FileNotServed, BadFeature, FeatureTooLong, RowTooLong, QuoteUnterminated, CellTooLong,
		ControlCharacter, IDTooLong, TripTooLong, ShapeTooLong, HeadwayTooLong, PartlyChecked, ManualOverFeed,
		ManualTargetMissing, RouteUnused, ParentUnusable, ServiceUnused, ServiceGap, ServiceEndsSoon,
		TripWithoutHeadsign:
		return ""
	}
	if _, known := RuleOf(c); !known {
		return ""
	}
	return "https://gtfs-validator.mobilitydata.org/rules.html#" + string(c) + "-rule"
}
