package edition

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/townline/townline/pkg/rest"
	"github.com/townline/townline/services/transit-api/internal/replica"
)

// A Service is a row of calendar.txt with its exceptions. A service that is only in
// calendar_dates.txt has no weekdays. Days are numbered from 1 January 1970.
type Service struct {
	ServiceID string `json:"service_id"`
	Monday    Digit  `json:"monday" doc:"1 if the service runs on this weekday, else 0."`
	Tuesday   Digit  `json:"tuesday"`
	Wednesday Digit  `json:"wednesday"`
	Thursday  Digit  `json:"thursday"`
	Friday    Digit  `json:"friday"`
	Saturday  Digit  `json:"saturday"`
	Sunday    Digit  `json:"sunday"`

	Rank     int32   `json:"-" db:"ord"`
	FirstDay int32   `json:"-"`
	LastDay  int32   `json:"-"`        // before FirstDay if the service has no day
	Added    []int32 `json:"-" db:"-"` // added and removed days, ascending
	Removed  []int32 `json:"-" db:"-"`
}

// Week returns for each weekday, from Sunday, whether the service runs.
func (s *Service) Week() (runs [7]bool) {
	for i, day := range [...]Digit{s.Sunday, s.Monday, s.Tuesday, s.Wednesday, s.Thursday, s.Friday, s.Saturday} {
		runs[i] = day == '1'
	}
	return runs
}

// Runs reports whether the service runs on a day. The nil Service does not run.
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
	return day >= int(s.FirstDay) && day <= int(s.LastDay) && s.Week()[Weekday(day)]
}

// Exceptions yields the days of the service's exceptions in order, and whether they are added.
func (s *Service) Exceptions() iter.Seq2[int32, bool] {
	return func(yield func(int32, bool) bool) {
		added, removed := s.Added, s.Removed
		for len(added)+len(removed) > 0 {
			from := &removed
			if len(removed) == 0 || len(added) > 0 && added[0] < removed[0] {
				from = &added
			}
			day := (*from)[0]
			*from = (*from)[1:]
			if !yield(day, from == &added) {
				return
			}
		}
	}
}

// DateOf returns midnight of a day in UTC.
func DateOf(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

// Service returns the service with a service_id; nil if there is none.
func (e *Edition) Service(id string) *Service {
	if e == nil {
		return nil
	}
	return e.services[id]
}

// Ranks are query arguments. They select the rows of a version with ranks in [Low, High).
type Ranks struct {
	VersionID replica.Version
	Low       int
	High      int
}

var serviceRows = rest.SQL[VersionKey, Service](`
	SELECT service_id, ascii(monday) AS monday, ascii(tuesday) AS tuesday, ascii(wednesday) AS wednesday,
	       ascii(thursday) AS thursday, ascii(friday) AS friday, ascii(saturday) AS saturday, ascii(sunday) AS sunday,
	       ord, coalesce(start_date - DATE '1970-01-01', 0) AS first_day,
	       coalesce(end_date - DATE '1970-01-01', -1) AS last_day
	FROM transit.service
	WHERE version_id = @version_id
	ORDER BY ord`)

type serviceDates struct {
	ServiceID string
	Added     []int32
	Removed   []int32
}

// A feed may have millions of exceptions, so each query reads few services, each with a list of four
// bytes per day.
var serviceDateRows = rest.SQL[Ranks, serviceDates](`
	SELECT s.service_id, d.added, d.removed
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

func (e *Edition) readServices(ctx context.Context, b *budget) error {
	return serviceRows.Each(ctx, e.db, VersionKey{e.version}, func(row Service) error {
		s := e.service(row.ServiceID)
		*s = row
		e.Services = append(e.Services, s)
		return b.spend(serviceBytes + len(s.ServiceID))
	})
}

// readCalendar reads the exceptions of the services.
func (e *Edition) readCalendar(ctx context.Context, b *budget) error {
	for low, rows := 0, 1; rows > 0; low += servicesAtOnce { // ends when a query returns no rows
		rows = 0
		err := serviceDateRows.Each(ctx, e.db, Ranks{e.version, low, low + servicesAtOnce}, func(dates serviceDates) error {
			rows++
			s := e.service(dates.ServiceID)
			s.Added, s.Removed = dates.Added, dates.Removed
			return b.spend(dayBytes * (len(s.Added) + len(s.Removed)))
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
