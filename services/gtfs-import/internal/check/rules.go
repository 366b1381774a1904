package check

import (
	"bytes"

	"github.com/townline/townline/pkg/gtfs"
)

// A rowRule looks at one row of a file.
type rowRule struct {
	code   gtfs.Code
	file   string
	field  string // the column that is reported; "" is the row as a whole
	broken func(*row) bool
}

// rowRules are in the order of deploy/docs/report.md.
var rowRules = [...]rowRule{
	{gtfs.AttributionRoleless, "attributions.txt", "", func(r *row) bool {
		return !r.is("is_producer", "1") && !r.is("is_operator", "1") && !r.is("is_authority", "1")
	}},
	{gtfs.PathwayBackThrough, "pathways.txt", "is_bidirectional", func(r *row) bool {
		return r.is("pathway_mode", "7") && r.is("is_bidirectional", "1")
	}},
	{gtfs.FareLimitMissing, "fare_transfer_rules.txt", "duration_limit_type",
		func(r *row) bool { return r.has("duration_limit_type") && !r.has("duration_limit") }},
	{gtfs.FareLimitTypeless, "fare_transfer_rules.txt", "duration_limit",
		func(r *row) bool { return r.has("duration_limit") && !r.has("duration_limit_type") }},
	{gtfs.FareCountInvalid, "fare_transfer_rules.txt", "transfer_count", func(r *row) bool {
		n, ok := r.number("transfer_count")
		return ok && r.withinGroup() && (n == 0 || n < -1)
	}},
	{gtfs.FareCountForbidden, "fare_transfer_rules.txt", "transfer_count",
		func(r *row) bool { return !r.withinGroup() && r.has("transfer_count") }},
	{gtfs.FareCountMissing, "fare_transfer_rules.txt", "transfer_count",
		func(r *row) bool { return r.withinGroup() && !r.has("transfer_count") }},
	{gtfs.BookingPriorDay, "booking_rules.txt", "", func(r *row) bool {
		return r.is("booking_type", "2") && r.has("prior_notice_duration_min", "prior_notice_duration_max")
	}},
	{gtfs.NoticeStartDay, "booking_rules.txt", "prior_notice_start_day", func(r *row) bool {
		return r.has("prior_notice_start_day") && r.has("prior_notice_duration_max")
	}},
	{gtfs.NoticeStartTime, "booking_rules.txt", "prior_notice_start_time", func(r *row) bool {
		return r.has("prior_notice_start_time") && !r.has("prior_notice_start_day")
	}},
	{gtfs.BookingRealTime, "booking_rules.txt", "", func(r *row) bool {
		return r.is("booking_type", "0") && r.has("prior_notice_duration_min", "prior_notice_duration_max",
			"prior_notice_last_day", "prior_notice_last_time", "prior_notice_start_day", "prior_notice_start_time",
			"prior_notice_service_id")
	}},
	{gtfs.BookingSameDay, "booking_rules.txt", "", func(r *row) bool {
		return r.is("booking_type", "1") && r.has("prior_notice_last_day", "prior_notice_last_time",
			"prior_notice_service_id")
	}},
	{gtfs.FareAmount, "fare_products.txt", "amount", func(r *row) bool {
		places, ok := gtfs.CurrencyPlaces(r.cell("currency"))
		amount := r.cell("amount")
		_, fraction, _ := bytes.Cut(amount, []byte{'.'})
		return ok && gtfs.IsDistance(amount) && len(fraction) != places
	}},
	{gtfs.NoticeDuration, "booking_rules.txt", "prior_notice_duration_min", func(r *row) bool {
		least, ok1 := r.number("prior_notice_duration_min")
		most, ok2 := r.number("prior_notice_duration_max")
		return ok1 && ok2 && most < least
	}},
	{gtfs.NoticeDurationMissing, "booking_rules.txt", "prior_notice_duration_min", func(r *row) bool {
		return r.is("booking_type", "1") && !r.has("prior_notice_duration_min")
	}},
	{gtfs.NoticeLastDayMissing, "booking_rules.txt", "prior_notice_last_day", func(r *row) bool {
		return r.is("booking_type", "2") && !r.has("prior_notice_last_day")
	}},
	{gtfs.NoticeLastTimeMissing, "booking_rules.txt", "prior_notice_last_time", func(r *row) bool {
		return r.is("booking_type", "2") && !r.has("prior_notice_last_time")
	}},
	{gtfs.NoticeStartTimeMissing, "booking_rules.txt", "prior_notice_start_time", func(r *row) bool {
		return r.has("prior_notice_start_day") && !r.has("prior_notice_start_time")
	}},
	{gtfs.FieldWanted, "fare_media.txt", "fare_media_name", func(r *row) bool {
		return (r.is("fare_media_type", "2") || r.is("fare_media_type", "4")) && !r.has("fare_media_name")
	}},
	{gtfs.FieldWanted, "fare_attributes.txt", "agency_id", func(r *row) bool {
		return r.c.agencies.count == 1 && !r.has("agency_id")
	}},
	{gtfs.FieldWanted, "routes.txt", "agency_id", func(r *row) bool {
		return r.c.agencies.count == 1 && len(r.raw("agency_id")) == 0
	}},
	{gtfs.AgencyMissing, "fare_attributes.txt", "agency_id", func(r *row) bool {
		return r.c.agencies.count > 1 && !r.has("agency_id")
	}},
	{gtfs.NoticeDaysReversed, "booking_rules.txt", "prior_notice_last_day", func(r *row) bool {
		last, ok1 := r.number("prior_notice_last_day")
		first, ok2 := r.number("prior_notice_start_day")
		return ok1 && ok2 && last > first
	}},
	{gtfs.AccessOfNoStop, "stops.txt", "stop_access", func(r *row) bool {
		return r.has("stop_access") && r.kind() != platform
	}},
	{gtfs.AccessWithoutParent, "stops.txt", "stop_access", func(r *row) bool {
		return r.has("stop_access") && r.kind() == platform && !r.has("parent_station")
	}},
	{gtfs.TimeframeHalf, "timeframes.txt", "", func(r *row) bool {
		return r.has("start_time") != r.has("end_time")
	}},
	{gtfs.TimeframeAfter24, "timeframes.txt", "start_time",
		func(r *row) bool { return r.seconds("start_time") > 24*60*60 }},
	{gtfs.TimeframeAfter24, "timeframes.txt", "end_time",
		func(r *row) bool { return r.seconds("end_time") > 24*60*60 }},
	{gtfs.TransferFar, "transfers.txt", "", func(r *row) bool {
		from, to := r.stop("from_stop_id"), r.stop("to_stop_id")
		return from >= 0 && to >= 0 && r.c.apart(from, to) > maxTransfer
	}},
	{gtfs.TransferStopType, "transfers.txt", "from_stop_id",
		func(r *row) bool { return r.noTransferAt("from_stop_id") }},
	{gtfs.TransferStopType, "transfers.txt", "to_stop_id",
		func(r *row) bool { return r.noTransferAt("to_stop_id") }},
	{gtfs.TransferRoute, "transfers.txt", "from_route_id",
		func(r *row) bool { return r.otherRoute("from_trip_id", "from_route_id") }},
	{gtfs.TransferRoute, "transfers.txt", "to_route_id",
		func(r *row) bool { return r.otherRoute("to_trip_id", "to_route_id") }},
}

