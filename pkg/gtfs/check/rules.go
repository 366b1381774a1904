package check

import (
	"bytes"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

// A rowRule is a condition of one rule. A rule can have several.
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

var rowRules = []rowRule{
	{code: "attribution_without_role", file: "attributions.txt",
		broken: not(either(is("is_producer", "1"), is("is_operator", "1"), is("is_authority", "1")))},
	{code: "bidirectional_exit_gate", file: "pathways.txt", field: "is_bidirectional",
		broken: all(is("pathway_mode", "7"), is("is_bidirectional", "1"))},
	{code: "fare_transfer_rule_duration_limit_type_without_duration_limit", file: fareRules, field: "duration_limit_type",
		broken: all(has("duration_limit_type"), not(has("duration_limit")))},
	{code: "fare_transfer_rule_duration_limit_without_type", file: fareRules, field: "duration_limit",
		broken: all(has("duration_limit"), not(has("duration_limit_type")))},
	{code: "fare_transfer_rule_invalid_transfer_count", file: fareRules, field: "transfer_count",
		broken: all(withinGroup, func(r *row) bool {
			n, ok := r.number("transfer_count")
			return ok && (n == 0 || n < -1)
		})},
	{code: "fare_transfer_rule_with_forbidden_transfer_count", file: fareRules, field: "transfer_count",
		broken: all(not(withinGroup), has("transfer_count"))},
	{code: "fare_transfer_rule_without_transfer_count", file: fareRules, field: "transfer_count",
		broken: all(withinGroup, not(has("transfer_count")))},
	{code: "forbidden_prior_day_booking_field_value", file: bookings,
		broken: all(booked("2"), has("prior_notice_duration_min", "prior_notice_duration_max"))},
	{code: "forbidden_prior_notice_start_day", file: bookings, field: "prior_notice_start_day",
		broken: all(has("prior_notice_start_day"), has("prior_notice_duration_max"))},
	{code: "forbidden_prior_notice_start_time", file: bookings, field: "prior_notice_start_time",
		broken: all(has("prior_notice_start_time"), not(has("prior_notice_start_day")))},
	{code: "forbidden_real_time_booking_field_value", file: bookings,
		broken: all(booked("0"), has("prior_notice_duration_min",
			"prior_notice_duration_max", "prior_notice_last_day", "prior_notice_last_time", "prior_notice_start_day",
			"prior_notice_start_time", "prior_notice_service_id"))},
	{code: "forbidden_same_day_booking_field_value", file: bookings,
		broken: all(booked("1"), has("prior_notice_last_day", "prior_notice_last_time", "prior_notice_service_id"))},
	{code: "invalid_currency_amount", file: "fare_products.txt", field: "amount", broken: func(r *row) bool {
		places, ok := gtfs.CurrencyPlaces(r.cell("currency"))
		_, fraction, _ := bytes.Cut(r.cell("amount"), []byte{'.'})
		return ok && gtfs.IsDistance(r.cell("amount")) && len(fraction) != places
	}},
	{code: "invalid_prior_notice_duration_min", file: bookings, field: "prior_notice_duration_min",
		broken: less("prior_notice_duration_max", "prior_notice_duration_min")},
	{code: "missing_prior_notice_duration_min", file: bookings, field: "prior_notice_duration_min",
		broken: all(booked("1"), not(has("prior_notice_duration_min")))},
	{code: "missing_prior_notice_last_day", file: bookings, field: "prior_notice_last_day",
		broken: all(booked("2"), not(has("prior_notice_last_day")))},
	{code: "missing_prior_notice_last_time", file: bookings, field: "prior_notice_last_time",
		broken: all(booked("2"), not(has("prior_notice_last_time")))},
	{code: "missing_prior_notice_start_time", file: bookings, field: "prior_notice_start_time",
		broken: all(has("prior_notice_start_day"), not(has("prior_notice_start_time")))},
	{code: "duplicate_fare_media", file: "fare_media.txt", field: "fare_media_id",
		broken: func(r *row) bool { return r.again("fare_media_name", "fare_media_type") }},
	{code: "missing_recommended_field", file: "fare_media.txt", field: "fare_media_name",
		broken: all(either(is("fare_media_type", "2"), is("fare_media_type", "4")), not(has("fare_media_name")))},
	{code: "missing_recommended_field", file: "fare_attributes.txt", field: "agency_id",
		broken: all(oneAgency, not(has("agency_id")))},
	{code: "missing_recommended_field", file: "routes.txt", field: "agency_id",
		broken: all(oneAgency, not(has("agency_id")))},
	{code: "missing_required_agency_id", file: "fare_attributes.txt", field: "agency_id",
		broken: all(manyAgents, not(has("agency_id")))},
	{code: "missing_required_field", file: "fare_leg_join_rules.txt", field: "from_stop_id",
		broken: all(has("to_stop_id"), not(has("from_stop_id")))},
	{code: "missing_required_field", file: "fare_leg_join_rules.txt", field: "to_stop_id",
		broken: all(has("from_stop_id"), not(has("to_stop_id")))},
	{code: "missing_required_field", file: transfers, field: "from_stop_id",
		broken: not(either(seated, has("from_stop_id")))},
	{code: "missing_required_field", file: transfers, field: "to_stop_id",
		broken: not(either(seated, has("to_stop_id")))},
	{code: "missing_required_field", file: transfers, field: "from_trip_id",
		broken: all(seated, not(has("from_trip_id")))},
	{code: "missing_required_field", file: transfers, field: "to_trip_id",
		broken: all(seated, not(has("to_trip_id")))},
	{code: "number_out_of_range", file: "pathways.txt", field: "stair_count", broken: isZero("stair_count")},
	{code: "number_out_of_range", file: "pathways.txt", field: "min_width", broken: isZero("min_width")},
	{code: "prior_notice_last_day_after_start_day", file: bookings, field: "prior_notice_last_day",
		broken: less("prior_notice_start_day", "prior_notice_last_day")},
	{code: "stop_access_specified_for_incorrect_location", file: "stops.txt", field: "stop_access",
		broken: all(has("stop_access"), not(isPlatform))},
	{code: "stop_access_specified_for_stop_with_no_parent_station", file: "stops.txt", field: "stop_access",
		broken: all(has("stop_access"), isPlatform, not(has("parent_station")))},
	{code: "timeframe_only_start_or_end_time_specified", file: "timeframes.txt",
		broken: func(r *row) bool { return r.has("start_time") != r.has("end_time") }},
	{code: "timeframe_start_or_end_time_greater_than_twenty_four_hours", file: "timeframes.txt", field: "start_time",
		broken: after24("start_time")},
	{code: "timeframe_start_or_end_time_greater_than_twenty_four_hours", file: "timeframes.txt", field: "end_time",
		broken: after24("end_time")},
	{code: "transfer_distance_too_large", file: transfers, broken: func(r *row) bool {
		from, to := r.stop("from_stop_id"), r.stop("to_stop_id")
		return from >= 0 && to >= 0 && r.c.apart(from, to) > maxTransfer
	}},
	{code: "transfer_with_invalid_stop_location_type", file: transfers, field: "from_stop_id",
		broken: noTransferAt("from_stop_id")},
	{code: "transfer_with_invalid_stop_location_type", file: transfers, field: "to_stop_id",
		broken: noTransferAt("to_stop_id")},
	{code: "transfer_with_invalid_trip_and_route", file: transfers, field: "from_route_id",
		broken: otherRoute("from_trip_id", "from_route_id")},
	{code: "transfer_with_invalid_trip_and_route", file: transfers, field: "to_route_id",
		broken: otherRoute("to_trip_id", "to_route_id")},
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
