package check

import (
	"bytes"
	"strconv"
	"time"

	"github.com/townline/townline/pkg/gtfs"
)

// services are numbered as the import numbers them: those of calendar.txt, then those of calendar_dates.txt alone.
type services struct {
	line []int32 // of those in calendar.txt
}

// Days from today.
const (
	week  = 7
	month = 30
	far   = 2*365 + 1
	gap   = 14
)

func (t *table) calendar() Row {
	start, end := t.def.Column("start_date"), t.def.Column("end_date")
	return func(line int, cells [][]byte) {
		t.c.services.line = append(t.c.services.line, int32(line))
		t.order(line, cells, start, end)
	}
}

// order judges two days, which are written so that they compare as texts.
func (t *table) order(line int, cells [][]byte, start, end int) {
	if len(cells[start]) > 0 && len(cells[end]) > 0 && bytes.Compare(cells[start], cells[end]) > 0 {
		t.report(gtfs.RangeReversed, line, end, cells[end])
	}
}

func (t *table) feedInfo() Row {
	def := t.def
	start, end, lang := def.Column("feed_start_date"), def.Column("feed_end_date"), def.Column("feed_lang")
	mail, url, version := def.Column("feed_contact_email"), def.Column("feed_contact_url"), def.Column("feed_version")
	rows := 0
	return func(line int, cells [][]byte) {
		if rows++; rows > 1 {
			t.report(gtfs.MoreThanOneRow, line, -1, nil)
			return
		}
		t.order(line, cells, start, end)
		from, hasStart := gtfs.ParseDate(cells[start])
		to, hasEnd := gtfs.ParseDate(cells[end])
		switch {
		case hasStart && !hasEnd:
			t.report(gtfs.FeedDateMissing, line, end, nil)
		case hasEnd && !hasStart:
			t.report(gtfs.FeedDateMissing, line, start, nil)
		}
		switch {
		case !hasEnd:
		case dayOf(to) < t.c.today+week:
			t.report(gtfs.FeedEnds7, line, end, cells[end])
		case dayOf(to) < t.c.today+month:
			t.report(gtfs.FeedEnds30, line, end, cells[end])
		}
		if hasStart && dayOf(from) > t.c.today {
			t.report(gtfs.FeedFuture, line, start, cells[start])
		}
		if len(cells[mail]) == 0 && len(cells[url]) == 0 {
			t.report(gtfs.FeedContactMissing, line, -1, nil)
		}
		if len(cells[version]) == 0 {
			t.report(gtfs.FieldWanted, line, version, nil)
		}
		if own := t.c.agencies.lang; len(own) > 0 && len(cells[lang]) > 0 && !bytes.EqualFold(cells[lang], []byte("mul")) && !sameLanguage(own, cells[lang]) {
			t.report(gtfs.FeedLanguageDiffers, line, lang, cells[lang])
		}
	}
}

// sameLanguage compares language codes without their regions.
func sameLanguage(a, b []byte) bool {
	a, _, _ = bytes.Cut(a, []byte{'-'})
	b, _, _ = bytes.Cut(b, []byte{'-'})
	return bytes.EqualFold(a, b)
}

// A Service is when a service runs: from First to Last as days since 1970, with single days added or not; Last is before First for one that never
// runs.
type Service struct {
	ID          []byte
	First, Last int32
	HasTrips    bool
}

// Over reports whether a service that ends on a day is over.
func (c *Checks) Over(last int32) bool { return last < c.today }

// Service judges service n. over says that all services are over, which is reported once for the feed.
func (c *Checks) Service(n int, s Service, over bool) {
	f := gtfs.Finding{File: "calendar_dates.txt", Field: "service_id", Value: s.ID}
	if n < len(c.services.line) {
		f.File, f.Line = "calendar.txt", int(c.services.line[n])
	}
	report := func(code gtfs.Code) { f.Code = code; c.note(f) }
	switch {
	case s.Last < s.First:
		report(gtfs.ServiceNoDays)
	case s.Last < c.today && !over:
		report(gtfs.ServiceExpired)
	case s.Last > c.today+far:
		report(gtfs.ServiceFar)
	}
	if !s.HasTrips {
		report(gtfs.ServiceUnused)
	}
}

// Days are those from First to Last.
type Days struct{ First, Last time.Time }

// Running judges the days on which anything runs, in order. file is where they are said.
func (c *Checks) Running(file string, days []Days) {
	report := func(code gtfs.Code, value string) { c.note(gtfs.Finding{Code: code, File: file, Value: []byte(value)}) }
	if len(days) == 0 {
		report(gtfs.ServiceNotNow, "")
		return
	}
	first, last := dayOf(days[0].First), dayOf(days[len(days)-1].Last)
	now := false
	for i, d := range days {
		now = now || dayOf(d.First) < c.today+week && dayOf(d.Last) >= c.today
		if i == 0 {
			continue
		}
		from, to := dayOf(days[i-1].Last)+1, dayOf(d.First)-1
		if n := to - from + 1; n >= gap && to >= c.today {
			report(gtfs.ServiceGap, dateOf(from)+"–"+dateOf(to)+", "+strconv.Itoa(int(n))+" d")
		}
	}
	switch {
	case first > c.today:
		report(gtfs.ServiceAllFuture, dateOf(first))
	case !now:
		report(gtfs.ServiceNotNow, dateOf(last))
	case last < c.today+month:
		report(gtfs.ServiceEndsSoon, dateOf(last))
	}
}
