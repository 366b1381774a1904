package check

import (
	"bytes"
	"slices"

	"github.com/townline/townline/pkg/gtfs"
)

// A rowRule checks one row of a file.
type rowRule struct {
	code   gtfs.Code
	file   string
	field  string // the column that is reported; "" is the row as a whole
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
	{gtfs.AttributionRoleless, "attributions.txt", "",
		not(either(is("is_producer", "1"), is("is_operator", "1"), is("is_authority", "1")))},
	{gtfs.PathwayBackThrough, "pathways.txt", "is_bidirectional",
		all(is("pathway_mode", "7"), is("is_bidirectional", "1"))},
	{gtfs.FareLimitMissing, fareRules, "duration_limit_type",
		all(has("duration_limit_type"), not(has("duration_limit")))},
	{gtfs.FareLimitTypeless, fareRules, "duration_limit",
		all(has("duration_limit"), not(has("duration_limit_type")))},
	{gtfs.FareCountInvalid, fareRules, "transfer_count", all(withinGroup, func(r *row) bool {
		n, ok := r.number("transfer_count")
		return ok && (n == 0 || n < -1)
	})},
	{gtfs.FareCountForbidden, fareRules, "transfer_count", all(not(withinGroup), has("transfer_count"))},
	{gtfs.FareCountMissing, fareRules, "transfer_count", all(withinGroup, not(has("transfer_count")))},
	{gtfs.BookingPriorDay, bookings, "",
		all(booked("2"), has("prior_notice_duration_min", "prior_notice_duration_max"))},
	{gtfs.NoticeStartDay, bookings, "prior_notice_start_day",
		all(has("prior_notice_start_day"), has("prior_notice_duration_max"))},
	{gtfs.NoticeStartTime, bookings, "prior_notice_start_time",
		all(has("prior_notice_start_time"), not(has("prior_notice_start_day")))},
	{gtfs.BookingRealTime, bookings, "", all(booked("0"), has("prior_notice_duration_min",
		"prior_notice_duration_max", "prior_notice_last_day", "prior_notice_last_time", "prior_notice_start_day",
		"prior_notice_start_time", "prior_notice_service_id"))},
	{gtfs.BookingSameDay, bookings, "", all(booked("1"),
		has("prior_notice_last_day", "prior_notice_last_time", "prior_notice_service_id"))},
	{gtfs.FareAmount, "fare_products.txt", "amount", func(r *row) bool {
		places, ok := gtfs.CurrencyPlaces(r.cell("currency"))
		_, fraction, _ := bytes.Cut(r.cell("amount"), []byte{'.'})
		return ok && gtfs.IsDistance(r.cell("amount")) && len(fraction) != places
	}},
	{gtfs.NoticeDuration, bookings, "prior_notice_duration_min",
		less("prior_notice_duration_max", "prior_notice_duration_min")},
	{gtfs.NoticeDurationMissing, bookings, "prior_notice_duration_min",
		all(booked("1"), not(has("prior_notice_duration_min")))},
	{gtfs.NoticeLastDayMissing, bookings, "prior_notice_last_day",
		all(booked("2"), not(has("prior_notice_last_day")))},
	{gtfs.NoticeLastTimeMissing, bookings, "prior_notice_last_time",
		all(booked("2"), not(has("prior_notice_last_time")))},
	{gtfs.NoticeStartTimeMissing, bookings, "prior_notice_start_time",
		all(has("prior_notice_start_day"), not(has("prior_notice_start_time")))},
	{gtfs.FareMediaTwice, "fare_media.txt", "fare_media_id",
		func(r *row) bool { return r.again("fare_media_name", "fare_media_type") }},
	{gtfs.FieldWanted, "fare_media.txt", "fare_media_name",
		all(either(is("fare_media_type", "2"), is("fare_media_type", "4")), not(has("fare_media_name")))},
	{gtfs.FieldWanted, "fare_attributes.txt", "agency_id", all(oneAgency, not(has("agency_id")))},
	{gtfs.FieldWanted, "routes.txt", "agency_id", all(oneAgency, not(has("agency_id")))},
	{gtfs.AgencyMissing, "fare_attributes.txt", "agency_id", all(manyAgents, not(has("agency_id")))},
	{gtfs.FieldMissing, "fare_leg_join_rules.txt", "from_stop_id", all(has("to_stop_id"), not(has("from_stop_id")))},
	{gtfs.FieldMissing, "fare_leg_join_rules.txt", "to_stop_id", all(has("from_stop_id"), not(has("to_stop_id")))},
	{gtfs.FieldMissing, transfers, "from_stop_id", not(either(seated, has("from_stop_id")))},
	{gtfs.FieldMissing, transfers, "to_stop_id", not(either(seated, has("to_stop_id")))},
	{gtfs.FieldMissing, transfers, "from_trip_id", all(seated, not(has("from_trip_id")))},
	{gtfs.FieldMissing, transfers, "to_trip_id", all(seated, not(has("to_trip_id")))},
	{gtfs.OutOfRange, "pathways.txt", "stair_count", isZero("stair_count")},
	{gtfs.OutOfRange, "pathways.txt", "min_width", isZero("min_width")},
	{gtfs.NoticeDaysReversed, bookings, "prior_notice_last_day",
		less("prior_notice_start_day", "prior_notice_last_day")},
	{gtfs.AccessOfNoStop, "stops.txt", "stop_access", all(has("stop_access"), not(isPlatform))},
	{gtfs.AccessWithoutParent, "stops.txt", "stop_access",
		all(has("stop_access"), isPlatform, not(has("parent_station")))},
	{gtfs.TimeframeHalf, "timeframes.txt", "", func(r *row) bool { return r.has("start_time") != r.has("end_time") }},
	{gtfs.TimeframeAfter24, "timeframes.txt", "start_time", after24("start_time")},
	{gtfs.TimeframeAfter24, "timeframes.txt", "end_time", after24("end_time")},
	{gtfs.TransferFar, transfers, "", func(r *row) bool {
		from, to := r.stop("from_stop_id"), r.stop("to_stop_id")
		return from >= 0 && to >= 0 && r.c.apart(from, to) > maxTransfer
	}},
	{gtfs.TransferStopType, transfers, "from_stop_id", noTransferAt("from_stop_id")},
	{gtfs.TransferStopType, transfers, "to_stop_id", noTransferAt("to_stop_id")},
	{gtfs.TransferRoute, transfers, "from_route_id", otherRoute("from_trip_id", "from_route_id")},
	{gtfs.TransferRoute, transfers, "to_route_id", otherRoute("to_trip_id", "to_route_id")},
}

// maxTransfer is the distance between the stops of a transfer, in metres.
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

// noTransferAt reports whether riders cannot change at a stop. In-seat transfers need a stop, not a
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
