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
	// earliest and latest day of any service; latest < earliest: none.
	earliest, latest int32
}

func day(t time.Time) int32 { return int32(t.Unix() / 86400) }

func date(day int32) time.Time { return time.Unix(int64(day)*86400, 0).UTC() }

func (s *services) extend(day int32) {
	s.earliest, s.latest = min(s.earliest, day), max(s.latest, day)
}

// span returns the first and the last day of service, zero if there is none.
func (s *services) span() (first, last time.Time) {
	if s.latest < s.earliest {
		return first, last
	}
	return date(s.earliest), date(s.latest)
}

func (l *loader) readServices(ctx context.Context) error {
	s := &l.services
	s.earliest, s.latest = 1<<30, -1<<30
	x, err := l.open("calendar.txt")
	if err != nil {
		return err
	}
	x.ids = &s.ids
	id, start, end := x.def.Column("service_id"), x.def.Column("start_date"), x.def.Column("end_date")
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
		for _, i := range []int{start, end} {
			if d, ok := gtfs.ParseDate(x.raw(i)); ok {
				s.extend(day(d))
			}
		}
	}
	if err := x.close(); err != nil {
		return err
	}
	s.regular = s.ids.Len()
	if err := l.readServiceDates(ctx); err != nil {
		return err
	}
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
	kind := x.def.Column("exception_type")
	for x.next(ctx) {
		key, d, ok := exception(x, x.cell)
		if !ok {
			x.note(gtfs.KeyMissing, -1, nil)
			continue
		}
		added := x.quiet(kind)[0] == '1'
		if added {
			s.extend(d)
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
