package gtfs

// The codes that the canonical validator does not have.
const (
	FileDuplicate       Code = "duplicate_file"
	FileOutside         Code = "file_outside_feed"
	FileBeside          Code = "file_beside_feed"
	FileHidden          Code = "hidden_file"
	FileBadName         Code = "unusable_file_name"
	FileNameUnread      Code = "unreadable_file_name"
	FileUnreadable      Code = "unreadable_file"
	FileNotServed       Code = "file_not_served"
	BadFeature          Code = "invalid_geojson_feature"
	FeatureTooLong      Code = "geojson_feature_too_long"
	RowTooLong          Code = "row_too_long"
	QuoteUnterminated   Code = "unclosed_quote"
	CellTooLong         Code = "cell_too_long"
	ControlCharacter    Code = "control_character"
	IDTooLong           Code = "id_too_long"
	TripTooLong         Code = "trip_too_long"
	ShapeTooLong        Code = "shape_too_long"
	HeadwayTooLong      Code = "headway_too_long"
	PartlyChecked       Code = "partly_checked"
	ManualOverFeed      Code = "manual_over_feed"
	ManualTargetMissing Code = "manual_target_missing"
	RouteUnused         Code = "unused_route"
	ParentUnusable      Code = "parent_station_loop"
	ServiceUnused       Code = "unused_service"
	ServiceGap          Code = "feed_service_gap"
	ServiceEndsSoon     Code = "service_ends_within_30_days"
	TripWithoutHeadsign Code = "trip_without_headsign"
)

// ownRules explain our own codes, in the order of the codes.
var ownRules = [...]Rule{
	{FileDuplicate, Error, FileSkipped, "The zip has two files of this name. The first one is used.",
		"Make a new zip each time instead of adding files to the old one."},
	{FileOutside, Error, FileSkipped, "The name of the entry points outside the feed’s folder.",
		"Zip the files themselves, without a path."},
	{FileBeside, Info, FileSkipped,
		"The entry is not in the folder of the feed, and GTFS has no file of this name. It is not part of the feed.",
		"If the feed needs the file, move it to the folder of the other files. Otherwise do nothing."},
	{FileHidden, Info, FileSkipped,
		"The entry is hidden. Computers add such entries by themselves. It is not part of the feed.",
		"Do nothing, or tell your zip program to leave out hidden files."},
	{FileBadName, Error, FileSkipped, "The name of the file is longer than 255 bytes, or has invisible characters.",
		"Rename the file."},
	{FileNameUnread, Warning, Noted, "The name of the file is not UTF-8. U+FFFD replaces the unreadable characters, " +
		"also in the zip that is served.",
		"Rename the file, or pack it with a program that writes names in UTF-8."},
	{FileUnreadable, Error, FileSkipped, "The file cannot be read, or is encrypted. Townline does not need it.",
		"Export the file and pack the zip again."},
	{FileNotServed, Info, Noted, "The file is too large to be served row by row. It stays in the zip.",
		"Do nothing if the file is for a partner."},
	{BadFeature, Error, RowLeftOut, "The zones do not follow GTFS and RFC 7946.",
		"Export locations.geojson as a FeatureCollection of polygons with unique ids."},
	{FeatureTooLong, Error, RowLeftOut, "The feature is too long.",
		"Give the zone fewer points."},
	{RowTooLong, Error, RowLeftOut, "The row is too long.",
		"Look for an unclosed quotation mark in this row or an earlier one."},
	{QuoteUnterminated, Error, Noted, "A quotation mark is never closed. It was read as an ordinary character.",
		"Close the quotation mark. Write a quotation mark inside a text twice."},
	{CellTooLong, Error, CellEmptied, "The cell is too long.",
		"Shorten the text."},
	{ControlCharacter, Warning, CellChanged, "The cell has control characters. They were removed.",
		"Remove the invisible characters from the text. Copied text often contains them."},
	{IDTooLong, Error, CellEmptied, "The identifier is too long.",
		"Use shorter identifiers."},
	{TripTooLong, Error, RowLeftOut, "The trip has too many calls.",
		"Check whether several trips have the same trip_id."},
	{ShapeTooLong, Error, RowLeftOut, "The shape has too many points.",
		"Export the line with fewer points: one every ten metres is enough."},
	{HeadwayTooLong, Error, RowLeftOut, "The time between two departures is longer than a day.",
		"Write headway_secs in seconds."},
	{PartlyChecked, Info, Noted, "The feed has more patterns or shapes than are checked.",
		"Do nothing. This report does not cover the other ones."},
	{ManualOverFeed, Info, CellChanged, "The feed has a row with the key of a manual row. The manual row replaces it.",
		"If the feed is now correct, remove the manual row: townline manual remove."},
	{ManualTargetMissing, Warning, Noted, "A manual row changes a row that the feed does not have.",
		"Remove the manual row, or correct its key: townline manual list."},
	{RouteUnused, Warning, Noted, "The route has no trips.",
		"Remove the route, or check why its trips were not exported."},
	{ParentUnusable, Error, CellEmptied, "The stop’s parent stations form a loop, or are nested too deeply.",
		"Correct parent_station."},
	{ServiceUnused, Warning, Noted, "No trip runs on the days of this service.",
		"Remove the service, or check why its trips were not exported."},
	{ServiceGap, Warning, Noted, "There is no service for two weeks or more, and then it resumes.",
		"Check whether days are missing. If there is no service, tell riders with an annotation."},
	{ServiceEndsSoon, Warning, Noted, "The last day of service is less than 30 days away.",
		"Publish the next timetable in time."},
	{TripWithoutHeadsign, Info, Noted, "The trip does not say where it goes. Boards show its last stop.",
		"Fill in trip_headsign with the text that the vehicle shows."},
}
