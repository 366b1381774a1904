package agency

import (
	"fmt"
	"strconv"
	"time"

	"github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// message returns a FeedMessage without entities for an instant.
func message(at time.Time) *gtfs.FeedMessage {
	return &gtfs.FeedMessage{Header: &gtfs.FeedHeader{
		GtfsRealtimeVersion: proto.String("2.0"),
		Incrementality:      gtfs.FeedHeader_FULL_DATASET.Enum(),
		Timestamp:           epoch(at),
	}}
}

func epoch(at time.Time) *uint64 { return proto.Uint64(uint64(at.Unix())) }

// descriptor returns the trip's ids. Runs of a frequency trip have different start times.
func (j *journey) descriptor() *gtfs.TripDescriptor {
	d := &gtfs.TripDescriptor{
		TripId:               proto.String(j.id),
		RouteId:              proto.String(j.route),
		DirectionId:          proto.Uint32(0),
		StartDate:            proto.String(j.date),
		ScheduleRelationship: gtfs.TripDescriptor_SCHEDULED.Enum(),
	}
	if j.direction == "1" {
		d.DirectionId = proto.Uint32(1)
	}
	if j.every > 0 {
		d.StartTime = proto.String(clock(j.start + j.offset))
	}
	return d
}

func (j *journey) vehicle() *gtfs.VehicleDescriptor {
	return &gtfs.VehicleDescriptor{Id: proto.String("abt-" + j.bus), Label: proto.String(j.bus),
		LicensePlate: proto.String("")}
}

// TripUpdates predicts every trip that is under way at an instant or starts within 45 minutes.
func (a *Agency) TripUpdates(at time.Time) *gtfs.FeedMessage {
	m := message(at)
	for _, j := range a.journeys(at) {
		update := &gtfs.TripUpdate{Trip: j.descriptor(), Timestamp: epoch(at.Add(-j.age(at)))}
		if j.cancelled {
			update.Trip.ScheduleRelationship = gtfs.TripDescriptor_CANCELED.Enum()
		} else {
			update.Vehicle = j.vehicle()
			for i := j.next(at); i < len(j.calls); i++ {
				update.StopTimeUpdate = append(update.StopTimeUpdate, j.stopTimeUpdate(i))
			}
		}
		m.Entity = append(m.Entity, &gtfs.FeedEntity{Id: proto.String(fmt.Sprintf("tu-%s-%s-%d", j.date, j.id, j.offset)),
			TripUpdate: update})
	}
	return m
}

// stopTimeUpdate predicts a call. Southbound coast buses identify stops only by stop_sequence, as
// some real feeds do.
func (j *journey) stopTimeUpdate(i int) *gtfs.TripUpdate_StopTimeUpdate {
	u := &gtfs.TripUpdate_StopTimeUpdate{StopSequence: proto.Uint32(uint32(i + 1))}
	if j.route != "20" || j.direction != "1" {
		u.StopId = proto.String(j.calls[i].stop)
	}
	if j.calls[i].stop == closed {
		u.ScheduleRelationship = gtfs.TripUpdate_StopTimeUpdate_SKIPPED.Enum()
		return u
	}
	arrive, depart := j.predicted(i)
	event := func(t time.Time) *gtfs.TripUpdate_StopTimeEvent {
		return &gtfs.TripUpdate_StopTimeEvent{Time: proto.Int64(t.Unix()), Delay: proto.Int32(int32(j.delay(i)))}
	}
	if i > 0 {
		u.Arrival = event(arrive)
	}
	if i < len(j.calls)-1 {
		u.Departure = event(depart)
	}
	return u
}

// age returns the age of a bus's last report. Each bus reports every 20 seconds, at a different
// second.
func (j *journey) age(at time.Time) time.Duration {
	n, _ := strconv.Atoi(j.bus) // a fleet number is always a number
	return time.Duration((at.Unix()+int64(n)*7)%20) * time.Second
}

// Vehicles returns the positions of all buses at an instant, as of each bus's last report.
func (a *Agency) Vehicles(at time.Time) *gtfs.FeedMessage {
	m := message(at)
	out := map[string]bool{} // by bus: a late bus finishes its trip before the next trip
	for _, j := range a.journeys(at) {
		seen := at.Add(-j.age(at))
		first, _ := j.scheduled(0)
		if j.cancelled || out[j.bus] || first.After(seen.Add(layover)) {
			continue
		}
		out[j.bus] = true
		along, speed := j.progress(seen)
		p, bearing := j.where(along)
		i := min(j.next(seen), len(j.calls)-1)
		status := gtfs.VehiclePosition_IN_TRANSIT_TO
		left := j.calls[i].along - along
		switch {
		case left == 0:
			status = gtfs.VehiclePosition_STOPPED_AT
		case left < 0.15:
			status = gtfs.VehiclePosition_INCOMING_AT
		}
		m.Entity = append(m.Entity, &gtfs.FeedEntity{Id: proto.String("vp-" + j.bus), Vehicle: &gtfs.VehiclePosition{
			Trip:    j.descriptor(),
			Vehicle: j.vehicle(),
			Position: &gtfs.Position{
				Latitude: proto.Float32(float32(p.lat)), Longitude: proto.Float32(float32(p.lon)),
				Bearing: proto.Float32(float32(bearing)), Speed: proto.Float32(float32(speed)),
			},
			CurrentStopSequence: proto.Uint32(uint32(i + 1)),
			StopId:              proto.String(j.calls[i].stop),
			CurrentStatus:       status.Enum(),
			Timestamp:           epoch(seen),
			OccupancyStatus:     gtfs.VehiclePosition_OccupancyStatus(j.occupancy).Enum(),
		}})
	}
	return m
}
