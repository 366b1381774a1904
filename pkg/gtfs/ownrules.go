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
		"Make a new zip, rather than adding to the old one."},
	{FileOutside, Error, FileSkipped, "The name of the entry leads out of the feed’s folder.",
		"Zip the files themselves, without a path."},
	{FileBeside, Info, FileSkipped, "The entry is in another folder than the feed, and GTFS has no file of this name. " +
		"It is not a part of the feed.",
		"Nothing, if it is not needed. Else put it into the folder of the other files."},
	{FileHidden, Info, FileSkipped, "The entry is hidden, as those are that computers add by themselves. It is not a " +
		"part of the feed.",
		"Nothing; or let your zip program leave out hidden files."},
	{FileBadName, Error, FileSkipped, "The name of the file is longer than 255 bytes, or has characters that cannot be " +
		"seen.",
		"Rename the file."},
	{FileNameUnread, Warning, Noted, "The name of the file is not UTF-8. What cannot be read of it is replaced by " +
		"U+FFFD, also in the zip that is served.",
		"Rename the file, or pack it with a program that writes names in UTF-8."},
	{FileUnreadable, Error, FileSkipped, "The file cannot be read, or is encrypted. Nothing that is computed needs it.",
		"Export the file and pack the zip again."},
	{FileNotServed, Info, Noted, "The file is too large to be served row by row. It stays in the zip.",
		"Nothing, if it is meant for a partner of yours."},
	{BadFeature, Error, RowLeftOut, "The zones are not as GTFS and RFC 7946 have them.",
		"Export locations.geojson as a FeatureCollection of polygons, each with an id of its own."},
	{FeatureTooLong, Error, RowLeftOut, "The feature is too long.",
		"Give the zone fewer points."},
	{RowTooLong, Error, RowLeftOut, "The row is too long.",
		"Look for a quotation mark that is never closed, in this row or before."},
	{QuoteUnterminated, Error, Noted, "A quotation mark is never closed. It was read as an ordinary character.",
		"Close the quotation mark. A quotation mark within a text is written twice."},
	{CellTooLong, Error, CellEmptied, "The cell is too long.",
		"Shorten the text."},
	{ControlCharacter, Warning, CellChanged, "The cell has control characters. They were removed.",
		"Remove what cannot be seen from the text; it often comes in by copying."},
	{IDTooLong, Error, CellEmptied, "The identifier is too long.",
		"Use shorter identifiers."},
	{TripTooLong, Error, RowLeftOut, "The trip has too many calls.",
		"Check whether different trips have the same trip_id."},
	{ShapeTooLong, Error, RowLeftOut, "The shape has too many points.",
		"Export the line with fewer points: one every ten metres is enough."},
	{HeadwayTooLong, Error, RowLeftOut, "The time between two departures is longer than a day.",
		"Write headway_secs in seconds."},
	{PartlyChecked, Info, Noted, "The feed has more patterns or shapes than are checked.",
		"Nothing. The others are not in this report."},
	{ManualOverFeed, Info, CellChanged, "The feed has a row with the key of a manual row. The manual row replaces it.",
		"Remove the manual row, if the feed is right now: townline manual remove."},
	{ManualTargetMissing, Warning, Noted, "A manual row changes a row that the feed does not have.",
		"Remove the manual row, or correct its key: townline manual list."},
	{RouteUnused, Warning, Noted, "The route has no trips.",
		"Remove the route, or check why its trips were not exported."},
	{ParentUnusable, Error, CellEmptied, "The stop’s parent stations form a circle, or are nested too deep.",
		"Correct parent_station."},
	{ServiceUnused, Warning, Noted, "No trip runs on the days of this service.",
		"Remove the service, or check why its trips were not exported."},
	{ServiceGap, Warning, Noted, "Nothing runs for two weeks or more, and then it goes on.",
		"Check whether the days between are missing. If nothing runs, tell riders with an annotation."},
	{ServiceEndsSoon, Warning, Noted, "The last day of service is less than 30 days away.",
		"Publish the next timetable in time."},
	{TripWithoutHeadsign, Info, Noted, "The trip does not say where it goes. Boards show its last stop.",
		"Fill in trip_headsign with what stands on the vehicle."},
}
