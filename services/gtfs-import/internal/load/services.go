package load

import (
	"context"
	"time"

	"github.com/townline/townline/pkg/gtfs"
	"github.com/townline/townline/services/gtfs-import/internal/copier"
	"github.com/townline/townline/services/gtfs-import/internal/interned"
)

// services are those of calendar.txt, and after them those that only
// calendar_dates.txt knows.
type services struct {
	ids      interned.Table
	regular  int // how many of them are in calendar.txt
	accepted bits
	// first and last are the days, since 1970, of the exceptions of a service that is
	// not in calendar.txt, by its number less regular.
	first, last []int32
	weeks       []week // by service, for those in calendar.txt
	hasTrips    []bool // by service
	running     *running
}

func day(t time.Time) int32 { return int32(t.Unix() / 86400) }

func date(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

// week of a service; one that is not in calendar.txt has none.
func (s *services) week(n int32) week {
	if int(n) < len(s.weeks) {
		return s.weeks[n]
	}
	return week{last: -1}
}

func (l *loader) readServices(ctx context.Context) error {
	s := &l.services
	x, err := l.open("calendar.txt")
	if err != nil {
		return err
	}
	x.ids = &s.ids
	id, start, end := x.def.Column("service_id"), x.def.Column("start_date"), x.def.Column("end_date")
	monday := x.def.Column("monday") // the other days follow it
	for x.next(ctx) {
		key := x.cell(id)
		if len(key) == 0 {
			x.note(gtfs.KeyMissing, id, nil)
			continue
		}
		if _, added := s.ids.Add(key); !added {
			x.note(gtfs.KeyDuplicate, id, key)
			continue
		}
		s.accepted.set(x.n)
		x.stats.Kept++
		w := week{last: -1}
		from, ok1 := gtfs.ParseDate(x.raw(start))
		to, ok2 := gtfs.ParseDate(x.raw(end))
		if ok1 && ok2 {
			w.first, w.last = day(from), day(to)
		}
		for i := range 7 {
			if c := x.quiet(monday + i); len(c) > 0 && c[0] == '1' {
				w.days |= 1 << i
			}
		}
		s.weeks = append(s.weeks, w)
	}
	if err := x.close(); err != nil {
		return err
	}
	s.regular = s.ids.Len()
	if err := l.readServiceDates(ctx); err != nil {
		return err
	}
	s.hasTrips = make([]bool, s.ids.Len())
	if s.ids.Len() == 0 {
		if !l.feed.Has("calendar.txt") && !l.feed.Has("calendar_dates.txt") {
			return &Refusal{"it has no usable service: there is neither calendar.txt nor calendar_dates.txt"}
		}
		return &Refusal{"it has no usable service: no row of calendar.txt or calendar_dates.txt can be used"}
	}
	return nil
}

// exception reads the cells of a row of calendar_dates.txt that make its key.
func exception(x *rows, cell func(int) []byte) (service []byte, day1 int32, ok bool) {
	service = cell(x.def.Column("service_id"))
	d, good := gtfs.ParseDate(cell(x.def.Column("date")))
	kind := cell(x.def.Column("exception_type"))
	return service, day(d), len(service) > 0 && good && len(kind) > 0
}

func (l *loader) readServiceDates(ctx context.Context) error {
	s := &l.services
	x, err := l.open("calendar_dates.txt")
	if err != nil {
		return err
	}
	x.ids = &s.ids
	for x.next(ctx) {
		key, d, ok := exception(x, x.cell)
		if !ok {
			x.note(gtfs.KeyMissing, -1, nil)
			continue
		}
		n, fresh := s.ids.Add(key)
		if fresh {
			s.first, s.last = append(s.first, d), append(s.last, d)
		}
		if i := int(n) - s.regular; i >= 0 {
			s.first[i], s.last[i] = min(s.first[i], d), max(s.last[i], d)
		}
	}
	return x.close()
}

func (l *loader) copyServices(ctx context.Context) error {
	s := &l.services
	x, err := l.reopen("calendar.txt")
	if err != nil {
		return err
	}
	_, err = l.stage.Copy(ctx, "service", `ord, in_calendar, service_id, monday, tuesday, wednesday, thursday, friday, saturday, sunday,
		start_date, end_date`, func(w *copier.Writer) error {
		ord := int32(0)
		head := func(regular bool) {
			w.Int(int(l.stage.Version))
			w.Int(int(ord))
			w.Bool(regular)
			w.Text(s.ids.Get(ord))
			ord++
		}
		for x.next(ctx) {
			if !s.accepted.has(x.n) {
				continue
			}
			head(true)
			for i := 1; i < len(x.def.Columns); i++ {
				c := x.cell(i)
				if len(c) == 0 && x.def.Columns[i].Kind == gtfs.Binary {
					c = []byte{'0'}
				}
				w.Text(c)
			}
			if err := w.End(); err != nil {
				return err
			}
		}
		for i := range s.first {
			head(false)
			for range 7 {
				w.String("0")
			}
			w.String(date(s.first[i]).Format("20060102"))
			w.String(date(s.last[i]).Format("20060102"))
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	_ = x.close()
	if err != nil {
		return err
	}
	return l.copyServiceDates(ctx)
}

func (l *loader) copyServiceDates(ctx context.Context) error {
	s := &l.services
	x, err := l.reopen("calendar_dates.txt")
	if err != nil {
		return err
	}
	s.running = newRunning()
	for n, w := range s.weeks {
		if s.hasTrips[n] {
			s.running.add(w)
		}
	}
	kind := x.def.Column("exception_type")
	seen := map[uint64]struct{}{}
	_, err = l.stage.Copy(ctx, "service_date", "ord, service_id, date, exception_type", func(w *copier.Writer) error {
		for x.next(ctx) {
			key, d, ok := exception(x, x.quiet)
			if !ok {
				continue
			}
			n := s.ids.Find(key)
			k := uint64(n)<<32 | uint64(uint32(d))
			if _, twice := seen[k]; twice {
				x.note(gtfs.KeyDuplicate, -1, key)
				continue
			}
			seen[k] = struct{}{}
			if s.hasTrips[n] {
				s.running.except(s.week(n), d, x.quiet(kind)[0] == '1')
			}
			w.Int(int(l.stage.Version))
			w.Int(len(seen) - 1)
			w.Text(key)
			w.String(date(d).Format("20060102"))
			w.Text(x.quiet(kind))
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	x.stats.Kept = int64(len(seen))
	_ = x.close()
	return err
}

func (l *loader) copyFeedInfo(ctx context.Context) error {
	x, err := l.open("feed_info.txt")
	if err != nil {
		return err
	}
	_, err = l.stage.Copy(ctx, "feed_info", `ord, feed_publisher_name, feed_publisher_url, feed_lang, default_lang, feed_start_date,
		feed_end_date, feed_version, feed_contact_email, feed_contact_url`, func(w *copier.Writer) error {
		for x.next(ctx) {
			w.Int(int(l.stage.Version))
			w.Int(int(x.stats.Kept))
			for i := range x.def.Columns {
				w.Text(x.cell(i))
			}
			x.stats.Kept++
			if err := w.End(); err != nil {
				return err
			}
		}
		return x.err
	})
	_ = x.close()
	return err
}
