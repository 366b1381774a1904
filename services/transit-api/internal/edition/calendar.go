package edition

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Service is a row of calendar.txt with its exceptions. Days are numbered from 1 January 1970.
type Service struct {
	ID       string `db:"service_id"`
	Weekdays string // '0' or '1' for each weekday, from Sunday
	FirstDay int
	LastDay  int
	Added    []int32 // added and removed days, ascending
	Removed  []int32
}

func (s *Service) Runs(day int) bool {
	if s == nil {
		return false
	}
	if _, ok := slices.BinarySearch(s.Added, int32(day)); ok {
		return true
	}
	if _, ok := slices.BinarySearch(s.Removed, int32(day)); ok {
		return false
	}
	weekday := Weekday(day)
	return day >= s.FirstDay && day <= s.LastDay && weekday < len(s.Weekdays) && s.Weekdays[weekday] == '1'
}

// Ranks are query arguments. They select the rows of a version with ranks in [Low, High).
type Ranks struct {
	VersionID replica.Version
	Low       int
	High      int
}

// Services that are only in calendar_dates.txt run on no weekday. A feed may have millions of
// exceptions, so each query reads few services, each with a list of four bytes per day.
var serviceRows = rest.SQL[Ranks, Service](`
	SELECT s.service_id, concat(s.sunday, s.monday, s.tuesday, s.wednesday, s.thursday, s.friday, s.saturday) AS weekdays,
	       coalesce(s.start_date - DATE '1970-01-01', 0) AS first_day,
	         coalesce(s.end_date - DATE '1970-01-01', -1) AS last_day,
	       d.added, d.removed
	FROM transit.service s
	CROSS JOIN LATERAL (
	  SELECT array_agg(date - DATE '1970-01-01' ORDER BY date) FILTER (WHERE exception_type = '1') AS added,
	         array_agg(date - DATE '1970-01-01' ORDER BY date) FILTER (WHERE exception_type <> '1') AS removed
	  FROM transit.service_date
	  WHERE version_id = @version_id AND service_id = s.service_id) AS d
	WHERE s.version_id = @version_id AND s.ord >= @low AND s.ord < @high`)

const servicesAtOnce = 500

// longest has the maximum times of trips and service days, in seconds.
type longest struct {
	Run       int // from the start of a trip to its last call
	LastStart int // latest start of trips
	LastEnd   int // latest end_time in frequencies.txt
}

var longestOf = rest.SQL[VersionKey, longest](`
	SELECT coalesce((SELECT max(greatest(departures[cardinality(departures)], arrivals[cardinality(arrivals)]))
	       FROM transit.profile WHERE version_id = @version_id), 0) AS run,
	       coalesce((SELECT max(start_time) FROM transit.trip WHERE version_id = @version_id), 0) AS last_start,
	       coalesce((SELECT max(end_time) FROM transit.frequency WHERE version_id = @version_id), 0) AS last_end`)

// DayLength returns the seconds from the start of a service day to its last call.
func (e *Edition) DayLength() int { return e.longest.Run + max(e.longest.LastStart, e.longest.LastEnd) }

func (e *Edition) readCalendar(ctx context.Context, b *budget) error {
	for low, rows := 0, 1; rows > 0; low += servicesAtOnce { // ends when a query returns no rows
		rows = 0
		err := serviceRows.Each(ctx, e.db, Ranks{e.version, low, low + servicesAtOnce}, func(s Service) error {
			rows++
			*e.service(s.ID) = s
			return b.spend(serviceBytes + len(s.ID) + dayBytes*(len(s.Added)+len(s.Removed)))
		})
		if err != nil {
			return err
		}
	}
	var err error
	e.longest, err = longestOf.One(ctx, e.db, VersionKey{e.version})
	if err != nil {
		return fmt.Errorf("find the length of a day: %w", err)
	}
	return nil
}

// A Day is a service day.
type Day struct {
	Number int
	Start  int64 // noon minus twelve hours, in Unix seconds
}

// Date returns the day as YYYYMMDD.
func (d Day) Date() string { return time.Unix(int64(d.Number)*86400, 0).UTC().Format("20060102") }

// At returns the instant that many seconds after the start of the day.
func (d Day) At(seconds int) time.Time { return time.Unix(d.Start+int64(seconds), 0) }

// DayOf returns a service day. GTFS counts from noon minus twelve hours, which is not midnight when
// the clock changes.
func DayOf(number int, zone *time.Location) Day {
	d := time.Unix(int64(number)*86400, 0).UTC()
	noon := time.Date(d.Year(), d.Month(), d.Day(), 12, 0, 0, 0, zone)
	return Day{number, noon.Unix() - 12*3600}
}

// DayNumber returns the number of the local day at an instant.
func DayNumber(at time.Time, zone *time.Location) int {
	y, m, d := at.In(zone).Date()
	return int(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

// ParseDay parses YYYYMMDD.
func ParseDay(text string) (number int, ok bool) {
	date, err := time.Parse("20060102", text)
	return int(date.Unix() / 86400), err == nil
}

func Weekday(day int) int { return ((day+4)%7 + 7) % 7 } // 1 January 1970 was a Thursday
