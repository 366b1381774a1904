package rtpoller

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/townline/townline/pkg/conf"
	"github.com/townline/townline/pkg/pgtest"
)

// A Retry-After of a day pauses polls for a quarter of an hour. Operators can read the reason, and
// end the pause.
func TestRetryAfterOfADayIsCapped(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	url := listen(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "86400")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	p := replica(t, pool, url, time.Second)
	poll(t, p)
	all, err := ListPauses(t.Context(), pool)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	s := all[0]
	if s.For < 14*time.Minute || s.For > 15*time.Minute || s.Until == nil || s.Failures != 1 || s.Ahead ||
		s.Error == nil || !strings.Contains(*s.Error, "429") || !strings.Contains(*s.Error, "24h0m0s") {
		t.Errorf("%+v", s)
	}
	if cleared, err := Clear(t.Context(), pool, "demo", "alerts/0"); err != nil || len(cleared) != 0 {
		t.Errorf("clear of alerts/0: %v, %v", cleared, err)
	}
	if cleared, err := Clear(t.Context(), pool, "demo", ""); err != nil || fmt.Sprint(cleared) != "[trip_updates/0]" {
		t.Errorf("clear of all sources: %v, %v", cleared, err)
	}
	all, err = ListPauses(t.Context(), pool)
	if err != nil || all[0].Until != nil || all[0].Failures != 0 || all[0].Error != nil {
		t.Errorf("%+v, %v", all, err)
	}
}

// Times in the future, from a host with a wrong clock, do not stop polls.
func TestTimesInTheFutureDoNotStopPolls(t *testing.T) {
	t.Parallel()
	pool, up, p := alone(t, time.Second)
	poll(t, p)
	execSQL(t, pool, `
		UPDATE transit.source SET next_poll_at = now() + interval '2 days', polled_at = now() + interval '2 days',
		  fetched_at = now() + interval '2 days';
		UPDATE transit.snapshot SET header_timestamp = header_timestamp + 2 * 86400`)
	all, err := ListPauses(t.Context(), pool)
	if err != nil || !all[0].Ahead {
		t.Errorf("%+v, %v", all, err)
	}
	second := feed(t, time.Now().Unix(), 2)
	up.set(200, second)
	if err := p.poll(t.Context(), time.Hour); err != nil {
		t.Fatal(err)
	}
	if got := look(t, pool); string(got.Data) != string(second) || got.Failures != 0 ||
		time.Until(got.Fetched) > time.Minute {
		t.Errorf("%+v", got)
	}
	due(t, pool)
	if err := p.poll(t.Context(), time.Hour); err != nil || up.requests.Load() != 2 {
		t.Errorf("a source was polled during its pause: %d requests, %v", up.requests.Load(), err)
	}
}

// A message with a timestamp slightly in the future is accepted, and does not make later messages
// look old.
func TestTimestampsSlightlyInTheFuture(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	first, err := inspect(feed(t, now.Unix()+240, 1), conf.TripUpdates, 0, now)
	if err != nil || first.timestamp != now.Unix()+240 {
		t.Fatalf("%+v, %v", first, err)
	}
	later := now.Add(10 * time.Second)
	if _, err := inspect(feed(t, later.Unix()-3, 1), conf.TripUpdates, now.Unix(), later); err != nil {
		t.Error(err)
	}
	// The stored timestamp is from a time when the clock was days ahead.
	if _, err := inspect(feed(t, later.Unix(), 1), conf.TripUpdates, now.Unix()+2*86400, later); err != nil {
		t.Error(err)
	}
}

// The metric of waiting readers returns to zero when any replica gets an answer, and when requests
// stop.
func TestWaiting(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	up, url := answering(t, 500, nil)
	one, two := replica(t, pool, url, time.Second), replica(t, pool, url, time.Second)
	start := time.Now()
	for _, p := range []*poller{one, two} {
		p.demand.add(start.Add(-8*time.Minute), 0)
		p.demand.add(start, 0)
		poll(t, p)
		if since := p.demand.waiting(start, 0); since != 8*time.Minute {
			t.Errorf("waits %s", since)
		}
	}
	due(t, pool)
	up.set(200, feed(t, time.Now().Unix(), 1))
	for i, p := range []*poller{one, two} { // the second replica finds the answer that the first replica stored
		poll(t, p)
		if since := p.demand.waiting(start, 0); since != 0 {
			t.Errorf("replica %d still waits %s", i, since)
		}
	}
	one.demand.add(start, 0)
	if since := one.demand.waiting(start.Add(time.Hour), 0); since != 0 {
		t.Errorf("waits %s without another request", since)
	}
}

// Readers wait until an answer is stored, not only until the source has answered.
func TestReadersWaitForAStoredAnswer(t *testing.T) {
	t.Parallel()
	pool, _, p := alone(t, time.Millisecond)
	execSQL(t, pool, `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'the disk is full'; END $$;
		CREATE TRIGGER refuse BEFORE INSERT ON transit.snapshot FOR EACH ROW EXECUTE FUNCTION refuse()`)
	start := time.Now()
	p.demand.add(start.Add(-8*time.Minute), 0)
	p.demand.add(start, 0)
	if err := p.poll(t.Context(), 0); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Fatal(err)
	}
	if since := p.demand.waiting(start, 0); since != 8*time.Minute {
		t.Errorf("waits %s, and nothing is stored", since)
	}
	execSQL(t, pool, `DROP TRIGGER refuse ON transit.snapshot`)
	due(t, pool)
	poll(t, p)
	if since := p.demand.waiting(start, 0); since != 0 {
		t.Errorf("waits %s after an answer was stored", since)
	}
}
