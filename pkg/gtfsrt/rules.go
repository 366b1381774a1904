package gtfsrt

import "slices"

// A Rule is a rule of MobilityData's gtfs-realtime-validator. It has the same code.
type Rule struct {
	Code    string // begins with E for errors, W for warnings
	Message string
	Advice  string // for the producers of the source
}

// Severity returns "error" or "warning".
func (r Rule) Severity() string {
	if r.Code[0] == 'E' {
		return "error"
	}
	return "warning"
}

// Address returns the address of the validator's documentation of the rule.
func (r Rule) Address() string {
	return "https://github.com/MobilityData/gtfs-realtime-validator/blob/master/RULES.md#" + r.Code
}

// Rules returns the rules that messages are checked with: errors first, then by code.
func Rules() []Rule { return slices.Clone(rules) }

var rules = []Rule{
	{"E001", "A time is not in seconds since 1970, or is before 2005 or after 2033.",
		"Write POSIX times in seconds. Milliseconds are the usual reason."},
	{"E002", "The stop time updates of a trip are not in the order of its stops.",
		"Sort them by increasing stop_sequence."},
	{"E003", "The timetable has no trip of this trip_id, and the trip is not marked as added.",
		"Publish the timetable that has these trip_ids, or mark additional trips as NEW or ADDED."},
	{"E004", "The timetable has no route of this route_id.",
		"Use the route_ids of routes.txt, and publish both feeds from the same data."},
	{"E006", "A trip of a headway service lacks its start_time or start_date.",
		"Fill in trip_id, start_time and start_date of trips that run by frequencies.txt without exact times."},
	{"E009", "The trip calls at a stop twice, and a stop time update has no stop_sequence.",
		"Fill in stop_sequence, so that it is clear which of the two calls is meant."},
	{"E011", "The timetable has no stop of this stop_id.",
		"Use the stop_ids of stops.txt, and publish both feeds from the same data."},
	{"E012", "The time of an entity is after the time of the message.",
		"Set the header’s timestamp when the message is complete."},
	{"E013", "A trip of a headway service has a schedule_relationship other than UNSCHEDULED.",
		"Write UNSCHEDULED for trips that run by frequencies.txt without exact times."},
	{"E015", "The stop_id is that of a station, an entrance or another location at which no vehicle stops.",
		"Name the platform or stop, whose location_type is 0."},
	{"E016", "A trip that is marked as ADDED is in the timetable.",
		"Write SCHEDULED for trips of the timetable, and give added trips unique ids."},
	{"E017", "The content has changed, and the time of the message has not.",
		"Update the header’s timestamp with each change. Behind a load balancer let all servers answer the same message."},
	{"E018", "The time of the message is earlier than that of the previous message.",
		"Synchronize the clocks of your servers. Behind a load balancer let all servers answer the same message."},
	{"E019", "The start_time of a headway trip is not one of its departures.",
		"Write a start_time that is a multiple of headway_secs after the start_time of frequencies.txt."},
	{"E020", "A start_time is not written as a time.",
		"Write HH:MM:SS, such as 25:15:35 for a quarter past one in the night after the service day."},
	{"E021", "A start_date is not a date.",
		"Write YYYYMMDD, such as 20260131."},
	{"E022", "The times of a trip do not increase from stop to stop.",
		"Correct the predictions: a vehicle reaches each stop after it has left the previous stop."},
	{"E023", "The start_time of a trip is not the first arrival time of the timetable.",
		"Write the scheduled time at the first stop, not the expected one."},
	{"E024", "The direction_id of a trip is not that of the timetable.",
		"Write the direction_id of trips.txt, or leave it out."},
	{"E025", "A vehicle departs from a stop before it arrives there.",
		"Correct the predicted arrival or departure."},
	{"E026", "The position of a vehicle lacks a coordinate or is not on Earth.",
		"Write degrees of WGS 84, or leave out the position if it is unknown."},
	{"E027", "The bearing of a vehicle is not between 0 and 360 degrees.",
		"Write degrees clockwise from north, or leave out the bearing if it is unknown."},
	{"E028", "A vehicle is more than 1.6 km outside of the area of the timetable.",
		"Leave out vehicles that are not in service, and positions that the receiver has lost."},
	{"E029", "A vehicle is more than 200 m from the shape of its trip, and no alert names a detour.",
		"Check which trip the vehicle is on, and the shape. Publish an alert with the effect DETOUR for detours."},
	{"E030", "An alert names a route and a trip of another route.",
		"Name the route of the trip, or the trip alone."},
	{"E031", "An alert names two routes in one selector.",
		"Write the same route_id in the selector and in its trip, or leave out one of the two."},
	{"E032", "An alert does not say what it is about.",
		"Add an informed_entity: a stop, a route, a trip or the agency."},
	{"E033", "An informed_entity of an alert is empty.",
		"Fill in agency_id, route_id, route_type, trip or stop_id."},
	{"E034", "The timetable has no agency of this agency_id.",
		"Use the agency_ids of agency.txt."},
	{"E035", "A trip has the route_id of another route.",
		"Write the route_id that the trip has in trips.txt, or leave it out."},
	{"E036", "Two stop time updates in a row have the same stop_sequence.",
		"Write one stop time update for each call."},
	{"E037", "Two stop time updates in a row are for the same stop.",
		"Write one stop time update for each call."},
	{"E038", "The version of the message is unknown.",
		"Write 2.0 or 1.0 as gtfs_realtime_version."},
	{"E039", "An entity of a full data set has the field is_deleted.",
		"Leave out the field. Also leave out entities that no longer exist."},
	{"E040", "A stop time update has neither stop_id nor stop_sequence.",
		"Fill in both."},
	{"E041", "A trip update has no stop time updates, and the trip is not cancelled.",
		"Add the next stops, or leave out the trip update."},
	{"E042", "A stop time update without data has an arrival or a departure.",
		"Leave out both for NO_DATA."},
	{"E043", "A stop time update has neither arrival nor departure.",
		"Fill in at least one of the two, or write SKIPPED or NO_DATA."},
	{"E044", "An arrival or departure has neither a time nor a delay.",
		"Fill in time, or leave out the arrival or departure."},
	{"E045", "A stop time update has the stop_sequence of another stop.",
		"Write stop_id and stop_sequence of the same row of stop_times.txt."},
	{"E046", "A delay is for a stop for which the timetable has no time.",
		"Write the expected time instead of the delay, or fill in the times of the timetable."},
	{"E047", "Trip updates and vehicle positions name different vehicles for a trip.",
		"Use the same assignment of vehicles to trips for both."},
	{"E048", "The message has no time.",
		"Fill in timestamp of the header."},
	{"E049", "The header does not say whether the message is a full data set.",
		"Write FULL_DATASET as incrementality."},
	{"E050", "A time is more than a minute in the future.",
		"Synchronize the clocks of your servers and vehicles."},
	{"E051", "The trip has no call of this stop_sequence.",
		"Write the stop_sequence of stop_times.txt, and publish both feeds from the same data."},
	{"E052", "Two vehicles have the same id.",
		"Give each vehicle a unique id, and publish it once."},
	{"W001", "A time is missing.",
		"Fill in the timestamp of the header, of trip updates and of vehicle positions."},
	{"W002", "The id of a vehicle is missing.",
		"Fill in vehicle.id, so that riders can follow a vehicle and its predictions."},
	{"W003", "A trip or vehicle is in one of trip updates and vehicle positions only.",
		"Publish predictions for each vehicle that is on a trip, and the position of each vehicle with predictions."},
	{"W004", "A vehicle is faster than 26 m/s, or its speed is negative.",
		"Write metres per second. A train may be this fast."},
	{"W005", "A trip of a headway service has no vehicle.",
		"Fill in vehicle.id: several vehicles may run the same trip at the same time."},
	{"W006", "A trip has no trip_id.",
		"Fill in trip_id."},
	{"W007", "The source is updated less often than every 35 seconds.",
		"Make a new message at least every 30 seconds."},
	{"W008", "The message is more than 65 seconds old.",
		"Serve messages that are less than a minute old. Check the caches in front of your server."},
	{"W009", "A schedule_relationship is missing.",
		"Write SCHEDULED if the trip or stop runs as planned. Some programs treat a missing value as unknown."},
}
