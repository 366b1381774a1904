package observe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	rt "github.com/MobilityData/gtfs-realtime-bindings/golang/gtfs"
	"google.golang.org/protobuf/proto"
)

// trips is a timetable.
type trips map[string]*Trip

func (t trips) Trip(id string) *Trip { return t[id] }

var daily = &Service{Weekdays: "1111111", First: 0, Last: 1 << 20}

// day is 3 March 2026, and zero its start in UTC.
const (
	day  = 20515
	zero = day * 86400
)

// line returns a trip that starts at a second of the day and calls at the stops every two minutes,
// with the stop_sequences 1, 10, 20 …
func line(id string, start int32, stops string) *Trip {
	t := &Trip{ID: id, Route: "R", Direction: "0", Service: daily, Start: start, Pattern: &Pattern{}}
	for i, stop := range strings.Split(stops, "") {
		t.Sequences = append(t.Sequences, int32(max(1, 10*i)))
		t.Stops = append(t.Stops, stop)
		t.StopIDs = append(t.StopIDs, &stop)
		t.Arrivals = append(t.Arrivals, int32(120*i))
	}
	t.Departures, t.Expected = t.Arrivals, t.Arrivals
	return t
}

// A sighting is a vehicle position or a trip update of a message, in words:
//
//	bus1 T 10 stopped      vehicle bus1 of trip T is at the call with stop_sequence 10
//	bus1 T 10 @8:00:05     it is on the way there, and says so at that time
//	bus1 T stop=B          it names a stop instead
//	T: 10=8:02:00 20=8:04  trip T is predicted at these calls
//	T: canceled            it is cancelled
type sighting = string

type said struct {
	at    string
	lines []sighting
}

func clock(t testing.TB, text string) int64 {
	t.Helper()
	at, ok := parseClock([]byte(text))
	if !ok {
		at, ok = parseClock([]byte(text + ":00"))
	}
	if !ok {
		t.Fatal(text)
	}
	return int64(zero) + int64(at)
}

func encode(t testing.TB, s said) []byte {
	t.Helper()
	at := uint64(clock(t, s.at))
	m := &rt.FeedMessage{Header: &rt.FeedHeader{GtfsRealtimeVersion: proto.String("2.0"), Timestamp: &at}}
	for n, line := range s.lines {
		e := &rt.FeedEntity{Id: proto.String(fmt.Sprint(n))}
		if trip, calls, update := strings.Cut(line, ":"); update && !strings.Contains(trip, " ") {
			e.TripUpdate = tripUpdate(t, trip, calls)
		} else {
			e.Vehicle = position(t, line)
		}
		m.Entity = append(m.Entity, e)
	}
	data, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func descriptor(id string) *rt.TripDescriptor {
	d := &rt.TripDescriptor{}
	id, date, dated := strings.Cut(id, "/")
	d.TripId = &id
	if dated {
		d.StartDate = &date
	}
	if id, start, ok := strings.Cut(*d.TripId, "+"); ok {
		d.TripId, d.StartTime = &id, proto.String(strings.ReplaceAll(start, ".", ":"))
	}
	return d
}

func tripUpdate(t testing.TB, trip, calls string) *rt.TripUpdate {
	t.Helper()
	u := &rt.TripUpdate{Trip: descriptor(trip)}
	for _, word := range strings.Fields(calls) {
		key, value, _ := strings.Cut(word, "=")
		if n, ok := rt.TripDescriptor_ScheduleRelationship_value[strings.ToUpper(key)]; ok && value == "" {
			u.Trip.ScheduleRelationship = rt.TripDescriptor_ScheduleRelationship(n).Enum()
			continue
		}
		c := &rt.TripUpdate_StopTimeUpdate{}
		var sequence uint32
		if _, err := fmt.Sscan(key, &sequence); err == nil {
			c.StopSequence = &sequence
			_, key, _ = strings.Cut(key, "/")
		}
		if key != "" {
			c.StopId = &key
		}
		arrival, departure, both := strings.Cut(value, "-")
		switch {
		case value == "skipped":
			c.ScheduleRelationship = rt.TripUpdate_StopTimeUpdate_SKIPPED.Enum()
		case !both:
			departure = arrival
			fallthrough
		default:
			if arrival != "" {
				c.Arrival = &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(clock(t, arrival))}
			}
			if departure != "" {
				c.Departure = &rt.TripUpdate_StopTimeEvent{Time: proto.Int64(clock(t, departure))}
			}
		}
		u.StopTimeUpdate = append(u.StopTimeUpdate, c)
	}
	return u
}

