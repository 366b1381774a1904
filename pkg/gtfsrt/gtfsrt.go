// Package gtfsrt reads parts of a GTFS-Realtime message without decoding it.
//
// Scan walks the wire format once and finds each entity and the ids of its trips, routes, stops and
// agencies, in a tenth of the time of decoding. It also bounds the cost of decoding: a message of a
// few megabytes can decode into gigabytes. Prediction reads predicted departures. To get other
// values of an entity, decode its Body with the MobilityData bindings.
//
// Field numbers are those of gtfs-realtime.proto, version 2.0. Unknown fields and extensions are
// skipped. Differential tests compare the package with the bindings.
package gtfsrt

// A Message is a scanned FeedMessage. Its byte slices point into the scanned data.
type Message struct {
	// Version is FeedHeader.gtfs_realtime_version.
	Version string
	// Timestamp is FeedHeader.timestamp as published, or 0 if it is absent; see Seconds.
	Timestamp uint64
	// Differential reports whether FeedHeader.incrementality is DIFFERENTIAL.
	Differential bool
	// HasIncrementality reports whether the field incrementality is present.
	HasIncrementality bool

	TripUpdates []TripUpdate
	Vehicles    []Vehicle
	Alerts      []Alert
	// Others are entities of other kinds, such as shapes and trip modifications. Only their ID and
	// Rest are set.
	Others []Entity
	// Marked has the ids of the entities that have the field is_deleted, whatever its value is.
	Marked [][]byte
	// Deleted are the trip updates and vehicle positions of entities that are deleted. They must not
	// be used; the other lists do not have them.
	Deleted []Deleted

	// Header is the encoded FeedHeader, including extensions.
	Header []byte

	size, parts int // number of scanned bytes and of parts found
}

// An Entity has the fields that the three kinds share.
type Entity struct {
	ID []byte
	// Body is the encoded TripUpdate, VehiclePosition or Alert.
	Body []byte
	// Rest has the other fields of the entity, encoded and unchecked: extensions, and fields that
	// newer versions define.
	Rest []byte
}

// A Trip has the fields of a TripDescriptor. Absent fields are nil.
type Trip struct {
	TripID, RouteID []byte
	// StartTime has the form HH:MM:SS, StartDate YYYYMMDD. Both are unchecked.
	StartTime, StartDate []byte
	// Direction is direction_id as the static feed writes it, "0" or "1", or "" otherwise.
	Direction    string
	Relationship int32
	// HasRelationship reports whether schedule_relationship is present. Given reports whether the
	// descriptor is present.
	HasRelationship, Given bool
}

var directions = [...]string{"0", "1"}

// Direction returns a direction_id as the static feed writes it, or "" if it is invalid.
func Direction(id uint64) string {
	if id < uint64(len(directions)) {
		return directions[id]
	}
	return ""
}

// Seconds converts a time of a feed to Unix seconds. Some producers publish milliseconds or
// microseconds. Read as seconds, these would be more than three thousand years in the future.
func Seconds(published int64) int64 {
	for published >= 100_000_000_000 {
		published /= 1000
	}
	return published
}

// A TripUpdate is an entity with predictions for a trip.
type TripUpdate struct {
	Entity
	Trip
	VehicleID []byte
	Timestamp uint64 // as published; 0 if absent
	Calls     int    // number of stop time updates
}

// Deleted has the identification of a trip update or vehicle position.
type Deleted struct {
	ID []byte // of the entity
	Trip
	VehicleID []byte
	Timestamp uint64 // as published; 0 if absent
}

// A Vehicle is an entity with the position of a vehicle.
type Vehicle struct {
	Entity
	Trip
	VehicleID []byte
	At        Stop   // stop_id and current_stop_sequence
	Status    int32  // number of current_status; IN_TRANSIT_TO if absent
	Timestamp uint64 // as published, 0 if absent
}

// An Alert is an entity with a message for riders.
type Alert struct {
	Entity
	Informed []Informed
	Effect   int32 // number of the enum value; 0 if absent
}

// Informed has the fields of an EntitySelector.
type Informed struct {
	Trip
	AgencyID, StopID []byte
	// Route is the route_id of the selector itself. Trip.RouteID only qualifies the trip.
	Route        []byte
	HasRouteType bool
}
