package load

import (
	"cmp"
	"context"
	"slices"

	"github.com/townline/townline/pkg/compact"
	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/pkg/gtfs/check"
	"github.com/townline/townline/services/gtfs-import/internal/stage"
)

// services has the services of calendar.txt, followed by those that exist only in
// calendar_dates.txt.
type services struct {
	entities
	regular int // number of services in calendar.txt
	// exceptions has the first and last day of each service that exists only in calendar_dates.txt.
	// The index is the service's number - regular.
	exceptions []check.Days
	added      []check.Days // by service: first and last added day
	weeks      []week       // by service, for services in calendar.txt
	hasTrips   []bool       // by service
	// The cells of calendar.txt.
	weekdays, dates tally
	changes         []serviceChange
	calendar        *calendar
}

// A serviceChange is a row of calendar_dates.txt. The changes are kept only if trips form blocks.
type serviceChange struct {
	service, day int32
	added        bool
}

// daysOf returns the days of a service. The changes must be ordered by service.
func (s *services) daysOf(n int32) (days compact.Set) {
	w := s.week(n)
	for day := max(w.first, 0); day <= min(w.last, lastDay); day++ {
		if w.runs(day) {
			days.Add(int(day))
		}
	}
	i, _ := slices.BinarySearchFunc(s.changes, n, func(c serviceChange,
		n int32) int {
		return cmp.Compare(c.service, n)
	})
	for ; i < len(s.changes) && s.changes[i].service == n; i++ {
		c := s.changes[i]
		switch {
		case c.added:
			days.Add(int(c.day))
		case days.Has(int(c.day)):
			days.Remove(int(c.day))
		}
	}
	if days == nil {
		days = compact.Set{}
	}
	return days
}

// week returns the calendar.txt row of a service; an empty week if there is none.
func (s *services) week(n int32) week {
	if int(n) < len(s.weeks) {
		return s.weeks[n]
	}
	return week{last: -1}
}

func (l *loader) readServices(ctx context.Context) error {
	s := &l.services
	err := l.readEntities(ctx, "calendar.txt", &s.entities, func(x *rows, _ int32) bool {
		w := week{last: -1}
		s.countDays(x)
		from, ok1 := gtfs.ParseDate(x.raw(x.def.Column("start_date")))
		to, ok2 := gtfs.ParseDate(x.raw(x.def.Column("end_date")))
		if ok1 && ok2 {
			w.first, w.last = check.Day(from), check.Day(to)
		}
		monday := x.def.Column("monday") // the other weekdays follow it
		for i := range 7 {
			if string(x.raw(monday+i)) == "1" {
				w.days |= 1 << i
			}
		}
		s.weeks = append(s.weeks, w)
		return true
	})
	if err != nil {
		return err
	}
	s.regular = s.ids.Len()
	if err := l.readServiceDates(ctx); err != nil {
		return err
	}
	s.hasTrips, s.added = make([]bool, s.ids.Len()), slices.Repeat([]check.Days{check.NoDays}, s.ids.Len())
	if s.ids.Len() == 0 {
		if !l.feed.Has("calendar.txt") && !l.feed.Has("calendar_dates.txt") {
			l.note("missing_calendar_and_calendar_date_files", "calendar.txt", 0, "", nil)
			return &Refusal{"it has no usable service: there is neither calendar.txt nor calendar_dates.txt"}
		}
		return &Refusal{"it has no usable service: no row of calendar.txt or calendar_dates.txt can be used"}
	}
	return nil
}

// countDays counts the weekdays and dates of a row.
func (s *services) countDays(x *rows) {
	for i, c := range x.def.Columns {
		cell := x.raw(i)
		switch {
		case len(cell) == 0:
		case c.Type == gtfs.Binary:
			s.weekdays.add(c.OK(cell), cell)
		case c.Type == gtfs.Date:
			s.dates.add(c.OK(cell), cell)
		}
	}
}

func (l *loader) readServiceDates(ctx context.Context) error {
	s := &l.services
	x, err := l.openPlain("calendar_dates.txt")
	if err != nil {
		return err
	}
	x.ids = &s.ids
	for x.next(ctx) {
		if !x.hasNeeded() {
			continue
		}
		n, added := s.ids.Add(x.cells[0])
		if added {
			s.exceptions = append(s.exceptions, check.NoDays)
		}
		if i := int(n) - s.regular; i >= 0 {
			s.exceptions[i] = s.exceptions[i].Including(x.day())
		}
	}
	return x.end()
}

// day returns the date in the current row of calendar_dates.txt.
func (x *plainRows) day() int32 {
	d, _ := gtfs.ParseDate(x.cells[x.def.Column("date")])
	return check.Day(d)
}

func (l *loader) acceptServiceDate(x *plainRows) bool {
	s := &l.services
	n := s.ids.Find(x.cells[0])
	d := x.day()
	added := string(x.cells[2]) == "1"
	if added {
		s.added[n] = s.added[n].Including(d)
	}
	if len(l.trips.blocks) > 0 && d >= 0 && d <= lastDay {
		s.changes = append(s.changes, serviceChange{n, d, added})
	}
	if s.hasTrips[n] {
		s.calendar.except(s.week(n), d, added)
	}
	return true
}

func (l *loader) copyServices(ctx context.Context) error {
	s := &l.services
	s.calendar = &calendar{}
	for n, w := range s.weeks {
		if s.hasTrips[n] {
			s.calendar.add(w)
		}
	}
	zero := []byte{'0'}
	return l.copyEntities(ctx, "calendar.txt", &s.entities, rowFormat{
		before: "ord, in_calendar",
		head: func(w *stage.Writer, n int32) {
			w.Int(int(n))
			w.Bool(int(n) < s.regular)
		},
		cell: func(x *rows, i int, _ int32) []byte {
			c := x.cell(i)
			if len(c) == 0 && x.def.Columns[i].Type == gtfs.Binary {
				return zero
			}
			return c
		},
		derived: func(n int32) [][]byte {
			text := func(day int32) []byte { return check.Date(day).AppendFormat(nil, "20060102") }
			days := s.exceptions[int(n)-s.regular]
			return [][]byte{s.ids.Get(n), zero, zero, zero, zero, zero, zero, zero, text(days.First), text(days.Last)}
		},
	})
}