func position(t testing.TB, line string) *rt.VehiclePosition {
	t.Helper()
	words := strings.Fields(line)
	v := &rt.VehiclePosition{Vehicle: &rt.VehicleDescriptor{Id: &words[0]}, Trip: descriptor(words[1])}
	for _, word := range words[2:] {
		var sequence uint32
		switch {
		case word == "stopped":
			v.CurrentStatus = rt.VehiclePosition_STOPPED_AT.Enum()
		case word[0] == '@':
			v.Timestamp = proto.Uint64(uint64(clock(t, word[1:])))
		case strings.HasPrefix(word, "stop="):
			v.StopId = proto.String(word[5:])
		default:
			if _, err := fmt.Sscan(word, &sequence); err != nil {
				t.Fatal(line, err)
			}
			v.CurrentStopSequence = &sequence
		}
	}
	return v
}

// watch observes messages and returns the observer.
func observeAll(t testing.TB, timetable Timetable, all []said) *Observer {
	t.Helper()
	o := New(Zone{time.UTC}, timetable)
	for _, s := range all {
		o.Observe(read(t, encode(t, s)))
	}
	return o
}

// visits returns what was seen in words: "T 10 s 8:02:00~15 8:02:10~5 bus1".
func visits(o *Observer) []string {
	var all []string
	for _, key := range slices.SortedFunc(maps.Keys(o.runs), func(a, b Key) int { return compareKeys(a, b, 0, 0) }) {
		r := o.runs[key]
		for i := range r.calls {
			c := &r.calls[i]
			if state := r.state(i); state == Unseen {
				continue
			} else if !state.IsVisit() {
				all = append(all, fmt.Sprintf("%s %d %c", r.Trip, c.sequence, state))
				continue
			}
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %d %c %s %s %s", r.Trip, c.sequence, c.seen,
				moment(c.arrived, c.arrivedWithin), moment(c.left, c.departWithin), c.vehicle)))
		}
	}
	return all
}

func moment(at int32, within int16) string {
	if at == None {
		return "-"
	}
	return fmt.Sprintf("%d:%02d:%02d~%d", at/3600, at/60%60, at%60, within)
}