// maxTransfer is the distance between the stops of a transfer, in metres.
const maxTransfer = 10_000

// has reports whether one of the columns has a value, valid or not.
func (r *row) has(columns ...string) bool {
	for _, column := range columns {
		if len(r.raw(column)) > 0 {
			return true
		}
	}
	return false
}

func (r *row) is(column, value string) bool { return string(r.cell(column)) == value }

func (r *row) number(column string) (n int, ok bool) {
	f, ok := gtfs.ParseFloat(r.cell(column))
	return int(f), ok && f == float64(int(f))
}

// seconds returns a time, None without a valid one.
func (r *row) seconds(column string) int {
	if s, ok := gtfs.ParseTime(r.cell(column)); ok {
		return s
	}
	return None
}

// stop returns the number of the stop that a column names, -1 if there is none.
func (r *row) stop(column string) int32 { return r.c.find("stops.txt", r.cell(column)) }

// kind returns the location_type of a row of stops.txt.
func (r *row) kind() int {
	kind, ok := gtfs.ParseUint(r.cell("location_type"))
	if !ok || kind > boardingArea {
		kind = platform
	}
	return kind
}

// withinGroup reports whether a fare transfer rule is about transfers within a group of legs.
func (r *row) withinGroup() bool {
	from := r.cell("from_leg_group_id")
	return len(from) > 0 && bytes.Equal(from, r.cell("to_leg_group_id"))
}

// noTransferAt reports whether riders cannot change at a stop. In-seat transfers need a stop, not a
// station.
func (r *row) noTransferAt(column string) bool {
	stop := r.stop(column)
	if stop < 0 {
		return false
	}
	seated := r.is("transfer_type", "4") || r.is("transfer_type", "5")
	kind := r.c.stops.kind[stop]
	return kind != platform && kind != station || kind == station && seated
}

func (r *row) otherRoute(trip, route string) bool {
	n, named := r.c.find("trips.txt", r.cell(trip)), r.c.find("routes.txt", r.cell(route))
	return n >= 0 && named >= 0 && r.c.refs.RouteOf(n) != named
}
