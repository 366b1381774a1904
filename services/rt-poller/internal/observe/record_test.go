package observe

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// A record has what really happened: the arrival and departure of each call of each trip, in seconds of
// the day. Trips take turns in what their feed knows of them.
type record struct {
	trips  []*Trip
	calls  [][][2]int64
	random *rand.Rand
}

// What a feed knows of a trip, by its number modulo four.
const (
	reportsAll     = iota // its vehicle reports in each message
	reportsChanges        // its vehicle reports arrivals and departures
	neverStops            // its vehicle only names the next stop
	onlyPredicted         // it has no vehicle
	kindsOfTrips
)

const recordedTrips, recordedStops = 165, 25

func newRecord() *record {
	r := &record{random: rand.New(rand.NewPCG(7, 7))}
	stops := "ABCDEFGHIJKLMNOPQRSTUVWXY"[:recordedStops]
	for i := range recordedTrips {
		trip := line(fmt.Sprint("T", i), int32(8*3600+40*i), stops)
		at := int64(trip.Start) + r.random.Int64N(120) - 30
		var calls [][2]int64
		for range stops {
			leaves := at + 15 + r.random.Int64N(30)
			calls = append(calls, [2]int64{at, leaves})
			at = leaves + 70 + r.random.Int64N(80)
		}
		r.trips, r.calls = append(r.trips, trip), append(r.calls, calls)
	}
	return r
}

// message returns what the feed says at a second.
func (r *record) message(t *testing.T, at int64) *Message {
	t.Helper()
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"),
		Timestamp: proto.Uint64(uint64(zero + at))}}
	for i, trip := range r.trips {
		calls, next := r.calls[i], 0
		for next < len(calls) && calls[next][1] <= at {
			next++
		}
		if next == len(calls) || at < calls[0][0]-300 {
			continue
		}
		d := &rt.TripDescriptor{TripId: &trip.ID, StartDate: proto.String("20260303")}
		u := &rt.TripUpdate{Trip: d}
		for k := next; k < len(calls); k++ {
			off := r.random.Int64N(1+max(0, calls[k][0]-at)/10) / 2
			u.StopTimeUpdate = append(u.StopTimeUpdate, &rt.TripUpdate_StopTimeUpdate{
				StopSequence: proto.Uint32(uint32(trip.Sequences[k])),
				Arrival:      &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(zero + calls[k][0] + off)},
				Departure:    &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(zero + calls[k][1] + off)}})
		}
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String("u" + trip.ID), TripUpdate: u})
		if i%kindsOfTrips == onlyPredicted {
			continue
		}
		v := &rt.VehiclePosition{Trip: d, Vehicle: &rt.VehicleDescriptor{Id: proto.String("bus " + trip.ID)},
			CurrentStopSequence: proto.Uint32(uint32(trip.Sequences[next]))}
		stamp := at - r.random.Int64N(8)
		isThere := calls[next][0] <= at
		if i%kindsOfTrips == reportsChanges {
			stamp = calls[max(0, next-1)][1]
			if isThere || next == 0 {
				stamp = min(at, calls[next][0])
			}
		}
		if isThere && i%kindsOfTrips != neverStops && (i%kindsOfTrips == reportsChanges || calls[next][0] <= stamp) {
			v.CurrentStatus = rt.VehiclePosition_STOPPED_AT.Enum()
		}
		v.Timestamp = proto.Uint64(uint64(zero + stamp))
		m.Entity = append(m.Entity, &rt.FeedEntity{Id: proto.String("v" + trip.ID), Vehicle: v})
	}
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return read(t, data)
}

// Polled every 30 seconds, nearly all calls have a visit near the time at which they happened, whatever
// the feed knows of a trip, and none has one inside a gap.
func TestTheFullRecord(t *testing.T) {
	t.Parallel()
	r := newRecord()
	o := New(Zone{time.UTC}, tripsOf(r.trips))
	gaps := [][2]int64{{8*3600 + 3000, 8*3600 + 3240}, {9*3600 + 2400, 9*3600 + 2520}}
	inside := func(from, to int64) bool {
		for _, g := range gaps {
			if from < g[1] && to > g[0] {
				return true
			}
		}
		return false
	}
	for at := int64(8*3600 - 300); at < 11*3600; at += 30 {
		if !inside(at, at+1) || at == gaps[0][0] || at == gaps[1][0] {
			o.Observe(r.message(t, at))
		}
	}
	for kind := range kindsOfTrips {
		all := 0
		seen, near := 0, 0
		for i := kind; i < recordedTrips; i += kindsOfTrips {
			run := o.runs[Key{Trip: r.trips[i].ID, Day: day, Start: None}]
			for k, truth := range r.calls[i] {
				c := &run.calls[k]
				if c.seen.IsVisit() && (c.arrived != None && inside(int64(c.arrived), int64(c.arrived)) ||
					c.left != None && inside(int64(c.left), int64(c.left))) {
					t.Errorf("trip %d, call %d: a visit from %d to %d is inside a gap", i, k, c.arrived, c.left)
				}
				if inside(truth[0]-60, truth[1]+60) {
					continue
				}
				all++
				actual, is := truth[0], int64(c.arrived)
				if k == 0 || c.arrived == None {
					actual, is = truth[1], int64(c.left)
				}
				if !c.seen.IsVisit() {
					continue
				}
				seen++
				if off := is - actual; off >= -60 && off <= 60 {
					near++
				}
			}
		}
		t.Logf("kind %d: %d of %d calls have a visit, %d within a minute", kind, seen, all, near)
		if 4125*seen < 4000*all || 100*near < 99*seen || all < 900 {
			t.Errorf("kind %d: %d of %d calls have a visit, %d within a minute", kind, seen, all, near)
		}
	}
}

func tripsOf(all []*Trip) trips {
	of := trips{}
	for _, t := range all {
		of[t.ID] = t
	}
	return of
}