func TestRules(t *testing.T) {
	t.Parallel()
	timetable := trips{"T": line("T", 8*3600, "ABCDEF"), "N": line("N", 9*3600, "FEDCBA"),
		"L": line("L", 8*3600, "ABCDA"), "H": line("H", 6*3600, "ABC"), "M": line("M", 86400-180, "ABCD")}
	timetable["H"].Headways = []Headway{{From: 6 * 3600, To: 10 * 3600, Every: 600, Exact: true}}
	for _, c := range []struct {
		name string
		all  []said
		want string // lines of visits
	}{
		{"a stop: the first report that it stopped, and the middle between stopped and gone", []said{
			{"8:01:30", []sighting{"bus T 10 @8:01:25"}},
			{"8:02:00", []sighting{"bus T 10 stopped @8:01:55"}},
			{"8:02:30", []sighting{"bus T 10 stopped @8:02:25"}},
			{"8:03:00", []sighting{"bus T 20 @8:02:50"}},
		}, "T 10 s 8:01:55~25 8:02:40~10 bus"},
		{"a feed that reports only changes keeps the time of arrival", []said{
			{"8:01:30", []sighting{"bus T 10 @8:00:10"}},
			{"8:02:00", []sighting{"bus T 10 stopped @8:01:40"}},
			{"8:02:30", []sighting{"bus T 10 stopped @8:01:40"}},
			{"8:03:00", []sighting{"bus T 10 stopped @8:01:40"}},
			{"8:03:30", []sighting{"bus T 20 @8:03:20"}},
		}, "T 10 s 8:01:40~10 8:03:10~10 bus"},
		{"an arrival is unknown if no message shows the vehicle elsewhere", []said{
			{"8:02:00", []sighting{"bus T 10 stopped @8:02:00"}},
			{"8:02:30", []sighting{"bus T 20 @8:02:30"}},
		}, "T 10 s - 8:02:15~15 bus"},
		{"nothing is inferred across a gap", []said{
			{"8:01:30", []sighting{"bus T 10 @8:01:30"}},
			{"8:03:01", []sighting{"bus T 20 @8:03:01"}},
			{"8:03:31", []sighting{"bus T 20 stopped @8:03:31"}},
			{"8:05:10", []sighting{"bus T 30 stopped @8:05:10"}},
		}, "T 20 s 8:03:31~30 - bus\nT 30 s - - bus"},
		{"a gap of a vehicle is a gap too", []said{
			{"8:01:00", []sighting{"bus T 10 @8:01:00"}},
			{"8:01:30", []sighting{"other N 1"}}, {"8:02:00", []sighting{"other N 1"}},
			{"8:02:31", []sighting{"bus T 20 @8:02:31"}},
		}, ""},
		{"passed stops share the middle; the trip has no other sequences", []said{
			{"8:01:00", []sighting{"bus T 10 @8:01:00"}},
			{"8:02:20", []sighting{"bus T 30 @8:02:20"}},
		}, "T 10 p 8:01:40~40 8:01:40~40 bus\nT 20 p 8:01:40~40 8:01:40~40 bus"},
		{"passed stops after a stop count from the last message that shows it", []said{
			{"8:01:00", []sighting{"bus T 10 @8:01:00"}},
			{"8:01:30", []sighting{"bus T 10 stopped @8:01:30"}},
			{"8:02:00", []sighting{"bus T 10 stopped @8:02:00"}},
			{"8:02:40", []sighting{"bus T 30 @8:02:40"}},
		}, "T 10 s 8:01:30~30 8:02:20~20 bus\nT 20 p 8:02:20~20 8:02:20~20 bus"},
		{"a skipped stop is not passed, but one at which a vehicle stops is visited", []said{
			{"8:01:00", []sighting{"T: 10=skipped 20=skipped 30=8:06", "bus T 10 @8:01:00"}},
			{"8:01:30", []sighting{"T: 10=skipped 20=skipped 30=8:06", "bus T 20 @8:01:30"}},
			{"8:02:00", []sighting{"T: 10=skipped 20=skipped 30=8:06", "bus T 20 stopped @8:02:00"}},
		}, "T 10 k\nT 20 s 8:02:00~30 - bus"},
		{"the first stop has a departure only, when the vehicle advances", []said{
			{"7:59:00", []sighting{"bus T 1 stopped @7:59:00"}},
			{"7:59:30", []sighting{"bus T 1 stopped @7:59:30"}},
			{"8:00:20", []sighting{"bus T 10 @8:00:20"}},
		}, "T 1 s - 7:59:55~25 bus"},
		{"a parked bus that then shows another trip has not left", []said{
			{"7:59:00", []sighting{"bus T 1 stopped @7:59:00"}},
			{"7:59:30", []sighting{"bus T 1 stopped @7:59:30"}},
			{"8:00:00", []sighting{"bus N 1 stopped @8:00:00"}},
		}, ""},
		{"a stuck vehicle that reappears stops later has not passed them", []said{
			{"8:01:00", []sighting{"bus T 10 @8:01:00"}}, {"8:01:30", []sighting{"bus T 10 @8:01:00"}},
			{"8:02:00", []sighting{"bus T 10 @8:01:00"}}, {"8:02:30", []sighting{"bus T 10 @8:01:00"}},
			{"8:03:00", []sighting{"bus T 30 @8:03:00"}},
		}, ""},
		{"a vehicle that was stuck at a stop has not passed the next ones", []said{
			{"8:01:00", []sighting{"bus T 10 @8:00:55"}}, {"8:01:30", []sighting{"bus T 10 stopped @8:01:30"}},
			{"8:02:00", []sighting{"bus T 10 stopped @8:01:30"}}, {"8:02:30", []sighting{"bus T 10 stopped @8:01:30"}},
			{"8:03:00", []sighting{"bus T 10 stopped @8:01:30"}}, {"8:03:30", []sighting{"bus T 10 stopped @8:01:30"}},
			{"8:04:00", []sighting{"bus T 50 @8:04:00"}},
		}, "T 10 s 8:01:30~30 - bus"},
		{"a report that goes back in time or sequence is dropped", []said{
			{"8:01:00", []sighting{"bus T 10 @8:01:00"}},
			{"8:01:30", []sighting{"bus T 20 @8:01:30"}},
			{"8:02:00", []sighting{"bus T 10 stopped @8:02:00"}},
			{"8:02:20", []sighting{"bus T 30 @8:01:20"}},
			{"8:02:30", []sighting{"bus T 20 stopped @8:02:30"}},
		}, "T 10 p 8:01:15~15 8:01:15~15 bus\nT 20 s 8:02:30~60 - bus"},
		{"a loop by stop_id: the first call is not the last", []said{
			{"8:00:00", []sighting{"bus L stop=A stopped @8:00:00"}},
			{"8:00:30", []sighting{"bus L stop=B @8:00:30"}},
			{"8:00:50", []sighting{"bus L stop=A @8:00:50"}},
			{"8:01:00", []sighting{"bus L stop=C @8:01:00"}},
			{"8:01:30", []sighting{"bus L stop=D @8:01:30"}},
			{"8:02:00", []sighting{"bus L stop=A @8:02:00"}},
			{"8:02:30", []sighting{"bus L stop=A stopped @8:02:30"}},
		}, "L 1 s - 8:00:15~15 bus\nL 10 p 8:00:45~15 8:00:45~15 bus\nL 20 p 8:01:15~15 8:01:15~15 bus\n" +
			"L 30 p 8:01:45~15 8:01:45~15 bus\nL 40 s 8:02:30~30 - bus"},
		{"a stop belongs to the first of two vehicles", []said{
			{"8:01:30", []sighting{"one T 10 @8:01:30", "two T 1 @8:01:30"}},
			{"8:02:00", []sighting{"one T 20 @8:02:00", "two T 10 @8:02:00"}},
			{"8:02:30", []sighting{"one T 20 @8:02:30", "two T 20 @8:02:30"}},
		}, "T 1 p - 8:01:45~15 two\nT 10 p 8:01:45~15 8:01:45~15 one"},
		{"a vehicle's clock that is minutes behind is not used", []said{
			{"8:01:00", []sighting{"bus T 10 @7:51:00"}},
			{"8:01:30", []sighting{"bus T 10 stopped @7:51:30"}},
			{"8:02:00", []sighting{"bus T 20 @7:52:00"}},
		}, "T 10 s 8:01:30~30 8:01:45~15 bus"},
		{"a vehicle's clock that is ahead is the header's", []said{
			{"8:01:00", []sighting{"bus T 10 @8:11:00"}},
			{"8:01:30", []sighting{"bus T 20 @8:11:30"}},
		}, "T 10 p 8:01:15~15 8:01:15~15 bus"},
		{"a placeholder is no trip", []said{
			{"8:01:00", []sighting{"bus ***** 10 @8:01:00"}}, {"8:01:30", []sighting{"bus ***** 20 @8:01:30"}},
		}, ""},
		{"the last prediction of a stop that the next message leaves out", []said{
			{"8:01:30", []sighting{"T: 10=8:02:10 20=8:04 30=8:06"}},
			{"8:02:00", []sighting{"T: 10=8:02:05 20=8:04 30=8:06"}},
			{"8:02:30", []sighting{"T: 20=8:04 30=8:06"}},
		}, "T 10 e 8:02:05~25 8:02:05~25"},
		{"a prediction is over in the next message, and never later than it", []said{
			{"8:02:00", []sighting{"T: 10=8:02:50 20=8:04 30=8:06"}},
			{"8:02:30", []sighting{"T: 10=8:02:10 20=8:04 30=8:06"}},
		}, "T 10 e 8:02:30~30 8:02:30~30"},
		{"arrival and departure come true one after the other", []said{
			{"8:01:30", []sighting{"T: 10=8:01:50-8:02:20 20=8:04"}},
			{"8:02:00", []sighting{"T: 10=8:01:50-8:02:25 20=8:04"}},
			{"8:02:30", []sighting{"T: 20=8:04"}},
		}, "T 10 e 8:01:50~20 8:02:25~25"},
		{"the trip vanishes after its last stop", []said{
			{"8:10:00", []sighting{"T: 50=8:10:20", "N: 1=9:00"}},
			{"8:10:30", []sighting{"N: 1=9:00"}},
		}, "T 50 e 8:10:20~20 8:10:20~20"},
		{"a prediction is no visit across a gap, far ahead, or if the trip is cancelled", []said{
			{"8:02:00", []sighting{"T: 10=8:02:20 20=8:04", "N: 1=8:04 10=9:02"}},
			{"8:03:31", []sighting{"T: 20=8:04", "N: 1=8:05:00 10=9:02"}},
			{"8:03:50", []sighting{"T: canceled", "N: 10=9:02"}},
		}, "N 1 e - 8:03:50~19\nT 1 c\nT 10 c\nT 20 c\nT 30 c\nT 40 c\nT 50 c"},
		{"a prediction does not turn round what a vehicle says", []said{
			{"8:02:00", []sighting{"T: 10=8:02:10 20=8:03:00 30=8:06", "bus T 10 @8:02:00"}},
			{"8:02:30", []sighting{"T: 30=8:06", "bus T 10 @8:02:30"}},
			{"8:03:00", []sighting{"T: 30=8:06", "bus T 20 @8:03:00"}},
		}, "T 10 p 8:02:45~15 8:02:45~15 bus"},
		{"what a vehicle says replaces a prediction", []said{
			{"8:02:00", []sighting{"T: 10=8:02:10 20=8:04", "bus T 10 @8:02:00"}},
			{"8:02:30", []sighting{"T: 20=8:04", "bus T 20 @8:02:30"}},
		}, "T 10 p 8:02:15~15 8:02:15~15 bus"},
		{"a trip that is cancelled later ran until then", []said{
			{"8:01:30", []sighting{"T: 10=8:02", "bus T 10 @8:01:30"}},
			{"8:02:00", []sighting{"T: 20=8:04", "bus T 20 @8:02:00"}},
			{"8:02:30", []sighting{"T: canceled"}},
		}, "T 10 p 8:01:45~15 8:01:45~15 bus\nT 20 c\nT 30 c\nT 40 c\nT 50 c"},
		{"an added trip has the stops of its updates", []said{
			{"8:01:30", []sighting{"X: added A=8:02:00 B=8:04 C=8:06", "bus X stop=A @8:01:30"}},
			{"8:02:00", []sighting{"X: added A=8:02:00 B=8:04 C=8:06", "bus X stop=A stopped @8:02:00"}},
			{"8:02:30", []sighting{"X: added B=8:04 C=8:06", "bus X stop=B @8:02:30"}},
		}, "X 1 s 8:02:00~30 8:02:15~15 bus"},
		{"a trip that the timetable does not have", []said{
			{"8:01:30", []sighting{"bus Y stop=A @8:01:30"}},
			{"8:02:00", []sighting{"bus Y stop=B @8:02:00"}},
		}, "Y 1 p 8:01:45~15 8:01:45~15 bus"},
		{"a trip that the timetable does not have, whose updates begin behind the stop of its vehicle", []said{
			{"8:01:30", []sighting{"Y: B=8:02 C=8:04 D=8:06", "bus Y stop=A stopped @8:01:30"}},
			{"8:02:00", []sighting{"Y: B=8:02 C=8:04 D=8:06", "bus Y stop=B stopped @8:02:00"}},
			{"8:02:30", []sighting{"Y: C=8:04 D=8:06", "bus Y stop=C @8:02:30"}},
		}, "Y 1 s - 8:01:45~15 bus\nY 2 s 8:02:00~30 8:02:15~15 bus"},
		{"the same, with numbers", []said{
			{"8:01:30", []sighting{"Y: 20/B=8:02 30/C=8:04", "bus Y 10 stop=A stopped @8:01:30"}},
			{"8:02:00", []sighting{"Y: 20/B=8:02 30/C=8:04", "bus Y 20 stop=B stopped @8:02:00"}},
		}, "Y 10 s - 8:01:45~15 bus\nY 20 s 8:02:00~30 - bus"},
		{"a repeated trip: start_time is part of the key", []said{
			{"7:01:30", []sighting{"one H+07.00.00 10 @7:01:30", "two H+06.50.00 20 @7:01:30"}},
			{"7:02:00", []sighting{"one H+07.00.00 20 @7:02:00", "two H+06.50.00 20 stopped @7:02:00"}},
		}, "H 20 s 7:02:00~30 - two\nH 10 p 7:01:45~15 7:01:45~15 one"},
		{"after midnight the service day is that of the trip", []said{
			{"24:00:30", []sighting{"bus M 20 @24:00:30"}},
			{"24:01:00", []sighting{"bus M 30 @24:01:00"}},
		}, "M 20 p 24:00:45~15 24:00:45~15 bus"},
		{"the same message again changes nothing", []said{
			{"8:01:00", []sighting{"bus T 10 @8:01:00"}}, {"8:01:30", []sighting{"bus T 20 @8:01:30"}},
			{"8:01:30", []sighting{"bus T 30 @8:01:30"}},
		}, "T 10 p 8:01:15~15 8:01:15~15 bus"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(visits(observeAll(t, timetable, c.all)), "\n"); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}
