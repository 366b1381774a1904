package main

import (
	"context"
	"fmt"
	"time"
)

// imported waits until all requested imports are done. Do not request more imports meanwhile.
func (s *scene) imported(ctx context.Context) error {
	return until(ctx, 75*time.Second, "all imports done", func(ctx context.Context) (bool, error) {
		_, transit, err := s.state(ctx)
		return transit >= s.imports.Load()+1, err // plus the first import, which the schedule started
	})
}

// account compares requested with completed work.
func (s *scene) account(ctx context.Context) {
	r := s.readers
	s.p.figure("reads in all, and of them answered 304", "%d, %d", r.reads.Load(), r.unchanged.Load())
	s.p.figure("slowest read while Postgres was there", "%s", time.Duration(r.slowest.Load()).Round(time.Millisecond))
	council, transit, err := s.state(ctx)
	if err != nil {
		s.p.violated("%v", err)
		return
	}
	if want := s.imports.Load() + 1; transit != want {
		s.p.violated("%d imports were asked for and %d done", want, transit)
	}
	s.p.figure("imports asked for, and done", "%d, %d", s.imports.Load()+1, transit)
	fetched := len(s.towns[0].times("/gtfs.zip")) + len(s.towns[1].times("/gtfs.zip"))
	s.p.figure("feeds fetched for them (an import that was killed fetches again)", "%d", fetched)
	if int64(fetched) > transit+8 {
		s.p.violated("%d fetches for %d imports", fetched, transit)
	}
	// An ingest that changes anything also labels its items and writes votes.csv. If it is stopped,
	// another one does the rest. The offices of members are stored when their body is first known.
	var meetings, runs, offices int64
	if err := s.db.query(ctx, `SELECT count(*) FROM council.meeting`, &meetings); err != nil {
		s.p.violated("%v", err)
	}
	if err := s.db.query(ctx, `SELECT count(DISTINCT run_id) FROM council.change`, &runs); err != nil {
		s.p.violated("%v", err)
	}
	if err := s.db.query(ctx, `SELECT count(DISTINCT body_id) FROM council.member_office`, &offices); err != nil {
		s.p.violated("%v", err)
	}
	if council > meetings+2*runs+offices {
		s.p.violated("the council's generation moved %d times for %d meetings in %d ingests", council, meetings, runs)
	}
	s.p.figure("meetings, ingests of them, and moves of the council's generation", "%d, %d, %d", meetings, runs, council)
	page := len(s.towns[0].times(fmt.Sprintf("/Citizens/Detail_Meeting.aspx?ID=%d", s.meeting)))
	s.p.figure("ingests of a meeting asked for, and fetches of its page", "%d, %d", s.ingests.Load(), page-1)
	if n := int64(page - 1); n < s.ingests.Load() || n > s.ingests.Load()+4 {
		s.p.violated("%d ingests of a meeting were asked for, its page was fetched %d times", s.ingests.Load(), n)
	}
	s.polls(ctx)
}

// polls checks that the pollers kept min_interval, across all replicas and crashes.
func (s *scene) polls(ctx context.Context) {
	for _, path := range []string{"/rt/tripupdates.pb", "/rt/vehicles.pb", "/rt/alerts.pb"} {
		times := s.towns[0].times(path)
		closest := time.Hour
		for i := 1; i < len(times); i++ {
			closest = min(closest, times[i].Sub(times[i-1]))
		}
		if closest < minInterval-50*time.Millisecond {
			s.p.violated("%s was polled twice within %s; min_interval is %s", path, closest, minInterval)
		}
		s.p.figure("polls of "+path+", and the closest two", "%d, %s", len(times), closest.Round(time.Millisecond))
	}
	var polls int64
	if err := s.db.query(ctx, `SELECT sum(polls) FROM transit.source`, &polls); err != nil {
		s.p.violated("%v", err)
	}
	s.p.figure("polls claimed in the tables", "%d", polls)
	var wrong *string
	if err := s.db.query(ctx, `SELECT string_agg(source || ': ' || error, '; ') FROM transit.source`, &wrong); err != nil {
		s.p.violated("%v", err)
	} else if wrong != nil {
		s.p.violated("sources that are not well: %s", *wrong)
	}
}
