package gtfs

// A Code names a kind of problem. rules.go explains each; those of MobilityData's validator have the
// name of its notice. deploy/docs/report.md compares the two.
type Code string

// A Finding is one problem of a feed and its location.
type Finding struct {
	Code Code
	// Effect, if set, overrides the effect of the rule.
	Effect Effect
	File   string
	// Line is the first line of the row, from 1. It is 0 if the finding is about the whole file or an
	// operator's row.
	Line int
	// Field is the column; "" means the whole row.
	Field string
	// Value is the value of the cell, or figures. It is valid only during the call of Note.
	Value []byte
	// RowID is the first key column of the row. ShapeID is the shape_id of a finding about a shape.
	// Both may be nil, and are valid only during the call of Note.
	RowID, ShapeID []byte
	// Count is the number of affected rows; 0 means 1.
	Count int
}

// The codes of the canonical validator. rules.go explains each. Our own codes are in ownrules.go.
const (
	// The archive.
	FileElsewhere Code = "invalid_input_files_in_subfolder"
	FileMissing   Code = "missing_required_file"
	FileWanted    Code = "missing_recommended_file"
	FileEmpty     Code = "empty_file"
	FileUnknown   Code = "unknown_file"

	// Rows and cells as text.
	ColumnDuplicate Code = "duplicated_column"
	ColumnMissing   Code = "missing_required_column"
	ColumnNameless  Code = "empty_column_name"
	ColumnUnknown   Code = "unknown_column"
	RowLength       Code = "invalid_row_length"
	LineEndInCell   Code = "new_line_in_value"
	BlanksAround    Code = "leading_or_trailing_whitespaces"
	NotUTF8         Code = "invalid_character"

	// Values of cells.
	BadInteger  Code = "invalid_integer"
	BadFloat    Code = "invalid_float"
	OutOfRange  Code = "number_out_of_range"
	BadEnum     Code = "unexpected_enum_value"
	BadTime     Code = "invalid_time"
	BadDate     Code = "invalid_date"
	BadColor    Code = "invalid_color"
	BadTimeZone Code = "invalid_timezone"
	BadURL      Code = "invalid_url"
	BadEmail    Code = "invalid_email"
	BadLanguage Code = "invalid_language_code"
	BadCurrency Code = "invalid_currency"

	// Relations between rows.
	FieldMissing   Code = "missing_required_field"
	FieldWanted    Code = "missing_recommended_field"
	KeyDuplicate   Code = "duplicate_key"
	ForeignKey     Code = "foreign_key_violation"
	AgencyMissing  Code = "missing_required_agency_id"
	MoreThanOneRow Code = "more_than_one_entity"
	RangeReversed  Code = "start_and_end_range_out_of_order"
	RangeEmpty     Code = "start_and_end_range_equal"

	// Agencies and routes.
	ZonesDiffer         Code = "inconsistent_agency_timezone"
	LanguagesDiffer     Code = "inconsistent_agency_lang"
	RouteNameless       Code = "route_both_short_and_long_name_missing"
	RouteShortNameLong  Code = "route_short_name_too_long"
	RouteNameRepeats    Code = "route_long_name_contains_short_name"
	RouteDescRepeats    Code = "same_name_and_description_for_route"
	RouteNameTwice      Code = "duplicate_route_name"
	RouteURLOfAgency    Code = "same_route_and_agency_url"
	RouteContrast       Code = "route_color_contrast"
	StopURLOfAgency     Code = "same_stop_and_agency_url"
	StopNameless        Code = "missing_stop_name"
	StopNowhere         Code = "stop_without_location"
	PointNearOrigin     Code = "point_near_origin"
	PointNearPole       Code = "point_near_pole"
	ParentMissing       Code = "location_without_parent_station"
	ParentForbidden     Code = "station_with_parent_station"
	ParentWrongType     Code = "wrong_parent_location_type"
	PlatformAlone       Code = "platform_without_parent_station"
	StopDescRepeats     Code = "same_name_and_description_for_stop"
	StopUnused          Code = "stop_without_stop_time"
	StationUnused       Code = "unused_station"
	CallAtWrongLocation Code = "location_with_unexpected_stop_time"

	// Calendars.
	CalendarMissing     Code = "missing_calendar_and_calendar_date_files"
	ServiceNoDays       Code = "service_has_no_active_day_of_the_week"
	ServiceExpired      Code = "expired_calendar"
	ServiceFar          Code = "service_extends_far_in_the_future"
	ServiceAllFuture    Code = "future_calendar"
	ServiceNotNow       Code = "trip_coverage_not_active_for_next7_days"
	FeedEnds7           Code = "feed_expiration_date7_days"
	FeedEnds30          Code = "feed_expiration_date30_days"
	FeedFuture          Code = "future_feed"
	FeedDateMissing     Code = "missing_feed_info_date"
	FeedContactMissing  Code = "missing_feed_contact_email_and_url"
	FeedLanguageDiffers Code = "feed_info_lang_and_agency_lang_mismatch"

	// Trips and their calls.
	TripUnused           Code = "unused_trip"
	TripUnusable         Code = "unusable_trip"
	CallMissing          Code = "missing_stop_times_record"
	TripEdgeMissing      Code = "missing_trip_edge"
	CallOneTime          Code = "stop_time_with_only_arrival_or_departure_time"
	TimepointWithoutTime Code = "stop_time_timepoint_without_times"
	CallBackInTime       Code = "stop_time_with_arrival_before_previous_departure_time"
	CallsUnsorted        Code = "unsorted_stop_times"
	DistanceFalls        Code = "decreasing_or_equal_stop_time_distance"
	FastConsecutive      Code = "fast_travel_between_consecutive_stops"
	FastFar              Code = "fast_travel_between_far_stops"
	WindowAndTime        Code = "forbidden_arrival_or_departure_time"
	WindowHalf           Code = "missing_pickup_or_drop_off_window"
	WindowReversed       Code = "invalid_pickup_drop_off_window"
	PlaceTwice           Code = "forbidden_geography_id"
	DistanceNowhere      Code = "forbidden_shape_dist_traveled"
	WindowAtPickup       Code = "forbidden_pickup_type"
	WindowAtDropOff      Code = "forbidden_drop_off_type"
	WindowAndContinuous  Code = "forbidden_continuous_pickup_drop_off"
	ZoneOverlap          Code = "overlapping_zone_and_pickup_drop_off_window"
	FrequencyOverlap     Code = "overlapping_frequency"
	BlockOverlap         Code = "block_trips_with_overlapping_stop_times"
	BlockTypes           Code = "inconsistent_route_type_for_block_id"

	// Shapes.
	ShapeUnused         Code = "unused_shape"
	ShapeOnePoint       Code = "single_shape_point"
	ShapeDistanceFalls  Code = "decreasing_shape_distance"
	ShapeDistanceStands Code = "equal_shape_distance_diff_coordinates"
	ShapePointTwice     Code = "equal_shape_distance_same_coordinates"
	StopFarFromShape    Code = "stop_too_far_from_shape"
	StopsOutOfOrder     Code = "stops_match_shape_out_of_order"
	TripBeyondShape     Code = "trip_distance_exceeds_shape_distance"

	// Transfers, translations, attributions.
	TransferStopType    Code = "transfer_with_invalid_stop_location_type"
	TransferRoute       Code = "transfer_with_invalid_trip_and_route"
	TransferStop        Code = "transfer_with_invalid_trip_and_stop"
	TransferFar         Code = "transfer_distance_too_large"
	TranslationUnknown  Code = "translation_unknown_table_name"
	TranslationForeign  Code = "translation_foreign_key_violation"
	TranslationValue    Code = "translation_unexpected_value"
	AttributionRoleless Code = "attribution_without_role"

	// Fares.
	FareAmount         Code = "invalid_currency_amount"
	FareDefaults       Code = "fare_product_with_multiple_default_rider_categories"
	FareMediaTwice     Code = "duplicate_fare_media"
	FareLimitMissing   Code = "fare_transfer_rule_duration_limit_type_without_duration_limit"
	FareLimitTypeless  Code = "fare_transfer_rule_duration_limit_without_type"
	FareCountInvalid   Code = "fare_transfer_rule_invalid_transfer_count"
	FareCountForbidden Code = "fare_transfer_rule_with_forbidden_transfer_count"
	FareCountMissing   Code = "fare_transfer_rule_without_transfer_count"
	TimeframeHalf      Code = "timeframe_only_start_or_end_time_specified"
	TimeframeOverlap   Code = "timeframe_overlap"
	TimeframeAfter24   Code = "timeframe_start_or_end_time_greater_than_twenty_four_hours"
	NetworksTwice      Code = "route_networks_specified_in_more_than_one_file"

	// Pathways and levels.
	PathwayBackThrough  Code = "bidirectional_exit_gate"
	PathwayLevelMissing Code = "missing_level_id"
	PathwayDangling     Code = "pathway_dangling_generic_node"
	PathwayToParent     Code = "pathway_to_platform_with_boarding_areas"
	PathwayToStreetStop Code = "pathway_to_stop_with_access_outside_of_station_pathways"
	PathwayToStation    Code = "pathway_to_wrong_location_type"
	PathwayUnreachable  Code = "pathway_unreachable_location"
	AccessOfNoStop      Code = "stop_access_specified_for_incorrect_location"
	AccessWithoutParent Code = "stop_access_specified_for_stop_with_no_parent_station"

	// Booking, and zones of travel on demand.
	PlaceIDTwice           Code = "duplicate_geography_id"
	BookingPriorDay        Code = "forbidden_prior_day_booking_field_value"
	BookingRealTime        Code = "forbidden_real_time_booking_field_value"
	BookingSameDay         Code = "forbidden_same_day_booking_field_value"
	NoticeStartDay         Code = "forbidden_prior_notice_start_day"
	NoticeStartTime        Code = "forbidden_prior_notice_start_time"
	NoticeDuration         Code = "invalid_prior_notice_duration_min"
	NoticeDurationMissing  Code = "missing_prior_notice_duration_min"
	NoticeLastDayMissing   Code = "missing_prior_notice_last_day"
	NoticeLastTimeMissing  Code = "missing_prior_notice_last_time"
	NoticeStartTimeMissing Code = "missing_prior_notice_start_time"
	NoticeDaysReversed     Code = "prior_notice_last_day_after_start_day"
)
