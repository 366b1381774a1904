package agency

import (
	"hash/fnv"
	"math"
	"sort"
	"strconv"
	"time"
)

// journey is a trip on a day, with its delay.
type journey struct {
	*trip
	// date is the service day, and midnight the origin of its times.
	date     string
	midnight time.Time
	// offset is the time from the trip's start to this run of a frequency trip, in seconds; 0 for
	// other trips.
	offset int
	bus    string
	// late is the delay at the last stop, in seconds.
	late      int
	cancelled bool
	occupancy uint64
}

func (j *journey) scheduled(i int) (arrive, depart time.Time) {
	start := j.midnight.Add(time.Duration(j.start+j.offset) * time.Second)
	c := j.calls[i]
	return start.Add(time.Duration(c.arrive) * time.Second), start.Add(time.Duration(c.depart) * time.Second)
}

// delay returns the delay at call i in seconds. It grows along the trip, so predictions stay in
// order.
func (j *journey) delay(i int) int {
	share := j.calls[i].along / j.calls[len(j.calls)-1].along
	return int(math.Round(float64(j.late) * (0.25 + 0.75*share)))
}

func (j *journey) predicted(i int) (arrive, depart time.Time) {
	arrive, depart = j.scheduled(i)
	d := time.Duration(j.delay(i)) * time.Second
	return arrive.Add(d), depart.Add(d)
}

// next returns the first call that the bus has not left at an instant, or len(calls).
func (j *journey) next(at time.Time) int {
	return sort.Search(len(j.calls), func(i int) bool {
		_, leaves := j.predicted(i)
		return leaves.After(at)
	})
}

// progress returns the distance driven at an instant in kilometres, and the speed in metres per
// second.
func (j *journey) progress(at time.Time) (along, speed float64) {
	i := j.next(at)
	if i == len(j.calls) {
		return j.calls[i-1].along, 0
	}
	arrive, _ := j.predicted(i)
	if i == 0 || !at.Before(arrive) {
		return j.calls[i].along, 0
	}
	_, left := j.predicted(i - 1)
	way := j.calls[i].along - j.calls[i-1].along
	took := arrive.Sub(left).Seconds()
	return j.calls[i-1].along + way*at.Sub(left).Seconds()/took, way * 1000 / took
}

// where returns the point at a distance along the trip's shape in kilometres, and the bearing in
// degrees.
func (t *trip) where(along float64) (at point, bearing float64) {
	i := sort.Search(len(t.line), func(i int) bool { return t.line[i].along > along })
	i = min(max(i, 1), len(t.line)-1)
	a, b := t.line[i-1], t.line[i]
	share := 0.0
	if b.along > a.along {
		share = min((along-a.along)/(b.along-a.along), 1)
	}
	bearing = math.Mod(math.Atan2((b.lon-a.lon)*math.Cos(a.lat*math.Pi/180), b.lat-a.lat)*180/math.Pi+360, 360)
	return point{a.lat + (b.lat-a.lat)*share, a.lon + (b.lon-a.lon)*share, along}, bearing
}

// A trip has predictions for the time ahead before its first departure, and its bus reports
// positions for the time layover before it.
const (
	ahead   = 45 * time.Minute
	layover = 3 * time.Minute
)

// journeys returns the trips of today's and yesterday's service that are under way at an instant or
// start soon, in timetable order.
func (a *Agency) journeys(at time.Time) []*journey {
	var out []*journey
	local := at.In(a.zone)
	for _, back := range []int{-1, 0} {
		day := time.Date(local.Year(), local.Month(), local.Day()+back, 0, 0, 0, 0, time.UTC)
		// GTFS counts from noon minus twelve hours, which is not midnight on the two days when the
		// clock changes.
		midnight := time.Date(day.Year(), day.Month(), day.Day(), 12, 0, 0, 0, a.zone).Add(-12 * time.Hour)
		for _, tr := range a.trips {
			if !a.runs(tr.service, day) {
				continue
			}
			for offset := 0; offset == 0 || tr.start+offset < tr.until; offset += tr.every {
				j := newJourney(tr, day, midnight, offset)
				first, _ := j.scheduled(0)
				end, _ := j.predicted(len(j.calls) - 1)
				if first.Before(at.Add(ahead)) && end.After(at) {
					out = append(out, j)
				}
				if tr.every == 0 {
					break
				}
			}
		}
	}
	return out
}

// newJourney returns a trip on a day. Delay, cancellation and occupancy depend only on trip and
// day.
func newJourney(tr *trip, day, midnight time.Time, offset int) *journey {
	j := &journey{trip: tr, date: day8(day), midnight: midnight, offset: offset}
	luck := draw(tr.id, j.date, strconv.Itoa(offset))
	spread := int(luck >> 8 & 0xff)
	switch luck % 20 {
	case 0, 1:
		j.late = -10 - spread/5 // early, by at most a minute
	case 2, 3, 4, 5, 6:
		j.late = 150 + spread
	case 7:
		j.late = 420 + 2*spread
	default:
		j.late = spread / 2
	}
	j.cancelled = tr.doomed || tr.every == 0 && luck>>16%67 == 0
	j.occupancy = luck >> 32 % 5
	j.bus = strconv.Itoa(tr.bus)
	if tr.every > 0 {
		j.bus = strconv.Itoa(tr.bus + offset/tr.every)
	}
	return j
}

// draw returns a pseudo-random number: a hash of the words.
func draw(words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write([]byte{0})
		h.Write([]byte(w))
	}
	x := h.Sum64() // FNV mixes its last bytes badly; the finaliser of splitmix64 spreads them
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
