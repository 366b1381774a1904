package check

import (
	"bytes"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

// A rowRule without texts is one more condition of another entry's rule.
type rowRule struct {
	Rule
	file   string
	field  string // the reported column; "" means the whole row
	broken condition
}

type condition func(*row) bool

const (
	bookings  = "booking_rules.txt"
	fareRules = "fare_transfer_rules.txt"
	transfers = "transfers.txt"
)

var (
	booked      = func(bookingType string) condition { return is("booking_type", bookingType) }
	seated      = either(is("transfer_type", "4"), is("transfer_type", "5"))
	oneAgency   = func(r *row) bool { return r.c.agencies.count == 1 }
	manyAgents  = func(r *row) bool { return r.c.agencies.count > 1 }
	withinGroup = all(has("from_leg_group_id"), func(r *row) bool {
		return bytes.Equal(r.cell("from_leg_group_id"), r.cell("to_leg_group_id"))
	})
	isPlatform = func(r *row) bool { return r.kind() == platform }
)

var rowRules = []rowRule{
	{Rule{"attribution_without_role", Warning,
		"The attribution does not say whether the organization is producer, operator or authority.",
		"Write 1 in one of is_producer, is_operator and is_authority."},
		"attributions.txt", "", not(either(is("is_producer", "1"), is("is_operator", "1"), is("is_authority", "1")))},
	{Rule{"bidirectional_exit_gate", Error, "An exit gate is open in both directions.", "Write 0 as is_bidirectional."},
		"pathways.txt", "is_bidirectional", all(is("pathway_mode", "7"), is("is_bidirectional", "1"))},
	{Rule{"fare_transfer_rule_duration_limit_type_without_duration_limit", Error,
		"The rule has a type of time limit, but no time limit.",
		"Fill in duration_limit, or leave duration_limit_type empty."},
		fareRules, "duration_limit_type", all(has("duration_limit_type"), not(has("duration_limit")))},
	{Rule{"fare_transfer_rule_duration_limit_without_type", Error, "The rule has a time limit, but no type of time limit.",
		"Fill in duration_limit_type."},
		fareRules, "duration_limit", all(has("duration_limit"), not(has("duration_limit_type")))},
	{Rule{"fare_transfer_rule_invalid_transfer_count", Error, "The number of transfers is 0, or less than -1.",
		"Write -1 for any number of transfers, or 1 and more."},
		fareRules, "transfer_count", all(withinGroup, func(r *row) bool {
			n, ok := r.number("transfer_count")
			return ok && (n == 0 || n < -1)
		})},
	{Rule{"fare_transfer_rule_with_forbidden_transfer_count", Error,
		"The rule is between different groups of legs, and has a number of transfers.", "Leave transfer_count empty."},
		fareRules, "transfer_count", all(not(withinGroup), has("transfer_count"))},
	{Rule{"fare_transfer_rule_without_transfer_count", Error,
		"The rule is within one group of legs, and has no number of transfers.",
		"Fill in transfer_count: -1 for any number."},
		fareRules, "transfer_count", all(withinGroup, not(has("transfer_count")))},
	{Rule{"forbidden_prior_day_booking_field_value", Error,
		"The rule is for booking on days before, and has a notice in minutes.",
		"Leave prior_notice_duration_min and prior_notice_duration_max empty."},
		bookings, "", all(booked("2"), has("prior_notice_duration_min", "prior_notice_duration_max"))},
	{Rule{"forbidden_prior_notice_start_day", Error, "The rule has both a first day and a longest notice.",
		"Leave prior_notice_start_day or prior_notice_duration_max empty."},
		bookings, "prior_notice_start_day", all(has("prior_notice_start_day"), has("prior_notice_duration_max"))},
	{Rule{"forbidden_prior_notice_start_time", Error, "The rule has a time of the first day, but no first day.",
		"Fill in prior_notice_start_day, or leave prior_notice_start_time empty."},
		bookings, "prior_notice_start_time", all(has("prior_notice_start_time"), not(has("prior_notice_start_day")))},
	{Rule{"forbidden_real_time_booking_field_value", Error, "The rule is for booking at once, and asks for a notice.",
		"Leave all prior_notice columns empty, or correct booking_type."},
		bookings, "", all(booked("0"), has("prior_notice_duration_min",
			"prior_notice_duration_max", "prior_notice_last_day", "prior_notice_last_time", "prior_notice_start_day",
			"prior_notice_start_time", "prior_notice_service_id"))},
	{Rule{"forbidden_same_day_booking_field_value", Error,
		"The rule is for booking on the same day, and has a last day or time.",
		"Leave prior_notice_last_day, prior_notice_last_time and prior_notice_service_id empty."},
		bookings, "", all(booked("1"), has("prior_notice_last_day", "prior_notice_last_time", "prior_notice_service_id"))},
	{Rule{"invalid_currency_amount", Error, "The amount does not have the decimal places of its currency.",
		"Write amounts with the places of ISO 4217: 2.50 in EUR, 250 in JPY."},
		"fare_products.txt", "amount", func(r *row) bool {
			places, ok := gtfs.CurrencyPlaces(r.cell("currency"))
			_, fraction, _ := bytes.Cut(r.cell("amount"), []byte{'.'})
			return ok && gtfs.IsDistance(r.cell("amount")) && len(fraction) != places
		}},
	{Rule{"invalid_prior_notice_duration_min", Error, "The longest notice is shorter than the shortest notice.",
		"Correct prior_notice_duration_min or prior_notice_duration_max."},
		bookings, "prior_notice_duration_min", less("prior_notice_duration_max", "prior_notice_duration_min")},
	{Rule{"missing_prior_notice_duration_min", Error,
		"The rule is for booking on the same day, and has no shortest notice.", "Fill in prior_notice_duration_min."},
		bookings, "prior_notice_duration_min", all(booked("1"), not(has("prior_notice_duration_min")))},
	{Rule{"missing_prior_notice_last_day", Error, "The rule is for booking on days before, and has no last day.",
		"Fill in prior_notice_last_day."},
		bookings, "prior_notice_last_day", all(booked("2"), not(has("prior_notice_last_day")))},
	{Rule{"missing_prior_notice_last_time", Error,
		"The rule is for booking on days before, and has no time of the last day.", "Fill in prior_notice_last_time."},
		bookings, "prior_notice_last_time", all(booked("2"), not(has("prior_notice_last_time")))},
	{Rule{"missing_prior_notice_start_time", Error, "The rule has a first day, but no time of that day.",
		"Fill in prior_notice_start_time."},
		bookings, "prior_notice_start_time", all(has("prior_notice_start_day"), not(has("prior_notice_start_time")))},
	{Rule{"duplicate_fare_media", Warning, "Another fare medium has the same name and type.",
		"Remove one of the two, or give it another name."},
		"fare_media.txt", "fare_media_id", func(r *row) bool { return r.again("fare_media_name", "fare_media_type") }},
	{Rule{Code: "missing_recommended_field"}, "fare_media.txt", "fare_media_name",
		all(either(is("fare_media_type", "2"), is("fare_media_type", "4")), not(has("fare_media_name")))},
	{Rule{Code: "missing_recommended_field"}, "fare_attributes.txt", "agency_id", all(oneAgency, not(has("agency_id")))},
	{Rule{Code: "missing_recommended_field"}, "routes.txt", "agency_id", all(oneAgency, not(has("agency_id")))},
	{Rule{Code: "missing_required_agency_id"}, "fare_attributes.txt", "agency_id", all(manyAgents, not(has("agency_id")))},
	{Rule{Code: "missing_required_field"}, "fare_leg_join_rules.txt", "from_stop_id",
		all(has("to_stop_id"), not(has("from_stop_id")))},
	{Rule{Code: "missing_required_field"}, "fare_leg_join_rules.txt", "to_stop_id",
		all(has("from_stop_id"), not(has("to_stop_id")))},
	{Rule{Code: "missing_required_field"}, transfers, "from_stop_id", not(either(seated, has("from_stop_id")))},
	{Rule{Code: "missing_required_field"}, transfers, "to_stop_id", not(either(seated, has("to_stop_id")))},
	{Rule{Code: "missing_required_field"}, transfers, "from_trip_id", all(seated, not(has("from_trip_id")))},
	{Rule{Code: "missing_required_field"}, transfers, "to_trip_id", all(seated, not(has("to_trip_id")))},
	{Rule{Code: "number_out_of_range"}, "pathways.txt", "stair_count", isZero("stair_count")},
	{Rule{Code: "number_out_of_range"}, "pathways.txt", "min_width", isZero("min_width")},
	{Rule{"prior_notice_last_day_after_start_day", Error, "The last day for booking is before the first one.",
		"Correct the days. Both count back from the day of travel, so the first day has the larger number."},
		bookings, "prior_notice_last_day", less("prior_notice_start_day", "prior_notice_last_day")},
	{Rule{"stop_access_specified_for_incorrect_location", Error, "A location that is not a stop has a stop_access.",
		"Leave stop_access empty for stations, entrances, nodes and boarding areas."},
		"stops.txt", "stop_access", all(has("stop_access"), not(isPlatform))},
	{Rule{"stop_access_specified_for_stop_with_no_parent_station", Error,
		"A stop that does not belong to a station has a stop_access.", "Leave stop_access empty, or fill in parent_station."},
		"stops.txt", "stop_access", all(has("stop_access"), isPlatform, not(has("parent_station")))},
	{Rule{"timeframe_only_start_or_end_time_specified", Error,
		"The timeframe has a start without an end, or the other way round.",
		"Fill in both start_time and end_time, or leave both empty."},
		"timeframes.txt", "", func(r *row) bool { return r.has("start_time") != r.has("end_time") }},
	{Rule{"timeframe_start_or_end_time_greater_than_twenty_four_hours", Error, "The time is after 24:00:00.",
		"Write times of the day from 00:00:00 to 24:00:00; after midnight begin a second timeframe."},
		"timeframes.txt", "start_time", after24("start_time")},
	{Rule{Code: "timeframe_start_or_end_time_greater_than_twenty_four_hours"},
		"timeframes.txt", "end_time", after24("end_time")},
	{Rule{"transfer_distance_too_large", Warning, "The stops of the transfer are more than ten kilometres apart.",
		"Check the stops, and their positions."},
		transfers, "", func(r *row) bool {
			from, to := r.stop("from_stop_id"), r.stop("to_stop_id")
			return from >= 0 && to >= 0 && r.c.apart(from, to) > maxTransfer
		}},
	{Rule{"transfer_with_invalid_stop_location_type", Error,
		"The transfer is at something other than a stop or a station. If riders stay seated, it must be a stop.",
		"Name a platform, or a station if riders walk."},
		transfers, "from_stop_id", noTransferAt("from_stop_id")},
	{Rule{Code: "transfer_with_invalid_stop_location_type"}, transfers, "to_stop_id", noTransferAt("to_stop_id")},
	{Rule{"transfer_with_invalid_trip_and_route", Error, "The trip of the transfer does not belong to its route.",
		"Correct the route, or leave it empty; the trip is enough."},
		transfers, "from_route_id", otherRoute("from_trip_id", "from_route_id")},
	{Rule{Code: "transfer_with_invalid_trip_and_route"},
		transfers, "to_route_id", otherRoute("to_trip_id", "to_route_id")},
}

// maxTransfer is the maximum distance between the stops of a transfer, in metres.
const maxTransfer = 10_000

func all(conditions ...condition) condition {
	return func(r *row) bool {
		return !slices.ContainsFunc(conditions, func(holds condition) bool { return !holds(r) })
	}
}

func either(conditions ...condition) condition {
	return func(r *row) bool {
		return slices.ContainsFunc(conditions, func(holds condition) bool { return holds(r) })
	}
}

func not(holds condition) condition { return func(r *row) bool { return !holds(r) } }

func is(column, value string) condition { return func(r *row) bool { return r.is(column, value) } }

func has(columns ...string) condition { return func(r *row) bool { return r.has(columns...) } }

func less(lesser, greater string) condition {
	return func(r *row) bool {
		a, ok1 := r.number(lesser)
		b, ok2 := r.number(greater)
		return ok1 && ok2 && a < b
	}
}

func isZero(column string) condition {
	return func(r *row) bool {
		n, ok := gtfs.ParseFloat(r.cell(column))
		return ok && n == 0
	}
}

func after24(column string) condition {
	return func(r *row) bool { return r.seconds(column) > 24*60*60 }
}

// noTransferAt reports whether a stop allows no transfers. In-seat transfers require a stop, not a
// station.
func noTransferAt(column string) condition {
	return func(r *row) bool {
		stop := r.stop(column)
		if stop < 0 {
			return false
		}
		kind := r.c.stops.kind[stop]
		return kind > station || kind == station && seated(r)
	}
}

func otherRoute(trip, route string) condition {
	return func(r *row) bool {
		n, named := r.c.find("trips.txt", r.cell(trip)), r.c.find("routes.txt", r.cell(route))
		return n >= 0 && named >= 0 && r.c.refs.RouteOf(n) != named
	}
}
