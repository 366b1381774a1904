package check

import (
	"bytes"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

type rowRule struct {
	code   gtfs.Code
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

// rowRules are in the order of deploy/docs/report.md.
var rowRules = [...]rowRule{
	{"attribution_without_role", "attributions.txt", "",
		not(either(is("is_producer", "1"), is("is_operator", "1"), is("is_authority", "1")))},
	{"bidirectional_exit_gate", "pathways.txt", "is_bidirectional",
		all(is("pathway_mode", "7"), is("is_bidirectional", "1"))},
	{"fare_transfer_rule_duration_limit_type_without_duration_limit", fareRules, "duration_limit_type",
		all(has("duration_limit_type"), not(has("duration_limit")))},
	{"fare_transfer_rule_duration_limit_without_type", fareRules, "duration_limit",
		all(has("duration_limit"), not(has("duration_limit_type")))},
	{"fare_transfer_rule_invalid_transfer_count", fareRules, "transfer_count", all(withinGroup, func(r *row) bool {
		n, ok := r.number("transfer_count")
		return ok && (n == 0 || n < -1)
	})},
	{"fare_transfer_rule_with_forbidden_transfer_count", fareRules, "transfer_count",
		all(not(withinGroup), has("transfer_count"))},
	{"fare_transfer_rule_without_transfer_count", fareRules, "transfer_count",
		all(withinGroup, not(has("transfer_count")))},
	{"forbidden_prior_day_booking_field_value", bookings, "",
		all(booked("2"), has("prior_notice_duration_min", "prior_notice_duration_max"))},
	{"forbidden_prior_notice_start_day", bookings, "prior_notice_start_day",
		all(has("prior_notice_start_day"), has("prior_notice_duration_max"))},
	{"forbidden_prior_notice_start_time", bookings, "prior_notice_start_time",
		all(has("prior_notice_start_time"), not(has("prior_notice_start_day")))},
	{"forbidden_real_time_booking_field_value", bookings, "", all(booked("0"), has("prior_notice_duration_min",
		"prior_notice_duration_max", "prior_notice_last_day", "prior_notice_last_time", "prior_notice_start_day",
		"prior_notice_start_time", "prior_notice_service_id"))},
	{"forbidden_same_day_booking_field_value", bookings, "", all(booked("1"),
		has("prior_notice_last_day", "prior_notice_last_time", "prior_notice_service_id"))},
	{"invalid_currency_amount", "fare_products.txt", "amount", func(r *row) bool {
		places, ok := gtfs.CurrencyPlaces(r.cell("currency"))
		_, fraction, _ := bytes.Cut(r.cell("amount"), []byte{'.'})
		return ok && gtfs.IsDistance(r.cell("amount")) && len(fraction) != places
	}},
	{"invalid_prior_notice_duration_min", bookings, "prior_notice_duration_min",
		less("prior_notice_duration_max", "prior_notice_duration_min")},
	{"missing_prior_notice_duration_min", bookings, "prior_notice_duration_min",
		all(booked("1"), not(has("prior_notice_duration_min")))},
	{"missing_prior_notice_last_day", bookings, "prior_notice_last_day",
		all(booked("2"), not(has("prior_notice_last_day")))},
	{"missing_prior_notice_last_time", bookings, "prior_notice_last_time",
		all(booked("2"), not(has("prior_notice_last_time")))},
	{"missing_prior_notice_start_time", bookings, "prior_notice_start_time",
		all(has("prior_notice_start_day"), not(has("prior_notice_start_time")))},
	{"duplicate_fare_media", "fare_media.txt", "fare_media_id",
		func(r *row) bool { return r.again("fare_media_name", "fare_media_type") }},
	{"missing_recommended_field", "fare_media.txt", "fare_media_name",
		all(either(is("fare_media_type", "2"), is("fare_media_type", "4")), not(has("fare_media_name")))},
	{"missing_recommended_field", "fare_attributes.txt", "agency_id", all(oneAgency, not(has("agency_id")))},
	{"missing_recommended_field", "routes.txt", "agency_id", all(oneAgency, not(has("agency_id")))},
	{"missing_required_agency_id", "fare_attributes.txt", "agency_id", all(manyAgents, not(has("agency_id")))},
	{"missing_required_field", "fare_leg_join_rules.txt", "from_stop_id",
		all(has("to_stop_id"), not(has("from_stop_id")))},
	{"missing_required_field", "fare_leg_join_rules.txt", "to_stop_id", all(has("from_stop_id"), not(has("to_stop_id")))},
	{"missing_required_field", transfers, "from_stop_id", not(either(seated, has("from_stop_id")))},
	{"missing_required_field", transfers, "to_stop_id", not(either(seated, has("to_stop_id")))},
	{"missing_required_field", transfers, "from_trip_id", all(seated, not(has("from_trip_id")))},
	{"missing_required_field", transfers, "to_trip_id", all(seated, not(has("to_trip_id")))},
	{"number_out_of_range", "pathways.txt", "stair_count", isZero("stair_count")},
	{"number_out_of_range", "pathways.txt", "min_width", isZero("min_width")},
	{"prior_notice_last_day_after_start_day", bookings, "prior_notice_last_day",
		less("prior_notice_start_day", "prior_notice_last_day")},
	{"stop_access_specified_for_incorrect_location", "stops.txt", "stop_access", all(has("stop_access"), not(isPlatform))},
	{"stop_access_specified_for_stop_with_no_parent_station", "stops.txt", "stop_access",
		all(has("stop_access"), isPlatform, not(has("parent_station")))},
	{"timeframe_only_start_or_end_time_specified", "timeframes.txt", "",
		func(r *row) bool { return r.has("start_time") != r.has("end_time") }},
	{"timeframe_start_or_end_time_greater_than_twenty_four_hours", "timeframes.txt", "start_time", after24("start_time")},
	{"timeframe_start_or_end_time_greater_than_twenty_four_hours", "timeframes.txt", "end_time", after24("end_time")},
	{"transfer_distance_too_large", transfers, "", func(r *row) bool {
		from, to := r.stop("from_stop_id"), r.stop("to_stop_id")
		return from >= 0 && to >= 0 && r.c.apart(from, to) > maxTransfer
	}},
	{"transfer_with_invalid_stop_location_type", transfers, "from_stop_id", noTransferAt("from_stop_id")},
	{"transfer_with_invalid_stop_location_type", transfers, "to_stop_id", noTransferAt("to_stop_id")},
	{"transfer_with_invalid_trip_and_route", transfers, "from_route_id", otherRoute("from_trip_id", "from_route_id")},
	{"transfer_with_invalid_trip_and_route", transfers, "to_route_id", otherRoute("to_trip_id", "to_route_id")},
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
